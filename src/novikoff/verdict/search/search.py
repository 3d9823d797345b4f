"""The nearest point of the signed rows' hull: floating point suggests, the rationals decide.

On a face (rows on the boundary, spanned by a `basis`, lie on every hyperplane in question) the
point p of smallest norm in hull(other rows) + span(basis) decides: if p = 0, its multipliers are a
conflict; else w = p / |p|^2 has z . w >= 1 on every other row, and is the best there is.

    suggest        Wolfe's method on a few rows in floating point, more rows from each scan
    solve_exactly  Wolfe's method over the rationals, from the suggestion: usually one solve
    violator       one scan with rigorous errors; rows too close to tell are checked exactly
"""

import itertools
import time
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpz

from novikoff.verdict.exact import dot_products, linear_systems
from novikoff.verdict.exact.dense_system import is_lifted
from novikoff.verdict.exact.linear_systems import as_fraction
from novikoff.verdict.exact.margins import Rational, rational
from novikoff.verdict.program.program_split import ProgramSplit
from novikoff.verdict.program.row_generation import RowGeneration, is_long
from novikoff.verdict.program.split import Split
from novikoff.verdict.scan import NO_MASK, SMALLEST, Indices, LowestScores, Mask, Vector
from novikoff.verdict.search.min_norm_point import ZERO
from novikoff.verdict.search.points import ColumnScaling, Points, Suggestion, scaled_doubles
from novikoff.verdict.signed import LENGTH_BITS, IntegerRow, SignedRows, dot, unit_factor

SMALL_MATRIX = 100_000  # numbers in a matrix small enough to search as a whole
CLOSE = 1e-9  # relative
SOLVE_SECONDS, SAMPLE = 2e-12, 20  # of an exact solve, by rows^4 * bits; rows to find the bits in
FEW_STEPS = 3  # exact solves, before the next ones are done in some bits only
STEPS_IN_BITS, TIED = 1000, 64  # of those, at most; bits in which a score is 1 for them
MORE_BITS = 256  # than four times those of the rows
MOST_CHECKED = 200  # rows near the margin that are checked with their lengths made rational
MOST_EXACT = 20_000  # rows that are all checked so, where doubles cannot tell which are near


class OutOfTimeError(Exception):
    """The time limit ran out."""


class StalledError(Exception):
    """The suggestion was so far off that exact steps go on and on."""


class Face(NamedTuple):
    """Rows known to lie on every hyperplane that has no row on the wrong side."""

    basis: list[int]  # linearly independent ones, which span the others
    boundary: Mask  # all of them; empty if there are none

    def interior(self, count: int) -> Mask:
        """Which of all `count` rows are not on the boundary."""
        return ~self.boundary if self.boundary.size else np.ones(count, np.bool_)


ALL_ROWS = Face([], NO_MASK)


class NearestPoint(NamedTuple):
    """The nearest point, exactly: p = sum of multipliers * rows + sum of others * basis."""

    rows: list[int]
    multipliers: list[Fraction]  # positive, with sum 1
    others: list[Fraction]
    weights: Rational | None  # p / |p|^2 on the columns as given; None if p = 0
    square: Fraction  # |p|^2 in the scaling of the search


class _AffineMinimum(NamedTuple):
    """As `NearestPoint`, of an affine hull: multipliers of either sign, as FLINT's rationals."""

    multipliers: list[fmpq]
    others: list[fmpq]
    weights: Rational | None
    square: fmpq


