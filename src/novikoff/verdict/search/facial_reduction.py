"""Complete, quasi-complete, overlap (Albert and Anderson 1984), by facial reduction.

A hyperplane w in question has z . w >= 0 on every row. If rows have a conflict, sum lambda z = 0
with lambda > 0, then z . w = 0 on them and on all rows in their span: they lie on every such
hyperplane. The other rows are judged again without those directions, until they are separable or
none is left; each round adds a direction, so there are at most as many rounds as coordinates. The
rows that lie on every hyperplane are called the boundary.
"""

from fractions import Fraction

import numpy as np

from novikoff.verdict.exact import linear_systems
from novikoff.verdict.exact.margins import Rational, round_to_bits
from novikoff.verdict.program.program_split import fits_program, suits_program
from novikoff.verdict.program.row_generation import is_long
from novikoff.verdict.program.split import Split
from novikoff.verdict.search.coordinate_descent import (
    EPOCHS_PER_SCAN,
    HEAVIEST,
    MOST_EPOCHS,
    Descent,
)
from novikoff.verdict.search.points import WIDE, ColumnScaling
from novikoff.verdict.search.search import Face, NearestPoint, Search, StalledError, as_rational
from novikoff.verdict.search.span import Span, rows_near_zero
from novikoff.verdict.signed import Signed

SMALL = 40  # rows for which an exact solve costs nothing
FEW_STEPS = 3  # exact solves for many rows, before a program is tried
FEW_FACES = 4  # likewise
MOST_PAIRS = 2000  # of identical rows that are searched for directions; the span finds the others


