"""Chunks: some consecutive rows with their labels, the unit in which data are read."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.data.sparse import Matrix, csr
from novikoff.errors import ParameterError

#: int64 or float64 where every label is a number, text (dtype U) otherwise.
LabelArray: TypeAlias = NDArray[Any]
Lines: TypeAlias = NDArray[np.int64]
#: Fractions, in an array of objects.
Exact: TypeAlias = NDArray[Any]

#: Rows in a chunk unless told: large enough to hide the cost of a call, small enough for a cache.
CHUNK_ROWS = 4096


class ReadPosition(NamedTuple):
    """A place between two rows of a stream, from which reading can go on."""

    file: int = 0  # its number among several
    offset: int = 0  # bytes before it, in the file as it is when unpacked
    line: int = 0  # lines before it; of files of columns, row groups or record batches


START = ReadPosition()


class LabelledRows(NamedTuple):
    """Some consecutive rows, their raw labels (None: there are none) and their file's lines."""

    X: Matrix
    y: LabelArray | None
    lines: Lines | None


class Chunk(LabelledRows):
    """Some consecutive rows, which unpack as X, y, lines, with two things more.

    `exact`, where it was asked for, holds the very numbers that X has as the nearest doubles:
    Fractions in the shape of X, or of X.data if X is a CSR matrix. `end`, where text is read in
    blocks, is the position after the chunk. `weights`, where the data give rows weights other than
    1, holds them, all above 0.
    """

    exact: Exact | None
    end: ReadPosition | None
    weights: NDArray[np.float64] | None

    def __new__(
        cls,
        X: Matrix,
        y: LabelArray | None,
        lines: Lines | None,
        exact: Exact | None = None,
        end: ReadPosition | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        chunk = super().__new__(cls, X, y, lines)
        chunk.exact, chunk.end, chunk.weights = exact, end, weights
        return chunk

    def part(self, start: int, stop: int) -> "Chunk":
        """Some of its rows; the position after them is known if they are the last."""
        X, exact, stop = self.X, self.exact, min(stop, self.X.shape[0])
        part = slice(start, stop)
        y, lines = (None if each is None else each[part] for each in (self.y, self.lines))
        weights = None if self.weights is None else self.weights[part]
        if exact is not None:
            within = (start, stop) if isinstance(X, np.ndarray) else X.indptr[[start, stop]]
            exact = exact[slice(*within)]
        end = self.end if stop == X.shape[0] else None
        return Chunk(X[start:stop], y, lines, exact, end, weights)


def concatenate(chunks: Sequence[Chunk]) -> Chunk:
    """One chunk out of several that follow each other, as wide as the last of them."""
    last = chunks[-1]
    if len(chunks) == 1:
        return last
    y, lines, exact = (
        np.concatenate(parts) if (parts := [each for each in some if each is not None]) else None
        for some in zip(*((each.y, each.lines, each.exact) for each in chunks), strict=True)
    )
    X = _stack([chunk.X for chunk in chunks])
    return Chunk(X, y, lines, exact, last.end, _joint_weights(chunks))


def _joint_weights(chunks: Sequence[Chunk]) -> NDArray[np.float64] | None:
    """The weights of all their rows; None if no chunk has any."""
    if all(chunk.weights is None for chunk in chunks):
        return None
    parts = (np.ones(c.X.shape[0]) if c.weights is None else c.weights for c in chunks)
    return np.concatenate(list(parts))


def _stack(matrices: Sequence[Matrix]) -> Matrix:
    dense = [X for X in matrices if isinstance(X, np.ndarray)]
    if dense:
        return np.concatenate(dense)
    sparse = [X for X in matrices if not isinstance(X, np.ndarray)]
    counts = np.concatenate([np.diff(X.indptr) for X in sparse])
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    columns = np.concatenate([X.indices for X in sparse])
    values = np.concatenate([X.data for X in sparse])
    return csr(starts, columns, values, sparse[-1].shape[1])


def checked_rows(rows: int) -> int:
    """`rows` if it is a usable chunk size."""
    if rows < 1:
        raise ParameterError(f"a chunk needs at least one row, not rows={rows}")
    return rows
