"""The curves of a run, as the report draws them, each with a place for the step that is shown."""

import dataclasses
import math
from typing import Any

from novikoff.lab.digits import digits
from novikoff.lab.runs import Run
from novikoff.report import aggression, proof
from novikoff.report.bokeh_figures import figure_of
from novikoff.report.legend import key
from novikoff.report.picture import LIGHT, Picture, Rule
from novikoff.tracing import Trace

WIDE = 500.0  # times as far: from there on a logarithmic axis has ticks at powers of 10 alone
Cursor = dict[str, str]  # columns of the film, and the colours of their points


def charts_of(run: Run) -> list[dict[str, Any]]:
    """The charts of a run; of one without updates there are none."""
    if not run.steps:
        return []
    trace = run.trace
    if run.numbers is not None:  # hovering names the rows as given
        table = trace.table | {"row": run.as_numbered(trace.table["row"])}
        trace = dataclasses.replace(trace, table=table, signed=None)
    return [
        _chart(name, picture, {each: cursor[each] for each in cursor if each in trace.table})
        for name, picture, cursor in _pictures(trace)
        if picture is not None
    ]


def _pictures(trace: Trace) -> list[tuple[str, Picture | None, Cursor]]:
    if trace.rule == "winnow":
        return [
            ("total", proof.total_weight(trace), {"total_weight": "blue", "total_cap": "red"}),
            ("moves", proof.promotions(trace), {"promotions": "green", "demotions": "red"}),
        ]
    found: list[tuple[str, Picture | None, Cursor]] = []
    if trace.rule == "passive-aggressive":
        found += _of_aggression(trace)
    else:
        colours = {"squared_distance": "blue", "upper": "red", "lower": "green"}
        found.append(("envelopes", proof.envelopes(trace), colours))
    if "cosine" in trace.table:
        colours = {"cosine": "blue", "cosine_floor": "red"}
        found.append(("cosine", proof.cosine(trace), colours))
    found.append(("ceiling", _ceiling(trace), {"ceiling": "green"}))
    return found


def _ceiling(trace: Trace) -> Picture | None:
    """The report's, its margin in the digits that the rest of the page has."""
    picture = proof.ceiling(trace)
    if picture is None or trace.margin is None:
        return picture
    name = f"the margin of w*: {digits(trace.margin)}"
    marks = [each._replace(name=name) if isinstance(each, Rule) else each for each in picture.marks]
    return picture._replace(marks=marks)


def _of_aggression(trace: Trace) -> list[tuple[str, Picture | None, Cursor]]:
    if trace.target is None:
        colours = {"squared_norm": "blue", "norm_cap": "red"}
        return [("length", aggression.lengths(trace), colours)]
    near, gone = (
        {"to_target": "blue", "to_target_cap": "red"},
        {"drops": "blue", "drops_floor": "green"},
    )
    return [
        ("distance", aggression.closing_in(trace), near),
        ("spent", aggression.spending(trace), gone),
    ]


def _chart(name: str, picture: Picture, cursor: Cursor) -> dict[str, Any]:
    from bokeh.embed import json_item

    return {
        "id": name,
        "title": picture.title,
        "x": picture.x_label,
        "y": picture.y_label,
        "caption": picture.caption,
        "alt": picture.alt,
        "key": key(picture.marks),
        "figure": json_item(_figure(picture)),
        "cursor": [list(each) for each in cursor.items()],
    }


def _figure(picture: Picture) -> Any:
    """The report's figure, with an upright line and points that the page moves to a step.

    They are on the overlay, a canvas of its own: moving them repaints no curve.
    """
    from bokeh.models import BasicTickFormatter, ColumnDataSource, FixedTicker, NoOverlap
    from bokeh.models.annotations import Span

    plot = figure_of(picture)
    plot.axis.major_label_policy = NoOverlap()  # the charts of a page are small
    for log, axis, grid, range_ in (
        (picture.log_x, plot.xaxis, plot.xgrid, plot.x_range),
        (picture.log_y, plot.yaxis, plot.ygrid, plot.y_range),
    ):
        places = _places(range_.start, range_.end) if log else []
        if places:  # Bokeh's own crowd at one end of so short an axis
            axis.ticker = grid.ticker = FixedTicker(ticks=places)
            axis.formatter = BasicTickFormatter(power_limit_high=6)
    line: dict[str, Any] = {"line_color": LIGHT["amber"], "line_width": 2, "level": "overlay"}
    plot.add_layout(Span(name="now", dimension="height", **line))
    source = ColumnDataSource({"x": [], "y": [], "colour": []}, name="cursor")
    look: dict[str, Any] = {"fill_color": "colour", "line_color": LIGHT["ink"], "size": 11}
    plot.scatter("x", "y", source=source, line_width=1.5, level="overlay", **look)
    return plot


def _places(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of 10, for a logarithmic axis of a few decades; of more, none."""
    if not 0.0 < low < high < low * WIDE:
        return []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{first}e{power}") for power in powers for first in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]
