"""Sparse elimination modulo a prime: independent rows, what they span, and systems of them.

Rows Z_B that are independent modulo the prime are kept as Z_B = L U, both sparse. Row i of U has
its pivot, 1, in a column where all later rows have 0; the pivot is the column that the fewest rows
of the data use, so that dummies are eliminated before covariates and stay sparse: a row of two
factors is an edge of a graph, and what is left of it is one too. L has what was subtracted on
the way: row i = U_i / inverse_i + sum over j < i of L_ij U_j.

A prime can only make the rank too small, and does so with a chance of about 2^-30, since it is
drawn anew in each process. Whatever is concluded from it is checked over the rationals.

Written by hand: SciPy's sparse LU rounds, and FLINT's matrices modulo a prime are dense.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.jit import compile_loop, inline
from novikoff.verdict.exact.rank import random_prime
from novikoff.verdict.scan import Indices, Mask
from novikoff.verdict.signed import IntegerRow, Signed, SignedRows

PRIME_BITS = 31  # a product of two residues fits 64 bits
ROWS_AT_ONCE = 2**16  # whose residues are held in memory, where rows are many
PATIENCE = 20  # rows in a row that depend on those before, until all others are tested at once
STEPS_AT_ONCE = 10**8  # of elimination, between two ticks: a fraction of a second
LARGEST_EXPONENT, MANTISSA_BITS = 1200, 53  # of doubles, subnormal ones too

Residues = npt.NDArray[np.int64]


class ResidueRows:
    """Signed rows modulo a prime, as a CSR matrix: a double is a rational number."""

    def __init__(self, signed: SignedRows, prime: int | None = None) -> None:
        self.prime = prime or random_prime(PRIME_BITS)
        if signed.rational:
            parts = self._from_integers(signed.integers(range(signed.count)))
        else:
            matrix = signed.sparse(np.arange(signed.count))
            parts = matrix.indptr, matrix.indices, self._of_doubles(matrix.data)
        self.starts, self.columns, self.values = (np.asarray(part, np.int64) for part in parts)
        self.dim = signed.dim

    def _of_doubles(self, values: npt.NDArray[np.float64]) -> Residues:
        powers = [pow(2, k, self.prime) for k in range(-LARGEST_EXPONENT, LARGEST_EXPONENT)]
        mantissas, exponents = np.frexp(values)
        wholes = np.ldexp(mantissas, MANTISSA_BITS).astype(np.int64) % self.prime
        factors = np.array(powers)[exponents - MANTISSA_BITS + LARGEST_EXPONENT]
        return np.asarray(wholes * factors % self.prime)

    def _from_integers(self, rows: list[IntegerRow]) -> tuple[Any, Any, Any]:
        starts = [0, *np.cumsum([len(row.columns) for row in rows]).tolist()]
        columns = [column for row in rows for column in row.columns]
        values: list[int] = []
        for row in rows:
            scale = inverse(row.denominator, self.prime)
            values += [value * scale % self.prime for value in row.values]
        return starts, columns, values

    def products(self, vector: Residues, rows: Indices) -> Residues:
        """row . vector modulo the prime, for each of these rows."""
        lengths, places = self.starts[rows + 1] - self.starts[rows], self.places(rows)
        terms = self.values[places] * vector[self.columns[places]] % self.prime
        sums, ends = np.concatenate([[0], np.cumsum(terms)]), np.cumsum(lengths)
        return np.asarray((sums[ends] - sums[ends - lengths]) % self.prime)

    def places(self, rows: Indices) -> Indices:
        """Where the entries of these rows are, one after another."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        before = np.repeat(self.starts[rows] - (ends - lengths), lengths)
        return np.asarray(np.arange(len(before)) + before)

    def dense(self, row: int) -> Residues:
        """The row with its zeros."""
        part = slice(self.starts[row], self.starts[row + 1])
        out = np.zeros(self.dim, np.int64)
        np.add.at(out, self.columns[part], self.values[part])
        return np.asarray(out % self.prime)

    def column_counts(self) -> Residues:
        """How many rows use each column."""
        return np.bincount(self.columns[self.values != 0], minlength=self.dim)


