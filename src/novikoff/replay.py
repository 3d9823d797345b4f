"""A run of the perceptron once more, in exact arithmetic: which updates really were mistakes, where
it ended, and how many mistakes the convergence theorem allows it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import add, mul
from typing import NamedTuple

from novikoff import figures
from novikoff.figures import Number, Rational, rational
from novikoff.signed import IntegerRow, SignedRows

#: Whether a score of 0 is a mistake at a negative row, and at a positive one.
TIES = {
    "mistake": (True, True),
    "positive": (True, False),
    "negative": (False, True),
    "keep": (False, False),
}


class Run(NamedTuple):
    """What a replay finds."""

    weights: list[Fraction]
    rounded: list[int]  # the places of updates that were no mistakes but for the run's rounding
    separates: bool
    mistake_bound: int | None  # None where the theorem says nothing of this run


def replay(
    signed: SignedRows, start: Sequence[Number], eta: Number, tie: str, updates: Sequence[int]
) -> Run:
    """Move from `start` at these rows, in this order, by eta * z each."""
    *first, step = rational([*start, eta]).numerators
    unit = rational([*start, eta]).denominator
    weights, rounded = _moved(signed, Rational(first, unit), step, TIES[tie], updates)
    least = figures.lowest(signed, weights.numerators) / weights.denominator
    bound = None
    if least > 0 and not rounded:
        bound = most_mistakes(signed, Rational(first, unit), Fraction(eta), weights, least)
    return Run(weights.fractions(), rounded, least > 0, bound)


def _moved(
    signed: SignedRows,
    start: Rational,
    step: int,
    at_zero: tuple[bool, bool],
    updates: Sequence[int],
) -> tuple[Rational, list[int]]:
    """The last weights, and the places that were no mistakes; step = eta * start.denominator."""
    places = sorted(set(updates))
    rows = dict(zip(places, signed.integers(places), strict=True))
    scale = math.lcm(*{row.denominator for row in rows.values()})
    w, rounded = [top * scale for top in start.numerators], []
    moves = {i: _Move(row, step * (scale // row.denominator), len(w)) for i, row in rows.items()}
    for place, i in enumerate(updates):
        score = moves[i].score(w)
        if score > 0 or (score == 0 and not at_zero[bool(signed.signs[i] > 0)]):
            rounded.append(place)
        moves[i].apply(w)
    return Rational(w, start.denominator * scale), rounded


class _Move:
    """A row and the same row times a factor, as lists that fit all the weights or some of them."""

    def __init__(self, row: IntegerRow, factor: int, dim: int) -> None:
        self.columns, self.values = row.columns, row.values
        self.whole = 2 * len(row.columns) > dim
        if self.whole:
            self.values = [0] * dim
            for column, value in zip(row.columns, row.values, strict=True):
                self.values[column] = value
        self.steps = [factor * value for value in self.values]

    def score(self, w: list[int]) -> int:
        met = w if self.whole else [w[column] for column in self.columns]
        return sum(map(mul, met, self.values))

    def apply(self, w: list[int]) -> None:
        if self.whole:
            w[:] = map(add, w, self.steps)
        else:
            for column, step in zip(self.columns, self.steps, strict=True):
                w[column] += step


def most_mistakes(
    signed: SignedRows, start: Rational, eta: Fraction, weights: Rational, least: Fraction
) -> int:
    """The largest k with k eta a + start.w <= |w| sqrt(|start|^2 + k eta^2 D^2), a = least > 0.

    Squared, that is A k^2 - B k - C <= 0 with A > 0 and C >= 0 (Cauchy and Schwarz), so k is the
    larger root, rounded down. Where the left side is negative, k is below that root all the more.
    """
    tops = sum(map(mul, start.numerators, weights.numerators))
    inner = Fraction(tops, start.denominator * weights.denominator)
    growth = weights.squared * eta**2 * figures.radius_squared(signed)
    A, B = (eta * least) ** 2, growth - 2 * eta * least * inner
    C = weights.squared * start.squared - inner**2
    (a, b, c), _ = rational([A, B, C])
    return (b + math.isqrt(b * b + 4 * a * c)) // (2 * a)
