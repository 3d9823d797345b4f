"""Numbers as text, in the forms of docs/certificate.md."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from novikoff.errors import CertificateError

MOST_BITS = 2**18  # of a vector's or combination's numbers, over their common denominator
SHORT = 300  # bits: longer integers are written in hexadecimal
LONGEST = 4 * 2**17  # bits

_NORMAL = Fraction(2) ** -1022  # from here on, doubles have 53 bits
_WHOLE = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,131071})"
_RATIO = re.compile(rf"(-?{_WHOLE})(?:/({_WHOLE}))?")
_BINARY64 = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")


def number(value: int | float | Fraction) -> str:
    """A number as text, in one of the page's forms: a float in binary64, others as a ratio.

    >>> number(Fraction(3, 4)), number(-12), number(0.75)
    ('3/4', '-12', '0x1.8000000000000p-1')
    """
    if type(value) is int:  # most numbers of a large certificate
        return _whole(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CertificateError(f"{value} is not a number that a certificate can name")
        return value.hex() if value else "0"
    top, bottom = value.as_integer_ratio()
    return _whole(top) if bottom == 1 else f"{_whole(top)}/{_whole(bottom)}"


def numbers(values: Sequence[int | float | Fraction]) -> list[str]:
    """Many numbers as text."""
    if set(map(type, values)) == {int} and -(2**SHORT) < min(values) <= max(values) < 2**SHORT:
        return list(map(str, values))
    tops = (0 if isinstance(value, float) else value.numerator for value in values)
    longest = max((top.bit_length() for top in tops), default=0)
    if longest > MOST_BITS:
        raise CertificateError(
            f"a witness with a number of {longest:,} bits cannot be written: at most {MOST_BITS:,}"
            " can"
        )
    return [number(value) for value in values]


def _whole(value: int) -> str:
    if value.bit_length() > LONGEST:
        raise CertificateError(
            f"a number of {value.bit_length():,} bits cannot be written: at most {LONGEST:,} can"
        )
    # a long decimal takes time that grows with the square of its length
    return str(value) if value.bit_length() <= SHORT else hex(value)


def parse(text: Any) -> Fraction:
    """The number that a text stands for; CertificateError if it is in none of the page's forms."""
    return Fraction(*_ratio(text))


def _ratio(text: Any) -> tuple[int, int]:
    """Numerator and denominator as they are written."""
    if not isinstance(text, str):
        raise CertificateError(f"found {shown(text)}, expected a number as text, such as '3/4'")
    if match := _RATIO.fullmatch(text):
        top, bottom = (int(part, 16 if "x" in part else 10) for part in match.groups("1"))
        if bottom:
            return top, bottom
    elif _BINARY64.fullmatch(text):
        return _binary64(text).as_integer_ratio()
    raise CertificateError(f"{shown(text)} is not a number in one of the certificate's forms")


def _binary64(text: str) -> Fraction:
    """The exact value of a hexadecimal float, which must be a double as it stands."""
    try:
        value = Fraction(float.fromhex(text))
    except OverflowError:
        raise CertificateError(f"{text} is not a finite binary64 number") from None
    if abs(value) < _NORMAL:  # there fromhex may have rounded
        digits, _, exponent = text.replace("0x", "").replace(".", "").partition("p")
        power = int(exponent) - 4 * (len(digits.lstrip("-")) - 1)
        if Fraction(int(digits, 16)) * Fraction(2) ** power != value:
            raise CertificateError(f"{text} is not a binary64 number")
    return value


def parse_all(texts: list[Any]) -> list[Fraction]:
    """Several numbers that are not unwieldy together: a small file must not take forever."""
    ratios, common = [_ratio(text) for text in texts], 1
    for bottom in {bottom for _, bottom in ratios}:
        common = math.lcm(common, bottom)
        if common.bit_length() > MOST_BITS:
            raise CertificateError(f"their common denominator has more than {MOST_BITS:,} bits")
    largest = max((abs(top) * (common // bottom) for top, bottom in ratios), default=0)
    if largest.bit_length() > MOST_BITS:
        raise CertificateError(f"over a common denominator, one has more than {MOST_BITS:,} bits")
    return [Fraction(*ratio) for ratio in ratios]


def shown(value: Any) -> str:
    """A value for a message: never more than a line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a count of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
