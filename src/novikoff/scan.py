"""One read-only pass over signed rows, z = sign * row: where the smallest score z . w is.

All that is said of data in `verdict` comes from such passes, so whatever can be passed over (a
file, a cluster) can be judged. Scores are floating-point sums; `error` bounds how far off any of
them can be, whatever the order of summation (Higham, Accuracy and Stability, section 3.1):

    |computed - exact| <= g * sum_j |z_j| |w_j|,    g = m u / (1 - m u),    m = entries + 3

The sum is bounded for all rows at once, by the columns' largest entries or by the longest row.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError
from novikoff.loop import compiled
from novikoff.rows import (
    Array,
    CsrRows,
    Rows,
    dot,
    features_of,
    fingerprint,
    length,
    longest,
    raise_maxima,
    row_at,
    squared_norm,
    stored,
)

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Result = TypeVar("Result")

UNIT = 2.0**-53  # half the distance from 1 to the next double
SMALLEST = 2.0**-1074
BLOCKS = 256  # each gives its lowest row: candidates for an active set, for free
NEAR = 16  # rows that are still at hand for a second look
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


def _make_survey(sources: str) -> Any:
    def survey(rows: Any, start: int, maxima: Any, squares: Any) -> None:
        sources  # noqa: B018
        for near in range(0, squares.shape[0], NEAR):
            stop = min(near + NEAR, squares.shape[0])
            for k in range(near, stop):  # first, because it reads in order
                squares[k] = squared_norm(row_at(rows, start + k))
            raise_maxima(rows, start + near, start + stop, maxima)

    return survey


def _make_fingerprints(sources: str) -> Any:
    def fingerprints(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = fingerprint(row_at(rows, start + k))

    return fingerprints


def _kernel(make: Any) -> Any:
    return compiled(make, (), threads=True)


def in_parts(
    number: int, entries: int, work: Callable[[int, int], Result], parts: int = 1
) -> Iterator[Result]:
    """What work(start, stop) gives for parts of 0..number, in order, and while others go on.

    On as many threads as so many entries are worth, with so many parts for each.
    """
    threads = min(_processors(), number, 1 + entries // ENOUGH)
    if threads < 2:
        yield work(0, number)
        return
    cuts = [number * k // (threads * parts) for k in range(threads * parts + 1)]
    with ThreadPoolExecutor(threads) as pool:  # a new one: threads do not survive a fork
        yield from pool.map(work, cuts[:-1], cuts[1:])


def _processors() -> int:
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def fingerprints_in_parts(rows: Rows) -> Iterator[npt.NDArray[np.uint64]]:
    """The fingerprint of each row, without bias and scale (see docs/certificate.md)."""

    def work(start: int, stop: int) -> npt.NDArray[np.uint64]:
        out = np.empty(stop - start, np.uint64)
        _kernel(_make_fingerprints)(rows, start, out)
        return out

    return in_parts(length(rows), stored(rows), work, parts=8)


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """All of them."""
    return np.concatenate([*fingerprints_in_parts(rows)])


class Scan:
    """Passes over rows in memory, and what one survey of them tells.

    maxima: the largest |entry| of each coordinate, the bias included. squares: each row's squared
    length but for rounding (0 or infinite where it leaves the range of doubles). steps: how many
    roundings an entry can go through in a sum. `rounded` says that the rows are themselves
    rounded, from exact numbers kept elsewhere.
    """

    def __init__(self, rows: Rows, signs: npt.NDArray[np.int8], rounded: bool = False) -> None:
        self.rows, self.signs, self.rounded = rows, signs, rounded
        dim = features_of(rows) + rows.bias
        self.maxima, self.squares = np.zeros(dim), np.empty(length(rows))
        if rows.bias:
            self.maxima[-1] = 1.0
        for maxima in in_parts(length(rows), stored(rows), self._survey):
            np.maximum(self.maxima, maxima, out=self.maxima)
        self._refuse_infinite()
        self.steps = longest(rows) + 3 + 2 * rounded
        self._radius = math.sqrt(self.squares.max(initial=0.0)) * (1.0 + self.steps * UNIT)

    def _survey(self, start: int, stop: int) -> Vector:
        maxima = np.zeros_like(self.maxima)
        _kernel(_make_survey)(self.rows, start, maxima, self.squares[start:stop])
        return maxima

    def _refuse_infinite(self) -> None:
        if self.squares.max(initial=0.0) < np.inf:
            return
        for i in np.flatnonzero(~(self.squares < np.inf)):  # the square alone may be infinite
            if not np.isfinite(row_at(self.rows, int(i)).values).all():
                raise DataError(_not_finite(self.rows, int(i)))

    def error(self, weights: Vector) -> float:
        """How far from the exact value a computed score can be, for any of the rows."""
        sizes = np.abs(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            total = min(float(self.maxima @ sizes), self._radius * float(np.linalg.norm(sizes)))
            lost = SMALLEST * (self.steps + (float(sizes.sum()) if self.rounded else 0.0))
        growth = self.steps * UNIT / (1.0 - self.steps * UNIT)
        bound = (growth * total + lost) * (1.0 + (len(weights) + 8) * UNIT)
        return bound if bound < math.inf else math.inf  # NaN too: then nothing is known

    def lowest(self, weights: Vector, out_of: Mask = NO_MASK, scales: Vector = NO_SCALES) -> Lowest:
        """The smallest scores, of the rows that are not `out_of` it; scales multiply scores."""
        number = length(self.rows)
        each = -(-number // BLOCKS)
        blocks = -(-number // each)
        scores, places = np.empty(blocks), np.empty(blocks, np.int64)
        kernel = _kernel(_make_lowest)

        def work(start: int, stop: int) -> None:
            part = slice(start, stop)
            which = out_of, scales, weights, each, start
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
        each = -(-length(self.rows) // BLOCKS)
        near = [np.empty(0, np.int64)]
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
