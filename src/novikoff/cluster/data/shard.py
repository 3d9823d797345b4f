"""One shard on the worker that holds it: its rows, read by the ordinary readers and kept.

A worker shard is sent as its address: wherever it is unpickled, it reads its rows anew. (The
address of a Dask partition is the partition.) Rows are kept in memory as long as the shards of a
worker take less than a share of what it may use; beyond that they are in a cache in the worker's
own folder, mapped into memory.
"""

import shutil
import tempfile
import threading
import uuid
import weakref
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.cluster.data.layout import Layout, ShardSummary
from novikoff.data.cache import CacheSource, ensure_cache
from novikoff.data.chunk import Chunk, LabelArray
from novikoff.data.matrices import Codes
from novikoff.data.shards import ShardSource
from novikoff.data.source import Source
from novikoff.data.sparse import Matrix
from novikoff.data.text.csv.categories import OF_WORDS
from novikoff.data.text.source import skipped_notes
from novikoff.data.weights import Weights
from novikoff.errors import ClusterError, DataError
from novikoff.learning.streaming import survey_once

VERSION = version("novikoff")
MEMORY_SHARE = 0.4  # of a worker's memory that rows may take


class ShardAddress(Protocol):
    """Where rows are, so that any worker can read them."""

    @property
    def size(self) -> int:
        """Bytes that the rows take in memory, roughly."""

    def source(self, data: Any) -> Source:
        """The rows. data: the Dask partition, if that is where they are."""


class ShardRef(NamedTuple):
    """A shard as the client knows it: its address, and the future of its Dask partition, if any."""

    address: ShardAddress
    data: Any = None


class WorkerShard:
    """A shard on a worker. `memo` holds what callers keep of it between two requests.

    client: the client's version, which must be the worker's: workers may join at any time.
    """

    def __init__(self, address: ShardAddress, data: Any = None, client: str = VERSION) -> None:
        if client != VERSION:
            raise ClusterError(
                f"a worker has novikoff {VERSION}, and the client has {client}: install the"
                " same version on both"
            )
        self.address, self.data = address, data
        self.memo: dict[object, Any] = {}
        self._lock = threading.RLock()
        self._resident: _ResidentRows | None = None
        self._aligned: tuple[object, Matrix] | None = None  # the layout's columns, and the matrix

    def __reduce__(self) -> tuple[type["WorkerShard"], tuple[ShardAddress, Any]]:
        return WorkerShard, (self.address, self.data)

    def source(self) -> Source:
        """The rows, to be read once."""
        return self.address.source(self.data)

    def summary(self, labels: bool = True, keep: bool = True) -> ShardSummary:
        """Read the shard once and summarize it. keep: whether the rows stay on the worker; else
        each pass reads them again.
        """
        with self._lock:
            if keep:
                return self._rows().summary(labels)
            source = self.source()
            found = survey_once(source, labels)
            return summarize(source, found.rows, found.features, found.classes)

    def matrix(self, layout: Layout) -> Matrix:
        """The rows with the columns of the layout."""
        with self._lock:
            key = layout.features, None if layout.names is None else tuple(layout.names)
            if self._aligned is None or self._aligned[0] != key:
                self._aligned = None
                self._aligned = key, self._rows().align(layout)
            return self._aligned[1]

    def codes(self, layout: Layout) -> Codes:
        """The class number of each row."""
        with self._lock:
            key = "codes", tuple(layout.classes.tolist())
            if key not in self.memo:
                rows = self._rows()
                self.memo[key] = layout.codes(rows.labels(), rows.source.name)
            codes: Codes = self.memo[key]
            return codes

    def labels(self) -> LabelArray | None:
        """The label of each row, as it is in the data."""
        with self._lock:
            return self._rows().labels()

    def weights(self) -> Weights | None:
        """The weight of each row; None if the data give none."""
        with self._lock:
            return self._rows().weights()

    def lines(self, rows: npt.NDArray[np.int64]) -> list[tuple[str, int]] | None:
        """The file and line of some rows, by their numbers here; None if they are not from lines
        of a file.
        """
        with self._lock:
            return self._rows().locations(rows)

    def chunks(self, layout: Layout) -> Iterator[tuple[Matrix, LabelArray | None, Weights | None]]:
        """The rows with the columns of the layout, their labels and weights, as they are read."""
        source = self.source()
        for chunk in source.chunks():
            yield layout.matrix(chunk.X, source.feature_names), chunk.y, chunk.weights

    def _rows(self) -> "_ResidentRows":
        if self._resident is None:
            self._resident = _ResidentRows(self.source(), self.address)
            weakref.finalize(self, self._resident.close)
        return self._resident


