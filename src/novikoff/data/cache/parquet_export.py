"""Rows as a Parquet file: a column for each feature, and one for the labels.

They are cached first, in a folder that is gone in the end: how many features there are, what they
are called and of what kind the labels are is only known when all rows were seen.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.data.cache import CacheSource, write_named_cache
from novikoff.data.cache.atomic_folder import new_folder
from novikoff.data.cache.writer import Watch, explain_write_errors
from novikoff.data.chunk import Chunk
from novikoff.data.errors import file_error
from novikoff.data.source import Source
from novikoff.errors import DataError
from novikoff.files import move_into_place

#: Sparse rows of more features would be mostly zeros, written out one by one.
MOST_COLUMNS = 10_000
_GROUP_BYTES = 2**26
_GROUP_ROWS = 2**17


def write_parquet(source: Source, place: Path, *, watch: Watch | None = None) -> CacheSource:
    """Write the rows of a source to a Parquet file, all or nothing; returns them as they were."""
    place = Path(os.path.realpath(place))  # through a link, not over it
    _pyarrow(source)
    with explain_write_errors(place), new_folder(place) as folder:
        rows = source if isinstance(source, CacheSource) else None
        if rows is None:
            rows = write_named_cache(source, folder / "rows.nkcache", watch=watch)
        finished = folder / "rows.parquet"
        _write(rows, finished, watch)
        move_into_place(finished, place)
    return rows


def _write(source: CacheSource, place: Path, watch: Watch | None) -> None:
    arrow, parquet = _pyarrow(source)
    names = _checked_names(source)
    each = max(1, min(_GROUP_ROWS, _GROUP_BYTES // (8 * len(names))))
    writer, done = None, 0
    try:
        for chunk in source.chunks(each):
            table = arrow.table(list(_columns(arrow, chunk)), names)
            if writer is None:
                writer = parquet.ParquetWriter(place, table.schema)
            writer.write_table(table)
            done += table.num_rows
            if watch is not None:
                watch(8 * len(names) * done, 8 * len(names) * source.rows, done)
    finally:
        if writer is not None:
            writer.close()


def _columns(arrow: Any, chunk: Chunk) -> Iterator[Any]:
    features = np.asfortranarray(_dense(chunk.X))
    for j in range(features.shape[1]):
        yield arrow.array(features[:, j])
    if chunk.y is not None:
        yield arrow.array(chunk.y, arrow.string() if chunk.y.dtype.kind == "U" else None)


def _dense(X: Any) -> Any:
    """All numbers, zeros too. SciPy's own way adds to zeros, which loses the sign of -0.0."""
    if isinstance(X, np.ndarray):
        return X
    full = np.zeros(X.shape)
    full[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices] = X.data
    return full


def _checked_names(source: CacheSource) -> list[str]:
    if source.about.entries is not None and source.features > MOST_COLUMNS:
        raise file_error(
            source.name,
            f"its rows are sparse, with {source.features:,} features: each would be a column of"
            f" Parquet, mostly of zeros, and more than {MOST_COLUMNS:,} are not written; convert it"
            " to .nkcache, which keeps rows sparse",
        )
    names = list(source.feature_names or (f"x{j}" for j in range(source.features)))
    if source.labelled:
        names.append(source.target_name or "target")
    for name, other in itertools.pairwise(sorted(names)):
        if name == other:
            raise file_error(source.name, f"two columns would be called {name!r}: rename one")
    return names


def _pyarrow(source: Source) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DataError(
            f"{source.name}: Parquet is written by PyArrow: run pip install pyarrow"
        ) from None
    return pyarrow, pyarrow.parquet
