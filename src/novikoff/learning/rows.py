"""Rows as the learner sees them: lifted by a bias, scaled to unit length, never copied.

    row = scale * (x, 1)    with a bias       scale = 1 / |(x, 1)|   where unit length is asked for
    row = scale * x         without           scale = 1              otherwise

Where rows have weights above 0, the scale is multiplied by the row's weight.

Loops know nothing of how a matrix is laid out: they go through the functions below, which take
either kind. A row of zeros has no direction: it stays as it is. The
bias is the last coordinate, number `features`.
"""

import math
import mmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.sparse import scipy_sparse
from novikoff.errors import DataError
from novikoff.jit import abstract, compile_loop, dispatch_on_type, inline
from novikoff.learning.dot_kernels import (
    dense_add,
    dense_dot,
    dense_dot_and_square,
    sparse_add,
    sparse_add_both,
    sparse_dot,
    sparse_dot_and_square,
    sparse_square,
)

Array = npt.NDArray[Any]
LARGE_MAPPING = 2**25  # bytes
FEW = 2**20  # values that are sooner copied than code for another type of them is compiled
BETWEEN_RELEASES = 2**17  # rows


@abstract
def length(self: Any) -> Any:
    """How many rows there are."""


@abstract
def row_at(self: Any, i: int) -> Any:
    """Row number i, as a view."""


@dispatch_on_type
def weight_at(self: Any, i: int) -> Any:
    """The weight of row number i."""
    return 1.0


@abstract
def scaled(self: Any, factor: float) -> Any:
    """The row times a factor, as a view."""


@abstract
def dot(self: Any, weights: Array) -> Any:
    """row . weights, summed in the order that `lanes` fixes.

    self: the row.
    weights: an entry for each of its coordinates.

    >>> row = row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0)  # (3, 4), lifted
    >>> float(dot(row, np.array([1.0, 1.0, 0.5])))
    7.5
    """


@abstract
def add_scaled(self: Any, amount: float, weights: Array) -> Any:
    """weights += amount * row.

    self: the row.
    amount: what to multiply it by.
    weights: an entry for each of its coordinates, which are changed.

    >>> weights = np.zeros(3)
    >>> row = row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0)  # (3, 4), lifted
    >>> add_scaled(row, 0.5, weights)
    >>> weights
    array([1.5, 2. , 0.5])
    """


@abstract
def add_scaled_to_both(self: Any, a: float, weights: Array, b: float, moments: Array) -> Any:
    """weights += a * row and moments += b * row, in one pass over the row."""


@abstract
def squared_norm(self: Any) -> Any:
    """|row|^2, with the 1 of a lifted row.

    self: the row.

    >>> row = row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0)  # (3, 4), lifted
    >>> squared_norm(row)
    26.0
    """


@abstract
def dot_and_rough_square(self: Any, weights: Array) -> Any:
    """row . weights, and |row|^2 but for rounding: summed in whatever order is fast."""


@dispatch_on_type
def rough_square(self: Any) -> Any:
    """|row|^2 but for rounding."""
    return squared_norm(self)


@abstract
def raise_maxima(self: Any, start: int, stop: int, maxima: Array) -> Any:
    """Raise maxima[j] to |value in column j| of rows start to stop, bias and scale aside."""


@abstract
def fingerprint(self: Any) -> Any:
    """A number of 64 bits that tells rows apart, bias and scale aside; see docs/certificate.md."""


@abstract
def entries(self: Any) -> Any:
    """How many entries the row stores, zeros of a dense row and the bias included.

    self: the row.

    >>> entries(row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0))  # (3, 4), lifted
    3
    """


@abstract
def column(self: Any, k: int) -> Any:
    """The coordinate of entry k; they ascend.

    self: the row.
    k: which of its `entries`.

    >>> column(row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0), 1)
    1
    """


@abstract
def value(self: Any, k: int) -> Any:
    """The value of entry k.

    self: the row.
    k: which of its `entries`.

    >>> value(row_at(make_rows(np.array([[3.0, 4.0]]), True, False), 0), 1)
    4.0
    """


@inline
def _larger(a: float, b: float) -> float:
    return a if a > b else b  # as the processor has it; Python's max is slower to compile and run


