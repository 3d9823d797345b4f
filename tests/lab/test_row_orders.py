"""The lab's orders are arrangements of the rows; the adversarial one is as costly as it says."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.lab.state import row_orders
from novikoff.lab.state.row_orders import arrangement
from novikoff.lab.state.settings import ORDERS, RULES, RunSettings, canonical, estimator
from novikoff.lab.state.url_values import Point
from tests.helpers.examples import examples

PLACES = st.tuples(st.integers(-6, 6), st.integers(-6, 6))
LABELLED = st.lists(st.tuples(PLACES, st.sampled_from([-1, 1])), min_size=2, max_size=12)


def _order(how, X, y):
    points = (Point(*map(float, row), int(label)) for row, label in zip(X, y, strict=True))
    return arrangement(how, tuple(points))


def _arrays(labelled):
    return np.array([place for place, _ in labelled], float), np.array([y for _, y in labelled])


def _mistakes(X, y, how):
    if how.rule == "one-sided":
        return nk.OneSidedPerceptron().fit(X).mistakes_
    return nk.trace(X, y, estimator(how, 2000)).mistakes


@given(LABELLED, st.sampled_from([*ORDERS]))
@examples(40)
def test_an_order_is_an_arrangement_and_the_same_each_time(labelled, order):
    X, y = _arrays(labelled)
    places = _order(RunSettings(order=order), X, y).places
    assert sorted(places.tolist()) == list(range(len(y)))
    row_orders._search.cache_clear()
    assert np.array_equal(places, _order(RunSettings(order=order), X, y).places)


@given(LABELLED)
def test_sorted_keeps_the_order_within_a_class(labelled):
    X, y = _arrays(labelled)
    expected = [i for label in (-1, 1) for i in range(len(y)) if y[i] == label]
    assert _order(RunSettings(order="sorted"), X, y).places.tolist() == expected


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_adversarial_order_costs_no_less_than_others(rule):
    random = np.random.default_rng(5)
    X = random.integers(-8, 9, (20, 2)) / 2.0
    y = np.where(X @ [1.0, 2.0] + 0.3 > 0.0, 1, -1)
    if rule == "one-sided":
        X, y = X * y[:, None], np.ones_like(y)
        X = X[X @ [1.0, 2.0] > 0.5]
        y = y[: len(X)]
    how = canonical(RunSettings(rule=rule, order="adversarial"))
    found = _order(how, X, y)
    cost = _mistakes(X[found.places], y[found.places], how)
    plain = _mistakes(X, y, how)
    by_class = np.argsort(y, kind="stable")
    assert cost >= max(plain, _mistakes(X[by_class], y[by_class], how))
    said = [int(each) for each in re.findall(r"\d+", found.note)]
    assert 1 < said[0] <= 2 + row_orders.SHUFFLES + row_orders.MOVES
    assert said[1:] == [cost, plain]


def test_rows_without_an_end_in_sight_stay_as_given():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float), np.array([-1, 1, 1, -1])
    found = _order(RunSettings(order="adversarial"), X, y)
    assert found.places.tolist() == [0, 1, 2, 3]
    assert "as they are listed" in found.note


def test_a_search_ends_with_its_budget(monkeypatch):
    X = np.array([[3, 1], [1, 1.5], [2, 2], [0, 1], [4, 0], [0.5, 0.5]])
    y = np.array([1, -1, 1, -1, 1, -1])
    plain = nk.Perceptron().fit(X, y)
    monkeypatch.setattr(row_orders, "ALL", plain.n_iter_ + 1)
    row_orders._search.cache_clear()
    found = _order(RunSettings(order="adversarial"), X, y)
    row_orders._search.cache_clear()
    assert found.note.startswith("Of 1 order")
    assert f"costs {plain.mistakes_}" in found.note
    assert found.places.tolist() == [0, 1, 2, 3, 4, 5]


def test_no_order_is_counted_twice():
    X, y = np.array([[1.0, 0.0], [-1.0, 1.0]]), np.array([1, -1])
    assert _order(RunSettings(order="adversarial"), X, y).note.startswith("Of 2 orders tried")
