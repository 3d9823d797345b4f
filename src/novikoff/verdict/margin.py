"""The margin, from both sides: of all that was seen on the way, the best of each."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.figures import Rational
from novikoff.learn import norm
from novikoff.scan import Lowest, Vector
from novikoff.signed import unit_factor
from novikoff.verdict.descent import HEAVIEST, PATIENCE, PEEK, Descent
from novikoff.verdict.nearest import Places
from novikoff.verdict.points import WIDE, Geometry, Suggestion
from novikoff.verdict.search import WHOLE, Nearest, Search

EXACT_SUPPORT = 300  # rows for which the exact margin is worth its time
DEFAULT = 1e-3
UNIT_WIDTH = 1e-9  # of the bracket at unit length, which is never exact
ROUGHLY, AS_GOOD_AS_IT_GETS = 0.1, 1e-13


class Bracket:
    """The best separator and the best multipliers so far; floating point, to be made exact."""

    def __init__(self) -> None:
        self.lower, self.upper = 0.0, np.inf
        self.weights: Vector | Rational | None = None
        self.support: tuple[Places, Vector | list[Fraction]] | None = None

    @property
    def width(self) -> float:
        return 1.0 - self.lower / self.upper if 0.0 < self.upper < np.inf else 1.0

    def from_below(self, weights: Vector | Rational, margin: float) -> None:
        if self.weights is None or margin > self.lower:
            self.lower, self.weights = max(margin, self.lower), weights

    def from_above(self, rows: Places, multipliers: Vector, margin: float) -> None:
        if self.support is None or margin < self.upper:
            self.upper, self.support = margin, (rows, multipliers)


class Refiner(NamedTuple):
    """Refines a bracket."""

    search: Search
    bracket: Bracket
    precision: float | None
    scales: Vector | None  # 1 / |z|, where rows are meant to be of unit length
    descent: Descent  # for very wide rows, as far as it has come

    def separate(self) -> bool:
        """Descend until the weights separate the rows, for as long as that is likely to come."""
        for _ in range(PATIENCE // PEEK):
            self._descend_a_little()
            if self.bracket.lower > 0.0:
                return True
        self.search.worth = self.descent.heaviest(HEAVIEST)
        return False

    def refine(self) -> Nearest | None:
        """Narrow the bracket down; the exact nearest point where it was worth the time."""
        signed = self.search.signed
        if self.precision is not None and self.bracket.width <= self.precision:
            return None
        if signed.dim > WIDE and not self._descend():
            return None
        geometry = Geometry.even(self.search.scan.maxima)
        if self.scales is not None:
            geometry = Geometry.plain(signed.dim)
        points = self.search.points(geometry, WHOLE, self.scales)
        found = self.search.suggest(points, WHOLE, self._enough)
        if self.precision and self.bracket.width <= self.precision:
            return None
        if self.scales is not None:
            self._settle_at_unit_length(found)
            return None
        large = len(found.rows) > EXACT_SUPPORT
        if self.precision is None and large and self.bracket.width <= DEFAULT:
            return None
        return self.search.settle(Geometry.plain(signed.dim), WHOLE, found.rows, found.multipliers)

    def _settle_at_unit_length(self, found: Suggestion) -> None:
        """Bracket from rows whose lengths are rational, nearly."""
        scales = self.scales if self.scales is not None else np.ones(self.search.signed.count)
        if self.bracket.width <= UNIT_WIDTH or len(found.rows) > EXACT_SUPPORT:
            return
        multipliers = found.multipliers / scales[found.rows]
        settled = self.search.settle_at_unit_length(found.rows, multipliers, scales)
        if settled.weights is None:
            return
        margin = float(settled.square) ** 0.5
        bits = self.search.length_bits(found.rows)
        parts = [
            part * unit_factor(self.search.signed.row(i), bits)
            for i, part in zip(settled.rows, settled.multipliers, strict=True)
        ]
        self.bracket.weights = settled.weights
        self.bracket.support = np.array(settled.rows, np.int64), parts
        self.bracket.lower = self.bracket.upper = margin

    def _enough(self, found: Suggestion, low: Lowest) -> bool:
        size = norm(found.weights)
        if size > 0.0:
            # |p| in the unit of the search, by what that unit is
            self.bracket.from_above(found.rows, found.multipliers, found.square / size)
            if low.score > low.error:
                self.bracket.from_below(found.weights, low.score / size)
        return bool(self.precision) and self.bracket.width <= (self.precision or 0.0)

    def _descend(self) -> bool:
        """Descend to the precision; whether the support is small enough for an exact finish."""
        goal = self.precision or DEFAULT
        while self.bracket.width > goal:
            self._descend_a_little()
            if self.descent.off < AS_GOOD_AS_IT_GETS:
                return True
            support = np.flatnonzero(self.descent.alphas)
            settled = self.descent.off < ROUGHLY and self.scales is None
            if self.precision is None and settled and len(support) <= EXACT_SUPPORT:
                self.search.worth = support
                return True
        return self.precision == 0.0

    def _descend_a_little(self) -> None:
        descent = self.descent
        for _ in range(PEEK):
            self.search.tick("descending")
            descent.epoch()
        support = np.flatnonzero(descent.alphas)
        multipliers = descent.alphas[support]
        if self.scales is not None:
            multipliers = multipliers * self.scales[support]
        self.bracket.from_above(support, multipliers, descent.upper)
        low = self.search.lowest(descent.weights, WHOLE, self.scales)
        if low.score > low.error:
            size = norm(descent.weights)
            self.bracket.from_below(descent.weights.copy(), low.score / size)
        if low.score < 1.0 - 2.0 * descent.off:  # a row that had been left aside
            descent.everything()
