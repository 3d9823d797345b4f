"""The columns of a table that are no features: weights, trials, times and their like."""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import as_labels
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import ROLES

_NUMBERS = ("weights", "trials", "exposure", "time", "entry")


def read_roles(
    family: str, rows: int, given: dict[str, Any], used: tuple[str, ...], needed: tuple[str, ...]
) -> dict[str, Vector]:
    """The roles that are given, as numbers; errors say what is wrong with them, and where.

    used: the roles that the family has a use for. needed: those that it cannot do without.
    """
    for name, values in given.items():
        if values is not None and name not in used:
            raise ParameterError(
                f"family={family!r} has no use for {name}; it takes {', '.join(used) or 'none'}"
            )
    if absent := [name for name in needed if given.get(name) is None]:
        raise ParameterError(f"family={family!r} needs {absent[0]}: one value for each row")
    found = {}
    for name in ROLES:
        if given.get(name) is not None:
            values = given[name]
            found[name] = _strata(values, rows) if name == "strata" else numbers(name, values, rows)
    for name in found.keys() & {*_NUMBERS}:
        refuse(found[name], ~(found[name] >= 0.0), name, "are finite and not negative")
    return found


def numbers(name: str, values: Any, rows: int) -> Vector:
    """A finite number for each row, as doubles."""
    if np.ma.is_masked(values):
        raise DataError(f"{name} is masked in row {int(np.flatnonzero(values.mask)[0])}")
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USTmMc":
            raise ValueError(f"{array.dtype.name} entries")
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} holds something that is not a number: {error}") from None
    array = _one_each(name, array, rows)
    refuse(array, ~np.isfinite(array), name, "are finite")
    return array


def refuse(values: Vector, bad: Mask, name: str, what: str) -> None:
    """Refuse the first value that is bad."""
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"{name} has {values[row]:g} in row {row}; {name} {what}")


def _one_each(name: str, array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        raise DataError(
            f"{name} has the shape {array.shape}; one value for each of the {rows:,} rows is needed"
        )
    return array


def _strata(values: Any, rows: int) -> Vector:
    """The number of each row's stratum, as they first come."""
    try:
        labels = as_labels(values)
    except DataError as error:
        raise DataError(f"strata: {error}") from None
    return first_come(_one_each("strata", labels, rows)).astype(np.float64)


def first_come(labels: npt.NDArray[Any]) -> Indices:
    """The number of each label, in the order in which they first come."""
    try:
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    except TypeError:  # numbers and text cannot be sorted, but told apart
        known: dict[object, int] = {}
        return np.array([known.setdefault(label, len(known)) for label in labels.tolist()])
    return np.asarray(np.argsort(np.argsort(first))[codes])
