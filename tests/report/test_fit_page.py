"""The page of a run: epochs, bounds, and rows on the wrong side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff import report
from novikoff.learning.rules.registry import CATALOGUE
from novikoff.report.charts import epochs as epoch_charts
from novikoff.report.model import Bars, Line, ReferenceLine, axis_ranges
from novikoff.report.pages import fit
from novikoff.report.render.matplotlib import render_file
from tests.helpers.examples import examples
from tests.helpers.reports import ANSWER, ASKED, XOR, named, of_kind, run_of


def test_mistakes_so_far_end_at_the_runs_total_below_the_bound():
    run = run_of("perceptron", *nk.open("example:and").read()[:2])
    page = report.fit_page(run, ASKED, ANSWER)
    first, each, ceiling = page.pictures[:3]
    curve = named(first, "so far")
    assert curve.y.tolist() == np.cumsum([0, *run.outcome.mistakes_per_epoch]).tolist()
    assert named(first, "bound").at == run.bound >= curve.y[-1]
    (bars,) = of_kind(each, Bars)
    assert bars.top.tolist() == run.outcome.mistakes_per_epoch
    heights = of_kind(ceiling, Line)[0].y
    assert heights.tolist() == np.minimum.accumulate(run.ceilings).tolist()
    assert heights[-1] == pytest.approx(float(run.outcome.ceilings.min()))
    assert named(ceiling, "margin of the separator").at == run.margin < heights[-1]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=3000))
@examples(15)
def test_bars_of_many_epochs_add_up_to_all_mistakes(counts):
    picture = epoch_charts.mistakes_by_epoch(epoch_charts.Epochs(counts))
    (bars,) = of_kind(picture, Bars)
    each = -(-len(counts) // epoch_charts.MOST)
    widths = np.full(len(bars.top), each)
    widths[-1] = len(counts) - each * (len(bars.top) - 1)
    assert (bars.top * widths).sum() == pytest.approx(sum(counts))
    assert len(bars.top) <= epoch_charts.MOST
    assert ("mean of" in picture.caption) == (each > 1)


def test_a_curve_of_many_epochs_says_what_it_leaves_out():
    many = epoch_charts.Epochs([1] * 1000, None, np.linspace(2, 1, 1000))
    for picture in (epoch_charts.mistakes_so_far(many), epoch_charts.ceiling_by_epoch(many)):
        curve = of_kind(picture, Line)[0]
        assert f"places of the curve {len(curve.x)} are drawn" in picture.caption
    assert "are drawn" not in epoch_charts.mistakes_so_far(epoch_charts.Epochs([1] * 100)).caption


@given(st.integers(1, 10**5))
def test_a_thinned_curve_has_both_ends(count):
    kept = epoch_charts.thinned_indices(count)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert len(kept) <= epoch_charts.MOST
    assert (np.diff(kept) > 0).all()


def test_a_bound_far_above_is_on_a_logarithmic_axis():
    near = epoch_charts.mistakes_so_far(epoch_charts.Epochs([3, 2, 0], 8))
    far = epoch_charts.mistakes_so_far(epoch_charts.Epochs([3, 2, 0], 1000))
    none = epoch_charts.mistakes_so_far(epoch_charts.Epochs([0]), "there is no bound")
    assert (near.log_y, far.log_y, none.log_y) == (False, True, False)
    assert named(far, "so far").y.min() > 0
    assert "1,000" in named(far, "bound").name
    assert none.caption == "there is no bound"
    assert axis_ranges(far)[1][1] > 1000


@pytest.mark.parametrize("rule", CATALOGUE)
def test_every_rule_has_a_page(rule):
    X, y = nk.open("example:disjunction?rows=40&features=6&relevant=2").read()[:2]
    run = run_of(rule, X, y, epochs=3)
    page = report.fit_page(run, ASKED, ANSWER)
    headings = [section.heading for section in page.sections]
    assert headings[:2] == ["Mistakes", "Epoch by epoch"]
    one_separator = rule not in ("voted", "multiclass")
    assert ("The data in the plane" in headings) == one_separator
    assert ("Margins" in headings) == one_separator
    if one_separator:
        found = fit.separator_of(run)
        wrong = (found.margins <= 0.0).sum()
        predicted = run.learner.positive(run.learner.answers(run.rows)[:, 0])
        assert (
            abs(int((predicted != (run.codes == 1)).sum()) - int(wrong))
            <= (found.margins == 0).sum()
        )
    assert render_file(page.pictures[0], "png").startswith(b"\x89PNG")


def test_of_many_classes_mistakes_are_drawn_and_the_rest_is_said():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((20, 2)) + at for at in ([0, 0], [4, 0], [0, 4])])
    page = report.fit_page(run_of("perceptron", X, np.repeat(["a", "b", "c"], 20)), ASKED, ANSWER)
    headings = [section.heading for section in page.sections]
    assert headings == ["Mistakes", "Epoch by epoch", "The ceiling on the margin"]
    assert "3 classes" in page.sections[0].text
    assert "No bound is drawn: there are 3 classes" in page.pictures[0].caption
    ceiling = page.pictures[-1]
    assert "For one of the classes" in ceiling.caption
    assert [mark.name for mark in ceiling.marks if mark.name] == ["lowest of the classes' ceilings"]
    assert "for one of the classes" in of_kind(ceiling, Line)[0].notes[0]


def test_winnows_own_bound_is_drawn_where_the_label_is_an_or(here, tmp_path):
    X, y = nk.open("example:disjunction").read()[:2]
    for parameters in ({}, {"alpha": 1.5, "theta": 30.0}):
        page = report.fit_page(run_of("winnow", X, y, parameters=parameters), ASKED, ANSWER)
        known = nk.bounds.winnow_on(X, y, **parameters)
        assert named(page.pictures[0], "bound").at == known.value
        words = f"the OR of r = {len(known.relevant)} of the n = 50 variables"
        assert words in page.pictures[0].caption
        assert ("2 + 3r(1 + lg n)" in page.pictures[0].caption) == (not parameters)
    other = report.fit_page(run_of("winnow", *XOR), ASKED, ANSWER).pictures[0]
    assert not of_kind(other, ReferenceLine)
    assert (
        "No bound is drawn: Winnow's theorem is about an OR of variables, but row" in other.caption
    )
    path = tmp_path / "page.html"
    assert here("fit", "example:disjunction", "--rule", "winnow", "--report", path)[0] == 0
    text = path.read_text()
    assert "theta = 50" in text
    assert "<dt>start</dt><dd>ones</dd>" in text


@pytest.mark.parametrize(
    ("rule", "options", "why"),
    [
        ("perceptron", {"epochs": 1}, "this run has not converged"),
        ("perceptron", {"init": "random"}, "this run started elsewhere"),
        ("second-order", {}, "no theorem is known here for the rule second-order"),
        ("winnow", {"parameters": {"theta": 0.5}}, "theta of 1 or above"),
    ],
)
def test_where_no_bound_is_drawn_the_reason_is_the_runs_own(rule, options, why):
    X, y = nk.open("example:or").read()[:2]
    picture = report.fit_page(run_of(rule, X, y, **options), ASKED, ANSWER).pictures[0]
    assert not of_kind(picture, ReferenceLine)
    assert why in picture.caption


def test_winnow_is_drawn_over_the_variables_as_it_sees_them():
    X, y = [[0.2, 7.0], [0.0, 0.0], [3.0, 0.0], [0.0, 2.0]], [1, 0, 1, 0]
    run = run_of("winnow", X, y)
    shown = fit.row_info_of(run)
    assert shown.matrix.tolist() == [[1, 1], [0, 0], [1, 0], [0, 1]]
    found = fit.separator_of(run)
    scores = shown.matrix @ found.weights + found.intercept
    assert found.margins == pytest.approx(scores * shown.signs)


def test_rows_on_the_wrong_side_are_marked_and_hatched():
    run = run_of("perceptron", *nk.open("example:iris-versicolor").read()[:2], epochs=3)
    page = report.fit_page(run, ASKED, ANSWER)
    found = fit.separator_of(run).margins
    (plane,) = [each for each in page.pictures if each.title == "The data and the hyperplane"]
    assert len(named(plane, "wrong side").x) == (found < 0).sum() > 0
    worst = np.argsort(found, kind="stable")
    rows = [int(line[0].removeprefix("row ")) for line in page.sections[-1].table.rows]
    assert rows == worst[:10].tolist()
    ring = named(plane, "the 5 rows with the smallest margins")
    signs = np.where(run.codes == 1, 1, -1)
    assert sorted(ring.x) == pytest.approx(sorted((found * signs)[worst[:5]]))
    assert page.sections[-1].heading == "The rows farthest on the wrong side"
    (bars,) = [each for each in page.pictures if "How far" in each.title]
    assert named(bars, "wrong side").hatched
    assert named(bars, "wrong side").top.sum() == (found < 0).sum()


@pytest.mark.parametrize(("rows", "look"), [(60, "hollow"), (600, "thin")])
def test_very_many_rows_on_the_wrong_side_do_not_hide_each_other(rows, look):
    rng = np.random.default_rng(0)
    run = run_of("perceptron", rng.standard_normal((rows, 2)), rng.integers(0, 2, rows), epochs=2)
    pictures = report.fit_page(run, ASKED, ANSWER).pictures
    (plane,) = [each for each in pictures if each.title == "The data and the hyperplane"]
    wrong = named(plane, "wrong side")
    assert (len(wrong.x) > 100) == (look == "thin")
    assert wrong.look == look
    assert render_file(plane, "svg")
