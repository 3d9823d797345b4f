"""What `rows` computes of one row, of many rows at once: NumPy's way, with the same bits.

Scans use this while there is too little to do to compile a loop. Each function is about the rows
from `start` to `stop`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.dot_kernels import Vector, dense_dots, rough_columns, sparse_dots
from novikoff.learning.rows import GOLDEN, Array, CsrRows, Rows, features_of, mix

Fingerprints = npt.NDArray[np.uint64]


class _Entries(NamedTuple):
    """The stored values of some CSR rows, their columns, and where each row begins."""

    values: Vector
    columns: Array
    starts: npt.NDArray[np.int64]


def _entries(rows: CsrRows, start: int, stop: int) -> _Entries:
    starts = rows.starts[start : stop + 1].astype(np.int64)
    part = slice(starts[0], starts[-1])
    return _Entries(rows.values[part].astype(np.float64), rows.columns[part], starts - starts[0])


def dots(rows: Rows, start: int, stop: int, weights: Vector) -> Vector:
    """row . weights."""
    if isinstance(rows, CsrRows):
        values, columns, starts = _entries(rows, start, stop)
        total = sparse_dots(values * weights[columns], starts, columns)
    else:
        total = dense_dots(rows.values[start:stop], weights)
    if rows.bias:
        total += weights[features_of(rows)]
    return total * scales(rows, start, stop)


def squares(rows: Rows, start: int, stop: int) -> Vector:
    """|row|^2."""
    if isinstance(rows, CsrRows):
        values, columns, starts = _entries(rows, start, stop)
        return _lifted(rows, sparse_dots(values * values, starts, columns), start, stop)
    values = rows.values[start:stop]
    return _lifted(rows, dense_dots(values, values), start, stop)


def rough_squares(rows: Rows, start: int, stop: int) -> Vector:
    """|row|^2 but for rounding: those of `dot_and_rough_square`."""
    if not isinstance(rows, CsrRows):
        return squares(rows, start, stop)
    values, _, starts = _entries(rows, start, stop)
    total = sparse_dots(values * values, starts, rough_columns(starts))
    return _lifted(rows, total, start, stop)


def _lifted(rows: Rows, total: Vector, start: int, stop: int) -> Vector:
    factors = scales(rows, start, stop)
    return (total + 1.0 if rows.bias else total) * factors * factors


def scales(rows: Rows, start: int, stop: int) -> Vector:
    """1 / |row|, or 1 where rows are as they are."""
    if not rows.unit_length:
        return np.ones(stop - start)
    lengths = np.sqrt(squares(rows._replace(unit_length=False), start, stop))
    return np.divide(1.0, lengths, out=np.ones(stop - start), where=lengths > 0.0)


def maxima(rows: Rows, start: int, stop: int) -> Vector:
    """The largest |value| in each column, bias and scale aside."""
    if isinstance(rows, CsrRows):
        values, columns, _ = _entries(rows, start, stop)
        found = np.zeros(rows.features)
        np.fmax.at(found, columns, np.abs(values))
        return found
    return np.asarray(np.abs(rows.values[start:stop]).max(axis=0, initial=0.0), np.float64)


def fingerprints(rows: Rows, start: int, stop: int) -> Fingerprints:
    """The fingerprint of each row."""
    if isinstance(rows, CsrRows):
        values, columns, starts = _entries(rows, start, stop)
        mixed = mix(values, (columns.astype(np.uint64) + np.uint64(1)) * GOLDEN)
        sums = np.append(np.uint64(0), np.cumsum(mixed))  # modulo 2^64, as all of this
        return np.asarray(sums[starts[1:]] - sums[starts[:-1]])
    values = rows.values[start:stop].astype(np.float64)
    places = np.arange(1, values.shape[1] + 1, dtype=np.uint64) * GOLDEN
    return np.asarray(mix(values, places).sum(axis=1, dtype=np.uint64))
