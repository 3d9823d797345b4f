"""The shared words of `atomics` by the processor's atomic instructions, for compiled code.

Written in LLVM because Numba has no atomics for processors. Imported when something is compiled.
"""

import os
from typing import Any

from llvmlite import ir
from numba import types as numba_types
from numba.core import cgutils as numba_cgutils

from novikoff.jit import intrinsic, register_implementation
from novikoff.learning.parallel.atomics import (
    WORD,
    add_to_word,
    give_way,
    load_word,
    store_word,
)

cgutils: Any = numba_cgutils
types: Any = numba_types
_word = ir.IntType(64)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [builder.mul(args[1], _word(WORD))])


@intrinsic
def _load(typing: Any, words: Any, k: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _address(context, builder, signature, args)
        return builder.load_atomic(at, "acquire", 8)

    return types.int64(words, types.int64), generate


@intrinsic
def _store(typing: Any, words: Any, k: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _address(context, builder, signature, args)
        builder.store_atomic(args[2], at, "release", 8)
        return context.get_dummy_value()

    return types.void(words, types.int64, types.int64), generate


@intrinsic
def _add(typing: Any, words: Any, k: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _address(context, builder, signature, args)
        return builder.atomic_rmw("add", at, args[2], "acq_rel")

    return types.int64(words, types.int64, types.int64), generate


@intrinsic
def _give_way(typing: Any, words: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(words), generate


register_implementation(load_word, lambda words, k: _load(words, k))
register_implementation(store_word, lambda words, k, value: _store(words, k, value))
register_implementation(add_to_word, lambda words, k, amount: _add(words, k, amount))
register_implementation(give_way, lambda words: _give_way(words))
