"""The curves of a run, as the report draws them, each with a place for the step that is shown."""

import dataclasses
from typing import Any

from novikoff.lab.runs import Run
from novikoff.report import aggression, proof
from novikoff.report.bokeh_figures import figure_of
from novikoff.report.legend import key
from novikoff.report.picture import LIGHT, Picture
from novikoff.tracing import Trace

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
    found.append(("ceiling", proof.ceiling(trace), {"ceiling": "green"}))
    return found


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
    from bokeh.models import ColumnDataSource, NoOverlap
    from bokeh.models.annotations import Span

    plot = figure_of(picture)
    plot.axis.major_label_policy = NoOverlap()  # the charts of a page are small
    line: dict[str, Any] = {"line_color": LIGHT["amber"], "line_width": 2, "level": "overlay"}
    plot.add_layout(Span(name="now", dimension="height", **line))
    source = ColumnDataSource({"x": [], "y": [], "colour": []}, name="cursor")
    look: dict[str, Any] = {"fill_color": "colour", "line_color": LIGHT["ink"], "size": 11}
    plot.scatter("x", "y", source=source, line_width=1.5, level="overlay", **look)
    return plot