class Search:
    """A search for the nearest point: counts its scans, observes a deadline, and remembers the
    rows that were active as candidates for the next search.
    """

    def __init__(
        self,
        signed: SignedRows,
        deadline: float | None = None,
        report: Callable[[str], None] = lambda doing: None,
    ) -> None:
        self.signed, self.scan = signed, signed.scan
        self.deadline, self.report = deadline, report
        self.scans = 0
        self.candidates: Indices = np.empty(0, np.int64)
        self.last_suggestion: Suggestion | None = None
        self._points: tuple[object, Points] | None = None  # of the last search, after its key

    def tick(self, doing: str) -> None:
        """Report what is being done; OutOfTimeError after the deadline."""
        self.report(doing)
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTimeError

    def split_by_program(self, pairs: list[tuple[int, int]]) -> Split | None:
        """The split by one linear program; None if what it suggests cannot be proven.

        pairs: identical rows of opposite labels.
        """
        if is_long(self.signed):
            split = RowGeneration(self.signed, self.tick, self.deadline).split(pairs)
        else:
            rows = self.signed.in_one_place()
            split = ProgramSplit(rows, self.tick, self.deadline).split(pairs)
        self.tick("the program has ended")
        return split

    def lowest(self, weights: Vector, face: Face, scales: Vector | None = None) -> LowestScores:
        """Scan the rows that are not on the boundary for the smallest scores."""
        self.scans += 1
        if scales is None:
            return self.scan.lowest(weights, face.boundary)
        low = self.scan.lowest(weights, face.boundary, scales)
        return low._replace(error=low.error * float(scales.max()) * (1.0 + CLOSE))

    def points(self, scaling: ColumnScaling, face: Face, scales: Vector | None = None) -> Points:
        """Points to start a search with: all rows if they are few, else the candidates."""
        key = (
            scaling.exponents.tobytes(),
            tuple(face.basis),
            np.packbits(face.boundary).tobytes(),
            scales is None,
        )
        if self._points is not None and key == self._points[0]:
            return self._points[1]  # the same question once more: on from its answer
        points = Points(self.signed, scaling, face.basis, scales)
        self._points = key, points
        inside = face.interior(self.signed.count)
        if self.signed.count * self.signed.dim <= SMALL_MATRIX:
            points.add(np.flatnonzero(inside))
        else:
            points.add(self.candidates[inside[self.candidates]])
        if len(points.rows) == 0:
            points.add(np.flatnonzero(inside)[:1])
        return points

    def suggest(
        self,
        points: Points,
        face: Face,
        enough: Callable[[Suggestion, LowestScores], bool] = lambda suggestion, low: False,
    ) -> Suggestion:
        """Search among more and more rows, until no scan finds a lower one or it is `enough`."""
        while True:
            self.tick("searching")
            found = self.last_suggestion = points.suggest()
            if found.status == ZERO:
                break
            low = self.lowest(found.weights, face, points.scales)
            if enough(found, low):
                break
            lower = low.scores < found.square * (1.0 - CLOSE)
            order = np.argsort(low.scores[lower])
            if not points.add(low.rows[lower][order]):
                break
        self.candidates = np.unique(np.concatenate([self.candidates, found.rows]))
        return found

    def solve_exactly(
        self,
        scaling: ColumnScaling,
        face: Face,
        rows: Indices,
        multipliers: Vector,
        most: int | None = None,
    ) -> NearestPoint:
        """The nearest point exactly, starting from a suggestion, or from any rows at all.

        most: of steps, each of them an exact solve; StalledError beyond.
        """

        def scaled(i: int) -> IntegerRow:
            return scaling.row(self.signed.row(i))

        return self._solve(scaling, face, scaled, rows, multipliers, self.violator, most)

    def solve_at_unit_length(
        self, rows: Indices, multipliers: Vector, scales: Vector
    ) -> NearestPoint:
        """The nearest point of the rows scaled to length 1. Such rows are not rational: it is that
        of rational rows which differ from them in some late bit, and proves nothing by itself.
        """
        bits = self.length_bits(rows)

        def scaled(i: int) -> IntegerRow:
            return scaled_to_unit(self.signed.row(i), bits)

        def violator(weights: Rational, face: Face, skip: set[int]) -> int | None:
            near = self._near_at_unit_length(weights, scales, len(skip))
            near = near[~np.isin(near, list(skip))]
            least, lowest = 1 - Fraction(CLOSE), None
            self.signed.prefetch(near.tolist())
            for i in near.tolist():
                row = scaled(i)
                bottom = row.denominator * weights.denominator
                score = Fraction(dot(row, weights.numerators), bottom)
                if score < least:
                    least, lowest = score, i
            return lowest

        scaling = ColumnScaling.identity(self.signed.dim)
        return self._solve(scaling, ALL_ROWS, scaled, rows, multipliers, violator)

    def _near_at_unit_length(self, weights: Rational, scales: Vector, skipped: int) -> Indices:
        """The rows that can have the smallest scores at unit length: as doubles see it, some; all,
        where they see nothing.
        """
        doubles = scaled_doubles(weights, self.scan.maxima)
        if doubles is not None:
            self.scans += 1
            with np.errstate(over="ignore", invalid="ignore"):
                error = 2.0 * self.scan.error(doubles[0]) * float(scales.max())
            if error < doubles[1]:
                limit, most = doubles[1] + 2.0 * error, MOST_CHECKED + skipped
                return self.scan.smallest(doubles[0], limit, scales, most).rows
        return np.arange(self.signed.count if self.signed.count <= MOST_EXACT else 0)

    def length_bits(self, rows: Indices) -> int:
        """The precision in bits of rational lengths: higher where entries are very small."""
        exact = self.signed.integers(rows.tolist())
        return LENGTH_BITS + 2 * max(row.denominator.bit_length() for row in exact)

    def _solve(
        self,
        scaling: ColumnScaling,
        face: Face,
        scaled: Callable[[int], IntegerRow],
        rows: Indices,
        multipliers: Vector,
        violator: Callable[[Rational, Face, set[int]], int | None],
        most: int | None = None,
    ) -> NearestPoint:
        """Wolfe's method over the rationals (see `min_norm_point`), from positive multipliers.

        Where the suggestion was so far off that many steps are to come, they are done in numbers
        of some hundred bits, which takes a tenth of the time; then the rationals go on from there.
        """
        active = [int(i) for i in rows]
        lam = [fmpq(*float(m).as_integer_ratio()) for m in multipliers]
        self.signed.prefetch([*active, *face.basis])
        exact = {i: scaled(i) for i in (*active, *face.basis)}
        bits: int | None = None
        for step in itertools.count():
            self.tick("solving exactly")
            if step == most:
                raise StalledError
            fixed, moving = [exact[i] for i in face.basis], [exact[i] for i in active]
            if step == FEW_STEPS:
                bits = MORE_BITS + 4 * _largest_bits([*fixed, *moving])
            elif step == FEW_STEPS + STEPS_IN_BITS:
                bits = None
            try:
                found, apart = self._affine_minimum(fixed, moving, bits)
            except ZeroDivisionError:  # too few bits
                assert bits is not None
                bits = None
                continue
            if found is not None and all(value > 0 for value in found.multipliers):
                weights = None if found.weights is None else scaling.weights(found.weights)
                joining = None if weights is None else violator(weights, face, set(active))
                if joining is not None:
                    exact[joining] = scaled(joining)
                    active, lam = [*active, joining], [*found.multipliers, fmpq(0)]
                elif bits is None:
                    parts, others = ([*map(as_fraction, each)] for each in found[:2])
                    square = as_fraction(found.square)
                    return NearestPoint(list(active), parts, others, weights, square)
                else:
                    bits, lam = None, found.multipliers
                continue
            lam = _moved(lam, apart if found is None else found.multipliers, found is None)
            kept = [k for k, value in enumerate(lam) if value > 0]
            active, lam = [active[k] for k in kept], [lam[k] for k in kept]
            if bits is not None:
                lam = linear_systems.rounded(lam, bits)
        raise AssertionError("unreachable")

    def _affine_minimum(
        self, fixed: list[IntegerRow], moving: list[IntegerRow], bits: int | None
    ) -> tuple[_AffineMinimum | None, list[fmpq]]:
        """The nearest point of the affine hull of `moving`, plus span(fixed).

        Where the rows are affinely dependent, None, and a change of the multipliers that leaves
        every point of the hull in place. bits: None for the exact result; else ZeroDivisionError if
        so many are too few.
        """
        rows, dim = [*fixed, *moving], self.signed.dim
        if bits is None:
            self.refuse_late_solve(rows)
        solver = linear_systems.Solver(lambda: self.tick("solving exactly"), bits)
        null = linear_systems.null_vector(rows, len(fixed), solver)
        if null is not None:
            others, parts = null[: len(fixed)], null[len(fixed) :]
            total = sum(parts, fmpq(0))
            if bits is not None and abs(total) * 2 ** (bits // 2) < max(map(abs, parts)):
                total = fmpq(0)
            if total == 0:
                return None, parts
            parts, others = [m / total for m in parts], [m / total for m in others]
            return _AffineMinimum(parts, others, None, fmpq(0)), []
        targets = [0] * len(fixed) + [1] * len(moving)
        solved = linear_systems.min_norm_solution(rows, targets, dim, solver)
        if solved is None:  # independent rows have a regular matrix of inner products
            raise ZeroDivisionError
        bottom = sum(solved.tops[len(fixed) :], fmpz(0))
        parts = [fmpq(top, bottom) for top in solved.tops]
        square = fmpq(solved.bottom, bottom)
        weights = solved.weights if bits is None else _longer(solved.weights)
        return _AffineMinimum(parts[len(fixed) :], parts[: len(fixed)], weights, square), []

    def refuse_late_solve(self, rows: list[IntegerRow]) -> None:
        """OutOfTimeError for a solve that cannot be stopped and would end after the deadline."""
        if self.deadline is None or is_lifted(len(rows), 2 * _largest_bits(rows[:SAMPLE])):
            return
        if time.monotonic() + solve_seconds(rows) > self.deadline:
            raise OutOfTimeError

    def violator(self, weights: Rational, face: Face, skip: set[int], least: int = 1) -> int | None:
        """The row that violates z . w >= least most, exactly; None if none does.

        With least = 0 it is z . w > 0 that must hold.
        """
        near = self.uncertain_rows(weights, face, least)
        if isinstance(near, int):
            return near
        near = near[~np.isin(near, list(skip))]
        self.tick("checking rows exactly")
        needed = least * weights.denominator
        if not near.size:
            return None
        smallest = dot_products.smallest(self.signed, near, weights.numerators)
        if smallest > needed or (smallest == needed and least):
            return None
        return dot_products.lowest_row(self.signed, near, weights.numerators)

    def uncertain_rows(self, weights: Rational, face: Face, least: int) -> int | Indices:
        """A row that certainly violates z . w >= least, or all rows that doubles cannot decide."""
        inside = face.interior(self.signed.count)
        doubles = scaled_doubles(weights, self.scan.maxima)
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
        return self.scan.rows_below(least * unit + error, low, values, face.boundary)

    def separates(self, weights: Vector, face: Face) -> bool:
        """Whether z . w > 0 on every row that is not on the boundary, for certain."""
        low = self.lowest(weights, face)
        if low.score > low.error or low.row < 0:
            return True
        if low.score < -low.error:
            return False
        return self.violator(as_rational(weights), face, set(), least=0) is None


def _moved(lam: list[fmpq], towards: list[fmpq], dependent: bool) -> list[fmpq]:
    """The multipliers moved towards others until one of them is 0, with which a row drops out.

    dependent: whether `towards` is a change instead that leaves every point in place, since the
    rows are affinely dependent: it is subtracted until then.
    """
    pairs = list(zip(lam, towards, strict=True))
    if dependent:
        theta = min(value / part for value, part in pairs if part > 0)
        return [value - theta * part for value, part in pairs]
    theta = min(old / (old - new) if old else old for old, new in pairs if new <= 0)
    return [old + theta * (new - old) for old, new in pairs]


def _longer(weights: Rational) -> Rational:
    """The weights times 1 + 2^-`TIED`, so that rounding makes no row a violator."""
    tops = [(top << TIED) + top for top in weights.numerators]
    return Rational(tops, weights.denominator << TIED)


def solve_seconds(rows: list[IntegerRow]) -> float:
    """About how long an exact solve of so many rows of such numbers takes."""
    return SOLVE_SECONDS * len(rows) ** 4 * _largest_bits(rows[:SAMPLE])


def _largest_bits(rows: list[IntegerRow]) -> int:
    return max((value.bit_length() for row in rows for value in row.values), default=1)


def as_rational(weights: Vector) -> Rational:
    """Doubles as the rational numbers that they are."""
    return rational(weights.tolist())


def scaled_to_unit(row: IntegerRow, bits: int) -> IntegerRow:
    """The row scaled to about unit length."""
    factor = unit_factor(row, bits)
    top = factor.numerator
    return IntegerRow(
        row.columns, [value * top for value in row.values], row.denominator * factor.denominator
    )
