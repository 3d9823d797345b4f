"""Entries of sparse rows put in the order of their columns, those of one column added up.

All rows at once: the entries are sorted by column, eleven bits at a time, and then dealt out to
their rows. No step changes the order of entries that it does not tell apart, so that those of one
column are added in the order in which they stood. Sorting row by row takes about twice as long: the
processor cannot guess its branches.
"""

from typing import Any

import numpy as np

from novikoff.jit import compile_loop, inline

_BITS = 11
BUCKETS = 2**_BITS
_SORTED, _UNSORTED, _UNKNOWN = 0, 1, 2


def _order(
    starts: Any, columns: Any, values: Any, lengths: Any, scratch: Any, held: Any, buckets: Any
) -> int:
    """Sort the rows that are not sorted yet and have only known columns; others are negative.

    lengths: how many entries each row then has, from its start; -1 as long as it is not sorted.
    scratch: three arrays, and `held` one, of as many entries as such rows have. buckets: BUCKETS
    numbers. Returns how many entries all sorted rows have.
    """
    count, largest = _collect(starts, columns, values, lengths, scratch, held)
    shift, which = 0, 0
    while largest >> shift > 0:
        _pass(scratch[which], scratch[1 - which], count, shift, buckets)
        shift, which = shift + _BITS, 1 - which
    for k in range(count):
        column, place = scratch[which, k] >> 32, scratch[which, k] & 0xFFFFFFFF
        row = scratch[2, place]
        at = starts[row] + lengths[row]
        if lengths[row] > 0 and columns[at - 1] == column:
            values[at - 1] += held[place]
        else:
            columns[at], values[at] = column, held[place]
            lengths[row] += 1
    total = 0
    for row in range(lengths.size):
        total += max(lengths[row], 0)
    return total


@inline
def _collect(starts: Any, columns: Any, values: Any, lengths: Any, scratch: Any, held: Any) -> Any:
    """List the entries of the rows that are to be sorted; how many, and their largest column."""
    count, largest = 0, np.int64(0)
    for row in range(lengths.size):
        if lengths[row] >= 0:
            continue
        start, stop = starts[row], starts[row + 1]
        state = _state(columns, start, stop)
        if state == _SORTED:
            lengths[row] = stop - start
        elif state == _UNSORTED:
            lengths[row] = 0
            for k in range(start, stop):
                column = np.int64(columns[k])
                if column > largest:
                    largest = column
                scratch[0, count] = column << 32 | count
                scratch[2, count] = row
                held[count] = values[k]
                count += 1
    return count, largest


@inline
def _state(columns: Any, start: int, stop: int) -> int:
    state, last = _SORTED, np.int32(-1)
    for k in range(start, stop):
        if columns[k] < 0:
            return _UNKNOWN
        if columns[k] <= last:
            state = _UNSORTED
        last = columns[k]
    return state


@inline
def _pass(keys: Any, to: Any, count: int, shift: int, buckets: Any) -> None:
    """Sort by some bits of the column."""
    buckets[:] = 0
    for k in range(count):
        buckets[keys[k] >> (32 + shift) & (BUCKETS - 1)] += 1
    total = 0
    for b in range(BUCKETS):
        size = buckets[b]
        buckets[b] = total
        total += size
    for k in range(count):
        b = keys[k] >> (32 + shift) & (BUCKETS - 1)
        to[buckets[b]] = keys[k]
        buckets[b] += 1


def _close_up(starts: Any, columns: Any, values: Any, lengths: Any) -> None:
    """Move rows up to where the one before ends."""
    at = 0
    for row in range(lengths.size):
        start = starts[row]
        starts[row] = at
        for k in range(lengths[row]):
            columns[at], values[at] = columns[start + k], values[start + k]
            at += 1
    starts[lengths.size] = at


order = compile_loop(_order, threads=True)
close_up = compile_loop(_close_up, threads=True)
