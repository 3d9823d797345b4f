"""All classes at once (Kesler): the rule, its theorem, the estimator, classes that come later."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError, HypothesisError, ModelError, ParameterError
from novikoff.learning.epochs import learn
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import (
    Averaged,
    MarginPerceptron,
    Multiclass,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from tests.helpers import reference_rules as reference
from tests.helpers.examples import examples
from tests.helpers.fit_modes import every_way, fitted, spec_for, write_rows
from tests.helpers.mixing import trained
from tests.helpers.rule_table import JOINT_RULES, logged, problems, run, run_plain, same_state

lifts = st.tuples(st.booleans(), st.booleans())
every_joint_rule = pytest.mark.parametrize(("rule", "bias"), JOINT_RULES.values(), ids=JOINT_RULES)
CLASSES = 4


@st.composite
def class_problems(draw, max_rows=12):
    """Rows as `problems` has them, of up to four classes."""
    X, codes = draw(problems(max_rows))
    codes = [draw(st.integers(0, CLASSES - 1)) for _ in codes]
    return X, np.array(codes, np.uint16)


@st.composite
def separated_classes(draw):
    """Rows without a bias, and the lead that some lines of weights, of length 1 in all, give."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    classes, features = draw(st.integers(2, 5)), draw(st.integers(2, 6))
    lines = rng.standard_normal((classes, features))
    lines /= np.linalg.norm(lines)
    X = rng.uniform(-1, 1, (draw(st.integers(2, 40)), features))
    scores = np.sort(X @ lines.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > draw(st.sampled_from([0.02, 0.1]))]
    assume(len(X) > 1)
    scores = X @ lines.T
    codes = scores.argmax(axis=1).astype(np.uint16)
    own = scores.max(axis=1)
    scores[np.arange(len(X)), codes] = -np.inf
    return X, codes, classes, float((own - scores.max(axis=1)).min())


def learned(rule, X, codes, classes, epochs=20_000, **options):
    learner = Learner(rule, X.shape[1], classes, bias=False)
    outcome = learn(learner, make_rows(X, False, False), codes, max_epochs=epochs, **options)
    return learner, outcome


def as_lists(learner):
    return [line.tolist() for line in learner.states[0].weights]


# ---- the rule, against plain Python


@given(class_problems(), lifts)
@examples(30)
def test_the_perceptron_is_the_plain_python_one(problem, lift):
    X, codes = problem
    data = reference.Data(X, codes, *lift)
    mistakes, lines, _ = reference.multiclass(
        data, codes, CLASSES, lambda i, lead: 0.3 if lead <= 0.0 else 0.0
    )
    learner, log = run(
        Multiclass(Perceptron(0.3)), X, codes, bias=lift[0], unit_length=lift[1], epochs=1,
        outputs=CLASSES,
    )  # fmt: skip
    assert logged(log)[0] == mistakes
    assert as_lists(learner) == lines


@given(class_problems(), lifts, st.sampled_from([(math.inf, 0.0), (0.1, 0.0), (math.inf, 0.5)]))
@examples(30)
def test_passive_aggressive_steps_are_the_plain_python_ones(problem, lift, form):
    X, codes = problem
    data, (cap, slack) = reference.Data(X, codes, *lift), form

    def amount(i, lead):
        loss, size = 1.0 - lead, 2.0 * data.square(i) + slack
        return 0.0 if loss <= 0.0 or size == 0.0 else min(cap, loss / size)

    mistakes, lines, _ = reference.multiclass(data, codes, CLASSES, amount)
    learner, log = run(
        Multiclass(PassiveAggressive(*form)), X, codes, bias=lift[0], unit_length=lift[1], epochs=1,
        outputs=CLASSES,
    )  # fmt: skip
    wrong = zip(logged(log)[0], logged(log)[2], strict=True)
    assert [i for i, is_wrong in wrong if is_wrong] == mistakes
    assert as_lists(learner) == lines


