"""Wrong input to the estimators: what is wrong, where, and what to do."""

import numpy as np
import pytest
import scipy.sparse

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from tests.helpers.rule_table import CLASSIFIERS, ESTIMATORS, early_predictions

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]])
y = np.array([0, 1, 0, 1])
every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("layout", [np.array, scipy.sparse.csr_array])
def test_nan_and_infinity_are_named_with_their_place(kind, bad, layout):
    broken = X.copy()
    broken[2, 1] = bad
    name = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=f"contains {name} in row 2, column 1"):
        kind().fit(layout(broken), y)
    model = kind().fit(X, y) if kind is nk.OneSidedPerceptron else kind().partial_fit(X, y, [0, 1])
    with pytest.raises(ValueError, match=f"contains {name} in row 2, column 1"):
        model.predict(layout(broken))
    before = model.coef_
    with pytest.raises(ValueError, match=f"contains {name} in row 2, column 1"):
        model.partial_fit(layout(broken), y)
    assert np.array_equal(model.coef_, before)


@every_classifier
def test_labels(kind):
    with pytest.raises(ValueError, match="one class only"):
        kind().fit(X, [1, 1, 1, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X, [0, 1])
    with pytest.raises(ValueError, match="requires y"):
        kind().fit(X)
    with pytest.raises(ValueError, match="Unknown label type"):
        kind().fit(X, [0.5, 0.1, 0.2, 0.7])
    with pytest.raises(ValueError, match="contains NaN"):
        kind().fit(X, [0.0, 1.0, np.nan, 1.0])


@every_classifier
def test_shapes(kind):
    for wrong, words in (
        (np.empty((0, 2)), "0 sample"),
        (np.empty((4, 0)), "0 feature"),
        (X[0], "Expected 2D"),
        (X[None], "dim 3"),
        ([["a", "b"]] * 4, "could not convert"),
    ):
        with pytest.raises(ValueError, match=words):
            kind().fit(wrong, y)
    model = kind().partial_fit(X, y, [0, 1])
    with pytest.raises(ValueError, match=r"3 features, but .* expecting 2"):
        model.predict(np.ones((1, 3)))


def test_partial_fit_needs_and_keeps_its_classes():
    with pytest.raises(ValueError, match="must name the classes"):
        nk.Perceptron().partial_fit(X, y)
    model = nk.Perceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="has been"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"row 1 has the label .*7"):
        model.partial_fit(X, [0, 7, 0, 1])


