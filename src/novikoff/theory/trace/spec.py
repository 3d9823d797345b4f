"""The training that is traced: by a rule's name, an estimator, or a rule of `nk.rules`."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novikoff.data import Source
from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import ParameterError
from novikoff.learning.rules import registry
from novikoff.learning.spec import OWN, TrainingSpec
from novikoff.verdict.signed import LabelPair, Signed, UserInput

if TYPE_CHECKING:
    from novikoff.learning.estimators.base import BaseLearner

SMALL, LARGE = 1e-150, 1e150  # numbers of a target whose squares are doubles


def spec_of(rule: Any, options: dict[str, Any]) -> TrainingSpec:
    """How to learn, from a rule's name and parameters, an estimator, or a rule; or a spec itself.

    The spec of a rule whose proof is known has the rule's name, wherever the rule came from.
    """
    if isinstance(rule, TrainingSpec):
        require_traceable_rule(rule.rule)
        return rule
    from novikoff.learning import estimators  # scikit-learn is slow to import
    from novikoff.learning.estimators.base import BaseLearner

    if isinstance(rule, BaseLearner):
        if options:
            raise ParameterError(f"{', '.join(options)}: set it on the estimator instead")
        kind, estimator = getattr(rule, "kind", OWN), rule
    elif isinstance(rule, str):
        kind = rule
        require_traceable_rule(kind)
        estimator = _estimator(kind, options)
    else:
        kind = registry.name_of(rule) or OWN
        lift = {"fit_intercept": False} if kind == "winnow" else {}
        estimator = estimators.RuleClassifier(rule, **(lift | options))
    require_traceable_rule(kind if kind != OWN else type(rule).__name__)
    spec = estimator._spec()._replace(rule=kind)
    spec.build_rule()  # what is wrong with it is said before rows are read
    return spec


def signed_rows(
    spec: TrainingSpec, X: RowsLike, y: npt.ArrayLike | None, positive: Label | None = None
) -> Signed:
    """The rows with their signs; the one-sided rule's are all positive."""
    if spec.labels:
        return Signed.of(
            X, y, fit_intercept=spec.bias, unit_length=spec.unit_length, positive=positive
        )
    if y is None and not isinstance(X, Source):
        y = np.ones(X.shape[0] if hasattr(X, "shape") else len(np.asarray(X, object)))
    given = UserInput.of(X, y)
    signs = np.ones(given.matrix.shape[0], np.int8)
    return Signed.from_signs(given, signs, LabelPair(-1, 1), spec.bias, "binary", spec.unit_length)


def require_traceable_rule(kind: str) -> None:
    """Refuse a rule whose proof is not known here."""
    traceable = [name for name, entry in registry.CATALOGUE.items() if entry.proof]
    if kind not in traceable:
        raise ParameterError(
            f"{kind}: the trace follows the proofs of {', '.join(traceable)}; of others it knows no"
            " inequality to hold them against"
        )


def _estimator(kind: str, options: dict[str, Any]) -> "BaseLearner":
    from novikoff.learning.estimators.by_rule import estimator_class

    maker = estimator_class(kind)
    known = maker().get_params()
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ParameterError(
            f"the rule {kind!r} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        )
    return maker(**options)


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
