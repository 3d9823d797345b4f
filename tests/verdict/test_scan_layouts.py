"""Passes over rows: the same bits for dense and sparse rows, on one thread as on several, and
errors that are never exceeded.
"""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from novikoff.errors import DataError
from novikoff.learning.rows import make_rows
from novikoff.verdict.scan import BLOCKS, Scan, fingerprints
from novikoff.verdict.scan import kernels as scans
from novikoff.verdict.signed import Signed
from tests.helpers.rule_table import problems


def both(X, bias=True):
    """Scans of the same rows, dense and sparse."""
    signs = np.where(np.arange(len(X)) % 3 == 0, 1, -1).astype(np.int8)
    layouts = np.ascontiguousarray(X), scipy.sparse.csr_array(X)
    return [Scan(make_rows(matrix, bias, False), signs) for matrix in layouts]


@given(problems(), st.booleans())
def test_dense_and_sparse_rows_give_the_same_bits(problem, bias):
    X, _ = problem
    dense, sparse = both(X, bias)
    weights = np.linspace(-1.5, 2.0, X.shape[1] + bias)
    assert dense.squares.tobytes() == sparse.squares.tobytes()
    assert dense.maxima.tobytes() == sparse.maxima.tobytes()
    assert dense.scores(weights).tobytes() == sparse.scores(weights).tobytes()
    assert fingerprints(dense.rows).tobytes() == fingerprints(sparse.rows).tobytes()
    a, b = dense.lowest(weights), sparse.lowest(weights)
    assert (a.score, a.row, a.rows.tolist()) == (b.score, b.row, b.rows.tolist())


@given(problems(), st.booleans())
def test_a_survey_finds_what_numpy_finds(problem, bias):
    X, _ = problem
    for found in both(X, bias):
        assert found.maxima.tolist() == [*np.abs(X).max(axis=0), *([1.0] if bias else [])]
        np.testing.assert_allclose(found.squares, (X**2).sum(axis=1) + bias, rtol=1e-14)


@given(problems(max_rows=8), st.integers(-1060, 900), st.integers(0, 2**32 - 1))
def test_no_score_is_further_off_than_its_error(problem, power, seed):
    X, _ = problem
    with np.errstate(all="ignore"):
        X = np.ldexp(X, power)
    if not np.isfinite(X).all():
        return
    weights = np.random.default_rng(seed).standard_normal(X.shape[1] + 1)
    for found in both(X):
        error = Fraction(found.error(weights))
        for i, score in enumerate(found.scores(weights)):
            row = [*X[i].tolist(), 1.0]
            exact = sum(Fraction(a) * Fraction(b) for a, b in zip(row, weights, strict=True))
            assert abs(int(found.signs[i]) * exact - Fraction(score)) <= error


@pytest.fixture
def large():
    X = np.random.default_rng(4).standard_normal((3001, 41)).astype(np.float32)
    X[np.abs(X) < 0.3] = 0.0
    return X


def test_threads_change_nothing(large, monkeypatch):
    weights = np.linspace(-1.0, 2.0, 42)
    found = []
    for processors, enough in ((1, 2**20), (2, 1), (7, 1)):
        monkeypatch.setattr(scans, "processors", lambda n=processors: n)
        monkeypatch.setattr(scans, "ENTRIES_PER_THREAD", enough)
        for each in both(large):
            low = each.lowest(weights)
            arrays = each.squares, each.maxima, each.scores(weights), low.scores, low.rows
            found.append([array.tobytes() for array in (*arrays, fingerprints(each.rows))])
    assert all(other == found[0] for other in found)


def test_rows_up_to_a_limit_are_found_in_their_blocks(large):
    weights = np.linspace(-1.0, 2.0, 42)
    scales = np.linspace(0.5, 2.0, len(large))
    for each in both(large):
        scores = each.scores(weights)
        low = each.lowest(weights)
        assert len(low.scores) <= BLOCKS
        assert low.score == scores.min()
        assert low.row == scores.argmin()
        for limit in (low.score - 1, low.score, low.score + 5, 0.0, np.inf):
            found = each.rows_below(limit, low, weights)
            assert found.tolist() == np.flatnonzero(scores <= limit).tolist()
        low = each.lowest(weights, scales=scales)
        found = each.rows_below(low.score + 3, low, weights, scales=scales)
        assert found.tolist() == np.flatnonzero(scores * scales <= low.score + 3).tolist()
        assert each.scores(weights, 100, 200).tolist() == scores[100:200].tolist()


def test_a_first_look_finds_the_lowest_and_the_longest(large):
    weights = np.linspace(-1.0, 2.0, 42)
    for each in both(large):
        lazy = Scan(each.rows, each.signs, survey=False)
        low, known = lazy.rough_minimum(weights), each.lowest(weights)
        assert (low.score, low.row) == (known.score, known.row)
        assert low.scores.tolist() == known.scores.tolist()
        assert low.rows.tolist() == known.rows.tolist()
        assert low.error >= known.error
        assert {"maxima", "squares"}.isdisjoint(vars(lazy))
        assert lazy.longest().tolist() == each.longest().tolist()
        assert int(each.squares.argmax()) in lazy.longest()
        assert lazy.squares.tobytes() == each.squares.tobytes()
        assert lazy.maxima.tobytes() == each.maxima.tobytes()


def test_all_rows_may_be_the_longest():
    signs = np.where(np.random.default_rng(0).random((2000, 20)) < 0.5, 1.0, -1.0)
    for rows in (signs, signs * 1e-200, signs * 1e200):
        for each in both(rows):
            lazy = Scan(each.rows, each.signs, survey=False)
            with np.errstate(all="ignore"):
                lazy.rough_minimum(np.ones(21))
            assert lazy.longest().tolist() == each.longest().tolist() == list(range(2000))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_first_look_refuses_rows_that_are_not_finite(large, value):
    large[1234, 5] = value
    name = "NaN" if np.isnan(value) else "infinity"
    signs = np.ones(len(large), np.int8)
    for layout in (np.asarray, scipy.sparse.csr_array):
        lazy = Scan(make_rows(layout(large), True, False), signs, survey=False)
        with pytest.raises(DataError, match=f"{name} in row 1234, column 5"):
            lazy.rough_minimum(np.ones(42))


def test_rows_left_out_are_not_looked_at(large):
    weights = np.linspace(-1.0, 2.0, 42)
    for each in both(large):
        out_of = each.scores(weights) < 0.0
        low = each.lowest(weights, out_of)
        assert low.score >= 0.0
        assert not out_of[low.rows[low.rows >= 0]].any()
        assert each.lowest(weights, np.ones(len(large), bool)).row == -1


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
def test_rows_that_are_not_finite_are_refused_by_their_place(value, layout):
    X = np.ones((37, 5))
    X[20, 3] = value
    name = "NaN" if np.isnan(value) else "infinity"
    with pytest.raises(DataError, match=f"{name} in row 20, column 3"):
        Signed.of(layout(X), np.arange(37) % 2).scan  # noqa: B018


def test_rows_whose_squares_overflow_are_not_refused():
    X = np.full((5, 3), 1e200)
    for each in both(X):
        assert np.isinf(each.squares).all()
        assert each.maxima.tolist() == [1e200] * 3 + [1.0]
