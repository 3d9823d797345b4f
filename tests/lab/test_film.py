"""Films: what a page plays is the run, its weights, its mistakes, and the lines of its proof."""

import base64
import json
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import ParameterError
from novikoff.lab.film.film import ROWS, SHOWN, film_of, plane_run
from novikoff.lab.film.proof_lines import lines_of
from novikoff.lab.film.run import ENDLESS, UPDATES, FilmRun
from novikoff.lab.page_data import page_data
from novikoff.lab.plane.verdict_view import judge
from novikoff.lab.state.page_state import Plane, WinnowTabState
from novikoff.lab.state.presets import PRESETS
from novikoff.lab.state.row_orders import arrangement, rows_of
from novikoff.lab.state.settings import RULES, RunSettings, canonical, estimator
from novikoff.lab.state.url_values import Point
from novikoff.lab.winnow_tab import winnow_page_data
from novikoff.learning.rows import make_rows, row_at
from novikoff.learning.rules import protocol
from tests.helpers.examples import examples

XOR = ((0, 0, -1), (0, 1, 1), (1, 0, 1), (1, 1, -1))
AND = ((0, 0, -1), (0, 1, -1), (1, 0, -1), (1, 1, 1))
QUASI = ((-2, 0, -1), (0, 0, -1), (0, 0, 1), (2, 0, 1))
NAME = re.compile(r"\{([a-z_]+)\}")
LOOKS = 60  # steps of a long film at which its lines are looked at
NUMBER = re.compile(r"-?[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


def plane(points, **chosen):
    """The film of some points, and what it is about."""
    state = Plane(
        None, tuple(Point(*map(float, p[:2]), p[2]) for p in points), canonical_of(chosen)
    )
    X, y = rows_of(state.points)
    return plane_film(state, charts=False), state, X, y


def plane_film(state, charts=True):
    run = plane_run(state.settings, state.points, judge(state).verdict)
    return film_of(run, charts=charts)


def canonical_of(chosen):
    return canonical(RunSettings(**chosen))


def bits(film):
    """For each step, which rows would be mistakes."""
    wide = -(-film["rows"] // 8)
    found = np.frombuffer(base64.b64decode(film["wrong"]), np.uint8).reshape(-1, wide)
    return np.unpackbits(found, axis=1, bitorder="little", count=film["rows"]).astype(bool)


def sides(film, line, k):
    """The numbers of a line's sides at update k, and the signs between them."""
    parts = re.split(r" ([≤≥<>]) ", line["filled"].removesuffix(", but for rounding"))
    numbers = []
    for part in parts[::2]:
        names = [name for name in NAME.findall(part) if name != "k"]
        if names:
            numbers.append(film["columns"][names[0]][k - 1])
        elif "{k}" in part and "=" not in part.partition("{k}")[0].removeprefix("t ="):
            numbers.append(k)
        else:
            found = NUMBER.search(part.rpartition("= ")[2])
            numbers.append(None if found is None else float(found[0].replace(",", "")))
    return numbers, parts[1::2]


def check_lines(film):
    """Templates name columns that there are, and every inequality holds at every update."""
    for line in film["lines"]:
        assert set(NAME.findall(line["filled"])) <= {"k", *film["columns"]}, line
        assert line["name"]
        assert line["statement"]
        assert line["why"].endswith(".")
        for k in np.unique(np.linspace(1, film["steps"], LOOKS).astype(int)).tolist():
            numbers, signs = sides(film, line, k)
            assert signs, line
            for left, sign, right in zip(numbers, signs, numbers[1:], strict=False):
                if left is None or right is None:
                    continue
                room = 1e-9 * (abs(left) + abs(right)) + 1e-9
                if sign in "≤<":
                    left, right = right, left
                assert left - right >= (-room if sign in "≤≥" else 0.0), (line, k, numbers)


def check_steps(film, rows, numbers, order):
    """Epoch, row and how many were passed over belong together."""
    columns = film["columns"]
    passed = np.array(columns["passed"], int)
    times = np.cumsum(passed + 1) - 1
    assert (passed >= 0).all()
    assert (times // rows + 1).tolist() == columns["epoch"]
    if order != "shuffle":
        assert numbers[times % rows].tolist() == columns["row"]
    assert np.cumsum(columns["mistake"]).tolist() == columns["mistakes"]
    assert columns["update"] == [*range(1, film["steps"] + 1)]


def check_mistakes(film, X, y, chosen, alone):
    """Who would be a mistake at each step: as the run had it, and as the rule itself says."""
    wrong, columns = bits(film), film["columns"]
    looked = wrong[np.arange(film["steps"]), columns["row"]]
    assert looked.astype(int).tolist() == columns["mistake"]
    rule = estimator(chosen, 1)._rule()
    rule = getattr(rule, "inner", rule)
    rows = make_rows(np.ascontiguousarray(X), chosen.bias, chosen.unit)
    for k in {0, film["steps"] // 2, film["steps"]}:
        state = protocol.State(np.array(film["weights"][k]))
        for i in range(len(X)):
            score = protocol.score(rule, state, row_at(rows, i))
            label = 1.0 if alone else float(y[i])
            assert wrong[k, i] == protocol.mistaken(rule, score, label)


def check_fitted(film, X, y, chosen, numbers):
    """The last weights are those of the estimator after as many epochs."""
    ended = film["end"]["converged"] or film["end"]["cycle"] is not None
    if not ended:
        return
    columns = film["columns"]
    epochs = columns["epoch"][-1] if film["steps"] else 1
    model = estimator(chosen, epochs + film["end"]["converged"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[numbers], y[numbers])
    last = model._learner.states[0].weights
    assert film["weights"][-1] == last.tolist()
    if film["end"]["converged"]:
        assert model.converged_
        assert model.mistakes_ == sum(columns["mistake"])
    if "averages" in film and film["end"]["converged"]:
        mean = [*model.coef_[0], *([model.intercept_[0]] if chosen.bias else [])]
        assert np.allclose(film["averages"][-1], mean, rtol=1e-9, atol=1e-9)


def check_film(film, state, X, y):
    """All that holds of every film."""
    chosen = state.settings
    numbers = arrangement(chosen, state.points).places
    scene = json.dumps(film, allow_nan=False)
    assert "not converged" not in scene
    steps = film["steps"]
    assert len(film["weights"]) == steps + 1
    assert {len(column) for column in film["columns"].values()} == {steps}
    assert len(film["names"]) == len(film["weights"][0]) == 2 + chosen.bias
    check_steps(film, len(X), numbers, chosen.order)
    check_mistakes(film, X, y, chosen, chosen.rule == "one-sided")
    check_fitted(film, X, y, chosen, numbers)
    check_lines(film)
    end, countdown = film["end"], film["countdown"]
    stuck = "row of zeros" in end["because"]
    assert end["converged"] + (end["cycle"] is not None) + stuck == film["complete"]
    if end["converged"] and bits(film)[-1].any():  # moved after it was seen to be right
        assert chosen.rule == "passive-aggressive"
        assert "wrong" in end["sentence"]
    if countdown["bound"] is not None and steps:
        assert film["columns"][countdown["column"]][-1] <= countdown["bound"]
    separable = judge(state).verdict.outcome == "separable"
    assert (countdown["bound"] is not None) == separable
    if not film["complete"]:
        assert steps == (UPDATES if separable else ENDLESS)
        assert f"{steps:,}" in end["sentence"]
    if not separable and chosen.tie == "mistake" and chosen.rule != "passive-aggressive":
        assert "for ever" in end["sentence"] or "never ends" in end["sentence"]


coordinates = st.integers(-3, 3) | st.sampled_from([0.5, -1.25, 0.1])
places = st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=6)


@st.composite
def cases(draw):
    rule = draw(st.sampled_from(list(RULES)))
    tie = draw(st.sampled_from(["mistake", "mistake", "positive", "negative", "keep"]))
    start = draw(st.sampled_from(["zeros", "random", (1.0, -2.0, 0.5)]))
    if tie == "keep" and start == "zeros":
        start = "random"
    where = draw(places)
    if rule == "one-sided":
        labels = [1] * len(where)
    else:
        labels = [-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=6, max_size=6))]
    chosen = {
        "rule": rule,
        "tie": tie,
        "start": start,
        "eta": draw(st.sampled_from([1.0, 0.5, 0.1])),
        "margin": draw(st.sampled_from([0.0, 1.0, 0.3])),
        "C": draw(st.sampled_from([1.0, 0.2])),
        "variant": draw(st.sampled_from(["PA", "PA-I", "PA-II"])),
        "seed": draw(st.integers(0, 3)),
        "bias": draw(st.booleans()),
        "unit": draw(st.booleans()),
        "order": draw(st.sampled_from(["given", "shuffle", "sorted", "adversarial"])),
    }
    points = [(*p, label) for p, label in zip(where, labels, strict=False)]
    return points, chosen


@examples(60)
@given(cases())
def test_a_film_is_the_run(case):
    points, chosen = case
    check_film(*plane(points, **chosen))


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "one-sided"])
@pytest.mark.parametrize("points", [AND, XOR, QUASI], ids=["and", "xor", "quasi"])
def test_known_points_by_every_rule(points, rule):
    check_film(*plane(points, rule=rule))


