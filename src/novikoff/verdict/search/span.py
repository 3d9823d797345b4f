"""Which rows lie in the span of others, exactly.

They are the rows orthogonal to a complement of the span. One vector of the complement, chosen at
random, excludes almost all rows that are not; the rest are checked exactly.
"""

import numpy as np

from novikoff.verdict.exact import dot_products, linear_systems
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import SMALLEST, Indices, Mask
from novikoff.verdict.search.points import scaled_doubles
from novikoff.verdict.search.search import Search
from novikoff.verdict.signed import IntegerRow, dot


class Span:
    """The span of some rows, given by a basis: independent ones among them."""

    def __init__(self, search: Search, basis: list[int]) -> None:
        self.search, self.signed = search, search.signed
        self._set_basis(basis)

    def _set_basis(self, basis: list[int]) -> None:
        self.basis = basis
        self._complement: list[Rational] | None = None
        self._residues: linear_systems.Residues | None = None

    @property
    def rank(self) -> int:
        """Its dimension."""
        return len(self.basis)

    @property
    def full(self) -> bool:
        """Whether it is the whole space."""
        return len(self.basis) == self.signed.dim

    @property
    def complement(self) -> list[Rational]:
        """A basis of the orthogonal complement; expensive with many columns."""
        if self._complement is None:
            self._complement = linear_systems.orthogonal_complement(self._rows(), self.signed.dim)
        return self._complement

    def null_vectors(self) -> list[dict[int, int]]:
        """Vectors that span all which are orthogonal to every row."""
        if self.full:
            return []
        return [
            {j: value for j, value in enumerate(vector.numerators) if value}
            for vector in self.complement
        ]

    def contains(self, direction: IntegerRow) -> bool:
        """Whether a vector lies in the span. Most that do not are excluded modulo a prime."""
        if self.full:
            return True
        if self._residues is None:
            self._residues = linear_systems.Residues(self._rows(), self.signed.dim)
        if not self._residues.may_contain(direction):
            return False
        return all(dot(direction, vector.numerators) == 0 for vector in self.complement)

    def members(self, among: Mask) -> Mask:
        """Which of these rows lie in the span."""
        if self.full:
            return among.copy()
        near = rows_near_zero(self.search, random_combination(self.complement), among)
        vectors = [vector.numerators for vector in self.complement]
        inside = np.zeros(self.signed.count, np.bool_)
        inside[near] = ~dot_products.not_orthogonal(self.signed, near, vectors)
        return inside

    def extend_to(self, rows: Mask) -> None:
        """Extend the span until it contains all of these rows."""
        left, outside = rows.copy(), False
        while left.any() and not self.full:
            self.search.tick("finding directions")
            few = np.flatnonzero(left)[: 2 * self.signed.dim].tolist()
            every = [*self.basis, *few]
            found = linear_systems.independent_rows(self.signed.integers(every))
            if outside and len(found) == len(self.basis):
                raise AssertionError("a prime divides what it must not: try once more")
            self._set_basis([every[k] for k in found])
            left[self.basis] = False
            if left.any():
                left &= ~self.members(left)
                outside = True  # those left are not in the span, exactly

    def _rows(self) -> list[IntegerRow]:
        return self.signed.integers(self.basis)


def rows_near_zero(search: Search, vector: Rational, among: Mask) -> Indices:
    """The rows whose scores doubles cannot tell from 0."""
    scan = search.scan
    doubles = scaled_doubles(vector, scan.maxima)
    if doubles is None:
        return np.flatnonzero(among)
    search.scans += 1
    error = 2.0 * scan.error(doubles[0]) + SMALLEST * scan.total
    return scan.rows_near_zero(doubles[0], error, among)


def random_combination(vectors: list[Rational]) -> Rational:
    """A random combination of the vectors, the same each time."""
    factors = np.random.default_rng(0).integers(1, 2**20, len(vectors)).tolist()
    total = [0] * len(vectors[0].numerators)
    for factor, vector in zip(factors, vectors, strict=True):
        for j, value in enumerate(vector.numerators):
            total[j] += factor * value
    return Rational(total, 1)
