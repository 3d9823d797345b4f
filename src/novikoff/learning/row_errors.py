"""Why a row could not be learned from, in words that name the place."""

import math
from typing import Any

import numpy as np

from novikoff.errors import DataError
from novikoff.learning.loop import TINY
from novikoff.learning.rows import (
    DenseRow,
    LearnerRows,
    WeightedRows,
    features_of,
    row_at,
    squared_norm,
    unweighted,
    weight_at,
)
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Rule


def refuse_overflow(state: Any) -> None:
    """Weights that are no longer numbers must not be learned on with."""
    if not np.isfinite(state.weights).all():
        raise DataError(
            "the weights overflowed: the numbers are too large. Scale the features, use unit"
            " length, or take a smaller step"
        )


def _leaves_the_range(square: float, weight: float) -> bool:
    """Whether a squared length times weight^2 overflows or underflows."""
    if not square > 0.0:
        return False
    decimals = math.log10(square) + 2.0 * math.log10(weight)
    return not math.log10(TINY) < decimals < math.log10(np.finfo(float).max)


def row_error_message(rule: Rule, rows: LearnerRows, i: int, before: int = 0) -> str:
    """In words, what is wrong with row i of these, before which so many others come."""
    row, place = row_at(unweighted(rows)._replace(unit_length=False), i), before + i
    for k in range(len(row.values)):
        number = float(row.values[k])
        if not np.isfinite(number):
            name = "NaN" if np.isnan(number) else "infinity"
            at = k if isinstance(row, DenseRow) else int(row.columns[k])
            return (
                f"Input X contains {name} in row {place}, column {at}; every value must be a number"
            )
    if not np.isfinite(squared_norm(row)):
        return f"row {place} is too long: its squared length overflows. Scale the features"
    if squared_norm(row) < TINY and any(row.values):
        return f"row {place} is too short: its squared length underflows. Scale the features"
    if not protocol.accepts(rule, row):
        odd = next(v for v in row.values if v not in (0.0, 1.0))
        return (
            f"row {place} has the value {odd}, but with binarize=None every value must be 0 or 1;"
            " pass binarize=0.0 (or another threshold) to turn values into 0 and 1"
        )
    if isinstance(rows, WeightedRows) and _leaves_the_range(squared_norm(row), weight_at(rows, i)):
        return (
            f"row {place} has the weight {weight_at(rows, i):g}, by which its squared length"
            " overflows or underflows. Divide all weights by one number"
        )
    return (
        f"the answer for row {place} of {features_of(rows)} features overflows. Scale the features"
    )