@inline
def _lifted_square(row: "DenseRow | CsrRow", square: float) -> float:
    return (square + 1.0 if row.bias else square) * row.scale * row.scale


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inline
def _mixed(number: float, place: np.uint64) -> np.uint64:
    """What one entry adds to a row's fingerprint: nothing if it is zero.

    The bits and the place, (column + 1) * GOLDEN, stirred by the last steps of Steele, Lea and
    Flood's splitmix64.
    """
    x = np.float64(number).view(np.uint64) + place
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31) if number != 0.0 else np.uint64(0)


def mix(numbers: Array, places: Array) -> Array:
    """`_mixed`, for arrays."""
    x = np.ascontiguousarray(numbers, np.float64).view(np.uint64) + places
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return np.where(numbers != 0.0, x ^ (x >> _31), np.uint64(0))


class DenseRow(NamedTuple):
    """One row of a dense matrix."""

    values: Array
    bias: bool
    scale: float

    def scaled(self, factor: float) -> "DenseRow":
        return DenseRow(self.values, self.bias, self.scale * factor)

    def dot(self, weights: Array) -> float:
        total = dense_dot(self.values, weights)
        if self.bias:
            total += weights[len(self.values)]
        return total * self.scale

    def add_scaled(self, amount: float, weights: Array) -> None:
        amount *= self.scale
        dense_add(self.values, amount, weights)
        if self.bias:
            weights[self.values.shape[0]] += amount

    def add_scaled_to_both(self, a: float, weights: Array, b: float, moments: Array) -> None:
        add_scaled(self, a, weights)
        add_scaled(self, b, moments)

    def squared_norm(self) -> float:
        return _lifted_square(self, dense_dot(self.values, self.values))

    def dot_and_rough_square(self, weights: Array) -> tuple[float, float]:
        total, square = dense_dot_and_square(self.values, weights)
        if self.bias:
            total += weights[len(self.values)]
        return total * self.scale, _lifted_square(self, square)

    def fingerprint(self) -> np.uint64:
        total, place = np.uint64(0), np.uint64(0)
        for j in range(self.values.shape[0]):
            place += GOLDEN  # a sum, because a product would take a third of the time
            total += _mixed(float(self.values[j]), place)
        return total

    def entries(self) -> int:
        return len(self.values) + int(self.bias)

    def column(self, k: int) -> int:
        return k

    def value(self, k: int) -> float:
        return self.scale * (float(self.values[k]) if k < self.values.shape[0] else 1.0)


class CsrRow(NamedTuple):
    """One row of a CSR matrix: its non-zeros, in ascending columns."""

    values: Array
    columns: Array
    features: int
    bias: bool
    scale: float

    def scaled(self, factor: float) -> "CsrRow":
        scale = self.scale * factor
        return CsrRow(self.values, self.columns, self.features, self.bias, scale)

    def dot(self, weights: Array) -> float:
        total = sparse_dot(self.values, self.columns, weights)
        if self.bias:
            total += weights[self.features]
        return total * self.scale

    def add_scaled(self, amount: float, weights: Array) -> None:
        amount *= self.scale
        sparse_add(self.values, self.columns, amount, weights)
        if self.bias:
            weights[self.features] += amount

    def add_scaled_to_both(self, a: float, weights: Array, b: float, moments: Array) -> None:
        a, b = a * self.scale, b * self.scale
        sparse_add_both(self.values, self.columns, a, weights, b, moments)
        if self.bias:
            weights[self.features] += a
            moments[self.features] += b

    def squared_norm(self) -> float:
        return _lifted_square(self, sparse_square(self.values, self.columns))

    def rough_square(self) -> float:
        return _lifted_square(self, dense_dot(self.values, self.values))

    def dot_and_rough_square(self, weights: Array) -> tuple[float, float]:
        total, square = sparse_dot_and_square(self.values, self.columns, weights)
        if self.bias:
            total += weights[self.features]
        return total * self.scale, _lifted_square(self, square)

    def fingerprint(self) -> np.uint64:
        total = np.uint64(0)
        for k in range(self.values.shape[0]):
            place = (np.uint64(self.columns[k]) + np.uint64(1)) * GOLDEN
            total += _mixed(float(self.values[k]), place)
        return total

    def entries(self) -> int:
        return len(self.values) + int(self.bias)

    def column(self, k: int) -> np.int64:
        # uint64 beside int64 would make a float of both
        return np.int64(self.columns[k]) if k < self.values.shape[0] else np.int64(self.features)

    def value(self, k: int) -> float:
        return self.scale * (float(self.values[k]) if k < self.values.shape[0] else 1.0)


