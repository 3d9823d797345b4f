"""Estimators by the name of their rule."""

from novikoff.learning.estimators import multiclass, perceptrons, winnows
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.rules import registry
from novikoff.learning.spec import TrainingSpec


def estimator_class(rule: str) -> type[BaseLearner]:
    """The class of the estimator that learns by a rule of the registry."""
    name = registry.lookup(rule).estimator
    homes = (perceptrons, winnows, multiclass)
    found: type[BaseLearner] = next(getattr(home, name) for home in homes if hasattr(home, name))
    return found


def estimator_from_spec(spec: TrainingSpec) -> BaseLearner:
    """The estimator that learns as a spec says, not fitted."""
    parameters = {
        **spec.parameters,
        "fit_intercept": spec.bias,
        "unit_length": spec.unit_length,
        "init": spec.init,
        "max_epochs": spec.max_epochs,
        "order": spec.order,
        "random_state": spec.seed,
    }
    made = estimator_class(spec.rule)
    known = made().get_params()
    return made(**{name: value for name, value in parameters.items() if name in known})
