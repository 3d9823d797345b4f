"""Which rows lie in the span of others, exactly.

They are the rows orthogonal to a complement of the span. One vector of the complement, chosen at
random, tells almost all rows that are not; the rest are looked at exactly.
"""

import numpy as np

from novikoff import products
from novikoff.figures import Rational
from novikoff.scan import SMALLEST, Mask
from novikoff.verdict import exact
from novikoff.verdict.nearest import Places
from novikoff.verdict.points import rounded
from novikoff.verdict.search import Search


class Span:
    """The span of some rows, kept as independent ones among them."""

    def __init__(self, search: Search, basis: list[int]) -> None:
        self.search, self.signed = search, search.signed
        self.basis = basis
        self.complement = self._complement()

    def members(self, among: Mask) -> Mask:
        """Which of the rows lie in the span."""
        if not self.complement:
            return among.copy()
        near = near_zero(self.search, mixture(self.complement), among)
        vectors = [vector.numerators for vector in self.complement]
        inside = np.zeros(self.signed.count, np.bool_)
        inside[near] = ~products.signs(self.signed, near, vectors).any(axis=1)
        return inside

    def take(self, rows: Places) -> None:
        """Extend the span by rows."""
        every = [*self.basis, *rows.tolist()]
        found = exact.independent([self.signed.row(i) for i in every], self.signed.dim)
        self.basis = [every[k] for k in found]
        self.complement = self._complement()

    def cover(self, rows: Mask) -> None:
        """Extend the span until it holds all of these rows."""
        left = rows.copy()
        while self.complement and left.any():
            self.search.tick("finding directions")
            left &= ~self.members(left)
            few = np.flatnonzero(left)[: 2 * self.signed.dim]
            if few.size:
                self.take(few)

    def everything(self) -> list[Rational]:
        """What is orthogonal to all rows."""
        self.cover(np.ones(self.signed.count, np.bool_))
        return self.complement

    def _complement(self) -> list[Rational]:
        return exact.complement([self.signed.row(i) for i in self.basis], self.signed.dim)


def near_zero(search: Search, vector: Rational, among: Mask) -> Places:
    """The rows whose score is too near to 0 to be told from it."""
    scan = search.scan
    doubles = rounded(vector, scan.maxima)
    if doubles is None:
        return np.flatnonzero(among)
    search.scans += 1
    error = 2.0 * scan.error(doubles[0]) + SMALLEST * float(scan.maxima.sum())
    return np.flatnonzero(among & ~(np.abs(scan.scores(doubles[0])) > error))


def mixture(vectors: list[Rational]) -> Rational:
    """A random combination."""
    factors = np.random.default_rng(0).integers(1, 2**20, len(vectors)).tolist()
    total = [0] * len(vectors[0].numerators)
    for factor, vector in zip(factors, vectors, strict=True):
        for j, value in enumerate(vector.numerators):
            total[j] += factor * value
    return Rational(total, 1)
