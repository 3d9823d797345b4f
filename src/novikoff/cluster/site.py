"""One shard on the worker that is its home: its rows, read by the ordinary readers and kept.

A site travels as its address: wherever it is unpickled, it reads its rows anew. (The address of a
Dask partition is the partition.)
Rows are kept in memory as long as the shards of a worker take less than a share of what it may use;
beyond that they lie in a cache in the worker's own folder, and are mapped from there.
"""

import shutil
import tempfile
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.cluster.layout import Found, Layout
from novikoff.errors import ClusterError, DataError
from novikoff.sources.base import Chunk, Source
from novikoff.sources.cache import CacheSource, cached
from novikoff.sources.categories import OF_WORDS
from novikoff.sources.text import left_out
from novikoff.streams import surveyed

VERSION = version("novikoff")
SHARE = 0.4  # of a worker's memory that rows may take


class Address(Protocol):
    """Where rows are, so that any worker can read them."""

    @property
    def size(self) -> int:
        """Bytes that the rows take in memory, roughly."""

    def source(self, data: Any) -> Source:
        """The rows; data: a Dask partition, where that is what they are."""


class Part(NamedTuple):
    """A shard as the client knows it: its address, and the future of a partition if it is one."""

    address: Address
    data: Any = None


class Site:
    """A shard, opened. `memo` is for whoever keeps something of a shard between two questions.

    client: its version, which must be the one here: workers may join at any time.
    """

    def __init__(self, address: Address, data: Any = None, client: str = VERSION) -> None:
        if client != VERSION:
            raise ClusterError(
                f"a worker has novikoff {VERSION}, and the client has {client}: install the"
                " same version on both"
            )
        self.address, self.data = address, data
        self.memo: dict[Any, Any] = {}
        self._lock = threading.RLock()
        self._rest: _Rest | None = None
        self._fitted: tuple[Any, Any] | None = None

    def __reduce__(self) -> Any:
        return Site, (self.address, self.data)

    def source(self) -> Source:
        """Its rows, to be gone through once."""
        return self.address.source(self.data)

    def found(self, labels: bool = True, keep: bool = True) -> Found:
        """What one pass tells; the rows are kept, unless they are to be read again each time."""
        with self._lock:
            if keep:
                return self._at_rest().found(labels)
            source = self.source()
            found = surveyed(source, labels)  # in a pass that keeps nothing
            return told(source, found.rows, found.features, found.classes)

    def matrix(self, layout: Layout) -> Any:
        """The rows, as wide and as numbered as in the layout."""
        with self._lock:
            key = layout.features, None if layout.names is None else tuple(layout.names)
            if self._fitted is None or self._fitted[0] != key:
                self._fitted = None
                self._fitted = key, self._at_rest().fitted(layout)
            return self._fitted[1]

    def codes(self, layout: Layout) -> npt.NDArray[np.uint16]:
        """The class number of each row."""
        with self._lock:
            key = "codes", tuple(layout.classes.tolist())
            if key not in self.memo:
                rest = self._at_rest()
                self.memo[key] = layout.codes(rest.y(), rest.source.name)
            return self.memo[key]  # type: ignore[no-any-return]

    def labels(self) -> Any:
        """The label of each row, as it is in the data."""
        with self._lock:
            return self._at_rest().y()

    def lines(self, rows: npt.NDArray[np.int64]) -> list[tuple[str, int]] | None:
        """The file and line of some rows, counted from 0 here; None if they come from no lines."""
        with self._lock:
            return self._at_rest().lines(rows)

    def chunks(self, layout: Layout | None) -> Iterator[tuple[Any, Any]]:
        """The rows and labels as they are read, chunk by chunk, and not kept."""
        source = self.source()
        for chunk in source.chunks():
            X = chunk.X if layout is None else layout.matrix(chunk.X, source.feature_names)
            yield X, chunk

    def _at_rest(self) -> "_Rest":
        if self._rest is None:
            self._rest = _Rest(self.source(), self.address)
            weakref.finalize(self, self._rest.close)
        return self._rest


