"""The multiplicative rules as estimators: Winnow for Boolean variables, balanced Winnow for any."""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import Order, RandomState, Stop, TieName
from novikoff.data.weights import ClassWeight
from novikoff.learning.estimators.base import Classifier, keep_parameters


class Winnow(Classifier):
    """Learns a disjunction of a few of many Boolean variables by doubling and halving weights.

    If the label is an OR of r of n variables, it makes at most 2 + 3 r (1 + lg n) mistakes.

    alpha: the factor, above 1.
    theta: the threshold; None means the number of variables, complements included.
    complement: add each variable's complement, so that negated literals can be learned.
    binarize: values above it (0 or more) count as 1. None demands 0 and 1, refuses all else.
    max_epochs: as for `Perceptron`.
    order: as for `Perceptron`.
    random_state: as for `Perceptron`.

    >>> import novikoff as nk
    >>> rows = nk.open("example:disjunction?rows=2000&features=100&relevant=3")
    >>> model = nk.Winnow().fit(rows)
    >>> sorted(model.relevant_[:3].tolist()), model.mistakes_ <= nk.bounds.winnow(3, 100)
    ([20, 36, 82], True)
    """

    kind = "winnow"

    def __init__(
        self,
        alpha: float = 2.0,
        theta: float | None = None,
        *,
        complement: bool = False,
        binarize: float | None = 0.0,
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
    ) -> None:
        keep_parameters(self, locals())

    @property
    def relevant_(self) -> npt.NDArray[np.int64]:
        """The variables it holds relevant: weight above the starting 1, the heaviest first.

        It is what the rule believes, not a proof. Only for two classes.
        """
        return self._raised("weights")

    @property
    def relevant_complements_(self) -> npt.NDArray[np.int64]:
        """Likewise, the variables whose complement it holds relevant."""
        return self._raised("against")

    def _raised(self, field: str) -> npt.NDArray[np.int64]:
        with self._fitted("relevant_") as learner:
            if len(learner.states) > 1:
                raise AttributeError("relevant_ exists for two classes only")
            weights = getattr(learner.states[0], field, np.empty(0))[: self.n_features_in_]
            raised = np.flatnonzero(weights > 1.0)
            return raised[np.argsort(-weights[raised], kind="stable")]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # it sees values only as above the threshold or not
        return tags


class BalancedWinnow(Classifier):
    """Multiplicative updates for separators with weights of any sign, over real inputs.

    Two weights for each feature are multiplied by exp(eta * y * x) and exp(-eta * y * x) on a
    mistake; their difference is the feature's weight.

    eta: the step of the exponents, above 0; `nk.bounds.balanced_winnow` says what it means.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> nk.BalancedWinnow(eta=0.5).fit([[2.0], [-1.0]], [1, -1]).predict([[3.0]]).tolist()
    [1]
    """

    kind = "balanced-winnow"

    def __init__(
        self,
        eta: float = 0.1,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        tie: TieName = "mistake",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        stop: Stop = "proven",
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())
