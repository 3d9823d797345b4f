"""The columns of a table that are no features: weights, trials, times and their like."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data import Source
from novikoff.data.loaded_source import LoadedSource
from novikoff.data.matrices import as_labels, first_masked
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import ROLES, UserInput

_NUMBERS = ("weights", "trials", "exposure", "time", "entry")


def refuse_event(family: str, event: Any) -> None:
    """Refuse events in a family that has none."""
    if event is not None and family != "cox":
        raise ParameterError(f'family={family!r} has no use for event; that is for "cox"')


def load_with_roles(source: Source, roles: Mapping[str, Any]) -> LoadedSource:
    """A source in memory, with the columns set aside that roles name; an event is its label."""
    if isinstance(source, LoadedSource):
        return source
    named = {name: each for name, each in roles.items() if isinstance(each, str)}
    event, again = named.pop("event", None), dict[str, Any]()
    if event is not None and event != source.target_name:
        again["target"] = event
    if named and source.opening.options.get("columns") is not None:
        again["columns"] = [*source.opening.options["columns"], *named.values()]
    return LoadedSource(source.reopen(**again) if again else source, [*named.values()])


def role_values(rows: LoadedSource, roles: Mapping[str, Any]) -> dict[str, Any]:
    """Roles with values in the place of names; an event that is named is the label already."""
    found = dict(roles)
    for name, each in roles.items():
        if isinstance(each, str):
            found[name] = None if name == "event" else rows.aside[each]
            if name in _NUMBERS and found[name].dtype.kind == "U":
                problem = f"the column {each} has words such as {str(found[name][0])!r}"
                raise DataError(f"{rows.name}: {problem}; {name} must be numbers")
    return found


def read_roles(
    family: str,
    table: UserInput,
    given: dict[str, Any],
    used: tuple[str, ...],
    needed: tuple[str, ...],
) -> dict[str, Vector]:
    """The roles that are given, as numbers; errors say what is wrong with them, and where.

    used: the roles that the family has a use for. needed: those that it cannot do without.
    """
    for name, values in given.items():
        if isinstance(values, str):
            raise ParameterError(
                f"{name}={values!r} names a column, which is for sources and formulas; otherwise"
                " give one value for each row"
            )
        if values is not None and name not in used:
            raise ParameterError(
                f"family={family!r} has no use for {name}; it takes {', '.join(used) or 'none'}"
            )
    if absent := [name for name in needed if given.get(name) is None]:
        raise ParameterError(f"family={family!r} needs {absent[0]}: one value for each row")
    found = {}
    for name in ROLES:
        if given.get(name) is not None:
            read = _strata if name == "strata" else numbers
            found[name] = read(name, given[name], table)
    for name in found.keys() & {*_NUMBERS}:
        refuse(table, found[name], ~(found[name] >= 0.0), name, "a finite number, not below 0")
    return found


def numbers(name: str, values: Any, table: UserInput) -> Vector:
    """A finite number for each row, as doubles."""
    if masked := first_masked(values):
        raise DataError(f"{name} is masked in {table.where(masked[0])}")
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USTmMc":
            raise ValueError(f"{array.dtype.name} entries")
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} holds something that is not a number: {error}") from None
    array = _one_each(name, array, table.matrix.shape[0])
    refuse(table, array, ~np.isfinite(array), name, "a finite number")
    return array


def refuse(table: UserInput, values: Vector, bad: Mask, name: str, what: str) -> None:
    """Refuse the first value that is bad."""
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(f"{name} has {values[row]:g} in {table.where(row)}: expected {what}")


def _one_each(name: str, array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        raise DataError(
            f"{name} has the shape {array.shape}; one value for each of the {rows:,} rows is needed"
        )
    return array


def _strata(name: str, values: Any, table: UserInput) -> Vector:
    """The number of each row's stratum, as they first come."""
    try:
        labels = as_labels(values)
    except DataError as error:
        raise DataError(f"strata: {error}") from None
    return first_come(_one_each(name, labels, table.matrix.shape[0])).astype(np.float64)


def first_come(labels: npt.NDArray[Any]) -> Indices:
    """The number of each label, in the order in which they first come."""
    try:
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    except TypeError:  # numbers and text cannot be sorted, but told apart
        known: dict[object, int] = {}
        return np.array([known.setdefault(label, len(known)) for label in labels.tolist()])
    return np.asarray(np.argsort(np.argsort(first))[codes])
