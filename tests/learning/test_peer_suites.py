"""scikit-learn's own tests of its perceptron, passive-aggressive and SGD classifiers, run on ours.

The tests are those of the installed version: each module is imported, its classifiers are replaced
by ours under scikit-learn's names for parameters, and each of its tests is run as it stands. What
differs on purpose is in `DIFFERENCES`, by test, with the reason; such a test must fail.
"""

import importlib
import inspect
import itertools
import warnings

import pytest

import novikoff as nk

SUITE = "sklearn.linear_model.tests."
NAMES = {"max_iter": "max_epochs", "eta0": "eta", "n_iter_no_change": "n_iter_no_change"}
KEPT = {"C", "fit_intercept", "random_state", "class_weight", "n_jobs", "warm_start"}
VARIANTS = {"hinge": "PA-I", "squared_hinge": "PA-II"}
#: They say how to walk down a penalised loss; the rules here have neither.
IGNORED = {"tol", "alpha", "learning_rate", "verbose", "penalty", "power_t"}


def translated(given, averages):
    """Parameters of scikit-learn's under our names. TypeError for what has no counterpart."""
    ours = {"stop": "budget"}
    if given.pop("early_stopping", False):
        ours["validation_fraction"] = given.pop("validation_fraction", 0.1)
    given.pop("validation_fraction", None)
    for name, value in given.items():
        if name in NAMES or name in KEPT:
            ours[NAMES.get(name, name)] = value
        elif name == "shuffle":
            ours["order"] = "shuffle" if value else "given"
        elif name == "average" and averages:
            ours["averaged"] = bool(value)
        elif name not in IGNORED and name not in ("loss", "average"):
            raise TypeError(f"there is no counterpart of {name}")
    return ours


def perceptron(**given):
    return nk.Perceptron(**translated(given, False))


def passive_aggressive(**given):
    variant = VARIANTS[given.pop("loss", "hinge")]
    return nk.PassiveAggressive(variant=variant, **translated(given, True))


def sgd(**given):
    kind = nk.AveragedPerceptron if given.get("average") else nk.Perceptron
    return kind(**{"max_epochs": 5, "random_state": 42, **translated(given, False)})


MODULES = {
    "test_perceptron": {"Perceptron": perceptron},
    "test_passive_aggressive": {"PassiveAggressiveClassifier": passive_aggressive},
    "test_sgd": {"SGDClassifier": sgd},
}
#: Tests of other estimators, and those of SGD once more on sparse rows: that dense and sparse rows
#: give the same bytes is shown elsewhere.
OTHERS = ("egressor", "OneClass", "oneclass", "one_class", "ocsvm", "sgd_reg", "Sparse")

