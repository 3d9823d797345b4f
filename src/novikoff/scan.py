"""One read-only pass over signed rows, z = sign * row: where the smallest score z . w is.

All that is said of data in `verdict` comes from such passes, so whatever can be passed over (a
file, a cluster) can be judged. Scores are floating-point sums; `error` bounds how far off any of
them can be, whatever the order of summation (Higham, Accuracy and Stability, section 3.1):

    |computed - exact| <= g * sum_j |z_j| |w_j|,    g = m u / (1 - m u),    m = entries + 3

The sum is bounded for all rows at once, by the columns' largest entries or by the longest row.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError
from novikoff.learn import norm
from novikoff.loop import compiled
from novikoff.rows import (
    Array,
    CsrRows,
    Rows,
    dot,
    dot_and_rough_square,
    features_of,
    fingerprint,
    length,
    longest,
    raise_maxima,
    row_at,
    squared_norm,
    stored,
)
from novikoff.sources.blocks import processors

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Result = TypeVar("Result")

UNIT = 2.0**-53  # half the distance from 1 to the next double
SMALLEST = 2.0**-1074
TINY, HUGE = 1e-280, 1e280  # squares between these are right but for rounding
BLOCKS = 256  # each gives its lowest row: candidates for an active set, for free
NEAR = 16  # rows that are still at hand for a second look
PART = 2**16  # rows whose fingerprints are handed on together: they fit the cache
ENOUGH = 2**20  # entries for which a thread of its own is worth it
NO_SCALES = np.empty(0)
NO_MASK = np.empty(0, np.bool_)


class Lowest(NamedTuple):
    """The smallest scores of one pass: of all rows, and of each of `BLOCKS` blocks of them."""

    score: float
    row: int  # -1 if every row is left out
    error: float
    scores: Vector
    rows: npt.NDArray[np.int64]


def _make_lowest(sources: str) -> Any:
    def lowest(
        rows: Any,
        signs: Any,
        out_of: Any,
        scales: Any,
        weights: Any,
        each: int,
        start: int,
        scores: Any,
        places: Any,
    ) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        for k in range(scores.shape[0]):
            first = (start + k) * each
            best, place = np.inf, -1
            for i in range(first, min(first + each, length(rows))):
                if out_of.size and out_of[i]:
                    continue
                score = signs[i] * dot(row_at(rows, i), weights)
                if scales.size:
                    score *= scales[i]
                if not score >= best:  # also where it is not a number
                    best, place = score, i
            scores[k], places[k] = best, place

    return lowest


def _make_scores(sources: str) -> Any:
    def scores(rows: Any, signs: Any, weights: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = signs[start + k] * dot(row_at(rows, start + k), weights)

    return scores


def _make_squares(sources: str) -> Any:
    def squares(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = squared_norm(row_at(rows, start + k))

    return squares


def _make_survey(sources: str) -> Any:
    def survey(rows: Any, start: int, maxima: Any, squares: Any) -> None:
        sources  # noqa: B018
        for near in range(0, squares.shape[0], NEAR):
            stop = min(near + NEAR, squares.shape[0])
            for k in range(near, stop):  # first, because it reads in order
                squares[k] = squared_norm(row_at(rows, start + k))
            raise_maxima(rows, start + near, start + stop, maxima)

    return survey


def _make_look(sources: str) -> Any:
    def look(
        rows: Any,
        signs: Any,
        weights: Any,
        each: int,
        start: int,
        scores: Any,
        places: Any,
        tops: Any,
    ) -> None:
        sources  # noqa: B018
        for k in range(scores.shape[0]):
            first = (start + k) * each
            best, place, top = np.inf, -1, 0.0
            for i in range(first, min(first + each, length(rows))):
                score, square = dot_and_rough_square(row_at(rows, i), weights)
                score *= signs[i]
                if not score >= best:
                    best, place = score, i
                if not square <= top:
                    top = square if square < np.inf else np.inf
            scores[k], places[k], tops[k] = best, place, top

    return look


def _make_fingerprints(sources: str) -> Any:
    def fingerprints(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = fingerprint(row_at(rows, start + k))

    return fingerprints


def _kernel(make: Any) -> Any:
    return compiled(make, (), threads=True)


def in_parts(
    number: int, entries: int, work: Callable[[int, int], Result], each: int = 0
) -> Iterator[Result]:
    """What work(start, stop) gives for parts of 0..number, in order, and while others go on.

    On as many threads as so many entries are worth, with `each` of the numbers to a part, or one
    part for each thread.
    """
    threads = min(processors(), number, 1 + entries // ENOUGH)
    parts = -(-number // each) if each else threads
    cuts = [number * k // parts for k in range(parts + 1)]
    if threads < 2:
        yield from map(work, cuts[:-1], cuts[1:])
        return
    with ThreadPoolExecutor(threads) as pool:  # a new one: threads do not survive a fork
        yield from pool.map(work, cuts[:-1], cuts[1:])


def fingerprints_in_parts(rows: Rows) -> Iterator[npt.NDArray[np.uint64]]:
    """The fingerprint of each row, without bias and scale (see docs/certificate.md)."""

    def work(start: int, stop: int) -> npt.NDArray[np.uint64]:
        out = np.empty(stop - start, np.uint64)
        _kernel(_make_fingerprints)(rows, start, out)
        return out

    return in_parts(length(rows), stored(rows), work, PART)


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """All of them."""
    return np.concatenate([*fingerprints_in_parts(rows)])


class Scan:
    """Passes over rows in memory, and what one survey of them tells.

    steps: how many roundings an entry can go through in a sum. `rounded` says that the rows are
    themselves rounded, from exact numbers kept elsewhere. Without a `survey` at the start, maxima
    and squares are found when they are asked for.
    """

    def __init__(
        self,
        rows: Rows,
        signs: npt.NDArray[np.int8],
        rounded: bool = False,
        *,
        survey: bool = True,
    ) -> None:
        self.rows, self.signs, self.rounded = rows, signs, rounded
        self.steps = longest(rows) + 3 + 2 * rounded
        self._each = -(-length(rows) // BLOCKS)
        if survey:
            self.maxima  # noqa: B018  (a pass that finds the squares as well)

    @cached_property
    def squares(self) -> Vector:
        """Each row's squared length but for rounding; 0 or infinite beyond the range of doubles."""
        out = self._squares(0, length(self.rows))
        self._refuse_infinite(out, 0)
        return out

    def _squares(self, start: int, stop: int) -> Vector:
        out = np.empty(stop - start)

        def work(first: int, last: int) -> None:
            _kernel(_make_squares)(self.rows, start + first, out[first:last])

        list(in_parts(len(out), stored(self.rows) * len(out) // length(self.rows), work))
        return out

    @cached_property
    def maxima(self) -> Vector:
        """The largest |entry| of each coordinate, the bias included."""
        squares = np.empty(length(self.rows))
        found = np.zeros(features_of(self.rows) + self.rows.bias)

        def work(start: int, stop: int) -> Vector:
            maxima = np.zeros_like(found)
            _kernel(_make_survey)(self.rows, start, maxima, squares[start:stop])
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
                raise DataError(_not_finite(self.rows, int(i)))

    @cached_property
    def _tops(self) -> Vector:
        """The largest square of each block."""
        return np.maximum.reduceat(self.squares, np.arange(0, len(self.squares), self._each))

    @cached_property
    def radius(self) -> float:
        """The length of the longest row, not rounded down; infinite if underflow hides it."""
        largest = float(self._tops.max())
        return math.sqrt(largest) * (1.0 + self.steps * UNIT) if largest > TINY else math.inf

    def longest(self) -> npt.NDArray[np.int64]:
        """The rows that can be the longest, by their squares and how far off those can be."""
        top = float(self._tops.max())
        if not TINY < top < HUGE:
            return np.arange(length(self.rows))
        limit = top * (1.0 - 4.0 * self.steps * UNIT)
        found = []
        for block in np.flatnonzero(self._tops >= limit):
            start = int(block) * self._each
            squares = self._squares(start, min(start + self._each, length(self.rows)))
            found.append(start + np.flatnonzero(squares >= limit))
        return np.concatenate(found)

    def look(self, weights: Vector) -> Lowest:
        """As `lowest`, with a rough error; the first look at rows, from which their radius is
        known as well.
        """
        blocks = -(-length(self.rows) // self._each)
        scores, places, tops = np.empty(blocks), np.empty(blocks, np.int64), np.empty(blocks)
        kernel = _kernel(_make_look)

        def work(start: int, stop: int) -> None:
            out = scores[start:stop], places[start:stop], tops[start:stop]
            kernel(self.rows, self.signs, weights, self._each, start, *out)

        list(in_parts(blocks, stored(self.rows), work))
        for block in np.flatnonzero(tops == np.inf):
            start = int(block) * self._each
            stop = min(start + self._each, length(self.rows))
            self._refuse_infinite(self._squares(start, stop), start)
        self._tops = tops
        best, error = int(np.argmin(scores)), self.error(weights, rough=True)
        return Lowest(float(scores[best]), int(places[best]), error, scores, places)

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
        """The smallest scores, of the rows that are not `out_of` it; scales multiply scores."""
        blocks = -(-length(self.rows) // self._each)
        scores, places = np.empty(blocks), np.empty(blocks, np.int64)
        kernel = _kernel(_make_lowest)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            which = out_of, scales, weights, self._each, start
            kernel(self.rows, self.signs, *which, scores[part], places[part])

        list(in_parts(blocks, stored(self.rows), work))
        best = int(np.argmin(scores))  # a NaN counts as the smallest
        return Lowest(float(scores[best]), int(places[best]), self.error(weights), scores, places)

    def scores(self, weights: Vector, start: int = 0, stop: int | None = None) -> Vector:
        """The score of each row, or of rows start to stop."""
        out = np.empty(len(range(length(self.rows))[start:stop]))
        kernel = _kernel(_make_scores)

        def work(first: int, last: int) -> None:
            kernel(self.rows, self.signs, weights, start + first, out[first:last])

        list(in_parts(len(out), stored(self.rows) * len(out) // length(self.rows), work))
        return out

    def up_to(
        self, limit: float, found: Lowest, weights: Vector, scales: Vector = NO_SCALES
    ) -> Any:
        """The rows whose scores are not above the limit, given what `lowest` found for them all."""
        near, each = [np.empty(0, np.int64)], self._each
        for block in np.flatnonzero(~(found.scores > limit)):
            part = slice(int(block) * each, (int(block) + 1) * each)
            scores = self.scores(weights, part.start, part.stop)
            if scales.size:
                with np.errstate(all="ignore"):
                    scores *= scales[part]
            near.append(part.start + np.flatnonzero(~(scores > limit)))
        return np.concatenate(near)


def _not_finite(rows: Rows, i: int) -> str:
    values: Array = row_at(rows, i).values
    k = int(np.flatnonzero(~np.isfinite(values))[0])
    column = int(rows.columns[rows.starts[i] + k]) if isinstance(rows, CsrRows) else k
    name = "NaN" if np.isnan(values[k]) else "infinity"
    return f"Input X contains {name} in row {i}, column {column}; every value must be a number"
