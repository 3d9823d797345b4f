"""The nearest point of the signed rows' hull: floating point suggests, the rationals decide.

On a face (rows `on_all` that lie on every hyperplane in question, the others not `out_of` it) the
point p of smallest norm in hull(rows) + span(on_all) tells all: if p = 0, its multipliers are a
conflict; else w = p / |p|^2 has z . w >= 1 on every row, and is the best there is.

    suggest   Wolfe's method on a few rows in floating point, more rows from each scan
    settle    Wolfe's method over the rationals, from where the suggestion ends: usually one solve
    violator  one scan with rigorous errors; rows too close to tell are looked at exactly
"""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff import products
from novikoff.figures import Rational, rational
from novikoff.scan import NO_MASK, SMALLEST, Lowest, Mask
from novikoff.signed import LENGTH_BITS, IntegerRow, SignedRows, dot, unit_factor
from novikoff.verdict import exact
from novikoff.verdict.nearest import ZERO, Places, Vector
from novikoff.verdict.points import Geometry, Points, Suggestion, rounded

ALL_AT_ONCE = 100_000  # numbers in a matrix small enough to search as a whole
CLOSE = 1e-9
SOLVING, SAMPLE = 2e-12, 20  # seconds of an exact solve by rows^4 * bits; rows to find the bits in
LOOKED_AT = 200  # rows near the margin that are looked at with their lengths made rational


class OutOfTimeError(Exception):
    """The time limit ran out."""


class Face(NamedTuple):
    """Rows known to lie on every hyperplane that has no row on the wrong side."""

    on_all: list[int]  # linearly independent ones, which span the others
    out_of: Mask  # all of them


WHOLE = Face([], NO_MASK)


class Nearest(NamedTuple):
    """The nearest point, exactly: p = sum of multipliers * rows + sum of others * on_all."""

    rows: list[int]
    multipliers: list[Fraction]  # positive, with sum 1
    others: list[Fraction]
    weights: Rational | None  # p / |p|^2 on the columns as given; None if p = 0
    square: Fraction  # |p|^2 in the geometry of the search


