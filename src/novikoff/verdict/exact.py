"""Small linear systems over the rationals, solved by FLINT.

Rows come as integers over a denominator (`signed.IntegerRow`). Ranks are first found modulo a
prime: rows independent there are independent, but a prime that divides some minor hides a
direction. So the prime is drawn anew in each process, where no data can be made to fit it, and
whatever is concluded from a dependence is checked over the rationals all the same.
"""

import random
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

import flint

from novikoff.figures import Rational
from novikoff.ranks import leading, modulo, pivots
from novikoff.signed import IntegerRow, dot


def _drawn() -> int:
    """A prime of 62 bits."""
    while True:
        candidate = random.SystemRandom().getrandbits(62) | 2**61 | 1
        if flint.fmpz(candidate).is_prime():
            return candidate


PRIME = _drawn()


class Closest(NamedTuple):
    """w = sum of multipliers * rows, with row . w = the row's target for each of the rows."""

    multipliers: list[Fraction]
    weights: Rational


def independent(rows: list[IntegerRow], dim: int) -> list[int]:
    """Places of rows that are linearly independent and span all of them, the earlier ones first.

    Modulo the prime: those given are independent for certain; that they span, only most likely.
    """
    if not rows:
        return []
    return pivots(modulo(_integers(rows)[0], PRIME).transpose())


class Residues:
    """Independent rows modulo the prime, reduced.

    A vector in the span of rows is in their span modulo the prime too, if they are independent
    there: the rank of rows and vector together is no larger then.
    """

    def __init__(self, rows: list[IntegerRow], dim: int) -> None:
        place = {column: column for column in range(dim)}
        self._table, rank = modulo([_line(row, place) for row in rows], PRIME).rref()
        self._pivots, self._dim = leading(self._table, rank), dim

    def may_hold(self, vector: IntegerRow) -> bool:
        """False only if the vector is not in the span."""
        left = [0] * self._dim
        for column, value in zip(vector.columns, vector.values, strict=True):
            left[column] = value % PRIME
        for i, pivot in enumerate(self._pivots):
            if factor := left[pivot]:
                left = [(v - factor * int(self._table[i, j])) % PRIME for j, v in enumerate(left)]
        return not any(left)


def null_vector(rows: list[IntegerRow], dim: int, avoid: int = 0) -> list[Fraction] | None:
    """Multipliers, not all zero, with sum of multipliers * rows = 0; None if there are none.

    avoid: how many of the first rows not to choose as the one that depends on the others.
    """
    basis = independent(rows, dim)
    if len(basis) == len(rows):
        return None
    within = set(basis)
    free = next((k for k in range(avoid, len(rows)) if k not in within), None)
    if free is None:
        free = next(k for k in range(len(rows)) if k not in within)
    solution = _expressed([rows[k] for k in basis], rows[free], dim)
    if solution is None:  # dependent modulo the prime only
        return None
    result = [Fraction(0)] * len(rows)
    for k, value in zip(basis, solution, strict=True):
        result[k] = -value
    result[free] = Fraction(1)
    return result


def _expressed(basis: list[IntegerRow], row: IntegerRow, dim: int) -> list[Fraction] | None:
    """The row as a combination of independent rows, if it is one."""
    table, scales = _integers([*basis, row])
    target = table.pop()
    if not basis:
        return None if any(target) else []
    across = pivots(modulo(table, PRIME))
    square = flint.fmpz_mat([[line[j] for line in table] for j in across])
    solved = square.solve(flint.fmpz_mat([[target[j]] for j in across]))
    tops, bottom = _over_one(solved)
    found = [int(tops[k, 0]) for k in range(len(basis))]
    sums = flint.fmpz_mat(1, len(found), found) * flint.fmpz_mat(table)
    if any(int(sums[0, j]) != bottom * target[j] for j in range(len(target))):
        return None
    return [Fraction(value * scales[k], bottom * scales[-1]) for k, value in enumerate(found)]


