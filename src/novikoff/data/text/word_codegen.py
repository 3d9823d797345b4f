"""The functions of `word_intrinsics` as LLVM's instructions, for compiled code."""

from typing import Any

from llvmlite import ir
from numba import types as numba_types
from numba.extending import intrinsic

from novikoff.data.text.word_intrinsics import leading_zeros, times, trailing_zeros
from novikoff.jit import register_implementation

types: Any = numba_types  # Numba annotates them only in part


def _instruction(name: str) -> Any:
    """What the processor has for a word: its zeros counted, in a cycle or two."""

    def typed(context: Any, word: Any) -> Any:
        def build(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.uint64(types.uint64), build

    return intrinsic(typed)


def _typed_product(context: Any, a: Any, b: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        twice = ir.IntType(128)
        product = builder.mul(*(builder.zext(each, twice) for each in arguments))
        upper = builder.lshr(product, ir.Constant(twice, 64))
        words = [builder.trunc(each, ir.IntType(64)) for each in (upper, product)]
        return context.make_tuple(builder, signature.return_type, words)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), build


_cttz, _ctlz = _instruction("cttz"), _instruction("ctlz")
_mul: Any = intrinsic(_typed_product)
register_implementation(trailing_zeros, lambda word: _cttz(word))
register_implementation(leading_zeros, lambda word: _ctlz(word))
register_implementation(times, lambda a, b: _mul(a, b))
