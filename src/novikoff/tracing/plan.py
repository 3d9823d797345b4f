"""What is to be traced: a rule by name, as an estimator, or as it is in `nk.rules`."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import estimators, rules
from novikoff.errors import ParameterError
from novikoff.estimators.base import BaseLearner
from novikoff.learn import Learner
from novikoff.rules import catalogue
from novikoff.signed import Given, LabelPair, Signed
from novikoff.sources import Source
from novikoff.tracing.record import Budget

KINDS: dict[type, str] = {
    rules.Perceptron: "perceptron",
    rules.Averaged: "averaged",
    rules.Voted: "voted",
    rules.MarginPerceptron: "margin",
    rules.PassiveAggressive: "passive-aggressive",
    rules.Winnow: "winnow",
    rules.ComplementWinnow: "winnow",
}
SMALL, LARGE = 1e-150, 1e150  # numbers of a target whose squares are doubles
FOLLOWED = (
    "perceptron",
    "one-sided",
    "averaged",
    "voted",
    "margin",
    "passive-aggressive",
    "winnow",
)


class Plan(NamedTuple):
    """How to learn, whatever it was given as."""

    kind: str
    estimator: BaseLearner  # holds the parameters; it is never fitted
    rule: Any

    @classmethod
    def of(cls, rule: Any, options: dict[str, Any]) -> "Plan":
        """From a name and parameters, an estimator, or a rule."""
        if isinstance(rule, BaseLearner):
            if options:
                raise ParameterError(f"{', '.join(options)}: set it on the estimator instead")
            kind, estimator = getattr(rule, "kind", "own"), rule
        elif isinstance(rule, str):
            kind = rule
            refuse_unfollowed(kind)
            estimator = _made(kind, options)
        else:
            kind = KINDS.get(type(rule), "own")
            if kind == "averaged" and not isinstance(rule.inner, rules.Perceptron):
                kind = "own"
            lift = {"fit_intercept": False} if kind == "winnow" else {}
            estimator = estimators.RuleClassifier(rule, **(lift | options))
        refuse_unfollowed(kind if kind != "own" else type(rule).__name__)
        return cls(kind, estimator, estimator._rule())

    def signed(self, X: Any, y: Any, positive: Any = None) -> Signed:
        """The rows with their signs; the one-sided rule's are all positive."""
        lift = bool(self.estimator.fit_intercept), bool(self.estimator.unit_length)
        if self.kind != "one-sided":
            return Signed.of(X, y, fit_intercept=lift[0], unit_length=lift[1], positive=positive)
        if y is None and not isinstance(X, Source):
            y = np.ones(X.shape[0] if hasattr(X, "shape") else len(X))
        given = Given.of(X, y)
        signs = np.ones(given.matrix.shape[0], np.int8)
        return Signed.made(given, signs, LabelPair(-1, 1), lift[0], "binary", lift[1])

    def learner(self, features: int) -> Learner:
        """At its start."""
        return self.estimator._new_learner(features, 1)

    def budget(self, interruptible: bool) -> Budget:
        """How long to learn."""
        epochs = self.estimator.max_epochs
        if not isinstance(epochs, (int, np.integer)) or epochs < 1:
            raise ParameterError(f"max_epochs must be a whole number above 0, not {epochs!r}")
        seed = self.estimator._seed() if self.estimator.order == "shuffle" else 0
        return Budget(int(epochs), self.estimator.order, seed, interruptible)

    def start(self, learner: Learner) -> npt.NDArray[np.float64]:
        """w_0, the intercept last."""
        if self.kind == "winnow":
            return np.ones(learner.features)
        if learner.initial is None:
            return np.zeros(learner.features + learner.bias)
        start: npt.NDArray[np.float64] = learner.initial[0]
        return start


def refuse_unfollowed(kind: str) -> None:
    """Rules without a proof that is known here."""
    if kind not in FOLLOWED:
        raise ParameterError(
            f"{kind}: the trace follows the proofs of {', '.join(FOLLOWED)}; of others it knows no"
            " inequality to hold them against"
        )


def _made(kind: str, options: dict[str, Any]) -> BaseLearner:
    maker = getattr(estimators, catalogue.entry(kind).estimator)
    known = maker().get_params()
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ParameterError(
            f"the rule {kind!r} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        )
    made: BaseLearner = maker(**options)
    return made


def read_target(target: Any, signed: Signed) -> list[Any] | None:
    """A target as numbers, one for each coordinate; None if it is to be found."""
    if target is None:
        return None
    values = list(np.asarray(target, object).reshape(-1))
    if len(values) != signed.dim:
        bias = ", the intercept last" if signed.bias else ""
        raise ParameterError(
            f"the target has {len(values)} numbers; {signed.dim} are needed, one for each"
            f" coordinate{bias}"
        )
    try:
        numbers = [each.item() if isinstance(each, np.generic) else each for each in values]
        for number in numbers:
            number.as_integer_ratio()
    except (AttributeError, ValueError, OverflowError, TypeError):
        raise ParameterError("the target holds something that is not a finite number") from None
    if any(number and not SMALL < abs(number) < LARGE for number in numbers):
        raise ParameterError("the target holds a number far from 1; scale it: only its side counts")
    return numbers