class Search:
    """Scans rows, keeps the time, and remembers which rows were worth looking at."""

    def __init__(
        self,
        signed: SignedRows,
        deadline: float | None = None,
        tell: Callable[[str], None] = lambda doing: None,
    ) -> None:
        self.signed, self.scan = signed, signed.scan
        self.deadline, self.tell = deadline, tell
        self.scans = 0
        self.worth: Places = np.empty(0, np.int64)
        self.last: Suggestion | None = None

    def tick(self, doing: str) -> None:
        """Tell what is being done, and stop if the time is over."""
        self.tell(doing)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTimeError

    def lowest(self, weights: Vector, face: Face, scales: Vector | None = None) -> Lowest:
        """One scan."""
        self.scans += 1
        if scales is None:
            return self.scan.lowest(weights, face.out_of)
        low = self.scan.lowest(weights, face.out_of, scales)
        return low._replace(error=low.error * float(scales.max()) * (1.0 + CLOSE))

    def points(self, geometry: Geometry, face: Face, scales: Vector | None = None) -> Points:
        """Points to begin a search with: all rows if they are few, else those worth a look."""
        points = Points(self.signed, geometry, face.on_all, scales)
        inside = ~face.out_of if face.out_of.size else np.ones(self.signed.count, np.bool_)
        if self.signed.count * self.signed.dim <= ALL_AT_ONCE:
            points.add(np.flatnonzero(inside))
        else:
            points.add(self.worth[inside[self.worth]])
        if len(points.rows) == 0:
            points.add(np.flatnonzero(inside)[:1])
        return points

    def suggest(
        self,
        points: Points,
        face: Face,
        enough: Callable[[Suggestion, Lowest], bool] = lambda suggestion, low: False,
    ) -> Suggestion:
        """Search among more and more rows, until no scan finds a lower one or it is `enough`."""
        while True:
            self.tick("searching")
            found = self.last = points.suggest()
            if found.ended == ZERO:
                break
            low = self.lowest(found.weights, face, points.scales)
            if enough(found, low):
                break
            lower = low.scores < found.square * (1.0 - CLOSE)
            order = np.argsort(low.scores[lower])
            if not points.add(low.rows[lower][order]):
                break
        self.worth = np.unique(np.concatenate([self.worth, found.rows]))
        return found

    def settle(self, geometry: Geometry, face: Face, rows: Places, multipliers: Vector) -> Nearest:
        """The nearest point exactly, from a suggestion or from any rows at all."""

        def exactly(i: int) -> IntegerRow:
            return geometry.row(self.signed.row(i))

        return self._settle(geometry, face, exactly, rows, multipliers, self.violator)

    def settle_at_unit_length(self, rows: Places, multipliers: Vector, scales: Vector) -> Nearest:
        """The nearest point of the rows scaled to length 1, which are not rational: of rational
        ones that differ from them in some late bit. What it proves is worked out elsewhere.
        """
        bits = self.length_bits(rows)

        def scaled(i: int) -> IntegerRow:
            return to_unit(self.signed.row(i), bits)

        def violator(weights: Rational, face: Face, skip: set[int]) -> int | None:
            doubles = rounded(weights, self.scan.maxima)
            if doubles is None:
                return None
            self.scans += 1
            error = 2.0 * self.scan.error(doubles[0]) * float(scales.max())
            limit, most = doubles[1] + 2.0 * error, LOOKED_AT + len(skip)
            near = self.scan.smallest(doubles[0], limit, scales, most).places
            near = near[~np.isin(near, list(skip))][:LOOKED_AT]
            least, worst = 1 - Fraction(CLOSE), None
            self.signed.bring(near.tolist())
            for i in near.tolist():
                row = scaled(i)
                bottom = row.denominator * weights.denominator
                score = Fraction(dot(row, weights.numerators), bottom)
                if score < least:
                    least, worst = score, i
            return worst

        geometry = Geometry.plain(self.signed.dim)
        return self._settle(geometry, WHOLE, scaled, rows, multipliers, violator)

    def length_bits(self, rows: Places) -> int:
        """To how many bits lengths are made rational: more where entries are very small."""
        held = self.signed.integers(rows.tolist())
        return LENGTH_BITS + 2 * max(row.denominator.bit_length() for row in held)

    def _settle(
        self,
        geometry: Geometry,
        face: Face,
        exactly: Callable[[int], IntegerRow],
        rows: Places,
        multipliers: Vector,
        violator: Callable[[Rational, Face, set[int]], int | None],
    ) -> Nearest:
        corral = [int(i) for i in rows]
        lam = [Fraction(float(m)) for m in multipliers]
        self.signed.bring([*corral, *face.on_all])
        held = {i: exactly(i) for i in (*corral, *face.on_all)}
        while True:
            self.tick("solving exactly")
            fixed, moving = [held[i] for i in face.on_all], [held[i] for i in corral]
            found, apart = self._affine(fixed, moving)
            if found is None:
                # affinely dependent: p stays while the multipliers move, until a row drops out
                steps = [
                    (value / part, k)
                    for k, (value, part) in enumerate(zip(lam, apart, strict=True))
                    if part > 0
                ]
                theta, _ = min(steps)
                lam = [value - theta * part for value, part in zip(lam, apart, strict=True)]
            elif all(value > 0 for value in found.multipliers):
                found = found._replace(
                    rows=list(corral),
                    weights=None if found.weights is None else geometry.weights(found.weights),
                )
                if found.weights is None:
                    return found
                worst = violator(found.weights, face, set(corral))
                if worst is None:
                    return found
                held[worst] = exactly(worst)
                corral, lam = [*corral, worst], [*found.multipliers, Fraction(0)]
                continue
            else:
                pairs = list(zip(lam, found.multipliers, strict=True))
                theta = min(old / (old - new) if old else old for old, new in pairs if new <= 0)
                lam = [old + theta * (new - old) for old, new in pairs]
            kept = [k for k, value in enumerate(lam) if value > 0]
            corral, lam = [corral[k] for k in kept], [lam[k] for k in kept]

    def _affine(
        self, fixed: list[IntegerRow], moving: list[IntegerRow]
    ) -> tuple[Nearest | None, list[Fraction]]:
        """The point nearest to the origin in the affine hull of `moving`, plus span(fixed).

        None, and a direction that leaves every point of the hull in place, where the rows are
        affinely dependent.
        """
        rows, dim = [*fixed, *moving], self.signed.dim
        self._refuse_endless(rows)
        null = exact.null_vector(rows, dim, avoid=len(fixed))
        if null is not None:
            others, parts = null[: len(fixed)], null[len(fixed) :]
            total = sum(parts)
            if total == 0:
                return None, parts
            parts, others = [m / total for m in parts], [m / total for m in others]
            return Nearest([], parts, others, None, Fraction(0)), []
        targets = [0] * len(fixed) + [1] * len(moving)
        solved = exact.closest(rows, targets, dim)
        assert solved is not None  # independent rows have a regular matrix of inner products
        parts = solved.multipliers[len(fixed) :]
        total = sum(parts)
        square = 1 / Fraction(total)
        return Nearest(
            [],
            [m * square for m in parts],
            [m * square for m in solved.multipliers[: len(fixed)]],
            solved.weights,
            square,
        ), []

    def _refuse_endless(self, rows: list[IntegerRow]) -> None:
        """Do not begin a solve that would end after the time is over: it cannot be interrupted."""
        if self.deadline is None:
            return
        bits = max((value.bit_length() for row in rows[:SAMPLE] for value in row.values), default=1)
        if time.monotonic() + SOLVING * len(rows) ** 4 * bits > self.deadline:
            raise OutOfTimeError

    def violator(self, weights: Rational, face: Face, skip: set[int], least: int = 1) -> int | None:
        """The row that is furthest below z . w >= least, exactly; None if there is none.

        With least = 0 it is z . w > 0 that must hold.
        """
        near = self.near(weights, face, least)
        if isinstance(near, int):
            return near
        near = near[~np.isin(near, list(skip))]
        self.tick("checking rows exactly")
        needed = least * weights.denominator
        if not near.size:
            return None
        smallest = products.smallest(self.signed, near, weights.numerators)
        if smallest > needed or (smallest == needed and least):
            return None
        return products.worst(self.signed, near, weights.numerators)

    def near(self, weights: Rational, face: Face, least: int) -> int | Places:
        """A row that is certainly below, or all that are too close for doubles to tell."""
        inside = ~face.out_of if face.out_of.size else np.ones(self.signed.count, np.bool_)
        doubles = rounded(weights, self.scan.maxima)
        if doubles is None:
            return np.flatnonzero(inside)
        values, unit = doubles
        low = self.lowest(values, face)
        # twice the error of the sum is more than enough for the rounding of the weights
        error = 2.0 * low.error + SMALLEST * self.scan.total
        if not error < np.inf:
            return np.flatnonzero(inside)
        if low.score < least * unit - error:
            return low.row
        if low.score > least * unit + error or low.row < 0:
            return np.empty(0, np.int64)
        self.scans += 1
        return self.scan.up_to(least * unit + error, low, values, face.out_of)

    def separates(self, weights: Vector, face: Face) -> bool:
        """Whether z . w > 0 on every row of the face, for certain."""
        low = self.lowest(weights, face)
        if low.score > low.error or low.row < 0:
            return True
        if low.score < -low.error:
            return False
        return self.violator(as_rational(weights), face, set(), least=0) is None


def as_rational(weights: Vector) -> Rational:
    """Doubles as what they are."""
    return rational(weights.tolist())


def to_unit(row: IntegerRow, bits: int) -> IntegerRow:
    """The row at about unit length."""
    factor = unit_factor(row, bits)
    top = factor.numerator
    return IntegerRow(
        row.columns, [value * top for value in row.values], row.denominator * factor.denominator
    )
