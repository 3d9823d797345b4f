"""The hulls of a conflict, and the point that both hold."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.report.charts import geometry, projections
from novikoff.report.model import PointSeries
from novikoff.report.row_info import RowInfo
from tests.helpers.examples import examples
from tests.helpers.reports import check_page, named, of_kind


def within(point, corners):
    """Whether a rational point is in the hull with these corners, which turn left."""
    points = [tuple(map(Fraction, corner)) for corner in corners]
    if len(points) == 1:
        return points[0] == point
    turns = [
        (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
        for a, b in zip(points, [*points[1:], points[0]], strict=True)
    ]
    return all(turn >= 0 for turn in turns)


@given(st.integers(0, 10**6))
@examples(40)
def test_both_hulls_hold_the_point_that_the_multipliers_make(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (9, 2)), rng.integers(0, 2, 9)
    assume(0 < y.sum() < 9)
    verdict, page = check_page(X, y)
    assume(verdict.outcome == "inseparable")
    picture = page.pictures[0]
    star = named(picture, "in both hulls")
    exactly = []
    for label in (0, 1):
        terms = [(row, share) for row, share in verdict.conflict if y[row] == label]
        total = sum(share for _, share in terms)
        exactly.append(
            tuple(sum(share * int(X[row][j]) for row, share in terms) / total for j in (0, 1))
        )
        corners = geometry.hull(X[[row for row, _ in terms]].astype(float))
        assert within(exactly[-1], corners)
    assert exactly[0] == exactly[1]
    assert [*star.x, *star.y] == pytest.approx([float(part) for part in exactly[0]], abs=1e-12)
    numbered = [mark for mark in of_kind(picture, PointSeries) if mark.numbers]
    shown = {(x, y) for mark in numbered for x, y in zip(mark.x, mark.y, strict=True)}
    assert shown == {tuple(map(float, X[row])) for row, _ in verdict.conflict}
    numbers = sorted(int(each) for mark in numbered for each in mark.numbers)
    assert numbers == list(range(1, len(verdict.conflict) + 1))


@pytest.mark.parametrize("bias", [True, False])
def test_a_projection_keeps_the_point_within_both_hulls(bias):
    verdict, page = check_page(nk.open("example:iris-versicolor"), fit_intercept=bias)
    picture = page.pictures[0]
    star = named(picture, "in both hulls" if bias else "the origin")
    assert "projection of 4 features" in picture.caption
    numbers = np.array([row for row, _ in verdict.conflict])
    shares = [share for _, share in verdict.conflict]
    shown = RowInfo.of(verdict.signed)
    view = projections.conflict_projection(shown, np.arange(150), numbers, signed=not bias)
    seen = np.column_stack([view.x, view.y])[numbers]
    positive = verdict.signed.signs[numbers] > 0
    if bias:
        for side in (True, False):
            ours = [share for share, up in zip(shares, positive, strict=True) if up == side]
            point = geometry.weighted_mean(seen[positive == side], ours)
            assert point == pytest.approx([star.x[0], star.y[0]], abs=1e-9)
    else:
        assert (star.x[0], star.y[0]) == (0.0, 0.0)
        assert geometry.weighted_mean(seen, shares) == pytest.approx([0, 0], abs=1e-9)
        assert "mirrored" in picture.caption


def test_hulls_of_few_points_and_clipping():
    assert geometry.hull(np.array([[1.0, 2.0], [1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    line = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]])
    assert sorted(geometry.hull(line).tolist()) == [[0.0, 0.0], [2.0, 2.0]]
    square = geometry.corners(((0.0, 1.0), (0.0, 1.0)))
    half = geometry.clip(square, np.array([1.0, 0.0]), -0.5)
    assert half[:, 0].min() == 0.5
    assert len(geometry.box_crossings(((0.0, 1.0), (0.0, 1.0)), np.array([1.0, 0.0]), 5.0)) == 0
