"""Weights of rows and of classes as users give them, checked; a weight of 0 leaves a row out."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Classes, Codes, first_masked
from novikoff.errors import DataError, ParameterError

#: One number for each row, none of them below 0.
Weights: TypeAlias = npt.NDArray[np.float64]
#: Weights by label, those of other labels being 1; or "balanced"; or none.
ClassWeight: TypeAlias = Mapping[Any, float] | str | None


def as_weights(given: Any, rows: int) -> Weights | None:
    """Weights of so many rows, from an array or one number for all; None if all are 1."""
    if given is None:
        return None
    if masked := first_masked(given):
        raise DataError(f"sample_weight is masked in row {masked[0]}; 0 leaves a row out")
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"sample_weight holds something that is not a number: {error}") from None
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.shape != (rows,):
        raise DataError(
            f"sample_weight has the shape {weights.shape}; one weight for each of {rows} row(s) is"
            " needed"
        )
    bad = np.flatnonzero(~((weights >= 0.0) & np.isfinite(weights)))
    if len(bad):
        raise DataError(
            f"sample_weight is {weights[bad[0]]} in row {bad[0]}; a weight is a number above 0, or"
            " 0 to leave the row out"
        )
    return None if (weights == 1.0).all() else weights


def weight_text(weight: Any) -> str:
    """A weight as users gave it, but for integers of more digits than Python writes."""
    too_long = isinstance(weight, int) and abs(weight) > 10**30
    return "an integer of more than 30 digits" if too_long else repr(weight)


def drop_weightless(
    weights: Weights | None,
) -> tuple[npt.NDArray[np.int64] | None, Weights | None]:
    """The numbers of the rows whose weight is not 0, or None for all; and their weights, or None
    if all are 1.
    """
    if weights is None or (weights == 1.0).all():
        return None, None
    if weights.all():
        return None, weights
    kept = np.flatnonzero(weights)
    if not len(kept):
        raise DataError("every row has zero weight, so that there is nothing to learn from")
    weights = weights[kept]
    return kept, None if (weights == 1.0).all() else weights


def class_weights(class_weight: ClassWeight, classes: Classes, codes: Codes) -> Weights | None:
    """The weight of each class; None if none has any.

    "balanced" is rows / (classes * rows of the class), as scikit-learn has it.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(
                f'class_weight must be None, "balanced" or a dict, not {class_weight!r}'
            )
        counts = np.bincount(codes, minlength=len(classes))
        return len(codes) / (len(classes) * np.maximum(counts, 1.0))
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f'class_weight must be None, "balanced" or a dict from labels to weights, not'
            f" {class_weight!r}"
        )
    found = np.ones(len(classes))
    for label, weight in class_weight.items():
        places = np.flatnonzero(classes == label)
        if not len(places):
            raise ParameterError(f"class_weight has the label {label!r}, which no row has")
        try:
            found[places] = weight
        except (TypeError, ValueError, OverflowError):
            found[places] = np.nan
        if not 0.0 <= found[places[0]] < np.inf:
            raise ParameterError(
                f"class_weight is {weight_text(weight)} for the label {label!r}; a weight is a"
                " number above 0, or 0 to leave the class out"
            )
    return found
