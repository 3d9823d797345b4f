"""One read-only pass over signed rows, z = sign * row: where the smallest score z . w is.

All that is said of data in `verdict` comes from such passes, so whatever can be passed over (a
file, a cluster) can be judged. Scores are floating-point sums; `error` bounds how far off any of
them can be, whatever the order of summation (Higham, Accuracy and Stability, section 3.1):

    |computed - exact| <= g * sum_j |z_j| |w_j|,    g = m u / (1 - m u),    m = entries + 3

The sum is bounded for all rows at once, by the columns' largest entries or by the longest row.
"""

import math
from typing import Any, NamedTuple

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
    raise_maxima,
    rough_square,
    row_at,
)

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

UNIT = 2.0**-53  # half the distance from 1 to the next double
SMALLEST = 2.0**-1074
BLOCKS = 256  # each gives its lowest row: candidates for an active set, for free
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
        rows: Any, signs: Any, out_of: Any, scales: Any, weights: Any, scores: Any, places: Any
    ) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        each = -(-length(rows) // scores.shape[0])
        for block in range(scores.shape[0]):
            best, place = np.inf, -1
            for i in range(block * each, min((block + 1) * each, length(rows))):
                if out_of.size and out_of[i]:
                    continue
                score = signs[i] * dot(row_at(rows, i), weights)
                if scales.size:
                    score *= scales[i]
                if not score >= best:  # also where it is not a number
                    best, place = score, i
            scores[block], places[block] = best, place

    return lowest


def _make_scores(sources: str) -> Any:
    def scores(rows: Any, signs: Any, weights: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = signs[start + k] * dot(row_at(rows, start + k), weights)

    return scores


def _make_survey(sources: str) -> Any:
    def survey(rows: Any, maxima: Any, squares: Any) -> int:
        sources  # noqa: B018
        for i in range(length(rows)):
            row = row_at(rows, i)
            if not raise_maxima(row, maxima):
                return i
            squares[i] = rough_square(row)
        return -1

    return survey


def _make_fingerprints(sources: str) -> Any:
    def fingerprints(rows: Any, out: Any) -> None:
        sources  # noqa: B018
        for i in range(length(rows)):
            out[i] = fingerprint(row_at(rows, i))

    return fingerprints


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """The fingerprint of each row, without bias and scale (see docs/certificate.md)."""
    out = np.empty(length(rows), np.uint64)
    compiled(_make_fingerprints, ())(rows, out)
    return out


class Scan:
    """Passes over rows in memory, and what one survey of them tells.

    maxima: the largest |entry| of each coordinate, the bias included. squares: each row's squared
    length but for rounding (0 or infinite where it leaves the range of doubles). `rounded` says
    that the rows are themselves rounded, from exact numbers kept elsewhere.
    """

    def __init__(self, rows: Rows, signs: npt.NDArray[np.int8], rounded: bool = False) -> None:
        self.rows, self.signs, self.rounded = rows, signs, rounded
        dim = features_of(rows) + rows.bias
        self.maxima, self.squares = np.zeros(dim), np.empty(length(rows))
        if rows.bias:
            self.maxima[-1] = 1.0
        bad = compiled(_make_survey, ())(rows, self.maxima, self.squares)
        if bad >= 0:
            raise DataError(_not_finite(rows, bad))
        longest = features_of(rows)
        if isinstance(rows, CsrRows):
            longest = int(np.diff(rows.starts.astype(np.int64)).max(initial=0))
        self._steps = longest + 3 + 2 * rounded
        self._radius = math.sqrt(self.squares.max(initial=0.0)) * (1.0 + self._steps * UNIT)

    def error(self, weights: Vector) -> float:
        """How far from the exact value a computed score can be, for any of the rows."""
        sizes = np.abs(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            total = min(float(self.maxima @ sizes), self._radius * float(np.linalg.norm(sizes)))
            lost = SMALLEST * (self._steps + (float(sizes.sum()) if self.rounded else 0.0))
        growth = self._steps * UNIT / (1.0 - self._steps * UNIT)
        bound = (growth * total + lost) * (1.0 + (len(weights) + 8) * UNIT)
        return bound if bound < math.inf else math.inf  # NaN too: then nothing is known

    def lowest(self, weights: Vector, out_of: Mask = NO_MASK, scales: Vector = NO_SCALES) -> Lowest:
        """The smallest scores, of the rows that are not `out_of` it; scales multiply scores."""
        blocks = min(BLOCKS, length(self.rows))
        scores, places = np.empty(blocks), np.empty(blocks, np.int64)
        kernel = compiled(_make_lowest, ())
        kernel(self.rows, self.signs, out_of, scales, weights, scores, places)
        best = int(np.argmin(scores))  # a NaN counts as the smallest
        return Lowest(float(scores[best]), int(places[best]), self.error(weights), scores, places)

    def scores(self, weights: Vector) -> Vector:
        """The score of each row."""
        out = np.empty(length(self.rows))
        compiled(_make_scores, ())(self.rows, self.signs, weights, 0, out)
        return out


def _not_finite(rows: Rows, i: int) -> str:
    values: Array = row_at(rows, i).values
    k = int(np.flatnonzero(~np.isfinite(values))[0])
    column = int(rows.columns[rows.starts[i] + k]) if isinstance(rows, CsrRows) else k
    name = "NaN" if np.isnan(values[k]) else "infinity"
    return f"Input X contains {name} in row {i}, column {column}; every value must be a number"
