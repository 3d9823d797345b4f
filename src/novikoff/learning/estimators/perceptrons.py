"""The additive rules as estimators: the perceptron and its kin, one-sided to second order."""

from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from novikoff.data import Source
from novikoff.data.user_types import (
    ArrayRows,
    Init,
    Label,
    Order,
    RandomState,
    RowLike,
    RowsLike,
    TieName,
)
from novikoff.data.weights import ClassWeight, as_weights
from novikoff.errors import ParameterError
from novikoff.learning import rules
from novikoff.learning.estimators.base import BaseLearner, Classifier, keep_parameters
from novikoff.learning.rules.protocol import Rule
from novikoff.learning.streaming import NO_LABELS


class Perceptron(Classifier):
    """Rosenblatt's perceptron: on a mistake, w <- w + eta * y * x.

    Parameters
    ----------
    eta : the step. From a start of zeros it only rescales the weights.
    fit_intercept : lift every row x to (x, 1), so that the last weight is the intercept.
    unit_length : scale every (lifted) row to length 1 before it is seen.
    init : "zeros", "random" (standard normal), or an array: a weight for each feature, then the
        intercept.
    tie : what a score of exactly 0 means. "mistake": always one (what the convergence proof
        needs); "positive", "negative": a prediction of that class; "keep": never a mistake.
    max_epochs : the budget. Running out of it is a ConvergenceWarning that says what is known.
    order : "given", or "shuffle": a new order each epoch, from random_state.
    random_state : seeds the random start and the shuffling.
    class_weight : a dict from labels to weights, or "balanced": rows / (classes * rows of the
        class). A row is multiplied by its own weight (`sample_weight`) times that of its class.
    n_jobs : how many threads may work on large data, -1 for one on each core. The result does not
        depend on it, to the byte.

    Examples
    --------
    >>> import novikoff as nk
    >>> model = nk.Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.converged_, model.mistakes_, model.predict([[1, 1]]).tolist()
    (True, 18, [1])
    """

    kind = "perceptron"

    def __init__(
        self,
        eta: float = 1.0,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        init: Init = "zeros",
        tie: TieName = "mistake",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class AveragedPerceptron(Perceptron):
    """Learns as `Perceptron` does, mistake for mistake; predicts with the mean of all its weights.

    `coef_` and `intercept_` are the means. Parameters as for `Perceptron`.
    """

    kind = "averaged"


class VotedPerceptron(Perceptron):
    """Learns as `Perceptron` does, mistake for mistake; all its weights vote on a prediction.

    Each weight vector has as many votes as rows it lasted for. `coef_` and `intercept_` are the
    last one. Parameters as for `Perceptron`.
    """

    kind = "voted"


class MarginPerceptron(Classifier):
    """Moves on every row whose signed score is at most `margin`, and so ends with room to spare.

    It stops after an epoch without an update. Other parameters as for `Perceptron`.
    """

    kind = "margin"

    def __init__(
        self,
        eta: float = 1.0,
        margin: float = 1.0,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        init: Init = "zeros",
        tie: TieName = "mistake",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class PassiveAggressive(Classifier):
    """Moves as little as gives the row a signed score of 1.

    `variant` is "PA", "PA-I" (at most C) or "PA-II" (soft). It stops after an epoch without a
    mistake. Other parameters as for `Perceptron`.

    With an intercept the row is (x, 1), and a step is the loss divided by |x|^2 + 1. Scikit-learn
    divides by |x|^2 and moves its intercept as well, which goes beyond a score of 1; without an
    intercept, or with a column of ones in its stead, both learn the same.
    """

    kind = "passive-aggressive"

    def __init__(
        self,
        C: float = 1.0,
        variant: Literal["PA", "PA-I", "PA-II"] = "PA-I",
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        init: Init = "zeros",
        tie: TieName = "mistake",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class SecondOrderPerceptron(Classifier):
    """The perceptron in coordinates that its past mistakes have whitened; keeps a d x d matrix.

    `a` above 0 says how much the plain coordinates count. It starts at zero weights. Other
    parameters as for `Perceptron`.
    """

    kind = "second-order"

    def __init__(
        self,
        a: float = 1.0,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        tie: TieName = "mistake",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class OneSidedPerceptron(BaseLearner):
    """The perceptron on positive rows only: find w with w . x > 0 for all of them.

    Rows are scaled to length 1, there is no intercept, the start is zero, and a row with
    w . x <= 0 is added to w. If some unit vector has w . x >= g on every row, there are at most
    1 / g^2 updates. `predict` says 1 where w . x > 0, else -1.
    """

    kind = "one-sided"

    unit_length = True

    def __init__(
        self, *, max_epochs: int = 1000, order: Order = "given", random_state: RandomState = None
    ) -> None:
        keep_parameters(self, locals())

    def fit(
        self,
        X: RowsLike,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from the start until an epoch passes without a mistake; y is ignored."""
        with self._learning() as work:
            if isinstance(X, Source):
                if sample_weight is not None:
                    raise ParameterError("a source brings its own weights: leave sample_weight out")
                work._fit_source(X)
                return self
            matrix = work._matrix(X, reset=True)
            weights = as_weights(sample_weight, matrix.shape[0])
            work._fit_matrix(matrix, NO_LABELS, np.ones(matrix.shape[0], np.uint16), weights)
            return self

    def partial_fit(
        self,
        X: ArrayRows,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """One pass over these rows, on from where learning stands; y is ignored."""
        with self._learning() as work:
            matrix = work._matrix(X, reset=not work.__sklearn_is_fitted__())
            weights = as_weights(sample_weight, matrix.shape[0])
            codes = np.ones(matrix.shape[0], np.uint16)
            self._learn_batch(work, matrix, NO_LABELS, codes, weights)
        return self

    def learn_one(
        self,
        x: RowLike,
        y: Label = 1,
        weight: float = 1.0,
        classes: npt.ArrayLike | None = None,
    ) -> Self:
        """See one positive row, and add it to the weights if w . x <= 0."""
        return super().learn_one(x, 1, weight)

    def decision_function(self, X: ArrayRows) -> npt.NDArray[np.float64]:
        """w . x for each row, scaled to length 1."""
        check_is_fitted(self)
        with self._published() as view:
            return view._answers(X)[:, 0]

    def predict(self, X: ArrayRows) -> npt.NDArray[np.int64]:
        """1 where w . x > 0, else -1."""
        return np.where(self.decision_function(X) > 0.0, 1, -1)


class RuleClassifier(Classifier):
    """Any rule, one of your own too, as an estimator.

    `rule` is a NamedTuple with a method `step` (see `learning.rules.protocol`); None means the
    plain perceptron. Other parameters as for `Perceptron`.
    """

    def __init__(
        self,
        rule: Rule | None = None,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        init: Init = "zeros",
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    rule: Rule | None

    def _rule(self) -> Rule:
        return rules.Perceptron() if self.rule is None else self.rule
