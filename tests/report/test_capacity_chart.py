"""Cover's curve, and labellings that were tried."""

from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff import cover_count, report
from novikoff.report.charts import capacity
from novikoff.report.model import Line, PointSeries
from novikoff.theory.cover import capacity_curve
from tests.helpers.reports import ANSWER, ASKED, check_page, named, of_kind


@pytest.mark.parametrize(("rows", "features"), [(4, 2), (6, 2), (150, 4), (3, 10)])
def test_the_place_on_covers_curve_is_exact(rows, features):
    rng = np.random.default_rng(rows)
    X = rng.standard_normal((rows, features))
    y = np.arange(rows) % 2
    _, page = check_page(X, y)
    picture = page.pictures[-1]
    star = named(picture, "these data")
    (curve,) = of_kind(picture, Line)
    N = features + 1
    expected = Fraction(cover_count.count(rows, N), 2**rows)
    assert star.x[0] == rows / N
    assert star.y[0] == pytest.approx(float(expected), rel=1e-15)
    assert f"P = {rows:,}" in star.name
    for x, height in zip(curve.x, curve.y, strict=True):
        P = round(x * N)
        assert height == pytest.approx(float(Fraction(cover_count.count(P, N), 2**P)), rel=1e-12)
    said = {
        rows <= N: "says nothing",
        N < rows < 2 * N: "more likely than not be separable",
        rows == 2 * N: "half of the time",
        rows > 2 * N: "Labels at random would hardly ever be separable.",  # and these are not
    }
    assert said[True] in picture.caption


@pytest.mark.parametrize(
    ("P", "N", "separable", "said"),
    [
        (100, 5, True, "hardly ever be separable: that these are means something."),
        (100, 5, None, "hardly ever be separable: if these are, it means something."),
        (100, 5, False, "hardly ever be separable."),
        (10, 4, True, "be separable about 25 % of the time: that these are is weak evidence."),
        (10, 4, None, "be separable about 25 % of the time: if these are, it is weak evidence."),
        (10, 4, False, "be separable about 25 % of the time."),
    ],
)
def test_what_covers_count_means_depends_on_the_share_and_on_what_is_known(P, N, separable, said):
    share = Fraction(cover_count.count(P, N), 2**P)
    assert ("hardly" in said) == (share < Fraction(1, 100))
    assert capacity.capacity_text(P, N, separable).endswith(f"Labels at random would {said}")


def test_dependent_columns_are_no_dimensions():
    X = np.arange(8.0)[:, None] * [1.0, 2.0]
    verdict = nk.check(X, np.arange(8) > 3)
    page = report.check_page(verdict, ASKED, ANSWER, rank=verdict.rank)
    assert named(page.pictures[-1], "these data").x[0] == 8 / 2
    twice = nk.check([[1.0, 2, 3, 4], [2.0, 4, 6, 8]], [0, 1], fit_intercept=False)
    page = report.check_page(twice, ASKED, ANSWER)
    assert named(page.pictures[-1], "these data").x[0] == 2.0


def test_tried_labellings_are_drawn_as_they_were_counted():
    found = [each for N in (3, 6) for each in capacity_curve(N, [1.0, 2.0, 3.0], 20, 0)]
    page = report.cover_page(ASKED, ANSWER, P=12, N=6, capacities=found)
    curve, tried = page.pictures
    assert named(curve, "asked about").y[0] == 0.5
    points = of_kind(tried, PointSeries)
    assert [float(y) for mark in points for y in mark.y] == [each.fraction for each in found]
    bars = [mark for mark in tried.marks if "95 %" in mark.name]
    sides = [(each.lower, each.upper) for each in found]
    assert [side for mark in bars for side in zip(mark.y[::3], mark.y[1::3], strict=True)] == sides
    assert all(np.isnan(mark.y[2::3]).all() for mark in bars)  # nothing is drawn between two
    assert "6 intervals contain Cover's value" in tried.caption
    assert len({mark.marker for mark in points}) == len({mark.colour for mark in points}) == 2
    assert len(page.sections[-1].table.rows) == len(found)
    assert page.sections[-1].table.columns[-1] == "Cover's share"
    assert capacity.data_on_curve(5, capacity.WIDEST + 1, None) is None
    assert report.cover_page(ASKED, ANSWER, P=5, N=0).pictures == []


def test_the_answer_of_tried_labellings_is_what_was_found_at_one_half():
    found = [each for N in (3, 6) for each in capacity_curve(N, [1.0, 2.0, 3.0], 20, 0)]
    halves = [each.separable for each in found if each.P == 2 * each.N]
    assert capacity.trials_text(found) == (
        f"At P = 2N, {halves[0]} of 20 random labellings are separable for N = 3 and {halves[1]}"
        " of 20 random labellings are separable for N = 6; Cover says one half."
    )
    (other,) = capacity_curve(4, [1.5], 20, 0)
    assert capacity.trials_text([other]) == (
        f"{other.separable} of 20 random labellings are separable for N = 4, P = 6 (Cover: 0.812)."
    )
