"""The proof's own picture, in any dimension: the weights along and across w*.

With u = w* / |w*| and d_k = w_k - w_0, how far the weights have come after k updates,

    along   d_k . u                          >=  k eta gamma      the floor
    across  sqrt(|d_k|^2 - (d_k . u)^2)      the distance of d_k from the line of w*
    reach   |d_k|                            <=  sqrt(B k)        the disc; from zeros sqrt(k) eta D

so that d_k is in the disc and beyond the floor. The part of the disc beyond the floor shrinks, for
its width is sqrt(B k) - k sqrt(A), and closes at k = B / A. Lengths from 0, angles with w* and
products with w* are true; of a step only the part along w* is, which is what the proof counts.
"""

from typing import NamedTuple

import numpy as np

from novikoff.report.charts.epochs import MOST, bound_text, thinned_indices
from novikoff.report.model import (
    Figure,
    Line,
    Mark,
    Numbers,
    Patch,
    PointSeries,
    ReferenceLine,
    array,
    number,
)
from novikoff.theory.trace import Trace

PLACES = 60  # of an arc
ROOM = 1.1  # of the disc's radius, up to where the axes go
HEAD = 0.03  # of the radius: how long the head of an arrow is


class ProofPlane(NamedTuple):
    """Where the weights are after each update of a trace's table, and where they can be."""

    along: Numbers
    across: Numbers
    floor: Numbers
    radius: Numbers


def proof_plane(trace: Trace) -> ProofPlane | None:
    """The picture's numbers; None where there is no w*, or the rule has another proof."""
    table = trace.table
    if trace.target is None or "lower" not in table or not len(table["update"]):
        return None
    size = float(np.linalg.norm(trace.target))
    along = (array(table["target_product"]) - float(trace.start @ trace.target)) / size
    squares = array(table["squared_distance"])
    across = np.sqrt(np.maximum(squares - along**2, 0.0))
    return ProofPlane(along, across, *(np.sqrt(array(table[name])) for name in ("lower", "upper")))


def proof_figure(trace: Trace) -> Figure | None:
    """The picture after the last update, with the way of the weights up to there."""
    plane = proof_plane(trace)
    if plane is None:
        return None
    updates = trace.table["update"]
    last, radius, floor = int(updates[-1]), float(plane.radius[-1]), float(plane.floor[-1])
    moved = bool(trace.start.any())
    w, cap = _name(last, moved), disc_radius(trace)
    marks: list[Mark] = [
        Patch(*cap_outline(radius, 0.0), f"the disc: {w} is no longer than {cap}", "red"),
        Patch(*cap_outline(radius, floor), f"what is left of it: where {w} can be", "green"),
        ReferenceLine(floor, f"the floor: {w} is at least kηγ along w*", "green", upright=True),
        *_way(trace, plane),
        *_vectors(plane, updates, radius, moved),
    ]
    cross = (trace.B or 0.0) / trace.A if trace.A else 0.0
    return Figure(
        "Why the run must end: the proof in one picture",
        f"along w*: {f'({w})' if moved else w}·w*/‖w*‖",
        f"across: the distance of {w} from the line of w*",
        marks,
        f"After k = {last:,} updates the floor is at {number(floor)} and the disc reaches to"
        f" {number(radius)}: the product with w* grows by at least the same at each update, the"
        " length by less and less. The part of the disc beyond the floor shrinks, and closes at k"
        f" = B/A = {number(cross)}: no run has more than {bound_text(trace.bound or 0)} updates."
        " Lengths and angles are true, whatever the number of features.",
        f"A quarter of a disc of radius {number(radius)} with a floor at {number(floor)}; the"
        f" weights are between, at ({number(float(plane.along[-1]))},"
        f" {number(float(plane.across[-1]))}).",
        equal=True,
        frame=((-0.04 * radius, ROOM * radius), (-0.04 * radius, ROOM * radius)),
    )


