"""The curves of a run, as the report draws them, each with a place for the step that is shown."""

import dataclasses
import math
from typing import Any

from novikoff.lab.film.run import FilmRun
from novikoff.lab.plane.number_text import digits
from novikoff.report.charts import trace as trace_charts
from novikoff.report.charts import trace_passive_aggressive
from novikoff.report.model import LIGHT, Figure, ReferenceLine
from novikoff.report.render.bokeh import bokeh_figure
from novikoff.report.render.legend import legend
from novikoff.theory.trace import Trace

WIDE = 500.0  # times as far: from there on a logarithmic axis has ticks at powers of 10 alone
Cursor = dict[str, str]  # columns of the film, and the colours of their points


def charts_of(run: FilmRun) -> list[dict[str, Any]]:
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


def _pictures(trace: Trace) -> list[tuple[str, Figure | None, Cursor]]:
    if trace.rule == "winnow":
        return [
            (
                "total",
                trace_charts.total_weight(trace),
                {"total_weight": "blue", "total_cap": "red"},
            ),
            ("moves", trace_charts.promotions(trace), {"promotions": "green", "demotions": "red"}),
        ]
    found: list[tuple[str, Figure | None, Cursor]] = []
    if trace.rule == "passive-aggressive":
        found += _of_aggression(trace)
    else:
        colours = {"squared_distance": "blue", "upper": "red", "lower": "green"}
        found.append(("envelopes", trace_charts.envelopes(trace), colours))
    if "cosine" in trace.table:
        colours = {"cosine": "blue", "cosine_floor": "red"}
        found.append(("cosine", trace_charts.cosine(trace), colours))
    found.append(("ceiling", _ceiling(trace), {"ceiling": "green"}))
    return found


def _ceiling(trace: Trace) -> Figure | None:
    """The report's, its margin in the digits that the rest of the page has."""
    picture = trace_charts.ceiling(trace)
    if picture is None or trace.margin is None:
        return picture
    name = f"the margin of w*: {digits(trace.margin)}"
    marks = [
        each._replace(name=name) if isinstance(each, ReferenceLine) else each
        for each in picture.marks
    ]
    return picture._replace(marks=marks)


def _of_aggression(trace: Trace) -> list[tuple[str, Figure | None, Cursor]]:
    if trace.target is None:
        colours = {"squared_norm": "blue", "norm_cap": "red"}
        return [("length", trace_passive_aggressive.length_figure(trace), colours)]
    near, gone = (
        {"to_target": "blue", "to_target_cap": "red"},
        {"drops": "blue", "drops_floor": "green"},
    )
    return [
        ("distance", trace_passive_aggressive.distance_figure(trace), near),
        ("spent", trace_passive_aggressive.spending_figure(trace), gone),
    ]


def _chart(name: str, picture: Figure, cursor: Cursor) -> dict[str, Any]:
    from bokeh.embed import json_item

    return {
        "id": name,
        "title": picture.title,
        "x": picture.x_label,
        "y": picture.y_label,
        "caption": picture.caption,
        "alt": picture.alt,
        "key": legend(picture.marks),
        "figure": json_item(_figure(picture)),
        "cursor": [list(each) for each in cursor.items()],
    }


def _figure(picture: Figure) -> Any:
    """The report's figure, with an upright line and points that the page moves to a step.

    They are on the overlay, a canvas of its own: moving them repaints no curve.
    """
    from bokeh.models import BasicTickFormatter, ColumnDataSource, FixedTicker, NoOverlap
    from bokeh.models.annotations import Span

    plot = bokeh_figure(picture)
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
