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
(D / gamma)^2. The best v is sought in floating point (`comparing`). Whatever comes of that is then
a vector of doubles like any other, for which both are evaluated with every rounding error on the
safe side: so the figure holds whatever the search did.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novikoff import figures
from novikoff.bounds import comparing
from novikoff.bounds.labelled import signed_rows, unit_scores
from novikoff.bounds.outward import length_above, root, squares_above, sum_above, up
from novikoff.errors import ParameterError
from novikoff.scan import Vector
from novikoff.signed import Signed
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import Verdict


class SoftBound(NamedTuple):
    """The most mistakes of a perceptron from zero in so many passes, and what shows it.

    value: a whole number; real: before it is rounded down to one, itself not rounded down. vector:
    v, with the intercept last. gamma: 1 / |v|, infinite for v = 0. loss: |l| for squared losses (so
    that Delta = gamma * loss), L for hinge losses; over all passes, not rounded down. trivial: the
    rows read in all passes, which no run's mistakes exceed; a value of that is vacuous.
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
        """Whether it says no more than that each row is a mistake once a pass at the most."""
        return self.value >= self.trivial


def freund_schapire(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    passes: int = 1,
    positive: Any = None,
    time_limit: float | None = None,
) -> SoftBound:
    """((D + Delta) / gamma)^2 = (D |v| + |l|)^2, minimised over v and evaluated rigorously.

    Holds for the perceptron from zero weights, any step, in any order, for so many `passes` over
    any rows, separable or not. On separable rows it is at most (D / gamma)^2: the separator of
    `nk.check` is among the vectors tried. time_limit: seconds for that verdict.

    >>> freund_schapire([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).value
    4
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    return squared(signed, _verdict(signed, time_limit), passes)


def hinge(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    passes: int = 1,
    positive: Any = None,
    time_limit: float | None = None,
) -> SoftBound:
    """((D |v| + sqrt(D^2 |v|^2 + 4 L)) / 2)^2, minimised over v and evaluated rigorously.

    As `freund_schapire`, with the sum of the losses in place of their length: better where few rows
    lack much, worse where many lack a little.

    >>> hinge([[1.0], [1.0], [1.0], [1.0], [-1.0]], [1, 1, 1, 1, 1], fit_intercept=False).value
    4
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    return hinged(signed, _verdict(signed, time_limit), passes)


def squared(signed: Signed, verdict: Verdict, passes: int) -> SoftBound:
    """Freund and Schapire's bound on signed rows, for which there is a verdict."""

    def evaluate(size: float, losses: Vector) -> tuple[float, float]:
        loss = up(math.sqrt(up(passes * squares_above(losses))))
        return up(size + loss), loss

    return _best(signed, verdict, comparing.Squared(passes_of(passes)), evaluate)


def hinged(signed: Signed, verdict: Verdict, passes: int) -> SoftBound:
    """The hinge-loss bound on signed rows, for which there is a verdict."""

    def evaluate(size: float, losses: Vector) -> tuple[float, float]:
        loss = up(passes * sum_above(losses))
        root = up(math.sqrt(up(up(size * size) + 4.0 * loss)))
        return up(size + root) / 2.0, loss

    return _best(signed, verdict, comparing.Hinge(passes_of(passes)), evaluate)


Evaluate = Callable[[float, Vector], tuple[float, float]]


def _best(
    signed: Signed, verdict: Verdict, objective: comparing.Objective, evaluate: Evaluate
) -> SoftBound:
    radius = root(figures.radius_squared(signed), up=True)
    trivial = signed.count * objective.passes
    nothing = np.zeros(signed.dim)
    known = SoftBound(trivial, float(trivial), nothing, math.inf, math.nan, radius, trivial)
    best = known._replace(loss=evaluate(0.0, np.ones(signed.count))[1])
    for vector in comparing.suggestions(signed, radius, objective, _separators(verdict)):
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
    """The verdict's hyperplane, if it has one."""
    if verdict.weights is None:
        return []
    if not verdict.signed.bias:
        return [verdict.weights]
    return [np.append(verdict.weights, verdict.intercept or 0.0)]


def _verdict(signed: Signed, time_limit: float | None) -> Verdict:
    return Judge(signed, None, time_limit).verdict()


def passes_of(passes: int) -> int:
    """A number of passes."""
    if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
        raise ParameterError(f"passes must be a whole number of 1 or above, not {passes!r}")
    return passes
