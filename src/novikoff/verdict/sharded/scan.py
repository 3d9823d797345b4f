"""Scans of rows in several pieces: each piece scans its own rows, in the blocks of all rows (see
`scan.BlockPartition`), and the results are merged in the order of the rows.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from novikoff.verdict.scan import (
    NO_SCALES,
    BlockMinima,
    BlockPartition,
    Mask,
    Scan,
    ScoredRows,
    Vector,
)
from novikoff.verdict.signed import Indices, Signed
from novikoff.verdict.signed.base import Args, Result


class PiecewiseRows(Protocol):
    """Rows in pieces, as far as a scan needs them."""

    @property
    def count(self) -> int: ...

    def map_pieces(
        self, function: Callable[[Signed, *Args], Result], *args: *Args
    ) -> list[Result]: ...

    def map_masked(
        self, function: Callable[[Signed, Mask, *Args], Result], mask: Mask, *args: *Args
    ) -> list[Result]: ...


class ShardedScan(Scan):
    """See `Scan`; steps, errors and the radius follow from the results of all pieces together."""

    def __init__(self, pieces: PiecewiseRows, entries: int, rounded: bool, survey: bool) -> None:
        self._pieces, self.rounded, self.start = pieces, rounded, 0
        self._set(pieces.count, entries, survey)

    @cached_property
    def squares(self) -> Vector:
        return np.concatenate(self._pieces.map_pieces(_squares))

    @cached_property
    def maxima(self) -> Vector:
        return np.asarray(np.maximum.reduce(self._pieces.map_pieces(_maxima)))

    @cached_property
    def extremes(self) -> tuple[float, float, int]:
        found = self._pieces.map_pieces(_extremes)
        smallest, _, row = min(found, key=lambda each: each[0])  # of equal ones the first
        return smallest, max(largest for _, largest, _ in found), row

    def largest_squares(self, partition: BlockPartition) -> Vector:
        parts = self._pieces.map_pieces(_largest_squares, partition.size)
        return self._merged(parts).largest_squares

    def longest_in(self, partition: BlockPartition, blocks: Indices, limit: float) -> Indices:
        return np.concatenate(self._pieces.map_pieces(_longest_in, partition.size, blocks, limit))

    def rough_block_minima(self, partition: BlockPartition, weights: Vector) -> BlockMinima:
        return self._merged(self._pieces.map_pieces(_rough_block_minima, partition.size, weights))

    def block_minima(
        self, partition: BlockPartition, weights: Vector, excluded: Mask, scales: Vector
    ) -> BlockMinima:
        args = partition.size, weights, scales.size > 0
        return self._merged(self._pieces.map_masked(_block_minima, excluded, *args))

    def scores(self, weights: Vector, start: int = 0, stop: int | None = None) -> Vector:
        return np.concatenate(self._pieces.map_pieces(_scores, weights))[start:stop]

    def rows_below_in(
        self,
        partition: BlockPartition,
        blocks: Indices,
        limit: float,
        weights: Vector,
        excluded: Mask,
        scales: Vector,
    ) -> Indices:
        args = partition.size, blocks, limit, weights, scales.size > 0
        return np.concatenate(self._pieces.map_masked(_rows_below_in, excluded, *args))

    def rows_near_zero(self, weights: Vector, error: float, among: Mask) -> Indices:
        return np.concatenate(self._pieces.map_masked(_rows_near_zero, ~among, weights, error))

    def smallest(self, weights: Vector, limit: float, scales: Vector, most: int) -> ScoredRows:
        parts = self._pieces.map_pieces(_smallest, weights, limit, most)
        rows, scores = (np.concatenate(each) for each in zip(*parts, strict=True))
        return ScoredRows(rows, scores).smallest(most)

    def _merged(self, parts: Sequence[BlockMinima]) -> BlockMinima:
        """The minima of all blocks from those of the pieces; two pieces may share a block."""
        blocks = self.partition.overlapped(self.count)[1]
        scores, rows = np.full(blocks, np.inf), np.full(blocks, -1)
        squares = np.zeros(blocks)
        for part in parts:
            where = slice(part.first, part.first + max(len(part.scores), len(part.largest_squares)))
            if part.scores.size:  # as the kernel compares one row after another
                before = scores[where]
                lower = ~((part.scores >= before) | np.isnan(before))
                scores[where] = np.where(lower, part.scores, before)
                rows[where] = np.where(lower, part.rows, rows[where])
            if part.largest_squares.size:
                squares[where] = np.maximum(squares[where], part.largest_squares)
        return BlockMinima(0, scores, rows, squares)


# The scan of one piece, where it is


def _squares(signed: Signed) -> Vector:
    return signed.scan.squares


def _maxima(signed: Signed) -> Vector:
    return signed.scan.maxima


def _extremes(signed: Signed) -> tuple[float, float, int]:
    smallest, largest, row = signed.scan.extremes
    return smallest, largest, signed.start + row


def _largest_squares(signed: Signed, size: int) -> BlockMinima:
    partition = BlockPartition(signed.start, size)
    squares = signed.scan.largest_squares(partition)
    first = partition.overlapped(signed.count)[0]
    return BlockMinima(first, NO_SCALES, np.empty(0, np.int64), squares)


def _longest_in(signed: Signed, size: int, blocks: Indices, limit: float) -> Indices:
    partition = BlockPartition(signed.start, size)
    return signed.scan.longest_in(partition, _here(partition, signed.count, blocks), limit)


def _rough_block_minima(signed: Signed, size: int, weights: Vector) -> BlockMinima:
    return signed.scan.rough_block_minima(BlockPartition(signed.start, size), weights)


def _block_minima(
    signed: Signed, excluded: Mask, size: int, weights: Vector, scaled: bool
) -> BlockMinima:
    partition = BlockPartition(signed.start, size)
    return signed.scan.block_minima(partition, weights, excluded, _scales(signed, scaled))


def _scores(signed: Signed, weights: Vector) -> Vector:
    return signed.scan.scores(weights)


def _rows_below_in(
    signed: Signed,
    excluded: Mask,
    size: int,
    blocks: Indices,
    limit: float,
    weights: Vector,
    scaled: bool,
) -> Indices:
    partition = BlockPartition(signed.start, size)
    here, scales = _here(partition, signed.count, blocks), _scales(signed, scaled)
    return signed.scan.rows_below_in(partition, here, limit, weights, excluded, scales)


def _rows_near_zero(signed: Signed, excluded: Mask, weights: Vector, error: float) -> Indices:
    among = ~excluded if excluded.size else np.ones(signed.count, np.bool_)
    return signed.start + signed.scan.rows_near_zero(weights, error, among)


def _smallest(signed: Signed, weights: Vector, limit: float, most: int) -> ScoredRows:
    rows, scores = signed.scan.smallest(weights, limit, signed.inverse_lengths, most)
    return ScoredRows(signed.start + rows, scores)


def _here(partition: BlockPartition, rows: int, blocks: Indices) -> Indices:
    """Those of the blocks that the piece's rows overlap."""
    first, number = partition.overlapped(rows)
    return blocks[(blocks >= first) & (blocks < first + number)]


def _scales(signed: Signed, scaled: bool) -> Vector:
    return signed.inverse_lengths if scaled else NO_SCALES
