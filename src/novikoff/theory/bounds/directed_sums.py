"""Sums and lengths of doubles, none of them rounded down."""

from novikoff.learning.learner import norm
from novikoff.verdict.exact.directed_rounding import up
from novikoff.verdict.scan import SMALLEST, UNIT, Vector


def sum_above(terms: Vector) -> float:
    """The sum of doubles of 0 or above, not rounded down, whatever the order of summation."""
    return up(float(terms.sum()) * (1.0 + 2.0 * len(terms) * UNIT))


def squares_above(terms: Vector) -> float:
    """The sum of the squares of doubles, not rounded down, though some may underflow."""
    total = float(terms @ terms) * (1.0 + 2.0 * (len(terms) + 2) * UNIT)
    return up(total + SMALLEST * len(terms))


def length_above(vector: Vector) -> float:
    """|vector|, not rounded down; 0 if it is."""
    grown = norm(vector) * (1.0 + 2.0 * (len(vector) + 8) * UNIT)
    return grown + 2.0 * SMALLEST if vector.any() else 0.0
