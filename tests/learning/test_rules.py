"""One table: every rule and every property that all rules share."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

from novikoff.errors import DataError, ParameterError
from novikoff.learning.learner import Learner
from novikoff.learning.loop import answers_for
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import (
    TIES,
    Averaged,
    MarginPerceptron,
    Perceptron,
    SecondOrder,
    Winnow,
    protocol,
)
from tests.helpers.examples import examples
from tests.helpers.rule_table import (
    JOINT_RULES,
    RULES,
    logged,
    problems,
    run,
    run_plain,
    same_state,
)

every_rule = pytest.mark.parametrize(("rule", "bias"), RULES.values(), ids=RULES)
every_rule_and_joint_one = pytest.mark.parametrize(
    ("rule", "bias"), (RULES | JOINT_RULES).values(), ids=RULES | JOINT_RULES
)
lengths = pytest.mark.parametrize("unit_length", [False, True], ids=["as-is", "unit"])


@every_rule
@lengths
def test_dense_and_csr_give_the_same_bytes(rule, bias, unit_length):
    @given(problems())
    @examples(25)
    def check(problem):
        X, codes = problem
        options = {"bias": bias, "unit_length": unit_length}
        dense, dense_log = run(rule, X, codes, **options)
        sparse, sparse_log = run(rule, X, codes, sparse=True, **options)
        assert logged(dense_log) == logged(sparse_log)
        assert same_state(dense, sparse)
        rows = make_rows(X, bias, unit_length)
        assert np.array_equal(dense.answers(rows), sparse.answers(rows))

    check()


@every_rule
@lengths
def test_the_compiled_loop_equals_plain_python(rule, bias, unit_length):
    @given(problems(max_rows=6, max_features=11))
    @examples(10)
    def check(problem):
        X, codes = problem
        options = {"bias": bias, "unit_length": unit_length}
        compiled, compiled_log = run(rule, X, codes, **options)
        rows = make_rows(X, bias, unit_length)
        for sparse in (False, True):
            plain, plain_log = run_plain(rule, X, codes, sparse=sparse, **options)
            assert logged(compiled_log) == logged(plain_log)
            assert same_state(compiled, plain)
            for field, one in compiled.tallies[0]._asdict().items():
                assert one[0] == getattr(plain.tallies[0], field)[0], field
            readout, out = (
                protocol.readout(plain.rule, plain.states[0], 2 * len(X)),
                np.empty(len(X)),
            )
            answers_for(plain.rule).plain(plain.rule, readout, rows, 0, out)
            assert np.array_equal(compiled.answers(rows)[:, 0], out)

    check()


def example(rows=40, features=7):
    rng = np.random.default_rng(5)
    X = np.round(rng.standard_normal((rows, features)), 2)
    return X, (X @ np.arange(features) > 1).astype(np.uint16)


@every_rule
def test_float32_rows_learn_as_their_float64_values_do(rule, bias, monkeypatch):
    monkeypatch.setattr("novikoff.learning.rows.FEW", 0)  # else so few of them are widened first
    X, codes = example()
    narrow = X.astype(np.float32)
    assert make_rows(narrow, bias, False).values.dtype == np.float32
    a, _ = run(rule, narrow, codes, bias=bias)
    b, _ = run(rule, narrow.astype(np.float64), codes, bias=bias)
    assert same_state(a, b)


@pytest.mark.parametrize("name", ["perceptron", "averaged", "winnow", "second-order"])
def test_columns_numbered_by_64_bits_make_no_difference(name, monkeypatch):
    rule, bias = RULES[name]
    X, codes = example()
    matrix = scipy.sparse.csr_array(X)
    narrow = make_rows(matrix, bias, False)
    matrix.indices, matrix.indptr = (
        each.astype(np.int64) for each in (matrix.indices, matrix.indptr)
    )
    copied = make_rows(matrix, bias, False)
    assert copied.columns.dtype == copied.starts.dtype == np.uint32
    monkeypatch.setattr("novikoff.learning.rows.FEW", 0)
    wide = make_rows(matrix, bias, False)
    assert wide.columns.dtype == wide.starts.dtype == np.uint64
    found = []
    for each in (narrow, wide):
        learner = Learner(rule, X.shape[1], bias=bias)
        learner.read(each, codes)
        found.append(learner)
    assert same_state(*found)


def test_few_columns_that_32_bits_do_not_hold_are_refused_and_not_cut():
    for bad in (-1, 2**32 + 1, 5 - 2**32):
        matrix = scipy.sparse.csr_array(np.eye(3, 9))
        matrix.indices = np.array([0, bad, 2], np.int64)
        matrix.indptr = matrix.indptr.astype(np.int64)
        with pytest.raises(DataError, match=f"row 1 has column {bad}, outside"):
            make_rows(matrix, True, False)


@every_rule_and_joint_one
def test_the_rows_are_left_as_they_were(rule, bias):
    X, codes = example()
    before = X.copy(), codes.copy()
    run(rule, X, codes, bias=bias, unit_length=True)
    assert np.array_equal(X, before[0])
    assert np.array_equal(codes, before[1])


@every_rule_and_joint_one
def test_a_learner_that_was_pickled_or_copied_goes_on_alike(rule, bias):
    X, codes = example()
    learner, _ = run(rule, X, codes, bias=bias, epochs=1)
    twins = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    for each in (learner, *twins):
        each.read(make_rows(X, bias, False), codes)
    for twin in twins:
        assert np.array_equal(twin.linear()[0], learner.linear()[0])
        rows = make_rows(X, bias, False)
        assert np.array_equal(twin.answers(rows), learner.answers(rows))


@every_rule_and_joint_one
def test_chunks_of_any_size_make_the_same_epoch(rule, bias):
    X, codes = example()
    whole, _ = run(rule, X, codes, bias=bias, epochs=1)
    for size in (1, 7, 39):
        parts = Learner(rule, X.shape[1], bias=bias)
        for start in range(0, len(X), size):
            rows = make_rows(X[start : start + size], bias, False)
            parts.read(rows, codes[start : start + size])
        assert np.array_equal(parts.linear()[0], whole.linear()[0])
        assert parts.total("mistakes") == whole.total("mistakes")


@pytest.mark.parametrize(
    ("rule", "bias"),
    # but for complements: that of a feature which is not there would be 1
    [case for name, case in (RULES | JOINT_RULES).items() if name != "winnow-complement"],
)
def test_room_for_more_features_changes_nothing(rule, bias):
    """Growing to more features, or back, is as if the new ones had been zero all along."""
    X, codes = example()
    rule = rule._replace(theta=3.0) if hasattr(rule, "theta") else rule
    wide = np.hstack([X, np.zeros((len(X), 4))])
    learner = Learner(rule, X.shape[1], bias=bias)
    learner.read(make_rows(X, bias, False), codes)
    learner.resize(wide.shape[1])
    learner.read(make_rows(wide, bias, False), codes)
    learner.resize(X.shape[1])
    learner.read(make_rows(X, bias, False), codes)
    straight, _ = run(rule, X, codes, bias=bias, epochs=3)
    rows = make_rows(X, bias, False)
    assert np.array_equal(learner.answers(rows), straight.answers(rows))


@every_rule_and_joint_one
def test_rows_can_be_refused_before_anything_is_learned_from_them(rule, bias):
    X, codes = example()
    learner, _ = run(rule, X, codes, bias=bias, epochs=1)
    before = learner.linear()[0], learner.total("mistakes"), learner.total("seen")
    bad = X.copy()
    bad[30, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 30, column 2"):
        learner.refuse_any(make_rows(bad, bias, False))
    assert np.array_equal(learner.linear()[0], before[0])
    assert (learner.total("mistakes"), learner.total("seen")) == before[1:]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Perceptron(eta=0.0), "eta must be a number above 0"),
        (Perceptron(eta=float("nan")), "eta must be a number above 0"),
        (MarginPerceptron(1.0, -1.0), "margin must be 0 or above"),
        (SecondOrder(0.0), "a must be a number above 0"),
        (Winnow(alpha=1.0), "alpha must be a number above 1"),
        (Winnow(theta=0.0), "theta must be above 0"),
        (Averaged(Perceptron(-1.0)), "eta must be a number above 0"),
        (Averaged(Winnow()), "cannot be averaged"),
        (3.0, "float does not work as a rule: it is not a NamedTuple"),
        (TIES["keep"], "no method step"),
        (Perceptron(tie=TIES["keep"]), "can never move"),
    ],
)
def test_what_is_not_a_rule_or_out_of_range_is_refused(rule, words):
    with pytest.raises(ParameterError, match=words):
        Learner(rule, 3)


def test_the_second_order_rule_refuses_what_memory_could_not_hold():
    with pytest.raises(ParameterError, match=r"1,000,000 features would need 8,000 GB"):
        Learner(SecondOrder(), 1_000_000, bias=False)
