"""Figures of Cover's count: the share of labellings that a hyperplane can realise, C(P, N) / 2^P.

P is the number of points, N the number of dimensions, the intercept included.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import cover_count
from novikoff.number_text import count, joined_words
from novikoff.report.model import (
    Figure,
    Line,
    Mark,
    PointSeries,
    ReferenceLine,
    array,
    number,
)
from novikoff.theory.cover.capacity import Capacity

PLACES = 121  # of a curve
COLOURS = ("blue", "red", "green", "purple", "amber", "sky")
MARKERS = ("circle", "triangle", "square", "diamond", "star")
DASHES = ("solid", "dashed", "dotted")
QUICK = 2000  # dimensions up to which counting takes a millisecond
WIDEST = 20_000  # dimensions up to which a curve takes a moment
RARE = 0.01  # the share of labellings below which it means something to separate
FAR = 6.0  # P / N beyond which the axis is logarithmic


class CapacityPoint(NamedTuple):
    """The place of some data on the curve."""

    P: int
    N: int
    what: str = "these data"

    @property
    def ratio(self) -> float:
        return self.P / self.N

    @property
    def share(self) -> float:
        return cover_count.fraction(self.P, self.N)


def data_on_curve(rows: int, dimensions: int, separable: bool | None) -> Figure | None:
    """Cover's curve for the dimensions of some data, with their place on it."""
    if dimensions > WIDEST:
        return None
    here = CapacityPoint(rows, dimensions)
    picture = cover_curves([dimensions], here)
    return picture._replace(caption=capacity_text(rows, dimensions, separable))


def cover_curves(
    dimensions: Sequence[int], here: CapacityPoint | None, farthest: float = 4.0
) -> Figure:
    """The share of separable labellings against P / N, for each N; the first is drawn boldest."""
    if here is not None:
        farthest = max(farthest, here.ratio * 1.3)
    log = farthest > FAR
    marks: list[Mark] = [
        ReferenceLine(0.5, "one half, met at P = 2N", "grey", "dotted"),
        *(_curve(N, k, farthest, log) for k, N in enumerate(dimensions)),
    ]
    if here is not None:
        hover = {"place": [f"P = {here.P:,}, N = {here.N:,}: {share(here.P, here.N)}"]}
        name = f"{here.what}: P = {here.P:,}, N = {here.N:,}"
        where = array([here.ratio]), array([here.share])
        marks.append(PointSeries(*where, name, "ink", "star", 20.0, "outlined", hover))
    return Figure(
        "How many labellings are separable, by Cover's count",
        "points for each dimension, P / N",
        "share of all labellings that are separable",
        marks,
        "With up to N points every labelling is separable, with 2N points exactly half of them; the"
        " more dimensions, the sharper the fall between.",
        f"Curves that fall from 1 to 0 around P / N = 2, for N = {_listed(dimensions)}.",
        log_x=log,
    )


def _curve(N: int, k: int, farthest: float, log: bool) -> Line:
    P = curve_counts(N, farthest, log)
    heights = array([cover_count.fraction(int(p), N) for p in P])
    notes = [f"N = {N:,}, P = {p:,}: {share(int(p), N)}" for p in P]
    style = COLOURS[k % len(COLOURS)], DASHES[k % len(DASHES)], 2.0 if k else 4.0
    return Line(array(P / N), heights, f"N = {N:,}", *style, notes)


