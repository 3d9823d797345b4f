"""Cuts a source into shards, and opens them."""

from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from novikoff.data.chunk import START, ReadPosition
from novikoff.data.columnar.source import ColumnarSource
from novikoff.data.concatenation import ConcatenatedSource, refuse_other_width
from novikoff.data.errors import RereadError
from novikoff.data.files.io_errors import explain_io_errors
from novikoff.data.files.storage import file_at, is_remote, is_stream
from novikoff.data.formats import FORMATS, TABLES
from novikoff.data.loader import bytes_of
from novikoff.data.shards.source import ShardSource
from novikoff.data.shards.split_points import RowCuts, SplitPoints, TextCuts, evenly_spaced
from novikoff.data.source import Opening, RandomAccessSource, Shard, Source
from novikoff.data.source_factory import open_source
from novikoff.data.text.source import TextSource
from novikoff.errors import DataError, ParameterError

#: Bytes of text, roughly, in a shard unless told how many there are to be.
SHARD_BYTES = 2**27


def cut(source: Source, shards: int | None = None, *, quoted: bool = False) -> list[Shard]:
    """The shards of a source; None: as many as its size suggests.

    quoted: for tables with line ends inside of quotes. Without it, text is cut where lines begin; a
    shard that was gone through says whether that cut a field in two (`ShardSource.quotes`), and if
    a row cannot be read for that reason, it raises a CutError.
    """
    if shards is not None and (type(shards) is not int or shards < 1):
        raise ParameterError(f"the number of shards must be a whole number above 0, not {shards!r}")
    _refuse(source)
    cuts, size = _cuts(source, quoted), _size(source)
    described = _ShardTemplate(source, quoted, tuple(map(_known, _files(source))))
    parts = _parts(source, cuts, shards, quoted)
    bounds = [0, *parts, cuts.total]
    places = [START, *map(cuts.place, parts), None]
    return [
        described.shard(k, places, size * (bounds[k + 1] - bounds[k]) // max(cuts.total, 1))
        for k in range(len(parts) + 1)
    ]


def open_shard(shard: Shard) -> ShardSource:
    """The rows of a shard as a source of their own."""
    for path, known in zip(shard.paths, shard.known, strict=False):
        if _known(path) != known:
            raise DataError(
                f"{path}: it is not what it was when it was cut into shards: wait until nothing"
                " writes to it, and start again"
            )
    options = dict(shard.options)
    fallback = options.pop("fallback", {})
    options.pop("skipped_to", None)  # one file is not for many to write to
    source = open_source(Opening(shard.paths, options, fallback, cache=False), shard)
    return ShardSource(source, shard, partial(_reopen, shard))


def _reopen(shard: Shard, opening: Opening) -> ShardSource:
    """Open a shard with other options."""
    options = {name: value for name, value in opening.options.items() if name != "shard"}
    return open_shard(shard._replace(options=shard.options | options))


def _files(source: Source) -> tuple[str, ...]:
    """The files of a source; none of an example, and of a cache, which is a folder."""
    return source.opening.paths if source.format in FORMATS else ()


def _refuse(source: Source) -> None:
    """What cannot be read by somebody else, or not in parts."""
    if not source.opening.paths or not source.replayable or any(map(is_stream, _files(source))):
        raise DataError(
            f"{source.name}: shards are of data that can be opened by a name again and again, and"
            " this is a pipe or in memory only: save it to a file first"
        )
    if source.opening.options.get("decimal"):
        raise DataError(
            f"{source.name}: decimal=True is not for shards, whose numbers are doubles: leave it"
            " out, or read the data on one machine"
        )


def _cuts(source: Source, quoted: bool) -> SplitPoints:
    """Where the source can be cut."""
    if isinstance(source, TextSource):
        return TextCuts(source, quoted)
    if isinstance(source, ColumnarSource):
        groups = source.groups()
        return RowCuts([sum(file) for file in groups], groups)
    if isinstance(source, ConcatenatedSource):
        refuse_other_width(source.sources)
        return RowCuts([one.rows for one in source.sources], None)
    if isinstance(source, RandomAccessSource):
        return RowCuts([source.rows], None)
    raise TypeError(f"{source!r} cannot be cut")


def _parts(source: Source, cuts: SplitPoints, shards: int | None, quoted: bool) -> list[int]:
    """The cuts between as many parts as were asked for, or as usual as far as that can be."""
    wanted = max(1, -(-_size(source) // SHARD_BYTES)) if shards is None else shards
    found = cuts.nearest(wanted)
    if found is not None:
        return found
    candidates = cuts.candidates()
    most = len(candidates) + 1
    if most < wanted and shards is not None:
        if isinstance(source, TextSource):
            _refuse_unreadable(source, quoted)
        raise _too_many(source, most, shards)
    return evenly_spaced(candidates, cuts.total, min(most, wanted))


def _refuse_unreadable(source: TextSource, whole: bool) -> None:
    """Where there is little to cut between, that may be what is wrong: no row at all, or a quote
    that is never closed. Reading says so, and where; for a quote, the whole text is read.
    """
    with suppress(RereadError):
        for _ in source.chunks() if whole else islice(source.chunks(), 1):
            pass


class TooManyShardsError(DataError):
    """There are not so many places to cut at."""


def _too_many(source: Source, most: int, shards: int) -> TooManyShardsError:
    pieces = "rows"
    if source.info.compressed:
        shard = "shard" if most == 1 else "shards"
        return TooManyShardsError(
            f"{source.name}: found shards={shards}, expected at most {most}: a compressed file"
            f" cannot be cut, so that {most} {shard} is the most: ask for fewer shards, or save the"
            " data as several compressed files or uncompressed"
        )
    if isinstance(source, TextSource):
        pieces = "lines"
    elif isinstance(source, ColumnarSource):
        pieces = "row groups" if source.format == "parquet" else "record batches"
    return TooManyShardsError(
        f"{source.name}: found shards={shards}, expected at most {most}, for there are no more"
        f" {pieces} to cut between: ask for fewer shards, or save the data in more pieces"
    )


class _ShardTemplate(NamedTuple):
    """A source as its shards are to describe it."""

    source: Source
    quoted: bool
    known: tuple[tuple[int, str], ...]

    def shard(self, number: int, places: list[ReadPosition | None], size: int) -> Shard:
        """The shard between two of the places, with the files it needs, which it numbers anew."""
        start, stop = places[number], places[number + 1]
        assert start is not None  # only the last place is
        paths = self.source.opening.paths
        last = len(paths) if stop is None else stop.file + (stop.offset > 0)
        files, before = list(range(start.file, last)), start.file
        if self.source.format in TABLES and start.file > 0:
            files, before = [0, *files], start.file - 1
        if stop is not None:
            stop = stop._replace(file=stop.file - before) if stop.offset else None
        return Shard(
            paths=tuple(paths[k] for k in files),
            options=self._options(),
            number=number,
            of=len(places) - 1,
            start=start._replace(file=start.file - before),
            stop=stop,
            name=self.source.name,
            known=tuple(self.known[k] for k in files) if self.known else (),
            quoted=self.quoted or not _quotes(self.source),
            bytes=size,
        )

    def _options(self) -> dict[str, Any]:
        source, options = self.source, dict(self.source.opening.options)
        if source.opening.fallback:
            options["fallback"] = dict(source.opening.fallback)
        if source.format in FORMATS:
            options["format"] = source.format
        return options


def _quotes(source: Source) -> bool:
    """Whether fields may be in quotes, with line ends inside."""
    return isinstance(source, TextSource) and bool(source.text_format.quoted)


def _known(path: str) -> tuple[int, str]:
    """What tells whether a file has changed: on another machine, a copy of it may be younger."""
    with explain_io_errors(path):
        size, modified = file_at(path).state()
    return size, str(modified) if is_remote(path) else ""


def _size(source: Source) -> int:
    """How much there is to read, roughly, in bytes of text or of arrays."""
    if isinstance(source, ConcatenatedSource):
        return sum(one.bytes for one in source.sources)
    return source.bytes if isinstance(source, RandomAccessSource) else bytes_of(source)
