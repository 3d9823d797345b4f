"""What the server tells of a plane is what `nk.check` and `nk.trace` say of its points."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab.page_data import choices, page_data, table
from novikoff.lab.plane import verdict_view as judging
from novikoff.lab.plane.number_text import DIGITS
from novikoff.lab.plane.verdict_view import judge
from novikoff.lab.plane.viewport import frame_of
from novikoff.lab.state.page_state import Plane, parsed
from novikoff.lab.state.presets import PRESETS
from novikoff.lab.state.row_orders import rows_of
from novikoff.lab.state.settings import DEFAULTS, RULES, RunSettings, canonical
from novikoff.lab.state.url_values import Point, write_points
from novikoff.verdict.exact.directed_rounding import root
from tests.helpers.examples import examples

KEYS = {
    "address", "tab", "state", "title", "about", "points", "frame", "arranged", "verdict",
    "figures", "film", "problem", "names",
}  # fmt: skip
VERDICT = {
    "outcome", "sentence", "brief", "lifted", "line", "reach", "nearest", "conflict", "hulls",
    "meet", "mirrored", "gamma", "unlifted",
}  # fmt: skip
COORDINATES = st.integers(-12, 12).map(lambda k: k / 2.0)
POINTS = st.lists(st.builds(Point, COORDINATES, COORDINATES, st.sampled_from([-1, 1])), max_size=14)


def _state(points, **changed):
    return Plane(None, tuple(points), canonical(DEFAULTS._replace(**changed)))


def _checked(state, bias=None):
    how = state.settings
    X, y = rows_of(state.points)
    bias = how.bias if bias is None else bias
    return nk.check(X, y, fit_intercept=bias, unit_length=how.unit)


def _between(text, low, high):
    """Whether a figure, its digits cut, is true of all numbers from low to high."""
    if " to " in text:
        left, right = (float(each) for each in text.split(" to "))
        return left <= low <= high <= right
    digits = text.removesuffix("…")
    last = Fraction(10) ** (Fraction(digits).as_integer_ratio()[0] and _place(digits))
    return Fraction(digits) <= Fraction(low) and Fraction(high) <= Fraction(digits) + last


def _place(digits):
    """The power of ten of the fourth significant digit."""
    return math.floor(math.log10(float(digits))) - DIGITS + 1


@given(POINTS, st.booleans(), st.booleans())
@examples(120)
def test_the_verdict_and_the_figures_are_those_of_check(points, bias, unit):
    state = _state(points, bias=bias, unit=unit)
    found = judge(state)
    told_verdict, figures = judging.as_json(state, found), judging.figures(found)
    assert set(told_verdict) == VERDICT
    if len({point.label for point in points}) < 2:
        assert told_verdict["outcome"] == ("one class" if points else "no points")
        assert told_verdict["line"] is None
        assert figures == []
        return
    expected = _checked(state)
    assert told_verdict["outcome"] == expected.outcome == found.verdict.outcome
    assert [each["row"] for each in told_verdict["conflict"]] == [i for i, _ in expected.conflict]
    if expected.weights is None:
        assert told_verdict["line"] is None
    else:
        assert told_verdict["line"] == [*expected.weights, expected.intercept]
    names = [each["name"] for each in figures]
    assert names == [*judging.FIGURES]
    for column, lifted in (("lifted", True), ("unlifted", False)):
        verdict = _checked(state, bias=lifted)
        gamma, radius, bound = (each[column] for each in figures)
        square = verdict.radius_squared
        assert _between(radius, root(square, up=False), root(square, up=True))
        if verdict.outcome == "separable":
            assert _between(gamma, verdict.margin.lower, verdict.margin.upper)
            assert bound == f"{verdict.mistake_bound:,}"
        else:
            assert gamma.startswith("none: not separable")
            assert bound == "none"
            assert ("origin" in gamma) == (not lifted)
    exact = figures[0].get("exact")
    if exact is not None:
        assert exact == f"γ² = {expected.margin.squared}"


@given(POINTS, st.booleans(), st.booleans())
@examples(120)
def test_the_line_its_band_and_the_rows_that_touch_it(points, bias, unit):
    state = _state(points, bias=bias, unit=unit)
    told_verdict = judging.as_json(state, judge(state))
    if told_verdict["outcome"] != "separable":
        assert told_verdict["reach"] is None
        assert told_verdict["nearest"] == []
        return
    X, y = rows_of(state.points)
    w1, w2, b = told_verdict["line"]
    distances = y * (X @ [w1, w2] + b) / math.hypot(w1, w2)
    assert (distances > 0.0).all()
    touching = told_verdict["nearest"]
    assert touching
    if unit:
        assert told_verdict["reach"] is None
        lifted = np.column_stack([X, np.ones(len(X))]) if bias else X
        distances = distances / np.linalg.norm(lifted, axis=1)
        reach = distances.min()
    else:
        reach = told_verdict["reach"]
    assert np.isclose(distances.min(), reach, rtol=1e-9)
    assert touching == np.flatnonzero(distances <= reach * (1.0 + 1e-6)).tolist()


@given(POINTS, st.booleans())
@examples(120)
def test_a_conflict_cancels_out_and_its_hulls_hold_a_common_point(points, bias):
    state = _state(points, bias=bias)
    told_verdict = judging.as_json(state, judge(state))
    conflict = told_verdict["conflict"]
    if not conflict:
        assert told_verdict["hulls"] == []
        assert told_verdict["meet"] is None
        return
    rows = [each["row"] for each in conflict]
    shares = [Fraction(each["multiplier"]) for each in conflict]
    signed = [[points[i].label * Fraction(each) for each in points[i][:2]] for i in rows]
    for axis in (0, 1):
        assert sum(share * z[axis] for share, z in zip(shares, signed, strict=True)) == 0
    meet = [Fraction(each) for each in told_verdict["meet"]]
    if not bias:
        assert told_verdict["mirrored"]
        assert meet == [0, 0]
        assert len(told_verdict["hulls"]) == 1
        corners = {tuple(each) for each in told_verdict["hulls"][0]}
        assert corners <= {(float(x), float(y)) for x, y in signed}
        return
    assert sum(s * points[i].label for s, i in zip(shares, rows, strict=True)) == 0
    for side, label in enumerate((-1, 1)):
        ours = [
            (points[i], s) for i, s in zip(rows, shares, strict=True) if points[i].label == label
        ]
        total = sum(share for _, share in ours)
        where = [sum(s * Fraction(p[axis]) for p, s in ours) / total for axis in (0, 1)]
        assert all(abs(a - b) < Fraction(1, 10**9) for a, b in zip(where, meet, strict=True))
        corners = {tuple(each) for each in told_verdict["hulls"][side]}
        assert corners <= {point[:2] for point, _ in ours}


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_is_told_whole(name):
    found = page_data(f"preset={name}", charts=False)
    assert set(found) == KEYS
    assert set(found["verdict"]) == VERDICT
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    preset = PRESETS[name]
    assert (found["title"], found["about"]) == (preset.title, preset.about)
    assert [tuple(each) for each in found["points"]] == list(preset.points)
    assert found["problem"] is None
    assert found["film"]["rows"] == len(preset.points)
    assert parsed(found["address"]) == parsed(f"preset={name}")
    (left, right), (low, high) = found["frame"]
    assert all(left < x < right and low < y < high for x, y, _ in preset.points)
    assert (found["arranged"] != "") == (preset.settings.order == "adversarial")


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_film_is_the_run_of_the_rule_asked_for(rule):
    preset = PRESETS["one-sided" if rule == "one-sided" else "clouds"]
    points = write_points(preset.points)
    found = page_data(f"points={points}&rule={rule}", charts=False)
    X, y = rows_of(parsed(f"points={points}").points)
    run = nk.trace(X, y, rule)
    assert found["film"]["steps"] == run.updates
    assert found["state"]["rule"] == rule
    assert found["film"]["columns"]["row"] == run.table["row"].tolist()
    assert found["title"] == "Points of your own"
    assert found["about"] == ""


def test_rows_in_another_order_keep_their_numbers():
    found = page_data("preset=sorted", charts=False)
    labels = [found["points"][row][2] for row in found["film"]["columns"]["row"]]
    assert labels == found["film"]["columns"]["label"]
    assert labels[0] == -1
    assert found["film"]["columns"]["row"][0] == 1


def test_a_remark_is_not_made_of_other_settings():
    assert page_data("preset=clouds&eta=0.5", charts=False)["about"] == ""
    assert page_data("preset=clouds&margin=3", charts=False)["about"] != ""  # which it does not use


@pytest.mark.parametrize(
    ("address", "outcome", "words"),
    [
        ("points=", "no points", "no points"),
        ("points=p1,2p0,3", "one class", "one class"),
        ("points=n1,2&rule=one-sided", "one class", "positive rows only"),
        ("points=n1,2p1,1&rule=one-sided", "separable", "take those out"),
        ("preset=clouds&tie=keep", "separable", "nothing would ever move"),
        ("preset=clouds&tie=keep&rule=averaged", "separable", "nothing would ever move"),
    ],
)
def test_where_there_is_no_run_it_is_said_why(address, outcome, words):
    found = page_data(address)
    assert set(found) == KEYS
    assert found["film"] is None
    assert found["verdict"]["outcome"] == outcome
    assert words in found["problem"]
    with pytest.raises(ParameterError, match=words):
        table(address)


def test_a_start_of_its_own_lets_the_tie_keep():
    assert page_data("preset=clouds&tie=keep&start=1,0,0", charts=False)["film"]["steps"] > 0
    assert page_data("preset=clouds&tie=keep&rule=margin", charts=False)["film"]["steps"] > 0


def test_positive_rows_alone_are_judged_for_the_one_sided_rule():
    found = page_data("preset=one-sided", charts=False)
    assert found["verdict"]["outcome"] == "separable"
    assert found["figures"][0]["unlifted"] == "0.1414…"
    assert found["figures"][2] == {
        "name": judging.FIGURES[2],
        "lifted": "the rule has no bias",
        "unlifted": "50",
    }
    around = page_data("points=p1,0p-1,1p-1,-1&rule=one-sided", charts=False)
    assert around["verdict"]["outcome"] == "inseparable"
    assert around["verdict"]["mirrored"]


SENTENCES = {
    "points=n-1,0p1,0": ["Separable: a line puts", "γ = 1 ", "D = 1.414…", "(D/γ)² = 2 mistakes"],
    "points=n-1,0p1,0&bias=no": ["a line through the origin", "(D/γ)² = 1 mistake."],
    "preset=xor": ["Not separable: no line puts", "marked points intersect (4 points in all)"],
    "preset=xor&bias=no": ["through the origin", "the marked point is the origin itself"],
    "points=p1,0p-1,1p-1,-1n3,3&bias=no": ["mirrored at the origin, contains the origin"],
    "preset=touching": ["Not strictly separable", "6 of the 9 points", "the other 3 lie on it"],
    "points=n0,0p1,1&bias=no": ["1 of the 2 points", "the other one lies on it"],
}


@pytest.mark.parametrize("address", sorted(SENTENCES))
def test_the_verdict_in_words(address):
    sentence = page_data(address, charts=False)["verdict"]["sentence"]
    assert all(words in sentence for words in SENTENCES[address]), sentence


SIZES = st.one_of(st.just(0.0), st.floats(1e-6, 1e6), st.floats(1.0, 1.0 + 1e-12))


@given(st.lists(st.tuples(*[st.one_of(SIZES, SIZES.map(lambda x: -x))] * 2), max_size=8))
def test_a_frame_has_room_around_the_points(places):
    (left, right), (low, high) = frame_of(places)
    assert all(math.isfinite(end) for end in (left, right, low, high))
    for axis, (start, stop) in enumerate(((left, right), (low, high))):
        for place in places:
            assert start <= place[axis] <= stop
        assert start < stop
    assert frame_of(places) == frame_of(places[::-1])


def test_frames_are_round_and_of_one_scale_where_they_can_be():
    assert frame_of([]) == ((-5.0, 5.0), (-5.0, 5.0))
    assert frame_of([(0.0, 0.0), (1.0, 1.0)]) == ((-0.2, 1.2), (-0.2, 1.2))
    (left, right), (low, high) = frame_of([(0.0, 3.0), (10.0, 3.0)])
    assert (right - left) <= 4.0 * (high - low)
    (left, right), (low, high) = frame_of([(0.0, 0.0), (1e5, 1.0)])
    assert high - low < 3.0  # other units


def test_the_table_of_a_run_is_the_trace_s():
    lines = table("preset=sorted").splitlines()
    names, first = lines[0].split(","), lines[1].split(",")
    assert len(lines) == 1 + 24
    assert names[:3] == ["update", "epoch", "row"]
    assert first[names.index("row")] == "1"
    assert first[names.index("label")] == "-1"
    assert re.fullmatch(r"[-0-9.einaf,]+", lines[-1])
    with pytest.raises(ParameterError, match="capacity"):
        table("tab=capacity")
    with pytest.raises(ParameterError, match="no update"):
        table("points=n-1,0p1,0&start=1,0,0")


@pytest.mark.parametrize(
    "address",
    [
        "preset=sorted",
        "preset=adversarial",
        "preset=xor",
        "preset=overlap&unit=yes",
        "preset=clouds&order=shuffle&seed=4",
        "preset=clouds&rule=margin&eta=0.3",
        "preset=clouds&rule=passive-aggressive",
        "preset=one-sided",
        "tab=winnow",
        "tab=winnow&order=sorted&seed=3",
        "tab=winnow&order=shuffle&n=8&rows=0",
    ],
)
def test_the_table_is_of_the_run_that_the_film_shows(address):
    lines = [line.split(",") for line in table(address).splitlines()]
    film = page_data(address, charts=False)["film"]
    for name in ("update", "epoch", "row", "label"):
        place = lines[0].index(name)
        assert [int(line[place]) for line in lines[1:]] == film["columns"][name], name
    place = lines[0].index("weight_0")
    assert [[float(each) for each in line[place:]] for line in lines[1:]] == film["weights"][1:]


def test_there_is_something_to_choose_from():
    found = choices()
    assert json.loads(json.dumps(found)) == found
    assert [each["name"] for each in found["presets"]] == list(PRESETS)
    assert {each["name"] for each in found["rules"]} == set(RULES)
    known = set(RunSettings._fields)
    assert all(set(each["uses"]) <= known for each in found["rules"])
    assert all(set(each["settings"]) == known for each in found["dialects"])
    assert found["limits"] == {"points": 500, "updates": 20_000, "bytes": 1_000_000}


@given(
    POINTS.filter(bool),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(["mistake", "positive", "negative", "keep"]),
    st.booleans(),
    st.booleans(),
)
@examples(40)
def test_any_points_with_any_rule_are_told(points, rule, tie, bias, unit):
    yes = {True: "yes", False: "no"}
    text = f"points={write_points(points)}&rule={rule}&tie={tie}&bias={yes[bias]}&unit={yes[unit]}"
    found = page_data(text, charts=False)
    json.dumps(found, allow_nan=False)
    assert (found["film"] is None) == (found["problem"] is not None)
    if found["film"] is not None:
        outcome, film = found["verdict"]["outcome"], found["film"]
        column = "lifted" if found["state"]["bias"] == "yes" else "unlifted"
        if outcome == "separable" and rule in ("perceptron", "averaged", "one-sided"):
            most = int(found["figures"][2][column].replace(",", ""))
            assert film["steps"] <= most
        with pytest.raises(NovikoffError):
            page_data(text + "&nonsense=1")


@pytest.mark.parametrize("rule", ["perceptron", "margin", "passive-aggressive"])
@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_page_writes_the_margin_and_the_radius_in_one_way(name, rule):
    found = page_data(f"preset={name}&rule={rule}")
    if found["verdict"]["outcome"] != "separable":
        return
    column = "lifted" if found["state"]["bias"] == "yes" else "unlifted"
    gamma, radius = (each[column] for each in found["figures"][:2])
    film = found["film"]
    words = [found["verdict"]["sentence"], found["verdict"]["brief"], film["countdown"]["why"]]
    for text in words:
        assert f"γ = {gamma}" in text
        assert f"D = {radius}" in text
    ceiling = next(line for line in film["lines"] if line["name"] == "the ceiling")
    assert f"γ = {gamma} ≤" in ceiling["filled"]
    (chart,) = (each for each in film["charts"] if each["id"] == "ceiling")
    assert f"the margin of w*: {gamma}<" in chart["key"]


def test_long_multipliers_are_short_beside_their_points():
    found = page_data(
        "points=n0.1234567,0.7654321p0.3333333,0.9999999n1.234567,0.1p0.2,0.3n0.71,0.99"
    )
    conflict = found["verdict"]["conflict"]
    assert conflict
    assert any(each["short"] != each["multiplier"] for each in conflict)
    for each in conflict:
        if each["short"] != each["multiplier"]:
            value = float(Fraction(each["multiplier"].removeprefix("about ")))
            assert each["short"] == f"≈ {value:.2g}"
            assert len(each["multiplier"]) > 8


def test_where_the_ceiling_falls_to_0_its_chart_shows_it():
    found = page_data("preset=xor")
    (chart,) = (each for each in found["film"]["charts"] if each["id"] == "ceiling")
    assert 0.0 in found["film"]["columns"]["ceiling"]
    text = json.dumps(chart["figure"])
    assert "LogAxis" not in text
    assert "LogScale" not in text
