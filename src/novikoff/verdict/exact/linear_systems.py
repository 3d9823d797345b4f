"""Small linear systems over the rationals, solved by FLINT.

Rows come as integers over a denominator (`signed.IntegerRow`). Ranks are first found modulo a
prime: rows independent there are independent, but a prime that divides some minor hides a
direction. So the prime is drawn anew in each process, where no data can be made to fit it, and
whatever is concluded from a dependence is checked over the rationals all the same.
"""

import numbers
from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from flint import arb_mat, ctx, fmpq, fmpz, fmpz_mat

from novikoff.verdict.exact.dense_system import solve_column
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.exact.rank import leading, modulo, pivots, random_prime
from novikoff.verdict.signed import IntegerRow, dense_values, dot, used_columns

PRIME = random_prime(62)


class Solver(NamedTuple):
    """How a system of linear equations is solved.

    tick: called now and then; it may raise. bits: of a calculation with so many, whose result is
    close to the solution, and short; None for the solution itself.
    """

    tick: Callable[[], None] = lambda: None
    bits: int | None = None

    def solve(self, matrix: fmpz_mat, right: list[int]) -> tuple[list[fmpz], int]:
        """The solution of matrix * x = right, as integers over one denominator; ZeroDivisionError
        if there is none, or if so many bits do not tell.
        """
        if self.bits is None:
            return solve_column(matrix, right, self.tick)
        with ctx.workprec(self.bits):
            balls = arb_mat(matrix).solve(arb_mat(len(right), 1, right)).entries()
            parts = [(fmpz(0), fmpz(0)) if 0 in ball else ball.mid().man_exp() for ball in balls]
        least = min(0, *(int(power) for _, power in parts))
        return [top << (int(power) - least) for top, power in parts], 1 << -least


EXACT = Solver()


class MinNormSolution(NamedTuple):
    """The shortest w with row . w = the row's target: w = sum of tops / bottom * rows."""

    tops: list[fmpz]
    bottom: int
    weights: Rational


def independent_rows(rows: list[IntegerRow]) -> list[int]:
    """Indices of rows that are linearly independent and span all of them, earlier ones preferred.

    Modulo the prime: the rows chosen are independent for certain, and span all most likely.
    """
    if not rows:
        return []
    return pivots(modulo(_small_integers(rows)[0], PRIME).transpose())


class Residues:
    """Independent rows modulo the prime, reduced.

    A vector in the span of rows is in their span modulo the prime too, if they are independent
    there: the rank of rows and vector together is no larger then.
    """

    def __init__(self, rows: list[IntegerRow], dim: int) -> None:
        self._table, rank = modulo([dense_values(row, range(dim)) for row in rows], PRIME).rref()
        self._pivots, self._dim = leading(self._table, rank), dim

    def may_contain(self, vector: IntegerRow) -> bool:
        """False only if the vector is not in the span."""
        left = [0] * self._dim
        for column, value in zip(vector.columns, vector.values, strict=True):
            left[column] = value % PRIME
        for i, pivot in enumerate(self._pivots):
            if factor := left[pivot]:
                left = [(v - factor * int(self._table[i, j])) % PRIME for j, v in enumerate(left)]
        return not any(left)


def null_vector(
    rows: list[IntegerRow], avoid: int = 0, solver: Solver = EXACT
) -> list[fmpq] | None:
    """Multipliers, not all zero, with sum of multipliers * rows = 0; None if there are none.

    avoid: how many of the first rows not to choose as the one that depends on the others.
    """
    basis = independent_rows(rows)
    if len(basis) == len(rows):
        return None
    within = set(basis)
    free = next((k for k in range(avoid, len(rows)) if k not in within), None)
    if free is None:
        free = next(k for k in range(len(rows)) if k not in within)
    solution = _as_combination([rows[k] for k in basis], rows[free], solver)
    if solution is None:  # dependent modulo the prime only
        return None
    result = [fmpq(0)] * len(rows)
    for k, value in zip(basis, solution, strict=True):
        result[k] = -value
    result[free] = fmpq(1)
    return result


def _as_combination(basis: list[IntegerRow], row: IntegerRow, solver: Solver) -> list[fmpq] | None:
    """The multipliers of independent rows that give the row; None if there are none."""
    table, scales = _small_integers([*basis, row])
    target = table.pop()
    if not basis:
        return None if any(target) else []
    across = pivots(modulo(table, PRIME))
    square = fmpz_mat([[line[j] for line in table] for j in across])
    found, bottom = solver.solve(square, [target[j] for j in across])
    solver.tick()
    sums = fmpz_mat(1, len(found), found) * fmpz_mat(table)
    if solver.bits is None and any(int(sums[0, j]) != bottom * t for j, t in enumerate(target)):
        return None
    return [fmpq(value * scales[-1], bottom * scales[k]) for k, value in enumerate(found)]