def closest(rows: list[IntegerRow], targets: list[int], dim: int) -> Closest | None:
    """The shortest w with row . w = target for each row; None if the rows are dependent.

    w = Z' a with (Z Z') a = t.
    """
    used = _used(rows)
    place = {column: k for k, column in enumerate(used)}
    matrix = flint.fmpz_mat([_line(row, place) for row in rows])
    right = [[target * row.denominator] for target, row in zip(targets, rows, strict=True)]
    try:
        solved = (matrix * matrix.transpose()).solve(flint.fmpz_mat(right))
    except ZeroDivisionError:
        return None
    tops, bottom = _over_one(solved)
    numerators = tops.transpose() * matrix
    full = [0] * dim
    for k, column in enumerate(used):
        full[column] = int(numerators[0, k])
    weights = Rational(full, int(bottom))
    multipliers = [
        Fraction(int(tops[k, 0]) * row.denominator, int(bottom)) for k, row in enumerate(rows)
    ]
    return Closest(multipliers, _reduced(weights))


def projected(rows: list[IntegerRow], weights: Rational, dim: int) -> Rational:
    """Weights without their part in the span of independent rows."""
    targets = [Fraction(dot(row, weights.numerators), row.denominator) for row in rows]
    bottom = lcm(*(target.denominator for target in targets))
    part = closest(rows, [int(target * bottom) for target in targets], dim)
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


def complement(rows: list[IntegerRow], dim: int) -> list[Rational]:
    """A basis of what is orthogonal to independent rows, in echelon form.

    Each vector begins in a later column than the one before it. Columns are read from the right:
    a free one and the pivots before it, which the rows determine, make a vector that ends there.
    """
    if not rows:
        return [Rational([int(i == j) for j in range(dim)], 1) for i in range(dim)]
    place = {column: dim - 1 - column for column in range(dim)}
    table = [_line(row, place) for row in rows]
    bound = pivots(modulo(table, PRIME))
    within = set(bound)
    free = [j for j in range(dim) if j not in within]
    if not free:
        return []
    square = flint.fmpz_mat([[line[j] for j in bound] for line in table])
    solved = square.solve(flint.fmpz_mat([[line[j] for j in free] for line in table]))
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


def _over_one(solution: Any) -> tuple[Any, int]:
    """A column of rationals as integers over one denominator."""
    tops, bottom = solution.numer_denom()
    return tops, int(bottom)


def _used(rows: list[IntegerRow]) -> list[int]:
    return sorted({column for row in rows for column in row.columns})


def _line(row: IntegerRow, place: dict[int, int]) -> list[int]:
    line = [0] * len(place)
    for column, value in zip(row.columns, row.values, strict=True):
        line[place[column]] = value
    return line


def _integers(rows: list[IntegerRow]) -> tuple[list[list[int]], list[Fraction]]:
    """The rows in the columns that any of them uses, each column and then each row scaled so that
    the integers are small; and what each row was multiplied by, apart from the columns.

    Dependencies do not change with a column's unit, and small integers are solved faster.
    """
    used = _used(rows)
    place = {column: k for k, column in enumerate(used)}
    units = [1] * len(used)
    for row in rows:
        for column, value in zip(row.columns, row.values, strict=True):
            k = place[column]
            units[k] = lcm(units[k], row.denominator // gcd(value, row.denominator))
    table, scales = [], []
    for row in rows:
        line = [0] * len(used)
        for column, value in zip(row.columns, row.values, strict=True):
            k = place[column]
            line[k] = value * units[k] // row.denominator
        common = gcd(*line) or 1
        table.append([value // common for value in line])
        scales.append(Fraction(1, common))
    return table, scales


def _reduced(vector: Rational) -> Rational:
    common = gcd(vector.denominator, *vector.numerators)
    return Rational([v // common for v in vector.numerators], vector.denominator // common)
