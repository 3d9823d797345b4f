"""Rows as integers."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class IntegerRow(NamedTuple):
    """A signed, lifted row z as integers: z[column] = value / denominator, 0 elsewhere."""

    columns: list[int]
    values: list[int]
    denominator: int


def unit_factor(row: IntegerRow, bits: int) -> Fraction:
    """1 / |row| to so many bits; 1 for a row of zeros."""
    square = sum(value * value for value in row.values)
    length = math.isqrt(square << 2 * bits)  # |row| * denominator * 2^bits
    return Fraction(row.denominator << bits, length) if length else Fraction(1)


def dot(row: IntegerRow, numerators: list[int]) -> int:
    """The row times its denominator, times a vector of integers."""
    return sum(value * numerators[column] for column, value in zip(*row[:2], strict=True))


def chunked(rows: npt.NDArray[np.int64], size: int) -> Iterator[npt.NDArray[np.int64]]:
    """Row numbers, at most `size` of them at a time."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
