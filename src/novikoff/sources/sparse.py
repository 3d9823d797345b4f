"""Canonical CSR matrices: columns sorted within each row, none twice."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.base import LARGEST_INDEX, Chunk, Matrix

Ints = NDArray[np.int64]


def scipy_sparse() -> Any:
    """SciPy's sparse module, imported where it is needed only: it costs a third of a second."""
    return importlib.import_module("scipy.sparse")


def csr(starts: Ints, columns: Ints, values: NDArray[np.float64], width: int) -> Matrix:
    """The CSR matrix of sorted columns without repeats."""
    kind = np.int32 if len(values) <= LARGEST_INDEX else np.int64
    parts = values, columns.astype(kind, copy=False), starts.astype(kind, copy=False)
    matrix = scipy_sparse().csr_array(parts, shape=(len(starts) - 1, width))
    matrix.has_canonical_format = True
    return matrix


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """One chunk out of several that follow each other, as wide as the last of them."""
    first, last = chunks[0], chunks[-1]
    if len(chunks) == 1:
        return first
    if isinstance(first.X, np.ndarray):
        X = np.concatenate([chunk.X for chunk in chunks])
    else:
        counts = np.concatenate([np.diff(chunk.X.indptr) for chunk in chunks])
        starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        columns = np.concatenate([chunk.X.indices for chunk in chunks])
        values = np.concatenate([chunk.X.data for chunk in chunks])
        X = csr(starts, columns, values, last.X.shape[1])
    y, lines, exact = (
        np.concatenate(parts) if (parts := [each for each in some if each is not None]) else None
        for some in zip(*((each.y, each.lines, each.exact) for each in chunks), strict=True)
    )
    return Chunk(X, y, lines, exact, last.end)
