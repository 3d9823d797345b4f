"""The loops over rows that scans are made of, compiled, and how they are spread over threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.loop import compiled
from novikoff.rows import (
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
from novikoff.sources.blocks import processors

Result = TypeVar("Result")

NEAR = 16  # rows that are still at hand for a second look
PART = 2**16  # rows whose fingerprints are handed on together: they fit the cache
ENOUGH = 2**20  # entries for which a thread of its own is worth it


def make_lowest(sources: str) -> Any:
    def lowest(
        rows: Any,
        signs: Any,
        out_of: Any,
        scales: Any,
        weights: Any,
        cut: Any,
        start: int,
        scores: Any,
        places: Any,
    ) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        for k in range(scores.shape[0]):
            first = (start + k) * cut.each - cut.start
            best, place = np.inf, -1
            for i in range(max(first, 0), min(first + cut.each, length(rows))):
                if out_of.size and out_of[i]:
                    continue
                score = signs[i] * dot(row_at(rows, i), weights)
                if scales.size:
                    score *= scales[i]
                # the first that is no number, else the first of the smallest: so that what parts
                # of a block give can be put together
                if not (score >= best or best != best):
                    best, place = score, cut.start + i
            scores[k], places[k] = best, place

    return lowest


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
        for near in range(0, squares.shape[0], NEAR):
            stop = min(near + NEAR, squares.shape[0])
            for k in range(near, stop):  # first, because it reads in order
                squares[k] = squared_norm(row_at(rows, start + k))
            raise_maxima(rows, start + near, start + stop, maxima)

    return survey


def make_look(sources: str) -> Any:
    def look(
        rows: Any,
        signs: Any,
        weights: Any,
        cut: Any,
        start: int,
        scores: Any,
        places: Any,
        tops: Any,
    ) -> None:
        sources  # noqa: B018
        for k in range(scores.shape[0]):
            first = (start + k) * cut.each - cut.start
            best, place, top = np.inf, -1, 0.0
            for i in range(max(first, 0), min(first + cut.each, length(rows))):
                score, square = dot_and_rough_square(row_at(rows, i), weights)
                score *= signs[i]
                if not (score >= best or best != best):
                    best, place = score, cut.start + i
                if not square <= top:
                    top = square if square < np.inf else np.inf
            scores[k], places[k], tops[k] = best, place, top

    return look


def make_fingerprints(sources: str) -> Any:
    def fingerprints(rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            out[k] = fingerprint(row_at(rows, start + k))

    return fingerprints


def kernel(make: Any) -> Any:
    """Compiled, so that threads run at the same time."""
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
        kernel(make_fingerprints)(rows, start, out)
        return out

    return in_parts(length(rows), stored(rows), work, PART)


def fingerprints(rows: Rows) -> npt.NDArray[np.uint64]:
    """All of them."""
    return np.concatenate([*fingerprints_in_parts(rows)])
