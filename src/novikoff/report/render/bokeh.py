"""Figures for a browser: drawn with Bokeh, as JSON, with hover texts.

Titles, labels and legends are the page's own, in HTML; a Bokeh figure has the marks and the ticks,
in light colours, which the page's script exchanges where the screen is dark.
"""

import json
from typing import Any, Literal, TypeAlias

from novikoff.report.model import (
    DASHES,
    LIGHT,
    LOOKS,
    Band,
    Bars,
    Figure,
    Line,
    Mark,
    Patch,
    PointSeries,
    ReferenceLine,
    axis_ranges,
)

SMALL = {"triangle": 1.25, "square": 0.9}  # of one size, they do not look it
FONT = "system-ui, sans-serif"
TICKS = "13px"
TOOLS = "box_zoom,pan,wheel_zoom,reset,save"  # none of them active: a finger scrolls the page
TIP = '<div style="max-width: 17rem; white-space: normal; font-size: .85rem">{}</div>'

#: A Bokeh figure, or a part of one: their attributes and methods are made at run time, untyped.
Plot: TypeAlias = Any
#: Keyword arguments of Bokeh's methods.
Style: TypeAlias = dict[str, Any]


def bokeh_script() -> str:
    """The source of Bokeh's own script."""
    from bokeh.resources import Resources

    chosen = Resources(mode="inline", components=["bokeh"], minified=True, log_level="error")
    return "\n".join(chosen.js_raw)


def figure_json(picture: Figure, target: str) -> str:
    """A figure as JSON for the element of an id; safe within a script element."""
    from bokeh.core.types import ID
    from bokeh.embed import json_item

    text = json.dumps(json_item(bokeh_figure(picture), ID(target)))
    return text.replace("<", "\\u003c")


