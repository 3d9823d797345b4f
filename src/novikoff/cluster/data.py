"""A data set on a cluster: outlined, cut, read and laid out, on the workers."""

import contextlib
import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from distributed import Client

from novikoff.cluster.collections import Collected, collected, is_collection, rows_in
from novikoff.cluster.crew import Crew, Watch
from novikoff.cluster.layout import Found, Layout, merged
from novikoff.cluster.site import Part, Site
from novikoff.errors import DataError, ParameterError
from novikoff.sources import Source
from novikoff.sources import open as open_source
from novikoff.sources.base import LateError
from novikoff.sources.categories import remark_on
from novikoff.sources.inputs import identity_of
from novikoff.sources.naming import SHARED
from novikoff.sources.shards import CutError, Shard, ShardSource, cut, opened
from novikoff.sources.text import rows_left_out

BYTES = 2  # in memory for each byte of text, roughly


class FileAddress(NamedTuple):
    """A shard of files."""

    shard: Shard

    @property
    def size(self) -> int:
        return BYTES * self.shard.bytes

    def source(self, data: Any) -> Source:
        return opened(self.shard)


class Unopened(NamedTuple):
    """What `open` is to be called with, on a worker: the client need not see the data."""

    paths: str | list[str]
    options: dict[str, Any]


class Outline(NamedTuple):
    """What a worker found out about files before any shard was read."""

    shards: tuple[Shard, ...]
    name: str
    format: str
    identity: dict[str, Any]  # what the data are known by in a checkpoint
    target: str | None
    cache: Any = None  # whether rows may be kept: see `Source`
    listed: str | None = None  # the file for the rows that are left out

    @property
    def bytes(self) -> int:
        """Of text, roughly; 0 of what is in memory."""
        return sum(shard.bytes for shard in self.shards)


def outlined(paths: Any, options: dict[str, Any], shards: int | None, quoted: bool) -> Outline:
    """Open files and cut them; done on a worker, for the client need not see them."""
    source = open_source(paths, **options)
    found = tuple(cut(source, shards, quoted=quoted))
    identity = identity_of(source)
    for file in identity["files"]:
        if "ends" in file:  # another worker may have a copy that is younger
            del file["modified"]
    about = source.name, source.format, identity, source.target_name, source.cache
    return Outline(found, *about, source.asked.get("skipped_to"))


#: Goes through all shards for the first time, and says what each of them told.
Read = Callable[[Crew, Outline], list[Found]]


class Data:
    """Rows on a cluster: who has them, what they are together, and what each shard told."""

    def __init__(self, crew: Crew, outline: Outline, layout: Layout, founds: list[Found]) -> None:
        self.crew, self.outline, self.layout, self.founds = crew, outline, layout, founds

    @property
    def name(self) -> str:
        return self.outline.name

    @property
    def feature_names(self) -> list[str] | None:
        return self.layout.names

    @property
    def skipped(self) -> int:
        return sum(found.skipped for found in self.founds)

    @property
    def numbering(self) -> dict[str, Any]:
        """Options with which another file's features get the same numbers."""
        found: dict[str, Any] = {}
        for each in self.founds:
            found |= each.numbering
        return found

    def remarks(self) -> list[str]:
        """What a person should be told about the data; what several shards say, once."""
        found = []
        if self.skipped:
            found.append(rows_left_out(self.skipped, self.outline.listed))
        columns = max((each.categories for each in self.founds), key=len)
        if columns:
            names = self.layout.names or []
            values = [sum(name.startswith(f"{column}=") for name in names) for column in columns]
            found.append(remark_on(columns, values))
        said = list(dict.fromkeys(remark for each in self.founds for remark in each.remarks))
        if sum(remark.endswith(SHARED) for remark in said) > 1:  # hashes keep no names to join
            said = [f"in a shard: {each}" if each.endswith(SHARED) else each for each in said]
        return [*found, *said]


