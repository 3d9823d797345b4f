"""Numbers and points as an address writes them: short, and every double comes back as it was."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from novikoff.data.text.tokens import shown
from novikoff.errors import ParameterError

MOST_POINTS = 500
LARGEST, SMALLEST = 1e6, 1e-6  # sizes of numbers; 0 is one, too
LONGEST = 40  # characters of a number
SIGNS = {"n": -1, "p": 1}

_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_WHOLE = re.compile(r"[0-9]{1,10}")
_MARKS = re.compile(r"(?=[np])")


class Point(NamedTuple):
    """A row of two features, with its label, -1 or +1."""

    x: float
    y: float
    label: int


def read_number(key: str, text: str) -> float:
    """A finite double of ordinary size.

    >>> read_number("eta", "0.5"), read_number("eta", "4e-05")
    (0.5, 4e-05)
    """
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        raise ParameterError(f"{key}: found {shown(text)}, expected a number such as 0.5 or -2")
    value = float(text)
    if abs(value) > LARGEST or 0.0 < abs(value) < SMALLEST or (value == 0.0 and _nonzero(text)):
        raise ParameterError(
            f"{key}: found {shown(text)}, expected 0 or a number whose size is from {SMALLEST:g} to"
            f" {LARGEST:,.0f}: choose another unit"
        )
    return value + 0.0  # no -0


def _nonzero(text: str) -> bool:
    """Whether a number is not 0, though no double is as small."""
    return bool(re.search("[1-9]", re.split("[eE]", text)[0]))


def parse_int(key: str, text: str, least: int, most: int) -> int:
    """A whole number from least to most."""
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise ParameterError(
            f"{key}: found {shown(text)}, expected a whole number from {least:,} to {most:,}"
        )
    return int(text)


def write_number(value: float) -> str:
    """The shortest text that means the very same double.

    >>> write_number(2.0), write_number(-0.3), write_number(1e-5)
    ('2', '-0.3', '1e-05')
    """
    return str(int(value)) if value == int(value) else repr(float(value))


def read_points(text: str) -> tuple[Point, ...]:
    """Points such as n1.5,2p-0.3,4: n before a point of label -1, p before one of label +1.

    >>> read_points("n1.5,2p-0.3,4")
    (Point(x=1.5, y=2.0, label=-1), Point(x=-0.3, y=4.0, label=1))
    """
    parts = _MARKS.split(text)
    if parts[0]:
        raise ParameterError(
            f"points: found {shown(parts[0])} at the start, expected n or p before each point, such"
            " as n1.5,2p3,4"
        )
    if len(parts) - 1 > MOST_POINTS:
        raise ParameterError(
            f"points: found {len(parts) - 1:,} points, expected at most {MOST_POINTS}: leave some"
            " out; the command line takes more"
        )
    return tuple(_point(row, part) for row, part in enumerate(parts[1:]))


def _point(row: int, part: str) -> Point:
    numbers = part[1:].split(",")
    if len(numbers) != 2:
        raise ParameterError(
            f"points: found {shown(part)} for row {row}, expected two numbers with a comma between,"
            f" such as {part[0]}1.5,2"
        )
    x, y = (read_number(f"points, row {row}", number) for number in numbers)
    return Point(x, y, SIGNS[part[0]])


def write_points(points: Iterable[Point]) -> str:
    """The points as `read_points` reads them."""
    return "".join(
        f"{'p' if label > 0 else 'n'}{write_number(x)},{write_number(y)}" for x, y, label in points
    )
