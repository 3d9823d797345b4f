"""The prediction for a dict of floats in one call: read it, decide, and number the class."""

from typing import Any

from novikoff.learning.estimators.row_buffer.dict_values import place_values
from novikoff.learning.loop import compiled, kinds_of, usable
from novikoff.learning.rows import rough_square, row_at
from novikoff.learning.rules.protocol import decide

UNKNOWN = -1


def _make_prediction(sources: str) -> Any:
    def prediction(
        rule: Any,
        readout: Any,
        rows: Any,
        zero_is_positive: bool,
        keys: Any,
        values: Any,
        float_type: int,
        address: int,
    ) -> int:
        sources  # noqa: B018  (see `loop.compiled`)
        if not place_values(address, keys, values, float_type):
            return UNKNOWN
        row = row_at(rows, 0)
        if not usable(rule, row, rough_square(row)):
            return UNKNOWN
        answer = decide(rule, readout, row)
        if not abs(answer) < float("inf"):
            return UNKNOWN
        return int(answer > 0.0 or (answer == 0.0 and zero_is_positive))

    return prediction


def prediction_for(rule: Any) -> Any:
    """prediction(rule, readout, rows, zero_is_positive, keys, values, float_type, address): the
    number of the class for the dict at this address, one of two; -1 where it has other keys, or
    values that are no floats, or is to be refused.

    rows: the row that is made of `values`. Other arguments: see `dict_values`.
    """
    return compiled(_make_prediction, kinds_of(rule), None)
