"""What a source of labelled rows is: the one shape that every format is turned into."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, TypeAlias

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


class Place(NamedTuple):
    """A place between two rows of a stream, from which reading can go on."""

    file: int = 0  # its number among several
    offset: int = 0  # bytes before it, in the file as it is when unpacked
    line: int = 0  # lines before it; of files of columns, row groups or record batches


START = Place()


class _Three(NamedTuple):
    X: Matrix
    y: LabelArray | None
    lines: Lines | None


class Chunk(_Three):
    """Some consecutive rows, their raw labels (None: the data has none) and their file's lines.

    `exact`, where it was asked for, holds the very numbers that X has as the nearest doubles:
    Fractions in the shape of X, or of X.data if X is a CSR matrix. `end`, where text is read in
    blocks, is the place after the chunk. They are no further items, so that a chunk always unpacks
    as X, y, lines.
    """

    exact: Exact | None
    end: Place | None

    def __new__(
        cls,
        X: Matrix,
        y: LabelArray | None,
        lines: Lines | None,
        exact: Exact | None = None,
        end: Place | None = None,
    ) -> Self:
        chunk = super().__new__(cls, X, y, lines)
        chunk.exact, chunk.end = exact, end
        return chunk

    def part(self, start: int, stop: int) -> "Chunk":
        """Some of its rows; the place after them is known if they are the last."""
        stop = min(stop, self.X.shape[0])
        y, lines = (None if each is None else each[start:stop] for each in (self.y, self.lines))
        exact = None if self.exact is None else self._exactly(start, stop)
        end = self.end if stop == self.X.shape[0] else None
        return Chunk(self.X[start:stop], y, lines, exact, end)

    def _exactly(self, start: int, stop: int) -> Exact | None:
        if self.exact is None or isinstance(self.X, np.ndarray):
            return None if self.exact is None else self.exact[start:stop]
        return self.exact[self.X.indptr[start] : self.X.indptr[stop]]


class Source(ABC):
    """Labelled rows from somewhere, all at once or a chunk at a time.

    `name` is what to call it in messages and `format` how it is read. `feature_names` and
    `target_name` are known where the data carries names. `replayable` is False for a pipe, which
    can be gone through only once.

    `paths` are the files it reads, `asked` how it was asked to read them: together they say whether
    a cache of it is still good. `files` gives the name and the first row's number of each file that
    was come to so far; a chunk's lines count within their file. `skipped` counts the bad rows left
    out of the last pass, where that was asked for; `categories` are the columns of words. `packed`
    says that the files are compressed, and `cache` where to keep the rows if they are many: None
    leaves the choice, False is nowhere.

    `named` are the names it was opened by and `fallback` the options that hold where `asked` says
    nothing. A shard begins at `begins`, has `span` bytes of its files, and only looks at the heads
    of the first `heads` of them.
    """

    name: str
    format: str
    feature_names: list[str] | None = None
    target_name: str | None = None
    replayable: bool = True
    paths: tuple[str, ...] = ()
    asked: Mapping[str, Any] = MappingProxyType({})
    files: Sequence[tuple[str, int]] = ()
    skipped: int = 0
    packed: bool = False
    cache: str | os.PathLike[str] | Literal[False] | None = None
    categories: Sequence[str] = ()
    reopen: Callable[..., "Source"] | None = None
    named: tuple[str, ...] = ()
    fallback: Mapping[str, Any] = MappingProxyType({})
    begins: Place = START
    span: int | None = None
    heads: int = 0

    @abstractmethod
    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""

    @abstractmethod
    def read(self) -> Chunk:
        """All rows at once, in memory."""

    def again(self, **options: Any) -> "Source":
        """The same data, read with other options besides those asked for at first."""
        if self.reopen is None:
            raise TypeError(f"{self!r} was not opened by its name")
        return self.reopen(**(dict(self.asked) | options))

    def ready(self) -> bool:
        """Whether more can be read without waiting for somebody to write it; or may be."""
        return True

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far that reading on from a place depends on, as JSON."""
        return {}

    def remember(self, memory: Mapping[str, Any]) -> None:  # noqa: B027  (most have nothing to)
        """Take up what another pass had found out, to read on from where it was."""

    @property
    def numbering(self) -> dict[str, Any]:
        """Options with which another file's features get the same numbers, where that is not plain;
        known when the rows were read.
        """
        return {}

    def remarks(self) -> list[str]:
        """What was found out about the data that a person should be told, in sentences."""
        return []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class BlockSource(Source):
    """A source whose rows can be taken from anywhere: subclasses say how many, and give a block."""

    rows: int

    @abstractmethod
    def _block(self, start: int, stop: int) -> Chunk:
        """The rows from `start` up to, not including, `stop`."""

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""
        each = checked_rows(rows or CHUNK_ROWS)
        for start in range(0, self.rows, each):
            yield self._block(start, min(start + each, self.rows))

    def read(self) -> Chunk:
        """All rows at once."""
        return self._block(0, self.rows)

    def between(self, start: int, stop: int) -> Chunk:
        """Some of the rows, which hold no other rows in memory."""
        return self._block(start, stop)

    @property
    @abstractmethod
    def bytes(self) -> int:
        """How much the rows take."""