@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset(name):
    preset = PRESETS[name]
    check_film(*plane(preset.points, **preset.settings._asdict()))


def test_xor_goes_round():
    film, *_ = plane(XOR)
    assert film["end"]["cycle"] == {"first": 0, "length": 4, "epochs": 1}
    assert film["steps"] == 8
    assert film["weights"][0] == film["weights"][4] == film["weights"][8]
    assert film["complete"]
    assert not film["end"]["converged"]
    assert "the start" in film["end"]["sentence"]
    assert "4 rows" in film["end"]["because"]
    assert film["countdown"]["bound"] is None
    assert {line["name"] for line in film["lines"]} == {"the update", "the length", "the ceiling"}


def test_and_counts_down_from_its_bound():
    film, *_ = plane(AND)
    assert (film["steps"], film["countdown"]["bound"]) == (18, 51)
    assert film["end"]["sentence"].startswith("Converged: after 18 updates")
    assert film["weights"][-1] == [3.0, 2.0, -4.0]
    assert film["columns"]["passed"][:4] == [0, 2, 0, 0]


def test_the_note_of_one_sided_rows_has_its_own_letters():
    film, *_ = plane([(1, 0, 1), (-0.9, 1, 1), (0.2, 1, 1)], rule="one-sided")
    statements = [line["statement"] for line in film["lines"]]
    assert statements[:5] == ["w·x ≤ 0", "N ≥ t·g", "D² ≤ t", "N/D ≥ √t·g", "t ≤ 1/g²"]
    assert film["columns"]["norm_cap"] == [float(k) for k in range(1, film["steps"] + 1)]


