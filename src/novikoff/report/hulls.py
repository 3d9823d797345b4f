"""Why nothing separates: the hulls of a conflict's rows meet.

With an intercept, the multipliers of a conflict make the same point of either class,

    sum of multiplier * x / sum of multipliers   over its positive rows = over its negative rows,

so that both hulls hold it. Without one, they make the origin of the signed rows sign * x.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.report import views
from novikoff.report.examples import Examples, Places, drawn
from novikoff.report.geometry import hull, weighted, xy
from novikoff.report.picture import Mark, Numbers, Patch, Picture, Points, Rule, array
from novikoff.report.planes import COLOURS, MARKERS, Mask, class_marks, in_view, joined
from novikoff.report.views import View

BIG, STAR = 14.0, 19.0
NUMBERED = 30  # rows whose numbers still find room
LONG = 20  # characters of a multiplier that are still worth reading


class Conflict(NamedTuple):
    """Rows and multipliers that cancel out, and where the rows are seen."""

    rows: Places
    shares: list[Fraction]
    points: Numbers  # one point of the plane for each row
    positive: Mask  # whether each row is


def crossing_hulls(
    examples: Examples, conflict: Sequence[tuple[int, Fraction]], bias: bool
) -> Picture:
    """All rows, with those of the conflict marked and numbered, and their hulls."""
    rows = np.array([row for row, _ in conflict], np.int64)
    shown = drawn(examples.total, rows, None)
    view = _view(examples, shown.rows, rows, signed=not bias)
    places = np.searchsorted(shown.rows, rows)
    points = np.column_stack([view.x[places], view.y[places]])
    found = Conflict(rows, [share for _, share in conflict], points, examples.signs[rows] > 0)
    hulls = _hulls(examples, view, found)
    rest = ~np.isin(shown.rows, rows)
    others = view._replace(x=view.x[rest], y=view.y[rest])
    marks = [
        *class_marks(examples, others, shown.rows[rest], None, look="faint"),
        *hulls.patches,
        *_numbered(examples, found),
        *hulls.meeting,
    ]
    caption = joined(hulls.about, view.about, shown.note)
    alt = (
        f"Scatter plot of {examples.total:,} rows of two classes that no hyperplane separates. The"
        f" {len(rows)} rows of the conflict are marked. {hulls.about}"
    )
    return in_view("Why nothing separates them", view, marks, caption, alt)


def _view(examples: Examples, rows: Places, conflict: Places, signed: bool) -> View:
    if examples.features <= 2:
        view = views.plain(examples, rows)
        return views.mirrored(examples, rows, view) if signed else view
    return views.of_conflict(examples, rows, conflict, signed)


class Hulls(NamedTuple):
    """The hulls of a conflict, where they meet, and a sentence on it."""

    patches: list[Mark]
    meeting: list[Mark]
    about: str


def _hulls(examples: Examples, view: View, found: Conflict) -> Hulls:
    if any(share <= 0 for share in found.shares):
        return Hulls([], [], "So multiplied, the numbered rows cancel out.")
    if view.signed:
        return _around_origin(view, found)
    patches: list[Mark] = []
    for side in (0, 1):
        name = f"hull of the conflict's rows with {examples.sides[side]}"
        ours = found.points[found.positive == side]
        if view.bare_y:
            ours = np.column_stack([ours[:, 0], np.full(len(ours), side - 0.5)])
        if len(ours):
            patches.append(Patch(*xy(hull(ours)), name, COLOURS[side]))
    shares = [share for share, up in zip(found.shares, found.positive, strict=True) if up]
    where = weighted(found.points[found.positive == 1], shares)
    return Hulls(
        patches,
        [_meeting(view, where, "the point that both hulls hold")],
        _of_point(examples, "at the dotted line" if view.bare_y else "with the star"),
    )


def _of_point(examples: Examples, where: str) -> str:
    both = f"A hull is all that its rows can be mixed to. Both hold the point {where}"
    if examples.noun == "count":
        return (
            f"{both}: a hyperplane that holds every row with a count holds it, too, and so it has"
            " none of these zeros apart."
        )
    return f"{both}, and no hyperplane has one point on both of its sides."


def _around_origin(view: View, found: Conflict) -> Hulls:
    points = found.points
    if view.bare_y:
        points = np.column_stack([points[:, 0], np.zeros(len(points))])
    patch = Patch(*xy(hull(points)), "hull of the conflict's signed rows", "purple")
    return Hulls(
        [patch],
        [_meeting(view, array([0.0, 0.0]), "the origin")],
        "The hull of the conflict's signed rows holds the origin, so that no hyperplane through it"
        " has them all on one side.",
    )


def _meeting(view: View, where: Numbers, name: str) -> Mark:
    if view.bare_y:
        return Rule(float(where[0]), name, "ink", "dotted", upright=True)
    told = {"point": [name]}
    return Points(where[:1], where[1:], name, "ink", "star", STAR, "hollow", told)


def _numbered(examples: Examples, found: Conflict) -> list[Mark]:
    marks: list[Mark] = []
    for side in (0, 1):
        ours = np.flatnonzero(found.positive == side)
        if not len(ours):
            continue
        told = examples.hover(found.rows[ours], None)
        told["multiplier"] = [multiplier(found.shares[k]) for k in ours]
        numbers = [str(k + 1) for k in ours] if len(found.rows) <= NUMBERED else []
        name = f"in the conflict, {examples.sides[side]}"
        style = COLOURS[side], MARKERS[side]
        mark = Points(*xy(found.points[ours]), name, *style, hover=told, numbers=numbers)
        marks.append(mark._replace(size=BIG, look="outlined"))
    return marks


def multiplier(share: Fraction) -> str:
    """A multiplier as people read it."""
    if max(abs(share.numerator), share.denominator) < 10 ** (LONG // 2):
        return str(share)
    try:
        return f"about {float(share):.4g}"
    except OverflowError:
        return "beyond 1e308"
