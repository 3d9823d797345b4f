"""Iterative parameter mixing: the means, the clock, the ceiling and the theorem."""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.cluster.data.layout import merge_summaries
from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.training import array_delta, mixing, mixing_bound
from novikoff.cluster.training.shard_epoch import EpochRequest, LearnerSnapshot, run_epoch
from novikoff.cluster.training.trainer import train
from novikoff.errors import InequalityError, ParameterError
from novikoff.learning.epochs import StopReason, learn
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import (
    TIES,
    Averaged,
    BalancedWinnow,
    ComplementWinnow,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrder,
    Tie,
    Voted,
    Winnow,
)
from novikoff.theory import bounds
from tests.helpers.examples import examples
from tests.helpers.local_shards import parts_of
from tests.helpers.mixing import UNMIXABLE, by_hand, gathering, own_spec, same_bits, trained
from tests.helpers.rule_table import RULES, margin_and_radius, problems, separable

MIXABLE = sorted(set(RULES) - UNMIXABLE)
mixings = st.sampled_from(mixing.MIXINGS)
etas = st.sampled_from([0.01, 0.5, 1.0, 7.0])


def cuts_for(rows, most=5):
    """Where to cut so many rows: never an empty shard, often one of a single row."""
    places = st.sets(st.integers(1, max(1, rows - 1)), max_size=min(most, rows - 1))
    return places.map(sorted) if rows > 1 else st.just([])


@st.composite
def sharded(draw, source):
    data = draw(source)
    return *data, draw(cuts_for(len(data[0])))


# What a mean is


@pytest.mark.parametrize("name", MIXABLE)
@given(data=sharded(problems()), how=mixings, order=st.sampled_from(["given", "shuffle"]))
@examples(12)
def test_it_is_the_formula_to_the_bit(name, data, how, order):
    X, codes, cuts = data
    assume(len(set(codes)) == 2)
    rule, bias = RULES[name]
    options = {"mixing": how, "bias": bias, "order": order, "seed": 3, "epochs": 3}
    found = trained(rule, X, codes, cuts, **options)
    expected = by_hand(rule, X, codes, cuts, **(options | {"epochs": found.outcome.epochs}))
    assert same_bits(found.learner, expected)
    sparse = trained(rule, scipy.sparse.csr_array(X), codes, cuts, **options)
    assert same_bits(found.learner, sparse.learner)


@pytest.mark.parametrize("name", [name for name in sorted(RULES) if "pocket" not in name])
@given(data=problems(), how=mixings, order=st.sampled_from(["given", "shuffle"]))
@examples(8)
def test_one_shard_is_one_machine(name, data, how, order):
    X, codes = data
    assume(len(set(codes)) == 2)
    rule, bias = RULES[name]
    found = trained(rule, X, codes, [], mixing=how, bias=bias, order=order, seed=5, epochs=3)
    learner = Learner(rule, X.shape[1], bias=bias)
    rows = make_rows(np.ascontiguousarray(X), bias, False)
    outcome = learn(learner, rows, codes, max_epochs=3, order=order, seed=5)
    assert same_bits(found.learner, learner)
    assert found.outcome._replace(ceilings=0) == outcome._replace(ceilings=0)
    assert found.outcome.ceilings.tobytes() == outcome.ceilings.tobytes()
    assert found.mixed_mistakes == learner.total("mistakes")


def test_pockets_are_for_one_machine():
    X, codes = np.array([[1.0], [-1.0]]), np.array([1, 0], np.uint16)
    with pytest.raises(ParameterError, match="does not learn on a cluster: the pocket's weights"):
        trained(RULES["pocket"][0], X, codes, [], epochs=1)