class HeldSource(BlockSource):
    """Rows that are already in memory."""

    def __init__(self, name: str, kind: str, X: Matrix, y: LabelArray | None) -> None:
        self.name, self.format, self.rows = name, kind, X.shape[0]
        self._X, self._y = X, y

    def _block(self, start: int, stop: int) -> Chunk:
        if (start, stop) == (0, self.rows):
            return Chunk(self._X, self._y, None)
        return Chunk(self._X[start:stop], None if self._y is None else self._y[start:stop], None)

    def between(self, start: int, stop: int) -> Chunk:
        """Some of the rows, which hold no other rows in memory."""
        found = self._block(start, stop)
        if found.X is self._X:
            return found
        return Chunk(found.X.copy(), None if found.y is None else found.y.copy(), None)

    @property
    def bytes(self) -> int:
        """How much the rows take."""
        X = self._X
        return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes)


def checked_rows(rows: int) -> int:
    """`rows` if it is a usable chunk size."""
    if rows < 1:
        raise ParameterError(f"a chunk needs at least one row, not rows={rows}")
    return rows


class Spot(NamedTuple):
    """A place in a file and what is wrong there; lines and columns count from 1."""

    name: str
    line: int | None
    column: int | None
    problem: str

    def __str__(self) -> str:
        place = "".join(f":{number}" for number in (self.line, self.column) if number is not None)
        return f"{self.name}{place}: {self.problem}"


class PlacedError(DataError):
    """A complaint about one place in a file, in the file:line:column: form that editors follow."""

    def __init__(self, message: str, spot: Spot | None = None) -> None:
        super().__init__(message)
        self.spot = spot

    def move(self, lines: int) -> None:
        """Its line was counted from a place in the file before which there are so many lines."""
        if self.spot is not None and self.spot.line is not None:
            self.spot = self.spot._replace(line=self.spot.line + lines)
            self.args = (str(self.spot),)


def data_error(name: str, line: int | None, problem: str, column: int | None = None) -> PlacedError:
    """The complaint about one place in a file; lines and columns count from 1."""
    spot = Spot(name, line, column, problem)
    return PlacedError(str(spot), spot)


class LateError(PlacedError):
    """Something that a pass in blocks comes to too late to have taken the rows before it rightly.

    remedy: the options with which another pass from the start takes them rightly.
    """

    def __init__(self, message: str, spot: Spot | None = None, **remedy: Any) -> None:
        super().__init__(message, spot)
        self.remedy = remedy


class BadRowError(DataError):
    """One row that cannot be used, before it is known how many lines come before its block.

    line: counted from 0 at the block's first. column: the character in it, from 1. text: the line.
    """

    def __init__(self, line: int, column: int | None, problem: str, text: str) -> None:
        super().__init__(problem)
        self.line, self.column, self.problem, self.text = line, column, problem, text


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
