"""Whether some hyperplane has rows on given sides: floating point suggests, integers decide.

The nearest point p of the hull of the signed rows (`verdict.nearest`) tells: if it is not zero, it
has all rows on their sides; if it is, a few rows cancel out with positive multipliers, and no
hyperplane has them on their sides. The first is checked for every row with a bound on the rounding
error, and in integers where that does not suffice; the second by solving for the multipliers over
the integers. Where floating point is of no help, `verdict.search` goes on over the rationals.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.rows import make_rows
from novikoff.theory.cover.integer_points import Lines, circuit
from novikoff.verdict.exact.margins import Rational, rational
from novikoff.verdict.scan import SMALLEST, UNIT, Signs, Vector
from novikoff.verdict.search.min_norm_point import ZERO, ActiveSet, nearest_point
from novikoff.verdict.search.points import ColumnScaling
from novikoff.verdict.search.search import ALL_ROWS, Search
from novikoff.verdict.signed import Signed


class Witness(NamedTuple):
    """On which side of a hyperplane each row is: bit i is for row i."""

    plus: int
    zero: int  # rows on the hyperplane itself


class SignConflict(NamedTuple):
    """Rows that no hyperplane has on these sides: on the positive one those of `plus`."""

    rows: int
    plus: int


class SignVectorOracle:
    """Rows as integers and as doubles.

    doubles[i, j] is level[i, j] = lines[i][j] / 2^(columns[j] + some k) rounded, at most 1: neither
    a row's length nor a column's unit matters to floating point.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.columns = [max(map(abs, column)).bit_length() for column in zip(*lines, strict=True)]
        self.level = np.array([self._normalized(line) for line in lines], object)
        self.doubles = self.level.astype(np.float64)
        self.sizes = np.abs(self.doubles)
        self.rounded = bool((self.level != self.doubles).any())

    def _normalized(self, line: list[int]) -> list[Fraction]:
        parts = list(zip(line, self.columns, strict=True))
        most = max(value.bit_length() - column for value, column in parts if value)
        return [Fraction(value) / Fraction(2) ** (column + most) for value, column in parts]

    def first(self) -> Witness:
        """A witness that has the first row on the negative side."""
        signs = [self._sign(line, [-value for value in self.lines[0]]) for line in self.lines]
        return _witness(np.array(signs, np.int8))

    def decide(self, size: int, labels: int) -> Witness | SignConflict:
        """Rows 0 to size - 1 with these labels: a hyperplane that has them so, or why none has."""
        signs = signs_of_bits(labels, size)
        active = nearest_point(self.doubles[:size] * signs[:, None])
        found = self._exact_conflict(active, signs) if active.status == ZERO else None
        return (
            found
            or self._exact_witness(active.point, size, labels)
            or self._decide_exactly(signs, labels)
        )

    def _exact_witness(self, weights: Vector, size: int, labels: int) -> Witness | None:
        """The weights as a witness, if they are one, exactly."""
        if not weights.any():
            return None
        weights = np.ldexp(weights, -int(np.frexp(np.abs(weights).max())[1]))
        scores = self.doubles @ weights
        # as many roundings as entries, and a few for the entries' own and those of this bound
        growth, dim = 2.0 * (len(weights) + 8) * UNIT, len(weights)
        error = growth * (self.sizes @ np.abs(weights)) + 4.0 * dim * SMALLEST
        signs = np.sign(scores).astype(np.int8)
        near = np.flatnonzero(~(np.abs(scores) > error))
        if near.size:
            exactly = self._in_lines(rational(weights.tolist()))
            signs[near] = [self._sign(self.lines[i], exactly) for i in near]
        found = _witness(signs)
        mask = (1 << size) - 1
        return found if not found.zero & mask and found.plus & mask == labels else None

    def _in_lines(self, weights: Rational) -> list[int]:
        """Weights on the levelled columns as weights on those of the lines."""
        most = max(self.columns)
        parts = zip(weights.numerators, self.columns, strict=True)
        return [top << (most - column) for top, column in parts]

    def _sign(self, line: list[int], weights: list[int]) -> int:
        score = sum(a * b for a, b in zip(line, weights, strict=True))
        return (score > 0) - (score < 0)

    def _exact_conflict(self, active: ActiveSet, signs: Vector) -> SignConflict | None:
        """The rows around the nearest point as a conflict, if they are one, exactly."""
        rows = active.indices.tolist()
        found = circuit([self.lines[i] for i in rows])
        if found is None:
            return None
        turned = {value > 0 for value in (found[k] * int(signs[rows[k]]) for k in found)}
        return _conflict([rows[k] for k in found], signs) if len(turned) == 1 else None

    def _decide_exactly(self, signs: Vector, labels: int) -> Witness | SignConflict:
        """Over the rationals."""
        size = len(signs)
        exact = self.level[:size] if self.rounded else None
        rows = make_rows(self.doubles[:size], False, False)
        search = Search(Signed(rows, signs.astype(np.int8), None, exact=exact))
        scaling = ColumnScaling.identity(len(self.columns))
        found = search.suggest(search.points(scaling, ALL_ROWS), ALL_ROWS)
        settled = search.solve_exactly(scaling, ALL_ROWS, found.rows, found.multipliers)
        if settled.weights is None:
            return _conflict(settled.rows, signs)
        weights = self._in_lines(settled.weights)
        return _witness(np.array([self._sign(line, weights) for line in self.lines], np.int8))


def signs_of_bits(labels: int, size: int) -> Vector:
    """The first bits of an integer as -1 and +1."""
    parts = np.frombuffer(labels.to_bytes(-(-size // 8), "little"), np.uint8)
    ones = np.unpackbits(parts, count=size, bitorder="little").astype(np.float64)
    return 2.0 * ones - 1.0


def _bits(which: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(which, bitorder="little").tobytes(), "little")


def _witness(signs: Signs) -> Witness:
    return Witness(_bits(signs > 0), _bits(signs == 0))


def _conflict(rows: list[int], signs: Vector) -> SignConflict:
    return SignConflict(sum(1 << i for i in rows), sum(1 << i for i in rows if signs[i] > 0.0))
