"""`nk.save` and `nk.load`: estimators and pipelines to and from files."""

import os
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from novikoff.errors import ModelError
from novikoff.files import atomic_write
from novikoff.learning.estimators import perceptrons
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.estimators.by_rule import estimator_class
from novikoff.learning.estimators.online import PLUS_MINUS
from novikoff.learning.estimators.pipeline import file as pipeline_file
from novikoff.learning.files import array_file, model_file
from novikoff.learning.rules import registry
from novikoff.learning.spec import as_plain, class_weight_as_json

LIFT = "fit_intercept", "unit_length"
#: Parameters that files of earlier versions do not have: written where they differ from these.
LATER = {
    "class_weight": None,
    "stop": "proven",
    "n_iter_no_change": 5,
    "validation_fraction": None,
    "warm_start": False,
}


def save(model: BaseLearner | Pipeline, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a file that `load` and `novikoff predict` read.

    Or a fitted pipeline of scikit-learn's whose last step is one, and the others scalers (standard,
    min-max, max-abs), a one-hot encoder, tf-idf, counts of words, or hashing; `load` reads it.

    model: the estimator, with a rule of novikoff's own, or the pipeline.
    path: of the file, which is replaced at once or not at all.

    >>> import novikoff as nk, tempfile
    >>> model = nk.Perceptron().fit([[1.0], [2.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.save(model, f"{folder}/numbers.model")
    ...     nk.load(f"{folder}/numbers.model").mistakes_ == model.mistakes_
    True
    """
    atomic_write(path, to_bytes(model), error=ModelError)


def to_bytes(model: BaseLearner | Pipeline) -> bytes:
    """The bytes of the file that `save` writes."""
    if isinstance(model, Pipeline):
        last = model.steps[-1][1]
        with _saveable(last)._published() as view:
            return pipeline_file.to_bytes(model, _to_file(view))
    with _saveable(model)._published() as view:
        return model_file.to_bytes(_to_file(view))


def _saveable(model: Any) -> BaseLearner:
    """The estimator, if a file can hold it."""
    if not isinstance(model, BaseLearner):
        raise ModelError(f"{type(model).__name__} is not an estimator of novikoff's")
    if not hasattr(model, "kind"):
        raise ModelError(
            f"{type(model).__name__} has a rule of its own, which a model file cannot hold: loading"
            " one executes nothing. Keep the arrays coef_ and intercept_, or use pickle knowingly"
        )
    check_is_fitted(model)
    if len(getattr(model, "classes_", PLUS_MINUS)) < 2:
        raise ModelError("only one class has come so far; a model file is about two or more")
    return model


def _to_file(model: BaseLearner) -> model_file.Model:
    """What a file says of an estimator."""
    own = registry.lookup(model.kind).parameters()
    options = {k: v for k, v in model.get_params().items() if k not in own and k not in LIFT}
    options.pop("init", None)  # the file holds the start itself
    options.pop("n_jobs", None)  # of this machine
    options = {k: v for k, v in options.items() if k not in LATER or v != LATER[k]}
    if not isinstance(options.get("random_state"), (int, np.integer, type(None))):
        options["random_state"] = None  # a generator's state is not part of what was learned
    if "class_weight" in options:
        options["class_weight"] = class_weight_as_json(options["class_weight"])
    names = getattr(model, "feature_names_in_", None)
    if names is not None and not all(isinstance(name, str) for name in names):
        raise ModelError("feature names that are not text cannot be saved")
    return model_file.Model(
        model.kind,
        registry.written(as_plain(model._learned_with)),
        model._learner,
        getattr(model, "classes_", PLUS_MINUS),
        None if names is None else [str(name) for name in names],
        as_plain(options),
        model.n_iter_,
        model.mistakes_per_epoch_,
        model._settled_at,
        np.asarray(model._lowest, np.float64),
    )


def load(path: str | os.PathLike[str]) -> Any:
    """The estimator that was saved, ready to predict and to learn on, or the pipeline.

    Nothing is executed.

    path: of a file that `save`, or `novikoff fit --save`, has written.

    >>> import novikoff as nk
    >>> nk.load("no-such.model")
    Traceback (most recent call last):
        ...
    novikoff.errors.ModelError: no-such.model: cannot be read: No such file or directory
    """
    texts, arrays = array_file.read(path, "model")
    header = texts.get("novikoff")
    if not pipeline_file.is_pipeline(header):
        return _estimator(path, model_file.deserialize(path, header, arrays))
    steps, last, model = pipeline_file.read(path, header, arrays)
    return Pipeline([*steps, (last, _estimator(path, model))])


def _estimator(path: str | os.PathLike[str], model: model_file.Model) -> BaseLearner:
    """The estimator that a file describes."""
    kind = estimator_class(model.rule)
    accepted = set(kind._get_param_names())
    parameters = model.parameters | model.options
    if "fit_intercept" in accepted:
        lift = model.learner.bias, model.learner.unit_length
        parameters |= dict(zip(LIFT, lift, strict=True))
    if not set(parameters) <= accepted:
        raise ModelError(
            f"{path}: a damaged model: {kind.__name__} has no {set(parameters) - accepted}"
        )
    if isinstance(parameters.get("class_weight"), list):
        parameters["class_weight"] = dict(parameters["class_weight"])
    estimator = kind(**parameters)
    if model.learner.initial is not None:
        estimator.init = model.learner.initial
    estimator._learner, estimator._lowest = model.learner, model.lowest
    estimator._learned_with = model.parameters
    estimator._settled_at = model.settled_at
    estimator.n_iter_, estimator.mistakes_per_epoch_ = model.epochs, model.mistakes_per_epoch
    estimator.n_features_in_ = model.learner.features
    if model.feature_names is not None:
        estimator.feature_names_in_ = np.array(model.feature_names, object)
    if hasattr(kind, "partial_fit") and kind is not perceptrons.OneSidedPerceptron:
        estimator.classes_ = model.classes
    return estimator