@given(class_problems(), lifts)
@examples(30)
def test_averaging_is_the_mean_of_all_weights(problem, lift):
    X, codes = problem
    data = reference.Data(X, codes, *lift)
    _, lines, means = reference.multiclass(
        data, codes, CLASSES, lambda i, lead: 1.0 if lead <= 0.0 else 0.0
    )
    learner, _ = run(
        Multiclass(Averaged(Perceptron())), X, codes, bias=lift[0], unit_length=lift[1], epochs=1,
        outputs=CLASSES,
    )  # fmt: skip
    assert as_lists(learner) == lines
    weights, intercepts = learner.linear()
    found = np.hstack([weights, intercepts[:, None]]) if lift[0] else weights
    assert found == pytest.approx(np.array(means), rel=1e-9, abs=1e-9 * np.abs(X).max(initial=1.0))


@every_joint_rule
@given(problem=class_problems(max_rows=8), unit_length=st.booleans())
@examples(10)
def test_dense_sparse_and_plain_python_agree(rule, bias, problem, unit_length):
    X, codes = problem
    options = {"bias": bias, "unit_length": unit_length, "outputs": CLASSES}
    dense, log = run(rule, X, codes, **options)
    for learner, other in (
        run(rule, X, codes, sparse=True, **options),
        run_plain(rule, X, codes, **options),
        run_plain(rule, X, codes, sparse=True, **options),
    ):
        assert same_state(dense, learner)
        assert logged(log) == logged(other)
    answers = dense.answers(make_rows(X, bias, unit_length))
    assert answers.shape == (len(X), CLASSES)


def test_two_classes_are_the_perceptron_with_half_the_weights():
    """w_1 - w_0 is what one perceptron learns, at twice the step."""
    X = np.random.default_rng(0).integers(-5, 5, (60, 3)).astype(float)
    y = X @ [1, -2, 3] > 0
    both = nk.MulticlassPerceptron().fit(X, y)
    one = nk.Perceptron().fit(X, y)
    assert both.mistakes_ == one.mistakes_
    assert np.array_equal(both.coef_[1], one.coef_[0])
    assert np.array_equal(both.coef_[0], -one.coef_[0])
    assert np.array_equal(both.predict(X), one.predict(X))


def test_rules_that_move_their_own_way_cannot_compare_classes():
    with pytest.raises(ParameterError, match="Winnow cannot compare classes"):
        Learner(Multiclass(Winnow()), 3)


def test_a_class_number_without_weights_is_refused():
    learner = Learner(Multiclass(), 1, 3)
    with pytest.raises(DataError, match="class number 3, which has no weights"):
        learner.read(make_rows(np.ones((1, 1)), True, False), np.array([3], np.uint16))


# ---- the theorem


@given(separated_classes(), st.sampled_from(["given", "shuffle"]), st.sampled_from([0.5, 1.0]))
def test_mistakes_are_at_most_twice_the_squared_ratio(problem, order, eta):
    X, codes, classes, margin = problem
    learner, outcome = learned(Multiclass(Perceptron(eta)), X, codes, classes, order=order)
    assert outcome.converged
    radius = float(np.linalg.norm(X, axis=1).max())
    assert learner.total("mistakes") <= nk.bounds.kesler(radius, margin) * (1.0 + 1e-9)
    assert outcome.ceilings[0] >= margin
    if classes == len(np.unique(codes)):
        proven = nk.bounds.kesler_on(X, codes, fit_intercept=False, precision=0.1)
        assert learner.total("mistakes") <= proven.value
        assert proven.radius == pytest.approx(radius)
        assert proven.margin.upper >= margin


@given(separated_classes(), st.sampled_from([(math.inf, 0.0), (0.5, 0.0), (math.inf, 2.0)]))
def test_passive_aggressive_mistakes_and_margin_updates_keep_their_bounds(problem, form):
    X, codes, classes, margin = problem
    radius = float(np.linalg.norm(X, axis=1).max())
    rule = Multiclass(PassiveAggressive(*form))
    learner, _ = learned(rule, X, codes, classes, epochs=200)
    assert learner.total("mistakes") <= rule.mistake_bound(radius, margin) * (1.0 + 1e-9)
    rule = Multiclass(MarginPerceptron(1.0, 0.1))
    learner, _ = learned(rule, X, codes, classes, epochs=200)
    assert learner.total("updates") <= rule.mistake_bound(radius, margin) * (1.0 + 1e-9)


