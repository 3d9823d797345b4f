"""Figures of a run by epoch: mistakes against their bound, and the ceiling on the margin."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from novikoff.number_text import rounded_up
from novikoff.report.model import (
    Bars,
    Figure,
    Indices,
    Line,
    Mark,
    Numbers,
    PointSeries,
    ReferenceLine,
    array,
    number,
)

MOST = 400  # bars, or places of a curve, that a picture draws
FAR = 8.0  # times as high as the curve: then a bound is shown on a logarithmic axis
STEEP = 100.0
FEW = 60
EXACTLY = 10**15  # above it a bound is shown in a few digits

OF_ONE = (
    "No separator has a margin above this curve, which is the distance of the weights from their"
    " start, divided by the sum of the step sizes. If no separator exists, it falls to 0."
)
OF_SEVERAL = (
    "For one of the classes, no separator from the rest has a margin above this curve, which says"
    " nothing about the others: it is the distance of the weights from their start, divided by the"
    " sum of the step sizes. If a class cannot be separated, it falls to 0."
)


class Epochs(NamedTuple):
    """The mistakes of each epoch, their bound, and the margin ceiling after each epoch."""

    mistakes: Sequence[int]
    bound: float | None = None  # on all of them, by a theorem
    ceilings: Sequence[float] = ()
    margin: float | None = None  # of the separator found


def mistakes_so_far(epochs: Epochs, about: str = "") -> Figure:
    """Cumulative mistakes, under the bound of a theorem.

    about: the assumptions of the bound, or why there is none.
    """
    total = np.cumsum([0, *epochs.mistakes])
    kept = thinned_indices(len(total))
    left_out = _thinning_note(len(kept), len(total))
    marks: list[Mark] = []
    far = epochs.bound is not None and epochs.bound > FAR * max(1, int(total[-1]))
    if epochs.bound is not None:
        shown = f"the theorem's bound: {bound_text(epochs.bound)}"
        marks.append(ReferenceLine(float(epochs.bound), shown, "red", "dashed"))
    if far:
        kept = kept[total[kept] > 0]  # 0 is nowhere on a logarithmic axis
    notes = [f"after epoch {k:,}: {total[k]:,} mistakes" for k in kept]
    where = array(kept), array(total[kept])
    marks += curve_marks(Line(*where, "mistakes so far", "blue", notes=notes))
    return Figure(
        "Mistakes so far, and the most there can be"
        if epochs.bound is not None
        else "Mistakes so far",
        "epochs passed",
        "mistakes",
        marks,
        " ".join(filter(None, (_bound_caption(epochs, int(total[-1]), far), about))) + left_out,
        f"Curve of the mistakes in all, which rises to {total[-1]:,} after"
        f" {len(epochs.mistakes):,} epochs.",
        log_y=far,
        whole_x=True,
    )


def _thinning_note(kept: int, count: int) -> str:
    return "" if kept == count else f" Of {count:,} places of the curve {kept:,} are drawn."


def _bound_caption(epochs: Epochs, total: int, far: bool) -> str:
    if epochs.bound is None:
        return ""
    share = total / epochs.bound if epochs.bound else 1.0
    scale = " The axis is logarithmic: each step up is a multiple." if far else ""
    return (
        f"The curve can never cross the dashed line, in any order of the rows; this run used"
        f" {share:.2g} of what the theorem allows.{scale}"
    )


def mistakes_by_epoch(epochs: Epochs) -> Figure:
    """Mistakes in each epoch; of very many epochs, the means of groups."""
    counts = array(epochs.mistakes)
    each = -(-len(counts) // MOST)
    cuts = np.append(np.arange(0, len(counts), each), len(counts))
    means = np.add.reduceat(counts, cuts[:-1]) / np.diff(cuts)
    notes = [
        f"epoch {start + 1:,}: {number(mean)} mistakes"
        if stop == start + 1
        else f"epochs {start + 1:,} to {stop:,}: {number(mean)} mistakes each, on average"
        for start, stop, mean in zip(cuts[:-1], cuts[1:], means, strict=True)
    ]
    room = 0.0 if each > 1 else 0.1  # bars that stand for single epochs stand apart
    sides = array(cuts[:-1] + 0.5 + room), array(cuts[1:] + 0.5 - room)
    caption = "An epoch is one pass over all rows; learning is over when one has no bar at all."
    if each > 1:
        caption += f" Of {len(counts):,} epochs, each bar is the mean of {each} in a row."
    return Figure(
        "Mistakes in each epoch",
        "epoch",
        "mistakes",
        [Bars(*sides, means, "mistakes in an epoch", "blue", False, notes)],
        caption,
        f"Bars of the mistakes in each of {len(counts):,} epochs: {number(counts[0])} in the"
        f" first, {number(counts[-1])} in the last.",
        whole_x=True,
        whole_y=True,
    )


def ceiling_by_epoch(epochs: Epochs, several: bool = False) -> Figure | None:
    """The ceiling on the margin after each epoch; None where no ceiling is known.

    several: the ceilings are the lowest of several classes'.
    """
    heights = np.minimum.accumulate(array(epochs.ceilings))
    places = np.flatnonzero(np.isfinite(heights) & (heights > 0.0))
    if not len(places):
        return None
    kept = places[thinned_indices(len(places))]
    found = epochs.margin, "margin of the separator found"
    picture = ceiling_figure(kept + 1, heights[kept], "epoch", *found, float(heights[-1]), several)
    return picture._replace(caption=picture.caption + _thinning_note(len(kept), len(places)))


def ceiling_figure(
    x: Numbers | Indices,
    heights: Numbers,
    unit: str,
    margin: float | None,
    name: str,
    lowest: float,
    several: bool = False,
) -> Figure:
    """The ceiling against epochs or updates, above the margin."""
    marks: list[Mark] = []
    whose = "for one of the classes " if several else ""
    notes = [
        f"{unit} {int(k):,}: {whose}no margin above {rounded_up(height)}"
        for k, height in zip(x, heights, strict=True)
    ]
    ours = "lowest of the classes' ceilings" if several else "ceiling: no larger margin exists"
    marks += curve_marks(Line(array(x), heights, ours, "green", notes=notes))
    if margin is not None and margin > 0.0:
        marks.append(ReferenceLine(margin, f"{name}: {number(margin)}", "ink", "dashed"))
    low = min([lowest, *([margin] if margin else [])])
    return Figure(
        "What the run proves about the margin",
        unit,
        "margin",
        marks,
        OF_SEVERAL if several else OF_ONE,
        f"Curve of the ceiling on the margin, which falls to {number(lowest)}.",
        log_x=len(x) > 50,
        log_y=bool(heights.min() > 0.0 and heights.max() > STEEP * low),  # 0 is nowhere on it
        whole_x=True,
    )


def curve_marks(line: Line) -> list[Mark]:
    """A curve, with its points where they are few."""
    if len(line.x) > FEW:
        return [line]
    return [line, PointSeries(line.x, line.y, "", line.colour, "circle", 7.0, "bare")]


def thinned_indices(count: int, most: int = MOST) -> Indices:
    """The indices 0 to count - 1, or about `most` of them, the first and the last included.

    They are denser at the start, where curves bend.
    """
    if count <= most:
        return np.arange(count)
    even = np.linspace(0, count - 1, most // 2)
    early = np.geomspace(1, count, most // 2) - 1.0
    return np.unique(np.concatenate([even, early]).round().astype(np.int64))


def bound_text(bound: float) -> str:
    """A bound in words: exactly, or rounded up where it is very large."""
    return f"{bound:,.0f}" if bound < EXACTLY else rounded_up(bound)
