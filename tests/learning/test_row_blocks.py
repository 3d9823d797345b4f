"""Epochs of the perceptron by NumPy leave the bits of the loop behind, whatever the rows."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import novikoff as nk
from novikoff.learning.learner import AS_GIVEN, Learner
from novikoff.learning.loop import EpochInput, epoch_for, learn_at, plain_epoch
from novikoff.learning.row_blocks import perceptron as perceptron_blocks
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import TIES, Averaged, Perceptron
from tests.helpers.rule_table import new_log

#: Small integers, whose scores are often 0; numbers whose sums round, and some that overflow.
VALUES = st.one_of(
    st.integers(-2, 2).map(float), st.sampled_from([-0.0, 1e300, -1e300]), st.floats(-1e3, 1e3)
)


def in_blocks(rule, state, reading, tally, log):
    assert perceptron_blocks.suits(rule, reading, tally)
    return perceptron_blocks.epoch(rule, state, reading, tally, log, learn_at)


def left_behind(epoch, rule, rows, codes, initial, order, cut):
    """All that three epochs, each in two parts, leave behind, as bytes."""
    lift = {"bias": rows.bias, "unit_length": rows.unit_length}
    learner = Learner(rule, rows.values.shape[1], initial=initial, **lift)
    log = new_log(3 * len(codes))
    (state,), (tally,) = learner.states, learner.tallies
    refused = 0
    for start, stop in ((0, cut), (cut, len(codes))) * 3:
        reading = EpochInput(rows, codes, 1, order, start, stop, False)
        with np.errstate(all="ignore"):
            refused = refused or epoch(rule, state, reading, tally, log)
    if refused:  # whatever else there is must be thrown away
        return refused
    return [each.tobytes() for each in (state.weights, *tally, *log)]


@given(st.data())
def test_blocks_and_loop_agree(data):
    shape = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 20)))
    X = data.draw(hnp.arrays(np.float64, shape, elements=VALUES, fill=st.just(0.0)))
    with np.errstate(over="ignore"):
        X = X.astype(data.draw(st.sampled_from([np.float64, np.float64, np.float32])))
    rows = make_rows(X, data.draw(st.booleans()), data.draw(st.booleans()))
    codes = data.draw(hnp.arrays(np.uint16, len(X), elements=st.integers(0, 2)))
    initial = data.draw(hnp.arrays(np.float64, shape[1] + rows.bias, elements=VALUES))[None]
    places = data.draw(st.permutations(range(len(X))))
    order = np.array(places, np.int64) if data.draw(st.booleans()) else AS_GIVEN
    rule = Perceptron(
        data.draw(st.sampled_from([1.0, 0.1])), data.draw(st.sampled_from([*TIES.values()]))
    )
    cut = data.draw(st.integers(0, len(X)))
    one, other = (
        left_behind(epoch, rule, rows, codes, initial, order, cut)
        for epoch in (in_blocks, plain_epoch)
    )
    assert one == other


@pytest.mark.parametrize("unit_length", [False, True])
def test_runs_are_those_of_the_compiled_loop(unit_length):
    X, labels, _ = nk.open("example:wdbc").read()
    rows, codes = make_rows(X, True, unit_length), np.unique(labels, return_inverse=True)[1]
    given = rows, codes.astype(np.uint16), np.zeros((1, X.shape[1] + 1)), AS_GIVEN, 300
    compiled = epoch_for(Perceptron(), new_log(1)).compiled
    assert left_behind(in_blocks, Perceptron(), *given) == left_behind(
        compiled, Perceptron(), *given
    )


def test_only_the_plain_perceptron_on_dense_rows_is_learned_so():
    X, codes = np.eye(2), np.array([0, 1], np.uint16)
    learner = Learner(Perceptron(), 2, bias=False)

    dense = make_rows(X, False, False)

    def suits(rule, rows=dense, measure=False):
        reading = EpochInput(rows, codes, 1, AS_GIVEN, 0, 2, measure)
        return perceptron_blocks.suits(rule, reading, learner.tallies[0])

    assert suits(Perceptron())
    assert not suits(Averaged(Perceptron()))
    assert not suits(Perceptron(), measure=True)
    assert not suits(Perceptron(), make_rows(scipy.sparse.csr_array(X), False, False))
    learner.count_weights()
    assert not suits(Perceptron())
