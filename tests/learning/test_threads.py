"""Estimators that several threads share: every result is that of some serial order of the calls."""

import contextlib
import copy
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import novikoff as nk
from novikoff.errors import DataError
from novikoff.learning.estimators import base
from novikoff.learning.estimators.locks import EstimatorLock
from tests.helpers.rule_table import CLASSIFIERS, ESTIMATORS
from tests.helpers.waits import wait_until

ROUNDS = 20 if "CI" in os.environ else 3
every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


class LoggedRow(dict):
    """A row that notes when it is read, which happens while the estimator's state is held."""

    log: list["LoggedRow"]

    def values(self):
        self.log.append(self)
        return super().values()


class LoggedLabels:
    """Labels that note when they are read, which happens in the turn of the call."""

    def __init__(self, labels, batch, log):
        self.labels, self.batch, self.log = np.asarray(labels), batch, log

    def __len__(self):
        return len(self.labels)

    def __array__(self, dtype=None, copy=None):
        if self.batch not in self.log[-1:]:
            self.log.append(self.batch)
        return self.labels


def in_threads(*calls):
    """Run the calls at the same time; the first error is raised here."""
    gate = threading.Barrier(len(calls))

    def go(call):
        gate.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result(timeout=120) for each in [pool.submit(go, call) for call in calls]]


def make(kind):
    return kind(theta=5.0) if kind is nk.Winnow else kind()


def assert_equal_state(model, serial):
    assert (model.mistakes_, model.updates_) == (serial.mistakes_, serial.updates_)
    assert model.radius_ == serial.radius_
    assert np.array_equal(model.coef_, serial.coef_)
    assert np.array_equal(model.intercept_, serial.intercept_)
    X = pd.DataFrame(
        np.eye(model.n_features_in_), columns=getattr(model, "feature_names_in_", None)
    )
    assert np.array_equal(model.decision_function(X), serial.decision_function(X))


@every_classifier
@pytest.mark.parametrize("threads", [2, 8])
def test_rows_learned_in_threads_are_learned_in_some_order(kind, threads):
    rng = np.random.default_rng(threads)
    for _ in range(ROUNDS):
        log, parts = [], []
        for t in range(threads):
            rows = []
            for j in range(60):
                row = LoggedRow({f"t{t}_{j % 20}": 1.0, "a": 1.0, f"b{rng.integers(9)}": 1.0})
                row.log, row.label = log, int(rng.integers(2))
                rows.append(row)
            parts.append(rows)
        model = make(kind)

        def learn(rows, model=model):
            for row in rows:
                model.learn_one(row, row.label)

        in_threads(*(lambda rows=rows: learn(rows) for rows in parts))
        assert len(log) == 60 * threads
        serial = make(kind)
        for row in log:
            serial.learn_one(dict(row), row.label)
        assert model.feature_names_in_.tolist() == serial.feature_names_in_.tolist()
        assert_equal_state(model, serial)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("in_place", [True, False])
def test_batches_learned_in_threads_are_learned_in_some_order(kind, in_place, monkeypatch):
    monkeypatch.setattr(base, "SMALL_BATCH", (100, 10**6) if in_place else (0, 0))
    rng = np.random.default_rng(1)
    classes = {} if kind is nk.OneSidedPerceptron else {"classes": [0, 1, 2]}
    for _ in range(ROUNDS):
        log = []
        batches = [rng.integers(0, 2, (5, 12)) * 1.0 for _ in range(24)]
        labels = [rng.integers(0, 3, 5) for _ in batches]
        model = make(kind)

        def learn(k, model=model, batches=batches, labels=labels, log=log):
            for i in range(k, len(batches), 4):
                if kind is nk.OneSidedPerceptron:
                    model.partial_fit(batches[i])
                else:
                    model.partial_fit(batches[i], LoggedLabels(labels[i], i, log), **classes)

        in_threads(*(lambda k=k: learn(k) for k in range(4)))
        assert model.n_iter_ == len(model.mistakes_per_epoch_) == 24
        assert sum(model.mistakes_per_epoch_) == model.mistakes_
        assert {int(each.seen[0]) for each in model._learner.tallies} == {120}
        if kind is nk.OneSidedPerceptron:
            continue  # looks at no labels
        assert sorted(log) == list(range(24))
        serial = make(kind)
        for i in log:
            serial.partial_fit(batches[i], labels[i], **classes)
        assert model.mistakes_per_epoch_ == serial.mistakes_per_epoch_
        assert_equal_state(model, serial)


@every_classifier
def test_fits_in_threads_give_what_one_of_them_gives(kind):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (40, 30)) * 1.0
    targets = [(X[:, k] > 0).astype(int) for k in range(3)]
    alone = [make(kind).fit(X, y) for y in targets]
    for _ in range(ROUNDS):
        model = make(kind).fit(X, targets[0])
        answers = in_threads(
            *(lambda y=y, model=model: model.fit(X, y) for y in targets),
            *[lambda model=model: [model.decision_function(X) for _ in range(10)]] * 3,
        )
        possible = [each.decision_function(X) for each in alone]
        for found in (*answers[3], *answers[4], *answers[5], model.decision_function(X)):
            assert any(np.array_equal(found, each) for each in possible)
        assert any(np.array_equal(model.coef_, each.coef_) for each in alone)