def bokeh_figure(picture: Figure) -> Plot:
    """Draw a figure with Bokeh."""
    from bokeh.models import BasicTicker, BasicTickFormatter

    ranges: Style = {}
    if not picture.equal:
        ranges = dict(zip(("x_range", "y_range"), axis_ranges(picture), strict=True))
    plot = blank_figure(
        match_aspect=picture.equal,
        x_axis_type="log" if picture.log_x else "linear",
        y_axis_type="log" if picture.log_y else "linear",
        tools=TOOLS,
        active_drag=None,
        active_scroll=None,
        min_border_right=16,
        **ranges,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    for axis, log, whole in (
        (plot.xaxis, picture.log_x, picture.whole_x),
        (plot.yaxis, picture.log_y, picture.whole_y),
    ):
        if not log:
            axis.formatter = BasicTickFormatter(power_limit_high=6)
        if whole and not log:
            axis.ticker = BasicTicker(min_interval=1)
    if picture.bare_y:
        plot.yaxis.visible = False
        plot.ygrid.visible = False
    for mark in picture.marks:
        _draw(plot, mark)
    if picture.equal:  # the page knows the room there is, so it finds the ranges: those of points
        seen = [each for each in plot.renderers if each.glyph.__class__.__name__ == "Scatter"]
        plot.x_range.renderers = plot.y_range.renderers = seen
    return plot


def blank_figure(**options: Any) -> Plot:
    """A figure with axes and a mesh, in the colours and the font of all figures."""
    from bokeh.plotting import figure

    clear: Style = dict.fromkeys(
        ("background_fill_color", "border_fill_color", "outline_line_color")
    )
    plot: Plot = figure(sizing_mode="stretch_both", **clear, **options)
    plot.axis.axis_line_color = LIGHT["grey"]
    plot.axis.major_tick_line_color = LIGHT["grey"]
    plot.axis.minor_tick_line_color = None
    plot.axis.major_label_text_color = LIGHT["ink"]
    plot.axis.major_label_text_font = FONT
    plot.axis.major_label_text_font_size = TICKS
    plot.grid.grid_line_color = LIGHT["mesh"]
    return plot


def _draw(plot: Plot, mark: Mark) -> None:
    colour = LIGHT[mark.colour]
    match mark:
        case Line():
            _line(plot, mark)
        case PointSeries():
            _points(plot, mark)
        case Band():
            plot.varea(mark.x, mark.lower, mark.upper, fill_color=colour, fill_alpha=0.2)
        case Patch() if len(mark.x) > 1:
            outline = {"line_color": colour, "line_width": 2}
            plot.patch(mark.x, mark.y, fill_color=colour, fill_alpha=0.15, **outline)
        case Bars():
            _bars(plot, mark)
        case ReferenceLine():
            _reference_line(plot, mark)


def dash_of(name: str) -> str | list[int]:
    """A dash as Bokeh has it."""
    dash = DASHES[name]
    return name if dash is None else list(dash.on_screen)


def _reference_line(plot: Plot, mark: ReferenceLine) -> None:
    style = {"line_color": LIGHT[mark.colour], "line_dash": dash_of(mark.dash), "line_width": 2}
    if mark.upright:
        plot.vspan(x=[mark.at], **style)
    else:
        plot.hspan(y=[mark.at], **style)


def _line(plot: Plot, mark: Line) -> None:
    source: Style = {"x": mark.x, "y": mark.y}
    style = {"line_color": LIGHT[mark.colour], "line_dash": dash_of(mark.dash)}
    if mark.notes:
        source["note"] = list(mark.notes)
    drawn = plot.line("x", "y", source=_source(source), line_width=mark.width, **style)
    if mark.notes:
        _hover(plot, drawn, TIP.format("@note"), mode="vline")


def _points(plot: Plot, mark: PointSeries) -> None:
    columns = {f"hover{k}": list(texts) for k, texts in enumerate(mark.hover.values())}
    source = _source({"x": mark.x, "y": mark.y} | columns)
    ink, colour = LIGHT["ink"], LIGHT[mark.colour]
    look = LOOKS[mark.look]
    drawn = plot.scatter(
        "x",
        "y",
        source=source,
        size=mark.size * SMALL.get(mark.marker, 1.0),
        marker=mark.marker,
        fill_color=colour if look.filled else None,
        fill_alpha=look.opacity,
        line_color=LIGHT.get(look.edge, colour),
        line_width=look.width_on_screen,
        line_alpha=look.opacity,
    )
    if columns:
        lines = (f"<div><b>{name}</b> @hover{k}</div>" for k, name in enumerate(mark.hover))
        _hover(plot, drawn, TIP.format("".join(lines)))
    if mark.numbers:
        source = _source({"x": mark.x, "y": mark.y, "text": list(mark.numbers)})
        font = {"text_font": {"value": FONT}, "text_font_size": "14px", "text_font_style": "bold"}
        plot.text("x", "y", "text", source=source, x_offset=8, y_offset=-6, text_color=ink, **font)


def _bars(plot: Plot, mark: Bars) -> None:
    source = {"left": mark.left, "right": mark.right, "top": mark.top, "note": list(mark.notes)}
    style: Style = {"fill_color": LIGHT[mark.colour], "line_color": None}
    if mark.hatched:
        style |= {"hatch_pattern": "right_diagonal_line", "hatch_color": LIGHT["paper"]}
    drawn = plot.quad("left", "right", "top", 0.0, source=_source(source), **style)
    _hover(plot, drawn, TIP.format("@note"))


def _source(columns: Style) -> Plot:
    from bokeh.models import ColumnDataSource

    return ColumnDataSource(columns)


def _hover(plot: Plot, drawn: Plot, tip: str, mode: Literal["mouse", "vline"] = "mouse") -> None:
    """Add a hover text. Its fields are data, which Bokeh escapes; the rest of it is ours."""
    from bokeh.models import HoverTool

    plot.add_tools(HoverTool(renderers=[drawn], tooltips=tip, mode=mode, visible=False))
