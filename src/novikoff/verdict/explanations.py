"""Which rows are separated, in words: by one column or level if one will do, else by a pair.

Some direction has the separated rows strictly on their side. If one of them uses a single column,
that is the explanation to give: "dose=high: 7 of 7 are dead". A column by itself, with the
intercept, asks for a threshold t: x >= t on the positive rows, x <= t on the negative ones, x = t
on those that are held, or the other way round. Columns are taken by how many rows they separate,
and given while they separate more; pairs are tried for the rest, where there are few columns.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from novikoff.data.matrices import as_matrix
from novikoff.learning.rows import make_rows, matrix_of
from novikoff.number_text import count
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.search.facial_reduction import FacialReduction
from novikoff.verdict.search.search import Search
from novikoff.verdict.signed import INTERCEPT, Classes, Signed, SignedRows

THRESHOLD = ("binary", "binomial", "log-binomial", "poisson")  # families of one sign for each row
MOST_PAIRED = 12  # columns of which pairs are tried
MOST_ENTRIES = 20_000_000  # of rows and columns that are looked through


class Explanation(NamedTuple):
    """Columns that separate by themselves, the rows that they separate, and that in words."""

    columns: tuple[str, ...]
    rows: tuple[int, ...]
    text: str


def is_explainable(signed: SignedRows, diverging: Sequence[int]) -> bool:
    """Whether there are few enough rows and columns to look through all of them."""
    return not signed.unit_length and signed.count * len(diverging) <= MOST_ENTRIES


def explain(signed: Signed, names: Sequence[str], diverging: Sequence[int]) -> list[Explanation]:
    """Explain the separated rows; diverging: the coefficients that a direction can use."""
    terms = _terms(signed, names, diverging)
    found = [each for name in terms if (each := _explain(signed, (name,), terms)) is not None]
    chosen, covered = _cover(found, set())
    everything = _explain(signed, tuple(terms), terms)
    if everything is not None and covered < set(everything.rows) and len(terms) <= MOST_PAIRED:
        pairs = [_explain(signed, pair, terms) for pair in combinations(terms, 2)]
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


def _terms(signed: Signed, names: Sequence[str], diverging: Sequence[int]) -> dict[str, list[int]]:
    """The columns of each term of the model: one, or one for each class."""
    cone = signed.cone
    if cone is None or not isinstance(cone.table.labels, Classes):
        return {names[j]: [j] for j in diverging if names[j] != INTERCEPT}
    wide = cone.table.features + cone.table.bias
    first = 0 if signed.family == "multinomial" else signed.dim - cone.table.features
    terms: dict[str, list[int]] = {}
    for j in diverging:
        k = (j - first) % wide if first == 0 else j - first
        if 0 <= k < cone.table.features:
            name = cone.table.names[k]
            terms[name] = [*range(first + k, signed.dim, wide)]
    return terms


def _explain(
    signed: Signed, chosen: tuple[str, ...], terms: dict[str, list[int]]
) -> Explanation | None:
    """What some terms separate by themselves; None if they do not."""
    if len(chosen) == 1 and signed.family in THRESHOLD:
        return _by_threshold(signed, chosen[0], terms[chosen[0]][0])
    rows = _separated(signed, [j for name in chosen for j in terms[name]])
    if not rows.size:
        return None
    alone = len(chosen) == 1
    what = f"{chosen[0]} alone separates" if alone else f"{' and '.join(chosen)} separate"
    return Explanation(chosen, tuple(rows.tolist()), f"{what} {count(len(rows), 'row')}")


def _separated(signed: Signed, columns: Sequence[int]) -> Indices:
    """The rows of the table that these columns separate, with intercepts and thresholds."""
    cone, kept = signed.cone, [*columns]
    if cone is not None and isinstance(cone.table.labels, Classes):
        wide, thresholds = cone.table.features + 1, signed.dim - cone.table.features
        if signed.family == "cumulative":
            kept = [*range(thresholds), *columns]
        elif cone.table.bias:
            kept = sorted([*columns, *range(wide - 1, signed.dim, wide)])
    matrix = as_matrix(matrix_of(signed.rows)[:, kept])
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
    whole[[*kept, *([signed.features] if signed.bias else [])]] = split.separator.numerators
    return np.flatnonzero(cone.strict_rows(~split.on_boundary, whole.tolist()))


def _by_threshold(signed: Signed, name: str, j: int) -> Explanation | None:
    column = matrix_of(signed.rows)[:, [j]]
    x: Vector = (column.toarray() if hasattr(column, "toarray") else column)[:, 0]
    above = (signed.signs > 0) & ~signed.pinned
    below = (signed.signs < 0) & ~signed.pinned
    for sign in (1.0, -1.0):
        t = _threshold(sign * x, above, below, signed.pinned, signed.bias)
        if t is not None:
            strict = ~signed.pinned & (x != sign * t)
            owners = np.arange(signed.count) if signed.cone is None else signed.cone.owners
            words = _Words(signed, name, x, strict)
            text = words.text(sign * t)
            return Explanation((name,), tuple(owners[strict].tolist()), text)
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

    def __init__(self, signed: Signed, name: str, x: Vector, strict: Mask) -> None:
        self._signed, self._name, self._x, self._strict = signed, name, x, strict

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
        if "=" not in self._name or set(np.unique(self._x)) != {0.0, 1.0}:
            where = f"{self._name} = {value:g}"
        else:
            where = self._name if value else f"not {self._name}"
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
