"""The fixed increment from any start (note 003): A k^2 <= |w(k) - w(0)|^2 <= B k.

Every update adds eta z for a signed row z with w . z <= 0. With a = min target . z > 0,
M = max |z|^2 and mu = 2 min start . z over the rows:

    target . (w(k) - w(0)) >= k eta a, so that |w(k) - w(0)|^2 >= A k^2,  A = (eta a / |target|)^2
    |w(k) - w(0)|^2 <= |w(k - 1) - w(0)|^2 - 2 eta start . z + eta^2 |z|^2,
        because w(k - 1) . z <= 0; summed, it is at most B k,  B = eta (eta M - mu)
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import notebook
from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import DataError, HypothesisError, ParameterError
from novikoff.learning.rows import features_of
from novikoff.theory.bounds.hypotheses import row_name
from novikoff.theory.bounds.user_input import (
    ExactNumber,
    ExactVector,
    number,
    numbers,
    signed_rows,
    unit_scores,
)
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import above, below
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.signed import Signed


class Envelopes(NamedTuple):
    """The constants of the envelopes as the rational numbers that they are.

    k_max: B / A.
    A: (eta a / |w*|)^2.
    B: eta (eta M - mu).

    >>> import novikoff as nk
    >>> nk.bounds.fixed_increment(1, [0, 0], [1, 1], [[1, 0], [0, 1]], [1, 1]).exact
    Envelopes(k_max=Fraction(2, 1), A=Fraction(1, 2), B=Fraction(1, 1))
    """

    k_max: Fraction
    A: Fraction
    B: Fraction


class FixedIncrement(NamedTuple):
    """A k^2 <= |w(k) - w(0)|^2 <= B k, and so k <= k_max = B / A.

    k_max: B / A as a double, not rounded down.
    A: of the lower envelope, not rounded up.
    B: of the upper envelope, not rounded down.
    updates: k_max as a whole number, rounded down after all.
    exact: the same in rational arithmetic; None for rows scaled to length 1 from a start other than
        0, whose mu is not rational.

    >>> import novikoff as nk
    >>> limit = nk.bounds.fixed_increment(1.0, [0, 0], [1, 1], [[1, 0], [0, 1]], [1, 1])
    >>> limit.A, limit.B, limit.updates
    (0.5, 1.0, 2)
    """

    k_max: float
    A: float
    B: float
    updates: int
    exact: Envelopes | None

    def _repr_html_(self) -> str:
        facts: list[notebook.Fact] = [("k_max = B/A", self.k_max), ("A", self.A), ("B", self.B)]
        sentence = f"A k² ≤ ‖w(k) − w(0)‖² ≤ B k, and so at most {self.updates:,} updates."
        return notebook.facts_html(sentence, facts)

    def plot(self, *, backend: str | None = None) -> object:
        """The two envelopes, and where they meet; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)


def fixed_increment(
    eta: ExactNumber,
    start: ExactVector,
    target: ExactVector,
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    unit_length: bool = False,
    positive: Label | None = None,
) -> FixedIncrement:
    """The most updates of the perceptron with step `eta` from any `start`.

    With a = min target . z, M = max |z|^2 and mu = 2 min start . z over the signed rows z:
    A = (eta a / |target|)^2 and B = eta (eta M - mu). Numbers of any exact kind (doubles,
    Fractions, Decimals) are taken as what they are, and all figures are computed in rational
    arithmetic.

    eta: the step.
    start: w(0). Where start and target are longer than the rows by one, the rows are lifted by a 1.
    target: w*; one that does not separate the rows is refused with a row that shows it.
    X: the rows.
    y: -1 and 1, or any two labels.
    unit_length: scale the (lifted) rows to length 1.
    positive: the label to tell from all the others.

    >>> import novikoff as nk
    >>> nk.bounds.fixed_increment(1.0, [0, 0], [1, 1], [[1, 0], [0, 1]], [1, 1]).k_max
    2.0
    """
    step = step_of(eta)
    first, goal = numbers("start", start), numbers("target", target)
    signed = signed_rows(X, y, fit_intercept=False, unit_length=unit_length, positive=positive)
    _lift(signed, len(first.numerators), len(goal.numerators))
    return increment(signed, step, first, goal)


def increment(signed: Signed, eta: Fraction, start: Rational, target: Rational) -> FixedIncrement:
    """`fixed_increment` of signed rows; start and target have a number for each coordinate."""
    square = _least_squared(signed, target)
    A = eta**2 * square / target.squared
    low, exactly = _least(signed, start)
    B = eta * (eta * margins.radius_squared(signed) - 2 * low)
    k_max = max(Fraction(0), B / A)
    exact = Envelopes(k_max, A, B) if exactly else None
    return FixedIncrement(above(k_max), below(A), above(B), int(k_max), exact)


def step_of(eta: ExactNumber) -> Fraction:
    """The step as a rational number above 0."""
    try:
        step = number("eta", eta)
    except ParameterError:
        step = Fraction(0)
    if step <= 0:
        raise ParameterError(f"eta must be a number above 0, not {eta}")
    return step


def _lift(signed: Signed, start: int, target: int) -> None:
    """Lift the rows if start and target have one number more than they have features."""
    features = features_of(signed.rows)
    if start == target == features + 1:
        signed.rows = signed.rows._replace(bias=True)
    elif not start == target == features:
        raise ParameterError(
            f"start has {start} and target {target} numbers; the rows have {features} features, so"
            " both need that many, or one more for the intercept"
        )
    try:
        signed.scan  # noqa: B018  (a first scan)
    except DataError as error:
        raise ParameterError(f"rows must be of finite numbers: {error}") from None


def _least_squared(signed: Signed, target: Rational) -> Fraction:
    """a^2, a being the smallest target . z; refused if that is not above 0."""
    least = margins.lowest_score(signed, target.numerators)
    if least <= 0:
        signs = margins.score_signs(signed, target.numerators)
        bad = int(np.flatnonzero(signs <= 0)[0])
        side = "on the wrong side" if signs[bad] < 0 else "on the hyperplane itself"
        raise HypothesisError(
            f"the target does not separate the rows: {row_name(signed, bad)} is {side}"
        )
    if signed.unit_length:
        return margins.lowest_squared_unit_score(signed, target.numerators) / target.denominator**2
    return (least / target.denominator) ** 2


def _least(signed: Signed, start: Rational) -> tuple[Fraction, bool]:
    """The smallest start . z, not rounded up, and whether it is exact."""
    if not any(start.numerators):
        return Fraction(0), True
    if not signed.unit_length:
        return margins.lowest_score(signed, start.numerators) / start.denominator, True
    try:
        weights = np.array([float(each) for each in start.fractions()])
    except OverflowError:
        raise ParameterError("start has a number too large for a double") from None
    scores, error = unit_scores(signed, weights)
    return Fraction(float(scores.min())) - Fraction(error), False
