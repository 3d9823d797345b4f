"""One order of summation, whatever the layout."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.jit import numba
from novikoff.learning import dot_kernels
from novikoff.learning.rows import CsrRow, DenseRow, dot, squared_norm

floats = st.floats(-1e100, 1e100, width=64)
vectors = hnp.arrays(np.float64, st.integers(0, 40), elements=floats)

njit = numba().njit


@njit
def dense_dot(x, w):
    return dot_kernels.dense_dot(x, w)


@njit
def sparse_dot(values, columns, w):
    return dot_kernels.sparse_dot(values, columns, w)


@njit
def row_dot(row, w):
    return dot(row, w)


@njit
def row_square(row):
    return squared_norm(row)


@given(vectors, st.data())
def test_compiled_equals_plain_python_bit_for_bit(x, data):
    w = data.draw(hnp.arrays(np.float64, len(x), elements=floats))
    assert dense_dot(x, w) == dot_kernels.dense_dot(x, w)


@given(vectors, st.data())
def test_skipping_zeros_changes_no_bit(x, data):
    x = np.where(data.draw(hnp.arrays(bool, len(x))), x, 0.0)
    w = data.draw(hnp.arrays(np.float64, len(x), elements=floats))
    for index in (np.uint32, np.uint64):
        columns = np.flatnonzero(x).astype(index)
        assert sparse_dot(x[columns], columns, w) == dense_dot(x, w)


@given(hnp.arrays(np.float32, st.integers(0, 40), elements=st.floats(-1024, 1024, width=32)))
def test_float32_is_widened_before_anything_else(x):
    w = np.linspace(-1, 1, len(x))
    assert dense_dot(x, w) == dense_dot(x.astype(np.float64), w)


@given(vectors, st.booleans(), st.sampled_from([1.0, 0.5, 0.1]))
def test_dense_and_sparse_rows_agree(x, bias, scale):
    w = np.linspace(-3, 5, len(x) + bias)
    columns = np.flatnonzero(x).astype(np.uint32)
    dense, sparse = DenseRow(x, bias, scale), CsrRow(x[columns], columns, len(x), bias, scale)
    assert row_dot(dense, w) == row_dot(sparse, w) == dot(dense, w) == dot(sparse, w)
    assert row_square(dense) == row_square(sparse) == squared_norm(dense) == squared_norm(sparse)


def test_the_order_is_the_documented_one():
    x = np.array([1e16, 1.0, -1e16, 1.0, 0.5, 3.0, 7.0, 1.0, 1.0, 2.0])
    lane = [x[0] + x[8], x[1] + x[9], *x[2:8]]
    expected = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + (
        (lane[1] + lane[5]) + (lane[3] + lane[7])
    )
    assert dense_dot(x, np.ones(10)) == expected
    assert expected != sum(x.tolist())  # another order, other bits
