"""The pages of odd verdicts."""

import io

import numpy as np
import pytest
import scipy.sparse
from PIL import Image

import novikoff as nk
from novikoff import report
from novikoff.report.model import PointSeries
from novikoff.report.render.matplotlib import render_file
from tests.helpers.reports import ANSWER, ASKED, named, of_kind


def odd(name):
    rng = np.random.default_rng(5)
    wide = scipy.sparse.random_array((30, 3000), density=0.01, rng=rng, format="csr")
    two = rng.standard_normal((20, 2))
    words = {
        "one feature": ([[1.0], [2.0], [3.0]], [0, 0, 1]),
        "one feature, overlapping": ([[1.0], [2.0], [3.0], [1.5]], [0, 1, 0, 1]),
        "one feature, no bias": ([[1.0], [2.0], [3.0]], [0, 1, 1]),
        "no bias": (two, two @ [1, 2] > 0),
        "unit length": (two, two @ [1, 2] > 0),
        "unit length, many": (rng.standard_normal((8, 6)), np.arange(8) % 2),
        "poisson": ([[1, 0], [2, 0], [1, 0], [3, 1], [2, 1]], [0, 3, 2, 0, 0]),
        "poisson, inseparable": ([[1, 0], [2, 0], [3, 0], [2, 1], [2, -1]], [2, 0, 2, 0, 0]),
        "undecided": nk.open("example:wdbc").read()[:2],
        "wide": (wide, np.arange(30) % 2),
        "huge": (np.array([[1e200, 1], [-1e200, 2], [3e199, -5]]), [0, 1, 0]),
        "twins": ([[1, 2, 3], [1, 2, 3], [0, 0, 1]], [0, 1, 1]),
        "a row of zeros": ([[0, 0], [1, 0], [-1, 0]], [0, 1, 1]),
        "constant": ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], [0, 1, 1]),
    }[name]
    options = {
        "one feature, no bias": {"fit_intercept": False},
        "no bias": {"fit_intercept": False},
        "unit length": {"unit_length": True},
        "unit length, many": {"unit_length": True},
        "poisson": {"family": "poisson"},
        "poisson, inseparable": {"family": "poisson"},
        "undecided": {"time_limit": 0},
        "a row of zeros": {"fit_intercept": False},
    }.get(name, {})
    return nk.check(*words, **options)


@pytest.mark.parametrize(
    ("name", "outcome", "pictures"),
    [
        ("one feature", "separable", 3),
        ("one feature, overlapping", "inseparable", 2),
        ("one feature, no bias", "inseparable", 2),
        ("no bias", "separable", 3),
        ("unit length", "separable", 3),
        ("unit length, many", None, None),
        ("poisson", "quasi-separable", 2),
        ("poisson, inseparable", "inseparable", 1),
        ("undecided", "undecided", 2),
        ("wide", "separable", 3),
        ("huge", "separable", 3),
        ("twins", "quasi-separable", 3),
        ("a row of zeros", "inseparable", 2),
        ("constant", "inseparable", 2),
    ],
)
def test_odd_verdicts_have_sensible_pages(name, outcome, pictures):
    verdict = odd(name)
    page = report.check_page(verdict, ASKED, ANSWER)
    if outcome is not None:
        assert verdict.outcome == outcome
        assert len(page.pictures) == pictures
    first = page.pictures[0]
    rows = [mark for mark in of_kind(first, PointSeries) if "row" in mark.hover]
    assert sum(len(mark.x) for mark in rows) == verdict.rows
    assert all(np.isfinite(mark.x).all() and np.isfinite(mark.y).all() for mark in rows)
    assert first.caption
    assert first.alt
    with Image.open(io.BytesIO(render_file(first, "png"))) as image:
        assert min(image.size) > 500


def test_a_statistician_reads_of_coefficients_and_rows_before_geometry():
    X, y = [[0.0, 1.0], [0, 2], [0, 3], [1, 2], [1, 5]], [0, 1, 0, 1, 1]
    verdict = nk.check(X, y)
    page = report.check_page(verdict, ASKED, ANSWER, coefficients=verdict.coefficients, model=True)
    first, second, third, *_ = page.sections
    headings = [each.heading for each in (first, second, third)]
    assert headings == ["Coefficients", "Separated rows", "For the methods section"]
    assert second.text.startswith("2 rows of 5. More iterations do not help")
    assert second.table.rows == [["column 0 = 1: 2 of 2 are 1", "2", "3, 4"]]
    assert "quasi-complete separation of 2 of 5 observations" in third.text
    plain = report.check_page(verdict, ASKED, ANSWER, coefficients=verdict.coefficients)
    assert plain.sections[0].heading == "The data in the plane"


def test_suspects_are_ringed_and_listed_with_their_reasons():
    X, y = (
        [[0, 1], [1, 2], [2, 1], [6, 0], [7, 1], [8, 2]],
        ["no", "no", "yes", "yes", "yes", "yes"],
    )
    found = nk.suspects(X, y, count=2)
    page = report.check_page(nk.check(X, y), ASKED, ANSWER, suspects=found)
    (section,) = [each for each in page.sections if each.heading == "Suspects"]
    rings = named(section.picture, "suspects")
    assert sorted(rings.x.tolist()) == sorted(X[each.row][0] for each in found)
    assert section.table.columns == [
        "row",
        "label",
        "suggested label",
        "column 0",
        "column 1",
        "reason",
    ]
    assert [line[-1] for line in section.table.rows] == [each.reason for each in found]
    assert section.table.rows[0][:3] == ["row 2", "yes", "no"]
