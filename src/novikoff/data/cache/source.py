"""The rows of a cache, mapped into memory."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.cache.array_file import PIECE, MappedArray, read_text
from novikoff.data.cache.manifest import ARRAYS, DamagedCacheError, parse_manifest
from novikoff.data.chunk import Chunk, LabelArray
from novikoff.data.errors import check_features, file_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.patterns import ABOUT
from novikoff.data.files.storage import is_remote
from novikoff.data.matrices import MOST_CLASSES, Codes
from novikoff.data.source import Opening, RandomAccessSource, Source, SourceInfo
from novikoff.data.sparse import Matrix, csr_view
from novikoff.errors import DataError


class CacheSource(RandomAccessSource):
    """The rows of a cache. `about` is what it says of itself; `of` the format it was made from.

    Nothing is copied: what `read` gives are views of the files, but for labels that are words.
    `codes` and `classes` are what learning needs of the labels, also without a copy.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        features: int | None = None,
        labelled: bool = True,
        opening: Opening | None = None,
    ) -> None:
        asked = {"features": features, "labelled": None if labelled else False}
        options = {name: value for name, value in asked.items() if value is not None}
        opening = opening or Opening(options=options, opener=_reopen)
        super().__init__(SourceInfo(os.fsdecode(path), "cache"), opening)
        self.moved(path)
        with _complaints(self.name), _folder(self.path) as folder:
            self.about = about = parse_manifest(read_text(folder, ABOUT))
            self._mapped = {
                name: MappedArray(folder, name, kind, shape, (about.checksums or {}).get(name))
                for name, (kind, shape) in about.arrays().items()
            }
            if about.entries is not None:  # every other check relies on where rows begin
                for _ in self._mapped["starts"].verify(0, about.rows + 1):
                    pass
                _check_starts(self._mapped["starts"].array, about.entries)
        self.of, self.rows = about.of, about.rows
        self.info = self.info._replace(feature_names=about.names, target_name=about.target)
        self.found.files, self.found.skipped = list(about.files), about.skipped
        self.labelled = labelled
        self.features = self._checked_width(features)
        if labelled and about.labels is None:
            raise file_error(self.name, "the rows have no labels: pass labelled=False")

    def moved(self, path: str | os.PathLike[str]) -> "CacheSource":
        """Itself, when its folder has got another name."""
        self.path = os.fsdecode(path)
        paths = (str(Path(self.path, ABOUT)),)  # which says all that tells it from others
        self.info = self.info._replace(name=self.path, paths=paths)
        self.opening = self.opening._replace(paths=(self.path,))
        return self

    def name_after(self, source: Source) -> None:
        """Take the name of the source it was made of: messages then name the source's files."""
        self.info = self.info._replace(name=source.name)
        if source.paths:
            self.info = self.info._replace(paths=source.paths)
            first = 0 if source.shard is None else source.shard.start.file
            rows = [row for _, row in self.about.files]
            self.found.files = list(zip(source.paths[first:], rows, strict=False))

    def verify(self, names: Iterable[str] = ARRAYS) -> None:
        """Hold these arrays against their checksums, and what indexes against its limits.

        What was verified once is not looked at again.
        """
        self._verify(names, 0, self.rows)

    def _verify(self, names: Iterable[str], start: int, stop: int) -> None:
        """Verify some rows. None are handed out before: a wild column would read wild memory."""
        with _complaints(self.name):
            for name in (name for name in names if name in self._mapped):
                span = (self._place(name, start), self._place(name, stop))
                drop = stop - start == self.rows
                for first, last in self._mapped[name].verify(*span, drop=drop):
                    if name == "columns":
                        self._check_columns(first, last)
                    elif name == "codes":
                        self._check_codes(first, last)
                    elif name == "weights":
                        self._check_weights(first, last)

    def _place(self, name: str, row: int) -> int:
        """The number of an array's entries before a row."""
        mapped = self._mapped[name].array
        if self.about.entries is not None and name in ("values", "columns"):
            return int(self._mapped["starts"].array[row])
        return row * (mapped.shape[1] if mapped.ndim > 1 else 1)

    @property
    def matrix(self) -> Matrix:
        """All rows, as a view."""
        self.verify(("values", "columns"))
        return self._rows(0, self.rows)

    @cached_property
    def classes(self) -> LabelArray | None:
        """The different labels, sorted; None if there are none, or too many to be classes."""
        found = self.about.classes if self.labelled else None
        if found is None or len(found) > MOST_CLASSES:
            return None
        return np.array(found, np.str_ if self.about.labels == "words" else self.about.labels)

    @cached_property
    def codes(self) -> Codes | None:
        """For each row the number of its label among the classes, as a view; None without them."""
        if self.classes is None:
            return None
        self.verify(["codes"])
        codes: Codes = self._mapped["codes"].array
        return codes

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each row, as a view; None if the data give none."""
        if not self.about.weighted:
            return None
        self.verify(["weights"])
        return self._mapped["weights"].array

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once; those that were gone through may leave memory."""
        done = 0
        for chunk in super().chunks(rows):
            yield chunk
            done += chunk.X.shape[0]
            self.release(done)

    @property
    def bytes(self) -> int:
        return sum(each.array.nbytes for each in self._mapped.values())

    def release(self, rows: int) -> None:
        """Let the first so many rows leave memory; looked at again, they are loaded again."""
        for name, mapped in self._mapped.items():
            mapped.release(self._place(name, rows))

    @property
    def index_options(self) -> dict[str, Any]:
        """As the source that it was written from had it."""
        return dict(self.about.numbering)

    def notes(self) -> list[str]:
        """What was found out when it was written, and whether that still holds."""
        changed = [
            f"{path} has changed since {self.name} was made of it"
            for path in self._changed_originals()
        ]
        if self.about.checksums is None:
            changed.append(
                f"{self.name} was written by an earlier version, without checksums, so that damage"
                " to it may go unnoticed: remove it or write it again"
            )
        return [*self.about.remarks, *changed]

    def _block(self, start: int, stop: int) -> Chunk:
        self._verify(ARRAYS, start, stop)
        lines = self._mapped["lines"].array[start:stop] if self.about.numbered else None
        weights = self._mapped["weights"].array[start:stop] if self.about.weighted else None
        rows, labels = self._rows(start, stop), self._labels(start, stop)
        return Chunk(rows, labels, lines, weights=weights)

    def _rows(self, start: int, stop: int) -> Matrix:
        values = self._mapped["values"].array
        if self.about.entries is None:
            return values[start:stop]
        starts = self._mapped["starts"].array[start : stop + 1]
        first, last = int(starts[0]), int(starts[-1])
        if first:
            starts = starts - starts[0]
        columns = self._mapped["columns"].array[first:last]
        return csr_view(starts, columns, values[first:last], self.features)

    def _labels(self, start: int, stop: int) -> LabelArray | None:
        if not self.labelled:
            return None
        if self.about.labels == "words":
            return self._words[self._mapped["codes"].array[start:stop]]
        return self._mapped["y"].array[start:stop]

    @cached_property
    def _words(self) -> NDArray[np.str_]:
        return np.array(self.about.classes, np.str_)

    def _checked_width(self, features: int | None) -> int:
        width = self.about.features
        if features is None or (self.about.entries is not None and features > width):
            return features or width  # columns that no row here has
        check_features(self.name, width, features)
        return width

    def _check_columns(self, first: int, last: int) -> None:
        """Refuse entries that are outside of the rows, or not in the order of their columns."""
        before = max(first - 1, 0)
        columns, starts = self._mapped["columns"].array[before:last], self._mapped["starts"].array
        ascend = columns[1:] > columns[:-1]
        row, after = np.searchsorted(starts, (before + 1, last))
        ascend[starts[row:after] - (before + 1)] = True  # a new row
        if not 0 <= int(columns.min()) <= int(columns.max()) < self.about.features:
            row = int(np.searchsorted(starts, first, "right")) - 1
            raise DamagedCacheError(f"columns.npy has a column outside of the rows from {row} on")
        if not ascend.all():
            raise DamagedCacheError("columns.npy has columns that do not ascend in their row")

    def _check_codes(self, first: int, last: int) -> None:
        classes = self.about.classes or ()
        if int(self._mapped["codes"].array[first:last].max()) >= len(classes):
            raise DamagedCacheError("codes.npy names a class too many")

    def _check_weights(self, first: int, last: int) -> None:
        weights = self._mapped["weights"].array[first:last]
        if not ((weights > 0.0) & np.isfinite(weights)).all():
            raise DamagedCacheError("weights.npy has something that is no weight")

    def _changed_originals(self) -> list[str]:
        """The files it was made from that are still there, and are not what they were."""
        parent = Path(self.path).absolute().parent
        changed = []
        for known in self.about.originals:
            path = str(known.get("path"))
            if is_remote(path):
                continue  # not asked whether it is still what it was, which may take long
            path = os.path.normpath(parent / path)
            with contextlib.suppress(OSError, DataError):
                if stat.S_ISREG(Path(path).stat().st_mode) and not is_unchanged(Input(path), known):
                    changed.append(path)
        return changed


