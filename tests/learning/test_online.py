"""One example at a time, on arrays and on dicts of named features."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from novikoff.learning.estimators import online
from tests.helpers.examples import examples
from tests.helpers.rule_table import CLASSIFIERS, early_predictions

every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def stream(rows=80, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((rows, 6)), 2)
    X[rng.random(X.shape) < 0.3] = 0.0
    return X, np.where(X @ [1, -2, 0, 1, 0.5, 0] > 0.2, 1, -1)


def named(row):
    return {f"f{j}": value for j, value in enumerate(row)}


def named_classes(kind):
    """The classes, for an estimator that would otherwise begin with the first one alone."""
    return {"classes": [-1, 1]} if kind is nk.MulticlassPerceptron else {}


@every_classifier
def test_learn_one_is_partial_fit_row_by_row(kind):
    X, y = stream()
    batch = kind().partial_fit(X, y, classes=[-1, 1])
    online = kind()
    for row, label in zip(X, y, strict=True):
        online.learn_one(row, label, **named_classes(kind))
    assert np.array_equal(batch.coef_, online.coef_)
    assert batch.mistakes_ == online.mistakes_
    assert batch.radius_ == online.radius_
    assert np.array_equal(batch.decision_function(X), online.decision_function(X))


@every_classifier
def test_dicts_give_the_same_bytes_as_arrays(kind):
    X, y = stream()
    parameters = {"theta": 6.0} if kind is nk.Winnow else {}
    arrays, dicts = kind(**parameters), kind(**parameters)
    for row, label in zip(X, y, strict=True):
        arrays.learn_one(row, label)
        dicts.learn_one(named(row), label)
        assert dicts.predict_one(named(row)) == arrays.predict_one(row)
    assert dicts.feature_names_in_.tolist() == [f"f{j}" for j in range(6)]
    assert np.array_equal(arrays.coef_, dicts.coef_)
    assert arrays.mistakes_ == dicts.mistakes_


@every_classifier
def test_names_may_appear_in_any_order_at_any_time(kind):
    """Sparse dicts in random order, more names than there was room for at first."""
    rng = np.random.default_rng(1)
    names = [f"n{j}" for j in range(150)]
    parameters = {"theta": 5.0} if kind is nk.Winnow else {}
    online, seen, rows, labels = kind(**parameters), {}, [], []
    for _ in range(120):
        chosen = rng.permutation(150)[: rng.integers(1, 12)]
        row = {names[j]: float(rng.integers(1, 4)) for j in chosen}
        label = 1 if sum(chosen % 7) > 20 else -1
        for name in row:
            seen.setdefault(name, len(seen))
        rows.append(row)
        labels.append(label)
        online.learn_one(row, label, **named_classes(kind))
    assert online.n_features_in_ == len(seen)
    X = np.zeros((len(rows), len(seen)))
    for i, row in enumerate(rows):
        for name, value in row.items():
            X[i, seen[name]] = value
    batch = kind(**parameters).partial_fit(X, labels, classes=[-1, 1])
    assert np.array_equal(online.coef_, batch.coef_)
    assert online.mistakes_ == batch.mistakes_
    with pytest.warns(UserWarning, match="feature names"):
        assert np.array_equal(online.predict(X), batch.predict(X))


def test_mistakes_are_counted_before_learning():
    model = nk.Perceptron(fit_intercept=False)
    told = []
    for row, label in zip(*stream(), strict=True):
        told.append(model.predict_one(row) != label or not (row @ model.coef_[0]))
        model.learn_one(row, label)
    assert model.mistakes_ == sum(told)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, -1], [-1, 1]),
        ([1, 0], [0, 1]),
        ([0, 1], [0, 1]),
        ([True, False], [False, True]),
        ([1.0, -1.0], [-1, 1]),
        ([np.int64(-1), np.int64(1)], [-1, 1]),
    ],
)
def test_the_usual_labels_need_no_announcement(labels, classes):
    model = nk.Perceptron()
    for label in labels:
        model.learn_one([1.0, 2.0], label)
    assert model.classes_.tolist() == classes
    assert model.predict_one([1.0, 2.0]) in classes


def test_other_labels_are_named_in_the_first_call():
    model = nk.Perceptron()
    with pytest.raises(ValueError, match=r"classes=\['spam', \.\.\.\]"):
        model.learn_one([1.0], "spam")
    model.learn_one([1.0], "spam", classes=["spam", "ham", "eggs"])
    model.learn_one([-1.0], "ham")
    assert model.predict_one([1.0]) == "spam"
    assert model.coef_.shape == (3, 1)
    with pytest.raises(ValueError, match="none of the classes"):
        model.learn_one([1.0], "bacon")
    many = nk.Perceptron().partial_fit([[1.0]], [0], classes=range(5000))
    with pytest.raises(ValueError, match=r"label 9999, .* 0, 1, .*, 9 and 4,990 more$"):
        many.partial_fit([[1.0]], [9999])
    with pytest.raises(ValueError, match="two classes"):
        nk.Perceptron().learn_one([1.0], "a", classes=["a"])


@pytest.mark.parametrize("label", [[1], {}, np.array(1)])
def test_a_label_is_one_value(label):
    known = nk.Perceptron().learn_one([1.0], 1)
    for model in (nk.Perceptron(), known):
        with pytest.raises(ParameterError, match="a label is one number or text"):
            model.learn_one([1.0], label)
    assert known.learn_one([1.0], -1).n_samples_seen_ == 2


@pytest.mark.parametrize("text", ["5", b"5", "nan"])
def test_text_is_no_number_even_if_it_writes_one(text):
    for model in (nk.Perceptron(), nk.Perceptron().learn_one({"a": 1.0}, 1)):
        for call in (model.predict_one, lambda row, model=model: model.learn_one(row, 0)):
            with pytest.raises(DataError, match=r"feature 'a' is .*; a number is needed"):
                call({"a": text})


def test_a_third_label_is_refused_and_learns_nothing():
    model = nk.Perceptron().learn_one([1.0], 1).learn_one([1.0], -1)
    before = model.coef_
    with pytest.raises(ValueError, match="the label 0 is none of the classes"):
        model.learn_one([1.0], 0)
    assert np.array_equal(model.coef_, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_value_is_refused_and_learns_nothing(bad):
    model = nk.Perceptron().learn_one([1.0, 2.0], 1)
    before = model.coef_, model.mistakes_
    with pytest.raises(ValueError, match=r"contains .* column 1"):
        model.learn_one([1.0, bad], -1)
    with pytest.raises(ValueError, match="contains"):
        model.predict_one([bad, 1.0])
    assert np.array_equal(model.coef_, before[0])
    assert model.mistakes_ == before[1]


def test_bad_rows_are_named():
    model = nk.Perceptron().learn_one([1.0, 2.0], 1)
    with pytest.raises(ValueError, match="has 3 features; 2 were seen"):
        model.learn_one([1.0, 2.0, 3.0], 1)
    with pytest.raises(ValueError, match="no names"):
        model.learn_one({"a": 1.0}, 1)
    dicts = nk.Perceptron().learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="feature 'b' is 'x'"):
        dicts.learn_one({"a": 1.0, "b": "x"}, 1)
    with pytest.raises(ValueError, match="needs theta"):
        nk.Winnow().learn_one({"a": 1.0}, 1)


def test_learning_goes_on_from_fit_and_back():
    X, y = stream()
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(6)])
    model = nk.Perceptron(max_epochs=50).fit(frame, y)
    twin = copy.deepcopy(model)
    model.learn_one(named(X[0]), -y[0])
    twin.partial_fit(frame.iloc[:1], -y[:1])
    assert np.array_equal(model.coef_, twin.coef_)
    model.learn_one({"f0": 1.0, "new": 2.0}, 1)
    assert model.n_features_in_ == 7
    assert model.coef_.shape == (1, 7)
    assert model.fit(X, y).n_features_in_ == 6


def test_a_pickled_model_learns_on():
    X, y = stream()
    for make in (list, named):
        model = nk.AveragedPerceptron()
        for row, label in zip(X[:40], y, strict=False):
            model.learn_one(make(row), label)
        twin = pickle.loads(pickle.dumps(model))
        for row, label in zip(X[40:], y[40:], strict=True):
            model.learn_one(make(row), label)
            twin.learn_one(make(row), label)
        assert np.array_equal(model.coef_, twin.coef_)


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-9, 9)), max_size=20))
@examples(50)
def test_any_dicts(rows):
    model, names = nk.Perceptron(), []
    for k, row in enumerate(rows):
        model.learn_one(row, k % 2)
        names += [name for name in row if name not in names]
    if rows:
        assert model.feature_names_in_.tolist() == names
        assert model.coef_.shape == (1, len(names))


def test_a_mean_is_taken_of_the_rows_names_alone():
    """With as many names as there are words in a text collection, one row asks for its own only."""
    model = nk.AveragedPerceptron()
    model.learn_one(dict.fromkeys(range(2000), 1.0), 1).learn_one({7: 2.0, 11: 1.0}, -1)
    means = dict(zip(range(2000), model.coef_[0], strict=True)) | {"bias": model.intercept_[0]}
    for row in ({7: 1.0}, {11: -3.0, 1999: 0.5}, {"new": 1.0}, {}, {7: 1.0}):
        score = sum(means.get(name, 0.0) * x for name, x in row.items()) + means["bias"]
        assert model.decide_one(row) == (1 if score > 0 else -1, [score])
    read = np.flatnonzero(model._one.readouts[0].weights)
    assert set(read) <= {7, 11, 1999, model._learner.features}
    model.learn_one({7: 9.0}, -1)  # the mean of a name changes with every row that is seen
    assert model.decide_one({11: 1.0})[1] == [model.coef_[0, 11] + model.intercept_[0]]


def test_means_of_all_classes_are_taken_of_the_rows_names_alone():
    model = nk.MulticlassPerceptron(averaged=True)
    model.learn_one(dict.fromkeys(range(2000), 1.0), "a").learn_one({7: 2.0, 11: 1.0}, "b")
    model.learn_one({5: 1.0, 7: 1.0}, "c").learn_one({11: 4.0}, "a")
    for row in ({7: 1.0}, {11: -3.0, 1999: 0.5}, {"new": 1.0}, {}, {7: 1.0}):
        label, scores = model.decide_one(row)
        columns = [name for name in row if name != "new"]
        values = np.array([row[name] for name in columns])
        assert scores == pytest.approx(model.coef_[:, columns] @ values + model.intercept_)
        assert label == model.classes_[np.argmax(scores)] == model.predict_one(row)
    read = np.flatnonzero(model._one.readouts[0].weights.any(axis=0))
    assert set(read) <= {7, 11, 1999, model._learner.features}
    model.learn_one({7: 9.0}, "d")  # a class that comes later has a mean of its own
    assert len(model.decide_one({11: 1.0})[1]) == 4


@every_classifier
def test_rows_seen_are_counted(kind):
    X, y = stream()
    model = kind(max_epochs=2, **({"theta": 6.0} if kind is nk.Winnow else {}))
    model.learn_one(named(X[0]), y[0]).learn_one(named(X[1]), y[1])
    assert model.n_samples_seen_ == 2
    model = kind(max_epochs=2).partial_fit(X, y, classes=[-1, 1])
    assert model.partial_fit(X[:3], y[:3]).n_samples_seen_ == len(X) + 3


@every_classifier
def test_predicting_learns_nothing_not_even_names(kind):
    parameters = {"theta": 2.0} if kind is nk.Winnow else {}
    model = kind(**parameters)
    assert model.predict_one({"a": 1.0}) in early_predictions(kind)
    assert not hasattr(model, "coef_")
    model.learn_one({"a": 1.0, "b": 1.0}, 1)
    model.learn_one({"b": 1.0}, -1)
    twin = copy.deepcopy(model)
    assert model.predict_one({"zzz": 5.0}) in (-1, 1)
    known = model.predict_one({"a": 1.0})
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(model.coef_, twin.coef_)
    unknown = model.predict_one({"a": 1.0, "zzz": 1e-9})
    if kind is not nk.Winnow:  # whose weights start at 1
        assert known == unknown


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("classes", [[-1, 1], [0, 1, 2]])
def test_many_rows_are_decided_as_each_of_them_is(kind, classes, monkeypatch):
    rng = np.random.default_rng(1)
    named, plain = (kind(**({"theta": 3.0} if kind is nk.Winnow else {})) for _ in range(2))
    rows = [{f"f{j}": abs(rng.normal()) for j in rng.permutation(12)[:5]} for _ in range(80)]
    rows += [{}, {"new": 1.0}, {"new": 1.0, "f3": 2}]
    lists = rng.random((40, 6)).tolist()
    for k in range(40):
        named.learn_one(rows[k], classes[k % len(classes)], classes=classes)
        plain.learn_one(lists[k], classes[k % len(classes)], classes=classes)
    assert named.decide_many(rows) == [named.decide_one(x) for x in rows]
    assert plain.decide_many(lists) == [plain.decide_one(x) for x in lists]
    monkeypatch.setattr(online, "READOUT", 0)  # as if there were many more features than rows
    assert named.decide_many(rows) == [named.decide_one(x) for x in rows]
    monkeypatch.undo()
    for wrong in ([[1.0]], [lists[0], [1.0]]):
        with pytest.raises((DataError, ValueError)):
            plain.decide_many(wrong)
    with pytest.raises(DataError):
        named.decide_many([rows[0], {"f1": np.inf}])


def test_predict_then_learn_with_named_classes():
    model = nk.Perceptron()
    model.predict_one([1.0])
    model.learn_one([1.0], "b", classes=["a", "b", "c"])
    model.learn_one([1.0], "c")
    assert model.coef_.shape == (3, 1)
    assert model.predict_one([1.0]) in ("a", "b", "c")


@pytest.mark.parametrize("bad", [{"x": 1.0, "new": np.nan}, {"new": "text"}])
def test_the_names_of_a_refused_row_are_forgotten(bad):
    model = nk.Perceptron().learn_one({"x": 1.0}, 1)
    with pytest.raises(ValueError, match=r"NaN|a number is needed"):
        model.learn_one(bad, -1)
    assert model.feature_names_in_.tolist() == ["x"]
    model.learn_one({"other": 1.0, "new": 2.0}, -1)
    assert model.feature_names_in_.tolist() == ["x", "other", "new"]
    assert model.coef_[0].tolist() == [1.0, -1.0, -2.0]


def test_a_second_label_may_come_with_a_row_of_another_kind():
    model = nk.Perceptron().learn_one(np.array([1.0, 0.0]), 1)
    assert model.learn_one([0.0, 1.0], 0).classes_.tolist() == [0, 1]


@every_classifier
def test_learn_many_is_learn_one_row_by_row(kind):
    """With names that come later, rows of other types and a label that comes late."""
    X, y = stream(400)
    rows = [named(row) for row in X.tolist()]
    rows[40:50] = [{**row, "late": 1.0} for row in rows[40:50]]
    rows[60] = dict(reversed(rows[60].items()))
    rows[70] = {name: int(value) for name, value in rows[70].items()}
    labels = [1 if k < 30 else label for k, label in enumerate(y.tolist())]
    theta = {"theta": 5.0} if kind is nk.Winnow else {}
    one, many = kind(**theta), kind(**theta)
    for model in (one, many):
        model.learn_one(rows[0], labels[0], **named_classes(kind))
    for row, label in zip(rows[1:], labels[1:], strict=True):
        one.learn_one(row, label)
    assert many.learn_many(iter(rows[1:]), iter(labels[1:])) is many
    assert many.coef_.tobytes() == one.coef_.tobytes()
    assert (many.mistakes_, many.n_samples_seen_) == (one.mistakes_, one.n_samples_seen_)
    assert many.feature_names_in_.tolist() == one.feature_names_in_.tolist()


def test_rows_of_classes_with_weights_are_learned_as_one_by_one():
    X, y = stream()
    one, many = (nk.Perceptron(class_weight={-1: 2.0, 1: 0.5}) for _ in range(2))
    for row, label in zip(X, y, strict=True):
        one.learn_one(row, label)
    many.learn_many(X, y)
    assert one.coef_.tobytes() == many.coef_.tobytes()
    assert one.weighted_mistakes_ == many.weighted_mistakes_


def test_rows_before_a_refused_one_stay_learned():
    X, y = stream()
    one, many = nk.Perceptron().partial_fit(X[:20], y[:20], [-1, 1]), nk.Perceptron()
    bad = [*X[:20], X[20] * np.nan, *X[20:]]
    with pytest.raises(DataError, match="NaN"):
        many.learn_many(bad, [*y, 1])
    assert many.coef_.tobytes() == one.coef_.tobytes()
    with pytest.raises(DataError, match="81 rows and 80 labels"):
        many.learn_many(bad, y)
    positive = nk.OneSidedPerceptron().learn_many(X[:20])
    assert np.array_equal(positive.coef_, nk.OneSidedPerceptron().partial_fit(X[:20]).coef_)
