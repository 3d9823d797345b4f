import pytest
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

from novikoff.verdict.exact import dense_system
from novikoff.verdict.exact.dense_system import DenseSystem, solve_column


@given(st.integers(1, 8), st.sampled_from([1, 3, 60, 300]), st.data())
def test_the_solution_is_that_of_flint(size, bits, data):
    numbers = st.integers(-(2**bits), 2**bits)
    table = [data.draw(st.lists(numbers, min_size=size, max_size=size)) for _ in range(size)]
    right = data.draw(st.lists(numbers, min_size=size, max_size=size))
    matrix = fmpz_mat(table)
    if matrix.det() == 0:
        with pytest.raises(ZeroDivisionError):
            DenseSystem(matrix).solve(right)
        return
    tops, bottom = DenseSystem(matrix).solve(right)
    assert matrix * fmpz_mat(size, 1, tops) == bottom * fmpz_mat(size, 1, right)


def test_large_systems_are_solved_the_same_and_look_at_the_clock(monkeypatch):
    table = [[(7 * i * i + 3 * i * j + j**3) % 101 - 50 for j in range(20)] for i in range(20)]
    matrix, right = fmpz_mat(table), [i - 9 for i in range(20)]
    assert matrix.det() != 0
    expected = solve_column(matrix, right)
    ticks = []
    monkeypatch.setattr(dense_system, "LARGE", 1)
    tops, bottom = solve_column(matrix, right, lambda: ticks.append(1))
    assert [top * expected[1] for top in tops] == [top * bottom for top in expected[0]]
    assert len(ticks) > 2

    def too_late():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        solve_column(matrix, right, too_late)


def test_a_singular_matrix_is_told(monkeypatch):
    monkeypatch.setattr(dense_system, "LARGE", 1)
    with pytest.raises(ZeroDivisionError):
        solve_column(fmpz_mat([[1, 2], [2, 4]]), [1, 1])
