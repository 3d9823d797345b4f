"""What the page draws on: the plane, and bars for weights.

The figures are made once, empty, with a name for each source; the page's scripts fill the sources
from scene and film. Colours are light ones; on a dark screen the scripts exchange them.
"""

from typing import Any

from novikoff.lab.plane.number_text import RAISED
from novikoff.report.model import LIGHT
from novikoff.report.render.bokeh import FONT, Plot, Style, blank_figure, dash_of

#: Scripts of the player, in the order in which they are run; an offline page has these alone.
PLAYER = ("text.js", "figures.js", "plane.js", "winnow.js", "proof.js", "step.js", "player.js")

TEXT = {"text_font": {"value": FONT}, "text_font_size": "15px", "text_font_style": "bold"}
HALVED = 64  # times that a weight may be, and still be named on its axis
SPELLED = 14  # times, and its number written out
BORDER = 44  # pixels beside the plane for its ticks, whatever they say: so that it does not jump


def figures() -> dict[str, object]:
    """The empty figures as a page embeds them, by the ids of the elements that they are kept in."""
    from bokeh.embed import json_item

    made = {
        "plane": plane(),
        "proof": proof(),
        "powers": bars(powers=True),
        "weights": bars(powers=False),
    }
    return {f"{name}-figure": json_item(plot) for name, plot in made.items()}


def plane() -> Plot:
    """Points, lines, the band and the hulls; what is listed first lies lowest.

    What changes from step to step is on the level "overlay", which is painted without the rest.
    """
    plot = _bare(min_border_left=BORDER, min_border_bottom=BORDER - 14)
    for name, colour, alpha, level in (
        ("band", "green", 0.16, "glyph"),
        ("side", "red", 0.07, "overlay"),
    ):
        fill: Style = {"fill_color": LIGHT[colour], "fill_alpha": alpha, "level": level}
        plot.patch("x", "y", source=empty_source(name, "x", "y"), line_color=None, **fill)
    hulls = empty_source("hulls", "xs", "ys", "colour")
    style: Style = {"fill_color": "colour", "line_color": "colour"}
    plot.patches("xs", "ys", source=hulls, fill_alpha=0.16, line_width=3, **style)
    for name, colour, dash, width, level in (
        ("best", "green", dash_of("dashed"), 2.5, "glyph"),
        ("before", "grey", dash_of("dotted"), 2.0, "overlay"),
        ("mean", "purple", [12, 4, 2, 4], 2.5, "overlay"),
        ("line", "ink", "solid", 3.5, "overlay"),
    ):
        stroke: Style = {"line_color": LIGHT[colour], "line_dash": dash, "level": level}
        plot.line("x", "y", source=empty_source(name, "x", "y"), line_width=width, **stroke)
    _arrow(plot, "normal", "ink")
    _points(plot)
    return plot


def _points(plot: Plot) -> None:
    edge = LIGHT["paper"]
    where: Style = {"x": "x", "y": "y"}
    conflict = empty_source("conflict", "x", "y", "text", "shift", "rise", "align")
    label: Style = {"x_offset": "shift", "text_align": "align", "y_offset": "rise"}
    back: Style = {"background_fill_color": edge, "background_fill_alpha": 0.8}
    plot.text(
        source=conflict,
        text_color=LIGHT["ink"],
        text_baseline="middle",
        **where,
        **label,
        **back,
        **TEXT,
    )
    numbers = empty_source("numbers", "x", "y", "text", "shift", "rise", "align")
    small: Style = {"text_color": LIGHT["ink"], "text_baseline": "middle", "text_font_size": "13px"}
    plot.text(source=numbers, **where, **label, **back, **(TEXT | small))
    _ring(plot, conflict, "diamond", "purple", 42, 3.0)
    look: Style = {"marker": "marker", "size": "size", "fill_color": "colour"}
    points = empty_source("points", "x", "y", "marker", "colour", "size")
    plot.scatter(source=points, line_color=edge, line_width=1, **where, **look)
    meet: Style = {"fill_color": LIGHT["purple"], "line_color": LIGHT["ink"]}
    plot.scatter(source=empty_source("meet", "x", "y"), marker="star", size=22, **where, **meet)
    for name, marker, colour, size, width in (
        ("wrong", "square", "ink", 21, 2.0),
        ("looked", "circle", "amber", 30, 4.0),
        ("chosen", "circle", "blue", 24, 1.5),
    ):
        _ring(plot, empty_source(name, "x", "y"), marker, colour, size, width, level="overlay")


def _ring(
    plot: Plot,
    source: Plot,
    marker: str,
    colour: str,
    size: int,
    width: float,
    level: str = "glyph",
) -> None:
    edge: Style = {"line_color": LIGHT[colour], "line_width": width, "level": level}
    plot.scatter("x", "y", source=source, marker=marker, size=size, fill_color=None, **edge)


