"""Bytes of a text counted 64 at a time, with vector instructions, for compiled code.

Of a plain loop the compiler makes sums of 64 bits, which take four times as long.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types as numba_types
from numba.extending import intrinsic

from novikoff.jit import register_implementation

types: Any = numba_types  # Numba annotates them only in part

TOGETHER = 64
_LINE_FEED = ord("\n")


def line_feeds(text: Any, at: int) -> np.uint64:
    """How many of the 64 bytes from `at` on, which there must be, are line feeds."""
    return np.uint64(np.count_nonzero(text[at : at + TOGETHER] == _LINE_FEED))


def not_ascii(text: Any, at: int) -> np.uint64:
    """How many of them are none of ASCII's: as signed numbers, those are below zero."""
    return np.uint64(np.count_nonzero(text[at : at + TOGETHER].view(np.int8) < 0))


def _count_intrinsic(comparison: str, other: int) -> Any:
    """How many of 64 bytes compare so with another."""

    def typed(context: Any, text: Any, at: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte, many = ir.IntType(8), ir.VectorType(ir.IntType(8), TOGETHER)
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.gep(data, [arguments[1]])
            found = builder.load(builder.bitcast(place, many.as_pointer()), align=1)
            others = ir.Constant(many, [ir.Constant(byte, other)] * TOGETHER)
            mask = builder.icmp_signed(comparison, found, others)
            return builder.ctpop(builder.bitcast(mask, ir.IntType(TOGETHER)))

        return types.uint64(text, types.int64), build

    return intrinsic(typed)


_line_feeds, _not_ascii = _count_intrinsic("==", _LINE_FEED), _count_intrinsic("<", 0)
register_implementation(line_feeds, lambda text, at: _line_feeds(text, at))
register_implementation(not_ascii, lambda text, at: _not_ascii(text, at))
