"""What every chunk must be, and how to compare two of them bit by bit."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from novikoff.data import Chunk, Source
from novikoff.data.files import blocks
from novikoff.errors import DataError

Save = Callable[[str, str | bytes], str]


def full(X: Any) -> np.ndarray:
    """A matrix as an array. SciPy's toarray adds to zeros, which would lose the sign of -0.0."""
    if isinstance(X, np.ndarray):
        return X
    found = np.zeros(X.shape)
    found[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices] = X.data
    return found


def dense(chunk: Chunk) -> np.ndarray:
    """The rows of a chunk as an array."""
    return full(chunk.X)


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


def same_rows(left: Chunk, right: Chunk) -> bool:
    """Whether two chunks hold the same rows, bit for bit, with the same labels and lines."""
    return (
        dense(left).shape == dense(right).shape
        and bits(dense(left)) == bits(dense(right))
        and np.array_equal(left.y, right.y)
        and np.array_equal(left.lines, right.lines)
    )


def attempt(action: Callable[[], Chunk]) -> Chunk | DataError:
    """What an action reads, or why it refuses."""
    try:
        return action()
    except DataError as problem:
        return without_frames(problem)


def without_frames(problem: DataError) -> DataError:
    """An error that holds on to nothing. Readers in its frames are closed now; otherwise whoever
    keeps the error keeps them, and the collector may come to their files first, which warns.
    """
    for each in (problem, problem.__context__):
        if each is not None:
            traceback.clear_frames(each.__traceback__)
            each.__traceback__ = None
    return problem


def as_text(raw: bytes) -> np.ndarray:
    """Bytes as the parsers take them."""
    return np.frombuffer(raw, np.uint8)


@contextmanager
def blocks_of(size: int) -> Iterator[None]:
    """Have files read in blocks of so many bytes, or of a line if that is longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        yield