def inverse(value: int, prime: int) -> int:
    """1 / value modulo the prime; 1 where there is none, which later checks will notice."""
    return pow(value, -1, prime) if value % prime else 1


class Elimination:
    """Independent rows modulo the prime, in the order of their choice: Z_B = L U."""

    def __init__(self, residues: ResidueRows) -> None:
        self.residues, self.prime, self.dim = residues, residues.prime, residues.dim
        self.rows: list[int] = []
        self._counts = residues.column_counts()
        self._pivots = np.empty(self.dim, np.int64)
        self._inverses = np.empty(self.dim, np.int64)
        self._upper = _SparseRows(self.dim)
        self._lower = _SparseRows(self.dim)
        # two generators, so that the order of rows does not depend on the prime
        self._order, self._random = np.random.default_rng(0), np.random.default_rng(1)

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return len(self.rows)

    @property
    def pivots(self) -> list[int]:
        """The pivot column of each row."""
        return [int(column) for column in self._pivots[: self.rank]]

    def free_columns(self) -> list[int]:
        """The columns without a pivot, which determine a vector orthogonal to all rows."""
        free = np.ones(self.dim, np.bool_)
        free[self._pivots[: self.rank]] = False
        return [int(column) for column in np.flatnonzero(free)]

    def extend(self, rows: Indices, tick: Callable[[], None] = lambda: None) -> None:
        """Add rows of these until all of them are in the span.

        Once many in a row depend on those before, a random vector that is orthogonal to the span
        shows which of all the others do not. tick: called now and then; it may raise.
        """
        left = self._order.permutation(rows)
        while left.size:
            self._add_until_stalled(left, tick)
            left = left[self.outside(left)]
            left = self._order.permutation(left)

    def outside(self, rows: Indices) -> Mask:
        """Which of these rows are not in the span."""
        return np.asarray(self.residues.products(self.orthogonal_vector(), rows) != 0)

    def orthogonal_vector(self) -> Residues:
        """A random vector that is orthogonal to the span; hardly any row outside of it is."""
        vector = self._random.integers(0, self.prime, self.dim)
        self._complete(vector, np.zeros(self.rank, np.int64))
        return vector

    def _add_until_stalled(self, rows: Indices, tick: Callable[[], None]) -> None:
        done, work = 0, np.zeros(self.dim, np.int64)
        most = max(PATIENCE, STEPS_AT_ONCE // self.dim)  # rows between two ticks
        while done < len(rows) and self.rank < self.dim:
            tick()
            some = rows[done : done + most]
            self._upper.reserve(self.rank)
            self._lower.reserve(self.rank)
            chosen = np.empty(len(some), np.int64)
            used, added, stalled = _add_rows(
                (self.residues.starts, self.residues.columns, self.residues.values),
                some,
                self.prime,
                self._counts,
                self.rank,
                (self._pivots, self._inverses),
                (self._upper.starts, self._upper.columns, self._upper.values),
                (self._lower.starts, self._lower.columns, self._lower.values),
                (work, chosen),
            )
            self.rows += chosen[:added].tolist()
            done += used
            if stalled:
                return

    def solve(self, right: Residues, free: Residues) -> Residues:
        """The w with row . w = right for each row, given its entries in the free columns."""
        vector, right = free.copy(), right.copy()
        _solve_lower(
            self._lower.starts, self._lower.columns, self._lower.values, self._inverses,
            self.rank, self.prime, right,
        )  # fmt: skip
        self._complete(vector, right)
        return vector

    def _complete(self, vector: Residues, right: Residues) -> None:
        _solve_upper(
            self._upper.starts, self._upper.columns, self._upper.values, self._pivots,
            self.rank, self.prime, right, vector,
        )  # fmt: skip

    def combination(self, vector: Residues) -> Residues | None:
        """Multipliers of the rows whose combination is the vector; None if there are none."""
        left, parts = vector.copy(), np.empty(self.rank, np.int64)
        _solve_transposed(
            (self._upper.starts, self._upper.columns, self._upper.values),
            (self._lower.starts, self._lower.columns, self._lower.values),
            self._pivots, self._inverses, self.rank, self.prime, left, parts,
        )  # fmt: skip
        return None if left.any() else parts

    def contains(self, vector: IntegerRow) -> bool:
        """Whether a vector is in the span modulo the prime. If not, it is not in the span."""
        dense = np.zeros(self.dim, np.int64)
        dense[vector.columns] = [value % self.prime for value in vector.values]
        return self.combination(dense) is not None


def rows_outside(signed: SignedRows, rows: Indices, elimination: Elimination) -> Indices:
    """Those of the rows that are not in the span of an elimination, which may be one of others.

    rows: ascending. They are looked at where they are, some at a time.
    """
    vector, prime = elimination.orthogonal_vector(), elimination.prime
    found = signed.map_subset(_not_orthogonal, rows, vector, prime)
    outside = np.concatenate([np.empty(0, np.bool_), *found])
    return np.asarray(rows[outside])


def _not_orthogonal(piece: Signed, rows: Indices, vector: Residues, prime: int) -> Mask:
    found = np.empty(len(rows), np.bool_)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        residues = ResidueRows(piece.subset(some), prime)
        found[start : start + len(some)] = residues.products(vector, np.arange(len(some))) != 0
    return found


class _SparseRows:
    """Rows of a sparse matrix that grows, each at most `dim` long."""

    def __init__(self, dim: int) -> None:
        self.starts = np.zeros(dim + 1, np.int64)
        self.columns = self.values = np.empty(0, np.int64)
        self._dim = dim

    def reserve(self, rows: int) -> None:
        """Make room for at least one more row; if there is too little, for twice as much."""
        if len(self.columns) - self.starts[rows] <= self._dim:
            size = 2 * len(self.columns) + 16 * self._dim
            self.columns = np.resize(self.columns, size) if rows else np.empty(size, np.int64)
            self.values = np.resize(self.values, size) if rows else np.empty(size, np.int64)


# The kernels: plain Python that is compiled


@inline
def _add_row(work: Any, data: Any, row: int, prime: int) -> None:
    """work = the row, where it was zero."""
    starts, columns, values = data
    for place in range(starts[row], starts[row + 1]):
        work[columns[place]] = (work[columns[place]] + values[place]) % prime


@inline
def _reduce(work: Any, rank: int, pivots: Any, upper: Any, lower: Any, prime: int) -> int:
    """Subtract rows of U until work is zero in all pivot columns; note how much of each in L.

    Returns where the row of L ends.
    """
    starts, columns, values = upper
    lower_starts, lower_columns, lower_values = lower
    end = lower_starts[rank]
    for j in range(rank):
        factor = work[pivots[j]]
        if factor:
            lower_columns[end], lower_values[end] = j, factor
            end += 1
            work[pivots[j]] = 0
            for place in range(starts[j], starts[j + 1]):
                column = columns[place]
                work[column] = (work[column] + (prime - factor) * values[place]) % prime
    return int(end)


@inline
def _rarest(work: Any, counts: Any) -> int:
    """The column that is not zero in work and that the fewest rows use; -1 if there is none."""
    best = -1
    for column in range(len(work)):
        if work[column] and (best < 0 or counts[column] < counts[best]):
            best = column
    return best


@inline
def _inverse(value: int, prime: int) -> int:
    """1 / value, by Fermat."""
    power, result = prime - 2, 1
    while power:
        if power % 2:
            result = result * value % prime
        value = value * value % prime
        power //= 2
    return result


@inline
def _store(work: Any, pivot: int, inverse: int, rank: int, upper: Any, prime: int) -> int:
    """Append work * inverse to U, without the pivot, and clear it; returns where the row ends."""
    starts, columns, values = upper
    end = starts[rank]
    for column in range(len(work)):
        if work[column]:
            if column != pivot:
                columns[end], values[end] = column, work[column] * inverse % prime
                end += 1
            work[column] = 0
    return int(end)


def _add_rows_plain(
    data: Any,
    rows: Any,
    prime: int,
    counts: Any,
    rank: int,
    basis: Any,
    upper: Any,
    lower: Any,
    scratch: Any,
) -> tuple[int, int, bool]:
    """Reduce rows one by one, and add those that are not zero then.

    Returns how many were used and how many of them added, and whether the last `PATIENCE` of them
    added nothing. Ends early where there may be no room for another row.
    """
    pivots, inverses = basis
    work, chosen = scratch
    added, misses = 0, 0
    for k in range(len(rows)):
        room = min(len(upper[1]) - upper[0][rank], len(lower[1]) - lower[0][rank])
        if room <= len(work) or rank == len(work):
            return k, added, False
        _add_row(work, data, rows[k], prime)
        lower_end = _reduce(work, rank, pivots, upper, lower, prime)
        pivot = _rarest(work, counts)
        if pivot < 0:
            misses += 1
            if misses == PATIENCE:
                return k + 1, added, True
            continue
        misses = 0
        pivots[rank], inverses[rank] = pivot, _inverse(work[pivot], prime)
        end = _store(work, pivot, inverses[rank], rank, upper, prime)
        rank += 1
        upper[0][rank], lower[0][rank] = end, lower_end
        chosen[added] = rows[k]
        added += 1
    return len(rows), added, False


def _solve_lower_plain(
    starts: Any, columns: Any, values: Any, inverses: Any, rank: int, prime: int, right: Any
) -> None:
    """right = L^-1 right."""
    for i in range(rank):
        total = right[i]
        for place in range(starts[i], starts[i + 1]):
            total = (total + (prime - values[place]) * right[columns[place]]) % prime
        right[i] = total * inverses[i] % prime


def _solve_upper_plain(
    starts: Any,
    columns: Any,
    values: Any,
    pivots: Any,
    rank: int,
    prime: int,
    right: Any,
    vector: Any,
) -> None:
    """Set the vector's entries in pivot columns so that U vector = right."""
    for i in range(rank - 1, -1, -1):
        total = right[i]
        for place in range(starts[i], starts[i + 1]):
            total = (total + (prime - values[place]) * vector[columns[place]]) % prime
        vector[pivots[i]] = total


def _solve_transposed_plain(
    upper: Any,
    lower: Any,
    pivots: Any,
    inverses: Any,
    rank: int,
    prime: int,
    left: Any,
    parts: Any,
) -> None:
    """Set parts so that parts . L U = left as far as can be, and subtract that from left."""
    starts, columns, values = upper
    for i in range(rank):
        factor = left[pivots[i]]
        parts[i] = factor
        left[pivots[i]] = 0
        if factor:
            for place in range(starts[i], starts[i + 1]):
                column = columns[place]
                left[column] = (left[column] + (prime - factor) * values[place]) % prime
    starts, columns, values = lower
    for i in range(rank - 1, -1, -1):
        parts[i] = parts[i] * inverses[i] % prime
        for place in range(starts[i], starts[i + 1]):
            j = columns[place]
            parts[j] = (parts[j] + (prime - parts[i]) * values[place]) % prime


def _adding(data: Any, rows: Any, prime: int, counts: Any, rank: int, *_: Any) -> float:
    """About how many steps `_add_rows` takes."""
    return 4.0 * len(counts) * min(len(rows), len(counts) - rank + PATIENCE)


_add_rows = compile_loop(_add_rows_plain, work=_adding)
_solve_lower = compile_loop(
    _solve_lower_plain, work=lambda starts, *rest: 2.0 * (rest[3] + starts[rest[3]])
)
_solve_upper = compile_loop(
    _solve_upper_plain, work=lambda starts, *rest: 2.0 * (rest[3] + starts[rest[3]])
)
_solve_transposed = compile_loop(
    _solve_transposed_plain,
    work=lambda upper, lower, *rest: 2.0 * (rest[2] + upper[0][rest[2]] + lower[0][rest[2]]),
)
