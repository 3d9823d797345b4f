"""Scans with NumPy give the bits of the compiled ones, whatever the rows."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.learning.rows import _find_fault, _find_fault_at_once, length, make_rows
from novikoff.verdict.scan import kernels
from novikoff.verdict.scan.results import BlockPartition
from novikoff.verdict.search import min_norm_point

#: Zeros of both signs, numbers whose sums round, and numbers whose squares leave the range.
VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e200, -1e200, 1e-200]),
    st.floats(-1e3, 1e3),
)
ODD = st.one_of(VALUES, st.sampled_from([np.nan, np.inf, -np.inf]))


@st.composite
def all_rows(draw, elements=VALUES):
    """Rows of any layout and type."""
    shape = draw(st.tuples(st.integers(1, 30), st.integers(1, 40)))
    X = draw(hnp.arrays(np.float64, shape, elements=elements, fill=st.just(0.0)))
    with np.errstate(over="ignore"):
        X = X.astype(draw(st.sampled_from([np.float32, np.float64])))
    matrix = scipy.sparse.csr_array(X) if draw(st.booleans()) else X
    return make_rows(matrix, draw(st.booleans()), draw(st.booleans()))


def weights_for(rows, data):
    width = (rows.features if hasattr(rows, "features") else rows.values.shape[1]) + rows.bias
    return data.draw(hnp.arrays(np.float64, width, elements=VALUES))


def equal_bits(a, b):
    """Whether arrays have the same bits, one NaN being as good as another."""
    floats = a.dtype.kind == "f"
    return a.shape == b.shape and (
        (
            np.array_equal(a, b, equal_nan=True)
            and np.array_equal(np.signbit(a)[a == a], np.signbit(b)[b == b])
        )
        if floats
        else np.array_equal(a, b)
    )


def assert_twins(make, *args, outs):
    """Run the loop both ways, each with outputs of its own, and compare these."""
    loop, results = kernels.kernel(make), []
    with np.errstate(all="ignore"):
        for run in (loop.compiled, loop.plain):
            results.append([each.copy() for each in outs])
            run(*args, *results[-1])
    for compiled, plain in zip(*results, strict=True):
        assert equal_bits(compiled, plain), (compiled, plain)


@given(all_rows(ODD), st.data())
def test_scores_squares_and_fingerprints(rows, data):
    weights = weights_for(rows, data)
    start = data.draw(st.integers(0, length(rows) - 1))
    stop = data.draw(st.integers(start + 1, length(rows)))
    signs = data.draw(hnp.arrays(np.int8, length(rows), elements=st.sampled_from([-1, 1])))
    out = np.zeros(stop - start)
    assert_twins(kernels.make_scores, rows, signs, weights, start, outs=[out])
    assert_twins(kernels.make_squares, rows, start, outs=[out])
    assert_twins(kernels.make_fingerprints, rows, start, outs=[out.astype(np.uint64)])


@given(all_rows(), st.data())
def test_surveys(rows, data):
    start = data.draw(st.integers(0, length(rows) - 1))
    outs = np.zeros(len(weights_for(rows, data))), np.zeros(length(rows) - start)
    assert_twins(kernels.make_survey, rows, start, outs=outs)


@given(all_rows(ODD), st.data())
def test_minima_of_blocks(rows, data):
    weights, count = weights_for(rows, data), length(rows)
    signs = data.draw(hnp.arrays(np.int8, count, elements=st.sampled_from([-1, 1])))
    excluded = data.draw(st.one_of(st.just(np.empty(0, bool)), hnp.arrays(bool, count)))
    positive = st.floats(1e-3, 1e3)
    scales = data.draw(
        st.one_of(st.just(np.empty(0)), hnp.arrays(np.float64, count, elements=positive))
    )
    partition = BlockPartition(data.draw(st.integers(0, 9)), data.draw(st.integers(1, 7)))
    first, blocks = partition.overlapped(count)
    skipped = data.draw(st.integers(0, blocks - 1))
    first, outs = first + skipped, [np.zeros(blocks - skipped), np.zeros(blocks - skipped, int)]
    which = excluded, scales, weights, partition, first
    assert_twins(kernels.make_block_minima, rows, signs, *which, outs=outs)
    which = weights, partition, first
    outs.append(np.zeros(blocks - skipped))
    assert_twins(kernels.make_rough_minima, rows, signs, *which, outs=outs)


@given(all_rows().filter(lambda rows: hasattr(rows, "starts")), st.data())
def test_columns_out_of_order_or_out_of_the_matrix(rows, data):
    columns = rows.columns.copy()
    for _ in range(data.draw(st.integers(0, 3)) if columns.size else 0):
        place = data.draw(st.integers(0, columns.size - 1))
        columns[place] = data.draw(st.integers(0, rows.features + 1))
    which = columns, rows.starts, rows.features, 0, length(rows)
    assert _find_fault(*which) == _find_fault_at_once(*which)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 40), st.integers(1, 12)),
        elements=st.one_of(st.integers(-2, 3).map(float), st.floats(-10, 10)),
    ),
    st.one_of(st.none(), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4)),
)
def test_the_nearest_point_is_found_by_the_same_steps(points, parts):
    start = None
    if parts:
        first = np.arange(min(len(parts), len(points)))
        start = min_norm_point.ActiveSet(first, np.array(parts[: len(first)]), points[0], 0, 0)
    loop, found = min_norm_point._wolfe, []
    with pytest.MonkeyPatch.context() as patch:
        for run in (loop.compiled, loop.plain):
            patch.setattr(min_norm_point, "_wolfe", run)
            with np.errstate(all="ignore"):
                found.append(min_norm_point.nearest_point(points, start))
    for compiled, plain in zip(*found, strict=True):
        assert equal_bits(np.asarray(compiled), np.asarray(plain))
