"""A source of labelled rows: the one shape that every format is turned into."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from novikoff.data.chunk import (
    CHUNK_ROWS,
    Chunk,
    LabelArray,
    ReadPosition,
    checked_rows,
    concatenate,
)
from novikoff.data.files.skipped_rows import SkippedRow
from novikoff.data.sparse import Matrix
from novikoff.number_text import plural

#: Options of `open` by name.
Options: TypeAlias = Mapping[str, Any]
#: Where to keep rows in binary if they are many: None leaves the choice, False is nowhere.
CacheChoice: TypeAlias = str | os.PathLike[str] | Literal[False] | None

NO_OPTIONS: Options = MappingProxyType({})


class SourceInfo(NamedTuple):
    """What the data are."""

    name: str  # what messages call them
    format: str  # how they are read
    paths: tuple[str, ...] = ()  # the files; none for a pipe and for rows in memory
    replayable: bool = True  # False for a pipe, which can be gone through only once
    compressed: bool = False
    feature_names: list[str] | None = None  # where the data carry names
    target_name: str | None = None
    categories: tuple[str, ...] = ()  # the columns of words


class Opening(NamedTuple):
    """How a source was opened: enough to open it again, here or on another machine."""

    paths: tuple[str, ...] = ()  # what it was opened by; none: it cannot be opened by a name
    options: Options = NO_OPTIONS  # those asked for
    fallback: Options = NO_OPTIONS  # those that hold where nothing else was asked for
    cache: CacheChoice = None
    opener: Callable[["Opening"], "Source"] | None = None


UNOPENED = Opening()


class Shard(NamedTuple):
    """Consecutive rows of a source: small and plain, to be sent to whoever is to read them.

    The files are those that the rows are in, and before them a table's very first, which says how
    all of them are laid out; `start.file` and `stop.file` number these.
    """

    paths: tuple[str, ...]
    options: dict[str, Any]  # what `open` is called with
    number: int  # which of how many
    of: int
    start: ReadPosition  # of text: file and bytes before it; of others: file and rows before it
    stop: ReadPosition | None  # None: the end of the last file
    name: str  # of the source that it is a part of
    known: tuple[tuple[int, str], ...]  # what the files are: size, and of remote ones what is told
    quoted: bool  # whether it is known that no field in quotes is cut in two
    bytes: int  # of text that there are to read, roughly

    @property
    def partial(self) -> bool:
        """Whether there are other shards; then it is no error if this one has no rows."""
        return self.of > 1


@dataclass
class PassRecord:
    """What a pass over a source has found so far."""

    rows: int = 0
    files: list[tuple[str, int]] = field(default_factory=list)  # name and first row of each
    skipped: int = 0  # bad rows that were left out
    listed: list[SkippedRow] | None = None  # those rows, where a list of them was asked for

    def start_over(self) -> None:
        """Forget an earlier pass."""
        self.rows, self.files, self.skipped = 0, [], 0
        if self.listed is not None:
            self.listed = []

    def state_dict(self) -> dict[str, Any]:
        """The rows so far, and the files with their first rows, as JSON."""
        return {"rows": self.rows, "files": [list(each) for each in self.files]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what another pass had found."""
        self.rows = int(state["rows"])
        self.files = [(str(name), int(row)) for name, row in state["files"]]

    def enter_file(self, number: int, names: list[str]) -> None:
        """Note that the next row is in this one of the files, unless an earlier one was too."""
        while len(self.files) <= number:
            self.files.append((names[len(self.files)], self.rows))


class Source(ABC):
    """Labelled rows from somewhere, all at once or a chunk at a time.

    `info` says what the data are, `opening` how they were opened, `found` what the last pass has
    found so far, and `shard` which part of its files a source reads, if not all.
    """

    def __init__(
        self, info: SourceInfo, opening: Opening = UNOPENED, shard: Shard | None = None
    ) -> None:
        self.info, self.opening, self.shard = info, opening, shard
        self.found = PassRecord()

    @abstractmethod
    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""

    def read(self) -> Chunk:
        """All rows at once, in memory."""
        return concatenate(list(self.chunks()))

    def reopen(self, **options: Any) -> "Source":
        """Open the same data again, with other options besides those asked for at first."""
        opening = self.opening
        if opening.opener is None:
            raise TypeError(f"{self!r} was not opened by its name")
        return opening.opener(opening._replace(options={**opening.options, **options}))

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.info.name

    @property
    def format(self) -> str:
        """How it is read."""
        return self.info.format

    @property
    def paths(self) -> tuple[str, ...]:
        """The files it reads; none for a pipe and for rows in memory."""
        return self.info.paths

    @property
    def replayable(self) -> bool:
        """Whether it can be gone through more than once; a pipe cannot."""
        return self.info.replayable

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns, as far as they are known."""
        return self.info.feature_names

    @property
    def target_name(self) -> str | None:
        """The name of the column of labels, where the data carry names."""
        return self.info.target_name

    @property
    def files(self) -> list[tuple[str, int]]:
        """The name and the first row's number of each file that the last pass came to.

        A chunk's lines count within their file.
        """
        return self.found.files

    @property
    def skipped(self) -> int:
        """How many bad rows were left out of the last pass, where that was asked for."""
        return self.found.skipped

    @property
    def index_options(self) -> dict[str, Any]:
        """Options for `open` that give another file the same feature indices.

        Complete only after a pass; empty where the indices are plain.
        """
        return {}

    def ready(self) -> bool:
        """Whether more can be read without waiting for somebody to write it; or may be."""
        return True

    def state_dict(self) -> dict[str, Any]:
        """What a pass has found so far that reading on from a position depends on, as JSON."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:  # noqa: B027  (most have none)
        """Restore what another pass had found, to read on from where it was."""

    def notes(self) -> list[str]:
        """What a person should be told about the data, in sentences."""
        return []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class RandomAccessSource(Source):
    """A source whose rows can be taken from anywhere: subclasses say how many, and give a block."""

    rows: int

    @abstractmethod
    def _block(self, start: int, stop: int) -> Chunk:
        """The rows from `start` up to, not including, `stop`."""

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        each = checked_rows(rows or CHUNK_ROWS)
        for start in range(0, self.rows, each):
            yield self._block(start, min(start + each, self.rows))

    def read(self) -> Chunk:
        return self._block(0, self.rows)

    def slice(self, start: int, stop: int) -> Chunk:
        """Some of the rows, which hold no other rows in memory."""
        return self._block(start, stop)

    @property
    @abstractmethod
    def bytes(self) -> int:
        """The size of the rows."""


class InMemorySource(RandomAccessSource):
    """Rows that are already in memory."""

    def __init__(
        self, info: SourceInfo, X: Matrix, y: LabelArray | None, opening: Opening = UNOPENED
    ) -> None:
        super().__init__(info, opening)
        self.rows, self._X, self._y = X.shape[0], X, y

    def _block(self, start: int, stop: int) -> Chunk:
        if (start, stop) == (0, self.rows):
            return Chunk(self._X, self._y, None)
        return Chunk(self._X[start:stop], None if self._y is None else self._y[start:stop], None)

    def slice(self, start: int, stop: int) -> Chunk:
        found = self._block(start, stop)
        if found.X is self._X:
            return found
        return Chunk(found.X.copy(), None if found.y is None else found.y.copy(), None)

    @property
    def bytes(self) -> int:
        X = self._X
        return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes)


def joint_name(names: Sequence[str]) -> str:
    """What to call several files together."""
    more = len(names) - 1
    return names[0] + (f" and {more} more {plural('file', more)}" if more else "")
