"""Rows as points for the search: in floating point, in a geometry that suits it.

The verdict does not depend on the columns' units, so the search may choose them: powers of two that
bring each column's largest entry near 1, which loses no bit. Some rows are known to lie on every
hyperplane in question; the directions that they span are taken out of all points.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse

from novikoff.figures import Rational
from novikoff.signed import IntegerRow, SignedRows
from novikoff.verdict.nearest import STALLED, Corral, Matrix, Places, Vector, nearest

WIDE = 2500  # beyond so many coordinates, points are held by their inner products
SAFE = 250  # powers of two that can be squared and summed up
LARGEST = 1000  # power of two as a unit
LEVEL = 3  # columns whose sizes differ by fewer powers of two than this are left as they are


class Geometry(NamedTuple):
    """Column j is multiplied by 2^exponents[j]."""

    exponents: npt.NDArray[np.int64]

    @classmethod
    def plain(cls, dim: int) -> "Geometry":
        return cls(np.zeros(dim, np.int64))

    @classmethod
    def level(cls, maxima: Vector) -> "Geometry":
        """All columns of about the same size."""
        sizes = np.where(maxima > 0.0, np.frexp(maxima)[1], 0)
        used = sizes[maxima > 0.0]
        if used.size == 0 or used.max() - used.min() <= LEVEL:
            return cls.even(maxima)
        return cls(np.where(maxima > 0.0, -sizes, 0).clip(-LARGEST, LARGEST).astype(np.int64))

    @classmethod
    def even(cls, maxima: Vector) -> "Geometry":
        """The columns as they are, all of them in a unit in which squares do not overflow."""
        size = int(np.frexp(maxima.max())[1])
        unit = 0 if abs(size) < SAFE else min(-size, LARGEST)
        return cls(np.full(len(maxima), unit, np.int64))

    @property
    def is_plain(self) -> bool:
        return not self.exponents.any()

    def row(self, row: IntegerRow) -> IntegerRow:
        """An exact row, in these units."""
        if self.is_plain:
            return row
        shifts = [int(self.exponents[column]) for column in row.columns]
        least = min(0, *shifts) if shifts else 0
        values = [value << (shift - least) for value, shift in zip(row.values, shifts, strict=True)]
        return IntegerRow(row.columns, values, row.denominator << -least)

    def weights(self, weights: Rational) -> Rational:
        """Weights on these columns as weights on the columns as they were given."""
        if self.is_plain:
            return weights
        least = int(min(0, self.exponents.min()))
        tops = [
            top << (int(shift) - least)
            for top, shift in zip(weights.numerators, self.exponents, strict=True)
        ]
        return Rational(tops, weights.denominator << -least)


class Suggestion(NamedTuple):
    """Where floating point believes the nearest point to be."""

    rows: Places
    multipliers: Vector  # of the rows as they are, positive
    weights: Vector  # on the columns as they were given
    square: float  # |p|^2 in the geometry of the search
    ended: int


class Points:
    """The rows that the search has looked at so far, as points."""

    def __init__(
        self,
        signed: SignedRows,
        geometry: Geometry,
        on_all: list[int],
        scales: Vector | None = None,
    ) -> None:
        self.signed, self.geometry, self.scales = signed, geometry, scales
        self.units = np.ldexp(1.0, geometry.exponents)
        self.rows: Places = np.empty(0, np.int64)
        self.wide = signed.dim > WIDE
        self._last: Places = np.empty(0, np.int64)
        self._known: set[int] = set()
        self._fixed = np.array(on_all, np.int64)
        self._directions = np.empty((0, signed.dim))
        if not self.wide:
            self._points = np.empty((0, signed.dim))
            if on_all:
                basis, _ = np.linalg.qr((signed.dense(self._fixed) * self.units).T)
                self._directions = np.ascontiguousarray(basis.T)

    def add(self, rows: Places) -> int:
        """Take more rows in; how many were new."""
        new = np.array([i for i in dict.fromkeys(rows.tolist()) if i not in self._known], np.int64)
        self._known.update(new.tolist())
        self.rows = np.concatenate([self.rows, new])
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            self._hold(new)
        return len(new)

    def _hold(self, new: Places) -> None:
        if not self.wide and len(new):
            points = self.signed.dense(new) * self.units
            if self.scales is not None:
                points *= self.scales[new][:, None]
            for _ in range(2 if len(self._directions) else 0):
                points -= (points @ self._directions.T) @ self._directions
            self._points = np.vstack([self._points, points])

    def suggest(self) -> Suggestion:
        """The nearest point of the hull of the rows at hand."""
        if self.wide:
            return self._suggest_wide()
        corral = nearest(self._points, self._last)
        self._last = corral.places
        if not np.isfinite(corral.point).all():  # beyond floating point: begin with any row
            first = np.zeros(1, np.int64)
            corral = Corral(first, np.ones(1), self._points[0], STALLED, 0)
        return self._suggestion(corral, self.units * corral.point)

    def _suggestion(self, corral: Corral, weights: Vector) -> Suggestion:
        rows = self.rows[corral.places]
        multipliers = corral.multipliers
        if self.scales is not None:
            multipliers = multipliers * self.scales[rows]
        square = float(corral.point @ corral.point)
        return Suggestion(rows, multipliers, weights, square, corral.ended)

    def _suggest_wide(self) -> Suggestion:
        """By inner products: coordinates in which so few points have the same ones."""
        points, fixed = self._sparse(self.rows), self._sparse(self._fixed)
        if self.scales is not None:
            points = scipy.sparse.diags_array(self.scales[self.rows]) @ points
        products = (points @ points.T).toarray()
        taken = np.empty((len(self._fixed), len(self.rows)))
        if len(self._fixed):
            across = (fixed @ points.T).toarray()
            taken = np.linalg.lstsq((fixed @ fixed.T).toarray(), across, rcond=None)[0]
            products -= across.T @ taken
        corral = nearest(_coordinates(products), self._last)
        self._last = corral.places
        weights = points.T[:, corral.places] @ corral.multipliers
        if len(self._fixed):
            weights -= fixed.T @ (taken[:, corral.places] @ corral.multipliers)
        return self._suggestion(corral, self.units**2 * weights)

    def _sparse(self, rows: Places) -> scipy.sparse.csr_array:
        """Signed, lifted rows in these units (divided out of the weights again)."""
        units = scipy.sparse.diags_array(self.units)
        return scipy.sparse.csr_array(self.signed.sparse(rows) @ units)


def _coordinates(products: Matrix) -> Matrix:
    """Points with these inner products."""
    lower, order, rank, _ = scipy.linalg.lapack.dpstrf(products, lower=1)
    points = np.tril(lower)[:, :rank]
    out = np.empty_like(points)
    out[order - 1] = points
    return np.ascontiguousarray(out)


def rounded(weights: Rational, maxima: Vector) -> tuple[Vector, float] | None:
    """Weights times a power of two, as doubles, and that power; None where doubles cannot hold
    them. The largest |entry * weight| comes to about 1.
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


def in_short(values: Vector, bits: int = 31) -> npt.NDArray[np.int64]:
    """Values rounded to integers of so many bits, all times the same power of two."""
    largest = float(np.abs(values).max())
    return np.rint(np.ldexp(values, bits - int(np.frexp(largest)[1]))).astype(np.int64)