def _reopen(opening: Opening) -> CacheSource:
    return CacheSource(opening.paths[0], **opening.options)


def is_unchanged(given: Input, known: dict[str, Any]) -> bool:
    """Whether a file is still what a cache knows of it."""
    return all(known.get(what) == value for what, value in given.identity().items())


def _check_starts(starts: NDArray[Any], entries: int) -> None:
    sound = starts[0] == 0 and starts[-1] == entries
    for start in range(0, len(starts), PIECE):
        part = starts[start : start + PIECE + 1]
        sound = sound and bool((part[1:] >= part[:-1]).all())
    if not sound:
        raise DamagedCacheError(f"starts.npy does not ascend from 0 to {entries}")


@contextlib.contextmanager
def _folder(path: str) -> Iterator[int]:
    """The folder itself, so that all that is read lies in the same one, whatever its name is."""
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield opened
    finally:
        os.close(opened)


@contextlib.contextmanager
def _complaints(name: str) -> Iterator[None]:
    try:
        yield
    except (DamagedCacheError, OSError) as problem:
        # Else it and its frames hold each other, and the callers' caches, until they are collected.
        problem.__traceback__ = None
        if isinstance(problem, DamagedCacheError):
            words = _damage_text(str(problem))
        else:
            words = f"cannot be opened as a cache ({problem.strerror}): check the path"
        raise file_error(name, words) from None


def _damage_text(problem: str) -> str:
    return f"not a novikoff cache, or a damaged one ({problem}): write it again"
