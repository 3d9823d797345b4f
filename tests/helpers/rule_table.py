"""Data and helpers that several tests use."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from hypothesis import assume
from hypothesis import strategies as st

import novikoff as nk
from novikoff.learning.learner import Learner
from novikoff.learning.loop import EpochInput, plain_epoch
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import (
    TIES,
    Averaged,
    BalancedWinnow,
    ComplementWinnow,
    MarginPerceptron,
    Multiclass,
    PassiveAggressive,
    Perceptron,
    SecondOrder,
    Voted,
    Winnow,
    protocol,
)

# every rule, with a bias where it takes one
RULES = {
    "perceptron": (Perceptron(), True),
    "perceptron-eta": (Perceptron(0.3), True),
    "perceptron-positive": (Perceptron(1.0, TIES["positive"]), False),
    "perceptron-negative": (Perceptron(1.0, TIES["negative"]), True),
    "averaged": (Averaged(Perceptron()), True),
    "averaged-margin": (Averaged(MarginPerceptron(0.5, 0.2)), True),
    "voted": (Voted(0.7), True),
    "margin": (MarginPerceptron(1.0, 0.5), True),
    "pa": (PassiveAggressive(), True),
    "pa-1": (PassiveAggressive(cap=0.1), True),
    "pa-2": (PassiveAggressive(slack=0.5), False),
    "second-order": (SecondOrder(0.5), True),
    "winnow": (Winnow(), False),
    "winnow-general": (Winnow(1.5, 3.0, 0.25), False),
    "winnow-complement": (ComplementWinnow(), False),
    "balanced-winnow": (BalancedWinnow(), True),
}

# those with one state for all classes: `Learner` makes it for two unless it is told of more
JOINT_RULES = {
    "multiclass": (Multiclass(), True),
    "multiclass-averaged": (Multiclass(Averaged(Perceptron(0.3))), True),
    "multiclass-pa": (Multiclass(PassiveAggressive(cap=0.1)), False),
}

ESTIMATORS = [
    nk.Perceptron,
    nk.OneSidedPerceptron,
    nk.Winnow,
    nk.BalancedWinnow,
    nk.AveragedPerceptron,
    nk.VotedPerceptron,
    nk.MarginPerceptron,
    nk.PassiveAggressive,
    nk.MulticlassPerceptron,
    nk.SecondOrderPerceptron,
    nk.RuleClassifier,
]
CLASSIFIERS = [kind for kind in ESTIMATORS if kind is not nk.OneSidedPerceptron]


def early_predictions(kind):
    """What an estimator may predict when it has seen no label but 1, or none."""
    return (None, 1) if kind is nk.MulticlassPerceptron else (-1, 1)


class UpdateLog(NamedTuple):
    """Keeps the rows that were mistakes or moved the weights, with the amounts."""

    rows: Any
    amounts: Any
    wrong: Any
    used: Any

    def record(self, i, amount, seen):
        k = self.used[0]
        self.rows[k], self.amounts[k], self.wrong[k] = i, amount, seen.mistaken
        self.used[0] = k + 1


def new_log(room):
    return UpdateLog(
        np.zeros(room, np.int64), np.zeros(room), np.zeros(room, bool), np.zeros(1, np.int64)
    )


def logged(log):
    used = int(log.used[0])
    return [log.rows[:used].tolist(), log.amounts[:used].tolist(), log.wrong[:used].tolist()]


def arrays_of(state):
    """All the arrays of a state, flat."""
    found = []
    for part in state:
        found += arrays_of(part) if isinstance(part, tuple) else [part]
    return found


def same_state(learner, other):
    """Whether two learners' states are equal bit for bit, spare room aside."""
    a, b = (protocol.compacted(each.rule, each.states[0]) for each in (learner, other))
    return all(np.array_equal(x, y) for x, y in zip(arrays_of(a), arrays_of(b), strict=True))


def run(
    rule, X, codes, *, bias, unit_length=False, epochs=2, initial=None, sparse=False, outputs=None
):
    """A learner after some epochs, and its log."""
    matrix = scipy.sparse.csr_array(X) if sparse else np.ascontiguousarray(X)
    rows = make_rows(matrix, bias, unit_length)
    lift = {"bias": bias, "unit_length": unit_length}
    learner = Learner(rule, X.shape[1], outputs, initial=initial, **lift)
    log = new_log(len(X) * epochs)
    for _ in range(epochs):
        learner.read(rows, codes, log=log)
    return learner, log


def run_plain(rule, X, codes, *, bias, unit_length=False, epochs=2, sparse=False, outputs=None):
    """The same with the loop as plain Python."""
    matrix = scipy.sparse.csr_array(X) if sparse else np.ascontiguousarray(X)
    rows = make_rows(matrix, bias, unit_length)
    learner = Learner(rule, X.shape[1], outputs, bias=bias, unit_length=unit_length)
    log = new_log(len(X) * epochs)
    reading = EpochInput(rows, codes, 1, np.empty(0, np.int64), 0, len(X), True)
    for _ in range(epochs):
        room = len(X), X.size + len(X)
        learner.states[0] = protocol.reserve(learner.rule, learner.states[0], *room)
        plain_epoch(learner.rule, learner.states[0], reading, learner.tallies[0], log)
    return learner, log


@st.composite
def problems(draw, max_rows=12, max_features=19):
    """A matrix with many zeros, awkward floats and repeated values, and labels as 0 and 1."""
    rows, features = draw(st.integers(2, max_rows)), draw(st.integers(1, max_features))
    value = st.one_of(
        st.just(0.0),
        st.integers(-3, 3).map(float),
        st.floats(-1e3, 1e3, allow_subnormal=False, width=32),
    )
    X = draw(
        st.lists(
            st.lists(value, min_size=features, max_size=features), min_size=rows, max_size=rows
        )
    )
    codes = draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    return np.array(X), np.array(codes, np.uint16)


@st.composite
def separable(draw, max_rows=40, max_features=6):
    """Rows, labels and a unit vector u that has at least `margin` on all of them (no bias)."""
    seed = draw(st.integers(0, 2**32 - 1))
    rows, features = draw(st.integers(2, max_rows)), draw(st.integers(2, max_features))
    margin = draw(st.sampled_from([0.05, 0.1, 0.3, 0.7]))
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(features)
    u /= np.linalg.norm(u)
    X = rng.uniform(-1, 1, (rows, features)) * draw(st.sampled_from([1.0, 3.0]))
    y = np.where(X @ u >= 0, 1.0, -1.0)
    X += u * (y * margin)[:, None]
    return X, y, u


def margin_and_radius(X, y, u):
    """The smallest margin of a unit vector, and the length of the longest row."""
    signed = X * y[:, None]
    return float((signed @ u).min()), float(np.linalg.norm(X, axis=1).max())


@st.composite
def labelled_integers(draw):
    """Integer rows with labels from a hyperplane that touches none of them, both classes there."""
    integers = st.integers(-4, 4)
    dim, rows = draw(st.integers(1, 4)), draw(st.integers(2, 9))
    X = np.array(draw(st.lists(st.lists(integers, min_size=dim, max_size=dim),
                               min_size=rows, max_size=rows)), float)  # fmt: skip
    u = np.array(draw(st.lists(integers, min_size=dim, max_size=dim)), float)
    scores = X @ u
    assume((scores != 0).all())
    y = np.sign(scores).astype(int)
    assume(len(set(y)) == 2)
    return X, y, u
