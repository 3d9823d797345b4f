"""The page of a trace: envelopes, angles, slack."""

import math

import numpy as np
import pytest

import novikoff as nk
from novikoff import report
from novikoff.report.charts import epochs as epoch_charts
from novikoff.report.charts import trace as trace_charts
from novikoff.report.charts.proof_plane import cap_outline, proof_figure, proof_plane
from novikoff.report.model import Bars, Line, ReferenceLine
from novikoff.theory.trace import trace
from tests.helpers.reports import ANSWER, ASKED, named, of_kind


def test_the_envelopes_are_the_traces_and_cross_where_the_theorem_ends():
    found = trace(*nk.open("example:and").read()[:2])
    picture = trace_charts.envelopes(found)
    run = named(picture, "this run")
    assert run.y.tolist() == found.table["squared_distance"].tolist()
    upper, lower = named(picture, "at most"), named(picture, "at least")
    assert upper.y == pytest.approx(found.B * upper.x)
    assert lower.y == pytest.approx(found.A * lower.x**2)
    assert upper.y[-1] == pytest.approx(lower.y[-1])
    (rule,) = of_kind(picture, ReferenceLine)
    assert math.floor(rule.at) == found.bound
    assert rule.name.endswith(f"no run has more than {found.bound:,} updates")
    assert all(
        low <= value <= high
        for low, value, high in zip(found.table["lower"], run.y, found.table["upper"], strict=True)
    )


def test_a_page_of_a_trace_has_the_angle_the_ceiling_and_the_slack():
    found = trace(*nk.open("example:iris-setosa").read()[:2])
    page = report.trace_page(found, ASKED, ANSWER)
    proof, envelopes, angle, ceiling, slack, epochs = page.pictures
    assert proof.title == "Why the run must end: the proof in one picture"
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
    assert of_kind(weight, ReferenceLine)[0].at == 0.0
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
    picture = trace_charts.cosine(found)
    assert picture.log_y
    assert "logarithmic" in picture.caption
    shown = named(picture, "this run").y
    assert (
        np.isnan(shown).sum()
        == (found.table["cosine"][trace_charts.UpdateCurves(found).places] <= 0.0).sum()
    )
    assert not trace_charts.cosine(trace(*nk.open("example:and").read()[:2])).log_y


def test_a_long_trace_is_thinned_and_says_so():
    X, y = nk.open("example:iris-versicolor").read()[:2]
    found = trace(X, y, nk.Perceptron(max_epochs=300))
    picture = report.trace_page(found, ASKED, ANSWER).pictures[0]
    assert found.updates > epoch_charts.MOST
    assert f"Of {found.updates:,} updates" in picture.caption
    assert "all were checked" in picture.caption


@pytest.mark.parametrize("rule", ["perceptron", "margin", "voted", "one-sided"])
@pytest.mark.parametrize("init", ["zeros", "random"])
def test_the_proofs_picture_has_the_traces_numbers_in_any_dimension(rule, init):
    for features in (2, 200):
        rows = nk.open(f"example:separable?rows=60&features={features}&margin=0.1").read()
        X, y = rows.X * np.where(rows.y > 0, 1, -1)[:, None], None
        options = {"rule": rule}
        if rule != "one-sided":
            X, y, options = rows.X, rows.y, options | {"init": init, "random_state": 1, "eta": 0.1}
        found = nk.trace(X, y, **options)
        plane, table, k = proof_plane(found), found.table, found.table["update"]
        squares = plane.along**2 + plane.across**2
        assert squares == pytest.approx(table["squared_distance"])
        assert plane.floor == pytest.approx(k * math.sqrt(found.A))
        assert plane.radius == pytest.approx(np.sqrt(found.B * k))
        near = 1e-9 * plane.radius
        assert (plane.along >= plane.floor - near).all()  # beyond the floor
        assert (np.sqrt(squares) <= plane.radius + near).all()  # and in the disc
        if not found.start.any():
            assert plane.along / np.sqrt(squares) == pytest.approx(table["cosine"])
        picture = proof_figure(found)
        moved = bool(found.start.any())
        assert picture.x_label.endswith("w₀)·w*/‖w*‖") == moved  # the product of their difference
        green, path = named(picture, "what is left of it"), named(picture, "the way")
        assert green.x[0] == pytest.approx(plane.floor[-1])
        assert path.x[0] == path.y[0] == 0.0
        assert (path.x[-1], path.y[-1]) == (plane.along[-1], plane.across[-1])


def test_the_disc_closes_where_the_theorem_ends():
    found = trace(*nk.open("example:and").read()[:2])
    cross = found.B / found.A
    assert math.floor(cross) == found.bound
    room = [
        math.sqrt(found.B * k) - k * math.sqrt(found.A) for k in (found.bound, cross, cross + 1)
    ]
    assert room[0] >= 0 > room[2]
    assert room[1] == pytest.approx(0.0, abs=1e-9)
    x, y = cap_outline(2.0, 3.0)  # beyond its end nothing is left of it
    assert set(x.tolist()) == {2.0}
    assert set(y.tolist()) == {0.0}
    assert (
        proof_plane(trace(*nk.open("example:xor").read()[:2], nk.Perceptron(max_epochs=9))) is None
    )
