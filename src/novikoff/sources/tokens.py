"""One token of text: is it a finite number, and if not, what to tell its author."""

import math
import re

#: How empty cells are written by spreadsheets, R and pandas; compared in lower case.
MISSING = frozenset({"", "na", "nan", "n/a", "null", "none"})
SHOWN_CHARACTERS = 40

_HEXADECIMAL = re.compile(r"[+-]?0[xX]")


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
