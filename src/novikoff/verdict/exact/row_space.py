"""The span of sparse rows, exactly: by the vectors that are orthogonal to all of them.

A vector is in the span if and only if it is orthogonal to a basis of the complement. The basis has
a vector for each column without a pivot, found by lifting; columns that no row uses are left to
themselves. That every row is orthogonal to every vector is checked exactly, so that a prime which
hides a direction is noticed; then another one is taken. Independent rows are sought among a few of
the rows, and then among those that are outside of their span.
"""

import math
from collections.abc import Callable

import numpy as np

from novikoff.verdict.exact import dot_products
from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import Elimination, ResidueRows, rows_outside
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import IntegerRow, Signed, SignedRows

VECTORS_AT_ONCE = 16  # that rows are held against
ROWS_PER_COLUMN = 16  # that are tried at once, to find independent ones

Coordinates = dict[int, int]  # by the number of a vector; beyond them, by that of an unused column


class RowSpace:
    """The span of some rows. coordinates(v) are those of v modulo the span, 0 if it is inside."""

    def __init__(
        self,
        signed: SignedRows,
        rows: Indices,
        elimination: Elimination | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._signed, self._rows, self._tick = signed, rows, tick
        found = None if elimination is None else self._complement(signed, elimination)
        while found is None:
            _, part, elimination = eliminate(signed, rows, tick)
            found = self._complement(part, elimination)
        assert elimination is not None
        self.rank, self._vectors = elimination.rank, len(found)
        self._by_column: dict[int, list[tuple[int, int]]] = {}
        for k, vector in enumerate(found):
            for column, value in vector.items():
                self._by_column.setdefault(column, []).append((k, value))
        self._used = _used_columns(elimination)

    def contains(self, direction: IntegerRow) -> bool:
        """Whether a vector is in the span."""
        return not self.coordinates(direction)

    def null_vectors(self) -> list[dict[int, int]]:
        """Vectors that span all which are orthogonal to every row."""
        vectors: list[dict[int, int]] = [{} for _ in range(self._vectors)]
        for column, entries in self._by_column.items():
            for k, value in entries:
                vectors[k][column] = value
        return vectors + [{j: 1} for j in range(self._signed.dim) if j not in self._used]

    def coordinates(self, direction: IntegerRow) -> Coordinates:
        """The products with the vectors that are orthogonal to the span, but for zeros, times the
        direction's denominator.
        """
        sums: Coordinates = {}
        for column, value in zip(direction.columns, direction.values, strict=True):
            if column not in self._used:
                sums[self._vectors + column] = value
            for k, factor in self._by_column.get(column, ()):
                sums[k] = sums.get(k, 0) + factor * value
        return {k: total for k, total in sums.items() if total}

    def _complement(
        self, part: SignedRows, elimination: Elimination
    ) -> list[dict[int, int]] | None:
        """Integer vectors orthogonal to all rows, one for each free column that they use; None if
        some row is not orthogonal to them. The elimination is of `part`.
        """
        system = BasisSystem(elimination, part.integers(elimination.rows), self._tick)
        used, vectors = _used_columns(elimination), []
        for column in elimination.free_columns():
            if column in used:
                found = system.orthogonal_vector({column: 1})
                if found is None:
                    return None
                vectors.append(found.numerators)
        for k in range(0, len(vectors), VECTORS_AT_ONCE):
            self._tick()
            some = vectors[k : k + VECTORS_AT_ONCE]
            if dot_products.first_not_orthogonal(self._signed, self._rows, some) is not None:
                return None
        return [_without_zeros(vector) for vector in vectors]


def eliminate(
    signed: SignedRows, rows: Indices, tick: Callable[[], None] = lambda: None
) -> tuple[Indices, Signed, Elimination]:
    """Some of the rows, a copy of them, and their elimination, which spans all rows but for an
    unlucky prime.
    """
    most = ROWS_PER_COLUMN * signed.dim
    chosen = spaced(rows, most)
    while True:
        part = signed.subset(chosen)
        elimination = Elimination(ResidueRows(part))
        elimination.extend(np.arange(part.count), tick)
        more = rows_outside(signed, rows, elimination)
        if not more.size:
            return chosen, part, elimination
        chosen = np.union1d(chosen[elimination.rows], spaced(more, most))


def spaced(rows: Indices, most: int) -> Indices:
    """At most so many of the rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _used_columns(elimination: Elimination) -> set[int]:
    """The columns that the rows use; what depends on independent rows uses no others."""
    residues = elimination.residues
    used = residues.columns[residues.places(np.array(elimination.rows, np.int64))]
    return {int(column) for column in used}


def _without_zeros(vector: list[int]) -> dict[int, int]:
    common = math.gcd(*vector)
    return {column: value // common for column, value in enumerate(vector) if value}