class Reference:
    """The averaged perceptron on shards side by side, with every weight vector summed up."""

    def __init__(self, features, shards, weights):
        self.weights = [Fraction(0)] * features
        self.summed = [Fraction(0)] * features  # over the clock of all, by shares
        self.shards, self.how, self.clock = shards, weights, 0
        self.mixed, self.amount = Fraction(0), Fraction(0)

    def epoch(self):
        rows = max(len(shard) for shard in self.shards)
        ends, sums, missed = [], [], []
        for shard in self.shards:
            w, total, count = list(self.weights), [Fraction(0)] * len(self.weights), 0
            for t in range(rows):
                if t < len(shard):
                    x, label = shard[t]
                    if label * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
                        w = [a + label * b for a, b in zip(w, x, strict=True)]
                        count += 1
                total = [a + b for a, b in zip(total, w, strict=True)]
            ends.append(w)
            sums.append(total)
            missed.append(count)
        made, number = sum(missed), len(self.shards)
        uniform = self.how == "uniform" or not made
        mu = [Fraction(1, number) if uniform else Fraction(k, made) for k in missed]
        self.weights = [sum(m * w[j] for m, w in zip(mu, ends, strict=True)) for j in self.places]
        for j in self.places:
            self.summed[j] += sum(m * s[j] for m, s in zip(mu, sums, strict=True))
        self.mixed += sum(m * k for m, k in zip(mu, missed, strict=True))
        self.amount += sum(m * k for m, k in zip(mu, missed, strict=True))
        self.clock += rows
        return made

    @property
    def places(self):
        return range(len(self.weights))


@st.composite
def small(draw):
    """Rows of small whole numbers in 2 or 4 shards: all means of few epochs are doubles."""
    features, count = draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4]))
    row = st.tuples(
        st.lists(st.integers(-3, 3), min_size=features, max_size=features),
        st.sampled_from([-1, 1]),
    )
    return features, [draw(st.lists(row, min_size=1, max_size=5)) for _ in range(count)]


@given(small(), st.integers(1, 4))
@examples(100)
def test_averaging_is_the_mean_of_all_weights_on_one_clock(data, epochs):
    features, shards = data
    rows = [row for shard in shards for row in shard]
    X, y = np.array([x for x, _ in rows], float), np.array([label for _, label in rows])
    assume(len(set(y.tolist())) == 2)
    cuts = np.cumsum([len(shard) for shard in shards])[:-1].tolist()
    found = trained(Averaged(), X, y, cuts, epochs=epochs)
    reference = Reference(features, shards, "uniform")
    counts = [reference.epoch() for _ in range(found.outcome.epochs)]
    assert found.outcome.mistakes_per_epoch == counts
    state, tally = found.learner.states[0], found.learner.tallies[0]
    assert tally.seen[0] == reference.clock
    assert list(map(Fraction, state.weights)) == reference.weights
    # w - moments / T is the mean, exactly
    totals = [reference.clock * Fraction(w) - Fraction(m) for w, m in zip(*state[:2], strict=True)]
    assert totals == reference.summed
    assert Fraction(found.mixed_mistakes) == reference.mixed
    assert Fraction(tally.amount[0]) == reference.amount


@given(small())
def test_mixed_by_mistakes_against_fractions(data):
    """One epoch, for then no rounding decides a score."""
    features, shards = data
    rows = [row for shard in shards for row in shard]
    X, y = np.array([x for x, _ in rows], float), np.array([label for _, label in rows])
    assume(len(set(y.tolist())) == 2)
    cuts = np.cumsum([len(shard) for shard in shards])[:-1].tolist()
    found = trained(Perceptron(), X, y, cuts, epochs=1, mixing="mistakes")
    reference = Reference(features, shards, "mistakes")
    assert reference.epoch() == found.outcome.mistakes_per_epoch[0]
    assert found.learner.states[0].weights == pytest.approx([*map(float, reference.weights)])
    assert found.mixed_mistakes == pytest.approx(float(reference.mixed))


@pytest.mark.parametrize("how", mixing.MIXINGS)
@pytest.mark.parametrize("name", ["perceptron", "winnow", "averaged"])
def test_each_class_is_mixed_by_itself(name, how):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (60, 7)).astype(float)
    codes = rng.integers(0, 3, 60).astype(np.uint16)
    rule, bias = RULES[name]
    options = {"mixing": how, "bias": bias, "epochs": 4}
    found = trained(rule, X, codes, [11, 13, 40], **options)
    assert len(found.learner.states) == len(found.mixed) == 3
    for k in range(3):
        expected = by_hand(rule, X, codes, [11, 13, 40], positive=k, **options)
        assert same_bits(found.learner, expected, k)


# What changed


awkward = st.sampled_from([0.0, -0.0, 1.0, -1.5, 5e-324, np.inf, np.nan])


