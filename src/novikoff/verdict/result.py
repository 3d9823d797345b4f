"""What a verdict says."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import counting, figures, ranks
from novikoff.errors import ParameterError

SEPARABLE, QUASI, INSEPARABLE, UNDECIDED = (
    "separable",
    "quasi-separable",
    "inseparable",
    "undecided",
)
SOON, SOLVED = 3 * 10**8, 300  # steps of an elimination that take a second; rows of an exact one


class Margin(NamedTuple):
    """What is proven of the margin: lower_squared <= gamma^2 <= upper_squared, exactly.

    upper_squared is None where nothing bounds it from above yet.
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


class Coefficient(NamedTuple):
    """What becomes of one coefficient of an unpenalised fit (logistic, or Poisson).

    status: "finite"; "diverges"; or "unidentified": the rows do not determine it at all.
    sign: where it diverges, "+" or "-" if every direction of divergence agrees, else "either";
    None otherwise.
    """

    name: str
    status: str
    sign: str | None


class Identical(NamedTuple):
    """Rows that are the same but for their labels."""

    rows: int  # how many rows have such a twin
    groups: int  # how many different rows they are
    first: tuple[int, int]  # two of them


class Stage(NamedTuple):
    """How far the work is, for whoever watches."""

    doing: str
    outcome: str | None  # as soon as it is proven
    lower: float  # the margin's bracket so far
    upper: float
    scans: int


Watch = Callable[[Stage], None]


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether rows are separable, by how much, and which are in the way; with the proof.

    margin and radius are of the rows as the learner sees them: lifted, and scaled to unit length
    where asked. conflict: rows and positive multipliers whose combination of signed rows is zero.
    strict: for each row, whether some hyperplane that has no row on the wrong side has it strictly
    on its own side (all if separable, none if inseparable). certificate: the proof, None if
    undecided.
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
    certificate: Any
    signed: Any = field(repr=False)
    scans: int = 0
    fate: Any = field(default=None, repr=False)  # judges coefficients

    def __repr__(self) -> str:
        return f"<Verdict: {self.outcome}, {self.rows} rows, {self.features} features>"

    @property
    def radius(self) -> float:
        """D: the length of the longest row, rounded up."""
        return root(self.radius_squared, up=True)

    @property
    def coefficients(self) -> list[Coefficient]:
        """What becomes of each coefficient of an unpenalised fit, the intercept last.

        Worked out when first asked for: the signs take a verdict for each coefficient.
        """
        found: list[Coefficient] = self.fate.coefficients if self.fate is not None else []
        return found

    def contrast(self, weights: Any, name: str = "contrast") -> Coefficient:
        """What becomes of a combination of coefficients: one weight for each, intercept last."""
        if self.fate is None:
            raise ParameterError("nothing is known of any contrast: the verdict is undecided")
        found: Coefficient = self.fate.contrast(weights, name)
        return found

    @property
    def rank(self) -> int | None:
        """The rank of the lifted rows; None if undecided, or with too many columns to say."""
        found: int | None = self.fate.rank if self.fate is not None else None
        return found

    @cached_property
    def every_labelling(self) -> bool | None:
        """Whether every labelling of these rows is separable, not only this one; None for counts,
        and where it would take long to tell.

        It is so if and only if the lifted rows x are linearly independent. If they are, x . w can
        be given any value on each row by some w, so any sign. If they are not, sum c x = 0 with
        some c that is not 0; label each row with the sign of its c, as you like where that is 0.
        A separator w would have c (x . w) > 0 wherever c is not 0, but those add up to 0.
        """
        if self.signed.family != "binary":
            return None
        if self.rows > self.signed.dim:
            return False
        if self.rows**2 > SOON:
            return None
        rows = self.signed.integers(range(self.rows))
        used = sorted({column for row in rows for column in row.columns})
        if self.rows**2 * len(used) > SOON:
            return None
        lines = [figures.line(row, used) for row in rows]
        if len(set(map(tuple, lines))) < self.rows or len(used) < self.rows:
            return False
        if len(ranks.pivots(ranks.modulo(lines))) == self.rows:
            return True
        return ranks.has_rank(lines, self.rows) if self.rows <= SOLVED else None

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
        return counting.fraction(self.rows, dim)


def root(square: Fraction, *, up: bool) -> float:
    """The square root as a double, rounded up or down: never on the wrong side."""
    if square <= 0:
        return 0.0
    top, bottom = square.numerator, square.denominator
    shift = 2 * max(0, 64 - (top * bottom).bit_length() // 2 + 1)
    whole = math.isqrt(top * bottom << shift)
    value = _ratio(whole + up, bottom << (shift // 2))
    exact = Fraction(value) if math.isfinite(value) else None
    if exact is not None and up and exact * exact < square:
        return math.nextafter(value, math.inf)
    if exact is not None and not up and exact * exact > square:
        return math.nextafter(value, 0.0)
    return value


def _ratio(top: int, bottom: int) -> float:
    try:
        return top / bottom
    except OverflowError:
        return math.inf
