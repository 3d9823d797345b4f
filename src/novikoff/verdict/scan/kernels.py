"""The compiled loops over rows that a scan consists of, and their distribution over threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.data.files.parallel import processors
from novikoff.learning.loop import compiled
from novikoff.learning.rows import (
    Rows,
    dot,
    dot_and_rough_square,
    fingerprint,
    length,
    raise_maxima,
    row_at,
    squared_norm,
    stored,
)
from novikoff.verdict.scan import plain

Result = TypeVar("Result")

CACHED_ROWS = 16  # that are still in the processor's cache for a second look
PART = 2**16  # rows whose fingerprints are yielded together: they fit the cache
ENTRIES_PER_THREAD = 2**20  # fewer are not worth a thread of their own


def make_block_minima(sources: str) -> Any:
    def block_minima(
        rows: Any,
        signs: Any,
        excluded: Any,
        scales: Any,
        weights: Any,
        partition: Any,
        start: int,
        scores: Any,
        lowest_rows: Any,
    ) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        for k in range(scores.shape[0]):
            first = (start + k) * partition.size - partition.start
            best, lowest = np.inf, -1
            for i in range(max(first, 0), min(first + partition.size, length(rows))):
                if excluded.size and excluded[i]:
                    continue
                score = signs[i] * dot(row_at(rows, i), weights)
                if scales.size:
                    score *= scales[i]
                # the first that is no number, else the first of the smallest: so that the minima
                # of parts of a block can be merged
                if not (score >= best or best != best):
                    best, lowest = score, partition.start + i
            scores[k], lowest_rows[k] = best, lowest

    return block_minima


def make_scores(sources: str) -> Any:
    def scores(rows: Any, signs: Any, weights: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = signs[start + k] * dot(row_at(rows, start + k), weights)

    return scores


def make_squares(sources: str) -> Any:
    def squares(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = squared_norm(row_at(rows, start + k))

    return squares


def make_survey(sources: str) -> Any:
    def survey(rows: Any, start: int, maxima: Any, squares: Any) -> None:
        sources  # noqa: B018
        for near in range(0, squares.shape[0], CACHED_ROWS):
            stop = min(near + CACHED_ROWS, squares.shape[0])
            for k in range(near, stop):  # first, because it reads in order
                squares[k] = squared_norm(row_at(rows, start + k))
            raise_maxima(rows, start + near, start + stop, maxima)

    return survey


def make_rough_minima(sources: str) -> Any:
    def rough_minima(
        rows: Any,
        signs: Any,
        weights: Any,
        partition: Any,
        start: int,
        scores: Any,
        lowest_rows: Any,
        largest_squares: Any,
    ) -> None:
        sources  # noqa: B018
        for k in range(scores.shape[0]):
            first = (start + k) * partition.size - partition.start
            best, lowest, largest = np.inf, -1, 0.0
            for i in range(max(first, 0), min(first + partition.size, length(rows))):
                score, square = dot_and_rough_square(row_at(rows, i), weights)
                score *= signs[i]
                if not (score >= best or best != best):
                    best, lowest = score, partition.start + i
                if not square <= largest:
                    largest = square if square < np.inf else np.inf
            scores[k], lowest_rows[k], largest_squares[k] = best, lowest, largest

    return rough_minima


def make_fingerprints(sources: str) -> Any:
    def fingerprints(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = fingerprint(row_at(rows, start + k))

    return fingerprints


def kernel(make: Callable[[str], Any]) -> Any:
    """The loop that `make` returns; compiled, it releases the GIL, so that threads run at once."""
    work = _blocks_work if make in (make_block_minima, make_rough_minima) else _rows_work
    return compiled(make, (), work, plain=PLAIN[make], threads=True)


PLAIN: dict[Callable[[str], Any], Any] = {
    make_block_minima: plain.block_minima,
    make_scores: plain.scores,
    make_squares: plain.squares,
    make_survey: plain.survey,
    make_rough_minima: plain.rough_minima,
    make_fingerprints: plain.fingerprints,
}


def _blocks_work(rows: Rows, *rest: Any) -> float:
    """The steps of a plain scan: NumPy takes a few calls, and little time for each entry."""
    return 1000 + stored(rows) / 4 + int(length(rows))


def _rows_work(rows: Rows, *rest: Any) -> float:
    """The same, if only some of the rows are scanned: as many as there is room for."""
    return _blocks_work(rows) * len(rest[-1]) / max(1, int(length(rows))) + 500


def map_parts(
    number: int, entries: int, work: Callable[[int, int], Result], size: int = 0
) -> Iterator[Result]:
    """Yield work(start, stop) for consecutive parts of range(number), in order.

    Uses as many threads as are worthwhile for this many entries. size: of a part; by default there
    is one part for each thread.
    """
    threads = min(processors(), number, 1 + entries // ENTRIES_PER_THREAD)
    parts = -(-number // size) if size else threads
    cuts = [number * k // parts for k in range(parts + 1)]
    if threads < 2:
        yield from map(work, cuts[:-1], cuts[1:])
        return
    with ThreadPoolExecutor(threads) as pool:  # a new one: threads do not survive a fork
        yield from pool.map(work, cuts[:-1], cuts[1:])


def fingerprints_in_parts(rows: Rows) -> Iterator[npt.NDArray[np.uint64]]:
    """Yield the fingerprints of the rows, without bias and scale (see docs/certificate.md)."""

    def work(start: int, stop: int) -> npt.NDArray[np.uint64]:
        out = np.empty(stop - start, np.uint64)
        kernel(make_fingerprints)(rows, start, out)
        return out

    return map_parts(length(rows), stored(rows), work, PART)


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """The fingerprint of each row."""
    return np.concatenate([*fingerprints_in_parts(rows)])
