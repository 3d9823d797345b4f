"""Rows as the learner sees them: lifted by a bias, scaled to unit length, never copied.

    row = scale * (x, 1)    with a bias       scale = 1 / |(x, 1)|   where unit length is asked for
    row = scale * x         without           scale = 1              otherwise

This is the only file that knows how a matrix is laid out; everything else goes through the
functions below, which take either kind. A row of zeros has no direction: it stays as it is. The
bias is the last coordinate, number `features`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from novikoff.generic import COMPILED, abstract
from novikoff.lanes import dense_dot, sparse_dot, sparse_square

Array = npt.NDArray[Any]


@abstract
def length(self: Any) -> Any:
    """How many rows there are."""


@abstract
def row_at(self: Any, i: int) -> Any:
    """Row number i, as a view."""


@abstract
def dot(self: Any, weights: Array) -> Any:
    """row . weights, summed in the order that `lanes` fixes."""


@abstract
def add_scaled(self: Any, amount: float, weights: Array) -> Any:
    """weights += amount * row."""


@abstract
def squared_norm(self: Any) -> Any:
    """|row|^2."""


@abstract
def entries(self: Any) -> Any:
    """How many entries the row stores, zeros of a dense row and the bias included."""


@abstract
def column(self: Any, k: int) -> Any:
    """The coordinate of entry k; they ascend."""


@abstract
def value(self: Any, k: int) -> Any:
    """The value of entry k."""


class DenseRow(NamedTuple):
    """One row of a dense matrix."""

    values: Array
    bias: bool
    scale: float

    def dot(self, weights: Array) -> float:
        total = dense_dot(self.values, weights)
        if self.bias:
            total += weights[self.values.shape[0]]
        return total * self.scale

    def add_scaled(self, amount: float, weights: Array) -> None:
        amount *= self.scale
        for j in range(self.values.shape[0]):
            weights[j] += amount * float(self.values[j])
        if self.bias:
            weights[self.values.shape[0]] += amount

    def squared_norm(self) -> float:
        total = dense_dot(self.values, self.values)
        if self.bias:
            total += 1.0
        return total * self.scale * self.scale

    def entries(self) -> int:
        return self.values.shape[0] + int(self.bias)

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

    def dot(self, weights: Array) -> float:
        total = sparse_dot(self.values, self.columns, weights)
        if self.bias:
            total += weights[self.features]
        return total * self.scale

    def add_scaled(self, amount: float, weights: Array) -> None:
        amount *= self.scale
        for k in range(self.values.shape[0]):
            weights[self.columns[k]] += amount * float(self.values[k])
        if self.bias:
            weights[self.features] += amount

    def squared_norm(self) -> float:
        total = sparse_square(self.values, self.columns)
        if self.bias:
            total += 1.0
        return total * self.scale * self.scale

    def entries(self) -> int:
        return self.values.shape[0] + int(self.bias)

    def column(self, k: int) -> int:
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


Rows = DenseRows | CsrRows


@register_jitable(**COMPILED)  # type: ignore[untyped-decorator]
def _to_unit(squared_length: float) -> float:
    return 1.0 / math.sqrt(squared_length) if squared_length > 0.0 else 1.0


def make_rows(matrix: Any, bias: bool, unit_length: bool) -> Rows:
    """Wrap a matrix that `sources.arrays.as_matrix` has made fit; nothing is copied."""
    if isinstance(matrix, np.ndarray):
        return DenseRows(matrix, bias, unit_length)
    unsigned = np.uint32 if matrix.indices.dtype.itemsize == 4 else np.uint64
    columns, starts = matrix.indices.view(unsigned), matrix.indptr.view(unsigned)
    return CsrRows(matrix.data, columns, starts, int(matrix.shape[1]), bias, unit_length)


def features_of(rows: Rows) -> int:
    """The number of features, without the bias."""
    return rows.features if isinstance(rows, CsrRows) else int(rows.values.shape[1])


def stored(rows: Rows) -> int:
    """How many values the rows store."""
    return int(rows.values.size)
