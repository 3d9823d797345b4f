"""The estimators as scikit-learn users know them."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import novikoff as nk
from novikoff.learning import column_scales
from novikoff.learning.column_scales import scale_advice
from novikoff.learning.rows import make_rows
from novikoff.number_text import rounded_up
from tests.helpers.rule_table import CLASSIFIERS, ESTIMATORS

every_estimator = pytest.mark.parametrize("kind", ESTIMATORS)
every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)
quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


SCALED = "a weight multiplies the row, as the theorem has it; to repeat the row is something else"
NO_WEIGHTS = (
    "Winnow sees of a row only which variables are 1, and refuses other weights than 0 and 1"
)
SKEWED = "on overlapping rows a mistake is one whatever the row weighs: weights of 1 to 10^7 do not"
SKEWED += " give the heavy class every row"
INDIFFERENT = {
    nk.Perceptron,
    nk.AveragedPerceptron,
    nk.VotedPerceptron,
    nk.MarginPerceptron,
    nk.PassiveAggressive,
    nk.MulticlassPerceptron,
    nk.RuleClassifier,
}


def deliberate_differences(estimator):
    """Checks of scikit-learn's that an estimator fails on purpose, with the reason."""
    layouts = ("dense", "sparse")
    found = {f"check_sample_weight_equivalence_on_{each}_data": SCALED for each in layouts}
    if type(estimator) is nk.Winnow:
        found |= {
            f"check_sample_weights_{each}": NO_WEIGHTS for each in ("list", "not_overwritten")
        }
    if type(estimator) in INDIFFERENT:
        found["check_class_weight_classifiers"] = SKEWED
    return found


