"""The lab's addresses: what is written is read back, and what is not understood is refused."""

import math
import re
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab import assets
from novikoff.lab.state.dialects import DIALECTS
from novikoff.lab.state.page_state import (
    PAGE_KEYS,
    RANGES,
    WINNOW_ORDERS,
    CapacityTabState,
    Plane,
    WinnowTabState,
    address,
    as_strings,
    parsed,
)
from novikoff.lab.state.presets import DEFAULT, PRESETS
from novikoff.lab.state.settings import (
    DEFAULTS,
    ORDERS,
    RULES,
    TIES,
    VARIANTS,
    RunSettings,
    canonical,
    estimator,
)
from novikoff.lab.state.url_values import (
    LARGEST,
    SMALLEST,
    Point,
    read_points,
    write_number,
    write_points,
)

SIZES = st.floats(SMALLEST, LARGEST)
NUMBERS = st.one_of(st.just(0.0), SIZES, SIZES.map(lambda x: -x), st.integers(-50, 50).map(float))
POINTS = st.builds(Point, NUMBERS, NUMBERS, st.sampled_from([-1, 1]))
STARTS = st.one_of(
    st.sampled_from(["zeros", "random"]),
    st.lists(NUMBERS, min_size=2, max_size=3).map(tuple),
)
SETTINGS = st.builds(
    RunSettings,
    rule=st.sampled_from(sorted(RULES)),
    eta=SIZES,
    margin=st.one_of(st.just(0.0), SIZES),
    C=SIZES,
    variant=st.sampled_from(VARIANTS),
    start=STARTS,
    seed=st.integers(0, 2**31 - 1),
    tie=st.sampled_from([*TIES]),
    bias=st.booleans(),
    unit=st.booleans(),
    order=st.sampled_from([*ORDERS]),
).map(canonical)


def _numbers(tab):
    return {name: st.integers(*ends) for name, ends in RANGES[tab].items()}


STATES = st.one_of(
    st.builds(lambda points, s: Plane(None, tuple(points), s), st.lists(POINTS), SETTINGS),
    st.builds(
        lambda name, s: Plane(name, PRESETS[name].points, s),
        st.sampled_from(sorted(PRESETS)),
        SETTINGS,
    ),
    st.builds(CapacityTabState, **_numbers("capacity")),
    st.builds(WinnowTabState, **_numbers("winnow"), order=st.sampled_from([*WINNOW_ORDERS])).filter(
        lambda state: state.relevant <= state.n
    ),
)


@given(STATES)
def test_an_address_restores_its_state(state):
    assert parsed(address(state)) == state
    assert parsed(f"?{address(state)}&step=3&view=projector") == state


@given(STATES)
def test_an_address_is_canonical(state):
    """However it is written, a state has one address, and nothing can be left out of it."""
    text = address(state)
    settings = as_strings(state)
    points = {"points": write_points(state.points)} if settings.get("preset") == "" else {}
    tabs = {Plane: "plane", CapacityTabState: "capacity", WinnowTabState: "winnow"}
    full = {"tab": tabs[type(state)]} | settings | points
    if points:
        del full["preset"]
    written = "&".join(f"{key}={quote(value)}" for key, value in full.items())
    assert address(parsed(written)) == text
    parts = text.split("&") if text else []
    for k in range(len(parts)):
        try:
            other = parsed("&".join(parts[:k] + parts[k + 1 :]))
        except ParameterError:
            continue
        assert other != state


@given(st.lists(POINTS, max_size=40))
def test_points_are_kept_to_the_last_bit(points):
    found = read_points(write_points(points))
    assert [(p.x.hex(), p.y.hex(), p.label) for p in found] == [
        ((p.x + 0.0).hex(), (p.y + 0.0).hex(), p.label) for p in points
    ]


def test_many_points_fit_into_an_address():
    long = [
        Point(math.pi * (k + 1) / 7, -math.e * (k + 1) / 3, 1 - 2 * (k % 2)) for k in range(500)
    ]
    text = address(Plane(None, tuple(long), DEFAULTS))
    assert len(text) < 20_000
    assert parsed(text).points == tuple(long)
    with pytest.raises(ParameterError, match="501 points, expected at most 500"):
        parsed(text + "p1,2")