@given(st.lists(st.tuples(awkward, awkward), max_size=40))
def test_a_change_gives_the_array_back_to_the_bit(pairs):
    before, after = (np.array([pair[k] for pair in pairs], float) for k in (0, 1))
    found = array_delta.delta(before, after)
    assert array_delta.apply(before, found).tobytes() == after.tobytes()
    assert found.size <= after.nbytes
    by_place = array_delta.as_sparse(before, array_delta.ArrayDelta(after))
    assert array_delta.apply(before, by_place).tobytes() == after.tobytes()
    assert by_place.places.tolist() == array_delta.changed_places(before, after).tolist()


@given(sharded(problems()), mixings, st.sampled_from(MIXABLE))
def test_the_form_of_a_change_changes_nothing(data, how, name):
    X, codes, cuts = data
    assume(len(set(codes)) == 2)
    rule, bias = RULES[name]
    learner = own_spec(rule, bias=bias).learner(X.shape[1], 1)
    answers = []
    gathering(parts_of(X, codes, cuts))(
        lambda shard_client, plan: given_by(shard_client, learner, answers), None
    )
    first = mixing.mix(learner, answers, how).learner
    for places in (True, False):
        others = [each._replace(changes=forms(learner, each, places)) for each in answers]
        assert same_bits(mixing.mix(learner, others, how).learner, first)


def given_by(shard_client, learner, answers):
    summaries = shard_client.map_shards(WorkerShard.summary)
    sent = LearnerSnapshot.of(learner, merge_summaries(summaries, "these rows"), True)
    answers += [
        run_epoch(shard, sent, k, EpochRequest(0))
        for k, shard in enumerate(shard_client.worker_shards)
    ]
    return summaries


def forms(learner, answer, places):
    """The changes of an answer, all by places, or all whole where anything changed."""
    old = LearnerSnapshot.of(learner, None, True).arrays[0]
    parts = list(map(array_delta.as_sparse, old, answer.changes[0]))
    if places or not any(each.places.size for each in parts):
        return [parts]
    return [list(map(array_delta.ArrayDelta, array_delta.apply_all(old, parts)))]


def test_shares():
    assert mixing.shares("uniform", [3, 0, 1, 0], [0, 2]) == mixing.Shares([0.25, 0.25], 0.5)
    assert mixing.shares("mistakes", [3, 0, 1, 0], [0, 2]) == mixing.Shares([0.75, 0.25], 0.0)
    assert mixing.shares("mistakes", [0, 0], []) == mixing.Shares([], 1.0)
    assert mixing.shares("mistakes", [0, 0], [1]) == mixing.Shares([0.5], 0.5)
    assert mixing.shares("mistakes", [5], [0]) == mixing.shares("uniform", [5], [0])


# The theorem


@given(
    sharded(separable()),
    etas,
    mixings,
    st.sampled_from(["given", "shuffle"]),
    st.sampled_from(["mistake", "positive", "negative"]),
)
def test_mistakes_by_shares_are_within_the_bound(data, eta, how, order, tie):
    X, y, u, cuts = data
    assume(len(set(y)) == 2)
    margin, radius = margin_and_radius(X, y, u)
    found = trained(Perceptron(eta, TIES[tie]), X, y, cuts, mixing=how, order=order)
    limit = bounds.mixing(radius, margin)
    assert found.outcome.because is StopReason.NO_MISTAKE
    assert found.outcome.mistakes_per_epoch[-1] == 0
    assert (X * y[:, None] @ found.learner.states[0].weights > 0).all()
    assert 0 < found.mixed_mistakes <= limit
    assert found.mixed_mistakes <= found.bound
    if how == "uniform":
        assert found.learner.total("mistakes") <= len(found.data.shard_client.shards) * limit


@given(sharded(separable(max_rows=20)), etas, mixings, st.integers(0, 99))
def test_the_fixed_increment_from_any_start(data, eta, how, seed):
    X, y, u, cuts = data
    assume(len(set(y)) == 2)
    start = np.random.default_rng(seed).standard_normal((1, X.shape[1])) * 3
    limit = bounds.fixed_increment(eta, start[0], u, X, y)
    found = trained(Perceptron(eta), X, y, cuts, mixing=how, initial=start, epochs=100_000)
    assert found.outcome.converged
    assert found.mixed_mistakes <= limit.k_max
    margin, radius = margin_and_radius(X, y, u)
    lowest = float((X * y[:, None] @ start[0]).min())
    formula = bounds.mixing(radius, margin, eta=eta, lowest=lowest)
    assert formula == pytest.approx(limit.k_max, rel=1e-6)
    assert found.mixed_mistakes <= found.bound


