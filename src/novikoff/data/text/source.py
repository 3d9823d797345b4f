"""Rows of text files: blocks parsed by several threads, and made into chunks in order."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from novikoff.data.chunk import START, Chunk, ReadPosition, checked_rows, concatenate
from novikoff.data.errors import BadRowError, LocatedError, RereadError, data_error, file_error
from novikoff.data.files.blocks import Block
from novikoff.data.files.inputs import Input
from novikoff.data.files.parallel import map_in_order, processors
from novikoff.data.files.skipped_rows import SkippedRowsFile, skipped_row
from novikoff.data.source import UNOPENED, Opening, Shard, Source, SourceInfo, joint_name
from novikoff.data.text.format import ParsedBlock, TextFormat
from novikoff.number_text import count

_LF = ord("\n")


class TextSource(Source):
    """Rows of one or several text files of one format, one after another.

    skipped_to: the file that lists the bad rows that are left out, as JSON lines.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        text_format: TextFormat[Any],
        *,
        skipped_to: str | None = None,
        opening: Opening = UNOPENED,
        shard: Shard | None = None,
    ) -> None:
        replayable = all(each.replayable for each in inputs)
        info = SourceInfo(
            name=joint_name([each.name for each in inputs]) if shard is None else shard.name,
            format=text_format.name,
            paths=tuple(each.path for each in inputs) if replayable else (),
            replayable=replayable,
            compressed=any(each.compression is not None for each in inputs),
            target_name=text_format.target_name,
            categories=text_format.categories,
        )
        super().__init__(info, opening, shard)
        self.inputs, self.text_format = list(inputs), text_format
        self._skipped_to = skipped_to
        self._start = START if shard is None else shard.start
        self._stop = None if shard is None else shard.stop
        self._partial = shard is not None and shard.partial
        if shard is not None and "skipped_to" in shard.options:  # one file is not for many writers
            self.found.listed = []
        self._names = [each.name for each in self.inputs[self._start.file :]]
        self._lines_before: int | None = None

    def chunks(self, rows: int | None = None, start: ReadPosition = START) -> Iterator[Chunk]:
        """Go through the rows once, in order, a block at a time, or at most `rows` rows at a time.

        start: where to go on; `load_state_dict` must have been called with the state there.
        """
        for chunk in self._block_chunks(start):
            if rows is None:
                yield chunk
                continue
            for first in range(0, chunk.X.shape[0], checked_rows(rows)):
                yield chunk.part(first, first + rows)

    def read(self) -> Chunk:
        return read_all(self, self.empty_chunk)

    def empty_chunk(self) -> Chunk:
        """A chunk without rows, otherwise like the others."""
        block = Block(self.name, 0, -1, np.empty(0, np.uint8))
        return self.text_format.chunk(self.text_format.parse(block), self.name, 0)

    def _block_chunks(self, start: ReadPosition) -> Iterator[Chunk]:
        whole = start == START
        if whole:
            self.text_format.start_over()
            self.found.start_over()
            start = self._start
        found, empty = self.found, whole
        file, line = start.file, start.line
        with SkippedRowsFile(self._skipped_to, found.skipped) as side:
            for block, parsed in self._parsed_blocks(start):
                if block.file != file:
                    file, line = block.file, 0
                found.enter_file(file - self._start.file, self._names)
                if isinstance(parsed, BadRowError):
                    raise data_error(
                        block.name, line + parsed.line + 1, parsed.problem, parsed.column
                    )
                self._leave_out(parsed.skipped, block, line, side)
                self.text_format.count(parsed)
                if parsed.rows:
                    empty = False
                    chunk = self.text_format.chunk(parsed, block.name, line)
                    found.rows += chunk.X.shape[0]
                    end = block.offset + len(block.text)
                    chunk.end = ReadPosition(file, end, line + parsed.line_ends)
                    yield chunk
                line += parsed.line_ends
        if not self._partial:
            self._refuse_nothing(empty)

    def _leave_out(
        self, bad_rows: Sequence[BadRowError], block: Block, line: int, side: SkippedRowsFile
    ) -> None:
        """Count and list bad rows of a block before which its file has so many lines."""
        found = self.found
        found.skipped += len(bad_rows)
        for bad in bad_rows:
            side.write(bad, block.name, line)
            if found.listed is not None:
                before = self.lines_before() if block.file == self._start.file else 0
                found.listed.append(skipped_row(bad, block.name, line + before))

    def _refuse_nothing(self, empty: bool) -> None:
        if empty:
            raise self.no_rows()
        if (problem := self.text_format.no_features()) is not None:
            raise file_error(self.name, problem)

    def no_rows(self) -> LocatedError:
        """The complaint about data without any rows."""
        return file_error(self.name, self.text_format.no_rows(self.found.skipped))

    def _parsed_blocks(
        self, start: ReadPosition
    ) -> Iterator[tuple[Block, ParsedBlock | BadRowError]]:
        ready = None if self.replayable else self.ready
        return map_in_order(self._blocks(start), self._parse_or_error, processors(), ready)

    def _parse_or_error(self, block: Block) -> tuple[Block, ParsedBlock | BadRowError]:
        try:
            return block, self.text_format.parse(block)
        except BadRowError as bad:  # raised where it is known how many lines come before
            return block, bad

    def _blocks(self, start: ReadPosition) -> Iterator[Block]:
        for number, given in enumerate(self.inputs):
            if number >= start.file:
                offset = start.offset if number == start.file else 0
                stop = self._stop.offset if self._stop and number == self._stop.file else None
                header = 0 if offset else self.text_format.header_lines(number)
                found = given.blocks(number, offset, quoted=self.text_format.quoted, stop=stop)
                yield from _with_header(found, header)

    def ready(self) -> bool:
        return all(each.ready() for each in self.inputs if not each.replayable)

    @property
    def feature_names(self) -> list[str] | None:
        return self.text_format.feature_names

    @property
    def index_options(self) -> dict[str, Any]:
        return self.text_format.index_options

    def notes(self) -> list[str]:
        """How many bad rows were left out, and what the format has to say."""
        return [*skipped_notes(self), *self.text_format.notes()]

    def state_dict(self) -> dict[str, Any]:
        """Which files a pass came to, at which rows, and what the format has found."""
        begins = [each.prefix.digest() for each in self.inputs if not each.replayable]
        state = self.found.state_dict() | {"skipped": self.skipped, "begins": begins}
        return state | self.text_format.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.found.load_state_dict(state)
        self.found.skipped = int(state["skipped"])
        pipes = [each for each in self.inputs if not each.replayable]
        for given, (size, digest) in zip(pipes, state["begins"], strict=True):
            given.prefix.expect(int(size), str(digest))
        self.text_format.load_state_dict(state)

    # Shards: what is around them in their files.

    @property
    def ends_inside_quotes(self) -> bool:
        """Whether the shard that was read ends inside of a field in quotes."""
        return self._stop is not None and self.inputs[self._stop.file].ends_inside_quotes

    def starts_inside_quotes(self) -> bool:
        """Whether the shard begins inside of a field in quotes."""
        given, quoted = copy.copy(self.inputs[self._start.file]), self.text_format.quoted
        if self._start.offset and quoted:
            for _ in given.blocks(quoted=quoted, stop=self._start.offset):
                pass
        return given.ends_inside_quotes

    def lines_before(self) -> int:
        """How many lines come before the shard in its first file: a pass counts from there."""
        if self._lines_before is None:
            given, stop = copy.copy(self.inputs[self._start.file]), self._start.offset
            found = given.blocks(stop=stop) if stop else ()
            self._lines_before = sum(int(np.count_nonzero(each.text == _LF)) for each in found)
        return self._lines_before


def _with_header(blocks: Iterator[Block], lines: int) -> Iterator[Block]:
    """The blocks of a file that begins with so many lines of a header."""
    for block in blocks:
        if lines:
            here = min(lines, int(np.count_nonzero(block.text == _LF)))
            lines -= here
            yield block._replace(header=here)
        else:
            yield block


def read_all(source: Source, nothing: Callable[[], Chunk]) -> Chunk:
    """All rows at once, in another pass if the first comes to something too late."""
    try:
        return concatenate(list(source.chunks()) or [nothing()])
    except RereadError as late:
        if not source.replayable:
            raise
        again = source.reopen(**late.remedy)
        chunk = again.read()
        source.load_state_dict(again.state_dict())
        return chunk


def skipped_notes(source: Source) -> list[str]:
    """The note about the rows of a source that were skipped, if there are any."""
    if not source.skipped:
        return []
    return [skipped_note(source.skipped, source.opening.options.get("skipped_to"))]


def skipped_note(number: int, listed: str | None) -> str:
    """The note that so many bad rows were skipped, and which file lists them."""
    where = "" if listed is None else f"; {listed} lists them"
    return f"{count(number, 'bad row')} left out{where}"
