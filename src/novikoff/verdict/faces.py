"""Complete, quasi-complete, overlap (Albert and Anderson 1984), by facial reduction.

A hyperplane w in question has z . w >= 0 on every row. If rows have a conflict, sum lambda z = 0
with lambda > 0, then z . w = 0 on them and on all rows in their span: they lie on every such
hyperplane. The other rows are judged again without those directions, until they are separable or
none is left; each round adds a direction, so there are at most as many rounds as coordinates.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.figures import Rational
from novikoff.scan import Mask
from novikoff.signed import Signed
from novikoff.verdict import exact
from novikoff.verdict.descent import HEAVIEST, PATIENCE, PEEK, Descent
from novikoff.verdict.points import WIDE, Geometry, in_short
from novikoff.verdict.search import Face, Nearest, Search, as_rational
from novikoff.verdict.span import Span, near_zero

SMALL = 40  # rows for which an exact solve costs nothing
GROUPS = 2000  # identical rows that are looked at for directions; the span finds the others


class Split(NamedTuple):
    """Which rows can be strictly on their side (not `within`), and the witnesses for both parts.

    separator: z . w > 0 on the rows that are not within, = 0 on those that are; None if all are.
    spanning: multipliers of rows within, positive and summing to zero, that span all rows within.
    complement: what is orthogonal to them; None where `spanning` lists every row within, or they
    span everything.
    """

    within: Mask
    separator: Rational | None
    conflict: list[tuple[int, Fraction]]
    spanning: dict[int, Fraction]
    on_all: list[int]
    complement: list[Rational] | None


class Faces:
    """Goes from face to face."""

    def __init__(self, search: Search) -> None:
        self.search, self.signed = search, search.signed
        self.within = np.zeros(self.signed.count, np.bool_)
        self.spanning: dict[int, Fraction] = {}
        self.on_all: list[int] = []
        self.conflict: list[tuple[int, Fraction]] = []
        self.complement: list[Rational] | None = None
        self.wide = self.signed.dim > WIDE
        self.best: Nearest | None = None  # the nearest point of all rows, if it came up

    def split(self, pairs: list[tuple[int, int]]) -> Split:
        """Judge the rows; `pairs` are identical rows of opposite labels, known beforehand."""
        self._begin(pairs)
        separator = None
        while not self.within.all() and separator is None:
            found = self._nearest()
            if isinstance(found, Rational):
                separator = found
            else:
                self._grow(found)
        return Split(
            self.within, separator, self.conflict, self.spanning, self.on_all, self.complement
        )

    def _begin(self, pairs: list[tuple[int, int]]) -> None:
        """Rows that lie on every hyperplane for reasons that need no search."""
        zeros = [i for some in self.signed.each(_zeros) for i in some]
        self.within[zeros] = True
        free = [i for i in zeros if not self.signed.pinned[i]]
        if free:
            self.spanning = {i: Fraction(1) for i in (free if self.wide else free[:1])}
            self.conflict = [(free[0], Fraction(1))]
        if pairs:
            firsts = self.signed.integers(i for i, _ in pairs[:GROUPS])
            for k in exact.independent(firsts, self.signed.dim):
                self.on_all.append(pairs[k][0])
                self.spanning.update((i, Fraction(1)) for i in pairs[k])
            self.conflict = self.conflict or [(i, Fraction(1)) for i in pairs[0]]
        self._pin()
        if self.within.any() or self.on_all:
            self._spread()

    def _pin(self) -> None:
        """Pinned rows lie on every hyperplane by definition: find some that span them."""
        pinned = self.signed.pinned
        if not pinned.any():
            return
        self.within |= pinned
        span = Span(self.search, [])
        span.cover(pinned)
        self.on_all = span.basis
        self.spanning.update((i, Fraction(0)) for i in self.on_all)

    def _nearest(self) -> Rational | Nearest:
        """A separator of the rows on this face, or their conflict."""
        search, face = self.search, Face(self.on_all, self.within)
        if self.wide:
            separator = self._descend(face)
            if separator is not None:
                return separator
        geometry = Geometry.level(search.scan.maxima)
        found = search.suggest(search.points(geometry, face), face)
        if len(found.rows) + len(self.on_all) > SMALL and found.weights.any():
            separator = self._proven(as_rational(found.weights), face)
            if separator is not None:
                return separator
        settled = search.settle(geometry, face, found.rows, found.multipliers)
        if settled.weights is None:
            return settled
        if geometry.is_plain and not self.within.any():
            self.best = settled
        return settled.weights

    def _proven(self, separator: Rational, face: Face) -> Rational | None:
        """The separator with its part along the boundary taken out, if it is one, exactly."""
        if self.on_all:
            basis = self.signed.integers(self.on_all)
            separator = exact.projected(basis, separator, self.signed.dim)
        return separator if self.search.violator(separator, face, set(), least=0) is None else None

    def _descend(self, face: Face) -> Rational | None:
        """A separator by coordinate descent, which suits very wide rows, if one comes soon."""
        descent = Descent(self.signed, face)
        for epoch in range(PATIENCE):
            self.search.tick("descending")
            descent.epoch()
            if epoch % PEEK == PEEK - 1 and descent.weights.any():
                low = self.search.lowest(descent.weights, face)
                if low.score > max(low.error, descent.off / 2.0):
                    found = self._proven(Rational(in_short(descent.weights).tolist(), 1), face)
                    if found is not None:
                        return found
        self.search.worth = descent.heaviest(HEAVIEST)
        return None

    def _grow(self, found: Nearest) -> None:
        """Add a conflict to what lies on every hyperplane."""
        if not self.conflict:
            parts = {**dict(zip(self.on_all, found.others, strict=True))}
            parts.update(zip(found.rows, found.multipliers, strict=True))
            self.conflict = sorted((i, m) for i, m in parts.items() if m)
        self._combine(dict(zip(found.rows, found.multipliers, strict=True)), found.others)
        self.on_all = self._basis([*self.on_all, *found.rows])
        self.within[found.rows] = True
        self._spread()

    def _basis(self, rows: list[int]) -> list[int]:
        """Independent rows among those of a conflict, which span all of them.

        One row depends on the others, as the conflict shows; any further one is looked at.
        """
        held = self.signed.integers(rows)
        chosen = exact.independent(held, self.signed.dim)
        if len(rows) - len(chosen) > 1:
            basis = [held[k] for k in chosen]
            for k in sorted(set(range(len(rows))) - set(chosen)):
                if exact.null_vector([*basis, held[k]], self.signed.dim) is None:
                    raise AssertionError("a prime divides what it must not: try once more")
        return [rows[k] for k in chosen]

    def _combine(self, more: dict[int, Fraction], others: list[Fraction]) -> None:
        """spanning = t * spanning + others on `on_all` + more, with t so that all stay positive."""
        pinned = self.signed.pinned
        behind = [
            -part / self.spanning[i]
            for i, part in zip(self.on_all, others, strict=True)
            if part < 0 and not pinned[i]
        ]
        times = int(max(behind, default=Fraction(0))) + 1
        total = {i: times * part for i, part in self.spanning.items()}
        for i, part in (*zip(self.on_all, others, strict=True), *more.items()):
            total[i] = total.get(i, Fraction(0)) + part
        self.spanning = total

    def _spread(self) -> None:
        """Find the rows in the span of those on every hyperplane: they are, too."""
        self.search.tick("finding rows on the boundary")
        self.complement = None
        if len(self.on_all) == self.signed.dim:
            self.within[:] = True
        elif self.wide:
            self._spread_wide()
        else:
            span = Span(self.search, self.on_all)
            self.within |= span.members(~self.within)
            if len(self.spanning) < int(self.within.sum()):
                self.complement = span.complement

    def _spread_wide(self) -> None:
        """With very many coordinates: each row within is expressed by the others, and listed."""
        basis = self.signed.integers(self.on_all)
        vector = as_rational(np.random.default_rng(0).standard_normal(self.signed.dim))
        vector = exact.projected(basis, vector, self.signed.dim)
        near = near_zero(self.search, vector, ~self.within).tolist()
        for i, row in zip(near, self.signed.integers(near), strict=True):
            null = exact.null_vector([*basis, row], self.signed.dim)
            if null is not None:
                self._combine({i: Fraction(1)}, [part / null[-1] for part in null[:-1]])
                self.within[i] = True


def _zeros(signed: Signed) -> list[int]:
    """The rows of zeros."""
    short = np.flatnonzero(signed.scan.squares == 0.0).tolist()
    return [signed.start + i for i in short if not any(signed.row(i).values)]
