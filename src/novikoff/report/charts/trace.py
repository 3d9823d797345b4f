"""Figures of a traced proof: the envelopes, the angle, the slack, and Winnow's weights."""

import math
from typing import Any

import numpy as np

from novikoff.report.charts.epochs import bound_text, ceiling_figure, curve_marks, thinned_indices
from novikoff.report.model import (
    Figure,
    Line,
    Mark,
    Numbers,
    ReferenceLine,
    ReportTable,
    array,
    number,
)
from novikoff.report.row_info import RowInfo
from novikoff.theory.trace import Trace

PLACES = 200
SMALL = 0.05  # cosines that even axes would show as 0
FAR = 2.0  # how much farther than the run the envelopes may cross for even axes to show both


class UpdateCurves:
    """The curves of a trace's columns over its updates; of many updates, some are drawn."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.places = thinned_indices(len(trace.table["update"]))

    def column(self, name: str) -> Numbers:
        """A column of the table at the updates that are drawn."""
        return array(self.trace.table[name][self.places])

    def line(self, column: str, name: str, colour: str, dash: str = "dashed") -> list[Mark]:
        """A curve beside that of the run, without hover texts."""
        return curve_marks(Line(self.column("update"), self.column(column), name, colour, dash))

    def run_line(self, column: str, name: str, *beside: str) -> list[Mark]:
        """The curve of the run. beside: more columns for the hover texts."""
        x, notes = self.column("update"), self.notes(column, *beside)
        return curve_marks(Line(x, self.column(column), name, "blue", "solid", 3.0, notes))

    def run_under_cap(self, run: tuple[str, str], cap: tuple[str, str], *beside: str) -> list[Mark]:
        """The curves of a quantity of the run and of its cap, where that is known.

        run, cap: a column of the table each, and its name in the figure.
        """
        known = np.isfinite(self.column(cap[0])).any()
        caps = self.line(*cap, "red") if known else []
        return caps + self.run_line(*run, cap[0], *beside)

    def notes(self, *columns: str) -> list[str]:
        """The text on hovering over each update: its row, and some columns of the table."""
        table, signed = self.trace.table, self.trace.signed
        examples = None if signed is None else RowInfo.of(signed)
        texts = []
        for k in self.places:
            row = int(table["row"][k])
            place = f"row {row:,}" if examples is None else examples.row_name(row)
            values = (
                f"{name.replace('_', ' ')} {number(float(table[name][k]))}" for name in columns
            )
            texts.append(f"update {int(table['update'][k]):,}, {place}: {'; '.join(values)}")
        return texts

    @property
    def thinning_note(self) -> str:
        """A note that not all updates are drawn, if so."""
        drawn, updates = len(self.places), self.trace.updates
        if drawn == updates:
            return ""
        return f" Of {updates:,} updates {drawn:,} are drawn; all were checked."

    def figure(
        self, title: str, y_label: str, marks: list[Mark], caption: str, alt: str, **options: Any
    ) -> Figure:
        """A figure over the updates."""
        caption += self.thinning_note
        return Figure(title, "updates, k", y_label, marks, caption, alt, **options)


def envelopes(trace: Trace) -> Figure:
    """A k^2 <= |w_k - w_0|^2 <= B k: how far the weights can be after k updates."""
    curves, last = UpdateCurves(trace), float(trace.updates)
    A, B = trace.A, trace.B or 0.0
    cross = B / A if A else None
    far = cross is not None and cross > FAR * last
    end = max(last, cross or 0.0, 2.0)
    x = np.geomspace(1.0, end, PLACES) if far else np.linspace(0.0, end, PLACES)
    marks: list[Mark] = [Line(x, B * x, "at most B·k", "red", "dashed")]
    if A is not None:
        marks.append(Line(x, A * x * x, "at least A·k²", "green", "dotted"))
    beside = ["upper", *(["lower"] if A else [])]
    marks += curves.run_line(
        "squared_distance", "this run: squared distance from the start", *beside
    )
    if cross is not None:
        longest = "no run is longer"
        if trace.bound is not None:
            longest = f"no run has more than {bound_text(trace.bound)} updates"
        name = f"they cross at k = B / A: {longest}"
        marks.append(ReferenceLine(cross, name, "ink", "dashed", upright=True))
    return curves.figure(
        "Two envelopes, which cross"
        if cross is not None
        else "How far the weights can get: the envelope",
        "squared distance from the start",
        marks,
        _envelopes_caption(trace, cross, far),
        f"The squared distance of the weights from their start over {trace.updates:,} updates, "
        + ("below the envelope B k." if cross is None else "between the envelopes A k² and B k."),
        log_x=far,
        log_y=far,
    )


def _envelopes_caption(trace: Trace, cross: float | None, far: bool) -> str:
    if cross is None:
        why = "there is none" if trace.target_from == "none" else "none is known"
        return (
            "The distance grows no faster than B·k. A lower envelope would need a separator, and"
            f" {why}: nothing ends this run."
        )
    scale = " Both axes are logarithmic." if far else ""
    return (
        "Each mistake adds at least ηa to the product with w*, so that the distance grows at least"
        f" like A·k²; and it grows no faster than B·k. Where the two cross, no room is left.{scale}"
    )


def cosine(trace: Trace) -> Figure:
    """The angle between the weights and the separator, above its floor."""
    curves = UpdateCurves(trace)
    heights, floor = curves.column("cosine"), curves.column("cosine_floor")
    last = number(float(heights[-1]))
    small = 0.0 < float(heights.max()) < SMALL
    scale = ""
    if small:  # 0 and below are nowhere on a logarithmic axis
        scale = " The axis upwards is logarithmic, for all cosines are small."
        if min(heights.min(), floor.min()) <= 0.0:
            scale += " Those of 0 and below are not on it."
        heights, floor = (np.where(each > 0.0, each, np.nan) for each in (heights, floor))
    k, notes = curves.column("update"), curves.notes("cosine", "cosine_floor")
    return curves.figure(
        "The angle with the separator, above its floor",
        "cosine of the angle with w*",
        [
            ReferenceLine(1.0, "1 (same direction as w*)", "ink", "dotted"),
            *curve_marks(Line(k, heights, "this run", "blue", "solid", 3.0, notes)),
            *curve_marks(Line(k, floor, "its floor, by the theorem", "red", "dashed")),
        ],
        "The floor rises with every mistake; the cosine itself may fall at some. No cosine is above"
        f" 1: if mistakes went on, the floor would have to cross it.{scale}",
        f"The cosine between the weights and the separator, {last} at the end, above its floor.",
        log_x=trace.updates > 1000,
        log_y=small,
    )


#: An inequality, the columns of its slack and of its larger side, and the look of its curve.
SLACKS = (
    ("‖wₖ‖² ≤ its cap", "norm_slack", "norm_cap", "blue", "solid"),
    ("‖wₖ − w₀‖² ≤ B·k", "upper_slack", "upper", "red", "dashed"),
    ("wₖ·w* ≥ its floor", "target_slack", "target_product", "green", "dotted"),
    ("‖wₖ − w₀‖² ≥ A·k²", "lower_slack", "squared_distance", "purple", "dashed"),
    ("‖wₖ − u‖² ≤ its cap", "to_target_slack", "to_target_cap", "red", "dashed"),
    ("Σd ≥ m·c", "drops_slack", "drops", "green", "dotted"),
)


def slack(trace: Trace) -> Figure:
    """The slack of each inequality at each update, as a share of its larger side."""
    curves, below = UpdateCurves(trace), ""
    marks: list[Mark] = [ReferenceLine(0.0, "0: equality", "ink", "dotted")]
    for name, column, of, colour, dash in SLACKS:
        if column in trace.table:
            room = relative_slack(curves.column(column), curves.column(of))
            if room.min() < 0.0:  # it was checked that rounding can explain it
                room, below = room.clip(0.0), " What is below 0 for rounding alone is drawn at 0."
            k, notes = curves.column("update"), curves.notes(column)
            marks += curve_marks(Line(k, room, name, colour, dash, 2.5, notes))
    return curves.figure(
        "How much room the inequalities leave",
        "slack, as a share of the larger side",
        marks,
        "A curve below 0 would be a step at which the theorem fails; at 0 it holds with equality."
        + below,
        "The slack of each inequality at each update; none is below 0.",
        log_x=trace.updates > 1000,
    )


def relative_slack(room: Numbers, whole: Numbers) -> Numbers:
    """room / |whole|, between -1 and 1; 0 where `whole` is 0."""
    sizes = np.abs(whole)
    out = np.zeros_like(room)
    np.divide(room, sizes, out=out, where=sizes > 0.0)
    return out.clip(-1.0, 1.0)


def ceiling(trace: Trace) -> Figure | None:
    """The ceiling on the margin after each update; None where no ceiling is known."""
    curves = UpdateCurves(trace)
    heights = curves.column("ceiling")
    known = np.flatnonzero(np.isfinite(heights))
    if not (heights[known] > 0.0).any():
        return None
    x, name = curves.column("update")[known], "the margin of w*"
    lowest = float(trace.table["ceiling"][np.isfinite(trace.table["ceiling"])].min())
    picture = ceiling_figure(x, heights[known], "update", trace.margin, name, lowest)
    caption = picture.caption + curves.thinning_note
    return picture._replace(x_label="updates, k", caption=caption)


def total_weight(trace: Trace) -> Figure:
    """Winnow: the sum of the weights under its cap."""
    curves, last = UpdateCurves(trace), float(trace.table["total_weight"][-1])
    run, cap = ("total_weight", "sum of the weights"), ("total_cap", "cap of the sum")
    return curves.figure(
        "Winnow's total weight",
        "sum of the weights",
        [
            ReferenceLine(0.0, "0 (the sum stays positive)", "ink", "dotted"),
            *curves.run_under_cap(run, cap),
        ],
        "A promotion adds no more than the threshold allows, a demotion takes away at least its"
        " share, and the sum stays positive: so demotions cannot outrun promotions.",
        f"The sum of Winnow's weights, {number(last)} at the end, under its cap.",
    )


def promotions(trace: Trace) -> Figure:
    """Winnow: promotions and demotions, and their bounds."""
    curves, marks = UpdateCurves(trace), list[Mark]()
    cap = float(trace.table["promotion_cap"][-1]) if "promotion_cap" in trace.table else math.nan
    if math.isfinite(cap):
        name = f"the most promotions there can be: {math.floor(cap):,}"
        marks.append(ReferenceLine(cap, name, "green", "dashed"))
    if trace.bound is not None:
        name = f"the most mistakes there can be: {bound_text(trace.bound)}"
        marks.append(ReferenceLine(float(trace.bound), name, "ink", "dotted"))
    k, notes = curves.column("update"), curves.notes("promotions", "demotions")
    for column, colour, dash in (("promotions", "green", "solid"), ("demotions", "red", "dashed")):
        marks += curve_marks(Line(k, curves.column(column), column, colour, dash, 3.0, notes))
    return curves.figure(
        "Promotions and demotions",
        "how many so far",
        marks,
        "Each promotion raises a relevant weight, and those can be raised only until they reach the"
        " threshold.",
        f"Counts of promotions and demotions over {trace.updates:,} updates.",
    )


def checks_table(trace: Trace) -> ReportTable:
    """A table of the inequalities checked, and where each was tightest."""
    how = "in rational arithmetic" if trace.exact else "in floating point, rounding allowed for"
    return ReportTable(
        ["inequality", "steps", "smallest slack", "at update"],
        [
            [each.statement, f"{each.steps:,}", number(float(each.tightest)), f"{each.at:,}"]
            for each in trace.checks
        ],
        f"Every one of these held at every step, checked {how}.",
    )
