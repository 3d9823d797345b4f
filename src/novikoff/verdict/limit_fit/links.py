"""Logarithms of chances with their slopes, as functions of a row's score: links and counts.

No chance is rounded to 0, however far a score is from what is likely.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr

from novikoff.verdict.scan import Vector

TINY = 1e-300  # as good as 0


class Slopes(NamedTuple):
    """A function at some points, with its first two derivatives."""

    value: Vector
    first: Vector
    second: Vector


def _mirrored(of: Slopes) -> Slopes:
    """The slopes in x of a function of -x."""
    return Slopes(of.value, -of.first, of.second)


def logit(x: Vector) -> tuple[Slopes, Slopes]:
    up, down = expit(x), expit(-x)
    return Slopes(log_expit(x), down, -up * down), Slopes(log_expit(-x), -up, -up * down)


def probit(x: Vector) -> tuple[Slopes, Slopes]:
    def below(x: Vector) -> Slopes:
        value = log_ndtr(x)
        first = np.exp(-0.5 * x * x - value) / np.sqrt(2.0 * np.pi)
        return Slopes(value, first, -first * np.maximum(x + first, 0.0))

    return below(x), _mirrored(below(-x))


def cloglog(x: Vector) -> tuple[Slopes, Slopes]:
    u = np.exp(x)
    first = np.where(u > 0.0, u / np.expm1(np.maximum(u, TINY)), 1.0)
    value = np.where(u > TINY, np.log(-np.expm1(-np.maximum(u, TINY))), x)
    return Slopes(value, first, first * np.minimum(1.0 - u - first, 0.0)), Slopes(-u, -u, -u)


def counts(x: Vector) -> tuple[Slopes, Slopes]:
    u = np.exp(x)
    return Slopes(x, np.ones_like(x), np.zeros_like(x)), Slopes(-u, -u, -u)


class IntervalSlopes(NamedTuple):
    """The logarithm of a chance, with its derivatives in s and t."""

    value: Vector
    in_s: Vector
    in_t: Vector
    in_ss: Vector
    in_tt: Vector
    in_st: Vector


def logit_intervals(s: Vector, t: Vector) -> IntervalSlopes:
    """log F(s) + log F(t) + log(1 - exp(-s - t))."""
    (first, second), gap = (logit(each)[0] for each in (s, t)), -np.expm1(-s - t)
    rise = np.exp(-s - t) / gap
    bend = -rise / gap
    return IntervalSlopes(
        first.value + second.value + np.log(gap),
        first.first + rise,
        second.first + rise,
        first.second + bend,
        second.second + bend,
        bend,
    )


def probit_intervals(s: Vector, t: Vector) -> IntervalSlopes:
    """F(s) - F(-t) = F(t) - F(-s), by the one of them that cancels less."""
    high, low = log_ndtr(np.minimum(s, t)), log_ndtr(-np.maximum(s, t))
    value = np.where(s + t > 0.0, high + np.log(-np.expm1(low - high)), -np.inf)
    f, g = (np.exp(-0.5 * x * x - value) / np.sqrt(2.0 * np.pi) for x in (s, t))
    return IntervalSlopes(value, f, g, -f * (s + f), -g * (t + g), -f * g)
