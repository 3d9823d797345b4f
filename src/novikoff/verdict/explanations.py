"""Which rows are separated, in words: by one column or level if one will do, else by a pair.

Some direction has the separated rows strictly on their side. If one of them uses a single column,
that is the explanation to give: "dose=high: 7 of 7 are dead". A column by itself, with the
intercept, asks for a threshold t: x >= t on the positive rows, x <= t on the negative ones, x = t
on those that are held, or the other way round. Columns are taken by how many rows they separate,
and given while they separate more; pairs are tried for the rest, where there are few columns.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.formula.factors import Factor
from novikoff.data.matrices import as_matrix
from novikoff.data.sparse import csr
from novikoff.learning.rows import make_rows, matrix_of
from novikoff.number_text import count
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.search.facial_reduction import FacialReduction
from novikoff.verdict.search.search import Search
from novikoff.verdict.signed import INTERCEPT, Classes, Signed, SignedRows, Table

THRESHOLD = ("binary", "binomial", "log-binomial", "poisson")  # families of one sign for each row
WITHOUT_INTERCEPT = ("cumulative", "conditional", "cox")  # in whose rows a constant cancels
MOST_PAIRED = 12  # columns of which pairs are tried
MOST_NAMED = 3  # classes that are absent
MOST_ENTRIES = 20_000_000  # of rows and columns that are looked through


class Explanation(NamedTuple):
    """Columns that separate by themselves, the rows that they separate, and that in words."""

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    text: str


class Term(NamedTuple):
    """A term of the model.

    name: what rows are called in which it is 1. complement: those in which it is 0. coefficients:
    by their names. columns: of the rows, one for each class that has its own; for a factor's
    reference level, which has none, those of the other levels, which are to be added up.
    """

    name: str
    complement: str
    coefficients: tuple[str, ...]
    columns: list[list[int]]

    def called(self, value: float) -> str:
        """The rows in which it has a value, where it is 0 or 1."""
        if "=" not in self.name:
            return f"{self.name} = {value:g}"
        return self.name if value else self.complement


def is_explainable(signed: SignedRows, diverging: Sequence[int]) -> bool:
    """Whether there are few enough rows and columns to look through all of them."""
    return not signed.unit_length and signed.count * len(diverging) <= MOST_ENTRIES


def explain(
    signed: Signed, names: Sequence[str], diverging: Sequence[int], factors: Sequence[Factor] = ()
) -> list[Explanation]:
    """Explain the separated rows; diverging: the coefficients that a direction can use."""
    plain = _terms(signed, names, diverging, factors)
    terms = [*plain, *_references(signed, plain, factors)]
    found = [each for term in terms if (each := _explain(signed, [term])) is not None]
    chosen, covered = _cover(found, set())
    everything = _explain(signed, plain) if len(plain) <= MOST_PAIRED else None
    if everything is not None and covered < set(everything.rows):
        pairs = [_explain(signed, pair) for pair in combinations(terms, 2)]
        chosen += _cover([each for each in pairs if each is not None], covered)[0]
    return chosen


def _cover(found: list[Explanation], covered: set[int]) -> tuple[list[Explanation], set[int]]:
    """Those that separate rows which those before them do not, the largest first."""
    chosen = []
    for each in sorted(found, key=lambda one: -len(one.rows)):
        if not covered.issuperset(each.rows):
            chosen.append(each)
            covered = covered | set(each.rows)
    return chosen, covered


def _terms(
    signed: Signed, names: Sequence[str], diverging: Sequence[int], factors: Sequence[Factor]
) -> list[Term]:
    """The columns of each term of the model: one, or one for each class."""
    words = {}
    for each in factors:
        rest = f"{each.name}={each.reference}" if len(each.levels) == 2 else None
        for level, column in each.columns.items():
            name = f"{each.name}={level}"
            words[column] = name, rest or f"not {name}"
    cone = signed.cone
    if cone is None or not isinstance(cone.table.labels, Classes):
        places = {names[j]: [[j]] for j in diverging if names[j] != INTERCEPT}
    else:
        wide, features = cone.table.features + cone.table.bias, cone.table.features
        first = 0 if signed.family == "multinomial" else signed.dim - features
        own = {(j - first) % wide if first == 0 else j - first for j in diverging}
        columns = {k: [[j] for j in range(first + k, signed.dim, wide)] for k in sorted(own)}
        places = {cone.table.names[k]: columns[k] for k in columns if 0 <= k < features}
    return [
        Term(*words.get(name, (name, f"not {name}")), (name,), found)
        for name, found in places.items()
    ]


def _references(signed: Signed, terms: Sequence[Term], factors: Sequence[Factor]) -> list[Term]:
    """The reference levels of factors, all of whose columns can be used."""
    table = None if signed.cone is None else signed.cone.table
    fixed = signed.bias if table is None else table.bias
    if not fixed and signed.family not in WITHOUT_INTERCEPT:
        return []
    known = {term.coefficients[0]: term for term in terms}
    found = []
    for each in factors:
        columns = [known[name] for name in each.columns.values() if name in known]
        if each.reference is not None and 1 < len(columns) == len(each.columns):
            groups = zip(*(term.columns for term in columns), strict=True)
            sums = [[j for [j] in group] for group in groups]
            name = f"{each.name}={each.reference}"
            found.append(Term(name, f"not {name}", tuple(each.columns.values()), sums))
    return found


def _explain(signed: Signed, chosen: Sequence[Term]) -> Explanation | None:
    """What some terms separate by themselves; None if they do not."""
    if len(chosen) == 1 and signed.family in THRESHOLD:
        return _by_threshold(signed, chosen[0])
    rows = _separated(signed, [columns for term in chosen for columns in term.columns])
    if not rows.size:
        return None
    names = [term.name for term in chosen]
    what = f"{names[0]} alone separates" if len(names) == 1 else f"{' and '.join(names)} separate"
    text = _outcomes(signed, chosen[0]) if len(chosen) == 1 else ""
    columns = tuple(dict.fromkeys(name for term in chosen for name in term.coefficients))
    text = text or f"{what} {count(len(rows), 'row')}"
    return Explanation(columns, tuple(rows.tolist()), text)


def _outcomes(signed: Signed, term: Term) -> str:
    """What rows have in common in which a term of values 0 and 1 has one of them, if anything."""
    if signed.cone is None:
        return ""
    table = signed.cone.table
    places = [table.names.index(name) for name in term.coefficients]
    x = np.asarray(table.given.matrix[table.kept][:, places].sum(axis=1)).ravel()
    x = 1.0 - x if len(places) > 1 else x
    if {*np.unique(x).tolist()} != {0.0, 1.0}:
        return ""
    found = []
    for value in (1.0, 0.0):
        if said := _in_common(table, table.outcome[table.kept][x == value]):
            found.append(f"{term.called(value)}: {said}")
    return "; ".join(found)


def _in_common(table: Table, outcomes: Vector) -> str:
    """What outcomes say that have none of the classes, or no event."""
    total, present = f"{len(outcomes):,}", {*outcomes.astype(int).tolist()}
    if table.family == "cox":
        return f"none of {total} has an event" if present == {0} else ""
    if not isinstance(table.labels, Classes):
        return ""
    names = [str(name) for name in table.labels.names]
    if len(present) == 1:
        return f"{total} of {total} are {names[present.pop()]}"
    absent = [name for k, name in enumerate(names) if k not in present]
    if table.family != "multinomial" or not absent:
        return ""
    listed = " or ".join([", ".join(absent[:-1])] * (len(absent) > 1) + absent[-1:])
    return f"none of {total} is {listed}" if len(absent) <= MOST_NAMED else ""


def _separated(signed: Signed, columns: Sequence[list[int]]) -> Indices:
    """The rows of the table that sums of columns separate, with intercepts and thresholds."""
    cone, own = signed.cone, list[int]()
    if cone is not None and isinstance(cone.table.labels, Classes):
        wide, thresholds = cone.table.features + 1, signed.dim - cone.table.features
        if signed.family == "cumulative":
            own = [*range(thresholds)]
        elif cone.table.bias:
            own = [*range(wide - 1, signed.dim, wide)]
    sums = sorted([*([j] for j in own), *columns])
    matrix = as_matrix(_summed(signed, sums))
    part = Signed(
        make_rows(matrix, signed.bias, False),
        signed.signs,
        signed.labels,
        family=signed.family,
        pinned=signed.pinned,
    )
    split = FacialReduction(Search(part)).split([])
    if split.separator is None:
        return np.empty(0, np.int64)
    if cone is None:
        return np.flatnonzero(~split.on_boundary)
    whole = np.zeros(signed.dim, object)
    lifted = [*sums, *([[signed.features]] if signed.bias else [])]
    for places, numerator in zip(lifted, split.separator.numerators, strict=True):
        whole[places] += numerator
    return np.flatnonzero(cone.strict_rows(~split.on_boundary, whole.tolist()))


def _summed(signed: Signed, sums: Sequence[list[int]]) -> Any:
    """The columns of the rows, or sums of those of a factor, which are 0 or 1."""
    matrix, places = matrix_of(signed.rows), [j for each in sums for j in each]
    if len(places) == len(sums):
        return matrix[:, places]
    ends = np.cumsum([0, *map(len, sums)])
    chosen: Any = csr(ends, np.array(places), np.ones(len(places)), matrix.shape[1])
    return matrix @ chosen.T


def _by_threshold(signed: Signed, term: Term) -> Explanation | None:
    column = _summed(signed, term.columns)
    x: Vector = np.asarray(column.toarray() if hasattr(column, "toarray") else column)[:, 0]
    if len(term.coefficients) > 1:
        x = 1.0 - x
    above = (signed.signs > 0) & ~signed.pinned
    below = (signed.signs < 0) & ~signed.pinned
    for sign in (1.0, -1.0):
        t = _threshold(sign * x, above, below, signed.pinned, signed.bias)
        if t is not None:
            strict = ~signed.pinned & (x != sign * t)
            owners = np.arange(signed.count) if signed.cone is None else signed.cone.owners
            words = _Words(signed, term, x, strict)
            text = words.text(sign * t)
            return Explanation(term.coefficients, tuple(owners[strict].tolist()), text)
    return None


def _threshold(x: Vector, above: Mask, below: Mask, held: Mask, bias: bool) -> float | None:
    """A t with x >= t above, <= t below, = t where held, and not = t everywhere."""
    if not len(x) or x.min() == x.max() == (x[0] if bias else 0.0):
        return None
    low = float(x[below].max()) if below.any() else -np.inf
    high = float(x[above].min()) if above.any() else np.inf
    if not bias or held.any():
        t = float(x[held][0]) if bias else 0.0
        fits = low <= t <= high and bool((x[held] == t).all())
        return t if fits else None
    if low > high:
        return None
    return low if not np.isfinite(high) or low == high else (low + high) / 2.0


class _Words:
    """A column's separation in words."""

    def __init__(self, signed: Signed, term: Term, x: Vector, strict: Mask) -> None:
        self._signed, self._x, self._strict = signed, x, strict
        self._term, self._name = term, term.name

    def text(self, t: float) -> str:
        """A two-valued column by its value, another by its threshold."""
        values = np.unique(self._x)
        mine = np.unique(self._x[self._strict])
        if len(values) == 2 and len(mine) == 2:
            parts = [self._of_value(float(value)) for value in mine]
            return f"{self._name} alone separates: {'; '.join(parts)}"
        if len(mine) == 1 and len(values) <= 2:
            return self._of_value(float(mine[0]))
        return self._of_threshold(t)

    def _of_value(self, value: float) -> str:
        rows = self._x == value
        total = f"{int(rows.sum()):,}"
        levels = set(np.unique(self._x)) == {0.0, 1.0}
        where = self._term.called(value) if levels else f"{self._name} = {value:g}"
        return f"{where}: {total} of {total} {self._side(bool(self._signed.signs[rows][0] > 0))}"

    def _of_threshold(self, t: float) -> str:
        tied = int((~self._strict).sum())
        rest = f", but for {count(tied, 'row')} where it is {t:g}" if tied else ""
        sides = []
        for where, rows in (("above", self._x > t), ("below", self._x < t)):
            if rows.any():
                side = self._side(bool(self._signed.signs[rows][0] > 0))
                sides.append(f"{where} {t:g} all {int(rows.sum()):,} {side}")
        return f"{self._name} alone separates{rest}: {', '.join(sides)}"

    def _side(self, positive: bool) -> str:
        labels, family = self._signed.labels, self._signed.family
        if family == "poisson":
            return "are 0"
        if family != "binary" or labels is None:
            return "have successes only" if positive else "have no success"
        name = labels.positive if positive else labels.negative
        return f"are {name}" if name is not None else f"are not {labels.positive}"
