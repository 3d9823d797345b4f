"""What a source of labelled rows is: the one shape that every format is turned into."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import DataError, ParameterError

#: A float64 array in C order or a canonical float64 CSR matrix. SciPy ships no types to name it by.
Matrix: TypeAlias = Any
#: int64 or float64 where every label is a number, text (dtype U) otherwise.
LabelArray: TypeAlias = NDArray[Any]
Lines: TypeAlias = NDArray[np.int64]
#: Fractions, in an array of objects.
Exact: TypeAlias = NDArray[Any]

#: The widest data accepted: column numbers must fit the 32-bit indices of a CSR matrix.
LARGEST_INDEX = 2**31 - 1
#: Rows in a chunk unless told: large enough to hide the cost of a call, small enough for a cache.
CHUNK_ROWS = 4096


class _Three(NamedTuple):
    X: Matrix
    y: LabelArray | None
    lines: Lines | None


class Chunk(_Three):
    """Some consecutive rows, their raw labels (None: the data has none) and their file's lines.

    `exact`, where it was asked for, holds the very numbers that X has as the nearest doubles:
    Fractions in the shape of X, or of X.data if X is a CSR matrix. It is no fourth item, so that a
    chunk always unpacks as X, y, lines.
    """

    exact: Exact | None

    def __new__(
        cls, X: Matrix, y: LabelArray | None, lines: Lines | None, exact: Exact | None = None
    ) -> Self:
        chunk = super().__new__(cls, X, y, lines)
        chunk.exact = exact
        return chunk


class Source(ABC):
    """Labelled rows from somewhere, all at once or a chunk at a time.

    `name` is what to call it in messages and `format` how it is read. `feature_names` and
    `target_name` are known where the data carries names. `replayable` is False for a pipe, which
    can be gone through only once.
    """

    name: str
    format: str
    feature_names: list[str] | None = None
    target_name: str | None = None
    replayable: bool = True

    @abstractmethod
    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""

    @abstractmethod
    def read(self) -> Chunk:
        """All rows at once."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class BlockSource(Source):
    """A source whose rows can be taken from anywhere: subclasses say how many, and give a block."""

    rows: int

    @abstractmethod
    def _block(self, start: int, stop: int) -> Chunk:
        """The rows from `start` up to, not including, `stop`."""

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""
        for start in range(0, self.rows, checked_rows(rows)):
            yield self._block(start, min(start + rows, self.rows))

    def read(self) -> Chunk:
        """All rows at once."""
        return self._block(0, self.rows)


class HeldSource(BlockSource):
    """Rows that are already in memory."""

    def __init__(self, name: str, kind: str, X: Matrix, y: LabelArray | None) -> None:
        self.name, self.format, self.rows = name, kind, X.shape[0]
        self._X, self._y = X, y

    def _block(self, start: int, stop: int) -> Chunk:
        if (start, stop) == (0, self.rows):
            return Chunk(self._X, self._y, None)
        return Chunk(self._X[start:stop], None if self._y is None else self._y[start:stop], None)


def checked_rows(rows: int) -> int:
    """`rows` if it is a usable chunk size."""
    if rows < 1:
        raise ParameterError(f"a chunk needs at least one row, not rows={rows}")
    return rows


def data_error(name: str, line: int | None, problem: str) -> DataError:
    """The complaint about one place in a file, in the file:line: form that editors can follow."""
    return DataError(f"{name}: {problem}" if line is None else f"{name}:{line}: {problem}")


def check_features(name: str, found: int, expected: int | None) -> None:
    """Refuse rows of another width than the caller asked for, or of no width at all."""
    if found < 1:
        raise data_error(
            name,
            None,
            "no feature columns: a row needs at least one number besides "
            "its label; is the delimiter right, and is there a label at all?",
        )
    if expected is not None and found != expected:
        raise data_error(
            name,
            None,
            f"the number of feature columns is {found}, expected {expected}: give the same "
            f"columns as before, or leave out features={expected}",
        )
