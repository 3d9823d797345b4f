"""The data in the plane, with the separating line and the band around it that holds no row."""

from typing import NamedTuple

import numpy as np

from novikoff.report.charts import projections
from novikoff.report.charts.geometry import box_crossings, clip, corners, enlarged_box, xy
from novikoff.report.charts.projections import Projection
from novikoff.report.model import (
    Box,
    Figure,
    Indices,
    Line,
    Mark,
    Mask,
    Numbers,
    Patch,
    PointSeries,
    ReferenceLine,
    number,
)
from novikoff.report.row_info import RowInfo, rows_to_draw

COLOURS, MARKERS = ("blue", "red"), ("circle", "triangle")  # of the rows of sign -1 and of +1
RING = 1.7  # times as large as what it is around
#: The size of a mark, for up to each number of rows.
SIZES = ((60, 11.0), (400, 9.0), (1500, 7.0))
SMALLEST = 5.5
CROWD = 100  # rows on the wrong side, beyond which thick marks would hide each other
EMPTY = "the margin: no row is within"
EMPTY_LIFTED = "the margin of the lifted rows (x, 1): no row is within"


class Separator(NamedTuple):
    """A hyperplane, weights . x + intercept = 0, and the margins of all rows.

    A margin is sign * score / |w|; weights and intercept are divided by the same |w|.
    """

    weights: Numbers  # of the features
    intercept: float
    margins: Numbers
    gamma: float | None  # of the nearest rows; None if some are not on their own side
    lifted: bool  # the intercept counts in |w|
    scaled: bool  # rows are taken at length 1

    @property
    def formula(self) -> str:
        """The score of a row over |w|, as the label of an axis."""
        rows = "x / ‖(x, 1)‖" if self.scaled and self.lifted else "x / ‖x‖" if self.scaled else "x"
        if self.scaled:
            return f"w·{rows} / ‖w‖"
        if self.lifted:
            return "(w·x + b) / ‖(w, b)‖"
        return "(w·x + b) / ‖w‖" if self.intercept else "w·x / ‖w‖"


class MarkedRows(NamedTuple):
    """Rows to point out, and their name in the legend."""

    rows: Indices
    name: str


NOTHING_MARKED = MarkedRows(np.empty(0, np.int64), "")


def separator_figure(
    examples: RowInfo, separator: Separator, marked: MarkedRows, strict: Mask | None = None
) -> Figure:
    """Rows, a hyperplane and the band around it that holds no row.

    strict: whether each row can be strictly on its side, where not all can.
    """
    margins = separator.margins
    shown = rows_to_draw(examples.row_count, marked.rows, margins)
    view, marks = _hyperplane_marks(examples, separator, shown.rows, strict is not None)
    marks += class_marks(examples, view, shown.rows, margins, strict)
    wrong = np.flatnonzero(margins[shown.rows] < 0.0)
    ringed = np.flatnonzero(np.isin(shown.rows, marked.rows))
    look = "thin" if len(wrong) > CROWD else "hollow"
    marks += _outlines(view, wrong, "on the wrong side", "square", look)
    marks += _outlines(view, ringed, marked.name, "circle")
    caption = join_sentences(view.about, _band_caption(separator, examples), shown.note)
    separates = strict is None and not (margins < 0.0).any()
    title = f"The data and the {'separator' if separates else 'hyperplane'}"
    return projected_figure(title, view, marks, caption, _alt(examples, len(wrong)))


def scatter_figure(
    examples: RowInfo,
    marked: MarkedRows = NOTHING_MARKED,
    note: str = "No line is drawn, because none is known.",
) -> Figure:
    """Rows without a hyperplane."""
    shown = rows_to_draw(examples.row_count, marked.rows, None)
    view = projections.data_projection(examples, shown.rows)
    ringed = np.flatnonzero(np.isin(shown.rows, marked.rows))
    marks = class_marks(examples, view, shown.rows, None)
    marks += _outlines(view, ringed, marked.name, "circle")
    caption = join_sentences(view.about, note, shown.note)
    return projected_figure("The data", view, marks, caption, _alt(examples, 0))


def _outlines(
    view: Projection, chosen: Indices, name: str, marker: str, look: str = "hollow"
) -> list[Mark]:
    """Marks around points that have marks of their own, which say what they are."""
    if not len(chosen):
        return []
    size = RING * marker_size(len(view.x))
    return [PointSeries(view.x[chosen], view.y[chosen], name, "ink", marker, size, look)]