def test_rows_on_the_line_may_count_as_right():
    film, *_ = plane(QUASI, tie="keep", start=(1.0, 0.0, 1.0))
    assert film["end"]["converged"]
    assert "by the tie" in film["end"]["because"]


def test_the_last_weights_of_a_converged_run_have_no_row_wrong():
    """Passive-aggressive moves on right rows too, and what it saw before may be wrong then: such an
    epoch is not the last.
    """
    film, *_ = plane(
        [(0, 1, -1), (0, 2, 1)], rule="passive-aggressive", variant="PA", order="shuffle"
    )
    assert film["end"]["converged"]
    assert not bits(film)[-1].any()


def test_a_start_that_is_right_moves_nothing():
    film, *_ = plane([(-1, 0, -1), (1, 0, 1)], start=(1.0, 0.0, 0.0))
    assert (film["steps"], film["lines"], film["charts"]) == (0, [], [])
    assert film["end"]["converged"]
    assert len(film["weights"]) == 1


def narrow(width, **chosen):
    return plane([(1, 0, -1), (1, width, 1)], **chosen)


def test_more_than_ten_thousand_updates_fit_a_film():
    film, state, X, y = narrow(0.017)
    assert 10_000 < film["steps"] < UPDATES
    assert film["end"]["converged"]
    check_steps(film, 2, np.arange(2), "given")
    check_mistakes(film, X, y, state.settings, alone=False)
    charted = plane_film(state)
    assert len(json.dumps(charted)) < 400 * film["steps"]
    drawn = [len(json.dumps(chart)) for chart in charted["charts"]]
    assert len(drawn) == 3
    assert max(drawn) < 200_000


