"""The parts of `dict_values` for compiled code, which holds the interpreter's lock."""

from typing import Any

from llvmlite import ir
from numba import types as numba_types

from novikoff.jit import intrinsic, register_implementation
from novikoff.learning.estimators.row_buffer.dict_values import double_at, word_at

types: Any = numba_types
_word = ir.IntType(64)


@intrinsic
def _word_at(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], _word.as_pointer()))

    return types.int64(types.int64), generate


@intrinsic
def _double_at(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), generate


register_implementation(word_at, lambda address: _word_at(address))
register_implementation(double_at, lambda address: _double_at(address))
