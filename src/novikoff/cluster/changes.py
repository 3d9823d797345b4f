"""What changed in the arrays of a state: only that travels, where it is shorter than the arrays.

An entry has changed if its bits have: so an entry that changed and one that was sent although it
did not are told apart wherever they are looked at, and it makes no difference in which form an
array came.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.rules.protocol import arrays_of

Array = npt.NDArray[Any]


class Change(NamedTuple):
    """An array in place of another: the values at some places of it, or all of it.

    places: in the array laid out flat; None where `values` is the whole array.
    """

    values: Array
    places: Array | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return self.values.nbytes + (0 if self.places is None else self.places.nbytes)


def change(before: Array, after: Array) -> Change:
    """From one array to another, in the shorter form."""
    if before.shape != after.shape or before.dtype != after.dtype:
        return Change(after)
    places = changed(before, after)
    found = Change(after.ravel()[places], places)
    return found if found.size <= after.nbytes else Change(after)


def changed(before: Array, after: Array) -> Array:
    """The places of an array whose bits are others than before."""
    narrow = np.uint32 if before.size < 2**32 else np.int64
    return np.flatnonzero(differs(before, after)).astype(narrow)


def differs(before: Array, after: Array) -> Array:
    """Whether the bits at each place are others than before."""
    old, new = before.ravel(), after.ravel()
    if old.dtype.kind == "f":
        bits = f"u{old.itemsize}"
        old, new = old.view(bits), new.view(bits)
    found: Array = old != new
    return found


def applied(before: Array, change: Change) -> Array:
    """The array after the change; the one before stays as it is."""
    if change.places is None:
        return change.values
    after = before.copy()
    after.reshape(-1)[change.places] = change.values
    return after


def at_places(before: Array, change: Change) -> Change:
    """The same change by its places, whatever its form."""
    if change.places is not None:
        return change
    places = changed(before, change.values)
    return Change(change.values.ravel()[places], places)


def changes(before: Sequence[Array], after: Sequence[Array]) -> list[Change]:
    """From the arrays of one state to those of another."""
    return [change(old, new) for old, new in zip(before, after, strict=True)]


def all_applied(before: Sequence[Array], found: Sequence[Change]) -> list[Array]:
    """The arrays of a state after its changes."""
    return [applied(old, each) for old, each in zip(before, found, strict=True)]


def rebuilt(state: Any, arrays: Sequence[Array]) -> Any:
    """A state like this one with other arrays; what was one array in two places still is."""
    others = {id(old): new for old, new in zip(arrays_of(state), arrays, strict=True)}

    def build(part: Any) -> Any:
        return type(part)(*map(build, part)) if isinstance(part, tuple) else others[id(part)]

    return build(state)
