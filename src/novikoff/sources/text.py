"""What all text formats share: blocks parsed by several threads, put together in order.

A format says what a block holds (`_parse`, which threads run at the same time) and what becomes of
that where it matters what came before (`_chunk`, which runs in the order of the blocks).
"""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from novikoff.sources.base import (
    START,
    BadRowError,
    Chunk,
    LateError,
    Place,
    PlacedError,
    Source,
    checked_rows,
    data_error,
)
from novikoff.sources.blocks import Block, in_order, processors
from novikoff.sources.inputs import Input
from novikoff.sources.skipping import SideFile, SkippedRow, skipped_row
from novikoff.sources.sparse import joined

_LF = ord("\n")


class Parsed(Protocol):
    """What a format makes of a block: its own arrays, and these."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    @property
    def line_ends(self) -> int:
        """How many line ends the block has, those of blank lines and comments too."""

    @property
    def skipped(self) -> Sequence[BadRowError]:
        """The rows that were left out; never any unless `skip` is set."""


class TextSource(Source):
    """Rows of one or several text files, one after another.

    skip: leave bad rows out, and list them in the file `skipped_to` as JSON lines, instead of
    refusing the data at the first of them.
    """

    #: The delimiter of fields that may be in double quotes, with line ends inside; "": none may be.
    quoted = ""
    #: Where a pass ends, if not with the last file.
    ends: Place | None = None
    #: Whether there may be other rows before or after these; then it is no error if these are none.
    partial = False
    #: Where to list the rows that are left out, if not in a file.
    listed: list[SkippedRow] | None = None

    def __init__(
        self, inputs: Sequence[Input], *, skip: bool = False, skipped_to: str | None = None
    ) -> None:
        self.inputs = list(inputs)
        self.name = called(inputs)
        self.replayable = all(each.replayable for each in inputs)
        self.paths = tuple(each.path for each in inputs) if self.replayable else ()
        self.packed = any(each.packing is not None for each in inputs)
        self.skip, self.skipped_to = skip, skipped_to
        self._rows = 0  # how many came so far
        self._lines_before: int | None = None

    @abstractmethod
    def _fresh(self) -> None:
        """Forget what an earlier pass found out: a pass from the start begins."""

    @abstractmethod
    def _parse(self, block: Block) -> Parsed:
        """The rows of a block; several threads call this at the same time.

        Raises a BadRowError at the first bad row, or, with `self.skip`, lists them all.
        """

    @abstractmethod
    def _chunk(self, parsed: Any, file: int, line: int) -> Chunk:
        """The rows as a chunk. Called in order; so many lines come before the block in its file."""

    def chunks(self, rows: int | None = None, start: Place = START) -> Iterator[Chunk]:
        """Go through the rows once, in order, a block at a time, or at most `rows` rows at a time.

        start: where to go on; `remember` must have been called with what was known there.
        """
        for chunk in self._whole(start):
            if rows is None:
                yield chunk
                continue
            for first in range(0, chunk.X.shape[0], checked_rows(rows)):
                yield chunk.part(first, first + rows)

    def read(self) -> Chunk:
        """All rows at once, in memory."""
        return read_all(self, self.nothing)

    def nothing(self) -> Chunk:
        """A chunk without rows, as others are but for that."""
        block = Block(self.name, 0, -1, np.empty(0, np.uint8))
        return self._chunk(self._parse(block), 0, 0)

    def _whole(self, start: Place) -> Iterator[Chunk]:
        empty = start == START
        if empty:
            self._fresh()
            self.files, self._rows, self.skipped = [], 0, 0
            start = self.begins
            if self.listed is not None:
                self.listed.clear()
        file, line, end = start.file, start.line, start.offset
        with SideFile(self.skipped_to if self.skip else None, self.skipped) as side:
            for block, parsed in self._ahead(start):
                if block.file != file:
                    file, line = block.file, 0
                self._come_to(block)
                end = block.offset + len(block.text)
                if isinstance(parsed, BadRowError):
                    raise placed(parsed, block.name, line)
                for bad in parsed.skipped:
                    side.write(bad, block.name, line)
                    if self.listed is not None:
                        before = self.lines_before() if file == self.begins.file else 0
                        self.listed.append(skipped_row(bad, block.name, line + before))
                self.skipped += len(parsed.skipped)
                if parsed.rows:
                    empty = False
                    chunk = self._chunk(parsed, file, line)
                    self._rows += chunk.X.shape[0]
                    chunk.end = Place(file, end, line + parsed.line_ends)
                    yield chunk
                line += parsed.line_ends
        if empty and not self.partial:
            raise self.no_rows()

    def no_rows(self) -> PlacedError:
        """The complaint about data without any rows."""
        return data_error(self.name, None, self._no_rows())

    @property
    def torn(self) -> bool:
        """Whether the part that was read ends inside of a field in quotes."""
        return self.ends is not None and self.inputs[self.ends.file].torn

    def lines_before(self) -> int:
        """How many lines come before a part in its first file: a pass counts lines from there."""
        if self._lines_before is None:
            given, stop = copy.copy(self.inputs[self.begins.file]), self.begins.offset
            found = given.blocks(stop=stop) if stop else ()
            self._lines_before = sum(int(np.count_nonzero(each.text == _LF)) for each in found)
        return self._lines_before

    def torn_before(self) -> bool:
        """Whether a part begins inside of a field in quotes."""
        given, stop = copy.copy(self.inputs[self.begins.file]), self.begins.offset
        for _ in given.blocks(quoted=self.quoted, stop=stop) if stop and self.quoted else ():
            pass
        return given.torn

    def _come_to(self, block: Block) -> None:
        while len(self.files) <= block.file:
            self.files = [*self.files, (self.inputs[len(self.files)].name, self._rows)]

    @abstractmethod
    def _no_rows(self) -> str:
        """What to say of data without any rows."""

    def _ahead(self, start: Place) -> Iterator[tuple[Block, Any]]:
        ready = None if self.replayable else self.ready
        return in_order(self._blocks(start), self._tried, processors(), ready)

    def ready(self) -> bool:
        """Whether more can be read without waiting for somebody to write it; or may be."""
        return all(each.ready() for each in self.inputs if not each.replayable)

    def _tried(self, block: Block) -> tuple[Block, Any]:
        try:
            return block, self._parse(block)
        except BadRowError as bad:  # raised where it is known how many lines come before
            return block, bad

    def _blocks(self, start: Place) -> Iterator[Block]:
        for number, given in enumerate(self.inputs):
            if number >= start.file:
                offset = start.offset if number == start.file else 0
                stop = self.ends.offset if self.ends and number == self.ends.file else None
                yield from given.blocks(number, offset, quoted=self.quoted, stop=stop)

    def remarks(self) -> list[str]:
        """That bad rows were left out."""
        return left_out(self)

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far: which files it came to, at which rows."""
        files = [list(each) for each in self.files]
        begins = [each.beginning() for each in self.inputs if not each.replayable]
        return {"rows": self._rows, "files": files, "skipped": self.skipped, "begins": begins}

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        self._rows, self.skipped = int(memory["rows"]), int(memory["skipped"])
        self.files = [(str(name), int(row)) for name, row in memory["files"]]
        pipes = [each for each in self.inputs if not each.replayable]
        for given, (size, digest) in zip(pipes, memory["begins"], strict=True):
            given.expect(int(size), str(digest))


