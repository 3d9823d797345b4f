"""Passes over signed rows, and the bound on their rounding errors."""

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError
from novikoff.learn import norm
from novikoff.rows import Array, CsrRows, Rows, features_of, length, longest, row_at, stored
from novikoff.scan.blocks import BLOCKS, Cut, Lowest, Met, Places, Smallest, Vector
from novikoff.scan.kernels import (
    in_parts,
    kernel,
    make_look,
    make_lowest,
    make_scores,
    make_squares,
    make_survey,
)

Mask = npt.NDArray[np.bool_]

UNIT = 2.0**-53  # half the distance from 1 to the next double
SMALLEST = 2.0**-1074
TINY, HUGE = 1e-280, 1e280  # squares between these are right but for rounding
NO_SCALES = np.empty(0)
NO_MASK = np.empty(0, np.bool_)


class Scan:
    """Passes over rows in memory, and what one survey of them tells.

    steps: how many roundings an entry can go through in a sum. `rounded` says that the rows are
    themselves rounded, from exact numbers kept elsewhere. Without a `survey` at the start, maxima
    and squares are found when they are asked for. start: how many rows come before these, where
    they are only some of all; errors name rows by their numbers among all.

    What goes through rows and says where something is (`met`, `longest_in`, `up_to_in`) takes a
    `Cut`, so that rows which are only some of all say it in the terms of all.
    """

    def __init__(
        self,
        rows: Rows,
        signs: npt.NDArray[np.int8],
        rounded: bool = False,
        *,
        survey: bool = True,
        start: int = 0,
    ) -> None:
        self.rows, self.signs, self.rounded, self.start = rows, signs, rounded, start
        self._set(int(length(rows)), longest(rows), survey)

    def _set(self, count: int, entries: int, survey: bool) -> None:
        self.count, self.steps = count, entries + 3 + 2 * self.rounded
        self.cut = Cut(0, max(1, -(-count // BLOCKS)))
        if survey:
            self.maxima  # noqa: B018  (a pass that finds the squares as well)

    @cached_property
    def squares(self) -> Vector:
        """Each row's squared length but for rounding; 0 or infinite beyond the range of doubles."""
        out = self._squares(0, self.count)
        self._refuse_infinite(out, 0)
        return out

    def _squares(self, start: int, stop: int) -> Vector:
        out = np.empty(stop - start)

        def work(first: int, last: int) -> None:
            kernel(make_squares)(self.rows, start + first, out[first:last])

        list(in_parts(len(out), self._entries(len(out)), work))
        return out

    def _entries(self, rows: int) -> int:
        """How many so many rows have, about."""
        return stored(self.rows) * rows // max(1, self.count)

    @cached_property
    def maxima(self) -> Vector:
        """The largest |entry| of each coordinate, the bias included."""
        squares = np.empty(self.count)
        found = np.zeros(features_of(self.rows) + self.rows.bias)

        def work(start: int, stop: int) -> Vector:
            maxima = np.zeros_like(found)
            kernel(make_survey)(self.rows, start, maxima, squares[start:stop])
            return maxima

        for maxima in in_parts(len(squares), stored(self.rows), work):
            np.maximum(found, maxima, out=found)
        if self.rows.bias:
            found[-1] = 1.0
        self._refuse_infinite(squares, 0)
        vars(self).setdefault("squares", squares)
        return found

    @cached_property
    def total(self) -> float:
        """The sum of the maxima; infinite if it overflows."""
        with np.errstate(over="ignore"):
            return float(self.maxima.sum())

    def _refuse_infinite(self, squares: Vector, start: int) -> None:
        if squares.max(initial=0.0) < np.inf:
            return
        for i in start + np.flatnonzero(~(squares < np.inf)):  # the square alone may be infinite
            if not np.isfinite(row_at(self.rows, int(i)).values).all():
                raise DataError(_not_finite(self.rows, int(i), self.start))

    @cached_property
    def extremes(self) -> tuple[float, float, int]:
        """The smallest and the largest of the squares, and the row that has the smallest."""
        shortest = int(np.argmin(self.squares))
        return float(self.squares[shortest]), float(self.squares.max()), shortest

    @cached_property
    def _tops(self) -> Vector:
        """The largest square of each block."""
        return self.tops(self.cut)

    def tops(self, cut: Cut) -> Vector:
        """The largest square in each of the blocks that the rows meet."""
        first, blocks = cut.blocks(self.count)
        starts = [cut.inside(first + k, self.count).start for k in range(blocks)]
        return np.maximum.reduceat(self.squares, starts)

    @cached_property
    def radius(self) -> float:
        """The length of the longest row, not rounded down; infinite if underflow hides it."""
        largest = float(self._tops.max())
        return math.sqrt(largest) * (1.0 + self.steps * UNIT) if largest > TINY else math.inf

    def longest(self) -> Places:
        """The rows that can be the longest, by their squares and how far off those can be."""
        top = float(self._tops.max())
        if not TINY < top < HUGE:
            return np.arange(self.count)
        limit = top * (1.0 - 4.0 * self.steps * UNIT)
        return self._longest(np.flatnonzero(self._tops >= limit), limit)

    def _longest(self, blocks: Places, limit: float) -> Places:
        return self.longest_in(self.cut, blocks, limit)

    def longest_in(self, cut: Cut, blocks: Places, limit: float) -> Places:
        """The rows in some blocks whose squares are not below the limit."""
        found = [np.empty(0, np.int64)]
        for block in blocks.tolist():
            part = cut.inside(block, self.count)
            squares = self._squares(part.start, max(part.start, part.stop))
            found.append(cut.start + part.start + np.flatnonzero(squares >= limit))
        return np.concatenate(found)

    def look(self, weights: Vector) -> Lowest:
        """As `lowest`, with a rough error; the first look at rows, from which their radius is
        known as well.
        """
        met = self._look(weights)
        self._tops = met.tops
        return self._lowest_of(met, self.error(weights, rough=True))

    def _look(self, weights: Vector) -> Met:
        return self.met_at_first_sight(self.cut, weights)

    def met_at_first_sight(self, cut: Cut, weights: Vector) -> Met:
        """The lowest scores and the largest squares in the blocks that the rows meet."""
        first, blocks = cut.blocks(self.count)
        scores, places, tops = np.empty(blocks), np.empty(blocks, np.int64), np.empty(blocks)
        loop = kernel(make_look)

        def work(start: int, stop: int) -> None:
            out = scores[start:stop], places[start:stop], tops[start:stop]
            loop(self.rows, self.signs, weights, cut, first + start, *out)

        list(in_parts(blocks, stored(self.rows), work))
        for block in np.flatnonzero(tops == np.inf).tolist():
            part = cut.inside(first + block, self.count)
            self._refuse_infinite(self._squares(part.start, part.stop), part.start)
        return Met(first, scores, places, tops)

    def error(self, weights: Vector, *, rough: bool = False) -> float:
        """How far from the exact value a computed score can be, for any of the rows.

        rough: from the longest row alone, without the maxima.
        """
        sizes = np.abs(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.radius * norm(sizes)
            if not rough:
                total = min(float(self.maxima @ sizes), total)
            lost = SMALLEST * (self.steps + (float(sizes.sum()) if self.rounded else 0.0))
        growth = self.steps * UNIT / (1.0 - self.steps * UNIT)
        bound = (growth * total + lost) * (1.0 + (len(weights) + 8) * UNIT)
        return bound if bound < math.inf else math.inf  # NaN too: then nothing is known

    def lowest(self, weights: Vector, out_of: Mask = NO_MASK, scales: Vector = NO_SCALES) -> Lowest:
        """The smallest scores, of the rows that are not `out_of` it.

        scales: none, or what each row's score is multiplied by: `SignedRows.to_unit`, and no
        others, for rows that are elsewhere have their own.
        """
        return self._lowest_of(self._lowest(weights, out_of, scales), self.error(weights))

    def _lowest_of(self, met: Met, error: float) -> Lowest:
        best = int(np.argmin(met.scores))  # a NaN counts as the smallest
        score, row = float(met.scores[best]), int(met.places[best])
        return Lowest(score, row, error, met.scores, met.places)

    def _lowest(self, weights: Vector, out_of: Mask, scales: Vector) -> Met:
        return self.met(self.cut, weights, out_of, scales)

    def met(self, cut: Cut, weights: Vector, out_of: Mask, scales: Vector) -> Met:
        """The lowest scores in the blocks that the rows meet."""
        first, blocks = cut.blocks(self.count)
        scores, places = np.empty(blocks), np.empty(blocks, np.int64)
        loop = kernel(make_lowest)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            which = out_of, scales, weights, cut, first + start
            loop(self.rows, self.signs, *which, scores[part], places[part])

        list(in_parts(blocks, stored(self.rows), work))
        return Met(first, scores, places, NO_SCALES)

    def scores(self, weights: Vector, start: int = 0, stop: int | None = None) -> Vector:
        """The score of each row, or of rows start to stop."""
        out = np.empty(len(range(self.count)[start:stop]))
        loop = kernel(make_scores)

        def work(first: int, last: int) -> None:
            loop(self.rows, self.signs, weights, start + first, out[first:last])

        list(in_parts(len(out), self._entries(len(out)), work))
        return out

    def up_to(
        self,
        limit: float,
        found: Lowest,
        weights: Vector,
        out_of: Mask = NO_MASK,
        scales: Vector = NO_SCALES,
    ) -> Places:
        """The rows whose scores are not above the limit, given what `lowest` found for them."""
        return self._up_to(np.flatnonzero(~(found.scores > limit)), limit, weights, out_of, scales)

    def _up_to(
        self,
        blocks: Places,
        limit: float,
        weights: Vector,
        out_of: Mask,
        scales: Vector,
    ) -> Places:
        return self.up_to_in(self.cut, blocks, limit, weights, out_of, scales)

    def up_to_in(
        self,
        cut: Cut,
        blocks: Places,
        limit: float,
        weights: Vector,
        out_of: Mask,
        scales: Vector,
    ) -> Places:
        """The rows in some blocks whose scores are not above the limit."""
        near = [np.empty(0, np.int64)]
        for block in blocks.tolist():
            part = cut.inside(block, self.count)
            scores = self.scores(weights, part.start, part.stop)
            if scales.size:
                with np.errstate(all="ignore"):
                    scores *= scales[part]
            close = ~(scores > limit)
            if out_of.size:
                close &= ~out_of[part]
            near.append(cut.start + part.start + np.flatnonzero(close))
        return np.concatenate(near)

    def undecided(self, weights: Vector, error: float, among: Mask) -> Places:
        """Those of the rows whose scores are within the error of 0."""
        return np.flatnonzero(among & ~(np.abs(self.scores(weights)) > error))

    def smallest(self, weights: Vector, limit: float, scales: Vector, most: int) -> Smallest:
        """So many of the rows with the smallest scores below the limit, in their order."""
        with np.errstate(all="ignore"):
            scores = self.scores(weights) * scales
        below = np.flatnonzero(scores < limit)
        return Smallest(below, scores[below]).first(most)


def _not_finite(rows: Rows, i: int, before: int) -> str:
    values: Array = row_at(rows, i).values
    k = int(np.flatnonzero(~np.isfinite(values))[0])
    column = int(rows.columns[rows.starts[i] + k]) if isinstance(rows, CsrRows) else k
    name = "NaN" if np.isnan(values[k]) else "infinity"
    place = f"row {before + i}, column {column}"
    return f"Input X contains {name} in {place}; every value must be a number"
