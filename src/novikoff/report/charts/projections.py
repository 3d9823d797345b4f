"""Projections of rows to the plane, and the meaning of their axes.

Two features are their own plane. Of more, a figure shows the separator's direction, score / |w|,
against the direction at right angles to it in which the rows spread most; rows in conflict are
shown in the plane in which they themselves spread most. All of these are linear, so that a point
within a hull is seen within it.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.number_text import joined_words
from novikoff.report.model import Box, Indices, Numbers, array, extent, shorten
from novikoff.report.row_info import RowInfo, dense

DENSE = 400  # features up to which directions come from the covariance matrix
ROUNDS = 60  # of the power method, beyond that
NOTHING = 1e-12  # of the whole spread: no direction, but rounding
NAMED = 3  # features that an axis names
LEVEL = 4.0  # how much longer one axis may be than the other for both to have one scale
JITTER = 0.6  # of the space between two lanes

#: A dense or CSR matrix in products and sums, for which SciPy has no types.
Products: TypeAlias = Any


class Projection(NamedTuple):
    """Coordinates of the rows drawn. `signed`: rows of sign -1 are seen mirrored at the origin."""

    x: Numbers
    y: Numbers
    x_label: str
    y_label: str
    about: str  # a sentence on what is seen
    bare_y: bool = False
    signed: bool = False

    @property
    def frame(self) -> Box:
        """The ranges of the axes, with room around the rows."""
        return extent(self.x), extent(self.y)

    @property
    def equal(self) -> bool:
        """Whether both axes can have the same scale."""
        wide, high = (float(np.ptp(each)) if len(each) else 0.0 for each in (self.x, self.y))
        return not self.bare_y and 0.0 < wide <= LEVEL * high and high <= LEVEL * wide


def two_features(examples: RowInfo, rows: Indices) -> Projection:
    """The features themselves."""
    points = dense(examples.points(rows))
    return Projection(
        points[:, 0],
        points[:, 1],
        examples.feature_name(0),
        examples.feature_name(1),
        "The axes are the two features.",
    )


def one_feature(examples: RowInfo, rows: Indices) -> Projection:
    """One feature; each class on a lane of its own, with jitter so that rows do not hide."""
    points = dense(examples.points(rows))
    return Projection(
        points[:, 0],
        class_lanes(examples, rows),
        examples.feature_name(0),
        " below, ".join(examples.sides) + " above",
        "There is one feature; the height only keeps rows and classes apart.",
        bare_y=True,
    )


def class_lanes(examples: RowInfo, rows: Indices) -> Numbers:
    """A height for each row that shows its class only."""
    jitter = np.random.default_rng(0).uniform(-JITTER / 2, JITTER / 2, examples.row_count)
    return array(examples.signs[rows] * 0.5 + jitter[rows])


def along_normal(
    examples: RowInfo, rows: Indices, scores: Numbers, weights: Numbers, formula: str
) -> Projection:
    """score / |w| of each row, against the spread at right angles to the weights.

    weights: those of the features. scores: of all rows, already divided by |w|, by the formula.
    """
    points: Products = examples.points(rows)
    sideways = leading_direction(points, [weights])
    label = f"distance from the hyperplane, {formula}"
    if sideways is None:
        height = class_lanes(examples, rows)
        about = "The height only keeps rows and classes apart: nothing else varies."
        return Projection(scores[rows], height, label, "", about, bare_y=True)
    return Projection(
        array(scores[rows]),
        array(points @ sideways),
        label,
        f"spread at right angles to w ({_direction_text(examples, sideways)})",
        "Left to right is the distance from the hyperplane, to the right where the score is"
        " positive; upwards is the direction at right angles in which the rows spread most.",
    )


def conflict_projection(
    examples: RowInfo, rows: Indices, conflict: Indices, signed: bool
) -> Projection:
    """The plane in which the rows of a conflict spread most, filled up from all rows drawn.

    signed: the hyperplane goes through the origin, and so do the directions.
    """
    points: Products = examples.points(rows)
    chosen = dense(examples.points(conflict))
    if signed:
        points = points * examples.signs[rows][:, None]
        chosen = chosen * examples.signs[conflict][:, None]
    directions: list[Numbers] = []
    for cloud in (chosen, chosen, points, points):
        if len(directions) < 2:
            found = leading_direction(cloud, directions, centred=not signed)
            directions += [] if found is None else [found]
    while len(directions) < 2:
        directions.append(np.zeros(examples.feature_count))
    first, second = directions
    words = "signed rows" if signed else "rows"
    mirror = f" Rows with {examples.sides[0]} are mirrored at the origin." if signed else ""
    return Projection(
        array(points @ first),
        array(points @ second),
        f"first direction ({_direction_text(examples, first)})",
        f"second direction ({_direction_text(examples, second)})",
        f"This is a projection of {examples.feature_count:,} features on the plane in which the"
        f" {words} of the conflict spread most; rows that look close need not be.{mirror}",
        signed=signed,
    )


def mirrored_projection(examples: RowInfo, rows: Indices, view: Projection) -> Projection:
    """A projection with the rows of sign -1 mirrored at the origin."""
    signs = array(examples.signs[rows])
    return view._replace(
        x=view.x * signs,
        y=view.y if view.bare_y else view.y * signs,
        about=f"{view.about} Rows with {examples.sides[0]} are mirrored at the origin, so that a"
        " hyperplane through it would have to have all rows on one side.",
        signed=True,
    )


def data_projection(examples: RowInfo, rows: Indices) -> Projection:
    """One or two features as they are; of more, the two directions in which they spread most."""
    if examples.feature_count == 1:
        return one_feature(examples, rows)
    if examples.feature_count == 2:
        return two_features(examples, rows)
    view = conflict_projection(examples, rows, rows[:0], signed=False)
    return view._replace(
        about=f"This is a projection of {examples.feature_count:,} features on the two directions"
        " in which the rows spread most; rows that look close need not be.",
    )


def leading_direction(
    points: Products, away: list[Numbers], centred: bool = True
) -> Numbers | None:
    """The unit vector along which points spread most, of those orthogonal to the `away`.

    None if they do not spread there at all.
    """
    if not points.shape[0]:
        return None
    largest = float(abs(points).max()) or 1.0
    points = points / largest
    centre = np.ravel(points.mean(axis=0)) if centred else np.zeros(points.shape[1])
    away = [each for each in away if each.any()] or [np.empty((points.shape[1], 0))]
    frame = np.linalg.qr(np.column_stack(away))[0]
    whole = float((points.multiply(points) if hasattr(points, "tocsr") else points**2).sum())
    if points.shape[1] <= DENSE:
        found = _by_covariance(dense(points) - centre, frame)
    else:
        found = _by_power(points, centre, frame)
    spread = float(np.linalg.norm(points @ found - centre @ found)) ** 2
    if not spread > NOTHING * whole:
        return None
    return found if found[np.argmax(np.abs(found))] > 0.0 else -found


def _by_covariance(points: Numbers, frame: Numbers) -> Numbers:
    rest = points - (points @ frame) @ frame.T
    return array(np.linalg.eigh(rest.T @ rest)[1][:, -1])


def _by_power(points: Products, centre: Numbers, frame: Numbers) -> Numbers:
    found = np.random.default_rng(0).standard_normal(len(centre))
    for _ in range(ROUNDS):
        found -= frame @ (frame.T @ found)
        size = float(np.linalg.norm(found))
        if size == 0.0:
            return found
        found /= size
        scores = points @ found - centre @ found
        found = array(points.T @ scores) - centre * scores.sum()
    found -= frame @ (frame.T @ found)
    return array(found / (np.linalg.norm(found) or 1.0))


def _direction_text(examples: RowInfo, direction: Numbers) -> str:
    """The main features of a direction."""
    sizes = np.abs(direction)
    largest = np.argsort(-sizes, kind="stable")[:NAMED]
    kept = [int(j) for j in largest if sizes[j] > 0.2 * sizes[largest[0]]]
    if not kept:
        return "no spread"
    words = joined_words([shorten(examples.feature_name(j), 24) for j in kept])
    return f"{'mostly ' if (sizes > 0).sum() > len(kept) else ''}{words}"
