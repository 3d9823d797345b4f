"""The verdict."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff import cover_count, notebook
from novikoff.data.user_types import Label
from novikoff.errors import ParameterError
from novikoff.verdict.certificate import INSEPARABLE, QUASI, SEPARABLE, Certificate
from novikoff.verdict.coefficients import Coefficient, CoefficientAnalysis
from novikoff.verdict.contrasts import ContrastColumns
from novikoff.verdict.duplicates import Identical
from novikoff.verdict.exact import rank
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.explanations import Explanation, explain, is_explainable
from novikoff.verdict.signed import Number, SignedRows, dense_values, used_columns

__all__ = [
    "INSEPARABLE",
    "QUASI",
    "SEPARABLE",
    "UNDECIDED",
    "Comparison",
    "Margin",
    "RowOrigin",
    "Stage",
    "Verdict",
    "Watch",
]

UNDECIDED = "undecided"
QUICK_STEPS = 3 * 10**8  # of an elimination, about a second
QUICK_ROWS = 300  # of an exact elimination


class Margin(NamedTuple):
    """Proven bounds of the margin: lower_squared <= gamma^2 <= upper_squared, exactly.

    lower_squared: a Fraction.
    upper_squared: likewise; None where nothing bounds it from above yet.
    """

    lower_squared: Fraction
    upper_squared: Fraction | None

    @property
    def lower(self) -> float:
        """A double that is not above the margin."""
        return root(self.lower_squared, up=False)

    @property
    def upper(self) -> float:
        """A double that is not below the margin."""
        return math.inf if self.upper_squared is None else root(self.upper_squared, up=True)

    def __repr__(self) -> str:  # the exact squares can have thousands of digits
        return f"Margin(lower={self.lower!r}, upper={self.upper!r})"

    @property
    def squared(self) -> Fraction | None:
        """gamma^2 where it is known exactly."""
        return self.lower_squared if self.lower_squared == self.upper_squared else None


class Comparison(NamedTuple):
    """One term of a conflict: what is compared, the rows of the table in it, and its multiplier."""

    text: str
    rows: tuple[int, ...]
    multiplier: Fraction


class Stage(NamedTuple):
    """The progress of a check."""

    doing: str
    outcome: str | None  # as soon as it is proven
    lower: float  # the margin's bracket so far
    upper: float
    scans: int


Watch = Callable[[Stage], None]


class RowOrigin(Protocol):
    """Where rows come from: how they and their labels are called."""

    @property
    def name(self) -> str:
        """What messages call the data; "" where nothing does."""

    @property
    def by_number(self) -> bool:
        """Whether rows are named by their numbers."""

    def where(self, row: int) -> str:
        """The place of a row for a person."""

    def label(self, row: int) -> object:
        """The label of a row."""

    @property
    def identifiers(self) -> list[str]:
        """The columns that look like names of rows."""

    def notes(self) -> list[str]:
        """What a person should be told about the data, in sentences."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether rows are separable, by how much, and which are in the way; with the proof.

    In a family whose rows are compared with classes, thresholds or each other, the signed rows are
    those comparisons: `conflict` names the row that each is about (so that one may come twice), and
    `comparisons` says it in full; `strict` says whether the row takes part in a strict comparison;
    weights are one for each of the `coefficients`. `str` gives the account that `novikoff check`
    prints.

    outcome: "separable", "quasi-separable", "inseparable" or "undecided".
    rows: how many there are.
    features: how many columns they have.
    margin: its proven bounds, for the rows as the learner sees them: lifted, and scaled to unit
        length where asked.
    radius_squared: D^2 of those rows, exactly.
    mistake_bound: the most mistakes that any order of the rows can cost; None without a margin.
    weights: of a separator; None if there is none.
    intercept: of that separator.
    conflict: rows and positive multipliers whose combination of signed rows is zero.
    strict: for each row, whether some hyperplane that has no row on the wrong side has it strictly
        on its own side (all if separable, none if inseparable).
    identical: equal rows with opposite labels, if they are the conflict.
    certificate: the proof; None if undecided.
    signed: the signed rows themselves.
    scans: how many times the rows were gone through.
    analysis: of the coefficients; `coefficients` reads it.
    judge: how a class is judged against the others.
    origin: where the rows come from, where that is known.
    account: the verdict in words, for `str`.
    headline: the verdict in a sentence.

    >>> import novikoff as nk
    >>> verdict = nk.check([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> verdict.outcome, verdict.margin.squared, verdict.mistake_bound
    ('separable', Fraction(1, 17), 51)
    """

    outcome: str
    rows: int
    features: int
    margin: Margin
    radius_squared: Fraction
    mistake_bound: int | None
    weights: npt.NDArray[np.float64] | None
    intercept: float | None
    conflict: list[tuple[int, Fraction]]
    strict: npt.NDArray[np.bool_] | None
    identical: Identical | None
    certificate: Certificate | None
    signed: SignedRows = field(repr=False)
    scans: int = 0
    analysis: CoefficientAnalysis | None = field(default=None, repr=False)
    judge: Callable[[], dict[object, "Verdict"]] | None = field(default=None, repr=False)
    origin: RowOrigin | None = field(default=None, repr=False)
    account: Callable[["Verdict"], str] | None = field(default=None, repr=False)
    headline: Callable[["Verdict"], str] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return repr(self) if self.account is None else self.account(self)

    def __repr__(self) -> str:
        return f"<Verdict: {self.outcome}, {self.rows} rows, {self.features} features>"

    def _repr_html_(self) -> str:
        sentence = repr(self) if self.headline is None else self.headline(self)
        facts: list[notebook.Fact] = [("rows", self.rows), ("features", self.features)]
        if self.outcome == SEPARABLE and self.family == "binary":
            facts += [("margin γ", self.margin.lower), ("radius D", self.radius)]
        if self.mistake_bound is not None:
            facts.append(("mistakes at most", self.mistake_bound))
        if self.conflict:
            places = ", ".join(f"{row:,}" for row, _ in self.conflict[:8])
            more = ", …" if len(self.conflict) > 8 else ""
            facts.append(("conflict: rows", f"{places}{more}"))
        return notebook.facts_html(sentence, facts)

    def plot(self, *, backend: str | None = None) -> object:
        """The rows in the plane, with the separator or the conflict; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)

    @property
    def family(self) -> str:
        """The model that was asked about."""
        return self.signed.family

    @property
    def comparisons(self) -> list[Comparison]:
        """The conflict in the model's own terms."""
        if self.analysis is None:
            return []
        cone, terms = self.signed.cone, self.analysis.split.conflict
        if cone is None:
            return [Comparison(f"row {row}", (row,), multiplier) for row, multiplier in terms]
        found = []
        for k, multiplier in terms:
            rows = int(cone.owners[k]), int(cone.others[k])
            found.append(Comparison(cone.tell(k), rows[: 1 + (rows[1] >= 0)], multiplier))
        return found

    @cached_property
    def one_against_rest(self) -> dict[object, "Verdict"]:
        """The verdict about each class against all others; empty unless there are several classes.

        Computed when first used, and shown by `str` from then on: the rows that count, with their
        intercept, in as much time at the most as the first question was given.
        """
        return {} if self.judge is None else self.judge()

    @cached_property
    def explanations(self) -> list[Explanation]:
        """What separates rows, in words: single columns or levels that do by themselves first, then
        pairs. Computed when first used, together with the coefficients.
        """
        if self.analysis is None or self.weights is None:
            return []
        usable = ("diverges", "reference", "aliased")
        places = [j for j, each in enumerate(self.coefficients) if each.status in usable]
        if not is_explainable(self.signed, places):
            return []
        signed = self.signed.in_one_place()
        return explain(signed, self.analysis.names, places, self.signed.factors)

    @property
    def left_out(self) -> int:
        """How many rows do not count, because of a weight, exposure or number of trials of 0."""
        cone = self.signed.cone
        return 0 if cone is None else cone.table.size - len(cone.table.kept)

    @property
    def radius(self) -> float:
        """D: the length of the longest row, rounded up."""
        return root(self.radius_squared, up=True)

    @property
    def support(self) -> list[tuple[int, Fraction]]:
        """Rows and positive multipliers of sum 1 whose combination bounds the margin from above;
        empty unless separable.

        Where the margin is known exactly, that combination is the nearest point itself, and the
        margin would be the same without all other rows.
        """
        if self.outcome != SEPARABLE or self.certificate is None:
            return []
        terms = self.certificate.support
        total = sum(multiplier for _, multiplier in terms)
        return [(row, multiplier / total) for row, multiplier in terms]

    @property
    def exact_weights(self) -> Rational | None:
        """The separator of which weights and intercept are roundings, the intercept last."""
        return None if self.analysis is None else self.analysis.split.separator

    @property
    def coefficients(self) -> list[Coefficient]:
        """Whether each coefficient of an unpenalised fit is finite, the intercept last.

        Computed when first used: the signs take a verdict for each coefficient.
        """
        return [] if self.analysis is None else self.analysis.coefficients

    def contrast(
        self,
        weights: Mapping[str, Label] | Sequence[Number] | npt.NDArray[np.generic],
        name: str = "contrast",
    ) -> Coefficient:
        """Whether a combination of coefficients is finite: weights by names, or one for each, the
        intercept last.
        """
        if self.analysis is None:
            raise ParameterError("nothing is known of any contrast: the verdict is undecided")
        if isinstance(weights, Mapping):
            columns = ContrastColumns(self.analysis.names)
            weights = columns.weights(weights, f"the contrast {dict(weights)}")
        return self.analysis.contrast(weights, name)

    @property
    def aliased(self) -> dict[str, dict[str, Fraction]]:
        """The columns that depend on those before them: each as a combination of others, by their
        names, with their factors.
        """
        return {} if self.analysis is None else self.analysis.aliased

    @property
    def rank(self) -> int | None:
        """The rank of the lifted rows; None if undecided, or with too many columns to compute."""
        return None if self.analysis is None else self.analysis.rank

    @cached_property
    def every_labelling(self) -> bool | None:
        """Whether every labelling of these rows is separable, not only this one; None for counts,
        and where it would take long to find out.

        It is so if and only if the lifted rows x are linearly independent. If they are, x . w can
        be given any value on each row by some w, so any sign. If they are not, sum c x = 0 with
        some c that is not 0; label each row with the sign of its c, as you like where that is 0.
        A separator w would have c (x . w) > 0 wherever c is not 0, but those add up to 0.
        """
        if self.signed.family != "binary":
            return None
        if self.rows > self.signed.dim:
            return False
        if self.rows**2 > QUICK_STEPS:
            return None
        rows = self.signed.integers(range(self.rows))
        used = used_columns(rows)
        if self.rows**2 * len(used) > QUICK_STEPS:
            return None
        lines = [dense_values(row, used) for row in rows]
        if len(set(map(tuple, lines))) < self.rows or len(used) < self.rows:
            return False
        if len(rank.pivots(rank.modulo(lines))) == self.rows:
            return True
        return rank.has_rank(lines, self.rows) if self.rows <= QUICK_ROWS else None

    @cached_property
    def chance(self) -> float | None:
        """The largest share of all labellings of these rows that can be separable; None for counts.

        Cover's C(P, N) / 2^P for P rows in N dimensions, the bias among them: rows in general
        position have the most separable labellings. Where P <= N, and yet not every labelling is
        separable, the rows depend on each other, and span no more than P - 1 dimensions.
        """
        if self.signed.family != "binary":
            return None
        dim = self.signed.dim
        if self.rows <= dim and self.every_labelling is False:
            dim = self.rows - 1
        return cover_count.fraction(self.rows, dim)