@pytest.mark.parametrize("rows", [1, 4, 9])
def test_orthonormal_rows_of_two_classes_take_as_many_mistakes_as_the_bound_allows(rows):
    X, y = np.eye(2 * rows), np.arange(2 * rows) % 2
    bound = nk.bounds.kesler_on(X, y, fit_intercept=False)
    model = nk.MulticlassPerceptron(fit_intercept=False).fit(X, y)
    assert model.mistakes_ == bound.value == 2 * rows
    assert nk.bounds.kesler(1.0, bound.margin.lower) == pytest.approx(2 * rows)
    assert model.margin_ceiling_ == pytest.approx(bound.margin.upper)


def test_the_bound_is_refused_where_the_classes_are_not_separable():
    with pytest.raises(HypothesisError, match="not jointly separable, because of the rows 0, 1,"):
        nk.bounds.kesler_on([[0], [1], [2], [3]], [0, 1, 2, 0])
    with pytest.raises(ParameterError, match="a multiclass margin of 2 is not possible"):
        nk.bounds.kesler(1, 2)


# ---- wherever the rows are


@pytest.mark.parametrize("parameters", [{}, {"averaged": True}, {"variant": "PA-I", "C": 0.1}])
def test_memory_cache_and_stream_give_the_same_bytes_and_so_does_a_resumed_run(
    tmp_path, parameters
):
    path = write_rows(tmp_path / "rows.svm", "multiclass", classes=(1, 2, 5))
    spec = spec_for("multiclass")._replace(parameters=parameters)
    found = every_way(spec, path, tmp_path)
    assert len(set(found.values())) == 1
    for streamed in (False, True):
        checkpoint = tmp_path / f"checkpoint-{streamed}"
        options = {"streamed": streamed, "checkpoint": checkpoint}
        source = {"cache": False} if not streamed else {}
        assert fitted(spec, nk.open(path, **source), tmp_path / "m", stop=1, **options) is None
        resumed = fitted(spec, nk.open(path, **source), tmp_path / "m", **options)
        assert resumed == found["memory"]


def test_float32_rows_learn_as_their_float64_values_do(monkeypatch):
    monkeypatch.setattr("novikoff.learning.rows.FEW", 0)  # else so few of them are widened first
    X, y = stream()
    narrow = (X / 3.0).astype(np.float32)
    model = nk.MulticlassPerceptron(max_epochs=3, averaged=True)
    with pytest.warns(UserWarning, match="not converged"):
        first = nk.MulticlassPerceptron(max_epochs=3, averaged=True).fit(narrow, y)
    with pytest.warns(UserWarning, match="not converged"):
        model.fit(narrow.astype(np.float64), y)
    assert np.array_equal(first.coef_, model.coef_)


def test_shards_are_mixed_within_the_bound_and_one_is_one_machine():
    X, words = stream()
    codes = np.array([WORDS.index(word) for word in words], np.uint16)
    alone, _ = learned(Multiclass(), X, codes, len(WORDS))
    whole = trained(Multiclass(), X, codes, []).learner
    assert as_lists(whole) == as_lists(alone)
    mixed = trained(Multiclass(), X, codes, [20, 50])
    assert mixed.outcome.converged
    bound = nk.bounds.kesler_on(X, codes, fit_intercept=False)
    assert mixed.mixed_mistakes <= bound.value


def test_a_random_start_has_a_line_for_each_class(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), rng.integers(0, 2, 30)
    model = nk.MulticlassPerceptron(init="random", random_state=3, max_epochs=1)
    with pytest.warns(UserWarning, match="not converged"):
        model.fit(X, y)
    nk.save(model, tmp_path / "m")
    again = nk.load(tmp_path / "m").partial_fit(X, y)
    assert np.array_equal(again.init, model._learner.initial)
    assert np.array_equal(again.coef_, model.partial_fit(X, y).coef_)
    with pytest.raises(ParameterError, match=r"the start has shape \(1, 3\); \(2, 3\) is needed"):
        nk.MulticlassPerceptron(init=[0.0, 1.0]).fit(X, y)