class DenseRows(NamedTuple):
    """A C-ordered matrix of float32 or float64."""

    values: Array
    bias: bool
    unit_length: bool

    def length(self) -> int:
        return int(self.values.shape[0])

    def row_at(self, i: int) -> DenseRow:
        row = DenseRow(self.values[i], self.bias, 1.0)
        if self.unit_length:
            return DenseRow(row.values, self.bias, _to_unit(squared_norm(row)))
        return row

    def raise_maxima(self, start: int, stop: int, maxima: Array) -> None:
        values, whole = self.values, start + (stop - start) // 4 * 4
        for i in range(start, whole, 4):  # one by one, writing the maxima takes most of the time
            for j in range(values.shape[1]):
                low = _larger(abs(float(values[i, j])), abs(float(values[i + 1, j])))
                high = _larger(abs(float(values[i + 2, j])), abs(float(values[i + 3, j])))
                maxima[j] = _larger(_larger(low, high), maxima[j])
        for i in range(whole, stop):
            for j in range(values.shape[1]):
                maxima[j] = _larger(abs(float(values[i, j])), maxima[j])


class CsrRows(NamedTuple):
    """A CSR matrix with sorted, unique, unsigned column numbers (signed ones gather slower)."""

    values: Array
    columns: Array
    starts: Array
    features: int
    bias: bool
    unit_length: bool

    def length(self) -> int:
        return int(self.starts.shape[0]) - 1

    def row_at(self, i: int) -> CsrRow:
        start, stop = self.starts[i], self.starts[i + 1]
        values, columns = self.values[start:stop], self.columns[start:stop]
        row = CsrRow(values, columns, self.features, self.bias, 1.0)
        if self.unit_length:
            scale = _to_unit(squared_norm(row))
            return CsrRow(values, columns, self.features, self.bias, scale)
        return row

    def raise_maxima(self, start: int, stop: int, maxima: Array) -> None:
        for k in range(self.starts[start], self.starts[stop]):
            j = self.columns[k]
            maxima[j] = _larger(abs(float(self.values[k])), maxima[j])


class WeightedRows(NamedTuple):
    """Rows of a matrix, each scaled by its weight, which is above 0."""

    rows: Any
    weights: Array

    def length(self) -> int:
        return length(self.rows)  # type: ignore[no-any-return]

    def row_at(self, i: int) -> Any:
        return scaled(row_at(self.rows, i), self.weights[i])

    def weight_at(self, i: int) -> Any:
        return self.weights[i]


Rows = DenseRows | CsrRows
LearnerRows = Rows | WeightedRows


def unweighted(rows: LearnerRows) -> Rows:
    """The rows as they are without their weights."""
    return rows.rows if isinstance(rows, WeightedRows) else rows


def weighted(rows: Rows, weights: Array | None) -> LearnerRows:
    """The rows with their weights, if they have any."""
    return rows if weights is None else WeightedRows(rows, read_only(weights))


@inline
def _to_unit(squared_length: float) -> float:
    return 1.0 / math.sqrt(squared_length) if squared_length > 0.0 else 1.0


def make_rows(matrix: Any, bias: bool, unit_length: bool) -> Rows:
    """Wrap a matrix from `sources.arrays.as_matrix`.

    Nothing is copied, but for a CSR matrix whose columns do not ascend within its rows, and for few
    rows of less common types: of float32 values, which are the same as float64, or with columns
    numbered by int64 without need.
    """
    if isinstance(matrix, np.ndarray):
        return DenseRows(read_only(_doubles(matrix)), bias, unit_length)
    rows = _csr_rows(matrix, bias, unit_length)
    fault = _fault(rows)
    if fault < 0:
        return rows
    columns = matrix.indices[matrix.indptr[fault] : matrix.indptr[fault + 1]]
    bad = columns[(columns < 0) | (columns >= rows.features)]
    if bad.size:
        raise DataError(
            f"X is a damaged CSR matrix: row {fault} has column {bad[0]}, outside"
            f" 0..{rows.features - 1}"
        )
    sorted_copy = matrix.copy()
    sorted_copy.has_canonical_format = sorted_copy.has_sorted_indices = False
    sorted_copy.sum_duplicates()
    return make_rows(sorted_copy, bias, unit_length)


