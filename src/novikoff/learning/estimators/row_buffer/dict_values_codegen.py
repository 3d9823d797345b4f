"""The parts of `dict_values` for compiled code, which holds the interpreter's lock."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types as numba_types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic

from novikoff.jit import register_implementation
from novikoff.learning.estimators.row_buffer.dict_values import double_at, next_item, word_at

cgutils: Any = numba_cgutils
types: Any = numba_types
_word, _int = ir.IntType(64), ir.IntType(32)


def _intrinsic(function: Callable[..., Any]) -> Any:
    """Numba's `intrinsic`: called without the typing context that it is written with."""
    return intrinsic(function)


@_intrinsic
def _next_item(typing: Any, address: Any, scratch: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, args[1])
        kind = ir.FunctionType(_int, [_word] + 3 * [_word.as_pointer()])
        function = cgutils.get_or_insert_function(builder.module, kind, "PyDict_Next")
        places = [builder.gep(array.data, [_word(k)]) for k in range(3)]
        return builder.icmp_signed("!=", builder.call(function, [args[0], *places]), _int(0))

    return types.boolean(types.int64, scratch), generate


@_intrinsic
def _word_at(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], _word.as_pointer()))

    return types.int64(types.int64), generate


@_intrinsic
def _double_at(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), generate


register_implementation(next_item, lambda address, scratch: _next_item(address, scratch))
register_implementation(word_at, lambda address: _word_at(address))
register_implementation(double_at, lambda address: _double_at(address))