def proof() -> Plot:
    """The proof's picture: the disc, its part beyond the floor, the vectors and the angle."""
    from bokeh.models import NoOverlap

    plot = _bare(min_border_left=BORDER, min_border_bottom=BORDER - 14)
    plot.xaxis.ticker.desired_num_ticks = 4
    plot.axis.major_label_policy = NoOverlap()
    for name, colour, alpha in (("disc", "red", 0.14), ("allowed", "green", 0.26)):
        fill: Style = {
            "fill_color": LIGHT[colour],
            "fill_alpha": alpha,
            "line_color": LIGHT[colour],
        }
        plot.patch("x", "y", source=empty_source(name, "x", "y"), level="overlay", **fill)
    for name, colour, dash, width in (
        ("way", "sky", "solid", 1.5),
        ("floor", "green", dash_of("dashed"), 2.5),
        ("angle", "purple", "solid", 2.5),
    ):
        stroke: Style = {"line_color": LIGHT[colour], "line_dash": dash, "line_width": width}
        plot.line("x", "y", source=empty_source(name, "x", "y"), level="overlay", **stroke)
    for name, colour, dash in (
        ("target", "ink", "solid"),
        ("before", "grey", dash_of("dotted")),
        ("step", "amber", "solid"),
        ("after", "blue", "solid"),
    ):
        _arrow(plot, name, colour, dash)
    names = empty_source("names", "x", "y", "text", "shift", "rise", "align")
    label: Style = {"x_offset": "shift", "y_offset": "rise", "text_align": "align"}
    look: Style = {"text_color": LIGHT["ink"], "text_baseline": "middle", "level": "overlay"}
    plot.text("x", "y", "text", source=names, **label, **look, **TEXT)
    return plot


def _arrow(plot: Plot, name: str, colour: str, dash: str | list[int] = "solid") -> None:
    """An arrow, or several, whose ends are the columns x0, y0, x1 and y1 of a source."""
    from bokeh.models.annotations import Arrow, VeeHead

    ends: Style = {"x_start": "x0", "y_start": "y0", "x_end": "x1", "y_end": "y1"}
    head = VeeHead(size=13, fill_color=LIGHT[colour], line_color=LIGHT[colour])
    shaft: Style = {"line_color": LIGHT[colour], "line_width": 3, "line_dash": dash}
    source = empty_source(name, *ends.values())
    plot.add_layout(Arrow(end=head, source=source, level="overlay", **ends, **shaft))


def bars(*, powers: bool) -> Plot:
    """Weights as bars, on a scale of powers of 2 with a line at 1, or from 0."""
    from bokeh.models import BasicTicker, LogTicker
    from bokeh.models.annotations import Span

    plot = _bare(
        y_axis_type="log" if powers else "linear", min_border_left=BORDER + 6, min_border_bottom=30
    )
    plot.xaxis.ticker = BasicTicker(min_interval=1)
    plot.xgrid.visible = False
    if powers:
        plot.yaxis.ticker = LogTicker(base=2, mantissas=[1])
        plot.yaxis.major_label_overrides = dict(map(_power, range(-HALVED, HALVED + 1)))
    source = empty_source("bars", "x", "top", "bottom", "colour", "edge", "rim", "hatch")
    style: Style = {"fill_color": "colour", "line_color": "edge", "line_width": "rim"}
    hatch: Style = {"hatch_pattern": "hatch", "hatch_color": LIGHT["paper"]}
    plot.vbar("x", 0.72, "top", "bottom", source=source, **style, **hatch)
    base = 1.0 if powers else 0.0
    plot.add_layout(Span(location=base, dimension="width", line_color=LIGHT["ink"]))
    if powers:
        _row_sum(plot)
    return plot


def _power(k: int) -> tuple[float, str]:
    """A power of 2 with its label: as a number, or as a power where that is long."""
    if abs(k) > SPELLED:
        return 2.0**k, "2" + str(k).translate(RAISED)
    return 2.0**k, f"1/{2**-k}" if k < 0 else f"{2**k:,}"


def _row_sum(plot: Plot) -> None:
    """The sum of a row's weights before and after an update, with the threshold across it."""
    columns = ("x", "wide", "top", "bottom", "colour", "text")
    source, ends = empty_source("sums", *columns), ("x0", "y0", "x1", "y1")
    style: Style = {"fill_color": "colour", "line_color": LIGHT["ink"], "line_width": 1.5}
    plot.vbar("x", "wide", "top", "bottom", source=source, **style)
    dashed: Style = {"line_dash": dash_of("dashed"), "line_color": LIGHT["red"]}
    line = empty_source("threshold", *ends)
    plot.segment(*ends, source=line, line_width=3, **dashed)
    label: Style = {"text_align": "center", "y_offset": -4, "text_color": LIGHT["ink"]}
    paper: Style = {"background_fill_color": LIGHT["paper"]}  # so that the line does not cross it
    plot.text("x", "top", "text", source=source, **label, **paper, **TEXT)


def _bare(**options: Any) -> Plot:
    """A figure with ticks and a mesh, and no tools: clicks and drags are the page's own."""
    from bokeh.models import Range1d

    return blank_figure(
        x_range=Range1d(start=-1.0, end=1.0, name="across"),
        y_range=Range1d(start=0.1, end=1.0, name="upwards"),
        tools="",
        toolbar_location=None,
        min_border_right=12,
        min_border_top=8,
        **options,
    )


def empty_source(name: str, *columns: str) -> Plot:
    """A source for the page's scripts to fill."""
    from bokeh.models import ColumnDataSource

    empty: Style = {column: [] for column in columns}
    return ColumnDataSource(empty, name=name)
