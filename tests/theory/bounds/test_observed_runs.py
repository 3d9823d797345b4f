"""Real runs keep every bound, and what they prove afterwards is true."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory.bounds import evaluate, observed_runs
from novikoff.theory.bounds.user_input import signed_rows
from tests.helpers import exact_reference as exact
from tests.helpers.exact_runs import exact_run, squared_norm
from tests.helpers.examples import examples
from tests.helpers.rule_table import separable


@pytest.mark.parametrize("example", ["or", "disjunction", "iris-setosa", "xor", "iris-versicolor"])
@pytest.mark.parametrize("unit_length", [False, True], ids=["as-is", "unit"])
def test_real_runs_keep_every_bound(example, unit_length):
    signed = signed_rows(nk.open(f"example:{example}"), unit_length=unit_length)
    case = evaluate.prepare(signed, passes=3, eta=Fraction(1, 2))
    ran = observed_runs.perceptron_run(case)
    given = [each for each in evaluate.evaluate(case) if each.refused is None]
    known = {each.name: each.value for each in given}
    made = {each.name: observed_runs.observed_mistakes(case, each, ran) for each in given}
    assert made
    for name, value in known.items():
        assert 0 < made[name] <= value
    assert ("novikoff" in made) == ran.converged
    assert ran.after_length is None or ran.mistakes <= ran.after_length
    assert ran.after_rows is None or ran.mistakes <= ran.after_rows <= known["novikoff"]
    assert (ran.after_rows is None) == (not ran.converged)


@given(separable(max_rows=15, max_features=3), st.integers(0, 99), st.booleans())
@examples(40)
def test_what_a_run_proves_afterwards(data, seed, from_zero):
    """Against the same run in Fractions: no figure is rounded to the wrong side."""
    X, y, _ = data
    assume(len(set(y.tolist())) == 2)
    X = np.round(X * 16) / 16
    start = None if from_zero else np.random.default_rng(seed).integers(-3, 4, X.shape[1])
    case = evaluate.prepare(signed_rows(X, y, fit_intercept=False), start=start)
    assume(case.verdict.outcome == "separable")
    ran = observed_runs.perceptron_run(case, 50_000)
    z = exact.signed_rows(X.tolist(), (y > 0).tolist(), False)
    first = None if start is None else [Fraction(int(each)) for each in start]
    trail = exact_run(z, 50_000, start=first, until_done=True)
    k = len(trail) - 1
    assert (ran.mistakes, ran.converged) == (k, True)
    moved = squared_norm([a - b for a, b in zip(trail[-1], trail[0], strict=True)])
    assert Fraction(ran.length) ** 2 >= moved
    if not k:
        assert ran.ceiling is None
        return
    assert Fraction(ran.ceiling) ** 2 * k**2 >= moved
    assert Fraction(ran.ceiling) ** 2 >= case.verdict.margin.lower_squared
    assert ran.length == pytest.approx(math.sqrt(moved), rel=1e-6, abs=1e-9)
    assert k <= ran.after_length
    assert (ran.after_rows is None) == (not from_zero) or not any(start)
    if ran.after_rows is not None:
        assert k <= ran.after_length <= ran.after_rows <= case.verdict.mistake_bound
