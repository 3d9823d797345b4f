"""All classes learned together, as an estimator."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import encode
from novikoff.data.user_types import Init, Label, Order, RandomState, RowLike, Stop
from novikoff.data.weights import ClassWeight, Weights
from novikoff.errors import DataError
from novikoff.learning.estimators.base import Classifier, keep_parameters


class MulticlassPerceptron(Classifier):
    """Learns all classes together (Kesler): promotes the true class and demotes the winner.

    Each class has a line of weights, and the highest score wins. On a mistake the row's own class
    moves by eta * x and the class that won, or tied, by -eta * x. If some weights, of length 1 all
    together, give every row's own class a lead of gamma, it makes at most 2 (D / gamma)^2 mistakes;
    see `nk.bounds.kesler_on`. `learn_one` takes classes that appear later.

    averaged: predict with the mean of all weights there were.
    variant: "perceptron", or how far passive-aggressive steps go: "PA", "PA-I" (at most C) or
        "PA-II" (soft), which move as little as gives the row's own class a lead of 1. eta is not
        used then.
    C: the aggressiveness of PA-I and PA-II, which alone use it.

    Other parameters as for `Perceptron`.

    >>> import novikoff as nk
    >>> model = nk.MulticlassPerceptron().fit([[2, 0], [0, 2], [-2, -2]], ["a", "b", "c"])
    >>> model.converged_, model.predict([[1, 0], [-1, -1]]).tolist()
    (True, ['a', 'c'])
    """

    kind = "multiclass"

    def __init__(
        self,
        eta: float = 1.0,
        *,
        averaged: bool = False,
        variant: Literal["perceptron", "PA", "PA-I", "PA-II"] = "perceptron",
        C: float = 1.0,
        fit_intercept: bool = True,
        unit_length: bool = False,
        init: Init = "zeros",
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

    def decide_one(self, x: RowLike) -> tuple[Any, list[float]]:
        """The label that is predicted for one row, and the score of each class; None and no scores
        before any class is known.
        """
        if not hasattr(self, "classes_"):
            return None, []
        return super().decide_one(x)

    def _learn_row(
        self, x: RowLike, y: Label, weight: float, classes: npt.ArrayLike | None
    ) -> Self:
        """Learn from a row; if it is refused, the class that it brought never came."""
        names = "classes_", "_codes", "_learner", "_settled_at", "_names"
        before = {name: self.__dict__[name] for name in names if name in self.__dict__}
        try:
            return super()._learn_row(x, y, weight, classes)
        except Exception:
            if self.__dict__.get("classes_") is not before.get("classes_"):
                for name in names:
                    self.__dict__.pop(name, None)
                self.__dict__.update(before, _one=None)
            raise

    def _new_label(self, y: Any) -> None:
        """A class that comes later enters with weights of zero."""
        known = self.classes_.tolist() if hasattr(self, "classes_") else []
        if len({isinstance(label, str) for label in [*known, y]}) > 1:
            raise DataError(f"the label {y!r} and the classes before it cannot be sorted together")
        classes, _ = encode(np.array([*known, y]))
        if "_learner" in self.__dict__:
            learner = self._learner.fork()  # others may read this one
            learner.insert_class(int(np.flatnonzero(classes == y)[0]))
            self._learner, self._settled_at = learner, -1
        self._codes = {label: k for k, label in enumerate(classes.tolist())}
        self.classes_, self._one = classes, None

    def _class_weights(self, by_class: ClassWeight) -> Weights:
        """The weight of each class that has come; others may come later."""
        if isinstance(by_class, Mapping):
            known = self._label_numbers()
            by_class = {label: by_class[label] for label in by_class if label in known}
        return super()._class_weights(by_class)
