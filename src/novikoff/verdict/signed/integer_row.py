"""Rows as integers."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from novikoff.verdict.scan import Indices

Number = int | float | Fraction


class IntegerRow(NamedTuple):
    """A signed, lifted row z as integers: z[column] = value / denominator, 0 elsewhere."""

    columns: list[int]
    values: list[int]
    denominator: int


def unit_factor(row: IntegerRow, bits: int) -> Fraction:
    """1 / |row| to this many bits; 1 for a row of zeros."""
    square = sum(value * value for value in row.values)
    length = math.isqrt(square << 2 * bits)  # |row| * denominator * 2^bits
    return Fraction(row.denominator << bits, length) if length else Fraction(1)


def dot(row: IntegerRow, numerators: list[int]) -> int:
    """The row times its denominator, times a vector of integers."""
    return sum(value * numerators[column] for column, value in zip(*row[:2], strict=True))


def used_columns(rows: Iterable[IntegerRow]) -> list[int]:
    """The columns that any of the rows uses, ascending."""
    return sorted({column for row in rows for column in row.columns})


def dense_values(row: IntegerRow, columns: Iterable[int]) -> list[int]:
    """The row's values in these columns, zeros included."""
    values = dict(zip(row.columns, row.values, strict=True))
    return [values.get(column, 0) for column in columns]


def chunked(rows: Indices, size: int) -> Iterator[Indices]:
    """Yield consecutive parts of at most `size` row numbers."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
