"""The run in a trace: its weights, its budget of updates, the circles it goes round in."""

import csv
import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.errors import ParameterError
from novikoff.learning.epochs import StopReason
from novikoff.learning.rules import registry
from novikoff.theory.trace import cycles
from novikoff.theory.trace.cycles import Cycle, CycleDetector
from tests.helpers.examples import examples

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
RULES = {
    "perceptron": nk.Perceptron,
    "averaged": nk.AveragedPerceptron,
    "voted": nk.VotedPerceptron,
    "margin": nk.MarginPerceptron,
    "passive-aggressive": nk.PassiveAggressive,
}
LIMITED = {"max_epochs": 7}


@pytest.fixture(scope="module")
def irises():
    return nk.open("example:iris-versicolor").read()[:2]  # not separable: runs of any length


def lines(run):
    """The weights after each update, as the table has them."""
    names = [name for name in run.table if name.startswith("weight_") or name == "intercept"]
    assert names == [*run.table][-len(names) :]
    return np.array([run.table[name] for name in names]).T


def fitted(maker, X, y, **options):
    with pytest.warns(ConvergenceWarning):
        return maker(**options).fit(X, y)


# weights


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("shape", [{}, {"fit_intercept": False}, {"unit_length": True}], ids=str)
@pytest.mark.parametrize("rule", ["perceptron", "margin", "passive-aggressive"])
def test_the_last_weights_are_the_estimators_bit_for_bit(rule, shape, sparse, irises):
    X, y = irises
    X = scipy.sparse.csr_array(X) if sparse else X
    options = LIMITED | shape | {"order": "shuffle", "random_state": 5}
    model = fitted(RULES[rule], X, y, **options)
    run = nk.trace(X, y, rule, weights=True, **options)
    found = lines(run)
    assert len(found) == run.updates == model.updates_
    bias = shape.get("fit_intercept", True)
    assert found.shape[1] == X.shape[1] + bias
    last = np.append(model.coef_[0], model.intercept_) if bias else model.coef_[0]
    assert found[-1].tobytes() == last.tobytes()
    assert ("intercept" in run.table) == bias


@pytest.mark.parametrize("rule", ["averaged", "voted"])
def test_weights_of_a_rule_around_the_perceptron_are_the_perceptrons(rule, irises):
    one, other = (nk.trace(*irises, each, weights=True, **LIMITED) for each in ("perceptron", rule))
    assert lines(one).tobytes() == lines(other).tobytes()


def test_every_line_is_the_one_before_and_a_row(irises):
    X, y = irises
    run = nk.trace(X, y, weights=True, init="random", random_state=2, eta=0.25, **LIMITED)
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    before = run.start
    for line, i in zip(lines(run), run.table["row"], strict=True):
        expected = before + 0.25 * signs[i] * np.append(X[i], 1.0)
        assert line.tolist() == expected.tolist()
        before = line


def test_weights_of_winnow_and_in_a_file(tmp_path):
    X, y = nk.open("example:disjunction").read()[:2]
    paths = tmp_path / "run.csv", tmp_path / "run.parquet"
    for path in paths:
        run = nk.trace(X, y, "winnow", weights=True, keep=5, write=path)
    model = nk.Winnow().fit(X, y)
    assert run.thinned
    assert lines(run)[-1].tolist() == model.coef_[0].tolist()
    assert "intercept" not in run.table
    with paths[0].open() as file:
        written = list(csv.DictReader(file))
    assert len(written) == run.updates
    assert [float(written[-1][f"weight_{j}"]) for j in range(X.shape[1])] == [*model.coef_[0]]
    from pyarrow import parquet

    assert parquet.read_table(paths[1])["weight_0"].to_numpy()[-1] == model.coef_[0, 0]


