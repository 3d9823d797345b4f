"""Which rows are drawn, and what a row says when it is pointed at."""

import numpy as np
import pytest

import novikoff as nk
from novikoff import report
from novikoff.report import row_info
from novikoff.report.model import Bars, PointSeries
from novikoff.report.row_info import rows_to_draw
from tests.helpers.reports import ANSWER, ASKED, QUASI, check_page, of_kind


def test_of_very_many_rows_those_that_matter_are_drawn_and_the_caption_says_so():
    rng = np.random.default_rng(0)
    found = rng.standard_normal(50_000)
    found[found < 0] *= 1e-3
    found[1000:] = np.abs(found[1000:])
    marked = np.array([7, 49_999])
    chosen = rows_to_draw(50_000, marked, found)
    assert len(chosen.rows) == row_info.MOST
    assert np.isin(marked, chosen.rows).all()
    assert np.isin(np.flatnonzero(found < 0), chosen.rows).all()
    closest = np.argsort(np.abs(found))[: row_info.CLOSEST]
    assert np.isin(closest, chosen.rows).all()
    for words in ("Of 50,000 rows this draws 5,000", "every one on the wrong side", "seed 0"):
        assert words in chosen.note
    assert (rows_to_draw(50_000, marked, found).rows == chosen.rows).all()
    wrong = rows_to_draw(50_000, marked, -np.abs(found))
    assert len(wrong.rows) == row_info.MOST
    assert "2,500 of the 49,698 others on the wrong side" in wrong.note
    assert rows_to_draw(5000, marked, None) == (pytest.approx(np.arange(5000)), "")


def test_a_page_of_many_rows_says_what_it_leaves_out():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 3))
    X[:, 0] += np.sign(X[:, 0])
    _, page = check_page(X, (X[:, 0] > 0).astype(int))
    picture = page.pictures[0]
    rows = [mark for mark in of_kind(picture, PointSeries) if mark.hover]
    assert sum(len(mark.x) for mark in rows) == row_info.MOST
    assert "Of 6,000 rows this draws 5,000" in picture.caption
    (bars,) = of_kind(page.pictures[1], Bars)
    assert bars.top.sum() == 6000


def test_hovering_names_the_line_the_label_the_margin_and_the_features(tmp_path):
    (tmp_path / "quasi.csv").write_text(QUASI)
    source = nk.open(tmp_path / "quasi.csv")
    verdict = nk.check(source)
    labels = source.read().y
    page = report.check_page(verdict, ASKED, ANSWER, labels=labels)
    hovers = [mark.hover for mark in of_kind(page.pictures[0], PointSeries) if mark.hover]
    rows = {row for hover in hovers for row in hover["row"]}
    assert rows == {f"line {k + 2}, label {label}" for k, label in enumerate(labels)}
    assert any("age = 5, dose = 1" in hover["features"] for hover in hovers)
    assert all(len(hover["margin"]) == len(hover["row"]) for hover in hovers)
