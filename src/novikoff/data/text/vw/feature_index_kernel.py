"""Names of features in compiled code: their hash, and the table that finds their columns.

The hash of a name (`naming.hash_of`) is FNV-1a of 64 bits over its bytes, with the last steps of
MurmurHash3 after it, because the low bits of FNV-1a depend on nothing but the low bits of the
bytes. It can be taken up where a prefix ended, so that a namespace is gone over once for all its
names.

The table is open: the name's column is in the first free slot from hash mod slots on. A slot has
the upper half of the hash beside the column, so that few names are compared in vain.
"""

from typing import Any

import numpy as np

from novikoff.data.text.number_kernel import eight_bytes
from novikoff.data.text.vw.feature_index import IndexSnapshot
from novikoff.jit import compile_loop, inline, subroutine

Spans = tuple[int, int, int, int, int, int]  # of a, b and c

HAT = ord("^")
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_FIRST, _SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_0, _1, _3, _32, _33, _64 = map(np.uint64, (0, 1, 3, 32, 33, 64))
_LOW_HALF = np.uint64(2**32 - 1)


@inline
def fnv(state: np.uint64, byte: int) -> np.uint64:
    """One more byte of a name."""
    return (state ^ np.uint64(byte)) * PRIME


@inline
def mixed(state: np.uint64) -> np.uint64:
    """The hash, after the last byte."""
    state = (state ^ state >> _33) * _FIRST
    state = (state ^ state >> _33) * _SECOND
    return state ^ state >> _33


@subroutine()
def _equal(text: Any, start: int, stop: int, letters: Any, at: int) -> Any:
    """Whether text[start:stop] are the letters from `at` on; eight at a time."""
    while start + 8 <= stop:
        if eight_bytes(text, start, text.size) != eight_bytes(letters, at, letters.size):
            return False
        start, at = start + 8, at + 8
    if start == stop:
        return True
    differ = eight_bytes(text, start, text.size) ^ eight_bytes(letters, at, letters.size)
    return differ << (_64 - (np.uint64(stop - start) << _3)) == _0


@subroutine()
def _same(known: IndexSnapshot, column: int, text: Any, spans: Spans) -> Any:
    """Whether the column's name is a^b^c, for a, b and c in the text; a and c may be empty."""
    a, a_stop, b, b_stop, c, c_stop = spans
    at = known.offsets[column]
    if known.offsets[column + 1] - at != joined_length(spans):
        return False
    if a < a_stop:
        if not _equal(text, a, a_stop, known.letters, at):
            return False
        at += a_stop - a + 1
        if known.letters[at - 1] != HAT:
            return False
    if not _equal(text, b, b_stop, known.letters, at):
        return False
    if c == c_stop:
        return True
    at += b_stop - b + 1
    return known.letters[at - 1] == HAT and _equal(text, c, c_stop, known.letters, at)


@inline
def joined_length(spans: Spans) -> int:
    """How many bytes a^b^c has."""
    a, a_stop, b, b_stop, c, c_stop = spans
    return (a_stop - a + (a < a_stop)) + (b_stop - b) + (c_stop - c + (c < c_stop))


@inline
def first_slot(known: IndexSnapshot, hashed: np.uint64) -> Any:
    """What is in the first slot where a name of that hash may be."""
    return known.slots[hashed & np.uint64(known.slots.size - 1)]


@inline
def find(
    known: IndexSnapshot,
    hashed: np.uint64,
    slot: np.uint64,
    text: Any,
    spans: Spans,
) -> Any:
    """The column of the name a^b^c, or -1; `slot` is what was in the first slot.

    Another thread may be adding names to the same table: a slot is one word, so that it is seen
    either free or filled, and columns from `known.columns` on are passed over, because their names
    may not be there yet.
    """
    mask = np.uint64(known.slots.size - 1)
    at = hashed & mask
    while slot != _0:
        column: Any = np.int64(slot & _LOW_HALF) - 1
        if (slot ^ hashed) >> _32 == _0 and column < known.columns:
            if known.named:
                if _same(known, column, text, spans):
                    return column
            elif known.hashes[column] == hashed:
                return column
        at = (at + _1) & mask
        slot = known.slots[at]
    return -1


def _look_up(known: IndexSnapshot, hashed: np.uint64, name: Any) -> Any:
    """The column of one name, or -1."""
    return find(known, hashed, first_slot(known, hashed), name, (0, 0, 0, name.size, 0, 0))


def _add(
    known: IndexSnapshot, hashes: Any, letters: Any, offsets: Any, first: int, columns: Any
) -> Any:
    """Give columns to names, from the first-th on: those they have, or the next.

    Stops where the table has no room for another, and says at which name, and how many there are.
    """
    count = known.columns
    for k in range(first, hashes.size):
        now = IndexSnapshot(
            known.slots, known.hashes, known.offsets, known.letters, count, known.named
        )
        spans = (0, 0, offsets[k], offsets[k + 1], 0, 0)
        column = find(now, hashes[k], first_slot(now, hashes[k]), letters, spans)
        if column < 0:
            size = offsets[k + 1] - offsets[k] if known.named else 0
            if not _has_room(known, count, size):
                return k, count
            column = count
            known.hashes[column] = hashes[k]
            if known.named:
                at = known.offsets[column]
                for i in range(size):
                    known.letters[at + i] = letters[offsets[k] + i]
                known.offsets[column + 1] = at + size
            _put(known.slots, hashes[k], column)
            count += 1
        columns[k] = column
    return hashes.size, count


@inline
def _has_room(known: IndexSnapshot, count: int, size: int) -> bool:
    if count >= known.hashes.size or 2 * count >= known.slots.size:
        return False
    return not known.named or known.offsets[count] + size <= known.letters.size


@inline
def _put(slots: Any, hashed: np.uint64, column: int) -> None:
    mask = np.uint64(slots.size - 1)
    at = hashed & mask
    while slots[at] != _0:
        at = (at + _1) & mask
    slots[at] = (hashed & ~_LOW_HALF) | np.uint64(column + 1)


def _hash_names(letters: Any, offsets: Any, hashes: Any) -> None:
    for k in range(hashes.size):
        state = BASIS
        for i in range(offsets[k], offsets[k + 1]):
            state = fnv(state, letters[i])
        hashes[k] = mixed(state)


def _fill(slots: Any, hashes: Any, count: int) -> None:
    """Fill a new, larger table."""
    for column in range(count):
        _put(slots, hashes[column], column)


hash_names = compile_loop(_hash_names, threads=True)
look_up = compile_loop(_look_up, threads=True)
add = compile_loop(_add, threads=True)
fill = compile_loop(_fill, threads=True)
