"""The widest band of the plane itself: half the distance between the hulls of two classes."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.lab.page_data import page_data
from novikoff.lab.plane.plane_margin import plane_margin
from novikoff.lab.plane_image import plane_figure
from novikoff.lab.state.row_orders import rows_of
from novikoff.lab.state.url_values import Point
from novikoff.report.model import Line
from tests.helpers.examples import examples

QUARTERS = st.integers(-24, 24).map(lambda k: k / 4.0)
POINTS = st.lists(
    st.builds(Point, QUARTERS, QUARTERS, st.sampled_from([-1, 1])), min_size=2, max_size=9
)


def between_segments(points, ends):
    """The least distance of some points from the segments between any two of some others."""
    found = []
    for p, (a, b) in itertools.product(points, itertools.product(ends, repeat=2)):
        length = (b - a) @ (b - a)
        part = 0.0 if length == 0.0 else np.clip((p - a) @ (b - a) / length, 0.0, 1.0)
        found.append(np.linalg.norm(p - a - part * (b - a)))
    return min(found)


@given(POINTS)
@examples(60)
def test_it_is_half_the_distance_between_the_classes(points):
    X, y = rows_of(tuple(points))
    assume(len({*y.tolist()}) == 2)
    found = plane_margin(tuple(points))
    if nk.check(X, y).outcome != "separable":
        assert found is None
        return
    low, high = X[y < 0], X[y > 0]
    expected = min(between_segments(low, high), between_segments(high, low)) / 2.0
    assert found["reach"] == pytest.approx(expected)
    *w, b = found["line"]
    assert np.hypot(*w) == pytest.approx(1.0)
    assert (y * (X @ w + b)).min() == pytest.approx(expected)


def test_where_it_differs_from_the_margin_of_the_lifted_rows():
    scene = page_data("preset=loose", charts=False)
    verdict = scene["verdict"]
    assert verdict["reach"] == pytest.approx(0.354, abs=1e-3)
    assert verdict["unlifted"]["reach"] == pytest.approx(0.4, abs=1e-3)
    names = [mark.name for mark in plane_figure(scene, 0).marks if isinstance(mark, Line)]
    assert f"γ = {verdict['gamma']}" in " ".join(names)
    for without in ("preset=loose&bias=no", "preset=loose&unit=yes", "preset=xor"):
        assert page_data(without, charts=False)["verdict"]["unlifted"] is None
