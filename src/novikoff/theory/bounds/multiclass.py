"""The bound for all classes together: the perceptron's, on Kesler's comparisons.

For a row x of class y and each other class j, z = (e_y - e_j) (x) x, in the space of one line of
weights for each class; see `learning.rules.multiclass`. gamma is the most that z . U can be on all
of these for a U of length 1: the multiclass margin. No z is longer than sqrt(2) D.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy.typing as npt

from novikoff.data.user_types import RowsLike
from novikoff.errors import HypothesisError
from novikoff.verdict.cones import multinomial
from novikoff.verdict.cones.families import make_table, outcome_of
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.judge import Judge, refuse_limits
from novikoff.verdict.result import SEPARABLE, UNDECIDED, Margin
from novikoff.verdict.signed import Signed, UserInput


class KeslerBound(NamedTuple):
    """The most mistakes of `MulticlassPerceptron` on these rows, in any order, from zero weights.

    value: a whole number.
    radius: D, the length of the longest row.
    margin: gamma, between its proven bounds.

    >>> import novikoff as nk
    >>> nk.bounds.kesler_on([[1.0], [-1.0]], ["a", "b"], fit_intercept=False).radius
    1.0
    """

    value: int
    radius: float
    margin: Margin


def kesler_on(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    precision: float | None = None,
    time_limit: float | None = None,
) -> KeslerBound:
    """2 (D / gamma)^2 on data, with the multiclass margin gamma that a verdict proves.

    Refused with the reason if the classes are not jointly separable.

    X, y, fit_intercept, precision, time_limit: as for `check`.

    >>> import novikoff as nk
    >>> X, y = [[2, 0], [0, 2], [-2, -2]], ["a", "b", "c"]
    >>> nk.bounds.kesler_on(X, y, fit_intercept=False).value
    5
    """
    refuse_limits(precision, time_limit)
    given = UserInput.of(X, y)
    table = make_table("multinomial", given, {}, outcome_of("multinomial"), bias=fit_intercept)
    judge = Judge(Signed.from_cone(multinomial.cone(table, reference=False)), None, time_limit)
    judge.precision = precision  # None: exact where feasible, though it is a model's cone
    verdict = judge.run()
    if verdict.outcome == UNDECIDED:
        raise HypothesisError(f"not decided within {time_limit:g} s: allow more time (time_limit)")
    if verdict.outcome != SEPARABLE:
        owners = sorted({row for row, _ in verdict.conflict})
        rows = ", ".join(str(row) for row in owners[:8]) + (", ..." if len(owners) > 8 else "")
        raise HypothesisError(
            f"the classes are not jointly separable, because of the rows {rows}: no bound holds"
        )
    square = verdict.radius_squared  # of comparisons: twice that of the longest row
    radius = root(square / Fraction(2), up=True)
    return KeslerBound(int(square // verdict.margin.lower_squared), radius, verdict.margin)
