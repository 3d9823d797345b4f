"""The scan: the smallest score and where it is, with an error bound that really bounds."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from novikoff.errors import DataError
from novikoff.learning.rows import dot, make_rows, row_at
from novikoff.verdict.scan import Scan, fingerprints
from novikoff.verdict.signed import Signed
from novikoff.verdict.signed import dot as exact_dot

sizes = st.floats(-300, 300).map(lambda e: 10.0**e)
entries = st.one_of(
    st.floats(-10, 10), st.sampled_from([0.0, -0.0, 5e-324, 1.0]), st.builds(lambda s: s, sizes)
)


@st.composite
def problems(draw):
    rows, features = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    X = np.array(draw(st.lists(entries, min_size=rows * features, max_size=rows * features)))
    signs = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows)))
    w = np.array(draw(st.lists(st.floats(-5, 5), min_size=features + 1, max_size=features + 1)))
    return X.reshape(rows, features), signs.astype(np.int8), w


def plain_lowest(rows, signs, w):
    """The scan in plain Python: the first of the smallest scores."""
    scores = [float(sign) * dot(row_at(rows, i), w) for i, sign in enumerate(signs)]
    return min(zip(scores, range(len(scores)), strict=True))


@given(problems())
def test_the_compiled_scan_equals_plain_python(problem):
    X, signs, w = problem
    rows = make_rows(X, True, False)
    low = Scan(rows, signs).lowest(w)
    assert (low.score, low.row) == plain_lowest(rows, signs, w)


@given(problems())
def test_no_score_is_further_from_the_exact_one_than_the_error(problem):
    X, signs, w = problem
    signed = Signed(make_rows(X, True, False), signs, None)
    scan = signed.scan
    error = scan.error(w)
    weights = [Fraction(v) for v in w.tolist()]
    for i, score in enumerate(scan.scores(w)):
        row = signed.row(i)
        exact = sum(
            (v * weights[j] for j, v in zip(row.columns, row.values, strict=True)), Fraction(0)
        )
        if error < np.inf:
            assert abs(Fraction(float(score)) - exact / row.denominator) <= Fraction(error)


def test_the_error_is_tight_enough_to_decide_what_is_apart():
    X = np.random.default_rng(0).standard_normal((1000, 30))
    scan = Scan(make_rows(X, True, False), np.ones(1000, np.int8))
    assert scan.error(np.ones(31)) < 1e-12


@given(problems(), st.integers(0, 11))
def test_dense_and_sparse_scan_alike_and_rows_left_out_are_left_out(problem, out):
    X, signs, w = problem
    mask = np.arange(len(X)) == out
    dense = Scan(make_rows(X, True, False), signs)
    sparse = Scan(make_rows(scipy.sparse.csr_matrix(X), True, False), signs)
    a, b = dense.lowest(w, mask), sparse.lowest(w, mask)
    assert (a.score, a.row) == (b.score, b.row)
    assert a.row != out
    assert np.array_equal(dense.squares, sparse.squares)
    assert np.array_equal(dense.maxima, sparse.maxima)
    assert np.array_equal(fingerprints(dense.rows), fingerprints(sparse.rows))


def test_every_block_gives_its_lowest_row():
    X = np.random.default_rng(0).standard_normal((5000, 3))
    low = Scan(make_rows(X, False, False), np.ones(5000, np.int8)).lowest(np.array([1.0, 0, 0]))
    each = -(-5000 // len(low.rows))
    for k, (score, row) in enumerate(zip(low.scores, low.rows, strict=True)):
        block = X[k * each : (k + 1) * each, 0]
        assert score == (block.min() if block.size else np.inf)
        assert row == (k * each + block.argmin() if block.size else -1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_with_its_place(bad):
    X = np.zeros((50, 4))
    X[33, 2] = bad
    signs = np.ones(50, np.int8)
    for matrix in (X, scipy.sparse.csr_matrix(X)):
        with pytest.raises(DataError, match=r"row 33, column 2"):
            Scan(make_rows(matrix, True, False), signs)


def test_exact_rows_are_the_doubles_they_are():
    signed = Signed.of([[0.1, 0.0, -3.0]] * 2, [0, 1])
    row = signed.row(0)
    assert row.columns == [0, 2, 3]
    assert [Fraction(v, row.denominator) for v in row.values] == [-Fraction(0.1), 3, -1]
    assert exact_dot(signed.row(1), [0, 7, 1, 0]) == -3 * row.denominator
