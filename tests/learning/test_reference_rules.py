"""Each rule against a plain Python version of its own (reference.py), bit for bit where it can."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.learning.rules import (
    TIES,
    Averaged,
    BalancedWinnow,
    ComplementWinnow,
    MarginPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrder,
    Voted,
    Winnow,
)
from tests.helpers import reference_rules as reference
from tests.helpers.examples import examples
from tests.helpers.rule_table import logged, problems, run

lifts = st.tuples(st.booleans(), st.booleans())
fifty = examples(50)


def signed(codes):
    return np.where(codes == 1, 1.0, -1.0)


def check(rule, expected, X, codes, bias, unit_length, initial=None):
    learner, log = run(
        rule, X, codes, bias=bias, unit_length=unit_length, epochs=1, initial=initial
    )
    rows, _, wrong = logged(log)
    mistakes, weights = expected
    assert [i for i, is_wrong in zip(rows, wrong, strict=True) if is_wrong] == mistakes
    assert learner.states[0].weights.tolist() == weights


@given(problems(), lifts, st.sampled_from(["mistake", "positive", "negative"]))
@fifty
def test_perceptron(problem, lift, tie):
    X, codes = problem
    data = reference.Data(X, signed(codes), *lift)
    check(Perceptron(0.3, TIES[tie]), reference.perceptron(data, 0.3, tie), X, codes, *lift)


@given(problems(), lifts, st.sampled_from(list(TIES)))
@fifty
def test_perceptron_from_any_start(problem, lift, tie):
    X, codes = problem
    data = reference.Data(X, signed(codes), *lift)
    start = np.linspace(-1.0, 2.0, len(data.zeros()))
    expected = reference.perceptron(data, 1.0, tie, start.tolist())
    check(Perceptron(1.0, TIES[tie]), expected, X, codes, *lift, initial=start[None, :])


@given(problems(), lifts)
@fifty
def test_margin_perceptron(problem, lift):
    X, codes = problem
    expected = reference.margin_perceptron(reference.Data(X, signed(codes), *lift), 0.5, 2.0)
    check(MarginPerceptron(0.5, 2.0), expected, X, codes, *lift)


@given(problems(), lifts, st.sampled_from([(math.inf, 0.0), (0.1, 0.0), (math.inf, 0.5)]))
@fifty
def test_passive_aggressive(problem, lift, form):
    X, codes = problem
    expected = reference.passive_aggressive(reference.Data(X, signed(codes), *lift), *form)
    check(PassiveAggressive(*form), expected, X, codes, *lift)


@given(problems(), st.sampled_from([(2.0, None), (1.5, 2.5)]), st.sampled_from([0.0, 0.5]))
@fifty
def test_winnow(problem, form, binarize):
    X, codes = problem
    alpha, theta = form
    expected = reference.winnow(X.tolist(), signed(codes), alpha, theta, binarize)
    rule = Winnow(alpha, math.nan if theta is None else theta, binarize)
    check(rule, expected, X, codes, False, False)


@given(problems())
@fifty
def test_winnow_with_complements_is_winnow_on_twice_the_columns(problem):
    X, codes = problem
    mistakes, weights = reference.winnow_with_complements(X.tolist(), signed(codes))
    learner, log = run(ComplementWinnow(), X, codes, bias=False, epochs=1)
    state = learner.states[0]
    assert logged(log)[0] == mistakes  # powers of two: sums are exact in any order
    assert [*state.weights.tolist(), *state.against.tolist()] == weights


@given(problems(), lifts)
@fifty
def test_averaging_is_the_mean_of_the_weights_after_each_row(problem, lift):
    X, codes = problem
    learner, _ = run(
        Averaged(Perceptron(0.5)), X, codes, bias=lift[0], unit_length=lift[1], epochs=1
    )
    weights, intercept = learner.linear()
    found = [*weights[0], *intercept] if lift[0] else weights[0]
    expected = reference.averaged(reference.Data(X, signed(codes), *lift), 0.5)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(problems(), lifts)
@fifty
def test_votes_are_those_of_all_the_weights(problem, lift):
    X, codes = problem
    data = reference.Data(X, signed(codes), *lift)
    history = reference.voted(data)
    learner, _ = run(Voted(), X, codes, bias=lift[0], unit_length=lift[1], epochs=1)
    from novikoff.learning.rows import make_rows

    votes = learner.answers(make_rows(X, *lift))[:, 0]
    for i in range(len(X)):
        scores = [data.score(i, w) for w, _ in history]
        if any(0 < abs(s) < 1e-6 for s in scores):
            continue  # the two orders of summation may round such a score to either side
        expected = sum(c * np.sign(s) for s, (_, c) in zip(scores, history, strict=True))
        assert abs(votes[i] - expected) <= sum(
            c for s, (_, c) in zip(scores, history, strict=True) if s == 0
        )


@given(problems(max_features=5), lifts)
@fifty
def test_balanced_winnow_keeps_the_difference_of_two_products(problem, lift):
    X, codes = problem
    X = X / 100.0
    data = reference.Data(X, signed(codes), *lift)
    mistakes, weights, closest = reference.balanced_winnow(data)
    assume(closest > 1e-9)  # else the two formulas may round a score to either side of 0
    learner, log = run(BalancedWinnow(), X, codes, bias=lift[0], unit_length=lift[1], epochs=1)
    assert logged(log)[0] == mistakes
    scale = max(1.0, *(abs(w) for w in weights))
    assert learner.states[0].weights / scale == pytest.approx(np.array(weights) / scale, abs=1e-9)


@given(problems(max_features=5), lifts)
@fifty
def test_second_order_weights_solve_the_system_of_its_mistakes(problem, lift):
    X, codes = problem
    learner, log = run(SecondOrder(0.5), X, codes, bias=lift[0], unit_length=lift[1], epochs=2)
    data = reference.Data(X, signed(codes), *lift)
    A, v = 0.5 * np.eye(len(data.zeros())), np.array(data.zeros())
    for i in logged(log)[0]:
        row = np.array(data.seen(i))
        A += np.outer(row, row)
        v += data.labels[i] * row
    w = learner.states[0].weights
    residual = np.abs(A @ w - v).max()
    assert residual <= 1e-6 * (np.abs(A).max() * np.abs(w).max() + np.abs(v).max() + 1.0)