class _Rest:
    """Rows in memory, or in a cache."""

    def __init__(self, source: Source, address: Address) -> None:
        self._chunk: Chunk | None = None
        self._caches: list[Path] = []  # which go with the site
        self._taken = 0
        self.source = self._read = source
        try:
            if not address.size or (not self._take(address.size) and _is_empty(source)):
                self._chunk = source.read()  # in memory anyway, or what no cache can hold
            elif self._taken:
                chunk = source.read()
                self._chunk = chunk if self._take(_size(chunk)) else None  # what it really takes
            if self._chunk is None:
                self._take(0)
                self.source = self._cached(source)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give back what it took, of memory and of the disk; rows that are mapped still stay
        readable.
        """
        ROOM.take(-self._taken)
        for place in self._caches:
            shutil.rmtree(place, ignore_errors=True)

    def _take(self, size: int) -> bool:
        """Whether there is room for so many bytes in all; then they are taken."""
        fits = ROOM.take(size - self._taken)
        if fits:
            self._taken = size
        return fits

    def _cached(self, source: Source) -> CacheSource:
        self._caches.append(ROOM.folder() / f"{uuid.uuid4().hex}.nkcache")
        return cached(source, self._caches[-1])

    def _whole(self) -> Chunk:
        return self.source.read() if self._chunk is None else self._chunk

    def y(self) -> Any:
        return self._whole().y

    def found(self, labels: bool) -> Found:
        chunk, source = self._whole(), self.source
        known = None
        if labels:
            if isinstance(source, CacheSource) and source.classes is not None:
                known = source.classes
            elif chunk.y is None:
                raise DataError(f"{source.name}: the rows have no labels to learn from")
            else:
                known = np.unique(chunk.y)
        rows, features = chunk.X.shape
        return told(source, rows, features, known, self._read)

    def fitted(self, layout: Layout) -> Any:
        chunk = self._whole()
        columns = layout.columns(self.source.feature_names)
        if columns is not None and (self._chunk is None or not self._take(2 * _size(chunk))):
            return self._cached(Renumbered(self.source, layout)).matrix
        return layout.matrix(chunk.X, self.source.feature_names)

    def lines(self, rows: npt.NDArray[np.int64]) -> list[tuple[str, int]] | None:
        lines = self._whole().lines
        if lines is None:
            return None
        return places(self.source, rows, lines, self._read)


def _is_empty(source: Source) -> bool:
    return next(source.chunks(), None) is None


def _size(chunk: Chunk) -> int:
    """In bytes; labels that are Python's own objects not counted."""
    X = chunk.X
    parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    return sum(int(each.nbytes) for each in (*parts, chunk.y, chunk.lines) if each is not None)


class Renumbered(Source):
    """Rows with the columns that they have among all the shards."""

    def __init__(self, source: Source, layout: Layout) -> None:
        self._source, self._layout = source, layout
        self.name, self.format, self.cache = source.name, source.format, None
        self.feature_names, self.target_name = layout.names, source.target_name
        self.replayable = False  # it has no files of its own

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        for chunk in self._source.chunks(rows):
            X = self._layout.matrix(chunk.X, self._source.feature_names)
            yield Chunk(X, chunk.y, chunk.lines)

    def read(self) -> Chunk:
        raise TypeError("these rows are for a cache")


def told(
    source: Source, rows: int, features: int, labels: Any, read: Source | None = None
) -> Found:
    """What a source that was gone through says of itself; read: the one that a cache was made of,
    for that does not say everything.
    """
    read = source if read is None else read
    counted = left_out(read)  # what is counted is told of all shards together
    remarks = [each for each in source.remarks() if each not in counted]
    return Found(
        rows,
        features,
        labels,
        source.feature_names,
        source.numbering,
        getattr(read, "base", None),
        bool(getattr(read, "quotes", False)),
        read.skipped,
        tuple(each for each in remarks if not each.startswith(OF_WORDS)),
        tuple(getattr(read, "listed", None) or ()),
        tuple(read.categories),
    )


def places(source: Source, rows: Any, lines: Any, read: Source) -> list[tuple[str, int]]:
    """The file and the line of some rows; read: the source itself, or what a cache is made of."""
    files = list(source.files) or [(source.name, 0)]
    firsts = [first for _, first in files]
    found = []
    before: Callable[[], int] | None = getattr(read, "lines_before", None)
    for row in np.asarray(rows).tolist():
        k = max(0, int(np.searchsorted(firsts, row, "right")) - 1)
        line = int(lines[row]) + (before() if before is not None and k == 0 else 0)
        found.append((files[k][0], line))
    return found


class _Room:
    """How much memory the rows on this worker take, and where they go beyond that."""

    def __init__(self) -> None:
        # reentrant: a site gives back when it is collected, which can be within `take` itself
        self._lock, self._taken = threading.RLock(), 0
        self._folder: Path | None = None

    def take(self, size: int) -> bool:
        """Whether there is room for so many bytes more; then they are taken. Fewer than none are
        given back.
        """
        with self._lock:
            if size > 0 and self._taken + size > SHARE * _limit():
                return False
            self._taken += size
            return True

    def folder(self) -> Path:
        """The worker's own folder, which goes when it does."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="novikoff-", dir=_local_folder()))
            return self._folder


ROOM = _Room()


def _worker() -> Any:
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:  # not on a worker
        return None


def _limit() -> float:
    import psutil

    worker = _worker()
    limit = None if worker is None else worker.memory_manager.memory_limit
    return float(limit or psutil.virtual_memory().available)


def _local_folder() -> str | None:
    worker = _worker()
    return None if worker is None else str(worker.local_directory)
