"""Elimination modulo a prime, and exact solutions by lifting, against FLINT's dense matrices."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from novikoff.verdict.exact import basis_system
from novikoff.verdict.exact import elimination as kernels
from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import Elimination, ResidueRows
from novikoff.verdict.exact.row_space import RowSpace
from novikoff.verdict.signed import IntegerRow, Signed

entries = st.one_of(
    st.just(0.0),
    st.integers(-3, 3).map(float),
    st.floats(-1e6, 1e6),
    st.sampled_from([2.0**-1074, 1e300]),
)


@st.composite
def signed_rows(draw, most=9):
    """Signed rows without a bias; some are repeated, so that ranks are not full."""
    width = draw(st.integers(1, 6))
    row = st.lists(entries, min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=2, max_size=most))
    rows += draw(st.lists(st.sampled_from(rows), max_size=3))
    labels = [k % 2 for k in range(len(rows))]
    X = np.array(rows)
    if draw(st.booleans()):
        X = np.array([[Fraction(value) / 3 for value in each] for each in rows], object)
    return Signed.of(X, labels, fit_intercept=draw(st.booleans()))


def as_matrix(signed):
    rows = signed.integers(range(signed.count))
    table = fmpq_mat(signed.count, signed.dim)
    for i, row in enumerate(rows):
        for column, value in zip(row.columns, row.values, strict=True):
            table[i, column] = fmpq(value, row.denominator)
    return table


def extended(signed):
    elimination = Elimination(ResidueRows(signed))
    elimination.extend(np.arange(signed.count))
    return elimination


@given(signed_rows())
def test_the_rows_chosen_are_independent_and_span_all(signed):
    elimination = extended(signed)
    matrix = as_matrix(signed)
    assert elimination.rank == matrix.rank()
    assert len(set(elimination.rows)) == len(set(elimination.pivots)) == elimination.rank
    assert not elimination.outside(np.arange(signed.count)).any()
    assert len(elimination.free_columns()) == signed.dim - elimination.rank


@given(signed_rows(), st.randoms())
def test_vectors_orthogonal_to_all_rows(signed, random):
    elimination = extended(signed)
    system = BasisSystem(elimination, signed.integers(elimination.rows), lambda: None)
    free = {column: random.randint(-5, 5) for column in elimination.free_columns()}
    found = system.orthogonal_vector(free)
    assert all(Fraction(found.numerators[j], found.denominator) == v for j, v in free.items())
    for row in signed.integers(range(signed.count)):
        assert (
            sum(v * found.numerators[c] for c, v in zip(row.columns, row.values, strict=True)) == 0
        )


@given(signed_rows(), st.randoms())
def test_a_combination_of_rows_is_found_again(signed, random):
    elimination = extended(signed)
    basis = signed.integers(elimination.rows)
    system = BasisSystem(elimination, basis, lambda: None)
    wanted = [random.randint(-(10**6), 10**6) for _ in basis]
    target = [0] * signed.dim
    for times, row in zip(wanted, basis, strict=True):
        for column, value in zip(row.columns, row.values, strict=True):
            target[column] += times * value
    found = system.combination(target)
    parts = [Fraction(top, found.denominator) for top in found.numerators]
    assert parts == [t * row.denominator for t, row in zip(wanted, basis, strict=True)]


@given(signed_rows(), st.integers(0, 5))
def test_a_vector_outside_the_span_has_coordinates_and_no_combination(signed, column):
    column %= signed.dim
    unit = IntegerRow([column], [1], 1)
    matrix = as_matrix(signed)
    more = fmpq_mat(signed.count + 1, signed.dim)
    for i in range(signed.count):
        for j in range(signed.dim):
            more[i, j] = matrix[i, j]
    more[signed.count, column] = 1
    inside = more.rank() == matrix.rank()
    elimination = extended(signed)
    space = RowSpace(signed, np.arange(signed.count))
    assert space.contains(unit) == inside == elimination.contains(unit)
    assert space.rank == matrix.rank()
    system = BasisSystem(elimination, signed.integers(elimination.rows), lambda: None)
    target = [int(j == column) for j in range(signed.dim)]
    assert (system.combination(target) is not None) == inside


def test_a_prime_that_hides_a_direction_is_noticed():
    """The determinant is the prime itself: modulo it the second row depends on the first."""
    prime = 2147483629
    signed = Signed.of([[1, 1], [-1, -1 - prime]], [1, 0], fit_intercept=False)
    hidden = Elimination(ResidueRows(signed, prime))
    hidden.extend(np.arange(2))
    assert hidden.rank == 1
    assert RowSpace(signed, np.arange(2), hidden).rank == 2


def test_compiled_and_plain_kernels_agree(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (60, 12)) * (rng.random((60, 12)) < 0.4)
    signed = Signed.of(X.astype(float), rng.integers(0, 2, 60))
    residues = ResidueRows(signed, 2147483629)
    both = []
    for plain in (False, True):
        if plain:
            for name in ("_add_rows", "_solve_lower", "_solve_upper", "_solve_transposed"):
                monkeypatch.setattr(kernels, name, getattr(kernels, f"{name}_plain"))
        elimination = Elimination(residues)
        elimination.extend(np.arange(60))
        right = np.arange(elimination.rank)
        solution = elimination.solve(right, np.zeros(signed.dim, np.int64))
        both.append((elimination.rows, elimination.pivots, solution.tolist()))
    assert both[0] == both[1]


@pytest.mark.parametrize("size", [5, 40])
def test_long_solutions(size):
    """Digits of the solution of a dense system of doubles, where nothing is short."""
    rng = np.random.default_rng(size)
    X = rng.standard_normal((size, size))
    signed = Signed.of(X, np.arange(size) % 2, fit_intercept=False)
    elimination = extended(signed)
    rows = signed.integers(elimination.rows)
    found = BasisSystem(elimination, rows, lambda: None).combination([1] * size)
    table = fmpz_mat([[row.values[j] for row in rows] for j in range(size)])
    exact = table.solve(fmpz_mat([[1]] * size))
    for k, row in enumerate(rows):
        value = Fraction(int(exact[k, 0].p), int(exact[k, 0].q)) * row.denominator
        assert Fraction(found.numerators[k], found.denominator) == value


@pytest.mark.parametrize("transposed", [False, True])
def test_dense_systems_are_solved_by_flint(monkeypatch, transposed):
    """Both ways give the same numbers, and a system without a solution has none."""
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (12, 9)).astype(float)
    signed = Signed.of(X, np.arange(12) % 2, fit_intercept=False)
    elimination = Elimination(ResidueRows(signed))
    elimination.extend(np.arange(6))
    system = BasisSystem(elimination, signed.integers(elimination.rows), lambda: None)
    found = []
    for sparse in (10**6, 0):
        monkeypatch.setattr(basis_system, "MOST_SPARSE", sparse)
        if transposed:
            row = signed.row(elimination.rows[0])
            found.append(system.combination([3 * each for each in row.values]))
            assert system.combination([1] * 8 + [10**9]) is None
        else:
            free = dict.fromkeys(elimination.free_columns(), 1)
            found.append(system.orthogonal_vector(free))
    assert found[0].fractions() == found[1].fractions()