@quietly
@parametrize_with_checks(
    [kind() for kind in ESTIMATORS], expected_failed_checks=deliberate_differences
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def blobs(rows=60, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    return rng.standard_normal((rows, 5)) + 3.0 * np.eye(5)[y], y


def fitted_alike(a, b):
    return (
        np.array_equal(a.coef_, b.coef_)
        and np.array_equal(a.intercept_, b.intercept_)
        and a.mistakes_ == b.mistakes_
        and a.updates_ == b.updates_
    )


@every_classifier
@pytest.mark.parametrize("classes", [2, 3])
def test_partial_fit_over_any_chunks_is_one_epoch_of_fit(kind, classes):
    X, y = blobs(classes=classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = kind(max_epochs=1).fit(X, y)
    for size in (1, 7, 60):
        parts = kind()
        for start in range(0, len(X), size):
            chunk = slice(start, start + size)
            parts.partial_fit(X[chunk], y[chunk], classes=range(classes))
        assert fitted_alike(parts, whole)
        assert np.array_equal(parts.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize(
    "kind", [each for each in CLASSIFIERS if each is not nk.MulticlassPerceptron]
)
@quietly
def test_one_vs_rest_is_what_separate_learners_would_do(kind):
    X, y = blobs(classes=3)
    together = kind(max_epochs=4).fit(X, y)
    assert together.coef_.shape == (3, 5)
    for k in range(3):
        alone = kind(max_epochs=together.n_iter_)
        for _ in range(together.n_iter_):
            alone.partial_fit(X, (y == k).astype(int), classes=[0, 1])
        assert np.array_equal(together.coef_[k], alone.coef_[0])
        assert together.intercept_[k] == alone.intercept_[0]
    assert together.mistakes_ == sum(together.mistakes_per_epoch_)


@every_classifier
@quietly
def test_layouts_and_frames_give_the_same_bytes(kind):
    X, y = blobs()
    X = np.round(X, 1)
    base = kind(max_epochs=5, random_state=3, order="shuffle").fit(X, y)
    columns = [f"c{j}" for j in range(5)]
    for other in (
        scipy.sparse.csr_array(X),
        scipy.sparse.csc_matrix(X),
        scipy.sparse.coo_array(X),
        np.asfortranarray(X),
        X.astype(">f8"),
        pd.DataFrame(X, columns=columns),
        pl.DataFrame(X, schema=columns),
        X.tolist(),
    ):
        again = kind(max_epochs=5, random_state=3, order="shuffle").fit(other, y)
        assert fitted_alike(again, base)
    integers = np.round(X).astype(np.int16)
    as_floats = kind(max_epochs=5).fit(integers.astype(float), y)
    assert fitted_alike(kind(max_epochs=5).fit(integers, y), as_floats)


def test_csr_with_64_bit_indices_or_in_disorder_is_the_same(monkeypatch):
    monkeypatch.setattr(
        "novikoff.learning.rows.FEW", 0
    )  # else so few of them are made the same first
    X, y = blobs()
    X[X < 0.5] = 0.0
    base = nk.Perceptron().fit(X, y)
    wide = scipy.sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert fitted_alike(nk.Perceptron().fit(wide, y), base)
    mixed = scipy.sparse.csr_array(X)
    for i in range(len(X)):
        part = slice(mixed.indptr[i], mixed.indptr[i + 1])
        mixed.indices[part] = mixed.indices[part][::-1].copy()
        mixed.data[part] = mixed.data[part][::-1].copy()
    mixed.has_sorted_indices = False
    before = mixed.indices.copy()
    assert fitted_alike(nk.Perceptron().fit(mixed, y), base)
    assert np.array_equal(mixed.indices, before)


def test_a_damaged_csr_matrix_is_refused_and_not_read():
    X = scipy.sparse.csr_array(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(ValueError, match="row 1 has column 7"):
        nk.Perceptron().fit(X, [0, 1, 0])


@every_classifier
@quietly
def test_it_works_within_pipelines_and_searches(kind):
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), kind(max_epochs=20, random_state=0, order="shuffle"))
    scores = cross_val_score(pipeline, X, y, cv=3)
    assert scores.mean() > (0.3 if kind is nk.Winnow else 0.7)
    search = GridSearchCV(pipeline, {f"{kind.__name__.lower()}__max_epochs": [2, 20]}, cv=3)
    assert search.fit(X, y).best_score_ == pytest.approx(scores.mean(), abs=0.4)
    again = cross_val_score(pipeline, X, y, cv=3)
    assert np.array_equal(scores, again)


def test_the_notes_dialects():
    """Note 000: one-sided. Note 001: unit length, 0 is negative. Note 002: random start, keep at 0.
    Note 003: sgn(0) = -1. Note 004: sgn(0) = +1."""
    X, y = blobs()
    for dialect in (
        nk.Perceptron(unit_length=True, tie="negative"),
        nk.Perceptron(init="random", eta=0.1, tie="keep", random_state=1),
        nk.Perceptron(init="random", tie="negative", random_state=1),
        nk.Perceptron(tie="positive", fit_intercept=False),
        nk.Perceptron(init=np.ones(5), eta=2.0),
        nk.Perceptron(init=np.ones(6)),
    ):
        assert dialect.fit(X, y).converged_
        assert dialect.score(X, y) == 1.0
        assert dialect.n_iter_ == len(dialect.mistakes_per_epoch_)
        assert dialect.mistakes_per_epoch_[-1] == 0
    positive = X * np.where(y == 1, 1, -1)[:, None]
    one_sided = nk.OneSidedPerceptron().fit(positive)
    assert one_sided.converged_
    assert one_sided.radius_ == pytest.approx(1.0)


def test_a_tie_decides_what_zero_predicts():
    X, y = [[1.0], [-1.0]], [1, 0]
    for tie, label in (("positive", 1), ("negative", 0), ("mistake", 0)):
        model = nk.Perceptron(tie=tie, fit_intercept=False).fit(X, y)
        assert model.predict([[0.0]]) == [label]
        assert model.predict_one([0.0]) == label


def test_running_out_of_epochs_says_what_is_known():
    X, y = load_iris(return_X_y=True)
    model = nk.Perceptron(max_epochs=30)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y == 1)
    message = str(caught[0].message)
    assert len(caught) == 1
    assert message.startswith("not converged after 30 epoch(s), ")
    assert f"no separator has a margin above {rounded_up(model.margin_ceiling_, 2)}" in message
    assert not model.converged_


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_columns_of_very_different_sizes_are_named_from_no_more_than_some_rows(layout):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(0.5, 1.0, (40, 3)), rng.integers(0, 2, 40)
    X[7] = [1.0, 1.0, 400.0]
    with pytest.warns(ConvergenceWarning, match="columns differ by a factor of 400, and large"):
        nk.Perceptron(max_epochs=2).fit(layout(X), y)
    many = make_rows(layout(np.tile(X, (2 * column_scales.FEW // X.size, 1))), True, False)
    assert f" 400 in the first {column_scales.FEW // 3:,} rows, " in scale_advice(many)
    assert scale_advice(make_rows(layout(X[8:]), True, False)) is None


def test_a_margin_that_is_not_reached_is_said():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] > 0
    model = nk.MarginPerceptron(margin=1000.0, max_epochs=60, fit_intercept=False)
    with pytest.warns(ConvergenceWarning, match=r"still \d+ update\(s\) .* though no mistake"):
        model.fit(X + np.where(y, 1, -1)[:, None] * [1, 0], y)
    assert model.converged_
    averaged = nk.RuleClassifier(
        nk.rules.Averaged(model._rule()), max_epochs=60, fit_intercept=False
    )
    with pytest.warns(ConvergenceWarning, match="still"):
        averaged.fit(X + np.where(y, 1, -1)[:, None] * [1, 0], y)
    assert averaged.n_iter_ == 60


def test_convergence_is_an_epoch_without_a_mistake_and_lasts_until_something_moves():
    X, y = blobs()
    model = nk.Perceptron().fit(X, y)
    assert model.converged_
    assert model.partial_fit(X, y).converged_
    model.partial_fit(X, 1 - y)
    assert not model.converged_
    with pytest.warns(ConvergenceWarning):
        assert not nk.Perceptron(max_epochs=1).fit(X, y).converged_


@every_classifier
@quietly
def test_shuffling_is_reproducible_from_its_seed(kind):
    X, y = blobs(seed=3)
    runs = [kind(order="shuffle", random_state=s, max_epochs=3).fit(X, y) for s in (1, 1, 2)]
    assert fitted_alike(runs[0], runs[1])
    assert not fitted_alike(runs[0], runs[2])


def test_averaging_and_voting_learn_what_the_perceptron_does():
    X, y = load_wine(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain, averaged, voted = (
            kind(max_epochs=5).fit(X, y)
            for kind in (nk.Perceptron, nk.AveragedPerceptron, nk.VotedPerceptron)
        )
    assert plain.mistakes_per_epoch_ == averaged.mistakes_per_epoch_ == voted.mistakes_per_epoch_
    assert not np.array_equal(plain.coef_, averaged.coef_)
    assert np.array_equal(plain.coef_, voted.coef_)


def test_winnow_names_the_relevant_variables():
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 100)) < 0.1).astype(int)
    model = nk.Winnow().fit(X, X[:, [3, 17, 50]].any(axis=1))
    assert model.converged_
    assert set(model.relevant_[:3]) == {3, 17, 50}
    negated = X[:, 3].astype(bool) | ~X[:, 17].astype(bool)
    model = nk.Winnow(complement=True).fit(X, negated)
    assert model.converged_
    assert model.relevant_[0] == 3
    assert model.relevant_complements_[0] == 17


def test_pickles_carry_everything():
    X, y = blobs()
    for kind in CLASSIFIERS:
        model = kind(max_epochs=3)
        model.partial_fit(X, y, classes=[0, 1]).learn_one(X[0], y[0])
        twin = pickle.loads(pickle.dumps(model))
        assert fitted_alike(model.partial_fit(X, y), twin.partial_fit(X, y))


MEMORY = """
import resource, sys
import numpy as np
import novikoff as nk
rng = np.random.default_rng(0)
small = rng.standard_normal((1000, 50))
options = dict(unit_length={unit}, order={order!r}, random_state=0)
nk.Perceptron(max_epochs=1, **options).fit(small, small[:, 0] > 0)
X = np.empty((2_500_000, 50))  # 1 GB
for block in range(0, len(X), 50_000):
    X[block : block + 50_000] = rng.standard_normal((50_000, 50))
y = X[:, 0] > 0
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = nk.Perceptron(max_epochs=2, **options).fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) * 1024 / X.nbytes)
"""


@pytest.mark.parametrize(("unit", "order"), [(False, "given"), (True, "shuffle")])
def test_fitting_a_gigabyte_allocates_under_five_percent_of_it(unit, order):
    code = MEMORY.format(unit=unit, order=order)
    command = [sys.executable, "-W", "ignore", "-c", code]
    share = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert share < 0.05


def test_parameters_set_after_fitting_wait_for_the_next_fit(tmp_path):
    X, y = blobs()
    model = nk.Perceptron(fit_intercept=False).fit(X, y)
    twin = nk.Perceptron(fit_intercept=False).fit(X, y)
    model.set_params(fit_intercept=True, unit_length=True, eta=5.0)
    assert np.array_equal(model.decision_function(X), twin.decision_function(X))
    nk.save(model, tmp_path / "m")
    for each in (model, twin):
        each.partial_fit(X, 1 - y)
    assert np.array_equal(model.coef_, twin.coef_)
    loaded = nk.load(tmp_path / "m").partial_fit(X, 1 - y)
    assert np.array_equal(loaded.coef_, twin.coef_)
    assert model.fit(X, y).intercept_[0] != 0.0


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_refused_fit_leaves_the_estimator_as_it_was(kind):
    X, y = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = kind(max_epochs=3).fit(X, y)
    before = model.coef_, model.n_features_in_, model.mistakes_
    wide = np.hstack([X, np.full((len(X), 3), np.nan)])
    for _ in range(2):
        with pytest.raises(ValueError, match="NaN"):
            model.fit(wide, y)
        assert np.array_equal(model.coef_, before[0])
        assert (model.n_features_in_, model.mistakes_) == before[1:]
    assert len(model.predict(X)) == len(X)


def test_a_learner_takes_only_rows_of_its_own_shape():
    from novikoff.learning.learner import Learner
    from novikoff.learning.rows import make_rows
    from novikoff.learning.rules import Perceptron

    learner, codes = Learner(Perceptron(), 3), np.zeros(2, np.uint16)
    for rows in (
        make_rows(np.ones((2, 4)), True, False),
        make_rows(np.ones((2, 3)), False, False),
        make_rows(np.ones((2, 3)), True, True),
    ):
        with pytest.raises(ValueError, match="this learner has 3"):
            learner.read(rows, codes)
        with pytest.raises(ValueError, match="this learner has 3"):
            learner.answers(rows)


def test_the_ceiling_never_rises():
    X, y = load_iris(return_X_y=True)
    model, last = nk.Perceptron(), np.inf
    for _ in range(50):
        model.partial_fit(X, y == 1, classes=[False, True])
        assert model.margin_ceiling_ <= last
        last = model.margin_ceiling_


@pytest.mark.parametrize("seed", [8, 243, 3])
@pytest.mark.parametrize("kind", [nk.PassiveAggressive, nk.MarginPerceptron])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_converged_weights_are_right_on_every_row(seed, kind):
    """Also where the last epoch moved them without a mistake, whatever the budget was."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (12, 4)).astype(float), rng.integers(0, 2, 12)
    found = [kind(max_epochs=budget).fit(X, y) for budget in range(1, 40)]
    for model in found:
        assert not model.converged_ or model.score(X, y) == 1.0
        assert model.training_mistakes_ == (0 if model.converged_ else None)
    apart = X[:, 0] > 0
    assert kind(max_epochs=100).fit(X, apart).converged_


@pytest.mark.parametrize("kind", [nk.AveragedPerceptron, nk.VotedPerceptron])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_that_the_model_gets_wrong_are_counted(kind, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 4)).astype(float), rng.integers(0, 3, 40)
    model = kind(max_epochs=4).fit(X, y)
    assert model.training_mistakes_ == np.count_nonzero(model.predict(X) != y) > 0
    path = tmp_path / "rows.csv"
    np.savetxt(path, np.column_stack([X, y]), fmt="%g", delimiter=",")
    assert kind(max_epochs=4).fit(nk.open(path)).training_mistakes_ == model.training_mistakes_
