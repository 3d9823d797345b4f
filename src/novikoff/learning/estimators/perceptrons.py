"""The additive rules as estimators: the perceptron and its kin, one-sided to second order."""

from collections.abc import Iterable
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
    Stop,
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

    eta: the step. From a start of zeros it only rescales the weights.
    fit_intercept: lift every row x to (x, 1), so that the last weight is the intercept.
    unit_length: scale every (lifted) row to length 1 before it is seen.
    init: "zeros", "random" (standard normal), or an array: a weight for each feature, then the
        intercept.
    tie: what a score of exactly 0 means. "mistake": always one (what the convergence proof
        needs); "positive", "negative": a prediction of that class; "keep": never a mistake.
    pocket: predict with the weights that made the fewest mistakes on the rows so far (Gallant's
        pocket), checked by a pass where they beat its run of right answers.
    max_epochs: the budget. Running out of it is a ConvergenceWarning that says what is known.
    order: "given", or "shuffle": a new order each epoch, from random_state.
    random_state: seeds the random start and the shuffling.
    stop: "proven": where the rows are proven inseparable, learning ends once the mistakes of an
        epoch have not fallen for `n_iter_no_change` epochs; `conflict_` is the proof. It is looked
        for now and then, at less than the cost of the epochs so far. "budget": go on to
        `max_epochs`.
    n_iter_no_change: the patience, in epochs, of `stop` and `validation_fraction`.
    validation_fraction: hold out this share of the rows, and end once the mistakes on them have
        not fallen for `n_iter_no_change` epochs. None: learn from all rows.
    warm_start: let `fit` go on from where learning stands, instead of beginning anew.
    class_weight: a dict from labels to weights, or "balanced": rows / (classes * rows of the
        class). A row is multiplied by its own weight (`sample_weight`) times that of its class.
    n_jobs: how many threads may work on large data, -1 for one on each core. The result does not
        depend on it, to the byte.

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
        pocket: bool = False,
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


class AveragedPerceptron(Perceptron):
    """Learns as `Perceptron` does, mistake for mistake; predicts with the mean of all its weights.

    `coef_` and `intercept_` are the means. Parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> plain, mean = nk.Perceptron().fit(X, y), nk.AveragedPerceptron().fit(X, y)
    >>> plain.mistakes_ == mean.mistakes_, plain.coef_.tolist(), mean.coef_.round(2).tolist()
    (True, [[3.0, 2.0]], [[2.08, 1.33]])
    """

    kind = "averaged"

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
        stop: Stop = "proven",
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class VotedPerceptron(Perceptron):
    """Learns as `Perceptron` does, mistake for mistake; all its weights vote on a prediction.

    Each weight vector has as many votes as rows it lasted for. `coef_` and `intercept_` are the
    last one. Parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> nk.VotedPerceptron().fit(X, y).predict(X).tolist()
    [0, 0, 0, 1]
    """

    kind = "voted"

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
        stop: Stop = "proven",
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class MarginPerceptron(Classifier):
    """Moves on every row whose signed score is at most `margin`, and so ends with room to spare.

    It stops after an epoch without an update. From a start of zeros it makes at most
    (D^2 + 2 * margin / eta) / gamma^2 updates.

    margin: the signed score that a row has to exceed; 0 is the plain perceptron.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> model = nk.MarginPerceptron(margin=2.0).fit(X, y)
    >>> model.decision_function(X).tolist()  # beyond 2, on either side
    [-10.0, -4.0, -3.0, 3.0]
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
        pocket: bool = False,
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


class PassiveAggressive(Classifier):
    """Moves as little as gives the row a signed score of 1 (Crammer et al. 2006).

    On a row with loss l = max(0, 1 - y * w . x) the step is l / |x|^2 for "PA", at most `C` for
    "PA-I", and l / (|x|^2 + 1 / (2 C)) for "PA-II". `averaged` predicts with
    the mean of all its weights. It stops after an epoch without a mistake.

    With an intercept the row is (x, 1), and a step is the loss divided by |x|^2 + 1. Scikit-learn
    divides by |x|^2 and moves its intercept as well, which goes beyond a score of 1; without an
    intercept, or with a column of ones in its stead, both learn the same.

    C: the aggressiveness, above 0: how far a single row may move the weights. "PA" ignores it.
    variant: "PA", "PA-I" or "PA-II".
    averaged: predict with the mean of all weights there were.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> model = nk.PassiveAggressive(variant="PA").fit([[2.0], [-1.0]], [1, -1])
    >>> model.converged_, model.coef_.tolist(), model.mistakes_
    (True, [[0.8]], 1)
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
        averaged: bool = False,
        pocket: bool = False,
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


class SecondOrderPerceptron(Classifier):
    """The perceptron in coordinates that its past mistakes have whitened.

    It predicts with (a I + sum of x x^T over the mistakes and x itself)^-1 applied to the sum of
    y * x (Cesa-Bianchi et al. 2005), keeps a d x d matrix, and starts at zero weights.

    a: above 0, how much the plain coordinates count; the larger, the closer to `Perceptron`.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> nk.SecondOrderPerceptron(a=0.5).fit(X, y).predict(X).tolist()
    [0, 0, 0, 1]
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
        stop: Stop = "proven",
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


class OneSidedPerceptron(BaseLearner):
    """The perceptron on positive rows only: find w with w . x > 0 for all of them.

    Rows are scaled to length 1, there is no intercept, the start is zero, and a row with
    w . x <= 0 is added to w. If some unit vector has w . x >= g on every row, there are at most
    1 / g^2 updates. `predict` says 1 where w . x > 0, else -1.

    max_epochs: as for `Perceptron`.
    order: as for `Perceptron`.
    stop: as for `Perceptron`.
    random_state: as for `Perceptron`.

    >>> import novikoff as nk
    >>> model = nk.OneSidedPerceptron().fit([[3, 4], [0, 1], [-4, 3]])
    >>> model.updates_, model.predict([[1, 1], [-1, -1]]).tolist()
    (2, [1, -1])
    """

    kind = "one-sided"

    unit_length = True

    def __init__(
        self,
        *,
        max_epochs: int = 1000,
        order: Order = "given",
        random_state: RandomState = None,
        stop: Stop = "proven",
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

    def learn_many(self, X: Iterable[RowLike], y: Iterable[Label] | None = None) -> Self:
        """See positive rows, one after another; y is ignored."""
        rows = [*X]
        return super().learn_many(rows, [1] * len(rows))

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

    rule: a NamedTuple with a method `step` (see `novikoff.learning.rules.protocol`); None means the
        plain perceptron.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> rule = nk.rules.Averaged(nk.rules.MarginPerceptron(margin=0.5))
    >>> nk.RuleClassifier(rule).fit([[1, 0], [0, 1]], [1, -1]).predict([[2, 1]]).tolist()
    [1]
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
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        warm_start: bool = False,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    rule: Rule | None

    def _rule(self) -> Rule:
        return rules.Perceptron() if self.rule is None else self.rule
