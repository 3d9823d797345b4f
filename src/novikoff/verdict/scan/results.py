"""Results of a scan. Rows are numbered globally even if only a part of them was scanned."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Signs = npt.NDArray[np.int8]

BLOCKS = 256  # each gives its lowest row: candidates for an active set, for free


class BlockPartition(NamedTuple):
    """How all rows are cut into blocks, and where among them the scanned rows begin."""

    start: int
    size: int  # of a block

    def overlapped(self, rows: int) -> tuple[int, int]:
        """The first block that this many rows overlap, and the number of blocks."""
        first = self.start // self.size
        return first, -(-(self.start + rows) // self.size) - first

    def rows_in(self, block: int, rows: int) -> slice:
        """Which of this many rows are in a block, as a slice of the scanned rows."""
        first = block * self.size - self.start
        return slice(max(first, 0), min(max(first + self.size, 0), rows))


class BlockMinima(NamedTuple):
    """The lowest score, its row and the largest square of each block that the rows overlap."""

    first: int  # block
    scores: Vector
    rows: Indices  # -1 if every row of the block is excluded
    largest_squares: Vector  # empty where they were not computed


class LowestScores(NamedTuple):
    """The smallest scores of one scan: of all rows, and of each of `BLOCKS` blocks of them."""

    score: float
    row: int  # -1 if every row is excluded
    error: float
    scores: Vector
    rows: Indices


class ScoredRows(NamedTuple):
    """Rows and their scores."""

    rows: Indices
    scores: Vector

    def smallest(self, most: int) -> "ScoredRows":
        """At most this many rows with the smallest scores; of equal scores the first."""
        order = np.argsort(self.scores, kind="stable")[:most]
        return ScoredRows(self.rows[order], self.scores[order])
