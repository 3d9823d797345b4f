"""The loops of `kernels` with NumPy, for few rows: the same bits, and nothing to compile."""

from typing import Any

import numpy as np

from novikoff.learning import row_blocks
from novikoff.learning.rows import Rows, features_of, length
from novikoff.verdict.scan.results import BlockPartition, Indices, Mask, Signs, Vector


def block_minima(
    rows: Rows,
    signs: Signs,
    excluded: Mask,
    scales: Vector,
    weights: Vector,
    partition: BlockPartition,
    start: int,
    scores: Vector,
    lowest_rows: Indices,
) -> None:
    """The lowest score of each block, and its row."""
    part, starts = _blocks(rows, partition, start, len(scores))
    found = signs[part] * row_blocks.dots(rows, part.start, part.stop, weights)
    if scales.size:
        found *= scales[part]
    if excluded.size:
        found[excluded[part]] = np.inf
    _lowest(found, starts, partition.start + part.start, scores, lowest_rows)


def rough_minima(
    rows: Rows,
    signs: Signs,
    weights: Vector,
    partition: BlockPartition,
    start: int,
    scores: Vector,
    lowest_rows: Indices,
    largest_squares: Vector,
) -> None:
    """As `block_minima`, with the largest square of each block."""
    part, starts = _blocks(rows, partition, start, len(scores))
    found = signs[part] * row_blocks.dots(rows, part.start, part.stop, weights)
    _lowest(found, starts, partition.start + part.start, scores, lowest_rows)
    squares = row_blocks.rough_squares(rows, part.start, part.stop)
    squares[~(squares < np.inf)] = np.inf
    largest_squares[:] = np.maximum.reduceat(squares, starts)


def _blocks(
    rows: Rows, partition: BlockPartition, start: int, number: int
) -> tuple[slice, Indices]:
    """The rows of so many blocks from `start` on, and where among them each block begins."""
    count = length(rows)
    begins = np.array([partition.rows_in(start + k, count).start for k in range(number)])
    part = slice(int(begins[0]), partition.rows_in(start + number - 1, count).stop)
    return part, begins - part.start


def _lowest(
    found: Vector, starts: Indices, first: int, scores: Vector, lowest_rows: Indices
) -> None:
    """Of each block the first score that is no number, else the first of the smallest."""
    lowest = np.repeat(np.minimum.reduceat(found, starts), np.diff(starts, append=len(found)))
    hits = np.flatnonzero((found == lowest) | (found != found))[::-1]
    rows = np.empty(len(starts), np.int64)
    rows[np.searchsorted(starts, hits, "right") - 1] = hits  # the first of a block comes last
    scores[:] = found[rows]
    lowest_rows[:] = np.where(scores == np.inf, -1, first + rows)


def scores(rows: Rows, signs: Signs, weights: Vector, start: int, out: Vector) -> None:
    """The score of each row."""
    stop = start + len(out)
    out[:] = signs[start:stop] * row_blocks.dots(rows, start, stop, weights)


def squares(rows: Rows, start: int, out: Vector) -> None:
    """The squared length of each row."""
    out[:] = row_blocks.squares(rows, start, start + len(out))


def survey(rows: Rows, start: int, maxima: Vector, out: Vector) -> None:
    """The same, and the largest entries of the columns."""
    squares(rows, start, out)
    columns = maxima[: features_of(rows)]
    np.fmax(columns, row_blocks.maxima(rows, start, start + len(out)), out=columns)


def fingerprints(rows: Rows, start: int, out: Any) -> None:
    """The fingerprint of each row."""
    out[:] = row_blocks.fingerprints(rows, start, start + len(out))