def _hyperplane_marks(
    examples: RowInfo, separator: Separator, rows: Indices, held: bool
) -> tuple[Projection, list[Mark]]:
    """The projection, and the marks of the hyperplane and its band in it. held: rows lie on it."""
    weights, offset = separator.weights, separator.intercept
    reach = None if separator.scaled else separator.gamma
    if examples.feature_count == 2 and weights.any():
        view = projections.two_features(examples, rows)
        name = f"{_hyperplane_name('line', separator, held)}, w·x{' + b' if offset else ''} = 0"
        style = LineStyle(name, EMPTY_LIFTED if separator.lifted else EMPTY)
        return view, line_and_band(view.frame, weights, offset, reach, style)
    if examples.feature_count == 1 and weights.any():
        view = projections.one_feature(examples, rows)
        width = None if reach is None else reach / abs(float(weights[0]))
        place = -offset / float(weights[0])
        return view, _upright_marks(place, width, view, _hyperplane_name("point", separator, held))
    scores = separator.margins * examples.signs
    view = projections.along_normal(examples, rows, scores, weights, separator.formula)
    name = _hyperplane_name("hyperplane", separator, held)
    return view, _upright_marks(0.0, separator.gamma, view, name)


def _hyperplane_name(kind: str, separator: Separator, held: bool) -> str:
    """The name of a line or hyperplane: only one with every row strictly on its side separates."""
    if (separator.margins < 0.0).any():
        return f"the {kind} of these weights"
    return f"a {kind} with no row on its wrong side" if held else f"the separating {kind}"


class LineStyle(NamedTuple):
    """The names and looks of a line and of the band around it."""

    name: str
    band: str
    colour: str = "ink"
    dash: str = "solid"
    fill: str = "grey"


def line_and_band(
    frame: Box, weights: Numbers, offset: float, reach: float | None, style: LineStyle
) -> list[Mark]:
    """The line weights . x + offset = 0, and the band where |weights . x + offset| < reach."""
    box = enlarged_box(frame)
    marks: list[Mark] = []
    if reach is not None:
        strip = clip(clip(corners(box), weights, offset + reach), -weights, reach - offset)
        if len(strip) > 2:
            marks.append(Patch(*xy(strip), style.band, style.fill))
    ends = box_crossings(box, weights, offset)
    if len(ends) == 2:
        marks.append(Line(*xy(ends), style.name, style.colour, style.dash))
    return marks


def _upright_marks(place: float, width: float | None, view: Projection, name: str) -> list[Mark]:
    marks: list[Mark] = []
    if width is not None:
        heights = enlarged_box(view.frame)[1]
        box = corners(((place - width, place + width), heights))
        marks.append(Patch(*xy(box), EMPTY, "grey"))
    return [*marks, ReferenceLine(place, name, "ink", "solid", upright=True)]


def class_marks(
    examples: RowInfo,
    view: Projection,
    rows: Indices,
    margins: Numbers | None,
    strict: Mask | None = None,
    look: str = "plain",
) -> list[Mark]:
    """The rows of each class; those that can be on the hyperplane only are hollow."""
    marks: list[Mark] = []
    free = np.ones(len(rows), np.bool_) if strict is None else strict[rows]
    for side in (0, 1):
        for hollow in (False, True):
            ours = (examples.signs[rows] > 0) == bool(side)
            chosen = np.flatnonzero(ours & (free != hollow))
            if not len(chosen):
                continue
            name = examples.sides[side] + (", held on the hyperplane" if hollow else "")
            hover = examples.hover(rows[chosen], margins)
            where = view.x[chosen], view.y[chosen]
            size, seen = marker_size(len(rows)), "hollow" if hollow else look
            mark = PointSeries(*where, name, COLOURS[side], MARKERS[side], size, seen, hover)
            marks.append(mark)
    return marks


def marker_size(rows: int) -> float:
    """The size of the marks of some rows: the more, the smaller."""
    return next((size for most, size in SIZES if rows <= most), SMALLEST)


def _band_caption(separator: Separator, examples: RowInfo) -> str:
    if separator.gamma is None:
        return ""
    gamma = number(separator.gamma)
    if examples.feature_count > 2:
        return f"The band reaches as far as the margin, {gamma} to either side."
    if separator.scaled:
        return "Margins are those of rows scaled to length 1: no band of this plane shows them."
    if separator.lifted:
        return (
            f"The band is where |w·x + b| / ‖(w, b)‖ is below the margin, {gamma}: the intercept"
            " counts as a coordinate."
        )
    return f"The band reaches as far as the margin, {gamma} to either side."


def projected_figure(
    title: str, view: Projection, marks: list[Mark], caption: str, alt: str
) -> Figure:
    """A figure of some marks, with the axes of a projection."""
    labels = view.x_label, view.y_label
    picture = Figure(title, *labels, marks, caption, alt)
    return picture._replace(equal=view.equal, bare_y=view.bare_y, frame=view.frame)


def join_sentences(*sentences: str) -> str:
    """Join the sentences that are not empty."""
    return " ".join(filter(None, sentences))


def _alt(examples: RowInfo, wrong: int) -> str:
    low, high = int((examples.signs < 0).sum()), int((examples.signs > 0).sum())
    sides = f"{low:,} rows with {examples.sides[0]} and {high:,} with {examples.sides[1]}"
    side = f", {wrong:,} of those drawn on the wrong side" if wrong else ""
    return f"Scatter plot of {sides}{side}."
