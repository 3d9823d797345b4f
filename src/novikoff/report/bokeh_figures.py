"""A picture for a browser: a Bokeh figure as JSON, with what hovering says.

A page has titles, labels and legends of its own, in HTML; a figure is the marks and the ticks, in
light colours, which the page's script exchanges where the screen is dark.
"""

import json
from typing import Any

from novikoff.report.picture import (
    LIGHT,
    Band,
    Bars,
    Line,
    Mark,
    Patch,
    Picture,
    Points,
    Rule,
    bounds,
)

SMALL = {"triangle": 1.25, "square": 0.9}  # of one size, they do not look it
#: For each look, the edge's colour and width, and how much of it all is seen.
LOOKS = {
    "plain": ("paper", 0.5, 0.9),
    "hollow": ("own", 2.0, 1.0),
    "outlined": ("ink", 1.5, 1.0),
    "faint": ("own", 0.0, 0.35),
    "thin": ("own", 1.0, 0.35),
    "bare": ("own", 0.0, 1.0),
}
EMPTY = ("hollow", "thin")  # looks without a filling
DASHES = {"solid": "solid", "dashed": [9, 6], "dotted": [2, 5]}
FONT = "system-ui, sans-serif"
TICKS = "13px"
TOOLS = "box_zoom,pan,wheel_zoom,reset,save"  # none of them active: a finger scrolls the page
TIP = '<div style="max-width: 17rem; white-space: normal; font-size: .85rem">{}</div>'


def scripts() -> str:
    """Bokeh's own script, whole."""
    from bokeh.resources import Resources

    chosen = Resources(mode="inline", components=["bokeh"], minified=True, log_level="error")
    return "\n".join(chosen.js_raw)


def as_json(picture: Picture, target: str) -> str:
    """The figure, for an element of that id; safe within a script element."""
    from bokeh.embed import json_item

    name: Any = target
    text = json.dumps(json_item(figure_of(picture), name))
    return text.replace("<", "\\u003c")


def figure_of(picture: Picture) -> Any:
    """The figure itself."""
    from bokeh.models import BasicTicker, BasicTickFormatter
    from bokeh.plotting import figure

    ranges: dict[str, Any] = {}
    if not picture.equal:
        ranges = dict(zip(("x_range", "y_range"), bounds(picture), strict=True))
    plot: Any = figure(
        sizing_mode="stretch_both",
        match_aspect=picture.equal,
        x_axis_type="log" if picture.log_x else "linear",
        y_axis_type="log" if picture.log_y else "linear",
        tools=TOOLS,
        active_drag=None,
        active_scroll=None,
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        **ranges,
    )
    _dress(plot)
    for axis, log in ((plot.xaxis, picture.log_x), (plot.yaxis, picture.log_y)):
        if not log:
            axis.formatter = BasicTickFormatter(power_limit_high=6)
    if picture.whole_x and not picture.log_x:
        plot.xaxis.ticker = BasicTicker(min_interval=1)
    if picture.whole_y and not picture.log_y:
        plot.yaxis.ticker = BasicTicker(min_interval=1)
    if picture.bare_y:
        plot.yaxis.visible = False
        plot.ygrid.visible = False
    for mark in picture.marks:
        _draw(plot, mark)
    if picture.equal:  # the page knows the room there is, so it finds the ranges: those of points
        seen = [each for each in plot.renderers if each.glyph.__class__.__name__ == "Scatter"]
        plot.x_range.renderers = plot.y_range.renderers = seen
    return plot


def _dress(plot: Any) -> None:
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.min_border_right = 16
    plot.axis.axis_line_color = LIGHT["grey"]
    plot.axis.major_tick_line_color = LIGHT["grey"]
    plot.axis.minor_tick_line_color = None
    plot.axis.major_label_text_color = LIGHT["ink"]
    plot.axis.major_label_text_font = FONT
    plot.axis.major_label_text_font_size = TICKS
    plot.grid.grid_line_color = LIGHT["mesh"]


def _draw(plot: Any, mark: Mark) -> None:
    colour = LIGHT[mark.colour]
    match mark:
        case Line():
            _line(plot, mark)
        case Points():
            _points(plot, mark)
        case Band():
            plot.varea(mark.x, mark.lower, mark.upper, fill_color=colour, fill_alpha=0.2)
        case Patch() if len(mark.x) > 1:
            outline = {"line_color": colour, "line_width": 2}
            plot.patch(mark.x, mark.y, fill_color=colour, fill_alpha=0.15, **outline)
        case Bars():
            _bars(plot, mark)
        case Rule():
            _rule(plot, mark)


def _rule(plot: Any, mark: Rule) -> None:
    style = {"line_color": LIGHT[mark.colour], "line_dash": DASHES[mark.dash], "line_width": 2}
    if mark.upright:
        plot.vspan(x=[mark.at], **style)
    else:
        plot.hspan(y=[mark.at], **style)


def _line(plot: Any, mark: Line) -> None:
    source: dict[str, Any] = {"x": mark.x, "y": mark.y}
    style = {"line_color": LIGHT[mark.colour], "line_dash": DASHES[mark.dash]}
    if mark.notes:
        source["note"] = list(mark.notes)
    drawn = plot.line("x", "y", source=_source(source), line_width=mark.width, **style)
    if mark.notes:
        _hover(plot, drawn, TIP.format("@note"), mode="vline")


def _points(plot: Any, mark: Points) -> None:
    columns = {f"told{k}": list(texts) for k, texts in enumerate(mark.hover.values())}
    source = _source({"x": mark.x, "y": mark.y} | columns)
    ink, colour = LIGHT["ink"], LIGHT[mark.colour]
    edge, width, alpha = LOOKS[mark.look]
    drawn = plot.scatter(
        "x",
        "y",
        source=source,
        size=mark.size * SMALL.get(mark.marker, 1.0),
        marker=mark.marker,
        fill_color=None if mark.look in EMPTY else colour,
        fill_alpha=alpha,
        line_color=LIGHT.get(edge, colour),
        line_width=width,
        line_alpha=alpha,
    )
    if columns:
        lines = (f"<div><b>{name}</b> @told{k}</div>" for k, name in enumerate(mark.hover))
        _hover(plot, drawn, TIP.format("".join(lines)))
    if mark.numbers:
        source = _source({"x": mark.x, "y": mark.y, "text": list(mark.numbers)})
        font = {"text_font": {"value": FONT}, "text_font_size": "14px", "text_font_style": "bold"}
        plot.text("x", "y", "text", source=source, x_offset=8, y_offset=-6, text_color=ink, **font)


def _bars(plot: Any, mark: Bars) -> None:
    source = {"left": mark.left, "right": mark.right, "top": mark.top, "note": list(mark.notes)}
    style: dict[str, Any] = {"fill_color": LIGHT[mark.colour], "line_color": None}
    if mark.hatched:
        style |= {"hatch_pattern": "right_diagonal_line", "hatch_color": LIGHT["paper"]}
    drawn = plot.quad("left", "right", "top", 0.0, source=_source(source), **style)
    _hover(plot, drawn, TIP.format("@note"))


def _source(columns: dict[str, Any]) -> Any:
    from bokeh.models import ColumnDataSource

    return ColumnDataSource(columns)


def _hover(plot: Any, drawn: Any, tip: str, mode: Any = "mouse") -> None:
    """The texts are data, which Bokeh escapes; the rest of a tip is ours."""
    from bokeh.models import HoverTool

    plot.add_tools(HoverTool(renderers=[drawn], tooltips=tip, mode=mode, visible=False))
