"""Estimators as classifiers of river's: in its pipelines, evaluations and checks.

    from novikoff.compat.river import RiverClassifier

    model = preprocessing.StandardScaler() | RiverClassifier(nk.AveragedPerceptron())
    evaluate.progressive_val_score(dataset, model, metrics.Accuracy())

This module imports river; nothing else here does.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from river import base
from sklearn.base import clone

from novikoff.data.user_types import Label
from novikoff.learning.estimators import MulticlassPerceptron, Perceptron
from novikoff.learning.estimators.base import Classifier


class RiverClassifier(base.MiniBatchClassifier):
    """An estimator of novikoff's with river's methods; every row is a dict, in which names come
    and go, and is learned from as `learn_one` of the estimator does, to the byte.

    estimator : what to learn with. It is copied, and stays as it was; `model` is what has learned.
    classes : all labels, unless they are False and True, 0 and 1, or -1 and 1, or the estimator is
        a MulticlassPerceptron, which takes labels as they come.

    Before the first label nothing is predicted (None, which river's evaluations do not count), and
    there are no probabilities: a separator has none.
    """

    def __init__(self, estimator: Classifier, classes: tuple[Label, ...] | None = None) -> None:
        self.estimator, self.classes = estimator, classes
        self.model: Classifier = clone(estimator)

    @property
    def _multiclass(self) -> bool:
        named = self.classes is not None and len(self.classes) > 2
        return named or isinstance(self.estimator, MulticlassPerceptron)

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1.0) -> None:
        """See one row, predict, be told its label, learn; `w` is the weight of the row."""
        known = self.classes is None or hasattr(self.model, "classes_")
        self.model.learn_one(x, y, w, None if known else np.array(self.classes))

    def predict_one(self, x: Mapping[Any, Any], **_: Any) -> Any:
        """The class of one row; None before the first label."""
        return self.model.predict_one(x) if hasattr(self.model, "_learner") else None

    def learn_many(self, X: Any, y: Iterable[Label]) -> None:
        """Learn from the rows of a frame (pandas, polars), or dicts, one after another."""
        rows, labels = [*_dicts(X)], [*y]
        for x, label in zip(rows[:1], labels[:1], strict=True):
            self.learn_one(x, label)
        self.model.learn_many(rows[1:], labels[1:])

    def predict_many(self, X: Any) -> Any:
        """The class of each row: a series for a frame, a list for dicts."""
        found = [self.predict_one(x) for x in _dicts(X)]
        library = type(X).__module__.partition(".")[0]
        if library == "pandas":
            import pandas as pd

            return pd.Series(found, index=X.index)
        if library == "polars":
            import polars as pl

            return pl.Series(found)
        return found

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"estimator": Perceptron()}


def _dicts(X: Any) -> Iterable[Mapping[Any, Any]]:
    """The rows of a frame as dicts; dicts as they are."""
    if hasattr(X, "to_dicts"):
        X = X.to_dicts()
    rows: Iterable[Mapping[Any, Any]] = X.to_dict("records") if hasattr(X, "to_dict") else X
    return rows