@given(sharded(separable(max_rows=25)), mixings, st.sampled_from([0.0, 0.5]))
def test_the_margin_perceptron(data, how, beta):
    X, y, u, cuts = data
    assume(len(set(y)) == 2)
    margin, radius = margin_and_radius(X, y, u)
    rule = MarginPerceptron(0.5, beta)
    found = trained(rule, X, y, cuts, mixing=how, epochs=100_000)
    assert found.outcome.because is StopReason.NO_UPDATE
    assert (X * y[:, None] @ found.learner.states[0].weights > beta).all()
    assert found.mixed_mistakes <= rule.mistake_bound(radius, margin)
    assert found.mixed_mistakes <= found.bound


@given(sharded(separable()), mixings, st.sampled_from([(math.inf, 0.0), (0.05, 0.0), (1.0, 5.0)]))
def test_passive_aggressive_learning(data, how, form):
    X, y, u, cuts = data
    assume(len(set(y)) == 2)
    margin, radius = margin_and_radius(X, y, u)
    rule = PassiveAggressive(*form)
    found = trained(rule, X, y, cuts, mixing=how)
    assert found.outcome.converged
    assert found.mixed_mistakes <= rule.mistake_bound(radius, margin)


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), mixings, cuts_for(300), st.data())
def test_winnow(seed, features, how, cuts, data):
    relevant = data.draw(st.integers(1, min(features, 5)))
    rng = np.random.default_rng(seed)
    X = (rng.random((300, features)) < rng.uniform(0.05, 0.6)).astype(float)
    y = np.where(X[:, rng.permutation(features)[:relevant]].any(axis=1), 1.0, -1.0)
    assume(len(set(y)) == 2)
    found = trained(Winnow(), X, y, cuts, mixing=how)
    assert found.outcome.converged
    assert found.mixed_mistakes <= bounds.winnow(relevant, features)


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), mixings, cuts_for(200))
def test_winnow_with_complements(seed, features, how, cuts):
    rng = np.random.default_rng(seed)
    X = (rng.random((200, features)) < 0.5).astype(float)
    chosen = rng.permutation(features)[:2]
    y = np.where((X[:, chosen] != np.array([True, False])).any(axis=1), 1.0, -1.0)
    assume(len(set(y)) == 2)
    found = trained(ComplementWinnow(), X, y, cuts, mixing=how)
    assert found.outcome.converged
    assert found.mixed_mistakes <= bounds.winnow(2, 2 * features)


@given(sharded(separable(max_rows=25)), mixings)
def test_balanced_winnow(data, how):
    X, y, u, cuts = data
    u = u / np.abs(u).sum()
    margin, largest = float((X * y[:, None] @ u).min()), float(np.abs(X).max())
    assume(margin > 0.01 and len(set(y)) == 2)
    eta = margin / largest**2
    found = trained(BalancedWinnow(eta), X, y, cuts, mixing=how, epochs=100_000)
    assert found.outcome.converged
    assert found.mixed_mistakes <= bounds.balanced_winnow(X.shape[1], largest, margin, eta)


@pytest.mark.parametrize("how", mixing.MIXINGS)
@pytest.mark.parametrize("shards", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [2, 7, 64])
def test_the_same_orthonormal_rows_in_every_shard_meet_the_bound(n, shards, how):
    """Novikoff's tight case: the mistakes by shares are (D / gamma)^2 = n, S n in all."""
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X, cuts = np.tile(np.eye(n), (shards, 1)), [n * k for k in range(1, shards)]
    found = trained(Perceptron(), X, np.tile(y, shards), cuts, mixing=how)
    assert found.mixed_mistakes == n == round(bounds.mixing(1.0, 1.0 / math.sqrt(n)))
    assert found.outcome.mistakes_per_epoch == [shards * n, 0]
    assert found.bound == pytest.approx(n)
    assert found.outcome.ceilings[0] == pytest.approx(1.0 / math.sqrt(n))
    assert Fraction(found.outcome.ceilings[0]) ** 2 * n >= 1


