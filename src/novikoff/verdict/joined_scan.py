"""Passes over rows in several pieces: each finds what it can say of its own rows, in the terms of
all (see `scan.Cut`), and what they say is put together in the order of the rows.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from novikoff.scan import NO_SCALES, Cut, Mask, Met, Scan, Smallest, Vector
from novikoff.signed import Places, Signed


class Asked(Protocol):
    """Rows in pieces, as far as a scan needs them."""

    @property
    def count(self) -> int: ...

    def each(self, function: Callable[..., Any], *args: Any) -> list[Any]: ...

    def masked(self, function: Callable[..., Any], mask: Mask, *args: Any) -> list[Any]: ...


class JoinedScan(Scan):
    """See `Scan`; steps, errors and the radius follow from what the pieces say together."""

    def __init__(self, asked: Asked, entries: int, rounded: bool, survey: bool) -> None:
        self._asked, self.rounded, self.start = asked, rounded, 0
        self._set(asked.count, entries, survey)

    @cached_property
    def squares(self) -> Vector:
        return np.concatenate(self._asked.each(_squares))

    @cached_property
    def maxima(self) -> Vector:
        return np.asarray(np.maximum.reduce(self._asked.each(_maxima)))

    @cached_property
    def extremes(self) -> tuple[float, float, int]:
        found = self._asked.each(_extremes)
        smallest, _, row = min(found, key=lambda each: each[0])  # of equal ones the first
        return smallest, max(largest for _, largest, _ in found), row

    @cached_property
    def _tops(self) -> Vector:
        return self._merged(self._asked.each(_tops, self.cut.each)).tops

    def _longest(self, blocks: Places, limit: float) -> Places:
        return np.concatenate(self._asked.each(_longest, self.cut.each, blocks, limit))

    def _look(self, weights: Vector) -> Met:
        return self._merged(self._asked.each(_look, self.cut.each, weights))

    def _lowest(self, weights: Vector, out_of: Mask, scales: Vector) -> Met:
        some = self.cut.each, weights, scales.size > 0
        return self._merged(self._asked.masked(_lowest, out_of, *some))

    def scores(self, weights: Vector, start: int = 0, stop: int | None = None) -> Vector:
        return np.concatenate(self._asked.each(_scores, weights))[start:stop]

    def _up_to(
        self, blocks: Places, limit: float, weights: Vector, out_of: Mask, scales: Vector
    ) -> Places:
        some = self.cut.each, blocks, limit, weights, scales.size > 0
        return np.concatenate(self._asked.masked(_up_to, out_of, *some))

    def undecided(self, weights: Vector, error: float, among: Mask) -> Places:
        return np.concatenate(self._asked.masked(_undecided, ~among, weights, error))

    def smallest(self, weights: Vector, limit: float, scales: Vector, most: int) -> Smallest:
        parts = self._asked.each(_smallest, weights, limit, most)
        places, scores = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Smallest(places, scores).first(most)

    def _merged(self, parts: Sequence[Met]) -> Met:
        """What pieces found in the blocks that they meet; two of them may meet the same."""
        blocks = self.cut.blocks(self.count)[1]
        scores, places = np.full(blocks, np.inf), np.full(blocks, -1)
        tops = np.zeros(blocks)
        for part in parts:
            where = slice(part.first, part.first + max(len(part.scores), len(part.tops)))
            if part.scores.size:  # as the kernel takes one row after another
                before = scores[where]
                lower = ~((part.scores >= before) | np.isnan(before))
                scores[where] = np.where(lower, part.scores, before)
                places[where] = np.where(lower, part.places, places[where])
            if part.tops.size:
                tops[where] = np.maximum(tops[where], part.tops)
        return Met(0, scores, places, tops)


# What is asked of a piece


def _squares(signed: Signed) -> Vector:
    return signed.scan.squares


def _maxima(signed: Signed) -> Vector:
    return signed.scan.maxima


def _extremes(signed: Signed) -> tuple[float, float, int]:
    smallest, largest, row = signed.scan.extremes
    return smallest, largest, signed.start + row


def _tops(signed: Signed, each: int) -> Met:
    cut = Cut(signed.start, each)
    tops = signed.scan.tops(cut)
    return Met(cut.blocks(signed.count)[0], NO_SCALES, np.empty(0, np.int64), tops)


def _longest(signed: Signed, each: int, blocks: Places, limit: float) -> Places:
    cut = Cut(signed.start, each)
    return signed.scan.longest_in(cut, _met(cut, signed.count, blocks), limit)


def _look(signed: Signed, each: int, weights: Vector) -> Met:
    return signed.scan.met_at_first_sight(Cut(signed.start, each), weights)


def _lowest(signed: Signed, out_of: Mask, each: int, weights: Vector, scaled: bool) -> Met:
    return signed.scan.met(Cut(signed.start, each), weights, out_of, _scales(signed, scaled))


def _scores(signed: Signed, weights: Vector) -> Vector:
    return signed.scan.scores(weights)


def _up_to(
    signed: Signed,
    out_of: Mask,
    each: int,
    blocks: Places,
    limit: float,
    weights: Vector,
    scaled: bool,
) -> Places:
    cut = Cut(signed.start, each)
    here, scales = _met(cut, signed.count, blocks), _scales(signed, scaled)
    return signed.scan.up_to_in(cut, here, limit, weights, out_of, scales)


def _undecided(signed: Signed, out_of: Mask, weights: Vector, error: float) -> Places:
    among = ~out_of if out_of.size else np.ones(signed.count, np.bool_)
    return signed.start + signed.scan.undecided(weights, error, among)


def _smallest(signed: Signed, weights: Vector, limit: float, most: int) -> Smallest:
    places, scores = signed.scan.smallest(weights, limit, signed.to_unit, most)
    return Smallest(signed.start + places, scores)


def _met(cut: Cut, rows: int, blocks: Places) -> Places:
    first, number = cut.blocks(rows)
    return blocks[(blocks >= first) & (blocks < first + number)]


def _scales(signed: Signed, scaled: bool) -> Vector:
    return signed.to_unit if scaled else NO_SCALES
