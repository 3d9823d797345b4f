"""The constants of the perceptron's convergence theorem.

With signed rows z, start w_0, step eta and a target w*:

    a = min z . w*      D^2 = max |z|^2      m = min z . w_0      b = the rule's margin, or 0

A row moves the weights only while its score is at most b, so after k updates

    w_k . w*        >=  w_0 . w* + k eta a              (each update adds eta z . w*)
    |w_k|^2         <=  |w_0|^2 + k (eta^2 D^2 + 2 eta b)
    A k^2  <=  |w_k - w_0|^2  <=  B k,    A = (eta a / |w*|)^2,   B = eta (eta D^2 - 2 m + 2 b)

and so k <= B / A. For the left envelope, kηa <= (w_k - w_0) . w* <= |w_k - w_0| |w*|.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from novikoff.errors import ParameterError
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import Rational, rational
from novikoff.verdict.signed import Number, Signed


class TheoremConstants(NamedTuple):
    """Figures that are right, or rounded to the side on which the inequalities still hold."""

    eta: Fraction
    slack: Fraction  # b
    start: Rational
    target: Rational | None
    least: Fraction | None  # a
    largest: Fraction  # D^2
    lowest: Fraction  # m

    @property
    def A(self) -> Fraction | None:
        if self.target is None or self.least is None:
            return None
        return (self.eta * self.least) ** 2 / self.target.squared

    @property
    def B(self) -> Fraction:
        return max(Fraction(0), self.eta * (self.step - 2 * self.lowest))

    @property
    def step(self) -> Fraction:
        """How much an update adds to |w|^2 at the most, by eta."""
        return self.eta * self.largest + 2 * self.slack

    @property
    def product(self) -> Fraction:
        """w_0 . w*, 0 without a target."""
        if self.target is None:
            return Fraction(0)
        total = sum(map(mul, self.start.numerators, self.target.numerators))
        return Fraction(total, self.start.denominator * self.target.denominator)

    @property
    def bound(self) -> int | None:
        """The most updates there can be."""
        return None if self.A is None else math.floor(self.B / self.A)

    @property
    def margin(self) -> float | None:
        """a / |w*|, not rounded up."""
        if self.target is None or self.least is None:
            return None
        return root(self.least**2 / self.target.squared, up=False)


def theorem_constants(
    signed: Signed,
    start: Sequence[Number],
    eta: float,
    slack: float,
    target: Rational | None,
) -> TheoremConstants:
    """The figures of these rows; a target that does not separate them is refused."""
    first = rational(start)
    given = Fraction(eta), Fraction(slack), first, target
    least = None if target is None else _least(signed, target)
    lowest = _lowest(signed, first) if any(first.numerators) else Fraction(0)
    return TheoremConstants(*given, least, margins.radius_squared(signed), lowest)


def _least(signed: Signed, target: Rational) -> Fraction:
    if not any(target.numerators):
        raise ParameterError("the target is zero: it separates nothing")
    least = margins.lowest_score(signed, target.numerators)
    if least <= 0:
        sign = margins.score_signs(signed, target.numerators)
        raise ParameterError(
            f"the target does not separate the rows: row {int((sign <= 0).argmax())} is not"
            " strictly on its side, and the theorem says nothing then"
        )
    if signed.unit_length:
        square = (
            margins.lowest_squared_unit_score(signed, target.numerators) / target.denominator**2
        )
        return Fraction(root(square, up=False))
    return least / target.denominator


def _lowest(signed: Signed, start: Rational) -> Fraction:
    if not signed.unit_length:
        return margins.lowest_score(signed, start.numerators) / start.denominator
    # |z . w_0| <= |w_0| for rows of length 1: simple, and hardly ever far off for a random start
    return -Fraction(root(start.squared, up=True))
