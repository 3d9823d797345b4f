"""A source cut into shards: consecutive rows each, described so that any process can read them.

    shards = cut(source, 8)
    chunks = [opened(shard).read() for shard in shards]   # anywhere, in any order

The shards in their order are exactly the rows of the source in its order. How they are cut depends
on the data and the number of shards alone, and but for the cuts nothing is read: see `cutting`.
"""

from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from novikoff import sources
from novikoff.errors import DataError, ParameterError
from novikoff.sources.addresses import is_remote, is_stream, place_of
from novikoff.sources.arrow import ArrowSource
from novikoff.sources.base import START, BlockSource, LateError, Place, Source
from novikoff.sources.cutting import Cuts, RowCuts, TextCuts, spread
from novikoff.sources.formats import FORMATS, TABLES
from novikoff.sources.inputs import complaints
from novikoff.sources.joining import JoinedSource, refuse_other_width
from novikoff.sources.settling import bytes_of
from novikoff.sources.shard_source import CutError, Shard, ShardSource
from novikoff.sources.text import TextSource

__all__ = ["SHARD_BYTES", "CutError", "Shard", "ShardSource", "cut", "opened"]

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
    files = source.named if source.format in FORMATS else ()
    described = _Described(source, quoted, tuple(map(_known, files)))
    parts = _parts(source, cuts, shards, quoted)
    bounds = [0, *parts, cuts.total]
    places = [START, *map(cuts.place, parts), None]
    return [
        described.shard(k, places, size * (bounds[k + 1] - bounds[k]) // max(cuts.total, 1))
        for k in range(len(parts) + 1)
    ]


def opened(shard: Shard) -> ShardSource:
    """The rows of a shard as a source of their own."""
    for path, known in zip(shard.paths, shard.known, strict=False):
        if _known(path) != known:
            raise DataError(
                f"{path}: it is not what it was when it was cut into shards: wait until nothing"
                " writes to it, and start again"
            )
    options = dict(shard.options)
    fallback = options.pop("fallback", {})
    listing = options.pop("skipped_to", None) is not None  # one file is not for many to write to
    source = sources.from_paths(list(shard.paths), options, cache=False, fallback=fallback)
    return ShardSource(source, shard, partial(_again, shard), listing)


def _again(shard: Shard, /, **options: Any) -> ShardSource:
    """A shard read with other options."""
    options.pop("shard", None)
    return opened(shard._replace(options=shard.options | options))


def _refuse(source: Source) -> None:
    """What cannot be read by somebody else, or not in parts."""
    files = source.named if source.format in FORMATS else ()
    if not source.named or not source.replayable or any(map(is_stream, files)):
        raise DataError(
            f"{source.name}: shards are of data that can be opened by a name again and again, and"
            " this is a pipe or in memory only: save it to a file first"
        )
    if source.asked.get("decimal"):
        raise DataError(
            f"{source.name}: decimal=True is not for shards, whose numbers are doubles: leave it"
            " out, or read the data on one machine"
        )


def _cuts(source: Source, quoted: bool) -> Cuts:
    """Where the source can be cut."""
    if isinstance(source, TextSource):
        return TextCuts(source, quoted)
    if isinstance(source, ArrowSource):
        groups = source.groups()
        return RowCuts([sum(file) for file in groups], groups)
    if isinstance(source, JoinedSource):
        refuse_other_width(source.sources)
        return RowCuts([one.rows for one in source.sources], None)
    if isinstance(source, BlockSource):
        return RowCuts([source.rows], None)
    raise TypeError(f"{source!r} cannot be cut")


def _parts(source: Source, cuts: Cuts, shards: int | None, quoted: bool) -> list[int]:
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
    return spread(candidates, cuts.total, min(most, wanted))


def _refuse_unreadable(source: TextSource, whole: bool) -> None:
    """Where there is little to cut between, that may be what is wrong: no row at all, or a quote
    that is never closed. Reading says so, and where; for a quote, the whole text is read.
    """
    with suppress(LateError):
        for _ in source.chunks() if whole else islice(source.chunks(), 1):
            pass


def _too_many(source: Source, most: int, shards: int) -> DataError:
    pieces = "rows"
    if source.packed:
        shard = "shard" if most == 1 else "shards"
        return DataError(
            f"{source.name}: found shards={shards}, expected at most {most}: a compressed file"
            f" cannot be cut, so that {most} {shard} is the most: ask for fewer shards, or save the"
            " data as several compressed files or uncompressed"
        )
    if isinstance(source, TextSource):
        pieces = "lines"
    elif isinstance(source, ArrowSource):
        pieces = "row groups" if source.format == "parquet" else "record batches"
    return DataError(
        f"{source.name}: found shards={shards}, expected at most {most}, for there are no more"
        f" {pieces} to cut between: ask for fewer shards, or save the data in more pieces"
    )


class _Described(NamedTuple):
    """A source as its shards are to describe it."""

    source: Source
    quoted: bool
    known: tuple[tuple[int, str], ...]

    def shard(self, number: int, places: list[Place | None], size: int) -> Shard:
        """The shard between two of the places, with the files it needs, which it numbers anew."""
        start, stop = places[number], places[number + 1]
        assert start is not None  # only the last place is
        last = len(self.source.named) if stop is None else stop.file + (stop.offset > 0)
        files, before = list(range(start.file, last)), start.file
        if self.source.format in TABLES and start.file > 0:
            files, before = [0, *files], start.file - 1
        if stop is not None:
            stop = stop._replace(file=stop.file - before) if stop.offset else None
        return Shard(
            paths=tuple(self.source.named[k] for k in files),
            options=self._options(),
            number=number,
            of=len(places) - 1,
            start=start._replace(file=start.file - before),
            stop=stop,
            name=self.source.name,
            known=tuple(self.known[k] for k in files) if self.known else (),
            quoted=self.quoted or not getattr(self.source, "quoted", ""),
            bytes=size,
        )

    def _options(self) -> dict[str, Any]:
        source, options = self.source, dict(self.source.asked)
        if source.fallback:
            options["fallback"] = dict(source.fallback)
        if source.format in FORMATS:
            options["format"] = source.format
        return options


def _known(path: str) -> tuple[int, str]:
    """What tells whether a file has changed: on another machine, a copy of it may be younger."""
    with complaints(path):
        size, modified = place_of(path).state()
    return size, str(modified) if is_remote(path) else ""


def _size(source: Source) -> int:
    """How much there is to read, roughly, in bytes of text or of arrays."""
    if isinstance(source, JoinedSource):
        return sum(one.bytes for one in source.sources)
    return source.bytes if isinstance(source, BlockSource) else bytes_of(source)
