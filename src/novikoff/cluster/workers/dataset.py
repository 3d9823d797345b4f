"""A data set on a cluster: files or Dask collections, read as shards by the workers."""

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from novikoff.cluster.data.collections import (
    DaskCollection,
    count_rows,
    is_collection,
    partition_collection,
)
from novikoff.cluster.data.layout import DatasetOutline, Layout, ShardSummary, merge_summaries
from novikoff.cluster.data.shard import ShardRef, WorkerShard
from novikoff.cluster.workers.shard_client import CallWatch, ShardClient
from novikoff.data import Source
from novikoff.data import open as open_source
from novikoff.data.errors import RereadError
from novikoff.data.shards import CutError, Shard, ShardSource, cut, open_shard
from novikoff.data.source_factory import identity_of
from novikoff.data.text.csv.categories import categories_note, levels_of
from novikoff.data.text.source import skipped_note
from novikoff.data.text.vw.feature_index import SHARED
from novikoff.data.user_types import Label
from novikoff.errors import DataError, ParameterError

MEMORY_PER_BYTE = 2  # bytes in memory for each byte of text, roughly

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class FileAddress(NamedTuple):
    """The address of a shard of files."""

    shard: Shard

    @property
    def size(self) -> int:
        return MEMORY_PER_BYTE * self.shard.bytes

    def source(self, data: object) -> Source:
        return open_shard(self.shard)


class OpenRequest(NamedTuple):
    """The arguments of `open`, to be called on a worker: the client need not see the data."""

    paths: str | list[str]
    options: dict[str, Any]


def outline_files(
    paths: Paths, options: dict[str, Any], shards: int | None, quoted: bool
) -> DatasetOutline:
    """Open files and cut them into shards. quoted: whether a field in quotes may have several
    lines.
    """
    source = open_source(paths, **options)
    found = tuple(cut(source, shards, quoted=quoted))
    identity = identity_of(source)
    for file in identity["files"]:
        if "ends" in file:  # another worker may have a copy that is younger
            del file["modified"]
    about = source.name, source.format, identity, source.target_name, source.opening.cache
    return DatasetOutline(found, *about, source.opening.options.get("skipped_to"))


#: What users pass; tuples are of paths, or of Dask collections X and y.
DataSource = Paths | Source | OpenRequest | DaskCollection | tuple[DaskCollection, ...]
#: Reads all shards for the first time.
Read = Callable[[ShardClient, DatasetOutline], list[ShardSummary]]


class Dataset:
    """Rows on a cluster: the client of their shards, their layout, and a summary of each shard."""

    def __init__(
        self,
        shard_client: ShardClient,
        outline: DatasetOutline,
        layout: Layout,
        summaries: list[ShardSummary],
    ) -> None:
        self.shard_client, self.outline = shard_client, outline
        self.layout, self.summaries = layout, summaries

    @property
    def name(self) -> str:
        return self.outline.name

    @property
    def feature_names(self) -> list[str] | None:
        return self.layout.names

    @property
    def features(self) -> int:
        return self.layout.features

    @property
    def skipped(self) -> int:
        return sum(summary.skipped for summary in self.summaries)

    @property
    def index_options(self) -> dict[str, Any]:
        """Options for `open` that give another file the same feature indices."""
        found: dict[str, Any] = {}
        for summary in self.summaries:
            found |= summary.index_options
        return found

    @property
    def by_number(self) -> bool:
        """Whether rows are named by their numbers: they have no lines, or are in several files."""
        return self._has_several_files or locate_row(self.shard_client, self.layout, 0) is None

    @property
    def _has_several_files(self) -> bool:
        return len(self.outline.identity["files"]) > 1

    def where(self, row: int) -> str:
        """The place of a row for a person: its line, and its file if there are several."""
        location = locate_row(self.shard_client, self.layout, row)
        if location is None:
            return f"row {row}"
        name, line = location
        return f"row {row}, {name} line {line}" if self._has_several_files else f"line {line}"

    def label(self, row: int) -> Label:
        """The label of a row, fetched from its worker."""
        k, number = self.layout.shard_of(row)
        (label,) = self.shard_client.map_shards(_label, number, only=[k])
        return label

    @property
    def levels(self) -> dict[str, dict[str, int]]:
        """The columns of words: their values, and the feature of each."""
        columns = max((summary.categories for summary in self.summaries), key=len)
        return levels_of(columns, self.layout.names or ())

    @property
    def identifiers(self) -> list[str]:
        """None: whether values are different in every row is not looked at across workers."""
        return []

    def notes(self) -> list[str]:
        """Notes about the data for the user; what several shards have to say, once."""
        found = []
        if self.skipped:
            found.append(skipped_note(self.skipped, self.outline.skipped_to))
        if levels := self.levels:
            found.append(categories_note([*levels], [len(each) for each in levels.values()]))
        notes = list(dict.fromkeys(note for summary in self.summaries for note in summary.notes))
        if sum(note.endswith(SHARED) for note in notes) > 1:  # hashes keep no names to merge
            notes = [f"in a shard: {note}" if note.endswith(SHARED) else note for note in notes]
        return [*found, *notes]


