"""A user's own rule: the very file of the docs, in the same compiled loop."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import novikoff as nk
from tests.helpers.rule_table import run, run_plain

SCRIPT = Path(__file__).parents[2] / "docs" / "own_rule.py"


@pytest.fixture(scope="module")
def own():
    spec = importlib.util.spec_from_file_location("own_rule", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_rule"] = module
    spec.loader.exec_module(module)
    return module


def test_the_script_runs_as_it_stands():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("converged: True, after ")
    assert second.startswith("no separator has a margin above ")


def test_it_is_compiled_like_any_other(own):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 5))
    codes = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(np.uint16)
    rule = own.Relaxation(1.5)
    compiled, _ = run(rule, X, codes, bias=True)
    plain, _ = run_plain(rule, X, codes, bias=True)
    sparse, _ = run(rule, X, codes, bias=True, sparse=True)
    assert np.array_equal(compiled.linear()[0], plain.linear()[0])
    assert np.array_equal(compiled.linear()[0], sparse.linear()[0])


def test_a_step_of_one_ends_on_the_rows_plane(own):
    """The derivation: afterwards the row's signed score is the goal."""
    model = nk.RuleClassifier(own.Relaxation(1.0, goal=3.0), fit_intercept=False)
    model.learn_one([1.0, 2.0], 1)
    assert model.coef_[0] @ [1.0, 2.0] == pytest.approx(3.0)
    model.learn_one([1.0, -1.0], 1)
    assert model.coef_[0] @ [1.0, -1.0] == pytest.approx(3.0)


def test_it_averages_and_finishes(own):
    X, y = nk.open("example:iris-setosa").read()[:2]
    averaged = nk.RuleClassifier(nk.rules.Averaged(own.Relaxation())).fit(X, y)
    plain = nk.RuleClassifier(own.Relaxation()).fit(X, y)
    assert averaged.converged_
    assert averaged.mistakes_ == plain.mistakes_
    assert not np.array_equal(averaged.coef_, plain.coef_)


def test_what_is_missing_is_said():
    from typing import NamedTuple

    class NoStep(NamedTuple):
        eta: float = 1.0

    class NoTie(NamedTuple):
        eta: float = 1.0

        def step(self, state, row, seen):
            return self.eta

    for rule, words in (
        (NoStep(), "no method step"),
        (NoTie(), "neither a field tie"),
        ("x", "str"),
    ):
        with pytest.raises(ValueError, match=words):
            nk.RuleClassifier(rule).fit([[0.0], [1.0]], [0, 1])
