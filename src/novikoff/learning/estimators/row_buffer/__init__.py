"""The next row of `learn_one` and `predict_one`, where compiled code can read it."""

from novikoff.learning.estimators.row_buffer.buffers import OneArray, OneDict, RowBuffer

__all__ = ["OneArray", "OneDict", "RowBuffer"]