def locate_row(shard_client: ShardClient, layout: Layout, row: int) -> tuple[str, int] | None:
    """The file and the line of a row, from its worker; None if it comes from no line."""
    k, number = layout.shard_of(row)
    (found,) = shard_client.map_shards(WorkerShard.lines, np.array([number]), only=[k])
    return None if found is None else found[0]


def _label(shard: WorkerShard, row: int) -> Label:
    labels = shard.labels()
    assert labels is not None
    label: Label = labels[row]
    return label


def load_dataset(
    client: Client,
    source: DataSource,
    *,
    y: DaskCollection | None = None,
    target: str | int | None = None,
    shards: int | None = None,
    labels: bool = True,
    watch: CallWatch | None = None,
    read: Read | None = None,
) -> Dataset:
    """Have the workers read a data set, and lay it out.

    source: a path, several, what `nk.open` returned or is to be called with (`OpenRequest`), or
    Dask collections, which y and target are for (see `collections`).
    shards: how many to cut files into; by default that follows from their size alone. labels:
    whether they matter. read: how to read the shards for the first time, if that is to do more than
    to summarize them.
    """
    if shards is not None and (
        isinstance(shards, bool) or not isinstance(shards, int) or shards < 1
    ):
        raise ParameterError(f"shards must be a whole number above 0, not {shards!r}")
    paths, options = ("", {}) if is_collection(source) else _open_arguments(source, y, target)
    read = read or (lambda client, _: client.map_shards(WorkerShard.summary, labels))
    quoted, remedies = False, list[dict[str, Any]]()
    while True:
        shard_client = ShardClient(client, [], watch)
        if is_collection(source):
            words = bool(options.get("word_labels"))
            outline = _outline_collection(shard_client, source, y, target, shards, words, labels)
        else:
            outline = shard_client.run_on_any_worker(outline_files, paths, options, shards, quoted)
            shard_client.shards = [ShardRef(FileAddress(shard)) for shard in outline.shards]
        try:
            return _read_dataset(shard_client, outline, read, labels, quoted)
        except CutError:
            if quoted:
                raise
            quoted = True  # a line end within quotes is no cut: cut again, between records
        except RereadError as error:
            if error.remedy in remedies:
                raise
            remedies.append(error.remedy)
            options = options | error.remedy


def _read_dataset(
    shard_client: ShardClient, outline: DatasetOutline, read: Read, labels: bool, quoted: bool
) -> Dataset:
    """Read the shards and lay them out; a CutError or a RereadError says that they are of no use
    as they were cut, or read.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(shard_client.close)  # after an error, workers keep nothing
        summaries = read(shard_client, outline)
        cut_wrongly = any(summary.ends_in_quotes for summary in summaries)
        if cut_wrongly and len(summaries) > 1 and not quoted:
            raise CutError(f"{outline.name}: a shard ends inside of quotes")
        if not any(summary.rows for summary in summaries):
            shard_client.map_shards(_refuse_empty, only=[0])
        layout = merge_summaries(summaries, outline.name, labels)
        stack.pop_all()
        return Dataset(shard_client, outline, layout, summaries)


def _outline_collection(
    shard_client: ShardClient,
    source: DaskCollection | tuple[DaskCollection, ...],
    y: DaskCollection | None,
    target: str | int | None,
    shards: int | None,
    words: bool,
    labels: bool,
) -> DatasetOutline:
    """Partition a collection; the partitions that have rows are the shards."""
    refs, outline = partition_collection(
        shard_client.client, source, y, target, shards, words, labels
    )
    shard_client.shards = refs
    counts = shard_client.map_shards(count_rows)
    shard_client.shards = [ref for ref, rows in zip(refs, counts, strict=True) if rows]
    shard_client.close()  # the shards have other numbers now
    if not shard_client.shards:
        raise DataError(f"{outline.name}: no rows, expected at least one")
    return outline


def _refuse_empty(shard: WorkerShard) -> None:
    """Raise the error of its reader about files without rows."""
    source = shard.source()
    assert isinstance(source, ShardSource)
    raise source.no_rows()


def _open_arguments(
    source: Any, y: DaskCollection | None, target: str | int | None
) -> tuple[Paths, dict[str, Any]]:
    """The paths and options to call `open` with on a worker."""
    several = source if isinstance(source, (list, tuple)) else [source]
    named = all(isinstance(each, (str, os.PathLike)) for each in several)
    if not named and not isinstance(source, (Source, OpenRequest)):
        raise ParameterError(
            f"a cluster reads files or Dask collections, and this is a {type(source).__name__}, in"
            " the memory of one process: use the estimator's own fit, or dask.array.from_array"
        )
    if y is not None or target is not None:
        raise ParameterError(
            "y and target are for Dask collections; a file's labels are in it, and their column is"
            " named by nk.open(path, target=...)"
        )
    if isinstance(source, OpenRequest):
        return source
    if named:
        return source, {}
    opening = source.opening
    if not opening.paths or not source.replayable:
        raise DataError(
            f"{source.name}: a cluster needs data that every worker can read, and this is a pipe or"
            " in the memory of one process: save it to a file first"
        )
    kept = {"cache": opening.cache, "fallback": dict(opening.fallback)}
    return list(opening.paths), kept | dict(opening.options)