PENALTY = "no penalty: the bounds on mistakes are those of the rule as it is"
SCHEDULE = "no schedule of steps: the step stays as it is, or is the rule's own"
START = "a start is a parameter of the estimator, `init`, and not one of fit"
AVERAGE = "the weights that it learns with are in no attribute beside the mean"
INTERCEPT = "the row is (x, 1), of squared length |x|^2 + 1; theirs leaves the 1 out of the length"
PLAIN = "a loss with small steps; the perceptron's step is whole, so the weights differ"
CONVERGES = "an epoch without a mistake ends learning, whatever the loss or its tolerance"
WEIGHTED_PA = "a weight scales the row, which changes its length; theirs scales the cap C"
PROBABILITY = "a separator has no probabilities"
#: By what the label of a test begins with, in each module.
DIFFERENCES = {
    "test_perceptron": {"test_perceptron_l1_ratio": PENALTY},
    "test_passive_aggressive": {
        "test_class_deprecation": "ours is not deprecated",
        "test_classifier_accuracy-None-True-True": AVERAGE,
        "test_classifier_accuracy-None-False-True": AVERAGE,
        "test_classifier_accuracy-csr_matrix-True-True": AVERAGE,
        "test_classifier_accuracy-csr_matrix-False-True": AVERAGE,
        "test_classifier_accuracy-csr_array-True-True": AVERAGE,
        "test_classifier_accuracy-csr_array-False-True": AVERAGE,
        "test_classifier_partial_fit-None-True": AVERAGE,
        "test_classifier_partial_fit-csr_matrix-True": AVERAGE,
        "test_classifier_partial_fit-csr_array-True": AVERAGE,
        "test_classifier_correctness": INTERCEPT,
        "test_passive_aggressive_classifier_vs_sgd": INTERCEPT,
        "test_equal_class_weight": WEIGHTED_PA,
    },
    "test_sgd": {
        "test_adaptive_longer_than_constant": SCHEDULE,
        "test_average_binary_computed_correctly": PLAIN,
        "test_balanced_weight": PLAIN,
        "test_class_weights": "each row is right after a few moves, and then no weight matters",
        "test_clone": PENALTY,
        "test_early_stopping": CONVERGES,
        "test_equal_class_weight": "where all weights are halved, so are the perceptron's",
        "test_l1_ratio": PENALTY,
        "test_large_regularization": PENALTY,
        "test_late_onset_averaging_reached": "averaging begins with the first row",
        "test_learning_rate_PA_raises": SCHEDULE,
        "test_multi_core_gridsearch_and_early_stopping": PENALTY,
        "test_multi_thread_multi_class_and_early_stopping": CONVERGES,
        "test_numerical_stability_large_gradient": PENALTY,
        "test_partial_fit_equal_fit_classif": SCHEDULE,
        "test_partial_fit_weight_class_balanced": "refused too, in other words",
        "test_plain_has_no_average_attr": AVERAGE,
        "test_power_t_limits": SCHEDULE,
        "test_provide_coef": START,
        "test_sample_weights": "each row is right after a few moves, and then no weight matters",
        "test_set_coef_multiclass": START,
        "test_set_intercept": START,
        "test_sgd_dtype_match-float32": "weights are doubles, so that all layouts give one result",
        "test_sgd_early_stopping_with_partial_fit": "partial_fit holds nothing out, without a word",
        "test_sgd_failing_penalty_validation": PENALTY,
        "test_sgd_l1": PENALTY,
        "test_sgd_multiclass_average": PLAIN,
        "test_sgd_multiclass_with_init_coef": START,
        "test_sgd_predict_proba_method_access": PROBABILITY,
        "test_sgd_proba": PROBABILITY,
        "test_tol_parameter": CONVERGES,
        "test_underflow_or_overflow": "refused too, in other words, with the row",
        "test_validation_set_not_used_for_training": CONVERGES,
        "test_warm_start": START,
    },
}


def cases():
    for module, replaced in MODULES.items():
        tests = inspect.getmembers(importlib.import_module(SUITE + module), inspect.isfunction)
        for name, test in tests:
            if not name.startswith("test_") or any(word in name for word in OTHERS):
                continue
            for words, values in combinations(test):
                kinds = {getattr(value, "__name__", "") for value in values}
                if any(word in kind for word in OTHERS for kind in kinds):
                    continue
                label = "-".join([name, *(getattr(v, "__name__", repr(v)) for v in values)])
                reasons = [why for begin, why in DIFFERENCES[module].items() if same(begin, label)]
                marks = [pytest.mark.xfail(reason=why, strict=True) for why in reasons[:1]]
                arguments = dict(zip(words, values, strict=True))
                yield pytest.param(module, test, arguments, replaced, id=label, marks=marks)


def same(begin, label):
    """Whether a label begins so, at the end of a word of it."""
    return label == begin or label.startswith((begin + "-", begin + "_"))


def combinations(test):
    """The names and values of a test's parameters, in all combinations that its marks ask for."""
    marks = [each for each in getattr(test, "pytestmark", ()) if each.name == "parametrize"]
    words, choices = [], []
    for mark in marks:
        names = mark.args[0]
        names = [each.strip() for each in names.split(",")] if isinstance(names, str) else names
        words += names
        values = [getattr(each, "values", each) for each in mark.args[1]]
        choices.append([each if len(names) > 1 else _only(each) for each in values])
    for chosen in itertools.product(*choices):
        yield words, list(itertools.chain.from_iterable(chosen))


def _only(value):
    return (value[0],) if isinstance(value, tuple) and len(value) == 1 else (value,)


@pytest.mark.parametrize(("module", "test", "arguments", "replaced"), [*cases()])
def test_scikit_learns_own(module, test, arguments, replaced, monkeypatch, tmp_path):
    home = importlib.import_module(SUITE + module)
    for name, ours in replaced.items():
        arguments = {k: ours if v is getattr(home, name) else v for k, v in arguments.items()}
    for name, ours in replaced.items():
        monkeypatch.setattr(home, name, ours)
    more = {"monkeypatch": monkeypatch, "global_random_seed": 0}
    needed = inspect.signature(test).parameters
    arguments |= {name: value for name, value in more.items() if name in needed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test(**arguments)
