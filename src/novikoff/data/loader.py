"""Rows that are gone through many times: in memory where they are few, else mapped from a cache."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff.data.files.storage import is_remote, size_of
from novikoff.data.matrices import Classes, Codes, as_matrix, encode
from novikoff.data.source import Source
from novikoff.errors import DataError

#: Bytes of files up to which their rows are simply read into memory.
FEW = 2**26
#: How much larger text is than its compressed file, or what is in a Parquet file, roughly.
PACKED = 4

Watch = Callable[[int, int | None, int], None]


def cached_if_large(source: Source, watch: Watch | None = None) -> Source:
    """A source of the same rows that can be read at once: itself if they are few, else its cache.

    The cache is written if there is none yet that is good. watch: called now and then meanwhile,
    with how many bytes of how many were read, and how many rows.
    """
    from novikoff.data.cache import CacheSource, ensure_cache  # loads what few rows do not need

    opening = source.opening
    if isinstance(source, CacheSource) or opening.cache is False or "decimal" in opening.options:
        return source
    if opening.cache is not None:
        return ensure_cache(source, opening.cache, watch=watch)
    if any(map(is_remote, source.paths)):  # nothing is written beside what is elsewhere
        return source
    return ensure_cache(source, watch=watch) if is_large(source) else source


class LoadedRows(NamedTuple):
    """Rows that can be gone through again and again, with the class number of each."""

    source: Source
    matrix: Any  # see `arrays.as_matrix`
    classes: Classes | None  # the labels in sorted order; None where they do not matter
    codes: Codes
    weights: NDArray[np.float64] | None = None  # None: all are 1


def load_rows(source: Source, *, labels: bool = True, watch: Watch | None = None) -> LoadedRows:
    """All the rows of a source; what a cache holds needs no memory, its class numbers neither."""
    from novikoff.data.cache import CacheSource

    source = cached_if_large(source, watch)
    if isinstance(source, CacheSource) and labels and source.codes is not None:
        known = source.classes, source.codes, source.weights
        return LoadedRows(source, as_matrix(source.matrix), *known)
    if isinstance(source, CacheSource) and not labels:
        matrix, weights = as_matrix(source.matrix), source.weights
    else:
        chunk = source.read()
        matrix, weights = as_matrix(chunk.X), chunk.weights
    if not labels:
        return LoadedRows(source, matrix, None, np.ones(matrix.shape[0], np.uint16), weights)
    if chunk.y is None:
        raise DataError(f"{source.name}: the rows have no labels to learn from")
    return LoadedRows(source, matrix, *encode(chunk.y), weights)


class TrainingSchedule(Protocol):
    """How often rows are gone through, and in which order."""

    @property
    def max_epochs(self) -> int:
        """At most so often."""

    @property
    def order(self) -> str:
        """Of the rows in each."""


def should_stream(passes: TrainingSchedule, form: str, cache: Any, size: int) -> bool:
    """Whether to learn from rows as they are read, and to keep none.

    That is so for a single epoch over many, and where no cache of them may be kept. form, cache:
    see `Source`, size: `bytes_of` it.
    """
    if form == "cache" or passes.order != "given" or size <= FEW:
        return False
    return cache is False or (passes.max_epochs == 1 and cache is None)


def is_large(source: Source) -> bool:
    """Whether its rows had better not be read into memory."""
    return bytes_of(source) > FEW


def bytes_of(source: Source) -> int:
    """How much there is to read, roughly, in bytes of text; 0 for what is not in files."""
    if source.shard is not None:
        return source.shard.bytes
    factor = PACKED if source.info.compressed or source.format == "parquet" else 1
    return factor * sum(map(size_of, source.paths))