def test_a_film_that_ends_at_its_limit_says_so():
    film, *_ = narrow(0.003)
    assert film["steps"] == UPDATES
    assert not film["complete"]
    assert "20,000 updates" in film["end"]["sentence"]
    assert "The theorem allows at most" in film["end"]["because"]


def test_a_run_that_never_ends_and_shows_no_circle():
    film, *_ = plane(XOR, order="shuffle")
    assert film["steps"] == ENDLESS
    assert film["end"]["sentence"] == (
        "In exact arithmetic the run never ends: these are its first 5,000 updates."
    )
    assert "stay bounded" in film["end"]["because"]


def test_a_circle_of_rounding_alone_is_not_called_inseparable():
    small = ((1e-6, 0, 1), (-1e-6, 1e-6, -1))
    film, *_ = plane(small, bias=False, start=(-1e6, 1e6), eta=1e-6)
    assert film["end"]["cycle"] == {"first": 0, "length": 2, "epochs": 1}
    assert film["end"]["because"].startswith("The rows are separable")
    assert "in exact arithmetic the run would end" in film["end"]["because"]


MOVING = ((0, 2, -1), (1, -2, 1), (0, 4, -1), (2, 1, -1), (3, 1, -1), (4, -3, 1), (3, 3, 1))


def test_passive_aggressive_runs_do_not_end_on_rows_that_do_not_separate():
    points, how = (*MOVING, (-4, -3, 1)), {"rule": "passive-aggressive", "bias": False}
    film, state, X, y = plane(points, variant="PA", order="shuffle", **how)
    assert not nk.trace(X, y, estimator(state.settings, max_epochs=10**4)).converged
    assert film["steps"] == ENDLESS
    assert "not separable" in film["end"]["because"]
    film, *_ = plane(((4, 2, 1), (2, 0, -1), (3, 2, -1), (-4, 4, 1), (1, 2, 1)), **how)
    assert film["end"]["sentence"].startswith("The run goes round for ever")


def test_a_film_that_is_cut_off_is_not_called_stuck():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 5))
    y = np.where(random.random(60) < 0.5, 1, -1)
    how = nk.Perceptron(max_epochs=1500, order="shuffle", random_state=0)
    found = nk.trace(X, y, how)
    assert found.updates > UPDATES
    assert not found.converged
    film = film_of(FilmRun.from_trace(found, how), charts=False)
    assert film["end"]["sentence"].startswith("The film ends here: it shows the first 20,000")
    assert not film["complete"]


def test_numbers_beside_each_other_are_rounded_alike():
    film, *_ = plane(
        ((1, 0, 1), (-1, 0, -1)), rule="margin", bias=False, margin=0.99997, eta=0.99996
    )
    assert film["lines"][0]["filled"].endswith("{score} ≤ β = 1")
    film, *_ = plane(((1, 0, 1), (-1, 0, -1)), bias=False, start=(-0.3, 0.0), eta=0.1)
    assert film["columns"]["target_product"][2] >= film["columns"]["target_floor"][2]


