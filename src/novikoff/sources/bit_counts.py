"""Zero bits at either end of a word of 64 bits, counted by the processor in compiled code."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types as numba_types
from numba.extending import intrinsic

from novikoff.generic import compiled_as

types: Any = numba_types  # Numba annotates them only in part


def trailing_zeros(word: np.uint64) -> np.uint64:
    """How many zero bits come after the last one of a word that has one."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1)


def leading_zeros(word: np.uint64) -> np.uint64:
    """How many zero bits come before the first one of a word that has one."""
    return np.uint64(64 - int(word).bit_length())


def _instruction(name: str) -> Any:
    """What the processor has for a word: its zeros counted, in a cycle or two."""

    def typed(context: Any, word: Any) -> Any:
        def build(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.uint64(types.uint64), build

    return intrinsic(typed)


_cttz, _ctlz = _instruction("cttz"), _instruction("ctlz")
compiled_as(trailing_zeros, lambda word: _cttz(word))
compiled_as(leading_zeros, lambda word: _ctlz(word))
