"""The next row of `learn_one` and `predict_one`, where compiled code can read it; or many rows."""

from novikoff.learning.estimators.row_buffer.buffers import OneArray, OneDict, RowBuffer
from novikoff.learning.estimators.row_buffer.many_rows import rows_from_dicts

__all__ = ["OneArray", "OneDict", "RowBuffer", "rows_from_dicts"]