def curve_counts(N: int, farthest: float, log: bool) -> npt.NDArray[np.int64]:
    """Numbers of points up to farthest * N, denser where the curve falls."""
    last = max(2, math.floor(farthest * N))
    first = max(1, N // 4) if log else 1
    places = PLACES if N <= QUICK else PLACES // 4
    evenly = (np.geomspace if log else np.linspace)(first, last, places)
    steep = 2.0 * N + np.linspace(-4.0, 4.0, places) * math.sqrt(2.0 * N)
    found = np.unique(np.concatenate([evenly, steep]).round().astype(np.int64))
    return found[(found >= first) & (found <= last)]


def share(P: int, N: int) -> str:
    """C(P, N) / 2^P in words, whatever its size."""
    if P <= N:
        return "every labelling is separable"
    size = cover_count.log2_fraction(P, N)
    if size < -20.0:
        return f"about one in 2^{round(-size):,} labellings is separable"
    return f"{cover_count.fraction(P, N):.4g} of all labellings are separable"


def capacity_text(P: int, N: int, separable: bool | None = None) -> str:
    """What the count says about P rows in N dimensions.

    separable: whether they are with their own labels; None if that is not known.
    """
    words = f"{count(P, 'point')} in {count(N, 'dimension')} (P / N = {number(P / N, 3)}):"
    words += f" {share(P, N)}, if they are in general position; otherwise fewer are. "
    if P <= N:
        return words + "That such rows are separable therefore says nothing about their labels."
    if P < 2 * N:
        return words + "Labels from coin tosses would more likely than not be separable."
    if P == 2 * N:
        return words + "Labels from coin tosses would be separable half of the time."
    part = cover_count.fraction(P, N)
    often = "hardly ever be separable"
    worth = {True: "that these are means something", None: "if these are, it means something"}
    if part >= RARE:
        often = f"be separable about {part:.0%} of the time".replace("%", " %")
        worth = {True: "that these are is weak evidence", None: "if these are, it is weak evidence"}
    clause = "" if separable is False else f": {worth[separable]}"
    return f"{words}Labels at random would {often}{clause}."


def trials_text(capacities: Sequence[Capacity]) -> str:
    """The measured shares at P = 2N, where Cover's count is one half, or nearest to it."""
    sizes = sorted({each.N for each in capacities})
    ours = [
        min((each for each in capacities if each.N == N), key=lambda each: abs(each.ratio - 2.0))
        for N in sizes
    ]
    half = all(each.P == 2 * each.N for each in ours)
    counts = [
        f"{each.separable:,} of {each.trials:,} random labellings are separable for N = {each.N:,}"
        + ("" if half else f", P = {each.P:,} (Cover: {each.cover:.3g})")
        for each in ours
    ]
    listed = joined_words(counts)
    return f"At P = 2N, {listed}; Cover says one half." if half else f"{listed}."


def trials_figure(capacities: Sequence[Capacity]) -> Figure:
    """Random labellings decided one by one, with 95 % confidence intervals, beside the curve."""
    marks: list[Mark] = [ReferenceLine(0.5, "one half", "grey", "dotted")]
    sizes = sorted({each.N for each in capacities})
    farthest = max(each.ratio for each in capacities) * 1.05
    for k, N in enumerate(sizes):
        ours = sorted((each for each in capacities if each.N == N), key=lambda each: each.P)
        x = array([each.ratio for each in ours])
        colour, marker = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
        curve = _curve(N, k, farthest, False)
        marks.append(curve._replace(name=f"Cover's share, N = {N:,}", width=2.0))
        lower, upper = (
            array([getattr(each, side) for each in ours]) for side in ("lower", "upper")
        )
        gaps = np.full(len(ours), np.nan)  # between one interval and the next
        across, upwards = (
            array(np.column_stack(part).ravel()) for part in ((x, x, gaps), (lower, upper, gaps))
        )
        marks.append(Line(across, upwards, f"95 % confidence, N = {N:,}", colour, "solid", 2.0))
        heights = array([each.fraction for each in ours])
        name = f"random labellings, N = {N:,}"
        marks.append(PointSeries(x, heights, name, colour, marker, 9.0, hover=_hover_texts(ours)))
    trials = sorted({each.trials for each in capacities})
    tried = f"{trials[0]:,}" if len(trials) == 1 else f"{trials[0]:,} to {trials[-1]:,}"
    inside = sum(each.lower <= each.cover <= each.upper for each in capacities)
    return Figure(
        "Random labellings, counted",
        "points for each dimension, P / N",
        "share that separates",
        marks,
        f"Each mark is {tried} random labellings, each decided exactly; {inside} of"
        f" {len(capacities)} intervals contain Cover's value (about 95 % should).",
        f"Measured shares of separable labellings beside Cover's curve, for N = {_listed(sizes)}.",
    )


def _hover_texts(capacities: Sequence[Capacity]) -> dict[str, list[str]]:
    return {
        "points": [f"P = {each.P:,}, N = {each.N:,}" for each in capacities],
        "separable": [f"{each.separable:,} of {each.trials:,}" for each in capacities],
        "95 % confidence": [f"{each.lower:.4g} to {each.upper:.4g}" for each in capacities],
        "Cover's share": [f"{each.cover:.4g}" for each in capacities],
    }


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{each:,}" for each in numbers)