def test_predictions_see_the_state_between_two_rows():
    """All weights move together, so a row whose values cancel has a score of exactly 0."""
    width = 3000
    model = nk.Perceptron(fit_intercept=False, tie="positive")
    rows = [np.ones(width), -np.ones(width)]
    cancels = np.resize([1.0, -1.0], width)
    model.learn_one(rows[0], 1)
    learned = threading.Event()

    def learn():
        for k in range(4000 * ROUNDS):
            model.learn_one(rows[k % 2], (k // 2) % 2)  # wrong half of the time
        learned.set()

    def predict():
        count = 0
        while not learned.is_set():
            assert model.decision_function(cancels[None])[0] == 5e-324
            assert model.predict_one(cancels) == 1
            assert len(set(model.coef_[0].tolist())) == 1
            count += 1
        return count

    assert min(in_threads(learn, *[predict] * 4)[1:]) > 0
    assert model._learner.total("seen") == 4000 * ROUNDS + 1


def test_predictions_do_not_wait_for_a_fit_and_learning_does():
    X, y = np.eye(4), [0, 0, 1, 1]
    model = nk.VotedPerceptron().fit(X, y)
    before = model.decision_function(X)
    begun, finish = threading.Event(), threading.Event()

    class Slow(LoggedLabels):
        def __array__(self, dtype=None, copy=None):
            begun.set()
            assert finish.wait(60)
            return self.labels

    for learn in (model.fit, model.partial_fit):
        begun.clear()
        finish.clear()
        with ThreadPoolExecutor(2) as pool:
            with contextlib.ExitStack() as stack:
                stack.callback(finish.set)
                long = pool.submit(learn, X, Slow([1, 1, 0, 0], 0, []))
                assert begun.wait(60)
                assert model.predict_one(X[3]) == 1
                assert np.array_equal(model.decision_function(X), before)
                assert model.score(X, y) == 1.0
                short = pool.submit(model.learn_one, X[0], 0)
                with pytest.raises(TimeoutError):
                    short.result(timeout=0.2)
                assert model.predict(X).tolist() == y
            long.result(60)
            short.result(60)
        before = model.fit(X, y).decision_function(X)


def test_a_refused_batch_leaves_the_estimator_as_it_was_for_all_threads():
    model = nk.AveragedPerceptron(eta=1e300).fit(np.eye(3), [0, 1, 1])
    weights, attributes = model.coef_, sorted(vars(model))
    for values in (np.nan, 1e308, 1e100):  # with the last, the weights overflow
        with pytest.raises(DataError):
            model.partial_fit(np.full((6, 3), values), [0, 1, 0, 1, 0, 1])
        with pytest.raises(DataError):
            model.fit(np.full((2, 3), values), [0, 1])
    assert np.array_equal(model.coef_, weights)
    assert sorted(vars(model)) == attributes
    assert model.learn_one([0.0, 0.0, 1.0], 0).mistakes_ > 0


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_copies_are_whole_while_rows_are_learned(kind):
    rows = ROUNDS * (30 if kind is nk.SecondOrderPerceptron else 600)
    model = make(kind)
    model.learn_one({"a": 1.0}, 1)
    done = threading.Event()

    def learn():
        for j in range(rows):
            model.learn_one({"a": 1.0, f"b{j}": 1.0}, j % 2 if kind in CLASSIFIERS else 1)
        done.set()

    def copies():
        while not done.is_set():
            for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
                assert len(twin.feature_names_in_) == twin.n_features_in_
                assert twin._learner.features >= twin.n_features_in_
                assert twin.learn_one({"a": 1.0}, 1).coef_.shape[1] == twin.n_features_in_

    in_threads(learn, copies, copies)
    assert model._learner.total("seen") == rows + 1
    assert not hasattr(clone(model), "coef_")
    assert model.n_features_in_ == rows + 1


def test_a_handover_that_an_interruption_prevents_is_made_up_for():
    """Ctrl-C may come when a `learn_one` has put the state back, and before it looks who waits."""
    lock = EstimatorLock()
    del lock.idle.free  # as learn_one begins

    def wait():
        with lock:
            return True

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        wait_until(lambda: lock.idle.wanted, "somebody who waits")
        lock.idle.free = None  # as it ends, without handing over
        assert waiting.result(60)
    assert lock.idle.take()


def test_an_interruption_leaves_no_lock_behind():
    model = nk.Perceptron()

    class Interrupted(dict):
        def values(self):
            raise KeyboardInterrupt

    model.learn_one({"a": 1.0}, 1)
    for row in (Interrupted(a=1.0), Interrupted(a=1.0, b=2.0)):
        with pytest.raises(KeyboardInterrupt):
            model.learn_one(row, 0)
        with pytest.raises(KeyboardInterrupt):
            model.predict_one(row)
    assert in_threads(lambda: model.learn_one({"a": 1.0}, 0), lambda: model.predict_one({"a": 1.0}))
