"""Deltas between the arrays of two states: only what changed is sent, where that is shorter.

An entry has changed if its bits have. So a delta by places and a whole array say the same, and it
makes no difference in which form an array was sent.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class ArrayDelta(NamedTuple):
    """The change from one array to another: the new values at some places, or the whole array.

    places: indices into the flattened array; None where `values` is the whole array.
    """

    values: Array
    places: Array | None = None

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.values.nbytes + (0 if self.places is None else self.places.nbytes)


def delta(before: Array, after: Array) -> ArrayDelta:
    """The change from one array to another, in the shorter form."""
    if before.shape != after.shape or before.dtype != after.dtype:
        return ArrayDelta(after)
    places = changed_places(before, after)
    found = ArrayDelta(after.ravel()[places], places)
    return found if found.size <= after.nbytes else ArrayDelta(after)


def changed_places(before: Array, after: Array) -> Array:
    """The places whose bits differ."""
    narrow = np.uint32 if before.size < 2**32 else np.int64
    return np.flatnonzero(bits_differ(before, after)).astype(narrow)


def bits_differ(before: Array, after: Array) -> npt.NDArray[np.bool_]:
    """Whether the bits differ, at each place of the flattened arrays."""
    old, new = before.ravel(), after.ravel()
    if old.dtype.kind == "f":
        bits = f"u{old.itemsize}"
        old, new = old.view(bits), new.view(bits)
    found: npt.NDArray[np.bool_] = old != new
    return found


def apply(before: Array, change: ArrayDelta) -> Array:
    """The array after a change; the one before is left as it is."""
    if change.places is None:
        return change.values
    after = before.copy()
    after.reshape(-1)[change.places] = change.values
    return after


def as_sparse(before: Array, change: ArrayDelta) -> ArrayDelta:
    """The same change by its places, whatever its form."""
    if change.places is not None:
        return change
    places = changed_places(before, change.values)
    return ArrayDelta(change.values.ravel()[places], places)


def deltas(before: Sequence[Array], after: Sequence[Array]) -> list[ArrayDelta]:
    """The changes from the arrays of one state to those of another."""
    return [delta(old, new) for old, new in zip(before, after, strict=True)]


def apply_all(before: Sequence[Array], changes: Sequence[ArrayDelta]) -> list[Array]:
    """The arrays of a state after its changes."""
    return [apply(old, change) for old, change in zip(before, changes, strict=True)]
