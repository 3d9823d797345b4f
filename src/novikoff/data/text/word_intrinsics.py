"""What processors do with words of 64 bits in one instruction: compiled code has `word_codegen`."""

import numpy as np

from novikoff.jit import register_module


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


register_module("novikoff.data.text.word_codegen")
