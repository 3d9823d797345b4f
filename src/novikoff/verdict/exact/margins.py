"""The figures of a certificate, exactly: a rounding filter decides all rows that it can, and exact
arithmetic the few that are left.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, cast

import numpy as np
from flint import fmpz_mat

from novikoff.learning.learner import norm
from novikoff.verdict.exact import dot_products
from novikoff.verdict.scan import HUGE, SMALLEST, TINY, UNIT, Indices, Signs, Vector
from novikoff.verdict.signed import (
    EXACT_INTEGERS,
    IntegerRow,
    Number,
    Signed,
    SignedRows,
    dense_values,
    dot,
    used_columns,
)

Terms = Sequence[tuple[int, Number]]  # rows and their multipliers

REGULAR = TINY, HUGE  # squares between these are right but for rounding
ROOT_BITS = 64  # of a row's length rounded down
SHORT_BITS = 32  # of a multiplier's denominator


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


def round_to_bits(values: Vector, bits: int = 31) -> Indices:
    """Values rounded to integers of this many bits, all times the same power of two."""
    largest = float(np.abs(values).max())
    return np.rint(np.ldexp(values, bits - int(np.frexp(largest)[1]))).astype(np.int64)


class FloatFilter(NamedTuple):
    """Weights w times some power of two, as doubles, and the error of any score z . w.

    error is infinite where doubles cannot decide.
    """

    weights: Vector
    error: float


def float_filter(signed: SignedRows, numerators: list[int]) -> FloatFilter:
    """Scale integer weights to doubles that give no row a score above 1 or so."""
    scan = signed.scan
    if max(map(abs, numerators)) < EXACT_INTEGERS and scan.maxima.max() < REGULAR[1]:
        weights = _scale_down(np.array(numerators, np.float64), scan.maxima)
    else:
        tops = [top if size else 0 for top, size in zip(numerators, scan.maxima, strict=True)]
        sizes = np.frexp(scan.maxima)[1].tolist()
        high = max((t.bit_length() + s for t, s in zip(tops, sizes, strict=True) if t), default=0)
        try:
            weights = np.array([t / (1 << high) if high > 0 else float(t << -high) for t in tops])
        except OverflowError:
            return FloatFilter(np.zeros(len(tops)), math.inf)
    # twice the error of the sum is more than enough for the rounding of the weights as well
    return FloatFilter(weights, 2.0 * scan.error(weights) + SMALLEST * scan.total * 2.0)


def _scale_down(weights: Vector, maxima: Vector) -> Vector:
    """Weights times a power of two, so that the largest |entry * weight| is about 1."""
    largest = float((np.abs(weights) * maxima).max())
    return weights * 2.0 ** -math.frexp(largest)[1] if largest >= 1.0 else weights


def lowest_score(signed: SignedRows, numerators: list[int]) -> Fraction:
    """The smallest z . w of all rows, w being integers."""
    near = _candidates(signed, numerators)
    if near is None:
        sieve = float_filter(signed, numerators)
        found = signed.scan.lowest(sieve.weights)
        limit = _next_above(found.score + 2.0 * sieve.error)
        near = signed.scan.rows_below(limit, found, sieve.weights)
    return dot_products.smallest(signed, near, numerators)


def _candidates(signed: SignedRows, numerators: list[int]) -> Indices | None:
    """The rows that can be the lowest; None if the columns' maxima are needed to tell, or are known
    already.
    """
    scan = signed.scan
    if "maxima" in vars(scan):
        return None
    high = max(map(abs, numerators)).bit_length()
    weights = np.array([top / (1 << high) for top in numerators])
    found = scan.rough_minimum(weights)
    # a rounded weight is off by half the smallest number or more, and an entry no longer than a row
    lost = SMALLEST * len(weights) * scan.radius if found.error < math.inf else math.inf
    limit = _next_above(found.score + 4.0 * (found.error + lost))
    near = scan.rows_below(limit, found, weights) if limit < math.inf else None
    few = dot_products.FEW + 4 * len(weights)  # as many as a support can have, and some more
    return near if near is not None and len(near) <= few else None


def _next_above(limit: float) -> float:
    """A limit that is safe from its own rounding; infinite if it is not a number."""
    return math.nextafter(limit, math.inf) if limit < math.inf else math.inf


def score_signs(signed: SignedRows, numerators: list[int]) -> Signs:
    """The sign of z . w for each row."""
    return np.concatenate(
        signed.map_pieces(_score_signs, float_filter(signed, numerators), numerators)
    )


def _score_signs(signed: Signed, sieve: FloatFilter, numerators: list[int]) -> Signs:
    scores = signed.scan.scores(sieve.weights)
    known = np.abs(scores) > sieve.error
    out = np.sign(np.where(known, scores, 0.0)).astype(np.int8)
    near = np.flatnonzero(~known)
    out[near] = dot_products.signs(signed, near, [numerators])[:, 0]
    return out


def lowest_squared_unit_score(signed: SignedRows, numerators: list[int]) -> Fraction:
    """The smallest (z . w)^2 / |z|^2, where all scores z . w are positive."""
    scan, sieve = signed.scan, float_filter(signed, numerators)
    regular = (scan.squares > REGULAR[0]) & (scan.squares < REGULAR[1])
    # |z . w - computed| <= growth |z| |w|: scaled, the error is the same for rows of any length;
    # four times that is more than enough for the roundings of weights, squares, roots and products
    growth = scan.steps * UNIT / (1.0 - scan.steps * UNIT)
    lost = SMALLEST * (scan.steps + scan.total + float(np.abs(sieve.weights).sum()))
    shortest = float(scan.squares.min(where=regular, initial=REGULAR[1])) ** 0.5
    with np.errstate(over="ignore"):
        error = 4.0 * (growth * norm(sieve.weights) + lost / shortest)
    scales = signed.inverse_lengths
    found = scan.lowest(sieve.weights, ~regular, scales)
    limit = found.score + 2.0 * error if sieve.error < math.inf and error < math.inf else math.inf
    near = scan.rows_below(_next_above(limit), found, sieve.weights, ~regular, scales)
    near = np.union1d(near, np.flatnonzero(~regular))  # those are looked at in any case
    return min(signed.map_subset(_lowest_squared, near, numerators))


def _lowest_squared(signed: Signed, rows: Indices, numerators: list[int]) -> Fraction:
    return min(_squared_unit_score(row, numerators) for row in _without_repeats(signed, rows))


def _squared_unit_score(row: IntegerRow, numerators: list[int]) -> Fraction:
    return Fraction(dot(row, numerators) ** 2, sum(value * value for value in row.values))


def _without_repeats(signed: Signed, rows: Indices) -> Iterator[IntegerRow]:
    """Yield these rows, consecutive equal ones once."""
    before = None
    for i in rows.tolist():
        row = signed.row(i)
        if row != before:
            yield row
        before = row


def radius_squared(signed: SignedRows) -> Fraction:
    """The largest |z|^2, or 1 with unit length."""
    if signed.unit_length:
        return Fraction(1)
    return dot_products.largest_square(signed, signed.scan.longest())


def combination_sum(signed: SignedRows, terms: Terms) -> Rational:
    """The sum of multiplier * z.

    Multipliers with short denominators, nearly all that a program suggests, are summed apart: over
    the common denominator of all they would be as long as the longest.
    """
    apart: tuple[list[tuple[int, Number]], ...] = [], []
    for term in sorted(terms):
        apart[term[1].as_integer_ratio()[1] >> SHORT_BITS > 0].append(term)
    sums: list[IntegerRow] = []
    for some in filter(None, apart):
        factors = rational(each for _, each in some)
        rows = np.array([i for i, _ in some], np.int64)
        for part in signed.map_paired(_piece_sum, rows, factors.numerators):
            sums.append(part._replace(denominator=part.denominator * factors.denominator))
    bottom = math.lcm(*(each.denominator for each in sums))
    total = [0] * signed.dim
    for each in sums:
        for column, value in zip(each.columns, each.values, strict=True):
            total[column] += value * (bottom // each.denominator)
    return Rational(total, bottom)


def _piece_sum(signed: Signed, indices: Indices, factors: Sequence[int]) -> IntegerRow:
    """The sum of factor * z over rows in memory."""
    fast = dot_products.sliced_sum(signed, indices, factors)
    if fast is not None:
        used = [column for column, value in enumerate(fast[0]) if value]
        return IntegerRow(used, [fast[0][column] for column in used], fast[1])
    rows = signed.integers(indices.tolist())
    bottom = math.lcm(*(row.denominator for row in rows))
    tops = [top * (bottom // row.denominator) for top, row in zip(factors, rows, strict=True)]
    used = used_columns(rows)
    if used and 4 * sum(len(row.columns) for row in rows) >= len(rows) * len(used):
        dense = fmpz_mat(1, len(rows), tops) * fmpz_mat([dense_values(row, used) for row in rows])
        return IntegerRow(used, [int(dense[0, k]) for k in range(len(used))], bottom)
    total = dict.fromkeys(used, 0)
    for top, row in zip(tops, rows, strict=True):
        for column, value in zip(row.columns, row.values, strict=True):
            total[column] += top * value
    return IntegerRow(used, list(total.values()), bottom)


def squared_margin_bound(signed: SignedRows, support: Terms) -> Fraction:
    """An upper bound on the squared margin, from rows with positive multipliers."""
    factors = rational(multiplier for _, multiplier in support)
    weight = Fraction(sum(factors.numerators), factors.denominator)
    if signed.unit_length:
        rows = np.array(sorted(i for i, _ in support), np.int64)
        multipliers = [multiplier for _, multiplier in sorted(support)]
        weight = sum(signed.map_paired(_weighted_lengths, rows, multipliers), Fraction(0))
    return combination_sum(signed, support).squared / weight**2


def _weighted_lengths(signed: Signed, indices: Indices, multipliers: Sequence[Number]) -> Fraction:
    """The sum of multiplier * |z|, with |z| rounded down as docs/certificate.md defines."""
    rows = map(signed.row, indices.tolist())
    parts = zip(multipliers, rows, strict=True)
    return sum((Fraction(each) * _length_below(row) for each, row in parts), Fraction(0))


def _length_below(row: IntegerRow) -> Fraction:
    """|z| rounded down to `ROOT_BITS` bits after the point."""
    square = Fraction(sum(value * value for value in row.values), row.denominator**2)
    a, b = square.as_integer_ratio()
    return Fraction(math.isqrt(a * b << 2 * ROOT_BITS), b << ROOT_BITS)


class Separation(NamedTuple):
    """The figures that a separator and a support, rows with multipliers, prove."""

    lower: Fraction  # of the squared margin
    upper: Fraction
    radius_squared: Fraction
    mistake_bound: int

    def figures(self) -> dict[str, Fraction | int | tuple[Fraction, Fraction]]:
        """The figures by their names in a certificate."""
        return {
            "margin_squared": (self.lower, self.upper),
            "radius_squared": self.radius_squared,
            "mistake_bound": self.mistake_bound,
        }


def separation(signed: SignedRows, weights: Iterable[Number], support: Terms) -> Separation | None:
    """The figures; None if some row is not strictly on its own side."""
    numerators = rational(weights).numerators
    least = lowest_score(signed, numerators)
    if least <= 0:
        return None
    square = lowest_squared_unit_score(signed, numerators) if signed.unit_length else least**2
    lower, radius = square / sum(top * top for top in numerators), radius_squared(signed)
    return Separation(lower, squared_margin_bound(signed, support), radius, radius // lower)
