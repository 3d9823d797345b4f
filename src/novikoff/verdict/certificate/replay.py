"""Replays a run of the perceptron in exact arithmetic: which updates really were mistakes, where it
ended, and how many mistakes the convergence theorem allows.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import add, mul
from typing import NamedTuple

from novikoff.learning.rules import TIES, Tie
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.margins import Rational, rational
from novikoff.verdict.signed import IntegerRow, Number, SignedRows, dense_values


class ReplayedRun(NamedTuple):
    """The result of a replay."""

    weights: list[Fraction]
    rounded: list[int]  # which updates were mistakes only by the run's rounding
    separates: bool
    mistake_bound: int | None  # None where the theorem says nothing of this run


def replay(
    signed: SignedRows, start: Sequence[Number], eta: Number, tie: str, updates: Sequence[int]
) -> ReplayedRun:
    """Replay updates by eta * z at these rows, in this order, from `start`."""
    *first, step = rational([*start, eta]).numerators
    unit = rational([*start, eta]).denominator
    weights, rounded = _replay_updates(signed, Rational(first, unit), step, TIES[tie], updates)
    least = margins.lowest_score(signed, weights.numerators) / weights.denominator
    bound = None
    if least > 0 and not rounded:
        bound = most_mistakes(signed, Rational(first, unit), Fraction(eta), weights, least)
    return ReplayedRun(weights.fractions(), rounded, least > 0, bound)


def _replay_updates(
    signed: SignedRows,
    start: Rational,
    step: int,
    tie: Tie,
    updates: Sequence[int],
) -> tuple[Rational, list[int]]:
    """The last weights, and which updates were no mistakes; step = eta * start.denominator."""
    distinct = sorted(set(updates))
    rows = dict(zip(distinct, signed.integers(distinct), strict=True))
    scale = math.lcm(*{row.denominator for row in rows.values()})
    w, rounded = [top * scale for top in start.numerators], []
    moves = {
        i: _UpdateStep(row, step * (scale // row.denominator), len(w)) for i, row in rows.items()
    }
    for k, i in enumerate(updates):
        score = moves[i].score(w)
        loses = tie.positive_loses if signed.signs[i] > 0 else tie.negative_loses
        if score > 0 or (score == 0 and not loses):
            rounded.append(k)
        moves[i].apply(w)
    return Rational(w, start.denominator * scale), rounded


class _UpdateStep:
    """A row, and the row times a factor, dense or sparse, whichever is faster."""

    def __init__(self, row: IntegerRow, factor: int, dim: int) -> None:
        self.columns, self.values = row.columns, row.values
        self.dense = 2 * len(row.columns) > dim
        if self.dense:
            self.values = dense_values(row, range(dim))
        self.steps = [factor * value for value in self.values]

    def score(self, w: list[int]) -> int:
        """The row times the weights."""
        weights = w if self.dense else [w[column] for column in self.columns]
        return sum(map(mul, weights, self.values))

    def apply(self, w: list[int]) -> None:
        """Add the row times the factor to the weights."""
        if self.dense:
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
    growth = weights.squared * eta**2 * margins.radius_squared(signed)
    A, B = (eta * least) ** 2, growth - 2 * eta * least * inner
    C = weights.squared * start.squared - inner**2
    (a, b, c), _ = rational([A, B, C])
    return (b + math.isqrt(b * b + 4 * a * c)) // (2 * a)
