"""The plane at one step, as a picture for a file: what the page shows there, without its curves."""

import base64
import itertools
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.lab.film.run import UPDATES
from novikoff.lab.page_data import page_data
from novikoff.lab.state.url_values import parse_int, write_number
from novikoff.number_text import count
from novikoff.report.charts.geometry import box_crossings, enlarged_box, xy
from novikoff.report.charts.plane import (
    COLOURS,
    MARKERS,
    RING,
    LineStyle,
    join_sentences,
    line_and_band,
    marker_size,
)
from novikoff.report.model import Box, Figure, Line, Mark, Numbers, Patch, PointSeries, array
from novikoff.report.render import matplotlib as drawing

SIDES = ("class −1", "class +1")
ARROW = 0.12  # of the frame, how long the normal is drawn
HEAD = 0.03
PARTS = tuple(k / 20 for k in range(3, 18))  # of the line, where the normal may stand


def plane_file(address: str, kind: str) -> bytes:
    """The plane at the step that an address names, as "svg" or "png"."""
    steps = [part.removeprefix("step=") for part in address.split("&") if part.startswith("step=")]
    step = parse_int("step", steps[0], 0, UPDATES) if steps else 0
    scene = page_data(address, charts=False)
    verdict = scene.get("verdict") or {}
    if "band=plane" in address.split("&") and verdict.get("unlifted"):
        scene["verdict"] = verdict | verdict["unlifted"] | {"lifted": False, "plain": True}
    return drawing.render_file(plane_figure(scene, step), kind)


def plane_figure(scene: dict[str, Any], step: int) -> Figure:
    """What is scene of a plane, after so many updates."""
    if scene["tab"] != "plane":
        raise ParameterError(
            f"tab: found {scene['tab']!r}, expected plane: only that has a picture"
        )
    film = scene["film"]
    last = 0 if film is None else film["steps"]
    if not 0 <= step <= last:
        raise ParameterError(f"step: found {step}, expected a whole number from 0 to {last}")
    (left, right), (low, high) = scene["frame"]
    frame = (left, right), (low, high)
    names = scene.get("names") or {}
    marks = [*_verdict_marks(scene["verdict"], frame), *_classes(scene, names)]
    words: list[str] = []
    if film is not None:
        more, words = _of_step(scene, film, step, frame)
        marks += more
    when = "" if film is None else f", after {step:,} of {count(last, 'update')}"
    caption = join_sentences(scene["verdict"]["sentence"], *words)
    alt = f"{len(scene['points'])} points of two classes in the plane. {caption}"
    axes = names.get("x") or "x₁", names.get("y") or "x₂"
    picture = Figure(f"{scene['title']}{when}", *axes, marks, caption, alt, frame=frame)
    level = 0.2 < (right - left) / (high - low) < 5.0
    return picture._replace(equal=level)


def _verdict_marks(verdict: dict[str, Any], frame: Box) -> list[Mark]:
    """The line that the verdict knows, or the hulls of a conflict."""
    marks: list[Mark] = []
    if verdict["line"] is not None:
        best = verdict["reach"] is not None or verdict["outcome"] == "separable"
        name = "the line of largest margin" if best else "a line with no point on the wrong side"
        if verdict.get("plain"):
            name = f"the line of widest margin in the plane, {verdict['text']} to either side"
        elif best and verdict["lifted"]:
            name += f" of the lifted rows (x, 1), γ = {verdict['gamma']}"
        *weights, offset = verdict["line"]
        size = float(np.linalg.norm(weights))
        reach = None if verdict["reach"] is None else verdict["reach"] * size
        style = LineStyle(name, "the margin: no point is within", "green", "dashed", "green")
        marks += line_and_band(frame, array(weights), offset, reach, style)
    names = [f"hull of the marked points of {side}" for side in SIDES]
    colours = list(COLOURS)
    if verdict["mirrored"]:
        names, colours = ["hull of the marked points, class −1 mirrored at the origin"], ["purple"]
    for corner, name, colour in zip(verdict["hulls"], names, colours, strict=False):
        marks.append(Patch(*xy(array(corner)), name, colour))
    if verdict["meet"] is not None:
        x, y = verdict["meet"]
        name = "the origin" if verdict["mirrored"] else "a point in both hulls"
        marks.append(PointSeries(array([x]), array([y]), name, "ink", "star", 19.0, "hollow"))
    return marks


