"""The rows of a shard as a source of their own."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from novikoff.data.chunk import CHUNK_ROWS, Chunk, ReadPosition, checked_rows, concatenate
from novikoff.data.concatenation import ConcatenatedSource
from novikoff.data.errors import LocatedError
from novikoff.data.files.skipped_rows import SkippedRow
from novikoff.data.source import Opening, PassRecord, RandomAccessSource, Shard, Source
from novikoff.data.text.source import TextSource, read_all
from novikoff.errors import DataError


class CutError(LocatedError):
    """A row that cannot be read because text was cut inside of quotes: cut it with quoted=True."""


class ShardSource(Source):
    """The rows of a shard.

    What depends on other rows holds for these alone: the numbers of named features, the kind of the
    labels, and of svmlight where indices start. `reopen(zero_based=True)` and the like read them as
    it turned out for all. A shard may have no rows at all; only where it is the one and only shard
    is that an error. Lines count from the shard's start, in its first file; `lines_before()` is
    what to add there. Errors say the file's own lines.

    source: reads text and columns from the shard's start to its end, but of other data all rows.
    """

    shard: Shard

    def __init__(self, source: Source, shard: Shard, opener: Callable[[Opening], Source]) -> None:
        stop = None if shard.stop is None else list(shard.stop)
        bounds = {"shard": [list(shard.start), stop, shard.partial]}
        options = {**source.opening.options, **bounds}
        opening = Opening(options=options, cache=False, opener=opener)
        super().__init__(source.info._replace(name=shard.name), opening, shard)
        self._source, self.found = source, source.found
        self._parts: list[tuple[RandomAccessSource, int, int]] = []
        if isinstance(source, RandomAccessSource | ConcatenatedSource):
            self._parts = _parts(source, shard.start, shard.stop)
            self.found = PassRecord(files=_files(source, self._parts), skipped=source.found.skipped)

    @property
    def base(self) -> int | None:
        """The first index of svmlight data as these rows tell: 0 if there is an index 0, else 1.
        None for other data, and if it was told.
        """
        return self._text.text_format.lowest_index if self._text else None

    @property
    def _text(self) -> TextSource | None:
        return self._source if isinstance(self._source, TextSource) else None

    @property
    def quotes(self) -> bool:
        """Whether a field in quotes goes on beyond the end: then no shard can be relied on."""
        return self._text is not None and self._text.ends_inside_quotes

    @property
    def listed(self) -> list[SkippedRow] | None:
        """The rows that were left out of the last pass, if a list of them was asked for."""
        return self.found.listed

    def lines_before(self) -> int:
        """How many lines there are before the shard in its first file."""
        return self._text.lines_before() if self._text else 0

    def no_rows(self) -> DataError:
        """The complaint about data in which no shard has a row."""
        if self._text is not None:
            return self._text.no_rows()
        return DataError(f"{self.name}: no rows, expected at least one")

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        if self._parts:
            yield from self._blocks(checked_rows(rows or CHUNK_ROWS))
            return
        try:
            yield from self._source.chunks(rows)
        except LocatedError as problem:
            raise self._locate_error(problem) from None

    def read(self) -> Chunk:
        if self._parts:
            return concatenate([one.slice(start, stop) for one, start, stop in self._parts])
        if self._text is not None:
            return read_all(self, self._text.empty_chunk)
        return super().read()

    def _blocks(self, rows: int) -> Iterator[Chunk]:
        for one, start, stop in self._parts:
            for first in range(start, stop, rows):
                yield one.slice(first, min(first + rows, stop))

    def _locate_error(self, problem: LocatedError) -> LocatedError:
        """The complaint with the file's own line; or that this is no row, but a part of one."""
        source = self._text
        if source is None or not self.shard.partial:
            return problem
        if len(self.files) <= 1:  # still in the file that the shard begins in
            problem.shift_line(source.lines_before())
        if not self.shard.quoted and (source.ends_inside_quotes or source.starts_inside_quotes()):
            return CutError(str(problem), problem.spot)
        return problem

    @property
    def feature_names(self) -> list[str] | None:
        return self._source.feature_names

    @property
    def index_options(self) -> dict[str, Any]:
        return self._source.index_options

    def notes(self) -> list[str]:
        return self._source.notes()

    def state_dict(self) -> dict[str, Any]:
        return self._source.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._source.load_state_dict(state)


def _parts(
    source: RandomAccessSource | ConcatenatedSource, start: ReadPosition, stop: ReadPosition | None
) -> list[tuple[RandomAccessSource, int, int]]:
    """The arrays that the rows are in, with the rows from where to where."""
    found = source.sources if isinstance(source, ConcatenatedSource) else [source]
    parts = []
    for number, one in enumerate(found):
        first = start.offset if number == start.file else 0
        last = stop.offset if stop is not None and number == stop.file else one.rows
        parts.append((one, first, last))
    return parts


def _files(
    source: Source, parts: list[tuple[RandomAccessSource, int, int]]
) -> list[tuple[str, int]]:
    """The files that rows are from: those of the arrays, or for a cache those it was made from."""
    if isinstance(source, ConcatenatedSource):
        found, before = [], 0
        for one, first, last in parts:
            found.append((one.name, before))
            before += last - first
        return found
    _, first, last = parts[0]
    known = source.files
    ends = [*(row for _, row in known[1:]), last] if known else []
    return [
        (name, max(row - first, 0))
        for (name, row), end in zip(known, ends, strict=True)
        if row < last and end > first
    ]