def test_lengths_are_those_of_the_weights_shown():
    film, *_ = plane(
        ((-1, 0, 1), (1, 1e-6, -1)), bias=False, unit=True, eta=100.0, start=(999900.001, 0.0)
    )
    lengths = np.square(film["weights"]).sum(axis=1)[1:]
    np.testing.assert_allclose(film["columns"]["squared_norm"], lengths, rtol=1e-9)


def test_weights_of_zero_have_no_angle_and_ceilings_are_rounded_up():
    film, *_ = plane(((1, 0, 1), (-1, 0, -1)), bias=False, start=(-1.0, 0.0))
    assert film["weights"][1] == [0.0, 0.0]
    assert film["columns"]["cosine"][0] is None
    film, _, X, y = plane(AND)
    found = nk.trace(X, y)
    assert all(np.array(film["columns"]["ceiling"]) >= found.table["ceiling"])


def test_a_bound_names_its_own_formula():
    film, *_ = plane(((1, 0, 1), (-1, 1, -1)), rule="passive-aggressive", start=(3.0, 4.0, 5.0))
    assert film["countdown"]["why"].startswith("‖w_0 − u‖²/c")


def test_rows_keep_their_numbers_in_another_order():
    points = [(2, 1, 1), (-1, 0, -1), (1, 2, 1), (0, -2, -1)]
    film, state, _, _ = plane(points, order="sorted")
    assert film["columns"]["row"][0] == 1
    charts = plane_film(state)["charts"]
    assert "update 1, row 1:" in json.dumps(charts)


@pytest.mark.parametrize("rule", ["perceptron", "passive-aggressive"])
@pytest.mark.parametrize("points", [AND, XOR], ids=["and", "xor"])
def test_charts_have_a_cursor(points, rule):
    state = plane(points, rule=rule)[1]
    film = plane_film(state)
    assert len(film["charts"]) >= 2
    for chart in film["charts"]:
        text = json.dumps(chart["figure"])
        assert '"name": "now"' in text
        assert '"name": "cursor"' in text
        assert chart["cursor"]
        assert {column for column, _ in chart["cursor"]} <= set(film["columns"])
        assert all(chart[part] for part in ("title", "x", "y", "caption", "alt", "key"))


def test_wide_rows_show_the_weights_that_came_farthest():
    random = np.random.default_rng(5)
    X = random.normal(size=(ROWS + 20, 130)) * np.linspace(0.1, 3.0, 130)
    y = np.where(X @ random.normal(size=130) > 0.0, 1, -1)
    model = nk.Perceptron(max_epochs=500).fit(X, y)
    film = film_of(
        FilmRun.from_trace(nk.trace(X, y, nk.Perceptron(max_epochs=500)), nk.Perceptron())
    )
    assert film["kind"] == "rows"
    assert film["wrong"] is None
    assert len(film["names"]) == SHOWN
    assert "Of 131 weights it shows the 20" in film["about"]
    whole = [*model.coef_[0], model.intercept_[0]]
    places = [
        int(name[1:].translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))) - 1
        for name in film["names"]
    ]
    assert film["weights"][-1] == [whole[j] for j in places]


def test_long_runs_that_repeat_are_shown_for_two_rounds():
    trace = nk.trace([p[:2] for p in XOR], [p[2] for p in XOR], nk.Perceptron(max_epochs=50))
    film = film_of(FilmRun.from_trace(trace, nk.Perceptron()))
    assert (trace.updates, film["steps"], film["complete"]) == (200, 8, True)