def test_a_run_that_breaks_the_bound_is_a_defect():
    learner = Learner(Perceptron(), 3)
    mixing_bound.assert_bound_holds(4.0, 4.0, learner)
    mixing_bound.assert_bound_holds(4.0 + 1e-14, 4.0, learner)
    with pytest.raises(InequalityError, match=r"the theorem allows 4"):
        mixing_bound.assert_bound_holds(4.0 + 1e-9, 4.0, learner)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.mixing(1.0, 0.0), "margin above 0"),
        (lambda: bounds.mixing(1.0, 2.0), "not possible"),
        (lambda: bounds.mixing(1.0, 0.5, eta=0.0), "eta must be"),
        (lambda: bounds.mixing(1.0, 0.5, lowest=math.nan), "lowest score"),
    ],
)
def test_the_bound_is_refused_outside_its_hypotheses(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_the_bound_is_exact_for_fractions():
    third = Fraction(1, 3)
    assert bounds.mixing(Fraction(1), third) == 9
    assert isinstance(bounds.mixing(Fraction(1), third), Fraction)
    assert bounds.mixing(Fraction(1), third, eta=Fraction(2), lowest=-third) == 12
    assert bounds.mixing(Fraction(1), third, lowest=Fraction(7)) == 0


# The ceiling


@given(
    sharded(separable()), mixings, st.sampled_from(["perceptron-eta", "margin", "pa", "averaged"])
)
def test_the_ceiling_is_never_below_a_margin(data, how, name):
    X, y, u, cuts = data
    assume(len(set(y)) == 2)
    margin, _ = margin_and_radius(X, y, u)
    found = trained(RULES[name][0], X, y, cuts, mixing=how, epochs=5)
    assert found.outcome.ceilings[0] >= margin * (1 - 1e-12)


@given(
    st.lists(st.floats(0.01, 100.0), min_size=2, max_size=6),
    st.floats(0.001, 10.0),
    mixings,
    st.integers(1, 9),
    st.integers(1, 40),
)
def test_rounding_never_takes_the_ceiling_below_the_margin(row, eta, how, shards, epochs):
    """All rows are the same, so that |w| / sum of amounts is the margin itself, but for rounding:
    of the moves, of the means and of the sums.
    """
    z = np.array(row)
    counts = [1 + k % 3 for k in range(shards)]
    y = np.resize([1.0, -1.0], sum(counts) + 1)
    X, cuts = z * y[:, None], np.cumsum(counts)[: shards - 1].tolist()
    rule = MarginPerceptron(eta, 1e9)
    found = trained(rule, X, y, cuts, mixing=how, epochs=epochs)
    square = sum(Fraction(each) ** 2 for each in z)
    assert Fraction(float(found.outcome.ceilings[0])) ** 2 >= square
    assert found.outcome.ceilings[0] ** 2 == pytest.approx(float(square))


# What cannot be mixed


class Counts(NamedTuple):
    """Keeps a count as well."""

    weights: Any
    moves: Any


class Counting(NamedTuple):
    tie: Tie = TIES["mistake"]

    def step(self, state, row, seen):
        return 1.0 if seen.mistaken else 0.0

    def start(self, initial):
        return Counts(initial, np.zeros(1, np.int64))


class Refusing(NamedTuple):
    tie: Tie = TIES["mistake"]

    def step(self, state, row, seen):
        return 1.0 if seen.mistaken else 0.0

    def unmixable(self):
        return "its author says so"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Voted(), "keeps every weight vector"),
        (SecondOrder(), "A.-1 v"),
        (Counting(), "more than real numbers"),
        (Refusing(), "its author says so"),
        (Averaged(Refusing()), "its author says so"),
    ],
)
def test_what_cannot_be_mixed_is_refused_with_the_reason(rule, words):
    X, y = np.array([[1.0, 2.0], [-1.0, 0.5], [0.5, -3.0]]), np.array([1, 0, 0])
    with pytest.raises(ParameterError, match=f"from 2 shards.*{words}"):
        trained(rule, X, y, [1])
    assert trained(rule, X, y, []).outcome.converged


def test_other_words_for_mixing_are_refused():
    with pytest.raises(ParameterError, match="mixing must be"):
        train(own_spec(Perceptron()), None, mixing="median")