# ---- classes that come later

WORDS = ["ant", "bee", "cat", "dog"]


def stream(seed=0, rows=80):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 9, (rows, 3)).astype(float)
    return X, [WORDS[k] for k in (X @ rng.standard_normal((3, 4))).argmax(axis=1)]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("averaged", [False, True])
def test_classes_may_come_one_after_another(tmp_path, averaged, named):
    """Each prediction is among the classes so far, and every mistake is one of those counted."""
    X, y = stream()
    model = nk.MulticlassPerceptron(averaged=averaged)
    assert model.predict_one(X[0]) is None
    plain, lines, mistakes = nk.MulticlassPerceptron(), {}, 0
    for x, label in zip(X, y, strict=True):
        row = {"a": x[0], "b": x[1], "c": x[2]} if named else x
        model.learn_one(row, label)
        plain.learn_one(row, label)
        lines.setdefault(label, np.zeros(4))
        lifted, names = np.append(x, 1.0), sorted(lines)
        others = [name for name in names if name != label]
        if others:
            rival = max(others, key=lambda name: (lines[name] @ lifted, -names.index(name)))
            if (lines[label] - lines[rival]) @ lifted <= 0.0:
                mistakes += 1
                lines[label] += lifted
                lines[rival] -= lifted
    assert model.classes_.tolist() == WORDS
    assert model.mistakes_ == plain.mistakes_ == mistakes
    assert np.array_equal(np.c_[plain.coef_, plain.intercept_], [lines[name] for name in WORDS])
    nk.save(model, tmp_path / "m")
    again = nk.load(tmp_path / "m")
    rows = X if not named else [dict(zip("abc", x, strict=True)) for x in X]
    assert [again.predict_one(x) for x in rows] == [model.predict_one(x) for x in rows]
    if not named:
        assert model.predict(X).tolist() == [model.predict_one(x) for x in rows]


def test_one_class_alone_is_always_right(tmp_path):
    model = nk.MulticlassPerceptron().learn_one([1.0, 2.0], "only").learn_one([3.0, 4.0], "only")
    assert (model.mistakes_, model.updates_) == (0, 0)
    assert model.predict([[0.0, 1.0]]).tolist() == ["only"]
    assert model.decide_one([0.0, 1.0]) == ("only", [0.0])
    with pytest.raises(ModelError, match="only one class has come so far"):
        nk.save(model, tmp_path / "m")


def test_the_class_of_a_refused_row_never_came():
    model = nk.MulticlassPerceptron()
    for bad in ({"x": np.nan}, [1.0, np.nan]):
        with pytest.raises(DataError, match="NaN"):
            model.learn_one(bad, "a")
    model.learn_one({"x": 1.0}, "a").learn_one({"x": -1.0}, "b")
    before = model.coef_.tolist()
    with pytest.raises(DataError, match="feature 'y' is NaN"):
        model.learn_one({"y": np.nan}, "c")
    with pytest.raises(DataError, match="cannot be sorted together"):
        model.learn_one({"x": 1.0}, 3)
    assert model.classes_.tolist() == ["a", "b"]
    assert model.coef_.tolist() == before
    assert model.learn_one({"x": 5.0}, "c", weight=2.0).classes_.tolist() == ["a", "b", "c"]


def test_a_new_class_ends_convergence_and_weights_of_classes_may_wait_for_theirs():
    model = nk.MulticlassPerceptron(class_weight={"c": 2.0, "never": 3.0})
    model.learn_one([1.0], "a").learn_one([-1.0], "b").learn_one([0.0], "c")
    assert model.classes_.tolist() == ["a", "b", "c"]
    model = nk.MulticlassPerceptron().fit([[1.0], [-1.0]], ["a", "b"])
    assert model.converged_
    assert not model.learn_one([9.0], "z").converged_


def test_one_vs_rest_says_what_to_do_about_a_class_that_comes_later():
    model = nk.Perceptron().learn_one([1.0], "a", classes=["a", "b"])
    with pytest.raises(DataError, match="none of the classes a, b: name all in"):
        model.learn_one([1.0], "c")
