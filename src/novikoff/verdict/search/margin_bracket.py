"""A bracket of the margin: the best lower and upper bound found on the way."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.learning.learner import norm
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import Indices, LowestScores, Vector
from novikoff.verdict.search.coordinate_descent import (
    EPOCHS_PER_SCAN,
    HEAVIEST,
    MOST_EPOCHS,
    Descent,
)
from novikoff.verdict.search.points import WIDE, ColumnScaling, Suggestion
from novikoff.verdict.search.search import ALL_ROWS, NearestPoint, Search
from novikoff.verdict.signed import unit_factor

EXACT_SUPPORT = 300  # rows for which the exact margin is worth its time
DEFAULT_WIDTH = 1e-3
UNIT_WIDTH = 1e-9  # of the bracket at unit length, which is never exact
NEARLY_CONVERGED, CONVERGED = 0.1, 1e-13  # violations


class Bracket:
    """The best separator and the best multipliers so far, in floating point; others prove them."""

    def __init__(self) -> None:
        self.lower, self.upper = 0.0, np.inf
        self.weights: Vector | Rational | None = None
        self.support: tuple[Indices, Vector | list[Fraction]] | None = None

    @property
    def width(self) -> float:
        """(upper - lower) / upper; 1 where nothing is known."""
        return 1.0 - self.lower / self.upper if 0.0 < self.upper < np.inf else 1.0

    def update_lower(self, weights: Vector | Rational, margin: float) -> None:
        """Keep a separator with this margin if it is the best so far."""
        if self.weights is None or margin > self.lower:
            self.lower, self.weights = max(margin, self.lower), weights

    def update_upper(self, rows: Indices, multipliers: Vector, margin: float) -> None:
        """Keep multipliers that bound the margin by this if they are the best so far."""
        if self.support is None or margin < self.upper:
            self.upper, self.support = margin, (rows, multipliers)


class Refiner(NamedTuple):
    """Narrows a bracket down to a precision."""

    search: Search
    bracket: Bracket
    precision: float | None
    scales: Vector | None  # 1 / |z|, where rows are scaled to unit length
    descent: Descent  # for very wide rows

    def separate(self) -> bool:
        """Descend until the weights separate the rows, up to `MOST_EPOCHS`."""
        for _ in range(MOST_EPOCHS // EPOCHS_PER_SCAN):
            self._descend_and_scan()
            if self.bracket.lower > 0.0:
                return True
        self.search.candidates = self.descent.heaviest(HEAVIEST)
        return False

    def refine(self) -> NearestPoint | None:
        """Narrow the bracket down; returns the exact nearest point where it was worth the time."""
        signed = self.search.signed
        if self.precision is not None and self.bracket.width <= self.precision:
            return None
        if signed.dim > WIDE and not self._descend():
            return None
        scaling = ColumnScaling.uniform(self.search.scan.maxima)
        if self.scales is not None:
            scaling = ColumnScaling.identity(signed.dim)
        points = self.search.points(scaling, ALL_ROWS, self.scales)
        found = self.search.suggest(points, ALL_ROWS, self._enough)
        if self.precision and self.bracket.width <= self.precision:
            return None
        if self.scales is not None:
            self._bracket_at_unit_length(found)
            return None
        large = len(found.rows) > EXACT_SUPPORT
        if self.precision is None and large and self.bracket.width <= DEFAULT_WIDTH:
            return None
        return self.search.solve_exactly(
            ColumnScaling.identity(signed.dim), ALL_ROWS, found.rows, found.multipliers
        )

    def _bracket_at_unit_length(self, found: Suggestion) -> None:
        """Set the bracket by an exact solution for rows scaled by rational lengths."""
        scales = self.scales if self.scales is not None else np.ones(self.search.signed.count)
        if self.bracket.width <= UNIT_WIDTH or len(found.rows) > EXACT_SUPPORT:
            return
        multipliers = found.multipliers / scales[found.rows]
        solved = self.search.solve_at_unit_length(found.rows, multipliers, scales)
        if solved.weights is None:
            return
        margin = float(solved.square) ** 0.5
        bits = self.search.length_bits(found.rows)
        parts = [
            part * unit_factor(self.search.signed.row(i), bits)
            for i, part in zip(solved.rows, solved.multipliers, strict=True)
        ]
        self.bracket.weights = solved.weights
        self.bracket.support = np.array(solved.rows, np.int64), parts
        self.bracket.lower = self.bracket.upper = margin

    def _enough(self, found: Suggestion, low: LowestScores) -> bool:
        size = norm(found.weights)
        if size > 0.0:
            # |p| on the columns as given
            self.bracket.update_upper(found.rows, found.multipliers, found.square / size)
            if low.score > low.error:
                self.bracket.update_lower(found.weights, low.score / size)
        return bool(self.precision) and self.bracket.width <= (self.precision or 0.0)

    def _descend(self) -> bool:
        """Descend to the precision; whether the support is small enough for an exact solution."""
        goal = self.precision or DEFAULT_WIDTH
        while self.bracket.width > goal:
            self._descend_and_scan()
            if self.descent.violation < CONVERGED:
                return True
            support = np.flatnonzero(self.descent.alphas)
            nearly = self.descent.violation < NEARLY_CONVERGED and self.scales is None
            if self.precision is None and nearly and len(support) <= EXACT_SUPPORT:
                self.search.candidates = support
                return True
        return self.precision == 0.0

    def _descend_and_scan(self) -> None:
        """Descend for a few epochs, and update the bracket."""
        descent = self.descent
        for _ in range(EPOCHS_PER_SCAN):
            self.search.tick("descending")
            descent.epoch()
        support = np.flatnonzero(descent.alphas)
        multipliers = descent.alphas[support]
        if self.scales is not None:
            multipliers = multipliers * self.scales[support]
        self.bracket.update_upper(support, multipliers, descent.upper)
        low = self.search.lowest(descent.weights, ALL_ROWS, self.scales)
        if low.score > low.error:
            size = norm(descent.weights)
            self.bracket.update_lower(descent.weights.copy(), low.score / size)
        if low.score < 1.0 - 2.0 * descent.violation:  # a row that was no longer active
            descent.reactivate_all()