@pytest.mark.parametrize("order", ["given", "shuffle", "sorted"])
def test_winnow_on_rows_whose_label_is_an_or(order):
    scene = winnow_page_data(WinnowTabState(n=12, relevant=3, rows=80, seed=2, order=order))
    film, X, y = scene["film"], np.array(scene["rows"]), np.array(scene["labels"])
    assert json.dumps(scene, allow_nan=False)
    assert (np.where(X[:, scene["relevant"]].any(axis=1), 1, -1) == y).all()
    assert film["kind"] == "winnow"
    assert film["end"]["converged"]
    assert not bits(film)[-1].any()
    for k in range(1, film["steps"] + 1):
        row = film["columns"]["row"][k - 1]
        before, after = film["weights"][k - 1], film["weights"][k]
        factor = 2.0 if y[row] > 0 else 0.5
        assert after == [w * factor if x else w for w, x in zip(before, X[row], strict=True)]
        assert bits(film)[k - 1, row]
    columns = film["columns"]
    assert columns["mistakes"][-1] <= film["countdown"]["bound"]
    assert np.allclose(columns["total_weight"], np.sum(film["weights"][1:], axis=1))
    check_lines(film)


def test_winnow_on_the_whole_cube():
    scene = winnow_page_data(WinnowTabState(n=5, relevant=2, rows=0))
    assert len(scene["rows"]) == len({*map(tuple, scene["rows"])}) == 32
    assert scene["film"]["end"]["converged"]
    with pytest.raises(ParameterError, match="rows: found 0"):
        winnow_page_data(WinnowTabState(n=9, relevant=2, rows=0))


def test_winnow_with_rows_of_one_class():
    scene = winnow_page_data(WinnowTabState(rows=1))
    assert scene["film"] is None
    assert "nothing to tell apart" in scene["problem"]


def test_a_line_that_broke_would_be_seen():
    film, *_ = plane(AND)
    film["columns"]["squared_norm"][3] = film["columns"]["norm_cap"][3] + 1.0
    with pytest.raises(AssertionError):
        check_lines(film)
    assert lines_of(FilmRun.from_trace(nk.trace([[1, 0], [0, 1]], [1, 0]), nk.Perceptron()))


def test_winnow_below_the_theorems_thresholds_has_no_end_in_its_proof():
    X, y = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], float), [1, 0, 0, 0]
    for theta, expected in (
        (0.5, ["all weights together"]),
        (2.0, ["all weights together", "promotions", "the end"]),
    ):
        learner = nk.Winnow(theta=theta)
        run = FilmRun.from_trace(nk.trace(X, y, learner), learner)
        names = [line.name for line in lines_of(run)]
        assert names == expected


@pytest.mark.parametrize(
    "address",
    [
        "", "preset=xor", "preset=one-sided", "rule=margin", "preset=far-start",
        *(f"rule=passive-aggressive&variant={variant}" for variant in ("PA", "PA-I", "PA-II")),
        "rule=averaged", "tab=winnow",
    ],
)  # fmt: skip
def test_every_letter_of_a_formula_is_explained(address):
    film = page_data(address, charts=False)["film"]
    formulas = [film["moved"], *(line["statement"] for line in film["lines"])]
    formulas += [*((film["picture"] or {}).get("key") or {}).values()]
    text = re.sub(r"\{[^}]*\}", "", " ".join(formulas))
    letters = set(re.findall(r"(?<![A-Za-z])(?:[A-Za-z]\u0302?|[α-ωΑ-Ω])(?![A-Za-z\u0302])", text))
    explained = {*film["symbols"], *"τΣb"} | {name[-1] for name in film["symbols"]}
    assert letters - explained <= {"a"}, letters  # an article, where it is no letter
    assert all(film["symbols"].values())


def test_winnow_s_sums_are_those_of_the_rows():
    scene = winnow_page_data(WinnowTabState(n=9, relevant=2))
    film, rows = scene["film"], np.array(scene["rows"])
    for k in range(film["steps"]):
        row = rows[film["columns"]["row"][k]]
        before, after = (float(row @ film["weights"][i]) for i in (k, k + 1))
        assert film["columns"]["row_sum"][k] == before
        assert film["columns"]["row_sum_after"][k] == after
        assert (before >= scene["threshold"]) == (film["columns"]["label"][k] < 0)
    assert film["countdown"]["why"].startswith("2 + 3r(1 + lg n)")
    assert film["countdown"]["bound"] == int(nk.bounds.winnow(2, 9))
