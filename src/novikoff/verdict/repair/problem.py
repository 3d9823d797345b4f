"""A repair as a problem: rows, what each costs, and which must stay; equal rows are one."""

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.verdict.certificate import Combination
from novikoff.verdict.certificate.repair_claim import ClassCosts, row_classes
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import Signed


class RepairProblem:
    """Rows of which the cheapest are to be removed, so that the rest is separable.

    Equal rows of one label are represented by the first: `merged` has one row for each class, and
    `owners` says which row of the data that is. costs: of the classes, by merged row; infinite
    where a row of the class is trusted.
    """

    def __init__(self, signed: Signed, sample_weight: Any = None, trusted: Any = None) -> None:
        self.signed = signed
        self.row_costs = _row_costs(sample_weight, signed.count)
        self.trusted = _trusted_rows(trusted, signed.count)
        self.first = row_classes(signed)
        self.owners = np.unique(self.first)
        whole = len(self.owners) == signed.count
        self.merged = signed if whole else signed.subset(self.owners)
        self.exact = ClassCosts.of(self.first, self.row_costs, self.trusted)
        known = self.exact.costs
        self.costs: Vector = np.array([float(known.get(i, math.inf)) for i in self.owners.tolist()])

    @property
    def movable(self) -> Mask:
        """Which merged rows may be removed."""
        return self.costs < np.inf

    def cost(self, removed: Indices) -> Fraction:
        """The exact cost of merged rows."""
        return sum((self.exact.costs[int(self.owners[k])] for k in removed), Fraction(0))

    def members(self, removed: Indices) -> Indices:
        """The rows of the data that merged rows stand for."""
        return np.flatnonzero(np.isin(self.first, self.owners[removed]))

    def as_given(self, conflict: Combination) -> Combination:
        """A conflict of merged rows as one of the rows of the data."""
        return [(int(self.owners[k]), multiplier) for k, multiplier in conflict]


def _row_costs(sample_weight: Any, count: int) -> list[Fraction] | None:
    if sample_weight is None:
        return None
    given = list(sample_weight) if np.ndim(sample_weight) == 1 else None
    if given is None or len(given) != count:
        raise ParameterError(f"sample_weight must be {count:,} numbers, one for each row")
    return [_cost(each, i) for i, each in enumerate(given)]


def _cost(weight: Any, row: int) -> Fraction:
    """A weight, exactly."""
    value = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(value, int | float | Fraction | Decimal) and 0 <= value < math.inf:
        return Fraction(value)
    raise ParameterError(
        f"sample_weight has {value!r} for row {row}; weights are finite numbers, not below 0"
    )


def _trusted_rows(trusted: Any, count: int) -> list[int]:
    """The rows to trust, ascending: given by their numbers, or by a mask."""
    if trusted is None:
        return []
    given = np.asarray(list(trusted) if isinstance(trusted, Iterable) else trusted)
    if given.dtype == np.bool_ and given.shape == (count,):
        return [int(i) for i in np.flatnonzero(given)]
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ParameterError(
            f"trusted must be row numbers, or a mask of {count:,} booleans, one for each row"
        )
    bad = given[(given < 0) | (given >= count)]
    if bad.size:
        raise ParameterError(f"trusted has row {bad[0]}; rows are numbered from 0 to {count - 1}")
    return [int(i) for i in np.unique(given)]
