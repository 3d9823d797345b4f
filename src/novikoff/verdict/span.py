"""Which rows lie in the span of others, exactly.

They are the rows orthogonal to a complement of the span. One vector of the complement, chosen at
random, tells almost all rows that are not; the rest are looked at exactly.
"""

import numpy as np

from novikoff import products
from novikoff.figures import Rational
from novikoff.scan import SMALLEST, Mask
from novikoff.signed import IntegerRow, dot
from novikoff.verdict import exact
from novikoff.verdict.nearest import Places
from novikoff.verdict.points import rounded
from novikoff.verdict.search import Search


class Span:
    """The span of some rows, kept as independent ones among them."""

    def __init__(self, search: Search, basis: list[int]) -> None:
        self.search, self.signed = search, search.signed
        self._hold(basis)

    def _hold(self, basis: list[int]) -> None:
        self.basis = basis
        self._complement: list[Rational] | None = None
        self._residues: exact.Residues | None = None

    @property
    def full(self) -> bool:
        """Whether it is the whole space."""
        return len(self.basis) == self.signed.dim

    @property
    def complement(self) -> list[Rational]:
        """What is orthogonal to it. With many columns that takes its time."""
        if self._complement is None:
            self._complement = exact.complement(self._rows(), self.signed.dim)
        return self._complement

    def holds(self, direction: IntegerRow) -> bool:
        """Whether a vector lies in it. Modulo a prime most that do not are told apart."""
        if self.full:
            return True
        if self._residues is None:
            self._residues = exact.Residues(self._rows(), self.signed.dim)
        if not self._residues.may_hold(direction):
            return False
        return all(dot(direction, vector.numerators) == 0 for vector in self.complement)

    def members(self, among: Mask) -> Mask:
        """Which of the rows lie in it."""
        if self.full:
            return among.copy()
        near = near_zero(self.search, mixture(self.complement), among)
        vectors = [vector.numerators for vector in self.complement]
        inside = np.zeros(self.signed.count, np.bool_)
        inside[near] = ~products.outside(self.signed, near, vectors)
        return inside

    def cover(self, rows: Mask) -> None:
        """Extend it until it holds all of these rows."""
        left, outside = rows.copy(), False
        while left.any() and not self.full:
            self.search.tick("finding directions")
            few = np.flatnonzero(left)[: 2 * self.signed.dim].tolist()
            every = [*self.basis, *few]
            found = exact.independent(self.signed.integers(every), self.signed.dim)
            if outside and len(found) == len(self.basis):
                raise AssertionError("a prime divides what it must not: try once more")
            self._hold([every[k] for k in found])
            left[self.basis] = False
            if left.any():
                left &= ~self.members(left)
                outside = True  # those left are not in the span, exactly

    def _rows(self) -> list[IntegerRow]:
        return self.signed.integers(self.basis)


def near_zero(search: Search, vector: Rational, among: Mask) -> Places:
    """The rows whose score is too near to 0 to be told from it."""
    scan = search.scan
    doubles = rounded(vector, scan.maxima)
    if doubles is None:
        return np.flatnonzero(among)
    search.scans += 1
    error = 2.0 * scan.error(doubles[0]) + SMALLEST * scan.total
    return scan.undecided(doubles[0], error, among)


def mixture(vectors: list[Rational]) -> Rational:
    """A random combination."""
    factors = np.random.default_rng(0).integers(1, 2**20, len(vectors)).tolist()
    total = [0] * len(vectors[0].numerators)
    for factor, vector in zip(factors, vectors, strict=True):
        for j, value in enumerate(vector.numerators):
            total[j] += factor * value
    return Rational(total, 1)