def test_no_update_has_the_columns_of_the_weights_in_its_file(tmp_path):
    there = {"init": [5.0], "fit_intercept": False, "weights": True}
    for rule in ("perceptron", "passive-aggressive"):
        nk.trace([[1.0], [-1.0]], [1, -1], rule, write=tmp_path / "a.csv", **there)
        assert (tmp_path / "a.csv").read_text().rstrip().endswith(",weight_0")


def test_wide_tables_are_made_in_parts(monkeypatch, irises):
    whole = nk.trace(*irises, weights=True, **LIMITED)
    monkeypatch.setattr("novikoff.theory.trace.dispatch.PART", 20)
    parts = nk.trace(*irises, weights=True, **LIMITED)
    assert [*parts.table] == [*whole.table]
    for name, column in whole.table.items():
        assert column.tolist() == parts.table[name].tolist()


# a budget of updates


@examples(60)
@given(
    st.sampled_from(sorted(RULES)),
    st.integers(1, 60),
    st.sampled_from(["given", "shuffle"]),
    st.integers(0, 99),
)
def test_a_budget_cuts_the_same_run_short(rule, most, order, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 2)), np.arange(12) % 2
    options = {"max_epochs": 6, "order": order, "random_state": seed, "weights": True}
    whole = nk.trace(X, y, rule, **options)
    short = nk.trace(X, y, rule, max_updates=most, **options)
    assert short.updates == len(short.table["update"]) == min(most, whole.updates)
    for name, column in short.table.items():
        assert column.tolist() == whole.table[name][: len(column)].tolist(), name
    if whole.updates <= most:
        assert (short.because, short.epochs) == (whole.because, whole.epochs)
        return
    assert short.because == StopReason.UPDATES.value == "the budget of updates ran out"
    assert short.epochs == short.table["epoch"][-1]
    assert short.mistakes == short.table["mistake"].sum() == sum(short.mistakes_per_epoch)
    assert len(short.mistakes_per_epoch) == short.epochs
    assert short.mistakes_per_epoch[:-1] == whole.mistakes_per_epoch[: short.epochs - 1]


def test_a_budget_that_is_just_enough_is_not_in_the_way():
    X, y = nk.open("example:iris-setosa").read()[:2]
    assert nk.trace(X, y, max_updates=5).converged
    short = nk.trace(X, y, max_updates=4)
    assert not short.converged
    assert (short.updates, short.mistakes, short.epochs) == (4, 4, 2)


def test_a_full_epoch_without_a_mistake_counts_though_the_budget_ends_a_later_one():
    X, y = [[1.0, 0.1], [-1.0, 0.1]], [1, 0]
    options = {"margin": 30.0, "fit_intercept": False}
    whole = nk.trace(X, y, "margin", **options)
    assert whole.mistakes_per_epoch[:3] == [1, 0, 0]
    assert whole.table["epoch"].tolist()[:6] == [1, 1, 2, 2, 3, 3]
    converged = [nk.trace(X, y, "margin", max_updates=k, **options).converged for k in range(1, 9)]
    # after update 4 the second epoch is over, and had no mistake
    assert converged == [False] * 3 + [True] * 5


def test_mistakes_that_move_nothing_are_counted_up_to_the_cut():
    X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [1, 1, 1, 0]
    options = {"fit_intercept": False, "max_epochs": 3}
    whole = nk.trace(X, y, "passive-aggressive", **options)
    assert whole.mistakes > whole.table["mistake"].sum()  # rows of zeros cannot be helped
    short = nk.trace(X, y, "passive-aggressive", max_updates=1, **options)
    assert (short.updates, short.mistakes, short.mistakes_per_epoch) == (1, 3, [3])


# circles


def plain_perceptron(X, y, epochs, start=None, eta=1.0):
    """Weights after each epoch and how many updates there were, in plain Python."""
    rows = [[*map(float, x), 1.0] for x in X]
    w, made, ends = list(start or [0.0] * len(rows[0])), 0, []
    for _ in range(epochs):
        for x, label in zip(rows, y, strict=True):
            sign = 1.0 if label > 0 else -1.0
            if sign * sum(a * b for a, b in zip(w, x, strict=True)) <= 0.0:
                w = [a + eta * sign * b for a, b in zip(w, x, strict=True)]
                made += 1
        ends.append((tuple(w), made))
    return ends


