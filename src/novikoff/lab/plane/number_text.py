"""γ and D as the page writes them: everywhere in the same digits, which are the number's own."""

import math
from decimal import Decimal
from fractions import Fraction

from novikoff.number_text import rounded_down, rounded_up

DIGITS = 4  # or all those before the point, where they are more
NEXT = 4  # doubles beside one that may be meant by it
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SMALL, LARGE = 1e-4, 1e15  # beyond them a power of 10 is written


def truncated(low: float, high: float, square: Fraction | None = None) -> str:
    """A number between two, its digits cut: dots mean that more follow.

    >>> truncated(0.52215, 0.52295), truncated(0.52225, 0.52226)
    ('0.5221 to 0.523', '0.5222…')
    >>> truncated(0.5, 0.5, Fraction(1, 4))
    '0.5'
    """
    many = _many(low)
    text = rounded_down(low, many)
    if square is not None and Fraction(text) ** 2 == square:
        return _plain(text)
    if rounded_down(high, many) == text:
        return f"{_plain(text)}…"
    return f"{_plain(text)} to {_plain(rounded_up(high, many))}"


def digits(value: float) -> str:
    """The digits of what a double stands for, which may be a few doubles away from it.

    >>> digits(2.0**0.5), digits(0.5), digits(0.49999999999999994), digits(12345.6), digits(1e3)
    ('1.414…', '0.5', '0.5', '12345…', '1000')
    """
    many = _many(value)
    near = f"{value:.{many}g}"
    if abs(float(near) - value) <= NEXT * math.ulp(value):
        return _plain(near)
    return f"{_plain(rounded_down(value, many))}…"


def _many(value: float) -> int:
    return max(DIGITS, len(str(int(value)))) if value < LARGE else DIGITS


def _plain(text: str) -> str:
    """Without a power of 10, but for what is very large or very small.

    >>> _plain("4.457e-08")
    '4.457·10⁻⁸'
    """
    if SMALL <= abs(float(text)) < LARGE or float(text) == 0.0:
        return f"{Decimal(text).normalize():f}"
    mantissa, _, power = f"{Decimal(text).normalize():e}".partition("e")
    return f"{mantissa}·10{str(int(power)).translate(RAISED)}"
