"""The notes' theorems, on generated data."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.learning.epochs import StopReason, learn
from novikoff.learning.learner import Learner
from novikoff.learning.rows import add_scaled, make_rows
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
from tests.helpers.rule_table import logged, margin_and_radius, run, separable

etas = st.sampled_from([0.01, 0.5, 1.0, 7.0])
orders = st.sampled_from(["given", "shuffle"])


def codes_of(y):
    return (y > 0).astype(np.uint16)


def to_the_end(
    rule, X, y, *, order="given", seed=0, unit_length=False, initial=None, epochs=20_000
):
    learner = Learner(rule, X.shape[1], bias=False, unit_length=unit_length, initial=initial)
    rows = make_rows(np.ascontiguousarray(X), False, unit_length)
    outcome = learn(learner, rows, codes_of(y), max_epochs=epochs, order=order, seed=seed)
    return learner, outcome


@given(
    separable(),
    etas,
    orders,
    st.integers(0, 9),
    st.sampled_from(["mistake", "positive", "negative"]),
)
def test_block_and_novikoff(data, eta, order, seed, tie):
    X, y, u = data
    margin, radius = margin_and_radius(X, y, u)
    learner, outcome = to_the_end(Perceptron(eta, TIES[tie]), X, y, order=order, seed=seed)
    assert outcome.converged
    assert learner.total("mistakes") <= bounds.novikoff(radius, margin)
    assert learner.radius == pytest.approx(radius)


@given(separable(), orders)
def test_unit_length_rows_need_at_most_one_over_margin_squared(data, order):
    X, y, u = data
    margin = float((X * y[:, None] @ u / np.linalg.norm(X, axis=1)).min())
    learner, outcome = to_the_end(
        Perceptron(1.0, TIES["negative"]), X, y, order=order, unit_length=True
    )
    assert outcome.converged
    assert learner.total("mistakes") <= 1.0 / margin**2


@given(separable())
def test_the_one_sided_perceptron_needs_at_most_one_over_gap_squared(data):
    X, y, u = data
    positive = X * y[:, None]
    gap = float((positive @ u / np.linalg.norm(positive, axis=1)).min())
    model = nk.OneSidedPerceptron(max_epochs=20_000).fit(positive)
    assert model.converged_
    assert model.updates_ == model.mistakes_ <= bounds.one_sided(gap)
    assert (model.predict(positive) == 1).all()


@given(separable(max_rows=20), etas, st.integers(0, 99), st.sampled_from(list(TIES)))
def test_fixed_increment_from_any_start(data, eta, seed, tie):
    """Note 003: k <= k_max, and A k^2 <= |w(k) - w(0)|^2 <= B k at every update."""
    X, y, u = data
    start = np.random.default_rng(seed).standard_normal((1, X.shape[1])) * 3
    limit = bounds.fixed_increment(eta, start[0], u, X, y)
    learner, outcome = to_the_end(Perceptron(eta, TIES[tie]), X, y, initial=start, epochs=100_000)
    assert outcome.converged
    assert learner.total("updates") <= limit.k_max
    _, log = run(
        Perceptron(eta, TIES[tie]), X, codes_of(y), bias=False, initial=start, epochs=outcome.epochs
    )
    moved = np.cumsum(eta * (X * y[:, None])[logged(log)[0]], axis=0)
    k = np.arange(1, len(moved) + 1)
    size = (moved * moved).sum(axis=1)
    slack = 1.0 + 1e-9
    assert (limit.A * k**2 <= size * slack).all()
    assert (size <= limit.B * k * slack + 1e-9).all()


@given(separable(max_rows=25), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([0.3, 1.0]))
def test_the_margin_perceptron_moves_no_more_often_than_its_bound(data, beta, eta):
    X, y, u = data
    margin, radius = margin_and_radius(X, y, u)
    rule = MarginPerceptron(eta, beta)
    learner, outcome = to_the_end(rule, X, y, epochs=100_000)
    assert outcome.because is StopReason.NO_UPDATE
    assert learner.total("updates") <= rule.mistake_bound(radius, margin)
    assert ((X * y[:, None]) @ learner.states[0].weights > beta).all()


@given(separable(), st.sampled_from([(math.inf, 0.0), (0.05, 0.0), (math.inf, 5.0)]))
def test_passive_aggressive_mistakes(data, form):
    X, y, u = data
    margin, radius = margin_and_radius(X, y, u)
    rule = PassiveAggressive(*form)
    learner, outcome = to_the_end(rule, X, y)
    assert outcome.converged
    assert learner.total("mistakes") <= rule.mistake_bound(radius, margin)


@given(separable())
def test_averaged_and_voted_make_the_perceptrons_mistakes(data):
    X, y, _ = data
    plain = to_the_end(Perceptron(), X, y)[1]
    for rule in (Averaged(Perceptron()), Voted()):
        assert to_the_end(rule, X, y)[1].mistakes_per_epoch == plain.mistakes_per_epoch


@given(separable(), st.sampled_from([0.1, 1.0, 10.0]))
def test_second_order_bound(data, a):
    X, y, u = data
    margin, _ = margin_and_radius(X, y, u)
    learner, outcome = to_the_end(SecondOrder(a), X, y)
    assert outcome.converged
    A = np.linalg.inv(learner.states[0].inverse)
    spectrum = np.linalg.slogdet(A / a)[1]
    assert learner.total("mistakes") <= math.sqrt(u @ A @ u * spectrum) / margin * (1 + 1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(2, 64), st.data())
def test_winnow_on_disjunctions(seed, features, data):
    relevant = data.draw(st.integers(1, min(features, 5)))
    rng = np.random.default_rng(seed)
    X = (rng.random((300, features)) < rng.uniform(0.05, 0.6)).astype(float)
    y = np.where(X[:, rng.permutation(features)[:relevant]].any(axis=1), 1.0, -1.0)
    learner, outcome = to_the_end(Winnow(), X, y)
    assert outcome.converged
    assert learner.total("mistakes") <= bounds.winnow(relevant, features)
    alpha, theta = data.draw(st.sampled_from([(1.5, 2.0), (3.0, features / 2 + 1)]))
    learner, outcome = to_the_end(Winnow(alpha, theta), X, y)
    assert outcome.converged
    limit = bounds.winnow(relevant, features, alpha=alpha, theta=theta)
    assert learner.total("mistakes") <= limit


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.data())
def test_winnow_with_complements_learns_negated_literals(seed, features, data):
    literals = data.draw(st.integers(1, min(features, 4)))
    rng = np.random.default_rng(seed)
    X = (rng.random((300, features)) < 0.5).astype(float)
    chosen = rng.permutation(features)[:literals]
    negated = rng.random(literals) < 0.5
    y = np.where((X[:, chosen] != negated).any(axis=1), 1.0, -1.0)
    learner, outcome = to_the_end(ComplementWinnow(), X, y)
    assert outcome.converged
    assert learner.total("mistakes") <= bounds.winnow(literals, 2 * features)


@given(separable(max_rows=25))
def test_balanced_winnow_bound(data):
    X, y, u = data
    u = u / np.abs(u).sum()
    margin, largest = float((X * y[:, None] @ u).min()), float(np.abs(X).max())
    assume(margin > 0.01)
    eta = margin / largest**2
    learner, outcome = to_the_end(BalancedWinnow(eta), X, y, epochs=100_000)
    assert outcome.converged
    limit = bounds.balanced_winnow(X.shape[1], largest, margin, eta)
    assert learner.total("mistakes") <= limit


@pytest.mark.parametrize("rule", [Perceptron(), Perceptron(0.25), Voted(), Averaged(Perceptron())])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 64])
def test_orthonormal_rows_meet_the_bound_with_equality(rule, n):
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    learner, outcome = to_the_end(rule, np.eye(n), y)
    assert learner.total("mistakes") == n == round(bounds.novikoff(1.0, 1.0 / math.sqrt(n)))
    assert outcome.mistakes_per_epoch == [n, 0]
    # and the ceiling is then the margin itself
    assert outcome.ceilings[0] == pytest.approx(1.0 / math.sqrt(n))
    assert outcome.ceilings[0] >= 1.0 / math.sqrt(n)


@given(
    separable(),
    st.sampled_from(
        [Perceptron(), Perceptron(0.1), MarginPerceptron(), PassiveAggressive(), BalancedWinnow()]
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_the_ceiling_is_never_below_a_margin(data, rule, epochs, unit_length):
    X, y, u = data
    seen = X / np.linalg.norm(X, axis=1, keepdims=True) if unit_length else X
    margin, _ = margin_and_radius(seen, y, u)
    learner, _ = run(rule, X, codes_of(y), bias=False, unit_length=unit_length, epochs=epochs)
    assert learner.ceilings()[0] >= margin * (1 - 1e-12)


@given(separable(), st.integers(0, 9))
def test_the_ceiling_holds_from_any_start(data, seed):
    X, y, u = data
    margin, _ = margin_and_radius(X, y, u)
    start = np.random.default_rng(seed).standard_normal((1, X.shape[1])) * 10
    learner, _ = run(Perceptron(), X, codes_of(y), bias=False, initial=start, epochs=3)
    assert learner.ceilings()[0] >= margin * (1 - 1e-12)


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(),
        Averaged(),
        Voted(),
        MarginPerceptron(),
        SecondOrder(),
        PassiveAggressive(),
        BalancedWinnow(),
    ],
)
def test_xor_never_converges(rule):
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    learner = Learner(rule, 2, bias=True)
    codes = np.array([0, 1, 1, 0], np.uint16)
    outcome = learn(learner, make_rows(X, True, False), codes, max_epochs=500)
    assert not outcome.converged
    assert outcome.because is StopReason.BUDGET
    assert min(outcome.mistakes_per_epoch) > 0


@given(separable(), st.sampled_from([2.0, 0.25, 1024.0]))
@examples(50)
def test_from_zero_the_step_only_rescales(data, eta):
    """Powers of two scale exactly, so the same mistakes and the very same weights times eta."""
    X, y, _ = data
    one, first = to_the_end(Perceptron(1.0), X, y)
    other, second = to_the_end(Perceptron(eta), X, y)
    assert first.mistakes_per_epoch == second.mistakes_per_epoch
    assert (other.states[0].weights == eta * one.states[0].weights).all()


def test_bounds_refuse_what_their_hypotheses_exclude():
    for call, words in (
        (lambda: bounds.novikoff(1.0, 0.0), "margin above 0"),
        (lambda: bounds.novikoff(1.0, 2.0), "not possible"),
        (lambda: bounds.novikoff(math.inf, 1.0), "length"),
        (lambda: bounds.one_sided(-1.0), "margin above 0"),
        (lambda: bounds.winnow(0, 5), "not possible"),
        (lambda: bounds.winnow(6, 5), "not possible"),
        (lambda: bounds.winnow(1, 5, alpha=1.0), "alpha above 1"),
        (lambda: bounds.balanced_winnow(5, 1.0, 0.1, 0.3), "eta below"),
        (lambda: bounds.fixed_increment(0.0, [0], [1], [[1]], [1]), "eta"),
        (lambda: bounds.fixed_increment(1.0, [0], [1], [[1], [1]], [1, -1]), "row 1"),
        (lambda: bounds.fixed_increment(1.0, [0], [1], [[1, 2]], [1]), "2 features"),
        (lambda: bounds.fixed_increment(1.0, [0], [1], [[1]], [3]), "-1 and 1"),
        (lambda: bounds.fixed_increment(1.0, [math.nan], [1], [[1]], [1]), "finite"),
        (lambda: bounds.fixed_increment(1.0, [0], [1], [[math.inf]], [1]), "finite"),
        (lambda: bounds.balanced_winnow(0, 1.0, 0.1, 0.1), "needs a feature"),
        (lambda: bounds.balanced_winnow(5, 0.1, 0.5, 0.1), "no margin is above"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


@given(
    separable(max_rows=12),
    st.sampled_from([Perceptron(), Perceptron(1e-170), Perceptron(1e-310), PassiveAggressive()]),
    st.sampled_from([0.0, 1e6]),
    st.integers(1, 4),
)
def test_the_ceiling_is_above_the_exact_quotient(data, rule, size, epochs):
    """|sum a z| / sum a in rational arithmetic, from the log: rounding must not have eaten it."""
    X, y, _ = data
    start = size * np.ones((1, X.shape[1])) if size else None
    learner, log = run(rule, X, codes_of(y), bias=False, initial=start, epochs=epochs)
    rows, amounts, _ = logged(log)
    assume(any(amounts))
    total = [Fraction(0)] * X.shape[1]
    for i, amount in zip(rows, amounts, strict=True):
        for j in range(X.shape[1]):
            total[j] += Fraction(amount) * Fraction(y[i]) * Fraction(X[i, j])
    ceiling = Fraction(learner.ceilings()[0])
    assert ceiling**2 * sum(map(Fraction, amounts)) ** 2 >= sum(each**2 for each in total)


def test_no_ceiling_is_claimed_where_the_argument_does_not_hold():
    class Retreats(NamedTuple):
        tie: Tie = TIES["mistake"]

        def step(self, state, row, seen):
            return 1.0 if seen.mistaken else -0.25

    class Decays(NamedTuple):
        tie: Tie = TIES["mistake"]

        def step(self, state, row, seen):
            return 1.0 if seen.mistaken else 0.0

        def move(self, state, row, amount, seen):
            for j in range(state.weights.shape[0]):
                state.weights[j] *= 0.5
            add_scaled(row, amount * seen.label, state.weights)

    X = np.array([[1.0, 0.2], [-1.0, 0.1], [0.9, -0.3]])
    for rule in (Retreats(), Decays()):
        learner, _ = run(rule, X, np.array([1, 0, 1], np.uint16), bias=False, epochs=5)
        assert learner.ceilings()[0] == math.inf
