"""The report: pictures hold exactly the run's numbers, files are whole, and refusals come early."""

import io
import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

import novikoff as nk
from novikoff import counting, report
from novikoff.cli import main
from novikoff.cover import capacity_curve
from novikoff.epochs import learn
from novikoff.learn import outputs_for
from novikoff.report import (
    capacity,
    examples,
    geometry,
    learning,
    margins,
    of_run,
    of_verdict,
    proof,
    views,
)
from novikoff.report.examples import Examples, drawn
from novikoff.report.html import html
from novikoff.report.picture import Bars, Line, Patch, Points, Rule, bounds
from novikoff.report.still import still
from novikoff.rules.catalogue import CATALOGUE
from novikoff.sources.arrays import as_matrix, encode
from novikoff.tracing import trace

ASKED = report.Asked("novikoff check data.csv", "data.csv", [("rows", "4")])
ANSWER = report.Answer("It is so.", [("margin", "1")], "In many\nwords.")
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
QUASI = "age,dose,died\n1,0,no\n2,0,yes\n3,1,yes\n4,0,no\n5,1,yes\n2,0,no\n"
HOSTILE = "<img src=x onerror=alert(1)>", "</script><b>&\"'", "$$x^2$$ $y$ @told0", "日本語 é"
TWO = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.5], [4.0, 0.5], [0.5, 5.0]], [1, 0, 1, 0, 1]


