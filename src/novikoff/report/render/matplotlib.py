"""Figures for files: drawn with Matplotlib, as PNG or SVG, in light colours."""

import io
import textwrap
import warnings
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

#: Keyword arguments of Matplotlib's methods.
Style: TypeAlias = dict[str, Any]

MARKERS = {
    "circle": "o",
    "triangle": "^",
    "square": "s",
    "diamond": "D",
    "star": "*",
}
MANY = 400  # points that an SVG file holds one by one; more become an image within it
DOTS = 160  # to the inch
HALO = 2.5  # points of paper around a text beside a point, so that no line crosses it
LARGEST = 90.0  # area of a marker in the legend, in square points
WRAP, WRAP_Y = 60, 36  # characters of a label on one line; the axis upwards is shorter
SIZE, SQUARE = (8.0, 4.8), (7.0, 5.6)  # inches
SETTINGS: dict[Any, Any] = {
    "text.parse_math": False,  # a label may hold any number of dollars
    "svg.fonttype": "none",
    "svg.hashsalt": "novikoff",
    "font.family": "sans-serif",
    "font.size": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": LIGHT["grey"],
    "axes.labelcolor": LIGHT["ink"],
    "xtick.color": LIGHT["grey"],
    "ytick.color": LIGHT["grey"],
    "xtick.labelcolor": LIGHT["ink"],
    "ytick.labelcolor": LIGHT["ink"],
    "text.color": LIGHT["ink"],
    "grid.color": LIGHT["mesh"],
    "hatch.linewidth": 0.6,
}
RENDERING = Lock()  # Matplotlib's settings belong to the whole process


def render_file(picture: Figure, kind: str, *, titled: bool = True) -> bytes:
    """A figure as the bytes of a file, "png" or "svg".

    titled: with its title, labels and legend, which a page has beside it.
    """
    import matplotlib as mpl

    with RENDERING, mpl.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        out = io.BytesIO()
        metadata = {"Date": None} if kind == "svg" else None
        _drawn(picture, titled).savefig(out, format=kind, dpi=DOTS, metadata=metadata)
    return out.getvalue()


def canvas_of(picture: Figure) -> "Canvas":
    """A figure as one of Matplotlib's own."""
    import matplotlib as mpl

    with RENDERING, mpl.rc_context(SETTINGS):
        return _drawn(picture, titled=True)


def _drawn(picture: Figure, titled: bool) -> "Canvas":
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=SQUARE if picture.equal else SIZE, layout="constrained")
    axes = figure.add_subplot()
    _prepare(axes, picture)
    for order, mark in enumerate(picture.marks):
        _draw(axes, mark, 2.0 + order)
    if titled:
        axes.set_title(picture.title, loc="left", fontsize=13)
        axes.set_xlabel(textwrap.fill(picture.x_label, WRAP))
        axes.set_ylabel(textwrap.fill(picture.y_label, WRAP_Y))
        _legend(figure, axes)
    return figure


def _prepare(axes: "Axes", picture: Figure) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.grid(True, linewidth=0.7)
    axes.set_axisbelow(True)
    for axis, log, whole in (
        (axes.xaxis, picture.log_x, picture.whole_x),
        (axes.yaxis, picture.log_y, picture.whole_y),
    ):
        if log:
            getattr(axes, f"set_{axis.axis_name}scale")("log")
            axis.set_major_formatter(lambda value, _: tick_text(value))
            axis.set_minor_formatter(lambda value, _: "")
        elif whole:
            axis.set_major_locator(MaxNLocator(integer=True))
    x, y = axis_ranges(picture)
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    if picture.equal:
        axes.set_aspect("equal", adjustable="box")
    if picture.bare_y:
        axes.set_yticks([])


def tick_text(value: float) -> str:
    """The label of a tick on a logarithmic axis."""
    return f"{value:,.0f}" if 1.0 <= value < 1e6 else f"{value:g}"


def _legend(figure: "Canvas", axes: "Axes") -> None:
    from matplotlib.collections import PathCollection

    handles, names = axes.get_legend_handles_labels()
    if len(handles):
        columns = 1 if max(map(len, names)) > 45 else 2
        legend = figure.legend(
            handles, names, loc="outside lower left", ncols=columns, frameon=False, fontsize=10
        )
        for handle in legend.legend_handles:
            if isinstance(handle, PathCollection):  # rings are larger than a line of it is high
                handle.set_sizes(np.minimum(handle.get_sizes(), LARGEST))


def _draw(axes: "Axes", mark: Mark, order: float) -> None:
    name = mark.name or None
    colour = LIGHT[mark.colour]
    common: Style = {"label": name, "zorder": order}
    match mark:
        case Line():
            style = _dash(mark.dash)
            axes.plot(mark.x, mark.y, color=colour, linestyle=style, linewidth=mark.width, **common)
        case PointSeries():
            _points(axes, mark, common)
        case Band():
            axes.fill_between(mark.x, mark.lower, mark.upper, color=colour, alpha=0.2, **common)
        case Patch() if len(mark.x) > 1:
            axes.fill(mark.x, mark.y, facecolor=(colour, 0.15), edgecolor=colour, **common)
        case Bars():
            _bars(axes, mark, common)
        case ReferenceLine():
            place = axes.axvline if mark.upright else axes.axhline
            place(mark.at, color=colour, linestyle=_dash(mark.dash), linewidth=1.6, **common)


def _dash(name: str) -> str | tuple[int, tuple[float, float]]:
    dash = DASHES[name]
    return "-" if dash is None else (0, dash.in_file)


def _points(axes: "Axes", mark: PointSeries, common: Style) -> None:
    colour = LIGHT[mark.colour]
    look = LOOKS[mark.look]
    axes.scatter(
        mark.x,
        mark.y,
        s=(mark.size * 0.8) ** 2,
        marker=MARKERS[mark.marker],
        facecolors=colour if look.filled else "none",
        edgecolors=LIGHT.get(look.edge, colour),
        linewidths=look.width_in_file,
        alpha=look.opacity,
        rasterized=len(mark.x) > MANY,
        **common,
    )
    label: Style = {"textcoords": "offset points", "zorder": 50, "fontweight": "bold"}
    if mark.numbers:
        from matplotlib.patheffects import withStroke

        label["path_effects"] = [withStroke(linewidth=HALO, foreground=LIGHT["paper"])]
    for x, y, number in zip(mark.x, mark.y, mark.numbers, strict=False):
        axes.annotate(number, (x, y), (7, 5), **label)


def _bars(axes: "Axes", mark: Bars, common: Style) -> None:
    axes.bar(
        mark.left,
        mark.top,
        width=mark.right - mark.left,
        align="edge",
        color=LIGHT[mark.colour],
        edgecolor=LIGHT["paper"],
        linewidth=0.5 if len(mark.top) < 200 else 0.0,
        hatch="////" if mark.hatched else None,
        **common,
    )
