"""Functions that are called on a piece of rows, on the machine where it is."""

import copy
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.learning.rows import make_rows
from novikoff.verdict.scan import NO_MASK, Vector
from novikoff.verdict.sharded.row_transfer import RowLayout, row_records, to_matrix
from novikoff.verdict.signed import Indices, Signed
from novikoff.verdict.signed.base import Result, State

Bits = npt.NDArray[np.uint8]
#: A function that returns the rows after a piece when it is called there, and its arguments.
RowsAfter = tuple[Callable[..., Signed], tuple[Any, ...]]


def fingerprints(signed: Signed) -> npt.NDArray[np.uint64]:
    """The fingerprint of each row."""
    return np.concatenate([*signed.fingerprints_in_parts()])


def inverse_lengths(signed: Signed) -> Vector:
    """See `SignedRows.inverse_lengths`."""
    return signed.inverse_lengths


def row_digests(signed: Signed, rows: Indices) -> list[bytes]:
    """A digest of the key of each of these rows."""
    keys = signed.row_keys(rows)
    contents = (each if isinstance(each, bytes) else repr(each).encode() for each in keys)
    return [hashlib.sha256(each).digest() for each in contents]


def apply_masked(
    signed: Signed, bits: Bits | None, function: Callable[..., Result], *args: Any
) -> Result:
    """Call function(piece, mask, *args) with a mask that was sent as bits."""
    mask = NO_MASK if bits is None else np.unpackbits(bits, count=signed.count).view(np.bool_)
    return function(signed, mask, *args)


def encode_rows(rows: Indices, count: int) -> Indices | Bits:
    """Some of `count` rows: their numbers, or a mask as bits if that is shorter."""
    if 64 * len(rows) < count:
        return rows
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return np.packbits(mask)


def apply_subset(
    signed: Signed,
    encoded: tuple[Indices | Bits, *tuple[Any, ...]],
    function: Callable[..., Result],
    *args: Any,
) -> Result:
    """Call function(piece, rows, [items,] *args) with rows that `encode_rows` encoded."""
    rows, *items = encoded
    if rows.dtype == np.uint8:
        rows = np.flatnonzero(np.unpackbits(rows.view(np.uint8), count=signed.count))
    return function(signed, rows, *items, *args)


def apply_fold(
    signed: Signed,
    function: Callable[..., tuple[State, Result]],
    state: State,
    *args: Any,
) -> tuple[State, Result]:
    """Call function(piece, state, *args) on a copy of the state: the call may be repeated."""
    return function(signed, copy.deepcopy(state), *args)


def apply_windows(
    signed: Signed,
    function: Callable[..., tuple[State, Result]],
    state: State,
    tasks: Sequence[tuple[slice, Any]],
    args: tuple[Any, ...],
    rows_after: RowsAfter | None,
) -> tuple[State, list[Result]] | None:
    """The last state and all results; None if rows after the piece are needed and not there."""
    end, last = signed.start + signed.count, tasks[-1][0]
    if last.stop > end and last.stop not in signed.extended_windows:
        if rows_after is None:
            return None
        fetch, given = rows_after
        extended = _extended(signed, last.start - signed.start, fetch(*given))
        signed.extended_windows[last.stop] = extended
    state, results = copy.deepcopy(state), []
    for window, task in tasks:
        here = slice(window.start - signed.start, window.stop - signed.start)
        rows = signed.part(here) if window.stop <= end else signed.extended_windows[window.stop]
        state, result = function(rows, state, copy.deepcopy(task), *args)
        results.append(result)
    return state, results


def identity(signed: Signed) -> Signed:
    """The rows after a piece, where they were sent with the call."""
    return signed


def _extended(signed: Signed, start: int, after: Signed) -> Signed:
    """The rows of a piece from `start` on, followed by rows that come after it."""
    here = np.arange(start, signed.count)
    records = row_records(signed, here, signed.bias)
    records += row_records(after, np.arange(after.count), signed.bias)
    rows = make_rows(to_matrix(records, RowLayout.of(signed)), signed.bias, False)
    signs = np.concatenate([signed.signs[here], after.signs])
    found = Signed(rows, signs, signed.labels, unit_length=signed.unit_length)
    found.survey = False
    return found