def gathered(
    client: Client,
    source: Any,
    *,
    y: Any = None,
    target: str | int | None = None,
    shards: int | None = None,
    labels: bool = True,
    keep: bool = True,
    watch: Watch | None = None,
    read: Read | None = None,
) -> Data:
    """Have the workers read a data set, and lay it out.

    source: a path, several, what `nk.open` returned or is yet to be called with (`Unopened`), or
    Dask collections, for which y and target are (see `collections`).
    shards: how many to cut files into; by default that follows from their size alone. keep: whether
    rows stay with the workers; else each pass reads them anew. labels: whether they matter. read:
    how to go through the shards for the first time, if more is to come of it than what they are.
    """
    if shards is not None and (
        isinstance(shards, bool) or not isinstance(shards, int) or shards < 1
    ):
        raise ParameterError(f"shards must be a whole number above 0, not {shards!r}")
    held = is_collection(source)
    paths, options = (source, {}) if held else _address(source, y, target)
    quoted, tried = False, list[dict[str, Any]]()
    while True:
        crew = Crew(client, [], watch)
        if held:
            words = bool(options.get("word_labels"))
            outline = _taken(crew, collected(client, source, y, target, shards, words, labels))
        else:
            outline = crew.anywhere(outlined, paths, options, shards, quoted)
            crew.parts = [Part(FileAddress(shard)) for shard in outline.shards]
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(crew.close)  # of shards that are of no use nothing stays there
                founds = crew.ask(Site.found, labels, keep) if read is None else read(crew, outline)
                if any(found.quotes for found in founds) and len(founds) > 1 and not quoted:
                    quoted = True  # a line end within quotes is no cut: cut again, between records
                    continue
                if not any(found.rows for found in founds):
                    crew.ask(_refuse_empty, only=[0])
                layout = merged(founds, outline.name, labels)
                stack.pop_all()
                return Data(crew, outline, layout, founds)
        except CutError:
            if quoted:
                raise
            quoted = True
        except LateError as late:
            if late.remedy in tried:
                raise
            tried.append(late.remedy)
            options = options | late.remedy


def _taken(crew: Crew, found: Collected) -> Outline:
    """Have a crew for those partitions that have rows."""
    crew.parts = found.parts
    counts = crew.ask(rows_in)
    crew.parts = [part for part, rows in zip(found.parts, counts, strict=True) if rows]
    crew.close()  # the others were numbered too
    if not crew.parts:
        raise DataError(f"{found.name}: no rows, expected at least one")
    return Outline((), *found[1:], cache=None)


def _are_paths(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and all(
        isinstance(each, (str, os.PathLike)) for each in source
    )


def _refuse_empty(site: Site) -> None:
    """Say of files without rows what their reader has to say."""
    source = site.source()
    assert isinstance(source, ShardSource)
    raise source.no_rows()


def _address(source: Any, y: Any, target: Any) -> tuple[Any, dict[str, Any]]:
    """What `open` is called with on a worker."""
    named = isinstance(source, (str, os.PathLike)) or _are_paths(source)
    if not named and not isinstance(source, (Source, Unopened)):
        raise ParameterError(
            f"a cluster reads files or Dask collections, and this is a {type(source).__name__}, in"
            " the memory of one process: use the estimator's own fit, or dask.array.from_array"
        )
    if y is not None or target is not None:
        raise ParameterError(
            "y and target are for Dask collections; a file's labels are in it, and their column is"
            " named by nk.open(path, target=...)"
        )
    if isinstance(source, Unopened):
        return source
    if named:
        return source, {}
    if source.reopen is None or not source.replayable:
        raise DataError(
            f"{source.name}: a cluster needs data that every worker can read, and this is a pipe or"
            " in the memory of one process: save it to a file first"
        )
    call = source.reopen
    if not isinstance(call, partial):
        raise TypeError(f"{source!r} was not opened by its name")
    return call.args[0], dict(call.keywords) | dict(source.asked)
