"""Rows in the plane with the hyperplane that an estimator has learned."""

from typing import cast

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import RowsLike
from novikoff.errors import ParameterError
from novikoff.learning.estimators.base import Classifier
from novikoff.learning.learner import norm
from novikoff.report.charts.margins import closest_marked
from novikoff.report.charts.plane import Separator, separator_figure
from novikoff.report.model import Figure, array
from novikoff.report.row_info import RowInfo
from novikoff.theory.bounds.user_input import signed_rows


def model_figure(model: Classifier, X: object, y: object) -> Figure:
    """The rows, and the hyperplane of a model of two classes."""
    if len(model.coef_) > 1:
        raise ParameterError(
            f"the model tells {len(model.classes_)} classes apart, each by a hyperplane of its own;"
            " plot() without rows draws the mistakes of all of them"
        )
    signed = signed_rows(
        cast(RowsLike, X),
        cast(npt.ArrayLike, y),
        fit_intercept=model.fit_intercept,
        unit_length=model.unit_length,
        positive=model.classes_[1].item(),
    )
    weights, intercept = array(model.coef_[0]), float(model.intercept_[0])
    size = norm(np.append(weights, intercept) if signed.bias else weights)
    if not size:
        raise ParameterError("all weights are 0: there is no hyperplane to draw")
    margins = array(model.decision_function(cast(RowsLike, X))) * signed.signs / size
    lowest = float(margins.min())
    unit = weights / size, intercept / size
    gamma = lowest if lowest > 0.0 else None
    found = Separator(*unit, margins, gamma, signed.bias, signed.unit_length)
    return separator_figure(RowInfo.of(signed), found, closest_marked(margins))
