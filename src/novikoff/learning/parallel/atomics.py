"""Words of memory that threads in compiled code share: read, written and added to in one step each.

In plain Python, where one thread runs at a time, they are ordinary numbers in an array.
"""

from typing import Any

from novikoff.jit import register_module

WORD = 8  # places from one word to the next: each in a cache line of its own


def load_word(words: Any, k: int) -> int:
    """Word k, and with it all that was written before it was stored."""
    return int(words[k * WORD])


def store_word(words: Any, k: int, value: int) -> None:
    """Set word k, after all that was written before."""
    words[k * WORD] = value


def add_to_word(words: Any, k: int, amount: int) -> int:
    """Add to word k; what it was before."""
    before = int(words[k * WORD])
    words[k * WORD] = before + amount
    return before


def give_way(words: Any) -> None:
    """Let other threads that share the words run on this core, if any wait for one."""


register_module("novikoff.learning.parallel.atomics_codegen")
