"""The data in the plane, with the separating line and the band around it that holds no row."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.report import views
from novikoff.report.examples import Examples, Places, drawn
from novikoff.report.geometry import beyond, clipped, corners, crossing, xy
from novikoff.report.picture import Line, Mark, Numbers, Patch, Picture, Points, Rule, number
from novikoff.report.views import View

Mask = npt.NDArray[np.bool_]

COLOURS, MARKERS = ("blue", "red"), ("circle", "triangle")  # of the rows of sign -1 and of +1
RING = 1.7  # times as large as what it is around
#: Up to so many rows, how large a mark is.
SIZES = ((60, 11.0), (400, 9.0), (1500, 7.0))
SMALLEST = 5.5
CROWD = 100  # marks around rows that would hide each other
NOBODY = np.empty(0, np.int64)
EMPTY = "the margin: no row is within"


class Separator(NamedTuple):
    """A hyperplane, weights . x + intercept = 0, and the margins that all rows have from it.

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
        """The score of a row over |w|, as the axis of a picture has it."""
        rows = "x / ‖(x, 1)‖" if self.scaled and self.lifted else "x / ‖x‖" if self.scaled else "x"
        if self.scaled:
            return f"w·{rows} / ‖w‖"
        if self.lifted:
            return "(w·x + b) / ‖(w, b)‖"
        return "(w·x + b) / ‖w‖" if self.intercept else "w·x / ‖w‖"


class Marked(NamedTuple):
    """Rows to point out, and what they are called."""

    rows: Places
    name: str


def separated(
    examples: Examples, separator: Separator, marked: Marked, strict: Mask | None = None
) -> Picture:
    """Rows on both sides of a hyperplane.

    strict: where some rows can only be on the hyperplane, which ones need not be.
    """
    margins = separator.margins
    shown = drawn(examples.total, marked.rows, margins)
    view, marks = _seen(examples, separator, shown.rows)
    marks += class_marks(examples, view, shown.rows, margins, strict)
    wrong = np.flatnonzero(margins[shown.rows] < 0.0)
    ringed = np.flatnonzero(np.isin(shown.rows, marked.rows))
    for chosen, name, marker, look in (
        (wrong, "on the wrong side", "square", "thin" if len(wrong) > CROWD else "hollow"),
        (ringed, marked.name, "circle", "hollow"),
    ):
        if len(chosen):  # around marks that say what they are
            where = view.x[chosen], view.y[chosen]
            size = RING * marker_size(len(shown.rows))
            marks.append(Points(*where, name, "ink", marker, size, look))
    caption = joined(view.about, _of_band(separator, examples), shown.note)
    return in_view("The data and the separator", view, marks, caption, _alt(examples, len(wrong)))


def scattered(examples: Examples) -> Picture:
    """Rows of which nothing is known."""
    shown = drawn(examples.total, NOBODY, None)
    view = views.plain(examples, shown.rows)
    marks = class_marks(examples, view, shown.rows, None)
    caption = joined(view.about, "No line is drawn, because none is known.", shown.note)
    return in_view("The data", view, marks, caption, _alt(examples, 0))


def _seen(examples: Examples, separator: Separator, rows: Places) -> tuple[View, list[Mark]]:
    """The view, with the hyperplane and its band in it."""
    weights, offset = separator.weights, separator.intercept
    reach = None if separator.scaled else separator.gamma
    if examples.features == 2 and weights.any():
        view = views.two_features(examples, rows)
        return view, _in_the_plane(view, weights, offset, reach)
    if examples.features == 1 and weights.any():
        view = views.one_feature(examples, rows)
        width = None if reach is None else reach / abs(float(weights[0]))
        return view, _upright(-offset / float(weights[0]), width, view)
    scores = separator.margins * examples.signs
    view = views.along(examples, rows, scores, weights, separator.formula)
    return view, _upright(0.0, separator.gamma, view)


def _in_the_plane(view: View, weights: Numbers, offset: float, reach: float | None) -> list[Mark]:
    box = beyond(view.frame)
    marks: list[Mark] = []
    if reach is not None:
        strip = clipped(clipped(corners(box), weights, offset + reach), -weights, reach - offset)
        if len(strip) > 2:
            marks.append(Patch(*xy(strip), EMPTY, "grey"))
    ends = crossing(box, weights, offset)
    if len(ends) == 2:
        name = f"the separating line, w·x{' + b' if offset else ''} = 0"
        marks.append(Line(*xy(ends), name, "ink"))
    return marks


def _upright(place: float, width: float | None, view: View) -> list[Mark]:
    marks: list[Mark] = []
    if width is not None:
        heights = beyond(view.frame)[1]
        box = corners(((place - width, place + width), heights))
        marks.append(Patch(*xy(box), EMPTY, "grey"))
    return [*marks, Rule(place, "the separating hyperplane", "ink", "solid", upright=True)]


def class_marks(
    examples: Examples,
    view: View,
    rows: Places,
    margins: Numbers | None,
    strict: Mask | None = None,
    look: str = "plain",
) -> list[Mark]:
    """The rows of each class; those that can only be on the hyperplane as hollow marks."""
    marks: list[Mark] = []
    free = np.ones(len(rows), np.bool_) if strict is None else strict[rows]
    for side in (0, 1):
        for hollow in (False, True):
            ours = (examples.signs[rows] > 0) == bool(side)
            chosen = np.flatnonzero(ours & (free != hollow))
            if not len(chosen):
                continue
            name = examples.sides[side] + (", held on the hyperplane" if hollow else "")
            told = examples.hover(rows[chosen], margins)
            where = view.x[chosen], view.y[chosen]
            size, seen = marker_size(len(rows)), "hollow" if hollow else look
            mark = Points(*where, name, COLOURS[side], MARKERS[side], size, seen, told)
            marks.append(mark)
    return marks


def marker_size(rows: int) -> float:
    """The size of a mark, which many rows must share the room with."""
    return next((size for most, size in SIZES if rows <= most), SMALLEST)


def _of_band(separator: Separator, examples: Examples) -> str:
    if separator.gamma is None:
        return ""
    gamma = number(separator.gamma)
    if examples.features > 2:
        return f"The band reaches as far as the margin, {gamma} to either side."
    if separator.scaled:
        return "Margins are those of rows scaled to length 1: no band of this plane shows them."
    if separator.lifted:
        return (
            f"The band is where |w·x + b| / ‖(w, b)‖ is below the margin, {gamma}: the intercept"
            " counts as a coordinate."
        )
    return f"The band reaches as far as the margin, {gamma} to either side."


def in_view(title: str, view: View, marks: list[Mark], caption: str, alt: str) -> Picture:
    """A picture of some marks in a view."""
    labels = view.x_label, view.y_label
    picture = Picture(title, *labels, marks, caption, alt)
    return picture._replace(equal=view.equal, bare_y=view.bare_y, frame=view.frame)


def joined(*sentences: str) -> str:
    """The sentences that say something, in a row."""
    return " ".join(filter(None, sentences))


def _alt(examples: Examples, wrong: int) -> str:
    low, high = int((examples.signs < 0).sum()), int((examples.signs > 0).sum())
    sides = f"{low:,} rows with {examples.sides[0]} and {high:,} with {examples.sides[1]}"
    side = f", {wrong:,} of those drawn on the wrong side" if wrong else ""
    return f"Scatter plot of {sides}{side}."
