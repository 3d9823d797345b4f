"""river's own checks, evaluation and pipelines on the wrapped estimators."""

import numpy as np
import pytest
from sklearn.base import clone

import novikoff as nk


@pytest.fixture(autouse=True, scope="module")
def _river():
    """river is imported when a test needs it: that takes a second or two."""
    global RiverClassifier, checks, compose, evaluate, metrics, preprocessing
    pytest.importorskip("river")
    from river import checks, compose, evaluate, metrics, preprocessing

    from novikoff.compat.river import RiverClassifier


#: What river's checks leave to the classifier, and why novikoff chooses as it does.
DIFFERENCES = """
- There are no probabilities, since a separator has none: `predict_proba_one` raises
  NotImplementedError, and river's checks of probabilities are content with that.
- Before the first label nothing is predicted: None, which evaluations do not count.
- Labels other than False and True, 0 and 1, -1 and 1 are named first, in `classes`. So a model for
  the labels of one data set is not checked on another's, which river does with one that says that
  it can tell many classes apart.
"""


@pytest.mark.parametrize("kind", [nk.Perceptron, nk.MulticlassPerceptron])
def test_rivers_checks(kind):
    model = RiverClassifier(kind())
    for check in checks.yield_checks(model):
        check(model.clone())


def test_rivers_checks_with_several_classes():
    """Every check on a data set, by a model that was told the labels of that set."""
    many = RiverClassifier(nk.AveragedPerceptron(), ("a", "b", "c"))
    counts = set()
    for check in checks.yield_checks(many):
        if "dataset" not in getattr(check, "keywords", {}):
            continue
        rows = list(check.keywords["dataset"])[:200]
        classes = tuple(sorted({label for _, label in rows}))
        counts.add(len(classes))
        check.func(RiverClassifier(nk.AveragedPerceptron(), classes), dataset=rows)
    assert max(counts) > 2


def stream(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4)) * [1, 10, 100, 1000]
    y = X @ [100, -10, 1, 0.1] > 0
    return [
        (dict(zip("abcd", row, strict=True)), bool(label))
        for row, label in zip(X.tolist(), y, strict=True)
    ]


def test_evaluation_counts_the_mistakes_of_the_run():
    data, model = stream(), RiverClassifier(nk.Perceptron())
    accuracy = evaluate.progressive_val_score(data, model, metrics.Accuracy())
    # the first row is predicted before there is a label, and is a mistake of a start of zeros
    assert accuracy.cm.n_samples == len(data) - 1
    wrong = round((1.0 - accuracy.get()) * accuracy.cm.n_samples)
    assert model.model.mistakes_ == wrong + 1
    assert model.model.n_samples_seen_ == len(data)


def test_a_pipeline_of_rivers_with_a_scaler():
    model = compose.Pipeline(
        preprocessing.StandardScaler(), RiverClassifier(nk.AveragedPerceptron())
    )
    assert evaluate.progressive_val_score(stream(2000), model, metrics.Accuracy()).get() > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars", "dicts"])
def test_many_rows_are_learned_from_as_one_after_another(library):
    rows, labels = map(list, zip(*stream(50), strict=True))
    X = rows if library == "dicts" else pytest.importorskip(library).DataFrame(rows)
    one, many = RiverClassifier(nk.Perceptron()), RiverClassifier(nk.Perceptron())
    assert [*many.predict_many(X)] == [None] * 50
    for x, label in zip(rows, labels, strict=True):
        one.learn_one(x, label)
    many.learn_many(X, labels)
    assert one.model.coef_.tobytes() == many.model.coef_.tobytes()
    found = many.predict_many(X)
    assert [*found] == [one.predict_one(x) for x in rows]
    assert type(found).__module__.partition(".")[0] == (library if X is not rows else "builtins")


def test_the_estimator_given_stays_as_it_was():
    estimator = nk.Perceptron(eta=0.5)
    model = RiverClassifier(estimator, classes=("no", "yes"))
    model.learn_one({"a": 1.0}, "yes", w=2.0)
    assert not hasattr(estimator, "coef_")
    assert model.predict_one({"a": 1.0}) == "yes"
    assert model.model.weighted_mistakes_ == 2.0
    assert repr(model.model) == repr(clone(estimator))