def read_all(source: Source, nothing: Callable[[], Chunk]) -> Chunk:
    """All rows at once, in another pass if the first comes to something too late."""
    try:
        return joined(list(source.chunks()) or [nothing()])
    except LateError as late:
        if not source.replayable:
            raise
        again = source.again(**late.remedy)
        chunk = again.read()
        source.remember(again.memory())
        return chunk


def left_out(source: Source) -> list[str]:
    """What to say of the rows that were skipped."""
    if not source.skipped:
        return []
    return [rows_left_out(source.skipped, source.asked.get("skipped_to"))]


def rows_left_out(number: int, listed: str | None) -> str:
    """That so many bad rows were skipped, and which file lists them."""
    where = "" if listed is None else f"; {listed} lists them"
    return f"{number:,} bad row{'s' * (number > 1)} left out{where}"


def called(inputs: Sequence[Input]) -> str:
    """What to call several files together."""
    more = len(inputs) - 1
    return inputs[0].name + (f" and {more} more file{'s' * (more > 1)}" if more else "")


def placed(bad: BadRowError, name: str, line: int) -> Exception:
    """The complaint about a bad row of a block before which there are so many lines."""
    return data_error(name, line + bad.line + 1, bad.problem, bad.column)


def lines_of(text: np.ndarray[Any, np.dtype[np.uint8]]) -> list[bytes]:
    """The lines of a block, without their line feeds: for those who read them one by one."""
    lines = text.tobytes().split(b"\n")
    return lines if lines[-1] else lines[:-1]