def plain_cycle(start, ends):
    """The first state that comes again, and when."""
    seen = {tuple(start): (0, 0)}
    for epoch, (w, made) in enumerate(ends, 1):
        if w in seen:
            return Cycle(seen[w][1], made - seen[w][1], epoch - seen[w][0])
        seen[w] = epoch, made
    return None


@pytest.mark.parametrize("start", list(itertools.product([-2.0, 0.0, 3.0], repeat=3)), ids=str)
def test_xor_goes_round_as_a_plain_loop_does(start):
    X, y = XOR
    run = nk.trace(X, y, init=np.array(start), max_epochs=200)
    expected = plain_cycle(start, plain_perceptron(X, y, 200, start))
    assert expected is not None
    assert run.cycle == expected
    first, length, epochs = run.cycle
    told = run.table["row"]
    assert (
        told[first : first + length].tolist() == told[first + length : first + 2 * length].tolist()
    )
    assert told[first:-length].tolist() == told[first + length :].tolist()
    passed = run.table["epoch"]
    assert (passed[first + length :] - passed[first:-length] == epochs).all()


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from(["perceptron", "margin", "passive-aggressive"]))
def test_after_a_circle_the_same_updates_come_again(seed, rule):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (6, 2)).astype(float), np.arange(6) % 2
    run = nk.trace(X, y, rule, weights=True, max_epochs=300, keep=10**6)
    if rule == "perceptron" and nk.check(X, y).outcome != "separable":
        ends = plain_perceptron(X, y, 300)  # whole numbers: exact, and bounded (Minsky and Papert)
        assert run.cycle == plain_cycle([0.0] * 3, ends) is not None
    assume(run.cycle is not None)
    assert not run.converged or rule == "margin"
    first, length, _ = run.cycle
    for name in ("row", "score", *(name for name in run.table if "weight" in name)):
        told = run.table[name][first:]
        assert told[length:].tobytes() == told[:-length].tobytes() or len(told) == length
    short = nk.trace(X, y, rule, max_epochs=300, stop_at_cycle=True)
    assert short.cycle == run.cycle
    if short.because == StopReason.CYCLE.value:
        assert short.updates == first + 2 * length
    else:
        assert short.because == StopReason.BUDGET.value
        assert run.updates < first + 2 * length


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from([*sorted(RULES), "winnow"]))
def test_runs_that_end_go_round_in_no_circle(seed, rule):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (8, 3)).astype(float)
    y = X[:, :2].any(axis=1).astype(int)  # separable, by an OR
    assume(0 < y.sum() < 8)
    run = nk.trace(X, y, rule, stop_at_cycle=True, max_epochs=5000)
    assert run.converged
    assert run.cycle is None
    assert run.because in (StopReason.NO_MISTAKE.value, StopReason.NO_UPDATE.value)


def test_circles_of_averaged_voted_and_winnow():
    X, y = XOR
    plain = nk.trace(X, y, max_epochs=50).cycle
    for rule in ("averaged", "voted"):
        assert nk.trace(X, y, rule, max_epochs=50).cycle == plain
    run = nk.trace(X, y, "winnow", max_epochs=50, weights=True)
    assert run.cycle is not None
    first, length, _ = run.cycle
    assert lines(run)[first + length - 1].tolist() == lines(run)[first + 2 * length - 1].tolist()


def test_a_shuffled_run_is_not_said_to_go_round():
    run = nk.trace(*XOR, order="shuffle", random_state=0, max_epochs=100, stop_at_cycle=True)
    assert (run.cycle, run.because) == (None, StopReason.BUDGET.value)


