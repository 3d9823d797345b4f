"""Doubles rounded to the side on which what is said of them stays true."""

import math
import sys
from fractions import Fraction


def up(number: float) -> float:
    """The next double: above the exact result of the operation that gave this one."""
    return math.nextafter(number, math.inf)


def above(number: Fraction) -> float:
    """The least double that is not below the number.

    >>> above(Fraction(1, 2)), above(Fraction(1, 3)) > Fraction(1, 3)
    (0.5, True)
    """
    try:
        found = float(number)
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
    return up(found) if found < math.inf and Fraction(found) < number else found


def below(number: Fraction) -> float:
    """The largest double that is not above the number."""
    return -above(-number)


def root(square: Fraction, *, up: bool) -> float:
    """The square root as a double, rounded up or down: never on the wrong side."""
    if square <= 0:
        return 0.0
    top, bottom = square.numerator, square.denominator
    shift = 2 * max(0, 64 - (top * bottom).bit_length() // 2 + 1)
    whole = math.isqrt(top * bottom << shift)
    value = ratio(whole + up, bottom << (shift // 2))
    exact = Fraction(value) if math.isfinite(value) else None
    if exact is not None and up and exact * exact < square:
        return math.nextafter(value, math.inf)
    if exact is not None and not up and exact * exact > square:
        return math.nextafter(value, 0.0)
    return value


def ratio(top: int, bottom: int) -> float:
    """The nearest double to top / bottom, infinite beyond the range of doubles; bottom > 0."""
    try:
        return top / bottom
    except OverflowError:
        return math.inf if top > 0 else -math.inf