@given(st.text())
@example("%ff=1")
@example("points=%f0%28")
@example("points=n1e999,0")
@example("points=n1e-999,0")
@example("eta=" + "9" * 5000)
@example("seed=²")
@example("seed=٣")
@example("\x00=\ud800")
@example("rule")
@example("&&")
@example("=")
def test_any_text_is_a_state_or_refused(text):
    try:
        state = parsed(text)
    except NovikoffError:
        return
    assert parsed(address(state)) == state


KEYS = sorted(
    {*RunSettings._fields, *RANGES["winnow"], *RANGES["capacity"], "preset", "points", "tab"}
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KEYS),
            st.one_of(
                st.text("np0123456789.,e-+%& ", max_size=12),
                st.sampled_from(
                    [*PRESETS, *RULES, *TIES, *ORDERS, *VARIANTS, "winnow", "capacity"]
                ),
            ),
        ),
        max_size=4,
    )
)
def test_any_keys_and_values_are_a_state_or_refused(pairs):
    try:
        state = parsed("&".join(f"{key}={value}" for key, value in pairs))
    except NovikoffError:
        return
    assert parsed(address(state)) == state


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour=red", ["'colour'", "expected one of preset, points, rule, eta"]),
        ("tab=capacity&rule=margin", ["'rule'", "N, P, trials, seed"]),
        ("eta=1&eta=2", ["eta", "twice"]),
        ("step=1&step=2", ["step", "twice"]),
        ("eta=0", ["eta", "'0'", "above 0"]),
        ("eta=-1", ["eta", "above 0"]),
        ("eta=1e7", ["eta", "1e7", "1,000,000"]),
        ("eta=1e-7", ["eta", "1e-06"]),
        ("eta=1_0", ["eta", "1_0", "number such as"]),
        ("eta=nan", ["eta", "nan"]),
        ("eta=inf", ["eta", "inf"]),
        ("rule=margin&margin=-1", ["margin", "0 or a number above"]),
        ("C=0&rule=passive-aggressive", ["C", "above 0"]),
        ("seed=-1", ["seed", "whole number from 0"]),
        ("seed=1.5", ["seed", "whole number"]),
        ("start=1", ["start", "zeros, random, or weights"]),
        ("start=1,2,3,4", ["start", "the intercept last"]),
        ("start=1,x", ["start", "'x'", "number"]),
        ("bias=true", ["bias", "'true'", "yes or no"]),
        ("tie=up", ["tie", "mistake, positive, negative or keep"]),
        ("order=reverse", ["order", "given, shuffle, sorted or adversarial"]),
        ("rule=winnow", ["rule", "'winnow'", "one-sided"]),
        ("preset=none", ["preset", "'none'", "xor"]),
        ("preset=xor&points=n1,2", ["preset and points", "leave preset out"]),
        ("points=1,2", ["points", "at the start", "n or p before each"]),
        ("points=n1", ["points", "row 0", "two numbers"]),
        ("points=p0,0n1,2,3", ["points", "row 1", "n1,2,3", "two numbers"]),
        ("points=p0,0n1,2e", ["points, row 1", "'2e'"]),
        ("tab=other", ["tab", "plane, capacity or winnow"]),
        ("tab=capacity&N=51", ["N", "from 1 to 50"]),
        ("tab=winnow&n=4&relevant=5", ["relevant", "n=4"]),
        ("tab=winnow&order=adversarial", ["order", "given, shuffle or sorted"]),
        ("points", ["'points'", "key=value"]),
        ("points=%ff", ["%ff", "UTF-8"]),
    ],
)
def test_a_refusal_names_the_key_what_was_found_and_what_is_expected(text, words):
    with pytest.raises(ParameterError) as caught:
        parsed(text)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("written", "canonical_form"),
    [
        ("", ""),
        ("?", ""),
        ("tab=plane&rule=perceptron&eta=1.0&bias=yes", ""),
        (f"preset={DEFAULT}", ""),
        ("points=", "points="),
        ("points=n1.50%2C-0p2%2C3", "points=n1.5,0p2,3"),
        ("rule=passive-aggressive&eta=3&margin=2", "rule=passive-aggressive"),
        ("rule=passive-aggressive&variant=PA&C=3", "rule=passive-aggressive&variant=PA"),
        ("rule=margin&C=9&eta=0.5", "rule=margin&eta=0.5"),
        ("rule=one-sided&start=random&tie=keep&bias=yes&unit=no", "rule=one-sided"),
        ("margin=4", ""),
        ("seed=7", ""),
        ("seed=7&order=shuffle", "seed=7&order=shuffle"),
        ("start=0,0,0&seed=3", ""),
        ("start=1,2", "start=1,2,0"),
        ("start=1,2,3&bias=no", "start=1,2&bias=no"),
        ("preset=far-start&start=zeros", "preset=far-start&start=zeros"),
        ("preset=far-start&rule=one-sided", "preset=far-start&rule=one-sided"),
        ("preset=one-sided&rule=perceptron", "preset=one-sided&rule=perceptron"),
        ("preset=tight&bias=no", "preset=tight"),
        ("tab=capacity&N=10&P=5&trials=0", "tab=capacity&P=5"),
        ("order=shuffle&tab=winnow", "tab=winnow&order=shuffle"),
        ("step=4&speed=fast&view=projector&eta=2", "eta=2"),
    ],
)
def test_the_canonical_form_is_short(written, canonical_form):
    assert address(parsed(written)) == canonical_form