def _classes(scene: dict[str, Any], names: dict[str, str]) -> list[Mark]:
    points = array(scene["points"]).reshape(-1, 3)
    shares = {each["row"]: each["short"] for each in scene["verdict"]["conflict"]}
    size = marker_size(len(points))
    marks: list[Mark] = []
    in_conflict = np.isin(np.arange(len(points)), list(shares))
    for side, marked in itertools.product((0, 1), (False, True)):
        chosen = np.flatnonzero((points[:, 2] == 2 * side - 1) & (in_conflict == marked))
        if len(chosen):
            name = names.get(("minus", "plus")[side]) or SIDES[side]
            name = f"{name}{', in the conflict, with multipliers' * marked}"
            mark = PointSeries(*xy(points[chosen, :2]), name, COLOURS[side], MARKERS[side], size)
            if marked:
                numbers = [shares[row] for row in chosen.tolist()]
                mark = mark._replace(look="outlined", numbers=numbers)
            marks.append(mark)
    return marks


def _of_step(
    scene: dict[str, Any], film: dict[str, Any], step: int, frame: Box
) -> tuple[list[Mark], list[str]]:
    """The line of the weights after so many updates, and what would be a mistake for them."""
    points = array(scene["points"])[:, :2]
    marks: list[Mark] = []
    if step:
        before = box_crossings(enlarged_box(frame), *_line(film["weights"][step - 1]))
        if len(before) == 2:
            name = f"the line before update {step:,}"
            marks.append(Line(*xy(before), name, "grey", "dotted", 2.0))
    now, words = _present_line(*_line(film["weights"][step]), frame, points)
    marks += now
    size = RING * marker_size(len(points))
    wrong = wrong_rows(film, step)
    if len(wrong):
        name = "would be a mistake now"
        marks.append(PointSeries(*xy(points[wrong]), name, "ink", "square", size, "hollow"))
    if step:
        row = film["columns"]["row"][step - 1]
        name = f"row {row}, of update {step:,}"
        marks.append(PointSeries(*xy(points[[row]]), name, "amber", "circle", 1.3 * size, "hollow"))
    listed = ", ".join(write_number(float(each)) for each in film["weights"][step])
    return marks, [f"w = ({listed}).", *words, f"{len(wrong)} of the points would be mistakes now."]


def _line(weights: list[float]) -> tuple[Numbers, float]:
    """Weights and offset; without a bias the line is through the origin."""
    w1, w2, *rest = weights
    return array([w1, w2]), float(rest[0]) if rest else 0.0


def _present_line(
    weights: Numbers, offset: float, frame: Box, points: Numbers
) -> tuple[list[Mark], list[str]]:
    size = float(np.linalg.norm(weights))
    seen = box_crossings(frame, weights, offset)
    if size == 0.0 or len(seen) < 2:
        return [], ["No line is drawn: these weights have none in sight."]
    ends = box_crossings(enlarged_box(frame), weights, offset)
    marks: list[Mark] = [Line(*xy(ends), "the line of these weights", "ink")]
    unit = weights / size
    length = ARROW * max(high - low for low, high in frame)
    foot = _free(seen, length * unit, points)
    tip = foot + length * unit
    across = array([-unit[1], unit[0]]) * HEAD / ARROW * length
    back = tip - HEAD / ARROW * 1.6 * length * unit
    path = array([foot, tip, back + across, tip, back - across])
    marks.append(Line(*xy(path), "w, at right angles to it, towards +1", "ink", width=1.6))
    return marks, []


def _free(ends: Numbers, arrow: Numbers, points: Numbers) -> Numbers:
    """Where on a line an arrow is far from all points: of such places that nearest the middle."""
    feet = ends[0] + np.outer(PARTS, ends[1] - ends[0])
    shafts = feet[:, None] + np.outer(np.linspace(0.0, 1.0, 5), arrow)
    gaps = np.linalg.norm(shafts[:, :, None] - points, axis=3).min(axis=(1, 2))
    room = np.minimum(gaps, 0.5 * np.linalg.norm(arrow))
    best = max(range(len(feet)), key=lambda i: (room[i], -abs(PARTS[i] - 0.5)))
    return array(feet[best])


def wrong_rows(film: dict[str, Any], step: int) -> Any:
    """The rows that would be mistakes for the weights after so many updates."""
    if film["wrong"] is None:
        return np.empty(0, np.int64)
    lines = np.frombuffer(base64.b64decode(film["wrong"]), np.uint8)
    bits = lines.reshape(film["steps"] + 1, -1)[step]
    return np.flatnonzero(np.unpackbits(bits, bitorder="little")[: film["rows"]])
