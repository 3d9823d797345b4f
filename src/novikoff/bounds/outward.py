"""Doubles rounded to the side on which what is said of them stays true."""

import math
from fractions import Fraction

import numpy as np

from novikoff.learn import norm
from novikoff.scan import SMALLEST, UNIT, Vector
from novikoff.verdict.result import root

__all__ = ["above", "below", "length_above", "root", "squares_above", "sum_above", "up"]


def up(number: float) -> float:
    """The next double: above the exact result of the operation that gave this one."""
    return math.nextafter(number, math.inf)


def above(number: Fraction) -> float:
    """The least double that is not below the number.

    >>> above(Fraction(1, 2)), above(Fraction(1, 3)) > Fraction(1, 3)
    (0.5, True)
    """
    try:
        found = float(number)
    except OverflowError:
        return math.inf if number > 0 else -np.finfo(float).max
    return up(found) if found < math.inf and Fraction(found) < number else found


def below(number: Fraction) -> float:
    """The largest double that is not above the number."""
    return -above(-number)


def sum_above(terms: Vector) -> float:
    """The sum of doubles of 0 or above, not rounded down, whatever the order of summation."""
    return up(float(terms.sum()) * (1.0 + 2.0 * len(terms) * UNIT))


def squares_above(terms: Vector) -> float:
    """The sum of their squares, not rounded down, though some may underflow."""
    total = float(terms @ terms) * (1.0 + 2.0 * (len(terms) + 2) * UNIT)
    return up(total + SMALLEST * len(terms))


def length_above(vector: Vector) -> float:
    """|vector|, not rounded down; 0 if it is."""
    grown = norm(vector) * (1.0 + 2.0 * (len(vector) + 8) * UNIT)
    return grown + 2.0 * SMALLEST if vector.any() else 0.0
