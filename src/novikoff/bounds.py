"""The notes' bounds on mistakes, as numbers.

A bound asked for outside its hypotheses is refused with the reason (ParameterError), never printed.
These functions compute in floating point; D, gamma and their like are whatever the caller knows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import ParameterError
from novikoff.sources import arrays


def novikoff(radius: float, margin: float) -> float:
    """(D / gamma)^2: the most mistakes a perceptron started at zero makes, in any order.

    Holds if no row is longer than `radius` and some unit vector has at least `margin` on all rows.

    >>> novikoff(1.0, 0.5)
    4.0
    """
    _require_margin(margin)
    if not 0.0 <= radius < math.inf:
        raise ParameterError(f"the radius is a length, not {radius}")
    if margin > radius:
        raise ParameterError(
            f"a margin of {margin} is not possible: no row is longer than {radius}"
        )
    return (radius / margin) ** 2


def one_sided(gap: float) -> float:
    """1 / g^2: the most updates of the one-sided perceptron on rows of length 1 with gap g.

    >>> one_sided(0.1)
    100.0
    """
    return novikoff(1.0, gap)


def winnow(
    relevant: int, features: int, *, alpha: float = 2.0, theta: float | None = None
) -> float:
    """The most mistakes of Winnow if the label is an OR of `relevant` of the `features`.

    2 + 3 r (1 + lg n) for alpha = 2 and theta = n; in general
    n / ((1 - 1 / alpha) theta) + (1 + alpha) r (1 + log_alpha theta).

    >>> winnow(3, 1024)
    101.0
    """
    threshold = float(features) if theta is None else theta
    if not 1 <= relevant <= features:
        raise ParameterError(f"{relevant} relevant of {features} variables is not possible")
    if not 1.0 < alpha < math.inf or not 1.0 <= threshold < math.inf:
        raise ParameterError("the bound needs alpha above 1 and theta of 1 or above")
    demotions = features / ((1.0 - 1.0 / alpha) * threshold)
    return demotions + (1.0 + alpha) * relevant * (1.0 + math.log2(threshold) / math.log2(alpha))


def balanced_winnow(features: int, largest: float, margin: float, eta: float) -> float:
    """ln(2 n) / (eta gamma - eta^2 X^2 / 2), the most mistakes of balanced Winnow.

    Holds if every |x_i| is at most `largest` X and some u with |u|_1 = 1 has y u . x >= `margin`
    gamma on all rows. An intercept is one of the n `features`, and its x_i is 1.
    """
    _require_margin(margin)
    if features < 1 or not margin <= largest < math.inf:
        raise ParameterError("the bound needs a feature, and no margin is above the largest value")
    gain = eta * margin - (eta * largest) ** 2 / 2.0
    if not gain > 0.0:
        raise ParameterError(
            f"the bound needs eta below 2 gamma / X^2 = {2.0 * margin / largest**2:.3g}, not {eta}"
        )
    return math.log(2.0 * features) / gain


class FixedIncrement(NamedTuple):
    """A k^2 <= |w(k) - w(0)|^2 <= B k, and so k <= k_max = B / A."""

    k_max: float
    A: float
    B: float


def fixed_increment(eta: float, start: Any, target: Any, X: Any, y: Any) -> FixedIncrement:
    """The most updates of the perceptron with step `eta` from any `start`.

    With a = min target . z, M = max |z|^2 and mu = 2 min start . z over the signed rows z:
    A = (eta a / |target|)^2 and B = eta (eta M - mu). Where start and target are longer than the
    rows by one, the rows are lifted by a 1.

    >>> fixed_increment(1.0, [0, 0], [1, 1], [[1, 0], [0, 1]], [1, 1]).k_max
    2.0
    """
    if not 0.0 < eta < math.inf:
        raise ParameterError(f"eta must be a number above 0, not {eta}")
    rows, start, target = _signed(X, y, np.asarray(start, float), np.asarray(target, float))
    if not all(np.isfinite(array).all() for array in (rows, start, target)):
        raise ParameterError("rows, start and target must be finite numbers")
    a = float((rows @ target).min())
    if not a > 0.0:
        raise ParameterError(
            f"the target does not separate the rows: row {int((rows @ target).argmin())} has a"
            f" signed score of {a:.3g}"
        )
    A = (eta * a) ** 2 / float(target @ target)
    largest = float((rows * rows).sum(axis=1).max())
    B = eta * (eta * largest - 2.0 * float((rows @ start).min()))
    return FixedIncrement(max(0.0, B / A), A, B)


def _signed(X: Any, y: Any, start: Any, target: Any) -> Any:
    matrix = arrays.as_matrix(X)
    if not isinstance(matrix, np.ndarray):
        matrix.check_format(full_check=True)
        matrix = matrix.toarray()
    labels = np.asarray(y, float)
    arrays.refuse_mismatch(len(matrix), len(labels))
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ParameterError("y must be -1 and 1 here")
    if len(start) == len(target) == matrix.shape[1] + 1:
        matrix = np.hstack([matrix, np.ones((len(matrix), 1))])
    if not len(start) == len(target) == matrix.shape[1]:
        raise ParameterError(
            f"start has {len(start)} and target {len(target)} numbers; the rows have"
            f" {matrix.shape[1]} features, so both need that many, or one more for the intercept"
        )
    return matrix * labels[:, None], start, target


def _require_margin(margin: float) -> None:
    if not 0.0 < margin < math.inf:
        raise ParameterError(f"the bound needs a margin above 0, not {margin}")
