"""The theorems' bounds as formulas of a few numbers, whatever the caller knows them from.

Doubles give doubles, in plain floating point; Fractions give a Fraction, exactly. A number outside
a theorem's hypotheses is refused with the reason.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

from novikoff.errors import ParameterError

Number = TypeVar("Number", float, Fraction)
MOST = 2**1000  # variables that a double can count


def novikoff(radius: Number, margin: Number) -> Number:
    """(D / gamma)^2: the most mistakes a perceptron started at zero makes, in any order.

    radius: D; no row is longer.
    margin: gamma; some unit vector u has y u . x >= gamma on all rows.

    >>> import novikoff as nk
    >>> nk.bounds.novikoff(1.0, 0.5)
    4.0
    """
    _require_margin(margin)
    if not 0 <= radius < math.inf:
        raise ParameterError(f"the radius is a length, not {_text(radius)}")
    if margin > radius:
        raise ParameterError(
            f"a margin of {_text(margin)} is not possible: no row is longer than {_text(radius)}"
        )
    ratio = radius / margin
    return ratio * ratio


def mixing(
    radius: Number, margin: Number, *, eta: Number | int = 1, lowest: Number | int = 0
) -> Number:
    """(D^2 - 2 m / eta) / gamma^2: the most mistakes by shares of perceptrons that are mixed.

    Shards s learn side by side, each from the mixed weights w, and with k_s mistakes in an epoch;
    then w <- sum mu_s w_s with shares mu_s that add up to 1 (McDonald, Hall and Mann 2010). Summed
    over epochs and shards, K = sum mu_s k_s is at most this; with uniform shares the mistakes of
    all S shards together are S K. From w_0 = 0 it is (D / gamma)^2, as on one machine: means keep
    (w - w_0) . u >= K eta gamma, which is linear, and |w - w_0|^2 <= K eta (eta D^2 - 2 m), since a
    squared length is convex.

    radius, margin: as for `bounds.novikoff`.
    eta: the step.
    lowest: m, the smallest signed score y w_0 . x at the start.

    >>> import novikoff as nk
    >>> nk.bounds.mixing(1.0, 0.5), nk.bounds.mixing(1.0, 0.5, eta=0.5, lowest=-0.25)
    (4.0, 8.0)
    """
    from_zero = novikoff(radius, margin)  # which refuses what is no radius or no margin
    _require_step(eta)
    if not -math.inf < lowest < math.inf:
        raise ParameterError(f"the lowest score is a finite number, not {_text(lowest)}")
    found = from_zero - (0 * margin + 2 * lowest) / eta / margin / margin  # of the margin's type
    return found if found > 0 else 0 * from_zero


def kesler(radius: Number, margin: Number) -> Number:
    """2 (D / gamma)^2: the most mistakes of the multiclass perceptron started at zero.

    radius: as for `bounds.novikoff`.
    margin: gamma; some weights, a line for each class and of length 1 all together, give every
        row's own class a lead of at least gamma over each other class.

    >>> import novikoff as nk
    >>> nk.bounds.kesler(1.0, 0.5)
    8.0
    """
    _require_margin(margin)
    if not 0 <= radius < math.inf or margin * margin > 2 * radius * radius:
        raise ParameterError(
            f"a multiclass margin of {_text(margin)} is not possible with a radius of"
            f" {_text(radius)}: it is at most sqrt(2) times as much"
        )
    ratio = radius / margin
    return 2 * ratio * ratio


def unit_length(margin: Number) -> Number:
    """1 / gamma^2: the most mistakes of a perceptron started at zero on rows of length 1.

    margin: gamma = min |w* . x| / |x| of a separating w* of length 1.

    >>> import novikoff as nk
    >>> nk.bounds.unit_length(0.125)
    64.0
    """
    return novikoff(0 * margin + 1, margin)  # a 1 of the margin's own type


def one_sided(gap: Number) -> Number:
    """1 / g^2: the most updates of the one-sided perceptron on rows of length 1 with gap g.

    gap: g; some unit vector w* has w* . x >= g on all rows.

    >>> import novikoff as nk
    >>> nk.bounds.one_sided(0.1)
    100.0
    """
    return unit_length(gap)


def winnow(
    relevant: int, features: int, *, alpha: float = 2.0, theta: float | None = None
) -> float:
    """The most mistakes of Winnow if the label is an OR of `relevant` of the `features`.

    2 + 3 r (1 + lg n) for alpha = 2 and theta = n; in general
    n / ((1 - 1 / alpha) theta) + (1 + alpha) r (1 + log_alpha theta).

    relevant: r, how many variables are in the OR.
    features: n, how many there are.
    alpha, theta: as for `Winnow`.

    >>> import novikoff as nk
    >>> nk.bounds.winnow(3, 1024)
    101.0
    """
    if not 1 <= relevant <= features <= MOST:
        raise ParameterError(
            f"{_text(relevant)} relevant of {_text(features)} variables is not possible"
        )
    threshold = float(features) if theta is None else theta
    if not 1.0 < alpha < math.inf or not 1.0 <= threshold < math.inf:
        raise ParameterError("the bound needs alpha above 1 and theta of 1 or above")
    demotions = features * (alpha / (alpha - 1.0)) / threshold  # no digit is lost near alpha = 1
    return demotions + (1.0 + alpha) * relevant * (1.0 + math.log2(threshold) / math.log2(alpha))


def balanced_winnow(features: int, largest: float, margin: float, eta: float) -> float:
    """ln(2 n) / (eta gamma - eta^2 X^2 / 2), the most mistakes of balanced Winnow.

    features: n; an intercept is one of them, and its x_i is 1.
    largest: X; every |x_i| is at most this.
    margin: gamma; some u with |u|_1 = 1 has y u . x >= gamma on all rows.
    eta: the step of the exponents, below 2 gamma / X^2.

    >>> import novikoff as nk
    >>> round(nk.bounds.balanced_winnow(features=100, largest=1.0, margin=0.5, eta=0.5), 2)
    42.39
    """
    _require_margin(margin)
    if not features >= 1 or not margin <= largest < math.inf:
        raise ParameterError("the bound needs a feature, and no margin is above the largest value")
    scaled = eta * largest
    gain = eta * margin - scaled * scaled / 2.0  # a power would raise where it overflows
    if not gain > 0.0:
        raise ParameterError(
            f"the bound needs eta below 2 gamma / X^2 = {2.0 * margin / largest / largest:.3g},"
            f" not {eta}"
        )
    return math.log(2.0 * features) / gain


def after_length(length: Number, margin: Number, eta: Number | int = 1) -> Number:
    """|w_k - w_0| / (eta gamma): the most updates k of a run that ended at this distance.

    Each update adds eta z with u . z >= gamma, so that k eta gamma <= u . (w_k - w_0), which is at
    most |w_k - w_0|. Holds for the perceptron from any start w_0, in any order. From w_0 = 0 it is
    never above (D / gamma)^2, and often far below.

    length: |w_k - w_0|; from w_0 = 0 the length of the weights.
    margin: as for `bounds.novikoff`.
    eta: the step.

    >>> import novikoff as nk
    >>> nk.bounds.after_length(3.0, 0.5)
    6.0
    """
    _require_margin(margin)
    _require_step(eta)
    if not 0 <= length < math.inf:
        raise ParameterError(f"the distance |w_k - w_0| is a length, not {_text(length)}")
    return length / (eta * margin)


def after_rows(squares: Iterable[float], margin: float) -> float:
    """sqrt(sum of |x|^2 over the mistakes) / gamma: the most mistakes k of a run from w_0 = 0.

    At a mistake y w . x <= 0, so that |w_k|^2 <= eta^2 sum |x|^2; with `after_length`,
    k <= |w_k| / (eta gamma), it follows. It is (D / gamma)^2 with the rows that were mistakes in
    place of the longest one.

    squares: |x|^2, once for each mistake on the row x.
    margin: as for `bounds.novikoff`.

    >>> import novikoff as nk
    >>> nk.bounds.after_rows([1.0, 1.0, 0.25], 0.5)
    3.0
    """
    _require_margin(margin)
    known = list(squares)
    if not all(0.0 <= square < math.inf for square in known):
        raise ParameterError("squared lengths are finite numbers of 0 or above")
    return math.sqrt(math.fsum(known)) / margin


def margin_ceiling(length: Number, updates: int, eta: Number | int = 1) -> Number:
    """|w_k - w_0| / (eta k): no separator has a larger margin, if there is any separator at all.

    `after_length` the other way round: k eta gamma <= |w_k - w_0|, for the perceptron from any
    start. It holds at every moment of a run, converged or not.

    length: |w_k - w_0|.
    updates: k.
    eta: the step.

    >>> import novikoff as nk
    >>> nk.bounds.margin_ceiling(3.0, 6)
    0.5
    """
    _require_step(eta)
    if not 0 <= length < math.inf:
        raise ParameterError(f"the distance |w_k - w_0| is a length, not {_text(length)}")
    if not updates >= 1:
        raise ParameterError("a run without an update tells nothing about the margin")
    return length / (eta * updates)


def _require_margin(margin: float | Fraction) -> None:
    if not 0 < margin < math.inf:
        raise ParameterError(f"the bound needs a margin above 0, not {_text(margin)}")


def _require_step(eta: float | Fraction) -> None:
    if not 0 < eta < math.inf:
        raise ParameterError(f"eta must be a number above 0, not {_text(eta)}")


def _text(number: float | Fraction) -> str:
    """A number for a message: a Fraction can have more digits than Python writes."""
    try:
        return f"{float(number):g}"
    except OverflowError:
        return "a number beyond 1e308"
