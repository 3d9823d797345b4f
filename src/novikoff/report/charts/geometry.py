"""Geometry of the plane: hulls, clipping, weighted means."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.report.model import Box, Mask, Numbers, array


def weighted_mean(points: Numbers, shares: Sequence[Fraction]) -> Numbers:
    """The mean of some points, weighted by positive shares of any size."""
    total = sum(shares, Fraction(0))
    return array([float(share / total) for share in shares]) @ points


class ConflictHulls(NamedTuple):
    """The hulls of a conflict's points, and a point that each of them holds."""

    hulls: list[Numbers]
    meeting: Numbers


def conflict_hulls(
    points: Numbers, positive: Mask, shares: Sequence[Fraction], mirrored: bool
) -> ConflictHulls:
    """The hulls of a conflict's points, which cancel out multiplied by their shares.

    With an intercept, the shares make the same point of either class,

        sum of share * x / sum of shares   over the positive rows = over the negative rows,

    which is in both hulls. Without one, they make the origin of the signed rows sign * x, which
    the points are then (`mirrored`).
    """
    if mirrored:
        return ConflictHulls([hull(points)], np.zeros(2))
    ours = [share for share, up in zip(shares, positive, strict=True) if up]
    sides = points[~positive], points[positive]
    return ConflictHulls([hull(side) for side in sides], weighted_mean(points[positive], ours))


def hull(points: Numbers) -> Numbers:
    """The corners of the convex hull of points, in order; of points on one line, its two ends.

    Andrew's monotone chain.
    """
    ordered = np.unique(points, axis=0).tolist()
    if len(ordered) < 3:
        return array(ordered).reshape(-1, 2)
    return array(_chain(ordered) + _chain(ordered[::-1]))


def _chain(ordered: list[list[float]]) -> list[list[float]]:
    kept: list[list[float]] = []
    for point in ordered:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0.0:
            kept.pop()
        kept.append(point)
    return kept[:-1]


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def corners(box: Box) -> Numbers:
    """The corners of a box, in order."""
    (left, right), (low, high) = box
    return array([(left, low), (right, low), (right, high), (left, high)])


def enlarged_box(box: Box, times: float = 4.0) -> Box:
    """A box enlarged on each side by `times` its size: what ends there ends out of sight."""
    (left, right), (low, high) = box
    across, upwards = times * (right - left), times * (high - low)
    return (left - across, right + across), (low - upwards, high + upwards)


def clip(polygon: Numbers, weights: Numbers, offset: float) -> Numbers:
    """Cut a convex polygon down to where weights . point + offset >= 0."""
    heights = polygon @ weights + offset
    kept = []
    for k, point in enumerate(polygon):
        before, height = heights[k - 1], heights[k]
        if _opposite(before, height):
            kept.append(_between(polygon[k - 1], point, before, height))
        if height >= 0.0:
            kept.append(point)
    return array(kept).reshape(-1, 2)


def box_crossings(box: Box, weights: Numbers, offset: float) -> Numbers:
    """The points where the line weights . point + offset = 0 meets a box: two, or none."""
    around = corners(box)
    heights = around @ weights + offset
    found = []
    for k, point in enumerate(around):
        before, height = heights[k - 1], heights[k]
        if height == 0.0:
            found.append(point)
        elif _opposite(before, height):
            found.append(_between(around[k - 1], point, before, height))
    return array(found).reshape(-1, 2)[:2]


def _opposite(one: float, other: float) -> bool:
    return one < 0.0 < other or other < 0.0 < one


def _between(start: Numbers, stop: Numbers, before: float, height: float) -> Numbers:
    """The point between two where the height, linear from `before` on, is 0."""
    return start + before / (before - height) * (stop - start)


def xy(points: Numbers) -> tuple[Numbers, Numbers]:
    """The coordinates of points, as the two arrays of a mark."""
    return points[:, 0], points[:, 1]
