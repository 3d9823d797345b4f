"""The figures of a certificate, exactly: a rounding filter decides all rows that it can, and exact
arithmetic the few that are left.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from novikoff import products
from novikoff.learn import norm
from novikoff.scan import HUGE, SMALLEST, TINY, UNIT, Vector
from novikoff.signed import EXACT_INTEGERS, IntegerRow, Signed, SignedRows, dot

Number = int | float | Fraction
Places = npt.NDArray[np.int64]
Terms = Sequence[tuple[int, Number]]  # rows and their multipliers

REGULAR = TINY, HUGE  # squares between these are right but for rounding
ROOT_BITS = 64  # of a row's length rounded down


class Rational(NamedTuple):
    """A vector of rational numbers over one positive denominator."""

    numerators: list[int]
    denominator: int

    @property
    def squared(self) -> Fraction:
        return Fraction(sum(top * top for top in self.numerators), self.denominator**2)

    def fractions(self) -> list[Fraction]:
        return [Fraction(top, self.denominator) for top in self.numerators]


def rational(vector: Iterable[Number]) -> Rational:
    """Numbers over their least common denominator."""
    numbers = list(vector)
    if set(map(type, numbers)) == {int}:
        return Rational(cast(list[int], numbers), 1)
    ratios = [number.as_integer_ratio() for number in numbers]
    bottom = math.lcm(*{ratio[1] for ratio in ratios})
    return Rational([top * (bottom // each) for top, each in ratios], bottom)


class Filter(NamedTuple):
    """z . w for all rows but for rounding: w times some power of two, and how far off it can be.

    error is infinite where doubles can tell nothing.
    """

    weights: Vector
    error: float


def filtered(signed: SignedRows, numerators: list[int]) -> Filter:
    """Integer weights as doubles that give no row a score above 1 or so."""
    scan = signed.scan
    if max(map(abs, numerators)) < EXACT_INTEGERS and scan.maxima.max() < REGULAR[1]:
        weights = _level(np.array(numerators, np.float64), scan.maxima)
    else:
        tops = [top if size else 0 for top, size in zip(numerators, scan.maxima, strict=True)]
        sizes = np.frexp(scan.maxima)[1].tolist()
        high = max((t.bit_length() + s for t, s in zip(tops, sizes, strict=True) if t), default=0)
        try:
            weights = np.array([t / (1 << high) if high > 0 else float(t << -high) for t in tops])
        except OverflowError:
            return Filter(np.zeros(len(tops)), math.inf)
    # twice the error of the sum is more than enough for the rounding of the weights as well
    return Filter(weights, 2.0 * scan.error(weights) + SMALLEST * scan.total * 2.0)


def _level(weights: Vector, maxima: Vector) -> Vector:
    """Weights times a power of two, so that the largest |entry * weight| is about 1."""
    largest = float((np.abs(weights) * maxima).max())
    return weights * 2.0 ** -math.frexp(largest)[1] if largest >= 1.0 else weights


def lowest(signed: SignedRows, numerators: list[int]) -> Fraction:
    """The smallest z . w of all rows, w being integers."""
    near = _near_at_first_sight(signed, numerators)
    if near is None:
        sieve = filtered(signed, numerators)
        found = signed.scan.lowest(sieve.weights)
        near = signed.scan.up_to(_above(found.score + 2.0 * sieve.error), found, sieve.weights)
    return products.smallest(signed, near, numerators)


def _near_at_first_sight(signed: SignedRows, numerators: list[int]) -> Places | None:
    """The rows that can be the lowest; None if it takes the columns' maxima to tell, or if those
    are known already.
    """
    scan = signed.scan
    if "maxima" in vars(scan):
        return None
    high = max(map(abs, numerators)).bit_length()
    weights = np.array([top / (1 << high) for top in numerators])
    found = scan.look(weights)
    # a rounded weight is off by half the smallest number or more, and an entry no longer than a row
    lost = SMALLEST * len(weights) * scan.radius if found.error < math.inf else math.inf
    limit = _above(found.score + 4.0 * (found.error + lost))
    near = scan.up_to(limit, found, weights) if limit < math.inf else None
    few = products.FEW + 4 * len(weights)  # as many as a support can have, and some more
    return near if near is not None and len(near) <= few else None


def _above(limit: float) -> float:
    """A limit that is safe from its own rounding; infinite if it is not a number."""
    return math.nextafter(limit, math.inf) if limit < math.inf else math.inf


def score_signs(signed: SignedRows, numerators: list[int]) -> npt.NDArray[np.int8]:
    """The sign of z . w for each row."""
    return np.concatenate(signed.each(_score_signs, filtered(signed, numerators), numerators))


def _score_signs(signed: Signed, sieve: Filter, numerators: list[int]) -> npt.NDArray[np.int8]:
    scores = signed.scan.scores(sieve.weights)
    known = np.abs(scores) > sieve.error
    out = np.sign(np.where(known, scores, 0.0)).astype(np.int8)
    near = np.flatnonzero(~known)
    out[near] = products.signs(signed, near, [numerators])[:, 0]
    return out


def lowest_square(signed: SignedRows, numerators: list[int]) -> Fraction:
    """The smallest (z . w)^2 / |z|^2, where all scores are positive."""
    scan, sieve = signed.scan, filtered(signed, numerators)
    regular = (scan.squares > REGULAR[0]) & (scan.squares < REGULAR[1])
    # |z . w - computed| <= growth |z| |w|: scaled, the error is the same for rows of any length;
    # four times that is more than enough for the roundings of weights, squares, roots and products
    growth = scan.steps * UNIT / (1.0 - scan.steps * UNIT)
    lost = SMALLEST * (scan.steps + scan.total + float(np.abs(sieve.weights).sum()))
    shortest = float(scan.squares.min(where=regular, initial=REGULAR[1])) ** 0.5
    with np.errstate(over="ignore"):
        error = 4.0 * (growth * norm(sieve.weights) + lost / shortest)
    found = scan.lowest(sieve.weights, ~regular, signed.to_unit)
    limit = found.score + 2.0 * error if sieve.error < math.inf and error < math.inf else math.inf
    near = scan.up_to(_above(limit), found, sieve.weights, ~regular, signed.to_unit)
    near = np.union1d(near, np.flatnonzero(~regular))  # the others are looked at anyway
    return min(signed.spread(_least_squared, near, numerators))


def _least_squared(signed: Signed, places: Places, numerators: list[int]) -> Fraction:
    return min(_squared(row, numerators) for row in _different(signed, places))


def _squared(row: IntegerRow, numerators: list[int]) -> Fraction:
    return Fraction(dot(row, numerators) ** 2, sum(value * value for value in row.values))


def _different(signed: Signed, places: Places) -> Iterator[IntegerRow]:
    """These rows, most of the repeated ones only once."""
    before = None
    for i in places.tolist():
        row = signed.row(i)
        if row != before:
            yield row
        before = row


def radius_squared(signed: SignedRows) -> Fraction:
    """The largest |z|^2, or 1 with unit length."""
    if signed.unit_length:
        return Fraction(1)
    return products.largest_square(signed, signed.scan.longest())


def summed(signed: SignedRows, terms: Terms) -> Rational:
    """The sum of multiplier * z."""
    factors = rational(each for _, each in sorted(terms))
    places = np.array(sorted(i for i, _ in terms), np.int64)
    sums = signed.spread(_summed, places, beside=factors.numerators) if terms else []
    bottom = math.lcm(*(each.denominator for each in sums))
    total = [0] * signed.dim
    for each in sums:
        for column, value in zip(each.columns, each.values, strict=True):
            total[column] += value * (bottom // each.denominator)
    return Rational(total, bottom * factors.denominator)


def _summed(signed: Signed, places: Places, wholes: list[int]) -> IntegerRow:
    """The sum of whole * z, of rows in memory."""
    fast = products.combined(signed, places, wholes)
    if fast is not None:
        used = [column for column, value in enumerate(fast[0]) if value]
        return IntegerRow(used, [fast[0][column] for column in used], fast[1])
    rows = signed.integers(places.tolist())
    bottom = math.lcm(*(row.denominator for row in rows))
    wholes = [top * (bottom // row.denominator) for top, row in zip(wholes, rows, strict=True)]
    used = sorted({column for row in rows for column in row.columns})
    if used and 4 * sum(len(row.columns) for row in rows) >= len(rows) * len(used):
        dense = fmpz_mat(1, len(rows), wholes) * fmpz_mat([line(row, used) for row in rows])
        return IntegerRow(used, [int(dense[0, k]) for k in range(len(used))], bottom)
    total = dict.fromkeys(used, 0)
    for whole, row in zip(wholes, rows, strict=True):
        for column, value in zip(row.columns, row.values, strict=True):
            total[column] += whole * value
    return IntegerRow(used, list(total.values()), bottom)


def line(row: IntegerRow, used: list[int]) -> list[int]:
    """The row in the columns that are used, dense."""
    values = dict(zip(row.columns, row.values, strict=True))
    return [values.get(column, 0) for column in used]


def margin_above(signed: SignedRows, support: Terms) -> Fraction:
    """An upper bound on the squared margin, from rows with positive multipliers."""
    factors = rational(multiplier for _, multiplier in support)
    weight = Fraction(sum(factors.numerators), factors.denominator)
    if signed.unit_length:
        places = np.array(sorted(i for i, _ in support), np.int64)
        multipliers = [multiplier for _, multiplier in sorted(support)]
        weight = sum(signed.spread(_lengths_below, places, beside=multipliers), Fraction(0))
    return summed(signed, support).squared / weight**2


def _lengths_below(signed: Signed, places: Places, multipliers: list[Number]) -> Fraction:
    """The sum of multiplier * |z|, rounded down as the page has it."""
    rows = map(signed.row, places.tolist())
    parts = zip(multipliers, rows, strict=True)
    return sum((Fraction(each) * _length_below(row) for each, row in parts), Fraction(0))


def _length_below(row: IntegerRow) -> Fraction:
    """|z| rounded down, as the page has it."""
    square = Fraction(sum(value * value for value in row.values), row.denominator**2)
    a, b = square.as_integer_ratio()
    return Fraction(math.isqrt(a * b << 2 * ROOT_BITS), b << ROOT_BITS)


class Separation(NamedTuple):
    """What follows from a separator and multipliers of some rows."""

    lower: Fraction  # of the squared margin
    upper: Fraction
    radius_squared: Fraction
    mistake_bound: int

    def figures(self) -> dict[str, Any]:
        """By their names in a certificate."""
        return {
            "margin_squared": (self.lower, self.upper),
            "radius_squared": self.radius_squared,
            "mistake_bound": self.mistake_bound,
        }


def separation(signed: SignedRows, weights: Iterable[Number], support: Terms) -> Separation | None:
    """The figures, or None if some row is not strictly on its own side."""
    numerators = rational(weights).numerators
    least = lowest(signed, numerators)
    if least <= 0:
        return None
    square = lowest_square(signed, numerators) if signed.unit_length else least**2
    lower, radius = square / sum(top * top for top in numerators), radius_squared(signed)
    return Separation(lower, margin_above(signed, support), radius, radius // lower)