class _ResidentRows:
    """The rows of a shard, in memory or in a cache."""

    def __init__(self, source: Source, address: ShardAddress) -> None:
        self._chunk: Chunk | None = None
        self._caches: list[Path] = []  # removed with the shard
        self._reserved = 0
        self.source = self._original = source
        try:
            fits = not address.size or self._reserve(address.size)
            if not address.size or (not fits and next(source.chunks(), None) is None):
                self._chunk = source.read()  # in memory anyway, or what no cache can hold
            elif self._reserved:
                chunk = source.read()
                self._chunk = chunk if self._reserve(_bytes_of(chunk)) else None
            if self._chunk is None:
                self._reserve(0)
                self.source = self._cache(source)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Free its memory and its disk space; rows that are mapped stay readable."""
        MEMORY_BUDGET.reserve(-self._reserved)
        for path in self._caches:
            shutil.rmtree(path, ignore_errors=True)

    def _reserve(self, size: int) -> bool:
        """Reserve this many bytes in all, if there is room for them; whether there is."""
        fits = MEMORY_BUDGET.reserve(size - self._reserved)
        if fits:
            self._reserved = size
        return fits

    def _cache(self, source: Source) -> CacheSource:
        self._caches.append(MEMORY_BUDGET.folder() / f"{uuid.uuid4().hex}.nkcache")
        return ensure_cache(source, self._caches[-1])

    def _all(self) -> Chunk:
        return self.source.read() if self._chunk is None else self._chunk

    def labels(self) -> LabelArray | None:
        return self._all().y

    def weights(self) -> Weights | None:
        if isinstance(self.source, CacheSource):
            return self.source.weights
        return self._all().weights

    def summary(self, labels: bool) -> ShardSummary:
        chunk, source = self._all(), self.source
        classes = None
        if labels:
            if isinstance(source, CacheSource) and source.classes is not None:
                classes = source.classes
            elif chunk.y is None:
                raise DataError(f"{source.name}: the rows have no labels to learn from")
            else:
                classes = np.unique(chunk.y)
        rows, features = chunk.X.shape
        return summarize(source, rows, features, classes, self._original)

    def align(self, layout: Layout) -> Matrix:
        """The rows with the columns of the layout: a copy, if these are not the shard's own."""
        chunk = self._all()
        columns = layout.columns(self.source.feature_names)
        if columns is not None and (self._chunk is None or not self._reserve(2 * _bytes_of(chunk))):
            return self._cache(RenumberedSource(self.source, layout)).matrix
        return layout.matrix(chunk.X, self.source.feature_names)

    def locations(self, rows: npt.NDArray[np.int64]) -> list[tuple[str, int]] | None:
        lines = self._all().lines
        if lines is None:
            return None
        return row_locations(self.source, rows, lines, self._original)


def _bytes_of(chunk: Chunk) -> int:
    """Its size; labels that are Python's own objects not counted."""
    X = chunk.X
    parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return sum(int(each.nbytes) for each in (*parts, chunk.y, chunk.lines) if each is not None)


class RenumberedSource(Source):
    """The rows of a shard with the columns of the layout."""

    def __init__(self, source: Source, layout: Layout) -> None:
        # It has no files of its own.
        super().__init__(
            source.info._replace(paths=(), replayable=False, feature_names=layout.names)
        )
        self._source, self._layout = source, layout

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        for chunk in self._source.chunks(rows):
            X = self._layout.matrix(chunk.X, self._source.feature_names)
            yield Chunk(X, chunk.y, chunk.lines, weights=chunk.weights)

    def read(self) -> Chunk:
        raise TypeError("these rows are for a cache")


def summarize(
    source: Source,
    rows: int,
    features: int,
    labels: LabelArray | None,
    original: Source | None = None,
) -> ShardSummary:
    """Summarize a source that was read. original: the one that a cache was made of, which knows
    more.
    """
    read = source if original is None else original
    counted = skipped_notes(read)  # these notes are made once for all shards
    notes = [each for each in source.notes() if each not in counted]
    shard = read if isinstance(read, ShardSource) else None
    return ShardSummary(
        rows,
        features,
        labels,
        source.feature_names,
        source.index_options,
        None if shard is None else shard.base,
        shard is not None and shard.quotes,
        read.skipped,
        tuple(each for each in notes if not each.startswith(OF_WORDS)),
        () if shard is None or shard.listed is None else tuple(shard.listed),
        read.info.categories,
    )


def row_locations(
    source: Source, rows: npt.NDArray[np.int64], lines: npt.NDArray[np.int64], original: Source
) -> list[tuple[str, int]]:
    """The file and line of some rows. lines: of all rows. original: the source itself, or the one
    that a cache was made of.
    """
    files = list(source.files) or [(source.name, 0)]
    first_rows = [first for _, first in files]
    found = []
    for row in rows.tolist():
        k = max(0, int(np.searchsorted(first_rows, row, "right")) - 1)
        line = int(lines[row])
        if k == 0 and isinstance(original, ShardSource):
            line += original.lines_before()
        found.append((files[k][0], line))
    return found


class _MemoryBudget:
    """The memory that rows on this worker may take, and the folder for rows beyond that."""

    def __init__(self) -> None:
        # reentrant: a shard is freed when it is collected, which can be within `reserve` itself
        self._lock, self._reserved = threading.RLock(), 0
        self._folder: Path | None = None

    def reserve(self, size: int) -> bool:
        """Reserve this many bytes more, if there is room for them; whether there is. A negative
        size frees them.
        """
        with self._lock:
            if size > 0 and self._reserved + size > MEMORY_SHARE * _memory_limit():
                return False
            self._reserved += size
            return True

    def folder(self) -> Path:
        """A folder of the worker's own, which is removed with it."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="novikoff-", dir=_local_folder()))
            return self._folder


MEMORY_BUDGET = _MemoryBudget()


def _worker() -> Any:
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:  # not on a worker
        return None


def threads_of_task() -> int:
    """How many threads a task that runs on this worker may work on: its share of the worker's."""
    worker = _worker()
    if worker is None:
        return 1
    tasks = len(worker.state.executing) + len(worker.state.ready)
    return max(1, int(worker.state.nthreads) // max(1, tasks))


def _memory_limit() -> float:
    import psutil

    worker = _worker()
    limit = None if worker is None else worker.memory_manager.memory_limit
    return float(limit or psutil.virtual_memory().available)


def _local_folder() -> str | None:
    worker = _worker()
    return None if worker is None else str(worker.local_directory)
