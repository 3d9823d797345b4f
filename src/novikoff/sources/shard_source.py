"""A shard: consecutive rows of a source, as a description to be sent and as a source to be read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from novikoff.errors import DataError
from novikoff.sources.arrow import ArrowSource
from novikoff.sources.base import (
    CHUNK_ROWS,
    BlockSource,
    Chunk,
    Place,
    PlacedError,
    Source,
    checked_rows,
)
from novikoff.sources.joining import JoinedSource
from novikoff.sources.skipping import SkippedRow
from novikoff.sources.sparse import joined
from novikoff.sources.svmlight import SvmlightSource
from novikoff.sources.text import TextSource, read_all


class Shard(NamedTuple):
    """Consecutive rows of a source: small and plain, to be sent to whoever is to read them.

    The files are those that the rows are in, and before them a table's very first, which says how
    all of them are laid out; `start.file` and `stop.file` number these.
    """

    paths: tuple[str, ...]
    options: dict[str, Any]  # what `open` is called with
    number: int  # which of how many
    of: int
    start: Place  # of text: file and bytes before it; of others: file and rows before it
    stop: Place | None  # None: the end of the last file
    name: str  # of the source that it is a part of
    known: tuple[tuple[int, str], ...]  # what the files are: size, and of remote ones what is told
    quoted: bool  # whether it is known that no field in quotes is cut in two
    bytes: int  # of text that there are to read, roughly


class CutError(PlacedError):
    """A row that cannot be read because text was cut inside of quotes: cut it with quoted=True."""


class ShardSource(Source):
    """The rows of a shard.

    What depends on other rows holds for these alone: the numbers of named features, the kind of the
    labels, and of svmlight where indices start. `again(zero_based=True)` and the like read them as
    it turned out for all. A shard may have no rows at all; only where it is the one and only shard
    is that an error. Lines count from the shard's start, in its first file; `lines_before()` is
    what to add there. Errors say the file's own lines.

    After a pass, `quotes` says whether the shard ends inside of a field in quotes, so that the
    cuts are wrong, and `listed` has the rows that were left out, if a list of them was asked for.
    """

    def __init__(
        self, source: Source, shard: Shard, reopen: Callable[..., Source], listing: bool = False
    ) -> None:
        self.shard, self._source = shard, source
        self.name, self.format, self.paths = shard.name, source.format, source.paths
        self.target_name, self.packed, self.cache = source.target_name, source.packed, False
        self.begins, self.span = shard.start, shard.bytes
        self.listed: list[SkippedRow] | None = [] if listing else None
        self._parts: list[tuple[BlockSource, int, int]] = []
        if isinstance(source, (TextSource, ArrowSource)):
            source.name = shard.name
            source.begins, source.ends, source.partial = shard.start, shard.stop, shard.of > 1
            if isinstance(source, TextSource):
                source.listed = self.listed
            self.heads = shard.start.file  # it begins in the first of its files but for these
        else:
            self._parts = _parts(source, shard.start, shard.stop)
        self.reopen = reopen
        stop = None if shard.stop is None else list(shard.stop)
        self.asked = MappingProxyType(
            {**source.asked, "shard": [list(shard.start), stop, shard.of > 1]}
        )

    @property
    def base(self) -> int | None:
        """The first index of svmlight data as these rows tell: 0 if there is an index 0, else 1.
        None for other data, and if it was told.
        """
        source = self._source
        if not isinstance(source, SvmlightSource) or "zero_based" in source.asked:
            return None
        return 0 if source.zero_found else 1

    @property
    def quotes(self) -> bool:
        """Whether a field in quotes goes on beyond the end: then no shard can be relied on."""
        return isinstance(self._source, TextSource) and self._source.torn

    def lines_before(self) -> int:
        """How many lines there are before the shard in its first file."""
        return self._source.lines_before() if isinstance(self._source, TextSource) else 0

    def no_rows(self) -> DataError:
        """The complaint about data in which no shard has a row."""
        if isinstance(self._source, TextSource):
            return self._source.no_rows()
        return DataError(f"{self.name}: no rows, expected at least one")

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""
        if self._parts:
            yield from self._blocks(checked_rows(rows or CHUNK_ROWS))
            return
        try:
            yield from self._source.chunks(rows)
        except PlacedError as problem:
            raise self._placed(problem) from None

    def read(self) -> Chunk:
        """All rows at once, in memory."""
        if self._parts:
            return joined([one.between(start, stop) for one, start, stop in self._parts])
        if isinstance(self._source, TextSource):
            return read_all(self, self._source.nothing)
        return joined(list(self.chunks()))

    def _blocks(self, rows: int) -> Iterator[Chunk]:
        for one, start, stop in self._parts:
            for first in range(start, stop, rows):
                yield one.between(first, min(first + rows, stop))

    def _placed(self, problem: PlacedError) -> PlacedError:
        """The complaint with the file's own line; or that this is no row, but a part of one."""
        source = self._source
        if not isinstance(source, TextSource) or not source.partial:
            return problem
        if len(source.files) - 1 <= source.begins.file:
            problem.move(source.lines_before())
        if not self.shard.quoted and (source.torn or source.torn_before()):
            return CutError(str(problem), problem.spot)
        return problem

    @property
    def feature_names(self) -> list[str] | None:  # type: ignore[override]
        """The names of the columns in these rows, as far as they are known."""
        return self._source.feature_names

    @property
    def skipped(self) -> int:  # type: ignore[override]
        """How many bad rows were left out of the last pass."""
        return self._source.skipped

    @property
    def files(self) -> list[tuple[str, int]]:  # type: ignore[override]
        """The name and the first row's number, among these, of each file come to so far."""
        if not self._parts:
            return list(self._source.files[self.heads :])
        return _files(self._source, self._parts)

    @property
    def categories(self) -> Sequence[str]:  # type: ignore[override]
        """As the source has them."""
        return self._source.categories

    @property
    def numbering(self) -> dict[str, Any]:
        """As the source has it."""
        return self._source.numbering

    def remarks(self) -> list[str]:
        """What was found out about these rows."""
        return self._source.remarks()

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far."""
        return self._source.memory()

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        self._source.remember(memory)


def _parts(source: Source, start: Place, stop: Place | None) -> list[tuple[BlockSource, int, int]]:
    """The arrays that the rows are in, with the rows from where to where."""
    found = source.sources if isinstance(source, JoinedSource) else [source]
    parts = []
    for number, one in enumerate(found):
        if not isinstance(one, BlockSource):
            raise TypeError(f"{one!r} cannot be cut")
        first = start.offset if number == start.file else 0
        last = stop.offset if stop is not None and number == stop.file else one.rows
        parts.append((one, first, last))
    return parts


def _files(source: Source, parts: list[tuple[BlockSource, int, int]]) -> list[tuple[str, int]]:
    """The files that rows are from: those of the arrays, or for a cache those it was made from."""
    if isinstance(source, JoinedSource):
        found, before = [], 0
        for one, first, last in parts:
            found.append((one.name, before))
            before += last - first
        return found
    _, first, last = parts[0]
    known = list(source.files)
    ends = [*(row for _, row in known[1:]), last] if known else []
    return [
        (name, max(row - first, 0))
        for (name, row), end in zip(known, ends, strict=True)
        if row < last and end > first
    ]
