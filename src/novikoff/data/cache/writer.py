"""Writes a cache, a chunk at a time, so that it is there whole or not at all."""

import contextlib
import json
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.data.cache.array_file import PIECE, ArrayFile
from novikoff.data.cache.atomic_folder import install, is_cache_folder, new_folder
from novikoff.data.cache.label_files import LabelFiles
from novikoff.data.cache.manifest import Json, Manifest, index_type
from novikoff.data.chunk import START, Chunk, ReadPosition
from novikoff.data.errors import RereadError, file_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.patterns import ABOUT
from novikoff.data.files.storage import is_remote, size_of
from novikoff.data.source import Source
from novikoff.errors import DataError

#: Called now and then: bytes of text read, of how many (None: nobody knows), and rows.
Watch = Callable[[int, int | None, int], None]


def write_cache(
    source: Source,
    place: Path,
    *,
    kept: bool = False,
    watch: Watch | None = None,
    opened: Callable[[Path], Any] = lambda folder: None,
) -> Any:
    """Write the cache of a source, in the place of what is there: a cache or nothing.

    What `opened` makes of the finished folder is returned; it is called before the folder is moved
    to its place, where another writer may replace it at any moment.
    """
    place = Path(os.path.realpath(place))  # through a link, not over it
    refuse_foreign(place)
    if not place.parent.is_dir():
        raise DataError(f"{place}: there is no folder {place.parent} to write it into")
    originals = describe_originals(source, place.parent)
    with (
        explain_write_errors(place, "" if kept else " (--cache PATH)"),
        contextlib.ExitStack() as stack,
    ):
        folder = stack.enter_context(new_folder(place))
        known = {"asked": cache_key_options(source), "originals": originals, "kept": kept}
        about = _write_arrays(source, folder, known, watch)
        if describe_originals(source, place.parent) != originals:
            raise file_error(source.name, "it changed while it was being read")
        (folder / ABOUT).write_text(about.text(), encoding="utf-8")
        with (folder / ABOUT).open("rb") as file:
            os.fsync(file.fileno())
        found = opened(folder)
        install(folder, place)
    return found


def refuse_foreign(place: Path) -> None:
    """Nothing but a cache is ever replaced by one."""
    if os.path.lexists(place) and not is_cache_folder(place):
        raise DataError(
            f"{place}: it exists and is not a novikoff cache, expected a cache or nothing: name"
            " another place for the cache, or move away what is there"
        )


def describe_originals(source: Source, folder: Path) -> list[Json]:
    """The files of a source, by what tells them from others, and as seen from a folder."""
    return [
        {"path": _relative_path(path, folder), **Input(path).identity()} for path in source.paths
    ]


def _relative_path(path: str, folder: Path) -> str:
    return path if is_remote(path) else os.path.relpath(path, folder)


def cache_key_options(source: Source) -> Json:
    """The options that a source was opened with, as JSON has them."""
    matters: Json = json.loads(json.dumps(dict(source.opening.options), default=str))
    return matters


def _write_arrays(source: Source, folder: Path, known: Json, watch: Watch | None) -> Manifest:
    """Go through the source, from the start again where that turns out to be necessary.

    known: what the manifest says that no pass finds out.
    """
    reading, remedies = source, Json()
    while True:
        try:
            with contextlib.closing(_Arrays(folder)) as arrays:
                _pass(reading, arrays, watch)
                return _make_manifest(reading, arrays, known | {"checksums": arrays.finish()})
        except RereadError as late:
            if not source.replayable or late.remedy.items() <= remedies.items():
                raise
            remedies |= late.remedy
            reading = source.reopen(**remedies)


def _pass(source: Source, arrays: "_Arrays", watch: Watch | None) -> None:
    progress = _Progress(source)
    with contextlib.closing(_chunks(source)) as chunks:
        for chunk in chunks:
            if chunk.exact is not None:
                raise file_error(
                    source.name,
                    "a cache holds doubles, not exact decimals: leave out decimal, or the cache",
                )
            arrays.take(chunk)
            progress.come_to(chunk.end)
            if watch is not None:
                watch(progress.done, progress.total, arrays.rows)
    if not arrays.rows:
        raise file_error(source.name, "there are no rows")


def _chunks(source: Source) -> Generator[Chunk]:
    """The rows; what the system says about reading them is not about the cache."""
    try:
        yield from source.chunks()
    except OSError as problem:
        reason = problem.strerror or problem
        raise file_error(source.name, f"cannot be read ({reason}): check the path") from None