def _csr_rows(matrix: Any, bias: bool, unit_length: bool) -> CsrRows:
    unsigned = np.uint32 if matrix.indices.dtype.itemsize == 4 else np.uint64
    indices = [each.view(unsigned) for each in (matrix.indices, matrix.indptr)]
    if all(each.size <= FEW and each.max(initial=0) < 2**32 for each in indices):
        indices = [each.astype(np.uint32, copy=False) for each in indices]
    values, columns, starts = map(read_only, (_doubles(matrix.data), *indices))
    return CsrRows(values, columns, starts, int(matrix.shape[1]), bias, unit_length)


def _doubles(values: Array) -> Array:
    return values.astype(np.float64, copy=False) if values.size <= FEW else values


def read_only(array: Array) -> Array:
    """The same numbers, not to be written to. All rows are such, whether they lie in memory or are
    mapped from a file: otherwise each loop would be compiled once for either.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def _fault(rows: CsrRows) -> int:
    """The first row whose columns do not ascend, or leave the matrix; -1 if there is none."""
    total, each = length(rows), BETWEEN_RELEASES
    for start in range(0, total, each):
        stop = min(start + each, total)
        fault = int(_first_fault(rows.columns, rows.starts, rows.features, start, stop))
        if fault >= 0:
            return fault
        release(rows)
    return -1


def _find_fault(columns: Array, starts: Array, features: int, first: int, last: int) -> int:
    """The same, among rows first to last.

    The loop follows column numbers without looking. SciPy remembers that it once found them good,
    which says nothing about what was written there since.
    """
    for i in range(first, last):
        start, stop = np.int64(starts[i]), np.int64(starts[i + 1])
        disorder = False
        for k in range(start + 1, stop):
            disorder |= columns[k] <= columns[k - 1]
        if disorder or (stop > start and np.uint64(columns[stop - 1]) >= np.uint64(features)):
            return i
    return -1


def _find_fault_at_once(columns: Array, starts: Array, features: int, first: int, last: int) -> int:
    """The same with NumPy."""
    begins = starts[first : last + 1].astype(np.int64)
    inside = columns[begins[0] : begins[-1]].astype(np.uint64)
    rows = np.repeat(np.arange(last - first), np.diff(begins))
    bad = inside >= np.uint64(features)
    bad[1:] |= (inside[1:] <= inside[:-1]) & (rows[1:] == rows[:-1])
    return first + int(rows[np.argmax(bad)]) if bad.any() else -1


_first_fault = compile_loop(
    _find_fault,
    plain=_find_fault_at_once,
    work=lambda columns, starts, *_: 500 + (columns.size + starts.size) / 4,
)


def features_of(rows: LearnerRows) -> int:
    """The number of features, without the bias."""
    rows = unweighted(rows)
    return rows.features if isinstance(rows, CsrRows) else int(rows.values.shape[1])


def stored(rows: LearnerRows) -> int:
    """How many values the rows store."""
    return int(unweighted(rows).values.size)


def release(rows: LearnerRows, *beside: Array) -> None:
    """Give back the memory that rows mapped from a file have taken, if that is much.

    They are read again from the file, most often from the system's own copy of it, when they are
    next asked for; without this a pass over a file would come to hold all of it. beside: arrays
    that go with the rows.
    """
    for array in (*unweighted(rows), *beside) if is_mapped(rows) else ():
        mapping = _mapping(array) if isinstance(array, np.ndarray) else None
        if mapping is not None:
            mapping.madvise(mmap.MADV_DONTNEED)


def _mapping(array: Any) -> mmap.mmap | None:
    while array is not None and not isinstance(array, mmap.mmap):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array


def is_mapped(rows: LearnerRows) -> bool:
    """Whether the rows lie in a file that is much to hold."""
    mapping = _mapping(unweighted(rows).values)
    return mapping is not None and len(mapping) > LARGE_MAPPING


def longest(rows: Rows) -> int:
    """The most entries that a row stores, without the bias."""
    if isinstance(rows, CsrRows):
        return int(np.diff(rows.starts.astype(np.int64)).max(initial=0))
    return features_of(rows)


def matrix_of(rows: Rows) -> Any:
    """The matrix that the rows were made from, dense or CSR, not copied."""
    return as_csr(rows) if isinstance(rows, CsrRows) else rows.values


def as_csr(rows: CsrRows) -> Any:
    """The matrix that the rows were made from, not copied."""
    signed = np.int32 if rows.columns.dtype.itemsize == 4 else np.int64
    parts = rows.values, rows.columns.view(signed), rows.starts.view(signed)
    return scipy_sparse().csr_array(parts, shape=(length(rows), rows.features))