def disc_radius(trace: Trace) -> str:
    """The disc's radius in letters."""
    return "√(B·k)" if trace.start.any() or trace.rule == "margin" else "√k·ηD"


def cap_outline(radius: float, floor: float) -> tuple[Numbers, Numbers]:
    """The part of the quarter disc at or beyond the floor; a point where it has closed."""
    widest = float(np.arccos(np.clip(floor / radius, -1.0, 1.0))) if radius else 0.0
    angles = np.linspace(0.0, widest, PLACES)
    start = min(floor, radius)
    return (
        np.concatenate([[start], radius * np.cos(angles)]),
        np.concatenate([[0.0], radius * np.sin(angles)]),
    )


def _name(k: int, moved: bool) -> str:
    low = str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return f"w{low} − w₀" if moved else f"w{low}"


def _way(trace: Trace, plane: ProofPlane) -> list[Mark]:
    """The way of the weights from their start, with what each update changed on hovering."""
    kept = thinned_indices(len(plane.along), MOST)
    notes = ["the start"] + [
        f"update {int(trace.table['update'][k]):,}: along {number(float(plane.along[k]))} ≥"
        f" {number(float(plane.floor[k]))}; length"
        f" {number(float(np.hypot(plane.along[k], plane.across[k])))} ≤"
        f" {number(float(plane.radius[k]))}"
        for k in kept
    ]
    x, y = (np.append(0.0, part[kept]) for part in (plane.along, plane.across))
    name = "the way of the weights, update by update"
    return [Line(x, y, name, "sky", "solid", 1.5, notes)]


def _vectors(plane: ProofPlane, updates: Numbers, radius: float, moved: bool) -> list[Mark]:
    """w*, the weights before and after the last update, the step between them and the angle."""
    last = int(updates[-1])
    now = float(plane.along[-1]), float(plane.across[-1])
    before = (0.0, 0.0) if last == 1 else None
    if len(updates) > 1 and int(updates[-2]) == last - 1:
        before = float(plane.along[-2]), float(plane.across[-2])
    marks: list[Mark] = [
        _arrow((0.0, 0.0), (ROOM * 0.97 * radius, 0.0), radius, "the direction of w*", "ink")
    ]
    if before is not None:
        name = f"{_name(last - 1, moved)}, before"
        marks.append(_arrow((0.0, 0.0), before, radius, name, "grey", "dotted"))
        marks.append(_arrow(before, now, radius, f"the step of update {last:,}: ηy·x", "amber"))
    marks.append(_arrow((0.0, 0.0), now, radius, f"{_name(last, moved)}, after", "blue"))
    angle = np.linspace(0.0, float(np.arctan2(now[1], now[0])), PLACES)
    turn = 0.35 * float(np.hypot(*now))
    cosine = number(now[0] / float(np.hypot(*now)))
    arc = turn * np.cos(angle), turn * np.sin(angle)
    marks.append(Line(*arc, f"the angle with w*: its cosine is {cosine}", "purple", width=2.0))
    ends = array([now[0], radius, 0.0]), array([now[1], 0.0, radius])
    labels = [_name(last, moved), "w*", ""]
    marks.append(PointSeries(*ends, "", "ink", "circle", 1.0, "bare", numbers=labels))
    return marks


def _arrow(
    start: tuple[float, float],
    end: tuple[float, float],
    radius: float,
    name: str,
    colour: str,
    dash: str = "solid",
) -> Line:
    """A line with a head at its end, in one stroke."""
    way = array(end) - array(start)
    size = float(np.linalg.norm(way))
    unit = way / size if size else way
    back = array(end) - min(HEAD * radius, 0.5 * size) * unit
    side = 0.5 * min(HEAD * radius, 0.5 * size) * array([-unit[1], unit[0]])
    path = np.array([start, end, back + side, end, back - side])
    return Line(path[:, 0], path[:, 1], name, colour, dash, 2.5)
