"""Numbers as text, in the forms that docs/certificate.md defines."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from novikoff.errors import CertificateError
from novikoff.verdict.signed import Number

MOST_BITS = 2**18  # of a vector's or combination's numbers, over their common denominator
SHORT = 300  # bits: longer integers are written in hexadecimal
LONGEST = 4 * 2**17  # bits

_NORMAL = Fraction(2) ** -1022  # from here on, doubles have 53 bits
_WHOLE = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,131071})"
_RATIO = re.compile(rf"(-?{_WHOLE})(?:/({_WHOLE}))?")
_BINARY64 = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")


def format_number(value: Number) -> str:
    """A number as text: a float in binary64, others as a ratio.

    >>> format_number(Fraction(3, 4)), format_number(-12), format_number(0.75)
    ('3/4', '-12', '0x1.8000000000000p-1')
    """
    if type(value) is int:  # most numbers of a large certificate
        return _format_integer(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CertificateError(f"{value} is not a number that a certificate can name")
        return value.hex() if value else "0"
    top, bottom = value.as_integer_ratio()
    return (
        _format_integer(top) if bottom == 1 else f"{_format_integer(top)}/{_format_integer(bottom)}"
    )


def format_numbers(values: Sequence[Number]) -> list[str]:
    """The numbers of a vector or a combination as text."""
    if set(map(type, values)) == {int} and -(2**SHORT) < min(values) <= max(values) < 2**SHORT:
        return list(map(str, values))
    tops = (0 if isinstance(value, float) else value.numerator for value in values)
    longest = max((top.bit_length() for top in tops), default=0)
    if longest > MOST_BITS:
        raise CertificateError(
            f"a witness with a number of {longest:,} bits cannot be written: at most {MOST_BITS:,}"
            " can"
        )
    return [format_number(value) for value in values]


def _format_integer(value: int) -> str:
    if value.bit_length() > LONGEST:
        raise CertificateError(
            f"a number of {value.bit_length():,} bits cannot be written: at most {LONGEST:,} can"
        )
    # a long decimal takes time that grows with the square of its length
    return str(value) if value.bit_length() <= SHORT else hex(value)


def parse_number(field: object) -> Fraction:
    """The number that a text stands for; CertificateError if it is in none of the forms."""
    return Fraction(*_parse_ratio(_require_text(field)))


def _require_text(field: object) -> str:
    if not isinstance(field, str):
        raise CertificateError(f"found {brief(field)}, expected a number as text, such as '3/4'")
    return field


def _parse_ratio(text: str) -> tuple[int, int]:
    """Numerator and denominator, not reduced."""
    if match := _RATIO.fullmatch(text):
        top, bottom = (int(part, 16 if "x" in part else 10) for part in match.groups("1"))
        if bottom:
            return top, bottom
    elif _BINARY64.fullmatch(text):
        return _parse_binary64(text).as_integer_ratio()
    raise CertificateError(f"{brief(text)} is not a number in one of the certificate's forms")


def _parse_binary64(text: str) -> Fraction:
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


def parse_numbers(fields: Sequence[object]) -> list[Fraction]:
    """Several numbers with a moderate common denominator: a small file must not take forever.

    Most multipliers of a large certificate are the same few, which are parsed once.
    """
    texts = [_require_text(field) for field in fields]
    ratios, common = {text: _parse_ratio(text) for text in dict.fromkeys(texts)}, 1
    for bottom in {bottom for _, bottom in ratios.values()}:
        common = math.lcm(common, bottom)
        if common.bit_length() > MOST_BITS:
            raise CertificateError(f"their common denominator has more than {MOST_BITS:,} bits")
    largest = max((abs(top) * (common // bottom) for top, bottom in ratios.values()), default=0)
    if largest.bit_length() > MOST_BITS:
        raise CertificateError(f"over a common denominator, one has more than {MOST_BITS:,} bits")
    numbers = {text: Fraction(*ratio) for text, ratio in ratios.items()}
    return [numbers[text] for text in texts]


def brief(value: object) -> str:
    """A value for a message: never more than a line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a count of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
