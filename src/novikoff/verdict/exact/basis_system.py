"""Exact solutions of sparse systems by p-adic lifting (Dixon 1982).

An elimination modulo a prime p solves M x = b modulo p. What is left, (b - M x) / p, is an integer
vector again, and solving for it gives the next digit of x in base p:

    x = x_0 + x_1 p + x_2 p^2 + ...     x_k = M^-1 b_k mod p,   b_(k+1) = (b_k - M x_k) / p.

Digits are taken between -p/2 and p/2, so that a solution in integers ends by itself, with nothing
left; that is the usual case for dummies. Otherwise the rational numbers with these digits are
found by continued fractions, over one denominator, and put to the test in the system itself.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from novikoff.verdict.exact.dense_system import solve_column
from novikoff.verdict.exact.elimination import Elimination, Residues, inverse
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.exact.rational_reconstruction import reconstruct
from novikoff.verdict.signed import IntegerRow

MOST_SPARSE = 2500  # numbers of rows whose digits are lifted, however dense
FIRST_TRIAL = 4  # digits, before a rational solution is first looked for
Integers = npt.NDArray[np.object_]


class BasisSystem:
    """Systems of the independent rows of an elimination, solved over the rationals.

    rows: those of the elimination, as integers. tick: called before each digit; it may raise.
    """

    def __init__(
        self, elimination: Elimination, rows: list[IntegerRow], tick: Callable[[], None]
    ) -> None:
        self.elimination, self.prime, self._tick = elimination, elimination.prime, tick
        self.denominators = [row.denominator for row in rows]
        self._inverses = np.array([inverse(each, self.prime) for each in self.denominators])
        self._size = len(rows)
        lengths = [len(row.columns) for row in rows]
        self._owners = np.repeat(np.arange(len(rows)), lengths)
        self._columns = np.array([column for row in rows for column in row.columns], np.int64)
        self._values = np.array([value for row in rows for value in row.values], object)
        self._starts = np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64)
        by_column = np.argsort(self._columns, kind="stable")
        self._by_column = by_column
        self._used, self._column_starts = np.unique(self._columns[by_column], return_index=True)

    def orthogonal_vector(self, free: dict[int, int]) -> Rational | None:
        """The w with row . w = 0 for all rows and these entries in the free columns, 0 in other
        free ones; None if the elimination's prime hides a direction.
        """
        dim = self.elimination.dim
        given = np.zeros(dim, object)
        for column, value in free.items():
            given[column] = value
        if not self.denominators:
            return Rational(given.tolist(), 1)
        none = np.zeros(dim, np.int64)

        def digit(left: Integers) -> Residues:
            right = (left % self.prime).astype(np.int64) * self._inverses % self.prime
            return self.elimination.solve(right, none)

        right = -self._scores(given)
        if self._dense:
            found = self._solve_dense(right, dim, self._scores, transposed=False)
        else:
            found = self._lift(right, digit, self._scores)
        if found is None:
            return None
        numerators = [top + part * found[1] for top, part in zip(found[0], given, strict=True)]
        return Rational([int(top) for top in numerators], found[1])

    def combination(self, target: list[int]) -> Rational | None:
        """The multipliers with sum of multipliers * rows = target; None if there are none."""

        def digit(left: Integers) -> Residues | None:
            parts = self.elimination.combination((left % self.prime).astype(np.int64))
            return None if parts is None else parts * self._inverses % self.prime

        right = np.array(target, object)
        if self._dense:
            found = self._solve_dense(right, len(self.denominators), self._combine, transposed=True)
        else:
            found = self._lift(right, digit, self._combine)
        if found is None:
            return None
        pairs = zip(found[0], self.denominators, strict=True)
        return Rational([int(top) * scale for top, scale in pairs], found[1])

    @property
    def _dense(self) -> bool:
        """Whether the rows are so dense that FLINT, which knows no zeros, is faster."""
        return len(self._values) > MOST_SPARSE and 2 * len(self._values) > self._size**2

    def _solve_dense(
        self,
        right: Integers,
        length: int,
        apply: Callable[[Integers], Integers],
        transposed: bool,
    ) -> tuple[list[int], int] | None:
        """As `_lift`, by a solve of the rows' pivot columns."""
        self._tick()
        pivots = self.elimination.pivots
        table = [[0] * self.elimination.dim for _ in self.denominators]
        for i, j, value in zip(self._owners, self._columns, self._values, strict=True):
            table[i][j] = int(value)
        square = fmpz_mat([[row[j] for j in pivots] for row in table])
        known = [right[j] for j in pivots] if transposed else list(right)
        try:
            tops, bottom = solve_column(
                square.transpose() if transposed else square, [int(v) for v in known], self._tick
            )
        except ZeroDivisionError:
            return None
        found = np.zeros(length, object)
        for k, place in enumerate(range(length) if transposed else pivots):
            found[place] = int(tops[k])
        return (found.tolist(), bottom) if (apply(found) == bottom * right).all() else None

    def _scores(self, vector: Integers) -> Integers:
        """denominator * row . vector, for each row."""
        return _sums(self._values * vector[self._columns], self._starts)

    def _combine(self, parts: Integers) -> Integers:
        """The sum of part * denominator * row."""
        order = self._by_column
        out = np.zeros(self.elimination.dim, object)
        terms = self._values[order] * parts[self._owners[order]]
        out[self._used] = _sums(terms, self._column_starts)
        return out

    def _lift(
        self,
        right: Integers,
        digit: Callable[[Integers], Residues | None],
        apply: Callable[[Integers], Integers],
    ) -> tuple[list[int], int] | None:
        """The x with apply(x) = right, as integers over a denominator; None if there is none."""
        left, power, digits, trial = right, 1, 0, FIRST_TRIAL
        total: Any = 0
        limit = self._most_digits(right)
        while True:
            self._tick()
            found = digit(left)
            if found is None:
                return None
            signed = np.where(found > self.prime // 2, found - self.prime, found).astype(object)
            total, power, digits = total + signed * power, power * self.prime, digits + 1
            left = left - apply(signed)
            if (left % self.prime).any():
                return None
            left = left // self.prime
            if not left.any():
                return np.asarray(total).tolist(), 1
            if digits >= trial or digits >= limit:
                trial *= 2
                solved = reconstruct(np.asarray(total).tolist(), power)
                if solved is not None:
                    tops, bottom = solved
                    if (apply(np.array(tops, object)) == bottom * right).all():
                        return solved
                if digits >= limit:
                    return None

    def _most_digits(self, right: Integers) -> int:
        """Digits that are enough for any solution: Cramer's rule, and Hadamard's inequality."""
        squares = _sums(self._values * self._values, self._starts)
        bits = sum(math.isqrt(int(square)).bit_length() + 1 for square in squares)
        largest = max((abs(int(value)).bit_length() for value in right), default=0)
        return 2 * (bits + largest + len(right).bit_length()) // (self.prime.bit_length() - 1) + 2


def _sums(terms: Any, starts: npt.NDArray[np.int64]) -> Integers:
    return np.asarray(np.add.reduceat(terms, starts)) if len(terms) else np.empty(0, object)