def _make_manifest(source: Source, arrays: "_Arrays", known: Json) -> Manifest:
    names = source.feature_names
    return Manifest(
        of=source.format,
        rows=arrays.rows,
        features=arrays.features if names is None else max(arrays.features, len(names)),
        entries=arrays.entries,
        names=names,
        target=source.target_name,
        labels=arrays.labels.kind,
        classes=arrays.labels.classes,
        numbered=arrays.numbered,
        files=list(source.files),
        skipped=source.skipped,
        remarks=source.notes(),
        numbering=source.index_options,
        weighted=arrays.weighted,
        **known,
    )


class _Arrays:
    """The arrays of a cache while they are written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.rows = self.features = 0
        self.entries: int | None = None
        self.labels = LabelFiles(folder)
        self._files: dict[str, ArrayFile] = {}  # but those of the labels

    def take(self, chunk: Chunk) -> None:
        """The next rows."""
        if not self.rows:
            self._begin(chunk)
        self.rows += chunk.X.shape[0]
        if self.entries is None:
            self._take_dense(chunk.X)
        else:
            self._take_sparse(chunk.X)
        if chunk.y is not None:
            self.labels.take(chunk.y)
        if self.numbered and chunk.lines is not None:
            self._files["lines"].append(chunk.lines)
        if chunk.weights is not None or self.weighted:
            self._take_weights(chunk)

    def _take_weights(self, chunk: Chunk) -> None:
        rows = chunk.X.shape[0]
        if not self.weighted:  # all rows before these weigh 1
            self._files["weights"] = ArrayFile(self._folder, "weights", np.float64)
            for start in range(0, self.rows - rows, PIECE):
                self._files["weights"].append(np.ones(min(PIECE, self.rows - rows - start)))
        self._files["weights"].append(np.ones(rows) if chunk.weights is None else chunk.weights)

    def _begin(self, chunk: Chunk) -> None:
        names: dict[str, Any] = {"values": np.float64}
        if not isinstance(chunk.X, np.ndarray):
            self.entries = 0
            names |= {"columns": index_type(0), "starts": index_type(0)}
        if chunk.lines is not None:
            names["lines"] = np.int64
        self._files = {name: ArrayFile(self._folder, name, kind) for name, kind in names.items()}
        if self.entries is not None:
            self._files["starts"].append(np.zeros(1, np.int64))

    def _take_dense(self, X: Any) -> None:
        if self.features not in (0, X.shape[1]):
            raise DataError(f"dense rows of {X.shape[1]} features come after {self.features}")
        self.features = X.shape[1]
        self._files["values"].append(X)

    def _take_sparse(self, X: Any) -> None:
        before, self.features = self.entries or 0, max(self.features, X.shape[1])
        self.entries = before + len(X.data)
        starts, columns = self._files["starts"], self._files["columns"]
        if starts.kind != index_type(self.entries):
            for each in (starts, columns):
                each.convert_dtype(index_type(self.entries))
        self._files["values"].append(X.data)
        columns.append(X.indices)
        starts.append(X.indptr[1:].astype(np.int64) + before)

    @property
    def numbered(self) -> bool:
        """Whether the rows have lines."""
        return "lines" in self._files

    @property
    def weighted(self) -> bool:
        """Whether a row has a weight other than 1."""
        return "weights" in self._files

    def finish(self) -> dict[str, str]:
        """Complete all files; returns their checksums."""
        files = self._files | self.labels.finish()
        for file in files.values():
            file.finish()
        return {name: file.checksums.text() for name, file in files.items()}

    def close(self) -> None:
        """Let go of all files."""
        self.labels.close()
        for file in self._files.values():
            file.close()


class _Progress:
    """How many bytes of text were read, by the places that chunks end at."""

    def __init__(self, source: Source) -> None:
        # Places count unpacked bytes.
        self.total: int | None = None
        shard, start = source.shard, START
        if shard is not None:
            start = shard.start
        if source.paths and not source.info.compressed:
            self.total = sum(map(size_of, source.paths)) if shard is None else shard.bytes
        self.done, self._before, self._last = 0, -start.offset, start

    def come_to(self, end: ReadPosition | None) -> None:
        """A chunk ends here."""
        if end is None:
            return
        if end.file != self._last.file:
            self._before += self._last.offset
        self._last = end
        self.done = self._before + end.offset


@contextlib.contextmanager
def explain_write_errors(place: Path, how: str = "") -> Iterator[None]:
    """What the system says about writing, as a sentence."""
    try:
        yield
    except OSError as problem:
        raise DataError(
            f"{place}: it cannot be written ({problem.strerror or problem}); nothing was left"
            f" behind. Make room, or choose another place for it{how}"
        ) from None
