"""Points of a plane with whole coordinates, and exact verdicts on them."""

from collections.abc import Sequence
from random import Random

from novikoff.verdict import check
from novikoff.verdict.result import Verdict


def distinct_points(draw: Random, count: int, largest: int) -> list[tuple[int, int]]:
    """Different points with coordinates from -largest to largest."""
    side = range(-largest, largest + 1)
    return draw.sample([(x, y) for x in side for y in side if x or y], count)


def verdict(rows: Sequence[Sequence[int]], *, intercept: bool = True) -> Verdict:
    """The exact verdict on rows whose last entry is the label."""
    return check(
        [list(row[:-1]) for row in rows], [row[-1] for row in rows], fit_intercept=intercept
    )


def numbered(rows: Sequence[int]) -> str:
    """Rows by their numbers on the sheet, which count from 1.

    >>> numbered([0, 3])
    'rows 1, 4'
    """
    word = "row" if len(rows) == 1 else "rows"
    return f"{word} {', '.join(str(row + 1) for row in rows)}"
