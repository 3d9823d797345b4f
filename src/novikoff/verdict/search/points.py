"""Rows as points for the search: in floating point, with their columns scaled to suit it.

The verdict does not depend on the columns' units, so the search may choose them: powers of two that
bring each column's largest entry near 1, which loses no bit. Some rows are known to lie on every
hyperplane in question; the directions that they span are projected out of all points.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse

from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import Indices, Vector
from novikoff.verdict.search.min_norm_point import STALLED, STEPS, ActiveSet, nearest_point
from novikoff.verdict.search.vector_kernels import Matrix
from novikoff.verdict.signed import IntegerRow, SignedRows

WIDE = 2500  # beyond this many coordinates, points are represented by their inner products
SAFE_EXPONENT = 250  # of numbers that can be squared and summed up
LARGEST_EXPONENT = 1000  # of a scale
SIMILAR = 3  # columns whose sizes differ by no more powers of two than this are left as they are


class ColumnScaling(NamedTuple):
    """Units for the columns: column j is multiplied by 2^exponents[j]."""

    exponents: npt.NDArray[np.int64]

    @classmethod
    def identity(cls, dim: int) -> "ColumnScaling":
        """No scaling at all."""
        return cls(np.zeros(dim, np.int64))

    @classmethod
    def equalized(cls, maxima: Vector) -> "ColumnScaling":
        """The scaling that makes all columns of about the same size."""
        sizes = np.where(maxima > 0.0, np.frexp(maxima)[1], 0)
        used = sizes[maxima > 0.0]
        if used.size == 0 or used.max() - used.min() <= SIMILAR:
            return cls.uniform(maxima)
        exponents = np.where(maxima > 0.0, -sizes, 0).clip(-LARGEST_EXPONENT, LARGEST_EXPONENT)
        return cls(exponents.astype(np.int64))

    @classmethod
    def uniform(cls, maxima: Vector) -> "ColumnScaling":
        """One scale for all columns, with which squares do not overflow."""
        size = int(np.frexp(maxima.max())[1])
        unit = 0 if abs(size) < SAFE_EXPONENT else min(-size, LARGEST_EXPONENT)
        return cls(np.full(len(maxima), unit, np.int64))

    @property
    def is_identity(self) -> bool:
        return not self.exponents.any()

    def row(self, row: IntegerRow) -> IntegerRow:
        """An exact row, scaled."""
        if self.is_identity:
            return row
        shifts = [int(self.exponents[column]) for column in row.columns]
        least = min(0, *shifts) if shifts else 0
        values = [value << (shift - least) for value, shift in zip(row.values, shifts, strict=True)]
        return IntegerRow(row.columns, values, row.denominator << -least)

    def weights(self, weights: Rational) -> Rational:
        """Weights on the scaled columns as weights on the columns as given."""
        if self.is_identity:
            return weights
        least = min(0, int(self.exponents.min()))
        tops = [
            top << (int(shift) - least)
            for top, shift in zip(weights.numerators, self.exponents, strict=True)
        ]
        return Rational(tops, weights.denominator << -least)


class Suggestion(NamedTuple):
    """The nearest point according to floating point."""

    rows: Indices
    multipliers: Vector  # of the rows as given, positive
    weights: Vector  # on the columns as given
    square: float  # |p|^2 in the scaling of the search
    status: int


class Points:
    """The rows that the search considers so far, as points."""

    def __init__(
        self,
        signed: SignedRows,
        scaling: ColumnScaling,
        basis: list[int],
        scales: Vector | None = None,
    ) -> None:
        self.signed, self.scaling, self.scales = signed, scaling, scales
        self.units = np.ldexp(1.0, scaling.exponents)
        self.rows: Indices = np.empty(0, np.int64)
        self.wide = signed.dim > WIDE
        self._last: ActiveSet | None = None
        self.steps = 0  # of the last search
        self._known: set[int] = set()
        self._fixed = np.array(basis, np.int64)
        self._directions = np.empty((0, signed.dim))
        if not self.wide:
            self._points = np.empty((0, signed.dim))
            if basis:
                directions, _ = np.linalg.qr((signed.dense(self._fixed) * self.units).T)
                self._directions = np.ascontiguousarray(directions.T)

    def add(self, rows: Indices) -> int:
        """Add rows as points; how many were new."""
        new = np.array([i for i in dict.fromkeys(rows.tolist()) if i not in self._known], np.int64)
        self._known.update(new.tolist())
        self.rows = np.concatenate([self.rows, new])
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self._append(new)
        return len(new)

    def _append(self, new: Indices) -> None:
        if not self.wide and len(new):
            points = self.signed.dense(new) * self.units
            if self.scales is not None:
                points *= self.scales[new][:, None]
            for _ in range(2 if len(self._directions) else 0):
                points -= (points @ self._directions.T) @ self._directions
            self._points = np.vstack([self._points, points])

    def start_from(self, support: Mapping[int, Fraction]) -> None:
        """Begin the next search with these rows, as far as they are points."""
        places = [k for k, row in enumerate(self.rows.tolist()) if row in support]
        parts = np.array([float(support[int(self.rows[k])]) for k in places])
        self._last = ActiveSet(np.array(places, np.int64), parts, np.empty(0), STALLED, 0)

    def suggest(self, most: int = STEPS) -> Suggestion:
        """The nearest point of the hull of these points. most: steps after which to give up."""
        if self.wide:
            return self._suggest_wide(most)
        active = nearest_point(self._points, self._last, most)
        self._last, self.steps = active, active.steps
        if not np.isfinite(active.point).all():  # beyond floating point: begin with any row
            first = np.zeros(1, np.int64)
            active = ActiveSet(first, np.ones(1), self._points[0], STALLED, 0)
        return self._suggestion(active, self.units * active.point)

    def _suggestion(self, active: ActiveSet, weights: Vector) -> Suggestion:
        rows = self.rows[active.indices]
        multipliers = active.multipliers
        if self.scales is not None:
            multipliers = multipliers * self.scales[rows]
        square = float(active.point @ active.point)
        return Suggestion(rows, multipliers, weights, square, active.status)

    def _suggest_wide(self, most: int) -> Suggestion:
        """The nearest point by inner products alone: of points with few coordinates that have the
        same ones.
        """
        points, fixed = self._sparse(self.rows), self._sparse(self._fixed)
        if self.scales is not None:
            points = scipy.sparse.diags_array(self.scales[self.rows]) @ points
        products = (points @ points.T).toarray()
        taken = np.empty((len(self._fixed), len(self.rows)))
        if len(self._fixed):
            across = (fixed @ points.T).toarray()
            taken = np.linalg.lstsq((fixed @ fixed.T).toarray(), across, rcond=None)[0]
            products -= across.T @ taken
        active = nearest_point(_coordinates(products), self._last, most)
        self._last, self.steps = active, active.steps
        weights = points.T[:, active.indices] @ active.multipliers
        if len(self._fixed):
            weights -= fixed.T @ (taken[:, active.indices] @ active.multipliers)
        return self._suggestion(active, self.units**2 * weights)

    def _sparse(self, rows: Indices) -> scipy.sparse.csr_array:
        """Signed, lifted rows, scaled."""
        units = scipy.sparse.diags_array(self.units)
        return scipy.sparse.csr_array(self.signed.sparse(rows) @ units)


def _coordinates(products: Matrix) -> Matrix:
    """Points with these inner products."""
    lower, order, rank, _ = scipy.linalg.lapack.dpstrf(products, lower=1)
    points = np.tril(lower)[:, :rank]
    out = np.empty_like(points)
    out[order - 1] = points
    return np.ascontiguousarray(out)


def scaled_doubles(weights: Rational, maxima: Vector) -> tuple[Vector, float] | None:
    """Weights times a power of two, as doubles, and that power; None where doubles cannot
    represent them. The largest |entry * weight| comes to about 1.
    """
    sizes = np.frexp(maxima)[1].tolist()
    bits = [
        abs(top).bit_length() + size
        for top, size in zip(weights.numerators, sizes, strict=True)
        if top
    ]
    if not bits:
        return None
    shift = weights.denominator.bit_length() - max(bits)
    if not -1000 < shift < 1000:
        return None
    up, down = max(shift, 0), max(-shift, 0)
    bottom = weights.denominator << down
    try:
        doubles = np.array([(top << up) / bottom for top in weights.numerators])
    except OverflowError:
        return None
    return doubles, math.ldexp(1.0, shift)
