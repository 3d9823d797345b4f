"""Recipes: all that it takes to make a model anew, as JSON."""

import os
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.estimators.by_rule import estimator_from_spec
from novikoff.learning.estimators.save_load import load
from novikoff.learning.rules import registry
from novikoff.learning.spec import TrainingSpec

Recipe = dict[str, Any]
Classes = list[Any]


def make_recipe(
    rule: str,
    parameters: dict[str, Any],
    classes: list[Any],
    bias: bool | None = None,
    unit_length: bool = False,
) -> dict[str, Any]:
    """All that it takes to make a model anew; ParameterError says what is wrong with it."""
    entry = registry.lookup(rule)
    lift = entry.bias if bias is None else bias
    if lift and not entry.bias:
        raise ParameterError(f"the rule {rule!r} has no intercept")
    recipe = {
        "rule": rule,
        "parameters": parameters,
        "bias": lift,
        "unit_length": unit_length or entry.unit_length,
        "classes": classes,
    }
    recipe["classes"] = new_estimator(recipe, classes).classes_.tolist()
    return recipe


def recipe_of_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The recipe of a model file; its weights are what it begins with."""
    estimator = load(path)
    learner = estimator._learner
    return {
        "rule": estimator.kind,
        "parameters": estimator._own_parameters(),
        "bias": learner.bias,
        "unit_length": learner.unit_length,
        "classes": estimator.classes_.tolist(),
    }


def new_estimator(options: Recipe, classes: Classes) -> BaseLearner:
    """An estimator that has learned nothing; ParameterError says what is wrong with the options."""
    rule = options["rule"]
    if rule == "one-sided":
        raise ParameterError("the rule 'one-sided' looks at no label, so it cannot be served")
    registry.build(rule, options["parameters"])
    spec = TrainingSpec(
        rule, options["parameters"], bias=options["bias"], unit_length=options["unit_length"]
    )
    estimator = estimator_from_spec(spec)
    estimator.classes_ = np.array(checked_classes(classes))
    return estimator


def checked_classes(classes: Classes) -> Classes:
    """The classes in ascending order: two or more, all of one type."""
    kinds = {type(label) for label in classes}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise ParameterError("classes must be all texts, all numbers or all true and false")
    found = sorted(set(classes))
    if len(found) < 2 or len(found) != len(classes):
        raise ParameterError("classes must be two different ones or more")
    return found
