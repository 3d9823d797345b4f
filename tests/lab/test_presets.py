"""Each preset shows what its text says, by the library's own account."""

import re

import numpy as np
import pytest

import novikoff as nk
from novikoff.lab.state.presets import DEFAULT, PRESETS
from novikoff.lab.state.row_orders import arrangement, rows_of
from novikoff.lab.state.settings import canonical, estimator

EPOCHS = 20_000
TITLES = {
    "clouds", "wide", "tight", "loose", "tiny-margin", "xor", "overlap", "touching", "one-sided",
    "far-start", "adversarial", "sorted",
}  # fmt: skip


def _run(name, **changed):
    preset = PRESETS[name]
    settings = canonical(preset.settings._replace(**changed))
    X, y = rows_of(preset.points)
    order = arrangement(settings, preset.points).places
    return nk.trace(X[order], y[order], estimator(settings, EPOCHS))


def _verdict(name):
    preset = PRESETS[name]
    lift = {"fit_intercept": preset.settings.bias, "unit_length": preset.settings.unit}
    return nk.check(*rows_of(preset.points), **lift)


def _said(name):
    """The numbers that a preset's text mentions."""
    found = re.findall(r"(?<![\d/=(.])\b(\d[\d,]*)\b(?![/\d])", PRESETS[name].about)
    return {int(each.replace(",", "")) for each in found}


def test_there_is_one_for_each_lesson():
    assert set(PRESETS) == TITLES
    assert DEFAULT in PRESETS
    assert len({preset.title for preset in PRESETS.values()}) == len(PRESETS)
    for name, preset in PRESETS.items():
        assert 40 < len(preset.about) < 330, name
        assert preset.about.endswith("."), name
        assert preset.settings == canonical(preset.settings)
        assert len(set(preset.points)) == len(preset.points)
        assert all(len(f"{x:g}") <= 5 for point in preset.points for x in point[:2])


def test_clouds():
    run, verdict = _run("clouds"), _verdict("clouds")
    assert (run.updates, verdict.mistake_bound) == (9, 49)
    assert {9, 49} <= _said("clouds")
    assert run.converged
    assert str(verdict.margin.squared) == "3/11"
    X, y = rows_of(PRESETS["clouds"].points)
    assert nk.check(X, y, fit_intercept=False).mistake_bound == 100  # γ and the bound change


def test_wide():
    run, verdict = _run("wide"), _verdict("wide")
    assert (run.mistakes, verdict.mistake_bound) == (2, 4)
    assert {2, 4} <= _said("wide")
    assert 0.4 < verdict.margin.lower / verdict.radius < 0.5


def test_tight_meets_the_bound_with_equality():
    run, verdict = _run("tight"), _verdict("tight")
    assert run.mistakes == run.bound == verdict.mistake_bound == 2
    assert verdict.radius_squared / verdict.margin.squared == 2  # not only rounded down
    assert run.exact
    assert [check.tightest for check in run.checks] == [0.0] * len(run.checks)


def test_loose():
    run, verdict = _run("loose"), _verdict("loose")
    assert verdict.mistake_bound >= 20 * run.mistakes
    assert {run.mistakes, verdict.mistake_bound} == {4, 1110} <= _said("loose")


def test_tiny_margin_takes_long_and_ends():
    run, verdict = _run("tiny-margin"), _verdict("tiny-margin")
    assert run.converged
    assert 500 <= run.updates <= 10_000
    assert {run.updates, verdict.mistake_bound} == {2350, 24805} <= _said("tiny-margin")
    assert str(verdict.margin.squared) == "1/605"
    assert "1/605" in PRESETS["tiny-margin"].about


@pytest.mark.parametrize(
    ("name", "outcome", "conflict"),
    [("xor", "inseparable", 4), ("overlap", "inseparable", 4), ("touching", "quasi-separable", 3)],
)
def test_what_cannot_be_separated(name, outcome, conflict):
    verdict = _verdict(name)
    assert verdict.outcome == outcome
    assert len(verdict.conflict) == conflict
    if name == "touching":
        assert int(verdict.strict.sum()) == 6  # as it says: six points on their correct sides


def test_one_sided_unit_vectors():
    preset, run = PRESETS["one-sided"], _run("one-sided")
    assert all(point.label == 1 for point in preset.points)
    assert all(abs(point.x**2 + point.y**2 - 1.0) < 1e-12 for point in preset.points)
    assert run.rule == "one-sided"
    assert run.unit_length
    assert not run.bias
    assert (run.updates, run.bound) == (19, 50)
    assert {19, 50} <= _said("one-sided")
    assert run.converged
    assert abs(1.0 / run.margin**2 - 50.0) < 1e-6


def test_a_start_far_off():
    far = _run("far-start")
    assert far.updates == 67 > _run("far-start", start="zeros").updates == 9
    assert _run("far-start", eta=0.125).updates == 18
    assert {67, 9, 18} <= _said("far-start")


def test_an_adversarial_order_costs_more():
    run, verdict = _run("adversarial"), _verdict("adversarial")
    given = _run("adversarial", order="given")
    shuffled = [_run("adversarial", order="shuffle", seed=k).mistakes for k in range(20)]
    assert run.mistakes > max(given.mistakes, *shuffled)
    assert {run.mistakes, given.mistakes, verdict.mistake_bound} == {32, 7, 105}
    assert {32, 7, 105} <= _said("adversarial")


def test_rows_sorted_by_class_cost_more():
    run, given, verdict = _run("sorted"), _run("sorted", order="given"), _verdict("sorted")
    shuffled = [_run("sorted", order="shuffle", seed=k).mistakes for k in range(20)]
    assert run.mistakes > max(given.mistakes, *shuffled)
    assert {run.mistakes, given.mistakes, verdict.mistake_bound} == {24, 3, 118} <= _said("sorted")
    y = rows_of(PRESETS["sorted"].points).y
    labels = y[arrangement(PRESETS["sorted"].settings, PRESETS["sorted"].points).places]
    assert np.array_equal(labels, np.sort(y))
