"""Disjunctions, found exactly, and Winnow's bound on data."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import HypothesisError
from novikoff.learning.epochs import learn
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Winnow
from novikoff.theory import bounds
from tests.helpers.examples import examples


def is_or(X, positive, chosen):
    return (X[:, chosen].any(axis=1) == positive).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 12), st.booleans())
@examples(70)
def test_a_disjunction_is_found_exactly_if_there_is_one(seed, features, rows, by_rule):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features))
    positive = rng.random(rows) < 0.5
    if by_rule:
        positive = X[:, rng.random(features) < 0.5].any(axis=1)
    y = np.where(positive, 1, -1)
    consistent = [
        chosen
        for size in range(1, features + 1)
        for chosen in itertools.combinations(range(features), size)
        if is_or(X, positive, list(chosen))
    ]
    try:
        found = bounds.disjunction(X, y)
    except HypothesisError:
        assert not consistent or not positive.any()
        return
    chosen = found.relevant
    assert tuple(chosen) in consistent
    assert not any(is_or(X, positive, [j for j in chosen if j != one]) for one in chosen)
    assert found == bounds.disjunction(scipy.sparse.csr_array(X.astype(float)), y)
    assert bounds.disjunction(X, y, relevant=chosen) == found


def test_a_disjunction_has_the_names_of_its_columns_and_of_its_lines(tmp_path):
    path = tmp_path / "bits.csv"
    path.write_text("a,b,c,label\n0,1,0,yes\n1,0,0,yes\n0,0,1,no\n")
    found = bounds.disjunction(nk.open(path))
    assert (found.relevant, found.names, found.features) == ([0, 1], ["a", "b"], 3)
    assert bounds.disjunction(nk.open(path), relevant=["b", "a"]) == found
    assert bounds.winnow_on(nk.open(path)).value == math.floor(bounds.winnow(2, 3))
    with pytest.raises(HypothesisError, match="line 3 is positive"):
        bounds.disjunction(nk.open(path), relevant=["b"])
    path.write_text("a,b,label\n0,1,yes\n1,0.5,no\n")
    with pytest.raises(HypothesisError, match=r"line 3 has 0\.5 in b"):
        bounds.winnow_on(nk.open(path))


def test_a_fraction_that_only_rounds_to_a_bit_is_none():
    nearly = Fraction(1) + Fraction(1, 10**30)
    with pytest.raises(HypothesisError, match="row 0 has not quite 1 in column 0"):
        bounds.disjunction([[nearly, 0], [0, 1]], [1, 0])


def test_greedy_disjunctions_stay_small():
    rng = np.random.default_rng(3)
    X = rng.random((400, 60)) < 0.2
    positive = X[:, [5, 17, 42]].any(axis=1)
    assert bounds.disjunction(X.astype(float), positive).relevant == [5, 17, 42]


def test_a_variable_that_the_others_make_needless_is_dropped():
    """The fullest column is taken first; the two others cover all of its rows as well."""
    columns = [{1, 2, 3, 4}, {0, 1, 2}, {3, 4, 5}]
    X = np.array([[float(i in column) for column in columns] for i in range(7)])
    assert bounds.disjunction(X, X.any(axis=1)).relevant == [1, 2]


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.sampled_from([None, 1.5, 3.0]))
@examples(40)
def test_winnow_makes_no_more_mistakes_than_its_bound_on_data(seed, features, alpha):
    rng = np.random.default_rng(seed)
    X = (rng.random((150, features)) < rng.uniform(0.05, 0.6)).astype(float)
    y = np.where(X[:, rng.permutation(features)[:3]].any(axis=1), 1, -1)
    assume(len(set(y.tolist())) == 2)
    options = {} if alpha is None else {"alpha": alpha, "theta": 4.0}
    rule = Winnow(*options.values())
    learner = Learner(rule, features, bias=False)
    learn(learner, make_rows(X, False, False), (y > 0).astype(np.uint16), max_epochs=1000)
    found = bounds.winnow_on(X, y, **options)
    assert learner.total("mistakes") <= found.value <= found.real
    assert len(found.relevant) <= 3 * (1 + math.log(150))