def rounded(values: list[fmpq], bits: int) -> list[fmpq]:
    """The numbers as those of so many bits that are next to them."""
    found = []
    for value in values:
        shift = value.p.bit_length() - value.q.bit_length() - bits
        up, down = fmpz(1) << max(-shift, 0), fmpz(1) << max(shift, 0)
        found.append(fmpq(value.p * up // (value.q * down) * down, up))
    return found


def min_norm_solution(
    rows: list[IntegerRow], targets: list[int], dim: int, solver: Solver = EXACT
) -> MinNormSolution | None:
    """The shortest w with row . w = target for each row; None if the rows are dependent.

    w = Z' a with (Z Z') a = t.
    """
    used = used_columns(rows)
    matrix = fmpz_mat([dense_values(row, used) for row in rows])
    right = [target * row.denominator for target, row in zip(targets, rows, strict=True)]
    try:
        tops, bottom = solver.solve(matrix * matrix.transpose(), right)
    except ZeroDivisionError:
        return None
    solver.tick()
    numerators = fmpz_mat(1, len(tops), tops) * matrix
    full = [0] * dim
    for k, column in enumerate(used):
        full[column] = int(numerators[0, k])
    weights = Rational(full, bottom)
    tops = [top * row.denominator for top, row in zip(tops, rows, strict=True)]
    return MinNormSolution(tops, bottom, _reduced(weights))


def project_out(rows: list[IntegerRow], weights: Rational, dim: int) -> Rational:
    """The weights without their component in the span of independent rows."""
    targets = [Fraction(dot(row, weights.numerators), row.denominator) for row in rows]
    bottom = lcm(*(target.denominator for target in targets))
    part = min_norm_solution(rows, [int(target * bottom) for target in targets], dim)
    if part is None:
        raise ValueError("the rows are not independent")
    scale = part.weights.denominator * bottom
    return _reduced(
        Rational(
            [
                top * scale - other
                for top, other in zip(weights.numerators, part.weights.numerators, strict=True)
            ],
            weights.denominator * scale,
        )
    )


def orthogonal_complement(rows: list[IntegerRow], dim: int) -> list[Rational]:
    """A basis of the orthogonal complement of independent rows, in echelon form.

    Each vector begins in a later column than the one before it. Columns are read from the right:
    a free one and the pivots before it, which the rows determine, make a vector that ends there.
    """
    if not rows:
        return [Rational([int(i == j) for j in range(dim)], 1) for i in range(dim)]
    table = [dense_values(row, reversed(range(dim))) for row in rows]
    bound = pivots(modulo(table, PRIME))
    within = set(bound)
    free = [j for j in range(dim) if j not in within]
    if not free:
        return []
    square = fmpz_mat([[line[j] for j in bound] for line in table])
    solved = square.solve(fmpz_mat([[line[j] for j in free] for line in table]))
    vectors = []
    for k in reversed(range(len(free))):
        column = [solved[i, k] for i in range(len(bound))]
        common = lcm(*(int(value.q) for value in column))
        vector = [0] * dim
        vector[free[k]] = common
        for pivot, value in zip(bound, column, strict=True):
            vector[pivot] = -int(value.p) * (common // int(value.q))
        vectors.append(Rational([value // gcd(*vector) for value in reversed(vector)], 1))
    return vectors


def _small_integers(rows: list[IntegerRow]) -> tuple[list[list[int]], list[int]]:
    """The rows in the columns that any of them uses, each column and then each row scaled so that
    the integers are small; and what each row was divided by, apart from the columns.

    Dependencies do not change with a column's unit, and small integers are solved faster.
    """
    used = used_columns(rows)
    index = {column: k for k, column in enumerate(used)}
    units = [1] * len(used)
    for row in rows:
        for column, value in zip(row.columns, row.values, strict=True):
            k = index[column]
            units[k] = lcm(units[k], row.denominator // gcd(value, row.denominator))
    table, scales = [], []
    for row in rows:
        line = [0] * len(used)
        for column, value in zip(row.columns, row.values, strict=True):
            k = index[column]
            line[k] = value * units[k] // row.denominator
        common = gcd(*line) or 1
        table.append([value // common for value in line])
        scales.append(common)
    return table, scales


def _reduced(vector: Rational) -> Rational:
    common = fmpz(vector.denominator)
    for value in vector.numerators:
        common = common.gcd(value)
    factor = int(common)
    if factor == 1:
        return vector
    return Rational([v // factor for v in vector.numerators], vector.denominator // factor)


@numbers.Rational.register
class _LowestTerms(NamedTuple):
    numerator: int
    denominator: int


def as_fraction(value: fmpq) -> Fraction:
    """A rational of FLINT's as Python's, which need not look for a common factor once more."""
    terms: Any = _LowestTerms(int(value.p), int(value.q))
    return Fraction(terms)