def test_a_run_that_ends_as_its_weights_stand_still_is_no_circle():
    # both rows are right, but not by a margin of 1; the steps towards it are lost to rounding
    stuck = {"init": [1e8, 0.5 - 1e8], "C": 1e-12, "fit_intercept": False, "weights": True}
    run = nk.trace([[1.0, 1.0], [-1.0, -1.0]], [1, 0], "passive-aggressive", **stuck)
    assert lines(run).tolist() == [stuck["init"]] * 2
    assert run.mistakes_per_epoch == [0]
    assert (run.cycle, run.because) == (None, StopReason.NO_MISTAKE.value)


def states(entry, length, epochs):
    """Weights that go round: at the end of each epoch, and how many updates there were."""
    for epoch in range(1, epochs + 1):
        place = epoch if epoch < entry else entry + (epoch - entry) % length
        yield np.array([float(place), 1.0]), 3 * epoch


@pytest.mark.parametrize("room", [16, 64, 2**20])
@pytest.mark.parametrize(("entry", "length"), [(0, 1), (0, 7), (1, 2), (5, 1), (13, 8), (40, 31)])
def test_little_room_finds_the_length_and_no_earlier_start(entry, length, room, monkeypatch):
    monkeypatch.setattr(cycles, "ROOM", room)
    looking = CycleDetector(np.array([0.0, 1.0]))
    kept = 0
    for weights, made in states(entry, length, 400):
        looking.observe(weights, made)
        kept = max(kept, len(looking._seen))
    first, updates, epochs = looking.found
    assert (updates, epochs) == (3 * length, length)
    assert kept <= max(2, room // 16)
    assert first >= 3 * entry
    if room == 2**20:
        assert first == 3 * entry


def test_weights_that_differ_in_the_last_bit_are_no_circle():
    looking = CycleDetector(np.array([1.0]))
    looking.observe(np.array([np.nextafter(1.0, 2.0)]), 3)
    looking.observe(np.array([-0.0]), 4)
    looking.observe(np.array([0.0]), 5)
    assert looking.found is None
    looking.observe(np.array([1.0]), 5)
    assert looking.found == Cycle(0, 5, 4)


def test_a_circle_in_words():
    assert str(Cycle(8, 8, 2)) == (
        "the run goes round in a circle: from update 9 on the same 8 updates come again, every 2"
        " epochs, for ever"
    )
    assert "the same update comes again, every epoch" in str(Cycle(0, 1, 1))


def test_what_is_traced_is_told_by_the_registry(monkeypatch):
    entry = registry.CATALOGUE["perceptron"]
    monkeypatch.setitem(registry.CATALOGUE, "rosenblatt", entry)
    X, y = [[1.0], [-1.0]], [1, -1]
    assert nk.trace(X, y, "rosenblatt").bound == nk.trace(X, y).bound
    monkeypatch.setitem(registry.CATALOGUE, "perceptron", entry._replace(proof=None))
    for rule in ("perceptron", nk.rules.Perceptron(), nk.Perceptron()):
        with pytest.raises(ParameterError, match=r"perceptron: .* winnow, rosenblatt; of others"):
            nk.trace(X, y, rule)


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (nk.rules.Perceptron(0.5), "perceptron"),
        (nk.rules.Averaged(), "averaged"),
        (nk.rules.Averaged(nk.rules.PassiveAggressive()), None),
        (nk.rules.Winnow(), "winnow"),
        (nk.rules.ComplementWinnow(), "winnow"),
        (nk.rules.SecondOrder(), "second-order"),
        (object(), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_registry_knows_the_name_of_a_rule(rule, name):
    assert registry.name_of(rule) == name


def test_the_help_of_commands_names_the_rules_of_the_registry():
    from typer.main import get_command

    from novikoff.cli import app

    for command, names in (
        ("fit", list(registry.CATALOGUE)),
        ("trace", [name for name, entry in registry.CATALOGUE.items() if entry.proof]),
    ):
        options = get_command(app).commands[command].params
        text = next(each.help for each in options if each.name == "rule")
        assert text == f"{', '.join(names[:-1])} or {names[-1]}."
