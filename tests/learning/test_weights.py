"""Weights: a row of weight c is the row times c, and a row of weight 0 is left out."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.class_weight import compute_sample_weight

import novikoff as nk
from novikoff.data.weights import as_weights
from novikoff.errors import DataError, ModelError, ParameterError
from novikoff.learning.files import model_file
from novikoff.learning.learner import Learner
from novikoff.learning.loop import EpochInput, plain_epoch
from novikoff.learning.rows import make_rows, weighted
from novikoff.learning.rules import protocol
from tests.helpers.fit_modes import every_way, fitted, spec_for, write_rows
from tests.helpers.rule_table import (
    RULES,
    logged,
    margin_and_radius,
    new_log,
    problems,
    same_state,
    separable,
)

WEIGHTABLE = {
    name: known for name, known in RULES.items() if protocol.unweightable(known[0]) is None
}
BINARY = [0.25, 0.5, 1.0, 2.0, 4.0]  # products with these are exact


def learned(rule, matrix, codes, weights=None, *, bias=False, unit_length=False, epochs=2):
    rows = weighted(make_rows(matrix, bias, unit_length), weights)
    learner = Learner(rule, matrix.shape[1], bias=bias, unit_length=unit_length)
    log = new_log(matrix.shape[0] * epochs)
    for _ in range(epochs):
        learner.read(rows, codes, log=log)
    return learner, log


@st.composite
def weighted_problems(draw):
    X, codes = draw(problems())
    return X, codes, np.array([draw(st.sampled_from(BINARY)) for _ in codes])


@pytest.mark.parametrize("name", WEIGHTABLE)
@given(weighted_problems())
def test_a_weighted_run_is_the_run_on_scaled_rows(name, problem):
    """Byte for byte, where the products are exact; with a bias, its column is scaled too."""
    X, codes, weights = problem
    rule = RULES[name][0]
    first, log = learned(rule, X, codes, weights)
    scaled, other = learned(rule, X * weights[:, None], codes)
    assert same_state(first, scaled)
    assert logged(log) == logged(other)
    assert first.radius == scaled.radius
    assert first.ceilings().tolist() == scaled.ceilings().tolist()


@given(weighted_problems())
def test_the_bias_is_scaled_with_its_row(problem):
    X, codes, weights = problem
    X = np.round(X)  # sums of small whole numbers have no order
    lifted = np.hstack([X, np.ones((len(X), 1))]) * weights[:, None]
    first, _ = learned(RULES["perceptron"][0], X, codes, weights, bias=True)
    other, _ = learned(RULES["perceptron"][0], lifted, codes)
    assert same_state(first, other)


@pytest.mark.parametrize("name", WEIGHTABLE)
@given(problem=weighted_problems(), unit_length=st.booleans())
def test_dense_and_sparse_and_plain_python_agree(name, problem, unit_length):
    X, codes, weights = problem
    rule, bias = RULES[name]
    lift = {"bias": bias, "unit_length": unit_length}
    dense, log = learned(rule, X, codes, weights, **lift)
    sparse, other = learned(rule, scipy.sparse.csr_array(X), codes, weights, **lift)
    assert same_state(dense, sparse)
    assert logged(log) == logged(other)
    plain = Learner(rule, X.shape[1], **lift)
    plain.count_weights()
    rows = weighted(make_rows(X, bias, unit_length), weights)
    reading = EpochInput(rows, codes, 1, np.empty(0, np.int64), 0, len(X), True)
    records = new_log(2 * len(X))
    for _ in range(2):
        room = len(X), X.size + len(X)
        plain.states[0] = protocol.reserve(plain.rule, plain.states[0], *room)
        assert not plain_epoch(plain.rule, plain.states[0], reading, plain.tallies[0], records)
    assert same_state(dense, plain)
    assert logged(log) == logged(records)
    assert dense.weighted_mistakes == plain.weighted_mistakes
    wrong = np.array(logged(log)[2], bool)
    places = np.array(logged(log)[0], int)[wrong]
    assert dense.weighted_mistakes == weights[places].sum()
    assert dense.total("mistakes") == len(places)


@given(separable(), st.integers(0, 2**32 - 1))
def test_the_bound_is_that_of_the_scaled_rows(problem, seed):
    X, y, u = problem
    assume(len(set(y)) == 2)
    weights = np.random.default_rng(seed).choice(BINARY, len(X))
    model = nk.Perceptron(fit_intercept=False).fit(X, y, sample_weight=weights)
    margin, radius = margin_and_radius(X * weights[:, None], y, u)
    assert model.converged_
    assert model.mistakes_ <= (radius / margin) ** 2 * (1 + 1e-9)
    assert model.radius_ == pytest.approx(radius)
    assert model.margin_ceiling_ >= margin
    assert nk.check(X, y, fit_intercept=False).outcome == "separable"


def test_orthonormal_rows_meet_the_bound_whatever_they_weigh():
    """D = c and gamma = c / sqrt(n) for equal weights c: n mistakes, one for each row."""
    model = nk.Perceptron(fit_intercept=False).fit(
        np.eye(8), [1, -1] * 4, sample_weight=np.full(8, 4.0)
    )
    assert model.mistakes_ == 8 == round((model.radius_ / model.margin_ceiling_) ** 2)
    assert model.weighted_mistakes_ == 32.0


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 5))
    return X, rng.integers(0, 2, 60), rng.choice([0.0, 0.5, 1.0, 3.0], 60)


KINDS = [
    nk.Perceptron,
    nk.AveragedPerceptron,
    nk.VotedPerceptron,
    nk.MarginPerceptron,
    nk.PassiveAggressive,
    nk.SecondOrderPerceptron,
    nk.BalancedWinnow,
]


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_zero_leaves_the_row_out(kind, rows, tmp_path):
    X, y, weights = rows
    kept = weights > 0.0
    files = []
    for k, (data, labels, given_weights) in enumerate(
        [(X, y, weights), (X[kept], y[kept], weights[kept])]
    ):
        model = kind(max_epochs=4).fit(data, labels, sample_weight=given_weights)
        nk.save(model, tmp_path / f"{k}")
        files.append((tmp_path / f"{k}").read_bytes())
    assert files[0] == files[1]


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("kind", KINDS)
def test_fit_partial_fit_and_learn_one_agree(kind, rows):
    X, y, weights = rows
    whole = kind(max_epochs=1).fit(X, y, sample_weight=weights)
    parts = kind()
    for k in range(0, 60, 20):
        part = slice(k, k + 20)
        parts.partial_fit(X[part], y[part], classes=[0, 1], sample_weight=weights[part])
    one = kind()
    named = kind()
    for row, label, weight in zip(X, y, weights, strict=True):
        one.learn_one(row, int(label), weight)
        named.learn_one({f"f{j}": v for j, v in enumerate(row)}, int(label), weight=weight)
    for other in (parts, one, named):
        assert np.array_equal(whole.coef_, other.coef_)
        assert np.array_equal(whole.intercept_, other.intercept_)
        assert whole.mistakes_ == other.mistakes_
        assert whole.weighted_mistakes_ == other.weighted_mistakes_


@pytest.mark.filterwarnings("ignore:not converged")
def test_weights_of_one_change_nothing(rows, tmp_path):
    X, y, _ = rows
    for name, weights in (("a", None), ("b", np.ones(60)), ("c", 1.0)):
        nk.save(nk.Perceptron(max_epochs=3).fit(X, y, sample_weight=weights), tmp_path / name)
    assert len({(tmp_path / name).read_bytes() for name in "abc"}) == 1
    assert nk.Perceptron(max_epochs=3).fit(X, y).weighted_mistakes_ == float(
        nk.Perceptron(max_epochs=3).fit(X, y).mistakes_
    )


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {0: 0.5, 2: 2.0}])
def test_class_weights_are_weights_of_their_rows(class_weight, rows, tmp_path):
    X, _, weights = rows
    y = np.arange(60) % 7 % 3
    model = nk.Perceptron(max_epochs=3, class_weight=class_weight).fit(X, y, weights)
    by_class = compute_sample_weight(
        class_weight if class_weight == "balanced" else {0: 1.0, 1: 1.0, 2: 1.0} | class_weight, y
    )
    other = nk.Perceptron(max_epochs=3).fit(X, y, by_class * weights)
    assert np.array_equal(model.coef_, other.coef_)
    nk.save(model, tmp_path / "m")
    loaded = nk.load(tmp_path / "m")
    assert loaded.class_weight == class_weight
    assert loaded.weighted_mistakes_ == model.weighted_mistakes_
    if class_weight == "balanced":
        with pytest.raises(ParameterError, match="counts all labels before learning begins"):
            nk.Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
        with pytest.raises(ParameterError, match="give the weights as a dict"):
            nk.Perceptron(class_weight="balanced").learn_one(X[0], 1)
        return
    one = nk.Perceptron(class_weight=class_weight)
    part = nk.Perceptron(class_weight=class_weight).partial_fit(X, y, [0, 1, 2], weights)
    for row, label, weight in zip(X, y, weights, strict=True):
        one.learn_one(row, label, weight, classes=[0, 1, 2])
    assert np.array_equal(one.coef_, part.coef_)


WRONG = [
    ({"sample_weight": [1.0]}, r"sample_weight has the shape \(1,\); one weight for each of 3"),
    ({"sample_weight": [1, -1, 1]}, r"sample_weight is -1.0 in row 1; a weight is a number above"),
    ({"sample_weight": [1, 1, np.nan]}, r"sample_weight is nan in row 2"),
    ({"sample_weight": ["a", 1, 1]}, "sample_weight holds something that is not a number"),
    ({"sample_weight": np.ma.array([1, 2, 3], mask=[0, 1, 0])}, "sample_weight is masked in row 1"),
    ({"sample_weight": [0, 0, 0]}, "every row has zero weight"),
    ({"sample_weight": [1, 0, 0]}, "only rows of one class, 0, have a weight above 0"),
    ({"sample_weight": [1e200, 1, 1]}, r"row 0 has the weight 1e\+200, by which its squared"),
]


@pytest.mark.parametrize(("weights", "words"), WRONG)
def test_what_is_no_weight_is_refused(weights, words):
    with pytest.raises(DataError, match=words):
        nk.Perceptron().fit([[1.0], [2.0], [3.0]], [0, 1, 1], **weights)


def test_what_is_no_class_weight_is_refused():
    X, y = [[1.0], [2.0]], [0, 1]
    for given_weight, words in (
        ("balance", 'class_weight must be None, "balanced" or a dict'),
        ([1, 2], "a dict from labels to weights"),
        ({5: 1.0}, "class_weight has the label 5, which no row has"),
        ({0: -1.0}, "class_weight is -1.0 for the label 0"),
        ({0: 10**5000}, "class_weight is an integer of more than 30 digits"),
    ):
        with pytest.raises(ParameterError, match=words):
            nk.Perceptron(class_weight=given_weight).fit(X, y)
    for weight in (-1.0, float("nan"), [0, 1], 10**400, 10**5000):
        with pytest.raises(ParameterError, match="the weight of a row is a number above 0"):
            nk.Perceptron().learn_one([1.0], 1, weight)
    with pytest.raises(DataError, match="NaN in row 2, column 0"):
        nk.Perceptron().fit([[1.0], [2.0], [np.nan]], [0, 1, 1], sample_weight=[1, 1, 2])
    with pytest.raises(DataError, match="NaN in row 3, column 0"):
        nk.Perceptron().fit([[1.0], [2.0], [2.0], [np.nan]], [0, 1, 0, 1], [1, 2, 0, 2])


def test_winnow_says_why_it_takes_no_weights():
    X, y = np.eye(3), [0, 1, 1]
    assert nk.Winnow().fit(X, y, sample_weight=[1, 1, 0]).converged_
    with pytest.raises(ParameterError, match="sees of a row only which variables are 1"):
        nk.Winnow().fit(X, y, sample_weight=[1, 2, 1])
    with pytest.raises(ParameterError, match="sees of a row only which variables are 1"):
        nk.Winnow(complement=True).partial_fit(X, y, [0, 1], sample_weight=[1, 2, 1])
    with pytest.raises(ParameterError, match="sees of a row only which variables are 1"):
        nk.Winnow().learn_one(X[0], 1, 2.0)


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("rule", ["perceptron", "averaged", "passive-aggressive"])
def test_importances_of_vw_give_the_same_bytes_in_every_mode(rule, tmp_path):
    rng = np.random.default_rng(1)
    lines = []
    for i in range(300):
        weight = rng.choice(["", " 2", " 0.1", " 0", " 1"]) if i > 150 else ""
        names = " ".join(f"w{int(k)}:{v:g}" for k, v in zip(
            rng.choice(5 + i // 10, 3, replace=False), rng.standard_normal(3).round(2), strict=True
        ))  # fmt: skip
        lines.append(f"{rng.choice([-1, 1])}{weight} | {names}\n")
    path = tmp_path / "rows.vw"
    path.write_text("".join(lines))
    found = every_way(spec_for(rule), path, tmp_path)
    assert len(set(found.values())) == 1
    chunk = nk.open(path).read()
    assert chunk.weights.min() > 0.0
    model = nk.load(tmp_path / "m")
    other = type(model)(max_epochs=3).fit(chunk.X, chunk.y, sample_weight=chunk.weights)
    assert np.array_equal(model.coef_, other.coef_)
    assert model.weighted_mistakes_ == other.weighted_mistakes_ != model.mistakes_


@pytest.mark.filterwarnings("ignore:not converged")
def test_adaboost_boosts():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    y = (X[:, 0] + X[:, 1] + rng.standard_normal(200) > 0).astype(int)
    boosted = AdaBoostClassifier(nk.PassiveAggressive(max_epochs=20), n_estimators=10)
    boosted.fit(X, y)
    assert len(boosted.estimators_) > 1
    assert boosted.score(X, y) > 0.7


def test_a_damaged_total_of_weights_is_refused(rows, tmp_path):
    X, y, weights = rows
    model = nk.Perceptron().partial_fit(X, y, [0, 1], sample_weight=weights)
    nk.save(model, tmp_path / "m")
    read = model_file.read(tmp_path / "m")
    read.learner.tallies[0].weighted_mistakes[0] = np.nan
    model_file.write(read, tmp_path / "n")
    with pytest.raises(ModelError, match="weighted_mistakes"):
        nk.load(tmp_path / "n")


def test_one_weight_for_all_rows():
    assert as_weights(2, 3).tolist() == [2.0, 2.0, 2.0]
    assert as_weights(None, 3) is None is as_weights([1, 1, 1], 3)


CLASS_WEIGHTS = [{-1: 2.0}, {-1: 0.5, 1: 3.0}, {1: 1.0}]


@pytest.mark.filterwarnings("ignore:not converged")
@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS)
def test_class_weights_give_the_same_bytes_in_every_mode(class_weight, tmp_path):
    path = write_rows(tmp_path / "rows.svm", "perceptron")
    spec = spec_for("perceptron")._replace(class_weight=class_weight)
    found = every_way(spec, path, tmp_path)
    assert len(set(found.values())) == 1
    for stop in (1, 2):
        parts = [
            fitted(spec, nk.open(path), tmp_path / "m", checkpoint=tmp_path / f"{stop}", stop=s)
            for s in (stop, None)
        ]
        assert parts == [None, found["memory"]]
    rows = nk.open(path).read()
    other = nk.Perceptron(max_epochs=3, class_weight=class_weight).fit(rows.X, rows.y)
    assert np.array_equal(nk.load(tmp_path / "m").coef_, other.coef_)
    assert nk.load(tmp_path / "m").class_weight == class_weight


def test_weights_that_need_all_labels_are_not_streamed(tmp_path):
    path = write_rows(tmp_path / "rows.svm", "perceptron", classes=(0, 1, 2))
    for class_weight in ("balanced", {0: 0.0, 1: 2.0}):
        spec = spec_for("perceptron", epochs=1)._replace(class_weight=class_weight)
        found = every_way(spec, path, tmp_path)
        assert len(set(found.values())) == 1
