"""Why nothing separates: the hulls of a conflict's rows meet (see `geometry.conflict_hulls`)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.report.charts import projections
from novikoff.report.charts.geometry import conflict_hulls, xy
from novikoff.report.charts.plane import (
    COLOURS,
    MARKERS,
    class_marks,
    join_sentences,
    projected_figure,
)
from novikoff.report.charts.projections import Projection
from novikoff.report.model import (
    Figure,
    Indices,
    Mark,
    Mask,
    Numbers,
    Patch,
    PointSeries,
    ReferenceLine,
)
from novikoff.report.row_info import RowInfo, rows_to_draw

BIG, STAR = 14.0, 19.0
NUMBERED = 30  # rows whose numbers still find room
LONG = 20  # characters of a multiplier that are still worth reading


class ConflictView(NamedTuple):
    """The rows of a conflict, their multipliers, and their points in the figure."""

    rows: Indices
    shares: list[Fraction]
    points: Numbers  # one point of the plane for each row
    positive: Mask  # whether each row is of the positive class


def conflict_figure(
    examples: RowInfo, conflict: Sequence[tuple[int, Fraction]], bias: bool
) -> Figure:
    """All rows, with those of the conflict marked and numbered, and their hulls."""
    rows = np.array([row for row, _ in conflict], np.int64)
    shown = rows_to_draw(examples.row_count, rows, None)
    view = _view(examples, shown.rows, rows, signed=not bias)
    places = np.searchsorted(shown.rows, rows)
    points = np.column_stack([view.x[places], view.y[places]])
    found = ConflictView(rows, [share for _, share in conflict], points, examples.signs[rows] > 0)
    hulls = _hulls(examples, view, found)
    rest = ~np.isin(shown.rows, rows)
    others = view._replace(x=view.x[rest], y=view.y[rest])
    marks = [
        *class_marks(examples, others, shown.rows[rest], None, look="faint"),
        *hulls.patches,
        *_numbered_rows(examples, found),
        *hulls.meeting,
    ]
    caption = join_sentences(hulls.about, view.about, shown.note)
    alt = (
        f"Scatter plot of {examples.row_count:,} rows of two classes that no hyperplane separates."
        f" The {len(rows)} rows of the conflict are marked. {hulls.about}"
    )
    return projected_figure("Why nothing separates them", view, marks, caption, alt)


def _view(examples: RowInfo, rows: Indices, conflict: Indices, signed: bool) -> Projection:
    if examples.feature_count <= 2:
        view = projections.data_projection(examples, rows)
        return projections.mirrored_projection(examples, rows, view) if signed else view
    return projections.conflict_projection(examples, rows, conflict, signed)


class HullMarks(NamedTuple):
    """The marks of a conflict's hulls and of their common point, and a sentence about them."""

    patches: list[Mark]
    meeting: list[Mark]
    about: str


def _hulls(examples: RowInfo, view: Projection, found: ConflictView) -> HullMarks:
    if any(share <= 0 for share in found.shares):
        return HullMarks([], [], "With their multipliers the numbered rows sum to zero.")
    points = found.points
    if view.bare_y:  # each class on its lane, and signed rows on one
        heights = np.where(view.signed, 0.0, found.positive - 0.5)
        points = np.column_stack([points[:, 0], heights])
    hulls, where = conflict_hulls(points, found.positive, found.shares, view.signed)
    if view.signed:
        return HullMarks(
            [Patch(*xy(hulls[0]), "hull of the conflict's signed rows", "purple")],
            [_meeting_mark(view, where, "the origin")],
            "The hull of the conflict's signed rows holds the origin, so that no hyperplane through"
            " it has them all on one side.",
        )
    names = (f"hull of the conflict's rows with {side}" for side in examples.sides)
    patches: list[Mark] = [
        Patch(*xy(corners), name, colour)
        for corners, name, colour in zip(hulls, names, COLOURS, strict=True)
        if len(corners)
    ]
    return HullMarks(
        patches,
        [_meeting_mark(view, where, "a point in both hulls")],
        _shared_point_text(examples, "at the dotted line" if view.bare_y else "with the star"),
    )


def _shared_point_text(examples: RowInfo, where: str) -> str:
    both = (
        "The convex hull is the set of all weighted averages of its points. Both contain the point"
        f" {where}"
    )
    if examples.noun == "count":
        return (
            f"{both}: a hyperplane through every row with a count goes through it, too, and so it"
            " sets none of these zeros apart."
        )
    return f"{both}, and no hyperplane has one point on both of its sides."


def _meeting_mark(view: Projection, where: Numbers, name: str) -> Mark:
    if view.bare_y:
        return ReferenceLine(float(where[0]), name, "ink", "dotted", upright=True)
    hover = {"point": [name]}
    return PointSeries(where[:1], where[1:], name, "ink", "star", STAR, "hollow", hover)


def _numbered_rows(examples: RowInfo, found: ConflictView) -> list[Mark]:
    marks: list[Mark] = []
    for side in (0, 1):
        ours = np.flatnonzero(found.positive == side)
        if not len(ours):
            continue
        hover = examples.hover(found.rows[ours], None)
        hover["multiplier"] = [multiplier_text(found.shares[k]) for k in ours]
        numbers = [str(k + 1) for k in ours] if len(found.rows) <= NUMBERED else []
        name = f"in the conflict, {examples.sides[side]}"
        style = COLOURS[side], MARKERS[side]
        mark = PointSeries(*xy(found.points[ours]), name, *style, hover=hover, numbers=numbers)
        marks.append(mark._replace(size=BIG, look="outlined"))
    return marks


def multiplier_text(share: Fraction) -> str:
    """A multiplier as a fraction, or rounded where that is long."""
    if max(abs(share.numerator), share.denominator) < 10 ** (LONG // 2):
        return str(share)
    try:
        return f"about {float(share):.4g}"
    except OverflowError:
        return "beyond 1e308"
