"""The histogram of margins and the table of the closest rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.report.charts import margins
from novikoff.report.model import Bars
from novikoff.report.pages import check as check_page_module
from novikoff.report.row_info import RowInfo
from tests.helpers.examples import examples
from tests.helpers.reports import named, of_kind


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_every_row_is_in_one_bar_and_no_bar_spans_the_hyperplane(numbers):
    found = np.array(numbers)
    edges = margins.bin_edges(found.min(), found.max())
    counts = margins.bin_counts(found, edges)
    assert counts.sum() == len(numbers)
    assert 0.0 in edges
    assert len(counts) <= margins.BINS + 3
    wrong = edges[1:] <= 0.0
    assert counts[wrong].sum() == (found < 0.0).sum()


def test_the_histogram_counts_all_rows_and_the_table_names_the_closest():
    verdict = nk.check(nk.open("example:iris-setosa"))
    separator = check_page_module.separator_of(verdict)
    picture = margins.histogram(separator, "γ")
    (bars,) = of_kind(picture, Bars)
    assert bars.top.sum() == verdict.rows == 150
    assert named(picture, "γ").at == verdict.margin.lower
    table = margins.closest_table(RowInfo.of(verdict.signed), separator.margins)
    support = {row for row, _ in verdict.certificate.witness["support"]}
    assert {int(line[0].removeprefix("row ")) for line in table.rows[: len(support)]} == support
    assert table.columns[3:] == nk.open("example:iris-setosa").feature_names


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@examples(20)
def test_margins_are_those_of_the_rows_as_the_learner_sees_them(seed, bias, unit):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 9, (12, 3)).astype(float)
    plane = np.array([1.0, 2.0, -1.0])
    y = (X @ plane > rng.integers(0, 2)).astype(int)  # some rows may lie on the plane
    y[0] = 1 - y[1]
    verdict = nk.check(X, y, fit_intercept=bias, unit_length=unit)
    assume(verdict.weights is not None)
    separator = check_page_module.separator_of(verdict)
    lifted = np.hstack([X, np.ones((12, 1))]) if bias else X
    weights = np.append(verdict.weights, verdict.intercept) if bias else verdict.weights
    lengths = np.linalg.norm(lifted, axis=1) if unit else np.ones(12)
    signs = np.where(y == 1, 1, -1)
    expected = signs * (lifted @ weights) / np.linalg.norm(weights)
    expected = np.divide(expected, lengths, out=np.zeros(12), where=lengths > 0)
    assert separator.margins == pytest.approx(expected, abs=1e-9)
    if verdict.outcome == "separable":
        assert separator.margins.min() == pytest.approx(verdict.margin.lower, rel=1e-6)
    else:
        assert (separator.margins[~verdict.strict] == 0.0).all()
        assert (separator.margins[verdict.strict] > 0.0).all()