class FacialReduction:
    """The reduction so far: the boundary, and the witnesses for it."""

    def __init__(self, search: Search) -> None:
        self.search, self.signed = search, search.signed
        self.on_boundary = np.zeros(self.signed.count, np.bool_)
        self.spanning: dict[int, Fraction] = {}
        self.basis: list[int] = []
        self.conflict: list[tuple[int, Fraction]] = []
        self.complement: list[Rational] | None = None
        self.wide = self.signed.dim > WIDE
        self.nearest: NearestPoint | None = None  # of all rows, if it was found on the way

    def split(self, pairs: list[tuple[int, int]]) -> Split:
        """Reduce until the other rows are separable. pairs: identical rows of opposite labels."""
        self._start(pairs)
        separator, faces = None, FEW_FACES
        fits = is_long(self.signed) or fits_program(self.signed)
        if suits_program(self.signed) or not fits:
            faces = -1  # it was tried, or is not to be
        while not self.on_boundary.all() and separator is None:
            try:
                found = self._separator_or_conflict(FEW_STEPS if faces > 0 else None)
                if isinstance(found, Rational):
                    separator = found
                    continue
                self._add_conflict(found)
                faces -= 1
            except StalledError:
                faces = 0
            if faces == 0 and not self.on_boundary.all():
                faces = -1
                split = self.search.split_by_program(pairs)
                if split is not None:
                    return split
        return Split(
            self.on_boundary, separator, self.conflict, self.spanning, self.basis, self.complement
        )

    def _start(self, pairs: list[tuple[int, int]]) -> None:
        """Find the boundary rows that need no search: zeros, identical pairs, pinned rows."""
        zeros = [i for some in self.signed.map_pieces(_zeros) for i in some]
        self.on_boundary[zeros] = True
        free = [i for i in zeros if not self.signed.pinned[i]]
        if free:
            self.spanning = {i: Fraction(1) for i in (free if self.wide else free[:1])}
            self.conflict = [(free[0], Fraction(1))]
        if pairs:
            firsts = self.signed.integers(i for i, _ in pairs[:MOST_PAIRS])
            for k in linear_systems.independent_rows(firsts):
                self.basis.append(pairs[k][0])
                self.spanning.update((i, Fraction(1)) for i in pairs[k])
            self.conflict = self.conflict or [(i, Fraction(1)) for i in pairs[0]]
        self._add_pinned()
        if self.on_boundary.any() or self.basis:
            self._extend_to_span()

    def _add_pinned(self) -> None:
        """Add the pinned rows, which lie on every hyperplane by definition."""
        pinned = self.signed.pinned
        if not pinned.any():
            return
        self.on_boundary |= pinned
        span = Span(self.search, [])
        span.extend_to(pinned)
        self.basis = span.basis
        self.spanning.update((i, Fraction(0)) for i in self.basis)

    def _separator_or_conflict(self, most: int | None) -> Rational | NearestPoint:
        """A separator of the rows off the boundary, or a conflict among them.

        most: of exact solves, where many rows are active; StalledError beyond.
        """
        search, face = self.search, Face(self.basis, self.on_boundary)
        if self.wide:
            separator = self._descend(face)
            if separator is not None:
                return separator
        scaling = ColumnScaling.equalized(search.scan.maxima)
        found = search.suggest(search.points(scaling, face), face)
        if len(found.rows) + len(self.basis) > SMALL and found.weights.any():
            separator = self._if_proven(as_rational(found.weights), face)
            if separator is not None:
                return separator
        most = most if len(found.rows) > SMALL else None
        solved = search.solve_exactly(scaling, face, found.rows, found.multipliers, most)
        if solved.weights is None:
            return solved
        if scaling.is_identity and not self.on_boundary.any():
            self.nearest = solved
        return solved.weights

    def _if_proven(self, separator: Rational, face: Face) -> Rational | None:
        """The separator without its component along the boundary; None if it does not separate."""
        if self.basis:
            basis = self.signed.integers(self.basis)
            separator = linear_systems.project_out(basis, separator, self.signed.dim)
        return separator if self.search.violator(separator, face, set(), least=0) is None else None

    def _descend(self, face: Face) -> Rational | None:
        """A separator by coordinate descent, for very wide rows; None if there is none soon."""
        descent = Descent(self.signed, face)
        for epoch in range(MOST_EPOCHS):
            self.search.tick("descending")
            descent.epoch()
            if epoch % EPOCHS_PER_SCAN == EPOCHS_PER_SCAN - 1 and descent.weights.any():
                low = self.search.lowest(descent.weights, face)
                if low.score > max(low.error, descent.violation / 2.0):
                    weights = Rational(round_to_bits(descent.weights).tolist(), 1)
                    found = self._if_proven(weights, face)
                    if found is not None:
                        return found
        self.search.candidates = descent.heaviest(HEAVIEST)
        return None

    def _add_conflict(self, found: NearestPoint) -> None:
        """Add the rows of a conflict to the boundary."""
        self.search.tick("finding rows on the boundary")
        if not self.conflict:
            parts = {**dict(zip(self.basis, found.others, strict=True))}
            parts.update(zip(found.rows, found.multipliers, strict=True))
            self.conflict = sorted((i, m) for i, m in parts.items() if m)
        self._combine(dict(zip(found.rows, found.multipliers, strict=True)), found.others)
        self.basis = self._basis([*self.basis, *found.rows])
        self.on_boundary[found.rows] = True
        self._extend_to_span()

    def _basis(self, rows: list[int]) -> list[int]:
        """Independent rows among those of a conflict, which span all of them.

        One row depends on the others, as the conflict shows; any further one is checked.
        """
        exact = self.signed.integers(rows)
        chosen = linear_systems.independent_rows(exact)
        if len(rows) - len(chosen) > 1:
            basis = [exact[k] for k in chosen]
            for k in sorted(set(range(len(rows))) - set(chosen)):
                if linear_systems.null_vector([*basis, exact[k]]) is None:
                    raise AssertionError("a prime divides what it must not: try once more")
        return [rows[k] for k in chosen]

    def _combine(self, more: dict[int, Fraction], others: list[Fraction]) -> None:
        """spanning = t * spanning + others on `basis` + more, with t so that all stay positive."""
        pinned = self.signed.pinned
        behind = [
            -part / self.spanning[i]
            for i, part in zip(self.basis, others, strict=True)
            if part < 0 and not pinned[i]
        ]
        times = int(max(behind, default=Fraction(0))) + 1
        total = {i: times * part for i, part in self.spanning.items()}
        for i, part in (*zip(self.basis, others, strict=True), *more.items()):
            total[i] = total.get(i, Fraction(0)) + part
        self.spanning = total

    def _extend_to_span(self) -> None:
        """Add the rows in the span of the boundary, which lie on every hyperplane too."""
        self.search.tick("finding rows on the boundary")
        self.complement = None
        if len(self.basis) == self.signed.dim:
            self.on_boundary[:] = True
        elif self.wide:
            self._extend_wide()
        else:
            span = Span(self.search, self.basis)
            self.on_boundary |= span.members(~self.on_boundary)
            if len(self.spanning) < int(self.on_boundary.sum()):
                self.complement = span.complement

    def _extend_wide(self) -> None:
        """Extend with very many coordinates: each row that is found is added to `spanning`."""
        basis = self.signed.integers(self.basis)
        vector = as_rational(np.random.default_rng(0).standard_normal(self.signed.dim))
        vector = linear_systems.project_out(basis, vector, self.signed.dim)
        near = rows_near_zero(self.search, vector, ~self.on_boundary).tolist()
        for i, row in zip(near, self.signed.integers(near), strict=True):
            null = linear_systems.null_vector([*basis, row])
            if null is not None:
                others = [linear_systems.as_fraction(part / null[-1]) for part in null[:-1]]
                self._combine({i: Fraction(1)}, others)
                self.on_boundary[i] = True


def _zeros(signed: Signed) -> list[int]:
    """The rows of zeros, by their global numbers."""
    short = np.flatnonzero(signed.scan.squares == 0.0).tolist()
    return [signed.start + i for i in short if not any(signed.row(i).values)]
