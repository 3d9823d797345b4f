"""What processors do with words of 64 bits in one instruction, for compiled code."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types as numba_types
from numba.extending import intrinsic

from novikoff.jit import register_implementation

types: Any = numba_types  # Numba annotates them only in part


def trailing_zeros(word: np.uint64) -> np.uint64:
    """How many zero bits come after the last one of a word that has one."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1)


def leading_zeros(word: np.uint64) -> np.uint64:
    """How many zero bits come before the first one of a word that has one."""
    return np.uint64(64 - int(word).bit_length())


def times(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """All 128 bits of a product: the upper word and the lower one."""
    product = int(a) * int(b)
    return np.uint64(product >> 64), np.uint64(product & (2**64 - 1))


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