@pytest.fixture
def here(monkeypatch, capsys):
    """A command without a process of its own: its exit code, standard output and error."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["novikoff", *map(str, words)])
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        else:
            code = 0
        return code, *capsys.readouterr()

    return run


def of_kind(picture, kind):
    return [mark for mark in picture.marks if isinstance(mark, kind)]


def named(picture, words):
    """The one mark of that name, or whose name has these words."""
    exactly = [mark for mark in picture.marks if mark.name == words]
    (found,) = exactly or [mark for mark in picture.marks if words in mark.name]
    return found


def check_page(*words, **options):
    verdict = nk.check(*words, **options)
    return verdict, report.check_page(verdict, ASKED, ANSWER)


def run_of(rule, X, y, epochs=20, parameters=None, **options):
    """What `fit` hands to its page."""
    from novikoff.cli.plans import Plan
    from novikoff.epochs import found_margin
    from novikoff.rules.protocol import mistake_bound

    plan = Plan.of(rule, parameters or {}, [], "zeros", None, False, 0)._replace(**options)
    matrix = as_matrix(X)
    classes, codes = encode(y)
    if rule == "one-sided":
        classes, codes, y = np.array([-1, 1]), np.ones(len(y), np.uint16), None
    rows = plan.rows(matrix)
    learner = plan.learner(matrix.shape[1], outputs_for(classes))
    ceilings = []

    def watch(learner, stop):
        if stop == matrix.shape[0]:
            ceilings.append(float(learner.ceilings().min()))

    outcome = learn(learner, rows, codes, max_epochs=epochs, watch=watch)
    margin = found_margin(learner, rows, codes) if outcome.converged else None
    bound = None if margin is None else mistake_bound(learner.rule, learner.radius, margin)
    return report.Run(
        rule, learner, outcome, classes, codes, rows, matrix, y, None, None, bound, margin, ceilings
    )


# margins


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_every_row_is_in_one_bar_and_no_bar_spans_the_hyperplane(numbers):
    found = np.array(numbers)
    edges = margins.bin_edges(found.min(), found.max())
    counts = margins.counted(found, edges)
    assert counts.sum() == len(numbers)
    assert 0.0 in edges
    assert len(counts) <= margins.BINS + 3
    wrong = edges[1:] <= 0.0
    assert counts[wrong].sum() == (found < 0.0).sum()


def test_the_histogram_counts_all_rows_and_the_table_names_the_closest():
    verdict = nk.check(nk.open("example:iris-setosa"))
    separator = of_verdict.separator_of(verdict)
    picture = margins.histogram(separator, "γ")
    (bars,) = of_kind(picture, Bars)
    assert bars.top.sum() == verdict.rows == 150
    assert named(picture, "γ").at == verdict.margin.lower
    table = margins.closest(Examples.of(verdict.signed), separator.margins)
    support = {row for row, _ in verdict.certificate.witness["support"]}
    assert {int(line[0].removeprefix("row ")) for line in table.rows[: len(support)]} == support
    assert table.columns[3:] == nk.open("example:iris-setosa").feature_names


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=20)
def test_margins_are_those_of_the_rows_as_the_learner_sees_them(seed, bias, unit):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 9, (12, 3)).astype(float)
    plane = np.array([1.0, 2.0, -1.0])
    y = (X @ plane > rng.integers(0, 2)).astype(int)  # some rows may lie on the plane
    y[0] = 1 - y[1]
    verdict = nk.check(X, y, fit_intercept=bias, unit_length=unit)
    assume(verdict.weights is not None)
    separator = of_verdict.separator_of(verdict)
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


# the plane


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=30)
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
            np.concatenate([m.x for m in of_kind(picture, Points)[:2]]),
            np.concatenate([m.y for m in of_kind(picture, Points)[:2]]),
        ]
    )
    assert sorted(map(tuple, drawn_rows.tolist())) == sorted(map(tuple, X.tolist()))
    (left, right), (low, high) = bounds(picture)
    assert (X.min(axis=0) > [left, low]).all()
    assert (X.max(axis=0) < [right, high]).all()


def test_support_rows_are_those_of_the_proof():
    verdict, page = check_page(nk.open("example:iris-setosa"))
    ring = named(page.pictures[0], "support")
    rows = [row for row, _ in verdict.certificate.witness["support"]]
    score = of_verdict.separator_of(verdict).margins * verdict.signed.signs
    assert sorted(ring.x) == pytest.approx(sorted(score[rows]))
    band = named(page.pictures[0], "no row is within")
    assert (band.x.min(), band.x.max()) == (-verdict.margin.lower, verdict.margin.lower)


def test_more_features_are_seen_along_the_separator_and_across_it():
    X, y = nk.open("example:wdbc").read()[:2]
    verdict = nk.check(X, y)
    shown = Examples.of(verdict.signed)
    across = views.leading(X, [verdict.weights])
    assert across @ verdict.weights == pytest.approx(0, abs=1e-9 * np.linalg.norm(verdict.weights))
    assert np.linalg.norm(across) == pytest.approx(1)
    unit = verdict.weights / np.linalg.norm(verdict.weights)
    rest = X - X.mean(axis=0)
    rest -= np.outer(rest @ unit, unit)
    best = np.linalg.norm(np.linalg.svd(rest)[1][:1])
    assert np.linalg.norm((X - X.mean(axis=0)) @ across) == pytest.approx(best)
    scores = of_verdict.separator_of(verdict).margins * shown.signs
    view = views.along(shown, np.arange(len(X)), scores, verdict.weights, "")
    assert view.y == pytest.approx(X @ across)
    assert "mostly" in view.y_label


@pytest.mark.parametrize("wide", [False, True])
def test_the_leading_direction_of_dense_and_sparse_rows(wide, monkeypatch):
    monkeypatch.setattr(views, "DENSE", 0 if wide else 400)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 8)) * [9, 5, 1, 1, 1, 1, 1, 1]
    away = [np.eye(8)[0]]
    found = views.leading(scipy.sparse.csr_array(X), away)
    assert found == pytest.approx(views.leading(X, away), abs=1e-4)
    assert abs(found[1]) > 0.9
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert views.leading(np.ones((5, 8)), []) is None
    assert views.leading(np.zeros((0, 8)), []) is None


def test_quasi_separable_rows_that_are_held_are_hollow():
    X = [[1, 0], [2, 0], [3, 1], [4, 0], [5, 1], [2, 0]]
    verdict, page = check_page(X, ["no", "yes", "yes", "no", "yes", "no"])
    assert verdict.outcome == "quasi-separable"
    rows = [mark for mark in of_kind(page.pictures[0], Points) if mark.hover]
    held = sum(len(mark.x) for mark in rows if mark.look == "hollow")
    assert held == (~verdict.strict).sum() == 4
    assert sum(len(mark.x) for mark in rows) == 6
    assert all("held" in mark.name for mark in rows if mark.look == "hollow")
    assert "Hollow" in page.sections[0].text


# hulls


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
@settings(max_examples=40)
def test_both_hulls_hold_the_point_that_the_multipliers_make(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-4, 5, (9, 2)), rng.integers(0, 2, 9)
    assume(0 < y.sum() < 9)
    verdict, page = check_page(X, y)
    assume(verdict.outcome == "inseparable")
    picture = page.pictures[0]
    star = named(picture, "both hulls hold")
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
    numbered = [mark for mark in of_kind(picture, Points) if mark.numbers]
    shown = {(x, y) for mark in numbered for x, y in zip(mark.x, mark.y, strict=True)}
    assert shown == {tuple(map(float, X[row])) for row, _ in verdict.conflict}
    numbers = sorted(int(each) for mark in numbered for each in mark.numbers)
    assert numbers == list(range(1, len(verdict.conflict) + 1))


@pytest.mark.parametrize("bias", [True, False])
def test_a_projection_keeps_the_point_within_both_hulls(bias):
    verdict, page = check_page(nk.open("example:iris-versicolor"), fit_intercept=bias)
    picture = page.pictures[0]
    star = named(picture, "both hulls hold" if bias else "the origin")
    assert "projection of 4 features" in picture.caption
    numbers = np.array([row for row, _ in verdict.conflict])
    shares = [share for _, share in verdict.conflict]
    shown = Examples.of(verdict.signed)
    view = views.of_conflict(shown, np.arange(150), numbers, signed=not bias)
    seen = np.column_stack([view.x, view.y])[numbers]
    positive = verdict.signed.signs[numbers] > 0
    if bias:
        for side in (True, False):
            ours = [share for share, up in zip(shares, positive, strict=True) if up == side]
            point = geometry.weighted(seen[positive == side], ours)
            assert point == pytest.approx([star.x[0], star.y[0]], abs=1e-9)
    else:
        assert (star.x[0], star.y[0]) == (0.0, 0.0)
        assert geometry.weighted(seen, shares) == pytest.approx([0, 0], abs=1e-9)
        assert "mirrored" in picture.caption


def test_hulls_of_few_points_and_clipping():
    assert geometry.hull(np.array([[1.0, 2.0], [1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    line = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0]])
    assert sorted(geometry.hull(line).tolist()) == [[0.0, 0.0], [2.0, 2.0]]
    square = geometry.corners(((0.0, 1.0), (0.0, 1.0)))
    half = geometry.clipped(square, np.array([1.0, 0.0]), -0.5)
    assert half[:, 0].min() == 0.5
    assert len(geometry.crossing(((0.0, 1.0), (0.0, 1.0)), np.array([1.0, 0.0]), 5.0)) == 0


# which rows


def test_of_very_many_rows_those_that_matter_are_drawn_and_the_caption_says_so():
    rng = np.random.default_rng(0)
    found = rng.standard_normal(50_000)
    found[found < 0] *= 1e-3
    found[1000:] = np.abs(found[1000:])
    marked = np.array([7, 49_999])
    chosen = drawn(50_000, marked, found)
    assert len(chosen.rows) == examples.MOST
    assert np.isin(marked, chosen.rows).all()
    assert np.isin(np.flatnonzero(found < 0), chosen.rows).all()
    closest = np.argsort(np.abs(found))[: examples.CLOSEST]
    assert np.isin(closest, chosen.rows).all()
    for words in ("Of 50,000 rows this draws 5,000", "every one on the wrong side", "seed 0"):
        assert words in chosen.note
    assert (drawn(50_000, marked, found).rows == chosen.rows).all()
    wrong = drawn(50_000, marked, -np.abs(found))
    assert len(wrong.rows) == examples.MOST
    assert "2,500 of the 49,698 others on the wrong side" in wrong.note
    assert drawn(5000, marked, None) == (pytest.approx(np.arange(5000)), "")


def test_a_page_of_many_rows_says_what_it_leaves_out():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((6000, 3))
    X[:, 0] += np.sign(X[:, 0])
    _, page = check_page(X, (X[:, 0] > 0).astype(int))
    picture = page.pictures[0]
    rows = [mark for mark in of_kind(picture, Points) if mark.hover]
    assert sum(len(mark.x) for mark in rows) == examples.MOST
    assert "Of 6,000 rows this draws 5,000" in picture.caption
    (bars,) = of_kind(page.pictures[1], Bars)
    assert bars.top.sum() == 6000


def test_hovering_names_the_line_the_label_the_margin_and_the_features(tmp_path):
    (tmp_path / "quasi.csv").write_text(QUASI)
    source = nk.open(tmp_path / "quasi.csv")
    verdict = nk.check(source)
    labels = source.read().y
    page = report.check_page(verdict, ASKED, ANSWER, labels=labels)
    told = [mark.hover for mark in of_kind(page.pictures[0], Points) if mark.hover]
    rows = {row for hover in told for row in hover["row"]}
    assert rows == {f"line {k + 2}, label {label}" for k, label in enumerate(labels)}
    assert any("age = 5, dose = 1" in hover["features"] for hover in told)
    assert all(len(hover["margin"]) == len(hover["row"]) for hover in told)


# Cover


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
    expected = Fraction(counting.count(rows, N), 2**rows)
    assert star.x[0] == rows / N
    assert star.y[0] == pytest.approx(float(expected), rel=1e-15)
    assert f"P = {rows:,}" in star.name
    for x, height in zip(curve.x, curve.y, strict=True):
        P = round(x * N)
        assert height == pytest.approx(float(Fraction(counting.count(P, N), 2**P)), rel=1e-12)
    said = {
        rows <= N: "says nothing",
        N < rows < 2 * N: "more likely separate",
        rows == 2 * N: "half of the time",
        rows > 2 * N: "Labels at random would hardly separate.",  # and these do not
    }
    assert said[True] in picture.caption


@pytest.mark.parametrize(
    ("P", "N", "separable", "said"),
    [
        (100, 5, True, "hardly separate: that these do means something."),
        (100, 5, None, "hardly separate: if these do, it means something."),
        (100, 5, False, "hardly separate."),
        (10, 4, True, "separate about 25 % of the time: that these do is weak evidence."),
        (10, 4, None, "separate about 25 % of the time: if these do, it is weak evidence."),
        (10, 4, False, "separate about 25 % of the time."),
    ],
)
def test_what_covers_count_means_depends_on_the_share_and_on_what_is_known(P, N, separable, said):
    share = Fraction(counting.count(P, N), 2**P)
    assert ("hardly" in said) == (share < Fraction(1, 100))
    assert capacity.meaning(P, N, separable).endswith(f"Labels at random would {said}")


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
    points = of_kind(tried, Points)
    assert [float(y) for mark in points for y in mark.y] == [each.fraction for each in found]
    bands = [mark for mark in tried.marks if "95 %" in mark.name]
    assert [float(y) for mark in bands for y in mark.upper] == [each.upper for each in found]
    assert len({mark.marker for mark in points}) == len({mark.colour for mark in points}) == 2
    assert len(page.sections[-1].table.rows) == len(found)
    assert page.sections[-1].table.columns[-1] == "Cover's share"
    assert capacity.place_of(5, capacity.WIDEST + 1, None) is None
    assert report.cover_page(ASKED, ANSWER, P=5, N=0).pictures == []


def test_the_answer_of_tried_labellings_is_what_was_found_at_one_half():
    found = [each for N in (3, 6) for each in capacity_curve(N, [1.0, 2.0, 3.0], 20, 0)]
    halves = [each.separable for each in found if each.P == 2 * each.N]
    assert capacity.outcome(found) == (
        f"At P = 2N, {halves[0]} of 20 random labellings separate for N = 3 and {halves[1]} of 20"
        " random labellings separate for N = 6; Cover says one half."
    )
    (other,) = capacity_curve(4, [1.5], 20, 0)
    assert capacity.outcome([other]) == (
        f"{other.separable} of 20 random labellings separate for N = 4, P = 6 (Cover: 0.812)."
    )


# runs


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
@settings(max_examples=15)
def test_bars_of_many_epochs_add_up_to_all_mistakes(counts):
    picture = learning.each_epoch(learning.Epochs(counts))
    (bars,) = of_kind(picture, Bars)
    each = -(-len(counts) // learning.MOST)
    widths = np.full(len(bars.top), each)
    widths[-1] = len(counts) - each * (len(bars.top) - 1)
    assert (bars.top * widths).sum() == pytest.approx(sum(counts))
    assert len(bars.top) <= learning.MOST
    assert ("mean of" in picture.caption) == (each > 1)


def test_a_curve_of_many_epochs_says_what_it_leaves_out():
    many = learning.Epochs([1] * 1000, None, np.linspace(2, 1, 1000))
    for picture in (learning.so_far(many), learning.ceiling(many)):
        curve = of_kind(picture, Line)[0]
        assert f"places of the curve {len(curve.x)} are drawn" in picture.caption
    assert "are drawn" not in learning.so_far(learning.Epochs([1] * 100)).caption


@given(st.integers(1, 10**5))
def test_a_thinned_curve_has_both_ends(count):
    kept = learning.thinned(count)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert len(kept) <= learning.MOST
    assert (np.diff(kept) > 0).all()


def test_a_bound_far_above_is_on_a_logarithmic_axis():
    near = learning.so_far(learning.Epochs([3, 2, 0], 8))
    far = learning.so_far(learning.Epochs([3, 2, 0], 1000))
    none = learning.so_far(learning.Epochs([0]), "there is no bound")
    assert (near.log_y, far.log_y, none.log_y) == (False, True, False)
    assert named(far, "so far").y.min() > 0
    assert "1,000" in named(far, "bound").name
    assert none.caption == "there is no bound"
    assert bounds(far)[1][1] > 1000


@pytest.mark.parametrize("rule", CATALOGUE)
def test_every_rule_has_a_page(rule):
    X, y = nk.open("example:disjunction?rows=40&features=6&relevant=2").read()[:2]
    run = run_of(rule, X, y, epochs=3)
    page = report.fit_page(run, ASKED, ANSWER)
    headings = [section.heading for section in page.sections]
    assert headings[:2] == ["Mistakes", "Epoch by epoch"]
    assert ("The data in the plane" in headings) == (rule != "voted")
    assert ("Margins" in headings) == (rule != "voted")
    if rule != "voted":
        found = of_run.separator_of(run)
        wrong = (found.margins <= 0.0).sum()
        predicted = run.learner.positive(run.learner.answers(run.rows)[:, 0])
        assert (
            abs(int((predicted != (run.codes == 1)).sum()) - int(wrong))
            <= (found.margins == 0).sum()
        )
    assert still(page.pictures[0], "png").startswith(b"\x89PNG")


def test_of_many_classes_mistakes_are_drawn_and_the_rest_is_said():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((20, 2)) + at for at in ([0, 0], [4, 0], [0, 4])])
    page = report.fit_page(run_of("perceptron", X, np.repeat(["a", "b", "c"], 20)), ASKED, ANSWER)
    headings = [section.heading for section in page.sections]
    assert headings == ["Mistakes", "Epoch by epoch", "The ceiling on the margin"]
    assert "3 classes" in page.sections[0].text
    assert "No bound is drawn: there are 3 classes" in page.pictures[0].caption
    ceiling = page.pictures[-1]
    assert "One of the classes" in ceiling.caption
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
    assert not of_kind(other, Rule)
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
    assert not of_kind(picture, Rule)
    assert why in picture.caption


def test_winnow_is_drawn_over_the_variables_as_it_sees_them():
    X, y = [[0.2, 7.0], [0.0, 0.0], [3.0, 0.0], [0.0, 2.0]], [1, 0, 1, 0]
    run = run_of("winnow", X, y)
    shown = of_run.examples_of(run)
    assert shown.matrix.tolist() == [[1, 1], [0, 0], [1, 0], [0, 1]]
    found = of_run.separator_of(run)
    scores = shown.matrix @ found.weights + found.intercept
    assert found.margins == pytest.approx(scores * shown.signs)


def test_rows_on_the_wrong_side_are_marked_and_hatched():
    run = run_of("perceptron", *nk.open("example:iris-versicolor").read()[:2], epochs=3)
    page = report.fit_page(run, ASKED, ANSWER)
    found = of_run.separator_of(run).margins
    (plane,) = [each for each in page.pictures if "separator" in each.title]
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
    (plane,) = [
        each for each in report.fit_page(run, ASKED, ANSWER).pictures if "separator" in each.title
    ]
    wrong = named(plane, "wrong side")
    assert (len(wrong.x) > 100) == (look == "thin")
    assert wrong.look == look
    assert still(plane, "svg")


# traces


def test_the_envelopes_are_the_traces_and_cross_where_the_theorem_ends():
    found = trace(*nk.open("example:and").read()[:2])
    picture = proof.envelopes(found)
    run = named(picture, "this run")
    assert run.y.tolist() == found.table["squared_distance"].tolist()
    upper, lower = named(picture, "at most"), named(picture, "at least")
    assert upper.y == pytest.approx(found.B * upper.x)
    assert lower.y == pytest.approx(found.A * lower.x**2)
    assert upper.y[-1] == pytest.approx(lower.y[-1])
    (rule,) = of_kind(picture, Rule)
    assert math.floor(rule.at) == found.bound
    assert rule.name.endswith(f"no run has more than {found.bound:,} updates")
    assert all(
        low <= value <= high
        for low, value, high in zip(found.table["lower"], run.y, found.table["upper"], strict=True)
    )


def test_a_page_of_a_trace_has_the_angle_the_ceiling_and_the_slack():
    found = trace(*nk.open("example:iris-setosa").read()[:2])
    page = report.trace_page(found, ASKED, ANSWER)
    envelopes, angle, ceiling, slack, epochs = page.pictures
    assert envelopes.log_x
    assert named(angle, "this run").y.tolist() == found.table["cosine"].tolist()
    assert named(angle, "floor").y.tolist() == found.table["cosine_floor"].tolist()
    assert named(ceiling, "margin of w*").at == found.margin
    rooms = of_kind(slack, Line)
    assert len(rooms) == 4
    assert all((line.y >= 0).all() and (line.y <= 1).all() for line in rooms)
    assert of_kind(epochs, Bars)[0].top.tolist() == found.mistakes_per_epoch
    assert [line[0] for line in page.sections[-1].table.rows] == [
        check.statement for check in found.checks
    ]
    first = found.table["row"][0]
    assert named(angle, "this run").notes[0].startswith(f"update 1, row {first}: cosine")


def test_traces_without_a_separator_or_an_update_and_of_winnow():
    none = trace(*nk.open("example:xor").read()[:2], nk.Perceptron(max_epochs=30))
    page = report.trace_page(none, ASKED, ANSWER)
    assert len(page.pictures) == 4
    assert not [mark for mark in page.pictures[0].marks if "at least" in mark.name]
    assert page.pictures[0].title == "How far the weights can get: the envelope"
    assert "would need a separator, and there is none" in page.pictures[0].caption
    winnow = trace(*nk.open("example:disjunction").read()[:2], nk.Winnow())
    weight, moves = report.trace_page(winnow, ASKED, ANSWER).pictures[:2]
    assert named(weight, "sum of the weights").y.tolist() == winnow.table["total_weight"].tolist()
    assert of_kind(weight, Rule)[0].at == 0.0
    assert (named(weight, "cap of the sum").y >= named(weight, "sum of the weights").y).all()
    assert named(moves, "most mistakes").at == winnow.bound
    assert named(moves, "demotions").y[-1] + named(moves, "promotions").y[-1] == winnow.updates
    resting = trace([[1.0], [-2.0]], [1, 0], nk.Perceptron(init=np.array([1.0, 0.0])))
    assert resting.updates == 0
    page = report.trace_page(resting, ASKED, ANSWER)
    assert "no update" in page.sections[0].text


def test_traces_of_passive_aggressive_learning():
    found = trace(*nk.open("example:iris-setosa").read()[:2], nk.PassiveAggressive())
    page = report.trace_page(found, ASKED, ANSWER)
    closing, spending, angle, ceiling, slack, _ = page.pictures
    table = found.table
    assert named(closing, "this run").y.tolist() == table["to_target"].tolist()
    assert (named(closing, "at most").y >= named(closing, "this run").y).all()
    whole = named(spending, "all there is").at
    assert whole == pytest.approx(float(found.target @ found.target) / found.margin**2)
    drops = named(spending, "this run").y
    assert (named(spending, "at least m·c").y <= drops).all()
    assert (drops <= whole).all()
    assert f"enough for {found.bound:,} mistakes. This run made {found.mistakes}." in (
        spending.caption
    )
    assert named(angle, "floor").y.tolist() == table["cosine_floor"].tolist()
    assert named(ceiling, "margin of w*").at == found.margin
    assert len(of_kind(slack, Line)) == 3
    assert all((line.y >= 0).all() for line in of_kind(slack, Line))
    assert (table["norm_slack"].min() < 0) == ("rounding alone" in slack.caption)
    xor = trace(*nk.open("example:xor").read()[:2], nk.PassiveAggressive(max_epochs=90))
    page = report.trace_page(xor, ASKED, ANSWER)
    length, _, _ = page.pictures
    assert named(length, "this run").y.tolist() == xor.table["squared_norm"].tolist()
    assert page.sections[-2].text == f"T{str(xor.cycle)[1:]}."


def test_small_cosines_are_on_a_logarithmic_axis():
    found = trace(*nk.open("example:wdbc").read()[:2], nk.Perceptron(max_epochs=20))
    assert found.table["cosine"].max() < 0.05
    picture = proof.cosine(found)
    assert picture.log_y
    assert "logarithmic" in picture.caption
    shown = named(picture, "this run").y
    assert np.isnan(shown).sum() == (found.table["cosine"][proof.kept_of(found)] <= 0.0).sum()
    assert not proof.cosine(trace(*nk.open("example:and").read()[:2])).log_y


def test_a_long_trace_is_thinned_and_says_so():
    X, y = nk.open("example:iris-versicolor").read()[:2]
    found = trace(X, y, nk.Perceptron(max_epochs=300))
    picture = report.trace_page(found, ASKED, ANSWER).pictures[0]
    assert found.updates > learning.MOST
    assert f"Of {found.updates:,} updates" in picture.caption
    assert "all were checked" in picture.caption


# odd verdicts


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
    rows = [mark for mark in of_kind(first, Points) if "row" in mark.hover]
    assert sum(len(mark.x) for mark in rows) == verdict.rows
    assert all(np.isfinite(mark.x).all() and np.isfinite(mark.y).all() for mark in rows)
    assert first.caption
    assert first.alt
    with Image.open(io.BytesIO(still(first, "png"))) as image:
        assert min(image.size) > 500


# files


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [
            value for name, value in attributes if name in ("src", "href", "action", "data")
        ]


def hostile_page():
    label, other, first, second = HOSTILE
    given = Examples(
        np.array(TWO[0]),
        np.array([1, -1, 1, -1, 1], np.int8),
        np.array([label, other, label, other, label]),
        examples.two_sides(other, label),
        np.arange(5) + 2,
        [first, second * 40],
    )
    verdict = nk.check(*TWO)
    separator = of_verdict.separator_of(verdict)
    from novikoff.report.planes import Marked, separated

    picture = separated(given, separator, Marked(np.array([0]), label))
    sections = [
        report.Section(other, label, picture),
        report.Section(label, table=margins.closest(given, separator.margins)),
    ]
    asked = report.Asked(f"novikoff check {other}", label, [(label, other)])
    return report.Page(label, asked, report.Answer(other, [(other, label)], other), sections)


def test_a_page_is_one_file_and_whatever_is_from_data_is_text():
    text = html(hostile_page(), "0 & 1")
    parsed = Tags()
    parsed.feed(text)
    assert parsed.tags.count("script") == 4  # Bokeh, the colours, one figure, the page's own
    assert parsed.tags.count("img") == 1
    assert "b" not in parsed.tags
    assert all(link.startswith("data:") for link in parsed.links)
    assert "Content-Security-Policy" in text
    assert "default-src 'none'" in text
    assert "<img src=x" not in text
    assert len(text) < 2_500_000


def test_pictures_are_valid_files_the_same_each_time(tmp_path):
    page = hostile_page()
    for kind in ("png", "svg"):
        report.write_picture(page, tmp_path / f"a.{kind}")
        assert still(page.pictures[0], kind) == (tmp_path / f"a.{kind}").read_bytes()
    with Image.open(tmp_path / "a.png") as image:
        image.verify()
        assert image.size[0] > 800
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = " ".join(root.itertext())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "$$x^2$$ $y$ @told0" in words
    assert "label <img src=x onerror=alert(1)>" in words
    assert not root.findall(".//{http://www.w3.org/1999/xhtml}script")


def test_many_points_make_no_large_svg():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 3))
    X[:, 0] += np.sign(X[:, 0])
    _, page = check_page(X, (X[:, 0] > 0).astype(int))
    assert len(still(page.pictures[0], "svg")) < 500_000


# the command line


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["check", "example:and"], 0, "SEPARABLE: a hyperplane has each row strictly on its side"),
        (["check", "example:xor"], 1, "INSEPARABLE: no hyperplane separates the classes"),
        (["fit", "example:and"], 0, "perceptron: converged after"),
        (["trace", "example:and"], 0, "perceptron: converged after"),
        (["cover", "4", "2"], 0, "exactly half of all labellings"),
    ],
    ids=["check-and", "check-xor", "fit", "trace", "cover"],
)
def test_commands_write_pages_and_pictures_and_say_so(here, tmp_path, words, code, sentence):
    page, plot = tmp_path / "page.html", tmp_path / "plot.svg"
    found, out, err = here(*words, "--report", page, "--plot", plot, "--json")
    assert (found, err) == (code, "")
    answer = json.loads(out)
    assert (answer["report"], answer["plot"]) == (str(page), str(plot))
    text = page.read_text()
    assert sentence in text
    assert f"novikoff {words[0]} {words[1]}" in text
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    found, out, _ = here(*words, "--plot", tmp_path / "plot.png")
    assert found == code
    assert f"Picture: {tmp_path / 'plot.png'}" in out
    with Image.open(tmp_path / "plot.png") as image:
        assert image.format == "PNG"
    answer = json.loads(here(*words, "--json")[1])
    assert (answer["report"], answer["plot"]) == (None, None)


def test_the_page_has_the_figures_of_the_command(here, tmp_path):
    path = tmp_path / "page.html"
    out = here("fit", "example:iris-setosa", "--report", path)[1]
    text = path.read_text()
    for line in out.splitlines()[2:-1]:
        assert line.split(maxsplit=1)[1] in text
    assert "326,263" in text
    (tmp_path / "quasi.csv").write_text(QUASI)
    out = here("check", tmp_path / "quasi.csv", "--report", path)[1]
    text = path.read_text()
    assert "2 of 6 rows strictly" in text
    assert "line 3" in text
    assert "to +∞" in text
    assert f"Report: {path}; open it in a browser." in out


@pytest.mark.parametrize("command", ["check", "fit", "trace", "cover"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--report", "page.pdf"], "--report page.pdf: expected a name that ends in .html"),
        (["--report", "page"], "expected a name that ends in .html"),
        (["--plot", "plot.jpg"], "--plot plot.jpg: expected a name that ends in .png or .svg"),
        (["--report", "nowhere/page.html"], "there is no folder"),
        (["--plot", "nowhere/plot.png"], "there is no folder"),
        (["--report", "folder.html"], "folder"),
        (["--report", "data.html"], "that is the data"),
        (["--plot", "data.png"], "that is the data"),
    ],
    ids=["pdf", "none", "jpg", "folder", "plot-folder", "is-folder", "data", "plot-data"],
)
def test_what_cannot_be_written_is_refused_at_once(
    here, tmp_path, monkeypatch, command, words, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    data = tmp_path / words[1] if "data" in words[1] else tmp_path / "rows.csv"
    data.write_text(QUASI)
    code, out, err = here(command, data, *words, "--format", "csv")
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert data.read_text() == QUASI
    assert {each.name for each in tmp_path.iterdir()} == {"folder.html", data.name}


@pytest.mark.parametrize(
    ("option", "name", "module", "library"),
    [
        ("--report", "a.html", "bokeh.embed", "Bokeh"),
        ("--report", "a.html", "matplotlib.figure", "Matplotlib"),
        ("--plot", "a.png", "matplotlib.figure", "Matplotlib"),
    ],
)
def test_a_missing_library_is_named_before_any_work(
    here, tmp_path, monkeypatch, option, name, module, library
):
    from novikoff.cli import findings

    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(findings, "investigate", lambda *_: pytest.fail("it began to work"))
    code, out, err = here("check", "example:and", option, tmp_path / name)
    assert (code, out) == (2, "")
    assert f"{option} needs {library}" in err
    assert "pip install 'novikoff[report]'" in err
    assert not list(tmp_path.iterdir())


def test_a_picture_needs_no_bokeh(here, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "bokeh", None)
    monkeypatch.setitem(sys.modules, "bokeh.embed", None)
    code, _, err = here("check", "example:and", "--plot", tmp_path / "a.png")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    "words", [["--report", "a.html"], ["--plot", "a.png"]], ids=["page", "plot"]
)
def test_a_stream_keeps_no_rows_to_draw(here, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1,2,a\n3,4,b\n")))
    code, out, err = here("fit", "-", *words)
    assert (code, out) == (2, "")
    assert "rows from a stream are not kept, so there is nothing to draw" in err
    assert not list(tmp_path.iterdir())


def test_outputs_do_not_replace_each_other(here, tmp_path):
    path = tmp_path / "a.html"
    code, _, err = here("check", "example:and", "--certificate", path, "--report", path)
    assert code == 2
    assert "that is --certificate" in err


def test_help_starts_without_the_libraries_of_the_report():
    script = "import sys, novikoff.cli\nprint({'bokeh', 'matplotlib', 'numba'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_the_page_is_part_of_the_package():
    folder = Path(report.__file__).parent
    assert {"page.css", "page.js"} <= {each.name for each in folder.iterdir()}
