"""The curves of a run, as the report draws them, each with a place for the step that is shown."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from novikoff.lab.film.run import FilmRun
from novikoff.lab.plane.number_text import digits
from novikoff.report.charts.trace_list import figures_of
from novikoff.report.model import LIGHT, Figure, Mark, ReferenceLine
from novikoff.report.render.bokeh import Plot, bokeh_figure
from novikoff.report.render.legend import legend
from novikoff.theory.trace import Trace

WIDE = 500.0  # times as far: from there on a logarithmic axis has ticks at powers of 10 alone


#: For each chart, columns of the film and the colours of their points at the step.
CURSORS = {
    "envelopes": {"squared_distance": "blue", "upper": "red", "lower": "green"},
    "length": {"squared_norm": "blue", "norm_cap": "red"},
    "distance": {"to_target": "blue", "to_target_cap": "red"},
    "spent": {"drops": "blue", "drops_floor": "green"},
    "cosine": {"cosine": "blue", "cosine_floor": "red"},
    "ceiling": {"ceiling": "green"},
    "total": {"total_weight": "blue", "total_cap": "red"},
    "moves": {"promotions": "green", "demotions": "red"},
}


def charts_of(run: FilmRun) -> list[dict[str, Any]]:
    """The charts of a run; of one without updates there are none."""
    if not run.steps:
        return []
    trace = run.trace
    if run.numbers is not None:  # hovering names the rows as given
        table = trace.table | {"row": run.as_numbered(trace.table["row"])}
        trace = dataclasses.replace(trace, table=table, signed=None)
    charts = []
    for chart in figures_of(trace):
        picture = chart.draw(trace) if chart.name in CURSORS else None
        if picture is not None:
            picture = _own_digits(picture, trace) if chart.name == "ceiling" else picture
            columns = [[*each] for each in CURSORS[chart.name].items() if each[0] in trace.table]
            charts.append(chart_json(chart.name, picture, _figure(picture), cursor=columns))
    return charts


def chart_json(
    name: str, picture: Figure, plot: Plot, more: Sequence[Mark] = (), cursor: Sequence[Any] = ()
) -> dict[str, Any]:
    """A chart as the page shows it. more: marks of the key that the page itself draws."""
    from bokeh.embed import json_item

    return {
        "id": name,
        "title": picture.title,
        "x": picture.x_label,
        "y": picture.y_label,
        "caption": picture.caption,
        "alt": picture.alt,
        "key": legend([*picture.marks, *more]),
        "figure": json_item(plot),
        "cursor": cursor,
    }


def _own_digits(picture: Figure, trace: Trace) -> Figure:
    """The ceiling, its margin in the digits that the rest of the page has."""
    name = f"the margin of w*: {digits(trace.margin or 0.0)}"
    marks = [
        each._replace(name=name) if isinstance(each, ReferenceLine) else each
        for each in picture.marks
    ]
    return picture._replace(marks=marks)


def _figure(picture: Figure) -> Plot:
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