def test_the_page_keys_are_passed_over():
    assert all(parsed(f"{key}=whatever") == Plane() for key in PAGE_KEYS)


def test_numbers_are_written_as_short_as_they_can_be():
    assert write_number(np.float64(0.1)) == "0.1"
    assert [write_number(x) for x in (0.0, -0.0, 3.0, -2.5, 1e6, 1e-6, 0.1)] == [
        "0", "0", "3", "-2.5", "1000000", "1e-06", "0.1",
    ]  # fmt: skip


@given(SETTINGS)
def test_settings_mean_the_estimator_that_has_them(settings):
    learner = estimator(settings, 17)
    assert learner.max_epochs == 17
    assert learner.kind == settings.rule
    uses, got = RULES[settings.rule].uses, learner.get_params()
    for name, parameter in (
        ("eta", "eta"),
        ("margin", "margin"),
        ("C", "C"),
        ("variant", "variant"),
        ("tie", "tie"),
        ("bias", "fit_intercept"),
        ("unit", "unit_length"),
    ):
        assert (parameter in got) == (name in uses)
        if name in uses:
            assert got[parameter] == getattr(settings, name)
    assert got["order"] == ("shuffle" if settings.order == "shuffle" else "given")
    assert got["random_state"] == settings.seed
    assert bool(learner.fit_intercept) == settings.bias
    assert bool(learner.unit_length) == settings.unit
    if "start" in uses:
        start = settings.start
        assert got["init"] == start if isinstance(start, str) else tuple(got["init"]) == start


def test_dialects_are_settings_of_the_notes():
    """As the table of the notes' dialects pins them down."""
    assert sorted(DIALECTS) == ["000", "001", "002", "003", "004", "proof"]
    assert DIALECTS["proof"].settings == DEFAULTS
    by = {name: dialect.settings for name, dialect in DIALECTS.items()}
    assert by["000"].rule == "one-sided"
    assert (by["001"].unit, by["001"].tie, by["001"].start) == (True, "negative", "zeros")
    assert (by["002"].start, by["002"].tie) == ("random", "keep")
    assert (by["003"].start, by["003"].tie) == ("random", "negative")
    assert (by["004"].tie, by["004"].start, by["004"].eta) == ("positive", "zeros", 1.0)
    for name, dialect in DIALECTS.items():
        text = "points=n0,0p1,1&" + "&".join(
            f"{key}={quote(value)}" for key, value in dialect.as_strings().items()
        )
        assert parsed(text).settings == canonical(by[name])


def test_points_of_a_table_keep_its_names():
    text = "points=n0,0p1,1&x=height%20%5Bm%5D&minus=cat&plus=d%2Co%26g&eta=2"
    state = parsed(text)
    assert state.names == ("height [m]", "", "cat", "d,o&g")
    assert parsed(address(state)) == state
    for wrong in ("points=p0,0&x=" + 61 * "a", "points=p0,0&plus=%0A", "preset=xor&minus=a"):
        with pytest.raises(ParameterError):
            parsed(wrong)


def test_every_stop_of_the_page_s_lesson_is_an_address():
    stops = re.findall(r'href="\?([^"]+)"', assets.own("lab.html"))
    assert len(stops) > 5
    for stop in stops:
        parsed(stop.replace("&amp;", "&"))