@pytest.mark.parametrize("layout", [np.array, scipy.sparse.csr_array])
@pytest.mark.parametrize("complement", [False, True])
def test_winnow_with_binarize_none_takes_only_0_and_1(layout, complement):
    model = nk.Winnow(binarize=None, complement=complement)
    with pytest.raises(ValueError, match=r"row 2 has the value 2\.0, .* must be 0 or 1"):
        model.fit(layout(X), y)
    boolean = layout((X > 0).astype(float))
    model.partial_fit(boolean, y, [0, 1])
    with pytest.raises(ValueError, match=r"row 2 has the value 2\.0"):
        model.predict(layout(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (nk.Perceptron(eta=0), "eta must be a number above 0"),
        (nk.Perceptron(tie="sometimes"), "tie must be one of 'mistake', 'positive'"),
        (nk.Perceptron(tie="keep"), "can never move"),
        (nk.AveragedPerceptron(tie="keep"), "can never move"),
        (nk.VotedPerceptron(tie="keep"), "can never move"),
        (nk.Perceptron(init="ones"), 'init must be "zeros", "random" or an array'),
        (nk.Perceptron(init=[1.0]), "shape .* is needed"),
        (nk.Perceptron(init=[np.nan, 1.0]), "NaN or infinity"),
        (nk.Perceptron(max_epochs=0), "max_epochs must be a whole number above 0"),
        (nk.Perceptron(max_epochs=1.5), "max_epochs must be a whole number above 0"),
        (nk.Perceptron(order="sorted"), 'order must be "given" or "shuffle"'),
        (nk.Perceptron(order="shuffle", random_state=-1), "random_state must not be negative"),
        (nk.MarginPerceptron(margin=-1), "margin must be 0 or above"),
        (nk.PassiveAggressive(C=0), "C must be a number above 0"),
        (nk.PassiveAggressive(variant="PA-3"), "variant must be PA, PA-I or PA-II"),
        (nk.SecondOrderPerceptron(a=0), "a must be a number above 0"),
        (nk.Winnow(alpha=1), "alpha must be a number above 1"),
        (nk.Winnow(binarize=-1.0), "must not be below 0"),
        (nk.Winnow(theta=-1), "theta must be above 0"),
        (nk.Winnow(theta=np.nan), "theta must be None or a finite number"),
        (nk.Winnow(binarize=np.inf), "binarize must be None or a finite number"),
        (nk.BalancedWinnow(eta=-1), "eta must be a number above 0"),
    ],
)
def test_parameters_out_of_range(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_the_margin_rules_may_keep_at_zero():
    """They move on a small margin, and so also from zero."""
    for model in (nk.MarginPerceptron(tie="keep"), nk.PassiveAggressive(tie="keep")):
        assert model.fit([[1.0], [-1.0]], [1, 0]).updates_ > 0


@pytest.mark.parametrize("kind", [nk.Perceptron, nk.AveragedPerceptron, nk.VotedPerceptron])
def test_numbers_that_overflow(kind):
    with pytest.raises(ValueError, match=r"row 0 is too long: its squared length overflows"):
        kind().fit([[1e200], [-1.0]], [1, 0])
    with pytest.raises(ValueError, match="overflow"):
        kind(eta=1e308).fit([[1e10, 1.0], [-1e10, 1.0]] * 5, [1, 0] * 5)
    with pytest.raises(ValueError, match="overflow"):
        kind(eta=1e308).partial_fit([[9.0], [-9.0]] * 5, [1, 0] * 5, [0, 1])


def test_balanced_winnow_does_not_overflow():
    """Its weights are exponentials; only their ratios count."""
    rng = np.random.default_rng(0)
    model = nk.BalancedWinnow(eta=50.0)
    for _ in range(50):
        model.partial_fit(100 * rng.standard_normal((40, 3)), np.arange(40) % 2, [0, 1])
    assert np.isfinite(model.coef_).all()
    assert np.abs(model.coef_).max() > 0


def test_numbers_that_underflow():
    tiny = X * 1e-200
    for model in (nk.Perceptron(fit_intercept=False), nk.OneSidedPerceptron()):
        with pytest.raises(ValueError, match="row 0 is too short"):
            model.fit(tiny, y)
    assert nk.Perceptron(fit_intercept=False).fit(X[:2] * 1e-130, y[:2]).converged_


def test_labels_that_cannot_be_sorted():
    with pytest.raises(ValueError, match=r"mixes labels|[Uu]nknown label type"):
        nk.Perceptron().fit(X, np.array([1, "a", None, 2], object))


@pytest.mark.parametrize("row", [3.0, [[1.0, 2.0]]])
def test_what_is_not_a_row(row):
    with pytest.raises(ValueError, match="one dimension or a dict"):
        nk.Perceptron().learn_one(row, 1)


HUGE = 10**400


@every_classifier
def test_numbers_too_large_for_a_double(kind):
    for rows in ({"a": HUGE}, [HUGE, 1]), ({"a": 10**5000}, [10**5000, 1]):
        for row in rows:
            model = kind(theta=1.0) if kind is nk.Winnow else kind()
            for learn in (True, False):
                with pytest.raises(DataError, match=r"'a' is an integer too large|not one of 2"):
                    model.learn_one(row, 1)
                found = model.predict_one({} if isinstance(row, dict) else [0, 0])
                assert found in early_predictions(kind)
                if learn:
                    model.learn_one({"a": 1} if isinstance(row, dict) else [1, 1], 1)
            with pytest.raises(DataError, match=r"'a' is an integer too large|not one of 2"):
                model.predict_one(row)
    with pytest.raises(ValueError, match=r"too large|Overflow|contains infinity"):
        kind().fit([[HUGE, 1], [0, 1]], [0, 1])


def test_parameters_too_large_for_a_double():
    for model in (
        nk.Perceptron(eta=HUGE),
        nk.Perceptron(eta=10**5000),
        nk.PassiveAggressive(C=HUGE),
        nk.PassiveAggressive(C=HUGE, variant="PA-II"),
        nk.MarginPerceptron(margin=HUGE),
        nk.Winnow(theta=HUGE),
        nk.BalancedWinnow(eta=HUGE),
        nk.SecondOrderPerceptron(a=HUGE),
        nk.Perceptron(init=[HUGE, 0, 0]),
    ):
        for call in (lambda m=model: m.fit(X, y), lambda m=model: m.learn_one(X[0], 1)):
            with pytest.raises(ParameterError):
                call()


def test_rows_that_are_no_rows():
    for first in ([1.0, 2.0], {"a": 1.0}):
        model = nk.Perceptron()
        for _ in range(2):
            for bad in (5, None, "text", [[1.0, 2.0]]):
                with pytest.raises(DataError, match=r"a row is an array of one dim|1 features"):
                    model.learn_one(bad, 1)
            model.learn_one(first, 1)
    model = nk.Perceptron().learn_one([1.0, 2.0], 1)
    for bad in (["a", "b"], [[1.0, 2.0], [3.0, 4.0]], [None, 1.0]):
        with pytest.raises(DataError):
            model.learn_one(bad, 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_no_number_is_named_by_its_feature(bad):
    text = "NaN" if np.isnan(bad) else "infinity"
    model = nk.Perceptron().learn_one({"a": 1.0, "b": 2.0, "c": 3.0}, 1)
    for row in ({"c": 1.0, "b": bad, "a": 1.0}, {"new": 1.0, "b": bad}):
        with pytest.raises(DataError, match=rf"feature 'b' is {text}; every"):
            model.learn_one(row, 0)
    with pytest.raises(DataError, match=rf"feature 'b' is {text}; every"):
        model.predict_one({"c": 1.0, "b": bad})
    assert model.n_features_in_ == 3


HINTS = {
    "max_iter": "max_epochs is the budget",
    "tol": "an epoch without a mistake, or after max_epochs",
    "shuffle": 'order="shuffle"',
    "alpha": "there is no penalty",
    "eta0": "eta is the step",
    "average": "AveragedPerceptron",
    "max_epoch": "did you mean max_epochs?",
    "zzz": "it has class_weight, eta, fit_intercept, init",
}


@pytest.mark.parametrize("name", HINTS)
def test_parameters_of_others_are_refused_with_a_hint(name):
    with pytest.raises(ParameterError, match=f"no parameter '{name}'.*{HINTS[name]}"):
        nk.Perceptron(**{name: 1})
    with pytest.raises(TypeError, match=f"no parameter '{name}'"):
        nk.AveragedPerceptron(**{name: 1})
    model = nk.Perceptron(eta=2.0)
    with pytest.raises(ValueError, match=f"no parameter '{name}'.*{HINTS[name]}"):
        model.set_params(eta=3.0, **{name: 1})
    assert model.eta == 2.0


def test_a_parameter_that_a_rule_has_needs_no_hint():
    assert nk.Winnow(alpha=3.0).alpha == 3.0


def test_thousands_of_classes_are_not_listed():
    model = nk.Perceptron().learn_one([1.0], 0, classes=range(3000))
    with pytest.raises(DataError, match="of the classes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2,990"):
        model.learn_one([1.0], -5)
    with pytest.raises(ParameterError, match="8, 9 and 2,990 more since the first call"):
        model.partial_fit(X[:, :1], y, classes=[0, 1])


def test_a_star_import_leaves_open_alone():
    names = {}
    exec("from novikoff import *", names)
    assert "open" not in names
    assert names["Perceptron"] is nk.Perceptron
    assert callable(nk.open)
