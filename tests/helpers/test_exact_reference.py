"""The exact reference itself: against a floating point solver, and against its own other ways."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.helpers import exact_reference as exact

SEEDS = range(40)


def random_problem(seed, rows=9, features=3, spread=3):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, rows + 1)), int(rng.integers(1, features + 1))
    X = rng.integers(-spread, spread + 1, (n, d)).tolist()
    return X, (rng.random(n) < 0.5).tolist(), bool(rng.integers(2))


@pytest.mark.parametrize("seed", range(60))
def test_linear_programs_agree_with_a_floating_point_solver(seed):
    rng = np.random.default_rng(seed)
    m, k, n = int(rng.integers(1, 7)), int(rng.integers(0, 3)), int(rng.integers(2, 6))
    A, E = rng.integers(-9, 10, (m, n)), rng.integers(-9, 10, (k, n))
    b, t, goal = rng.integers(-20, 40, m), rng.integers(-9, 10, k), rng.integers(-9, 10, n)
    box, ends = np.vstack([A, np.eye(n, dtype=int)]), np.concatenate([b, np.full(n, 10)])
    found = exact.maximise(
        goal.tolist(),
        list(zip(box.tolist(), ends.tolist(), strict=True)),
        list(zip(E.tolist(), t.tolist(), strict=True)),
    )
    equalities = {"A_eq": E, "b_eq": t} if k else {}
    solved = linprog(-goal, A_ub=box, b_ub=ends, **equalities)
    assert (found is None) == (solved.status == 2)
    if found is not None:
        value, x = found
        assert float(value) == pytest.approx(-solved.fun, abs=1e-7)
        assert value == exact.dot(goal.tolist(), x)
        assert min(x) >= 0
        assert all(exact.dot(a, x) <= c for a, c in zip(box.tolist(), ends.tolist(), strict=True))
        assert all(exact.dot(a, x) == c for a, c in zip(E.tolist(), t.tolist(), strict=True))


def test_a_goal_without_a_bound_is_an_error_and_redundant_equations_are_not():
    with pytest.raises(ArithmeticError):
        exact.maximise([1, 0], [([0, 1], 1)])
    twice = [([1, 1], Fraction(1, 3)), ([2, 2], Fraction(2, 3))]
    assert exact.maximise([1, 0], [], twice) == (Fraction(1, 3), [Fraction(1, 3), 0])
    assert exact.maximise([1, 0], [], [*twice, ([1, 1], 1)]) is None


@pytest.mark.parametrize("seed", range(30))
def test_separability_agrees_with_a_floating_point_solver(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((8, 3)), rng.choice([-1.0, 1.0], 8)
    z = np.hstack([X, np.ones((8, 1))]) * y[:, None]
    solved = linprog(np.zeros(4), A_ub=-z, b_ub=-np.ones(8), bounds=(None, None))
    found = exact.facts(X.tolist(), (y > 0).tolist())
    assert (found.outcome == "separable") == (solved.status == 0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", ["binary", "poisson"])
def test_the_split_is_proven_from_both_sides(seed, family):
    """One w above 0 on S alone, and multipliers of 1 or more on all of O that sum to zero."""
    X, positive, bias = random_problem(seed)
    z = exact.signed_rows(X, positive, bias)
    pins = [p and family == "poisson" for p in positive]
    sides = [row for row, pin in zip(z, pins, strict=True) if not pin]
    pinned = [row for row, pin in zip(z, pins, strict=True) if pin]
    strict = exact.strict_sides(sides, pinned)
    assert strict == exact.strict_sides_one_by_one(sides, pinned)
    expected = [False if pin else s for pin, s in zip(pins, spread(strict, pins), strict=True)]
    assert exact.facts(X, positive, bias=bias, family=family).strict == expected
    rest = [row for row, is_strict in zip(sides, strict, strict=True) if not is_strict]
    # multipliers 1 + x of the sides and x - x' of the pinned rows
    columns = [*rest, *pinned, *([-v for v in row] for row in pinned)]
    if columns:
        total = [-sum(column) for column in zip(*rest, strict=True)] or [0] * len(z[0])
        equal = list(zip(map(list, zip(*columns, strict=True)), total, strict=True))
        assert exact.maximise([0] * len(columns), [], equal) is not None


def spread(strict, pins):
    above = iter(strict)
    return [False if pin else next(above) for pin in pins]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_point_is_the_same_by_enumeration_and_by_its_conditions(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    points = (rng.integers(-3, 4, (n, d)) + rng.integers(0, 4, d)).tolist()
    p = exact.nearest_point(points)
    assert p == exact.nearest_point_by_enumeration(points)
    assert exact.is_in_hull(p, points)
    assert all(exact.dot(q, p) >= exact.dot(p, p) for q in points)
    assert not exact.is_in_hull([v + 100 for v in p], points)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_margin_is_above_zero_exactly_where_the_rows_are_separable(seed):
    X, positive, bias = random_problem(seed)
    z = exact.signed_rows(X, positive, bias)
    found = exact.facts(X, positive, bias=bias)
    assert (found.outcome == "separable") == (exact.nearest_square(z) > 0)
    assert found.margin_squared == exact.nearest_square(z)


def test_known_margins():
    two = exact.facts([[0], [2]], [False, True], bias=False)
    assert (two.outcome, two.strict) == ("quasi-separable", [False, True])
    # the nearest point of the segment from (-1, -1) to (3, 1) is (1, -2) / 5
    assert exact.facts([[1], [3]], [False, True]).margin_squared == Fraction(1, 5)
    assert exact.facts([[3, 4]], [True], bias=False).margin_squared == 25


def test_rows_of_unit_length_are_right_to_many_digits():
    tiny = Fraction(1, 2**390)
    rows = exact.unit_rows([[3, 4], [0, 0], [1, 10**30]], 400)
    assert max(abs(rows[0][0] - Fraction(3, 5)), abs(rows[0][1] - Fraction(4, 5))) < tiny
    assert rows[1] == [0, 0]
    assert abs(exact.dot(rows[2], rows[2]) - 1) < tiny
    low, high = exact.unit_margin_squared([[3, 4], [-40, 30]])
    assert low < Fraction(1, 2) < high < low + Fraction(1, 2**200)


def test_rank_and_span():
    rows = [[1, 2, 3], [2, 4, 6], [0, 0, 0], [0, 1, 1]]
    assert exact.rank(rows) == 2
    assert exact.in_span([1, 3, 4], rows)
    assert not exact.in_span([1, 0, 0], rows)
    assert exact.rank([]) == 0
    assert exact.in_span([0, 0], [])
    assert not exact.in_span([0, 1], [])
