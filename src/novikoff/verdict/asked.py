"""What is asked of a piece of rows, on the machine where it is."""

import copy
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.rows import make_rows
from novikoff.scan import NO_MASK
from novikoff.signed import Places, Signed
from novikoff.verdict.lines import Form, lines_of, matrix_of

Bits = npt.NDArray[np.uint8]
#: What gives the rows after a piece when it is called there, and with what.
Beyond = tuple[Callable[..., Signed], tuple[Any, ...]]


def fingerprints(signed: Signed) -> npt.NDArray[np.uint64]:
    """Of all its rows."""
    return np.concatenate([*signed.fingerprints_in_parts()])


def to_unit(signed: Signed) -> npt.NDArray[np.float64]:
    return signed.to_unit


def digests(signed: Signed, places: Places) -> list[bytes]:
    contents = signed.contents(places)
    known = (each if isinstance(each, bytes) else repr(each).encode() for each in contents)
    return [hashlib.sha256(each).digest() for each in known]


def masked(signed: Signed, bits: Bits | None, function: Callable[..., Any], *args: Any) -> Any:
    mask = NO_MASK if bits is None else np.unpackbits(bits, count=signed.count).view(np.bool_)
    return function(signed, mask, *args)


def shortened(places: Places, count: int) -> Places | Bits:
    """Places among so many rows, or their bits if that is shorter."""
    if 64 * len(places) < count:
        return places
    mask = np.zeros(count, np.bool_)
    mask[places] = True
    return np.packbits(mask)


def spread(signed: Signed, some: Any, function: Callable[..., Any], *args: Any) -> Any:
    places, beside = some
    if places.dtype == np.uint8:
        places = np.flatnonzero(np.unpackbits(places, count=signed.count))
    return function(signed, places, *(() if beside is None else (beside,)), *args)


def linked(signed: Signed, function: Callable[..., Any], state: Any, *args: Any) -> Any:
    return function(signed, copy.deepcopy(state), *args)  # it may be asked for once more


def through(
    signed: Signed,
    function: Callable[..., Any],
    state: Any,
    tasks: Sequence[tuple[slice, Any]],
    args: tuple[Any, ...],
    beyond: Beyond | None,
) -> Any:
    """The last state and all results; None if rows beyond the piece are needed, and not there."""
    end, last = signed.start + signed.count, tasks[-1][0]
    if last.stop > end and last.stop not in signed.kept:
        if beyond is None:
            return None
        found, given = beyond
        signed.kept[last.stop] = _extended(signed, last.start - signed.start, found(*given))
    state, results = copy.deepcopy(state), []
    for window, task in tasks:
        here = slice(window.start - signed.start, window.stop - signed.start)
        rows = signed.part(here) if window.stop <= end else signed.kept[window.stop]
        state, result = function(rows, state, copy.deepcopy(task), *args)
        results.append(result)
    return state, results


def itself(signed: Signed) -> Signed:
    """Rows that came with the question."""
    return signed


def _extended(signed: Signed, start: int, beyond: Signed) -> Signed:
    """The last rows of a piece, and some that come after it."""
    here = np.arange(start, signed.count)
    lines = lines_of(signed, here, signed.bias)
    lines += lines_of(beyond, np.arange(beyond.count), signed.bias)
    rows = make_rows(matrix_of(lines, Form.of(signed)), signed.bias, False)
    signs = np.concatenate([signed.signs[here], beyond.signs])
    found = Signed(rows, signs, signed.labels, unit_length=signed.unit_length)
    found.survey = False
    return found
