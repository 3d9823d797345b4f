"""One token of text: is it a finite number, and if not, what to tell its author."""

import math
import re
from decimal import Decimal
from fractions import Fraction

#: How empty cells are written by spreadsheets, R and pandas; compared in lower case.
MISSING = frozenset({"", "na", "nan", "n/a", "null", "none"})
SHOWN_CHARACTERS = 40

#: Exact numbers are kept within these: a token of ten bytes must not become one of gigabytes.
LARGEST_EXPONENT = 5000
MOST_CHARACTERS = 5000

_HEXADECIMAL = re.compile(r"[+-]?0[xX]")
_EXPONENT = re.compile(r"[eE][+-]?0*([0-9]*)")


class NotANumberError(ValueError):
    """The token is not a finite decimal number; the message says why and what to do."""


def shown(token: str) -> str:
    """The token as an error message quotes it: escaped, and cut if it is long."""
    if len(token) > SHOWN_CHARACTERS:
        token = token[: SHOWN_CHARACTERS - 3] + "..."
    return repr(token)


def number(token: str) -> float:
    """Exactly float(token), without what float() takes but people rarely mean.

    Refused: underscores (1_000), digits of other scripts, nan, and whatever is not finite.
    """
    if not plain(token):
        raise NotANumberError(_why(token))
    try:
        value = float(token)
    except ValueError:
        raise NotANumberError(_why(token)) from None
    if not math.isfinite(value):
        raise NotANumberError(_why(token))
    return value


def exact(token: str) -> Fraction:
    """The very number that number(token) rounds to a double.

    >>> exact("0.1"), exact("-25e-1")
    (Fraction(1, 10), Fraction(-5, 2))
    """
    number(token)  # refuses what is none
    exponent = _EXPONENT.search(token)
    if exponent and int(exponent[1][:5] or 0) > LARGEST_EXPONENT:
        raise NotANumberError(
            f"found {shown(token)}, expected a number with an exponent from -{LARGEST_EXPONENT} to"
            f" {LARGEST_EXPONENT}: scale its column, or read it as a double"
        )
    if len(token) > MOST_CHARACTERS:
        raise NotANumberError(
            f"found {shown(token)}, expected a number of at most {MOST_CHARACTERS} characters:"
            " round it, or read it as a double"
        )
    return Fraction(Decimal(token.strip()))


def plain(text: str) -> bool:
    """Whether float() and int() read numbers in this text as anyone else would."""
    return text.isascii() and "_" not in text


def is_number(token: str) -> bool:
    """Whether number(token) would succeed."""
    try:
        number(token)
    except NotANumberError:
        return False
    return True


def is_missing(token: str) -> bool:
    """Whether the token stands for a value that is not there."""
    return token.strip().lower() in MISSING


def _why(token: str) -> str:
    """What is wrong with a token that is not a number, and what to do about it."""
    if is_missing(token):
        return (
            f"the value is missing ({shown(token)}), expected a number: fill it in or drop the row"
        )
    found = f"found {shown(token)}, expected a number"
    if _HEXADECIMAL.match(token.strip()):
        return f"{found}: write it in decimal, not in hexadecimal"
    if "_" in token and reads_as_float(token):
        return f"{found}: write its digits without underscores"
    if reads_as_float(token) and token.isascii():
        return f"{found} that is finite: 64-bit floats end near 1.8e308"
    return f"{found} such as -1.5 or 2e-3"


def reads_as_float(token: str) -> bool:
    """Whether float() takes the token, be it finite or not."""
    try:
        float(token)
    except ValueError:
        return False
    return True
