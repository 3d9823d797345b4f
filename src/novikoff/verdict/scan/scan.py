"""Scans of signed rows, and the bound on their rounding errors."""

import math
from functools import cached_property

import numpy as np

from novikoff.errors import DataError
from novikoff.learning.learner import norm
from novikoff.learning.rows import (
    Array,
    CsrRows,
    Rows,
    features_of,
    length,
    longest,
    row_at,
    stored,
)
from novikoff.verdict.scan.kernels import (
    kernel,
    make_block_minima,
    make_rough_minima,
    make_scores,
    make_squares,
    make_survey,
    map_parts,
)
from novikoff.verdict.scan.results import (
    BLOCKS,
    BlockMinima,
    BlockPartition,
    Indices,
    LowestScores,
    Mask,
    ScoredRows,
    Signs,
    Vector,
)

UNIT = 2.0**-53  # the unit roundoff: half the distance from 1 to the next double
SMALLEST = 2.0**-1074  # the smallest positive double
TINY, HUGE = 1e-280, 1e280  # squares between these are right but for rounding
NO_SCALES = np.empty(0)
NO_MASK = np.empty(0, np.bool_)


class Scan:
    """Scans of rows in memory.

    steps: how many roundings an entry can go through in a sum. rounded: whether the rows are
    themselves rounded, from exact numbers stored elsewhere. survey: whether to compute maxima and
    squares at once, and not only when they are first used. start: how many rows come before these,
    where they are a part of all rows; errors name rows by their global numbers.

    Methods that return rows of certain blocks (`block_minima`, `longest_in`, `rows_below_in`) take
    a `BlockPartition`, so that a part of all rows is scanned in the blocks of all.
    """

    def __init__(
        self,
        rows: Rows,
        signs: Signs,
        rounded: bool = False,
        *,
        survey: bool = True,
        start: int = 0,
    ) -> None:
        self.rows, self.signs, self.rounded, self.start = rows, signs, rounded, start
        self._set(int(length(rows)), longest(rows), survey)

    def _set(self, count: int, entries: int, survey: bool) -> None:
        self.count, self.steps = count, entries + 3 + 2 * self.rounded
        self.partition = BlockPartition(0, max(1, -(-count // BLOCKS)))
        if survey:
            self.maxima  # noqa: B018  (computed in one scan, with the squares)

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

        list(map_parts(len(out), self._entries(len(out)), work))
        return out

    def _entries(self, rows: int) -> int:
        """About how many entries this many of the rows have."""
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

        for maxima in map_parts(len(squares), stored(self.rows), work):
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
        """The smallest and the largest square, and the row with the smallest."""
        shortest = int(np.argmin(self.squares))
        return float(self.squares[shortest]), float(self.squares.max()), shortest

    @cached_property
    def _largest_squares(self) -> Vector:
        """The largest square of each block of all rows."""
        return self.largest_squares(self.partition)

    def largest_squares(self, partition: BlockPartition) -> Vector:
        """The largest square in each block that the rows overlap."""
        first, blocks = partition.overlapped(self.count)
        starts = [partition.rows_in(first + k, self.count).start for k in range(blocks)]
        return np.maximum.reduceat(self.squares, starts)

    @cached_property
    def radius(self) -> float:
        """The length of the longest row, not rounded down; infinite if underflow hides it."""
        largest = float(self._largest_squares.max())
        return math.sqrt(largest) * (1.0 + self.steps * UNIT) if largest > TINY else math.inf

    def longest(self) -> Indices:
        """The rows that can be the longest, given their squares and how far off those can be."""
        top = float(self._largest_squares.max())
        if not TINY < top < HUGE:
            return np.arange(self.count)
        limit = top * (1.0 - 4.0 * self.steps * UNIT)
        blocks = np.flatnonzero(self._largest_squares >= limit)
        return self.longest_in(self.partition, blocks, limit)

    def longest_in(self, partition: BlockPartition, blocks: Indices, limit: float) -> Indices:
        """The rows in these blocks whose squares are not below the limit."""
        found = [np.empty(0, np.int64)]
        for block in blocks.tolist():
            part = partition.rows_in(block, self.count)
            squares = self._squares(part.start, max(part.start, part.stop))
            found.append(partition.start + part.start + np.flatnonzero(squares >= limit))
        return np.concatenate(found)

    def rough_minimum(self, weights: Vector) -> LowestScores:
        """As `lowest`, with a rough error; a first scan, which finds the radius as well."""
        minima = self.rough_block_minima(self.partition, weights)
        self._largest_squares = minima.largest_squares
        return _lowest_scores(minima, self.error(weights, rough=True))

    def rough_block_minima(self, partition: BlockPartition, weights: Vector) -> BlockMinima:
        """The lowest scores and the largest squares in the blocks that the rows overlap."""
        first, blocks = partition.overlapped(self.count)
        scores, rows, squares = np.empty(blocks), np.empty(blocks, np.int64), np.empty(blocks)
        loop = kernel(make_rough_minima)

        def work(start: int, stop: int) -> None:
            out = scores[start:stop], rows[start:stop], squares[start:stop]
            loop(self.rows, self.signs, weights, partition, first + start, *out)

        list(map_parts(blocks, stored(self.rows), work))
        for block in np.flatnonzero(squares == np.inf).tolist():
            part = partition.rows_in(first + block, self.count)
            self._refuse_infinite(self._squares(part.start, part.stop), part.start)
        return BlockMinima(first, scores, rows, squares)

    def error(self, weights: Vector, *, rough: bool = False) -> float:
        """A bound on |computed - exact| of the score of any row.

        rough: from the longest row alone, without the maxima.
        """
        sizes = np.abs(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.radius * norm(sizes)
            if not rough:
                total = min(float((self.maxima * sizes).sum()), total)  # no BLAS: see `norm`
            lost = SMALLEST * (self.steps + (float(sizes.sum()) if self.rounded else 0.0))
        growth = self.steps * UNIT / (1.0 - self.steps * UNIT)
        bound = (growth * total + lost) * (1.0 + (len(weights) + 8) * UNIT)
        return bound if bound < math.inf else math.inf  # NaN too: then nothing is known

    def lowest(
        self, weights: Vector, excluded: Mask = NO_MASK, scales: Vector = NO_SCALES
    ) -> LowestScores:
        """The smallest scores of the rows that are not excluded.

        scales: empty, or what each row's score is multiplied by. It must be the rows'
        `SignedRows.inverse_lengths`, since rows elsewhere use their own.
        """
        minima = self.block_minima(self.partition, weights, excluded, scales)
        return _lowest_scores(minima, self.error(weights))

    def block_minima(
        self, partition: BlockPartition, weights: Vector, excluded: Mask, scales: Vector
    ) -> BlockMinima:
        """The lowest scores in the blocks that the rows overlap."""
        first, blocks = partition.overlapped(self.count)
        scores, rows = np.empty(blocks), np.empty(blocks, np.int64)
        loop = kernel(make_block_minima)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            which = excluded, scales, weights, partition, first + start
            loop(self.rows, self.signs, *which, scores[part], rows[part])

        list(map_parts(blocks, stored(self.rows), work))
        return BlockMinima(first, scores, rows, NO_SCALES)

    def scores(self, weights: Vector, start: int = 0, stop: int | None = None) -> Vector:
        """The score of each row, or of the rows from start to stop."""
        out = np.empty(len(range(self.count)[start:stop]))
        loop = kernel(make_scores)

        def work(first: int, last: int) -> None:
            loop(self.rows, self.signs, weights, start + first, out[first:last])

        list(map_parts(len(out), self._entries(len(out)), work))
        return out

    def rows_below(
        self,
        limit: float,
        lowest: LowestScores,
        weights: Vector,
        excluded: Mask = NO_MASK,
        scales: Vector = NO_SCALES,
    ) -> Indices:
        """The rows whose scores are not above the limit, given the result of `lowest`."""
        blocks = np.flatnonzero(~(lowest.scores > limit))
        return self.rows_below_in(self.partition, blocks, limit, weights, excluded, scales)

    def rows_below_in(
        self,
        partition: BlockPartition,
        blocks: Indices,
        limit: float,
        weights: Vector,
        excluded: Mask,
        scales: Vector,
    ) -> Indices:
        """The rows in these blocks whose scores are not above the limit."""
        near = [np.empty(0, np.int64)]
        for block in blocks.tolist():
            part = partition.rows_in(block, self.count)
            scores = self.scores(weights, part.start, part.stop)
            if scales.size:
                with np.errstate(all="ignore"):
                    scores *= scales[part]
            close = ~(scores > limit)
            if excluded.size:
                close &= ~excluded[part]
            near.append(partition.start + part.start + np.flatnonzero(close))
        return np.concatenate(near)

    def rows_near_zero(self, weights: Vector, error: float, among: Mask) -> Indices:
        """Those of the rows whose scores are within the error of 0."""
        return np.flatnonzero(among & ~(np.abs(self.scores(weights)) > error))

    def smallest(self, weights: Vector, limit: float, scales: Vector, most: int) -> ScoredRows:
        """At most this many rows with the smallest scores below the limit, in ascending order."""
        with np.errstate(all="ignore"):
            scores = self.scores(weights) * scales
        below = np.flatnonzero(scores < limit)
        return ScoredRows(below, scores[below]).smallest(most)


def _lowest_scores(minima: BlockMinima, error: float) -> LowestScores:
    best = int(np.argmin(minima.scores))  # a NaN counts as the smallest
    score, row = float(minima.scores[best]), int(minima.rows[best])
    return LowestScores(score, row, error, minima.scores, minima.rows)


def _not_finite(rows: Rows, i: int, before: int) -> str:
    values: Array = row_at(rows, i).values
    k = int(np.flatnonzero(~np.isfinite(values))[0])
    column = int(rows.columns[rows.starts[i] + k]) if isinstance(rows, CsrRows) else k
    name = "NaN" if np.isnan(values[k]) else "infinity"
    place = f"row {before + i}, column {column}"
    return f"Input X contains {name} in {place}; every value must be a number"
