"""What a pass finds: of all rows, or of some, in the terms of all."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

BLOCKS = 256  # each gives its lowest row: candidates for an active set, for free


class Cut(NamedTuple):
    """Where some rows stand among all: the number of the first, and how many make a block."""

    start: int
    each: int

    def blocks(self, rows: int) -> tuple[int, int]:
        """The first of the blocks that so many rows meet, and how many they are."""
        first = self.start // self.each
        return first, -(-(self.start + rows) // self.each) - first

    def inside(self, block: int, rows: int) -> slice:
        """Those of so many rows that are in a block."""
        first = block * self.each - self.start
        return slice(max(first, 0), min(max(first + self.each, 0), rows))


class Met(NamedTuple):
    """What the rows have in the blocks that they meet: the lowest score of each, and where."""

    first: int  # block
    scores: Vector
    places: Places  # among all rows; -1 if every row is left out
    tops: Vector  # the largest squares, where they were looked at


class Lowest(NamedTuple):
    """The smallest scores of one pass: of all rows, and of each of `BLOCKS` blocks of them."""

    score: float
    row: int  # -1 if every row is left out
    error: float
    scores: Vector
    rows: Places


class Smallest(NamedTuple):
    """Rows and their scores."""

    places: Places
    scores: Vector

    def first(self, most: int) -> "Smallest":
        """So many of the smallest, of equal ones the first."""
        order = np.argsort(self.scores, kind="stable")[:most]
        return Smallest(self.places[order], self.scores[order])
