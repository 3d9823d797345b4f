"""What every chunk must be, and how to compare two of them bit by bit."""

from collections.abc import Callable

import numpy as np
from hypothesis import settings

from novikoff.sources import Chunk, Source

Save = Callable[[str, str | bytes], str]

#: Files take as long as the disk does, and the first CSR matrix as long as SciPy takes to import.
unhurried = settings(deadline=None)


def dense(chunk: Chunk) -> np.ndarray:
    """The rows as an array. SciPy's toarray adds to zeros, which would lose the sign of -0.0."""
    if isinstance(chunk.X, np.ndarray):
        return chunk.X
    full = np.zeros(chunk.X.shape)
    full[np.repeat(np.arange(full.shape[0]), np.diff(chunk.X.indptr)), chunk.X.indices] = (
        chunk.X.data
    )
    return full


def bits(values: object) -> bytes:
    """Floats as bytes, so that -0.0 and 0.0 differ."""
    return np.asarray(values, dtype=np.float64).tobytes()


def check_chunk(chunk: Chunk) -> None:
    """The promises of a chunk, whatever it was read from."""
    X, y, lines = chunk
    assert X.ndim == 2
    assert X.dtype == np.float64
    if isinstance(X, np.ndarray):
        assert X.flags.c_contiguous
        assert np.isfinite(X).all()
    else:
        fresh = X.copy()
        fresh.has_canonical_format = False
        fresh.has_sorted_indices = False
        fresh.sum_duplicates()
        assert np.array_equal(fresh.indices, X.indices)
        assert np.isfinite(X.data).all()
        X.check_format(full_check=True)
    if y is not None:
        assert y.dtype.kind == "U" or y.dtype in (np.int64, np.float64)
        assert len(y) == X.shape[0]
    if chunk.exact is not None:
        values = X if isinstance(X, np.ndarray) else X.data
        assert chunk.exact.shape == values.shape
        assert [float(number) for number in chunk.exact.flat] == values.ravel().tolist()
    if lines is not None:
        assert len(lines) == X.shape[0]
        assert (np.diff(lines) > 0).all()


def together(source: Source, rows: int) -> Chunk:
    """All chunks of a pass as one, each checked, none larger than asked for."""
    parts = []
    for part in source.chunks(rows):
        check_chunk(part)
        assert 1 <= part.X.shape[0] <= rows
        parts.append(part)
    width = parts[-1].X.shape[1]
    X = np.zeros((sum(part.X.shape[0] for part in parts), width))
    start = 0
    for part in parts:
        stop = start + part.X.shape[0]
        X[start:stop, : part.X.shape[1]] = dense(part)
        start = stop
    y = None if parts[0].y is None else np.concatenate([part.y for part in parts])
    lines = None if parts[0].lines is None else np.concatenate([part.lines for part in parts])
    return Chunk(X, y, lines)


def same(left: Chunk, right: Chunk) -> bool:
    """Whether two chunks hold the same rows, bit for bit, with the same labels and lines."""
    return (
        dense(left).shape == dense(right).shape
        and bits(dense(left)) == bits(dense(right))
        and np.array_equal(left.y, right.y)
        and np.array_equal(left.lines, right.lines)
    )
