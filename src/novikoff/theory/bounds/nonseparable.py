"""Bounds for rows that no hyperplane separates: what the best comparison vector leaves over.

For any v let l_i = max(0, 1 - z_i . v) be what row i lacks. A perceptron from w = 0 that makes k
mistakes, on the rows I of `passes` passes, ends at w = eta sum_I z_i (take eta = 1), and

    |w|^2 <= sum_I |z_i|^2 <= k D^2                   because w . z_i <= 0 at each mistake
    k - sum_I l_i <= sum_I z_i . v = v . w <= |v| |w| <= D |v| sqrt(k)

Squared losses (Freund and Schapire 1999): sum_I l_i <= sqrt(k) |l|, |l|^2 being the sum of l_i^2
over all rows of all passes, because a pass makes at most one mistake on a row. Divided by sqrt(k),

    k <= (D |v| + |l|)^2 = ((D + Delta) / gamma)^2    with gamma = 1 / |v|, Delta = gamma |l|

Hinge losses: with L the sum of l_i over all rows of all passes, k - D |v| sqrt(k) - L <= 0, so

    sqrt(k) <= (D |v| + sqrt(D^2 |v|^2 + 4 L)) / 2

v = 0 gives the number of rows read, which is no news; a separator with z . v >= 1 on all rows gives
(D / gamma)^2. The best v is sought in floating point (`comparison_vectors`). The result is a vector
of doubles like any other, for which both bounds are evaluated with every rounding error on the safe
side: so the figure holds whatever the search did.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import ParameterError
from novikoff.learning.learner import norm
from novikoff.theory.bounds import comparison_vectors
from novikoff.theory.bounds.user_input import signed_rows, unit_scores
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import root, up
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import Verdict
from novikoff.verdict.scan import SMALLEST, UNIT, Vector
from novikoff.verdict.signed import Signed


class SoftBound(NamedTuple):
    """A bound on the mistakes of a perceptron from zero, with the vector that proves it.

    value: a whole number.
    real: before it is rounded down to one, itself not rounded down.
    vector: v, with the intercept last.
    gamma: 1 / |v|, infinite for v = 0.
    loss: |l| for squared losses (so that Delta = gamma * loss), L for hinge losses; over all
        passes, not rounded down.
    radius: D, not rounded down.
    trivial: the rows read in all passes, which no run's mistakes exceed; a value of that is
        vacuous.

    >>> import novikoff as nk
    >>> bound = nk.bounds.hinge([[1.0], [1.0], [-1.0]], [1, 1, 1], fit_intercept=False)
    >>> bound.value <= bound.trivial
    True
    """

    value: int
    real: float
    vector: Vector
    gamma: float
    loss: float
    radius: float
    trivial: int

    @property
    def vacuous(self) -> bool:
        """Whether it says no more than that each row is a mistake at most once a pass."""
        return self.value >= self.trivial


def freund_schapire(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    passes: int = 1,
    positive: Label | None = None,
    time_limit: float | None = None,
) -> SoftBound:
    """((D + Delta) / gamma)^2 = (D |v| + |l|)^2, minimised over v and evaluated rigorously.

    Holds for the perceptron from zero weights, any step, in any order, for this many `passes` over
    any rows, separable or not. On separable rows it is at most (D / gamma)^2: the separator of
    `nk.check` is among the vectors tried.

    X, y, fit_intercept, unit_length, positive: as for `check`.
    passes: over the rows.
    time_limit: seconds for the verdict, whose separator is tried.

    >>> import novikoff as nk
    >>> nk.bounds.freund_schapire([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).value
    4
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    return freund_schapire_bound(signed, Judge(signed, None, time_limit).run(), passes)


def hinge(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    passes: int = 1,
    positive: Label | None = None,
    time_limit: float | None = None,
) -> SoftBound:
    """((D |v| + sqrt(D^2 |v|^2 + 4 L)) / 2)^2, minimised over v and evaluated rigorously.

    As `freund_schapire`, with the sum of the losses in place of their length: better where few rows
    lack much, worse where many lack a little. Parameters as for `bounds.freund_schapire`.

    >>> import novikoff as nk
    >>> X, y = [[1.0], [1.0], [1.0], [1.0], [-1.0]], [1, 1, 1, 1, 1]
    >>> nk.bounds.hinge(X, y, fit_intercept=False).value
    4
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    return hinge_bound(signed, Judge(signed, None, time_limit).run(), passes)


def freund_schapire_bound(signed: Signed, verdict: Verdict, passes: int) -> SoftBound:
    """The bound of Freund and Schapire on signed rows with a verdict."""

    def evaluate(size: float, losses: Vector) -> tuple[float, float]:
        loss = up(math.sqrt(up(passes * squares_above(losses))))
        return up(size + loss), loss

    return _best(signed, verdict, comparison_vectors.Squared(require_passes(passes)), evaluate)


def hinge_bound(signed: Signed, verdict: Verdict, passes: int) -> SoftBound:
    """The hinge-loss bound on signed rows with a verdict."""

    def evaluate(size: float, losses: Vector) -> tuple[float, float]:
        loss = up(passes * sum_above(losses))
        root = up(math.sqrt(up(up(size * size) + 4.0 * loss)))
        return up(size + root) / 2.0, loss

    return _best(signed, verdict, comparison_vectors.Hinge(require_passes(passes)), evaluate)


#: From D |v| and the losses, the root of the bound and the loss over all passes, both rounded up.
Evaluate = Callable[[float, Vector], tuple[float, float]]


def _best(
    signed: Signed, verdict: Verdict, objective: comparison_vectors.Objective, evaluate: Evaluate
) -> SoftBound:
    """The best bound that candidate vectors prove; v = 0 proves the trivial one."""
    radius = root(margins.radius_squared(signed), up=True)
    trivial = signed.count * objective.passes
    loss = evaluate(0.0, np.ones(signed.count))[1]
    zero = np.zeros(signed.dim)
    best = SoftBound(trivial, float(trivial), zero, math.inf, loss, radius, trivial)
    starts = _separators(verdict)
    for vector in comparison_vectors.candidate_vectors(signed, radius, objective, starts):
        size = length_above(vector)
        with np.errstate(over="ignore"):
            m, loss = evaluate(up(radius * size), losses_above(signed, vector))
        real = up(m * m)
        if real < best.real:  # nor where it is not a number
            best = SoftBound(math.floor(real), real, vector, 1.0 / size, loss, radius, trivial)
    return best


def losses_above(signed: Signed, vector: Vector) -> Vector:
    """max(0, 1 - z . v) for each row, none rounded down; z of unit length where asked for."""
    with np.errstate(all="ignore"):
        if signed.unit_length:
            scores, error = unit_scores(signed, vector)
        else:
            scores, error = signed.scan.scores(vector), signed.scan.error(vector)
        losses = np.nextafter(up(1.0 + error) - scores, math.inf)
    return np.where(losses > 0.0, losses, np.where(losses <= 0.0, 0.0, math.inf))


def _separators(verdict: Verdict) -> list[Vector]:
    """The verdict's hyperplane as a list, empty if it has none."""
    if verdict.weights is None:
        return []
    if not verdict.signed.bias:
        return [verdict.weights]
    return [np.append(verdict.weights, verdict.intercept or 0.0)]


def require_passes(passes: int) -> int:
    """The number of passes; ParameterError unless it is a whole number above 0."""
    if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
        raise ParameterError(f"passes must be a whole number of 1 or above, not {passes!r}")
    return passes


def sum_above(terms: Vector) -> float:
    """The sum of doubles of 0 or above, not rounded down, whatever the order of summation."""
    return up(float(terms.sum()) * (1.0 + 2.0 * len(terms) * UNIT))


def squares_above(terms: Vector) -> float:
    """The sum of the squares of doubles, not rounded down, though some may underflow."""
    total = float(terms @ terms) * (1.0 + 2.0 * (len(terms) + 2) * UNIT)
    return up(total + SMALLEST * len(terms))


def length_above(vector: Vector) -> float:
    """|vector|, not rounded down; 0 if it is."""
    grown = norm(vector) * (1.0 + 2.0 * (len(vector) + 8) * UNIT)
    return grown + 2.0 * SMALLEST if vector.any() else 0.0
