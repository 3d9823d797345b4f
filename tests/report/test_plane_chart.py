"""The plane: the separator, its band, its support, and projections of more features."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.report.charts import projections
from novikoff.report.model import Line, Patch, PointSeries, axis_ranges
from novikoff.report.pages import check as check_page_module
from novikoff.report.row_info import RowInfo
from tests.helpers.examples import examples
from tests.helpers.reports import check_page, named, of_kind


@given(st.integers(0, 10**6), st.booleans())
@examples(30)
def test_the_line_is_the_separator_and_the_band_is_the_margin(seed, bias):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((15, 2)) * [1.0, rng.choice([0.1, 1.0, 30.0])]
    y = (X @ [1.0, rng.normal()] > (0.1 if bias else 0.0)).astype(int)
    assume(0 < y.sum() < 15)
    verdict, page = check_page(X, y, fit_intercept=bias)
    picture = page.pictures[0]
    (line,) = of_kind(picture, Line)
    (band,) = of_kind(picture, Patch)
    size = np.linalg.norm([*verdict.weights, verdict.intercept])
    at = verdict.weights @ [line.x, line.y] + verdict.intercept
    far = np.abs(verdict.weights) @ np.abs([line.x, line.y]) + abs(verdict.intercept)
    assert np.abs(at).max() <= 1e-9 * far.max()
    assert len(line.x) == 2
    edge = np.abs(verdict.weights @ [band.x, band.y] + verdict.intercept) / size
    assert edge.max() <= verdict.margin.lower * (1 + 1e-6) + 1e-9
    drawn_rows = np.column_stack(
        [
            np.concatenate([m.x for m in of_kind(picture, PointSeries)[:2]]),
            np.concatenate([m.y for m in of_kind(picture, PointSeries)[:2]]),
        ]
    )
    assert sorted(map(tuple, drawn_rows.tolist())) == sorted(map(tuple, X.tolist()))
    (left, right), (low, high) = axis_ranges(picture)
    assert (X.min(axis=0) > [left, low]).all()
    assert (X.max(axis=0) < [right, high]).all()


def test_support_rows_are_those_of_the_proof():
    verdict, page = check_page(nk.open("example:iris-setosa"))
    ring = named(page.pictures[0], "support")
    rows = [row for row, _ in verdict.certificate.witness["support"]]
    score = check_page_module.separator_of(verdict).margins * verdict.signed.signs
    assert sorted(ring.x) == pytest.approx(sorted(score[rows]))
    band = named(page.pictures[0], "no row is within")
    assert (band.x.min(), band.x.max()) == (-verdict.margin.lower, verdict.margin.lower)


def test_more_features_are_seen_along_the_separator_and_across_it():
    X, y = nk.open("example:wdbc").read()[:2]
    verdict = nk.check(X, y)
    shown = RowInfo.of(verdict.signed)
    across = projections.leading_direction(X, [verdict.weights])
    assert across @ verdict.weights == pytest.approx(0, abs=1e-9 * np.linalg.norm(verdict.weights))
    assert np.linalg.norm(across) == pytest.approx(1)
    unit = verdict.weights / np.linalg.norm(verdict.weights)
    rest = X - X.mean(axis=0)
    rest -= np.outer(rest @ unit, unit)
    best = np.linalg.norm(np.linalg.svd(rest)[1][:1])
    assert np.linalg.norm((X - X.mean(axis=0)) @ across) == pytest.approx(best)
    scores = check_page_module.separator_of(verdict).margins * shown.signs
    view = projections.along_normal(shown, np.arange(len(X)), scores, verdict.weights, "")
    assert view.y == pytest.approx(X @ across)
    assert "mostly" in view.y_label


@pytest.mark.parametrize("wide", [False, True])
def test_the_leading_direction_of_dense_and_sparse_rows(wide, monkeypatch):
    monkeypatch.setattr(projections, "DENSE", 0 if wide else 400)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 8)) * [9, 5, 1, 1, 1, 1, 1, 1]
    away = [np.eye(8)[0]]
    found = projections.leading_direction(scipy.sparse.csr_array(X), away)
    assert found == pytest.approx(projections.leading_direction(X, away), abs=1e-4)
    assert abs(found[1]) > 0.9
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert projections.leading_direction(np.ones((5, 8)), []) is None
    assert projections.leading_direction(np.zeros((0, 8)), []) is None


def test_quasi_separable_rows_that_are_held_are_hollow():
    X = [[1, 0], [2, 0], [3, 1], [4, 0], [5, 1], [2, 0]]
    verdict, page = check_page(X, ["no", "yes", "yes", "no", "yes", "no"])
    assert verdict.outcome == "quasi-separable"
    rows = [mark for mark in of_kind(page.pictures[0], PointSeries) if mark.hover]
    held = sum(len(mark.x) for mark in rows if mark.look == "hollow")
    assert held == (~verdict.strict).sum() == 4
    assert sum(len(mark.x) for mark in rows) == 6
    assert all("held" in mark.name for mark in rows if mark.look == "hollow")
    assert "Hollow" in page.sections[0].text
