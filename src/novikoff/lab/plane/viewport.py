"""How much of the plane to show: the points with room around them, between round numbers."""

import math

from novikoff.report.model import Box, round_step

ROOM = 0.12  # of the longer side, on each side
LEVEL = 4.0  # one side may be so much longer for both axes to have one scale
STEPS = 10  # round places along a side
ALONE = 4.0  # how much to show around the origin
SAME = 1e-8  # of their size: places no farther apart are one
DIGITS = 12  # of a round number


def frame_of(places: list[tuple[float, float]]) -> Box:
    """From left to right, from low to high.

    The shorter side is made a quarter of the longer one where it is no less than 1 / LEVEL^2 of
    it: then both axes can have one scale. Points of very different units keep their own.
    """
    if not places:
        return (-5.0, 5.0), (-5.0, 5.0)
    sides = [(min(part), max(part)) for part in zip(*places, strict=True)]
    largest = max(abs(end) for side in sides for end in side)
    spans = [high - low if high - low > SAME * largest else 0.0 for low, high in sides]
    longest = max(spans) or largest or ALONE
    found = []
    for (low, high), span in zip(sides, spans, strict=True):
        level = span == 0.0 or span * LEVEL**2 >= longest
        more = max(0.0, longest / LEVEL - span) / 2.0 if level else 0.0
        room = ROOM * (longest if level else span)
        found.append(_outwards(low - more - room, high + more + room))
    return found[0], found[1]


def _outwards(low: float, high: float) -> tuple[float, float]:
    """The ends moved out to round numbers, so that a small change of a point moves nothing."""
    step = round_step((high - low) / STEPS)
    ends = step * math.floor(low / step), step * math.ceil(high / step)
    return float(f"{ends[0]:.{DIGITS}g}"), float(f"{ends[1]:.{DIGITS}g}")
