"""A run of passive-aggressive learning, update by update, held against its proof (Crammer et al.
2006; see `rules.passive_aggressive`).

With signed rows z, a target w*, a = min z . w* and u = w* / a, each row has z . u >= 1. An update
with loss l = 1 - z . w and step tau, w <- w + tau z, where tau |z|^2 <= l, makes

    |w_k - u|^2 <= |w_{k-1} - u|^2 - d,     d = tau (2 l - tau |z|^2) >= tau l
    |w_k|^2     <= |w_{k-1}|^2 + tau (2 - l)

and a mistake, for which l >= 1, has d >= c = min(cap, 1 / (D^2 + slack)). So after m mistakes

    m c  <=  sum of all d  <=  |w_0 - u|^2 - |w_k - u|^2  <=  |w_0 - u|^2

Steps are rounded quotients, so the run itself is not one of rational numbers, and is not followed
over them. The weights are the run's own doubles, and every figure comes with a bound on how far off
rounding can have made it; an inequality counts as broken only where that cannot explain it. With
|e| the rounding of an update and g as in `scan`, T = |w_k - u|^2 is above what is said here by

    2 tau (UNIT l + g |z| (|w_{k-1}| + |u|)) + 2 sqrt(T) |e| + 3 |e|^2

for each update at the most, the first part for score, loss, and a row that is rounded itself.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.learning.rules import PassiveAggressive
from novikoff.theory.trace.theorems.constants import TheoremConstants
from novikoff.theory.trace.theorems.inequalities import Checks, as_float
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.theory.trace.weights import ReplayedWeights
from novikoff.verdict.scan import SMALLEST, UNIT, Indices, Scan

Vector = npt.NDArray[np.float64]
SAFETY = 4.0  # for the roundings of the bounds themselves


class PassiveAggressiveConstants(NamedTuple):
    """The figures of the mistake bound, exactly."""

    by: TheoremConstants
    least: Fraction  # c, what a mistake takes off the distance

    @classmethod
    def of(cls, rule: PassiveAggressive, by: TheoremConstants) -> "PassiveAggressiveConstants":
        drop = 1 / (by.largest + Fraction(rule.slack)) if by.largest or rule.slack else Fraction(0)
        return cls(by, drop if math.isinf(rule.cap) else min(drop, Fraction(rule.cap)))

    @property
    def target(self) -> list[Fraction] | None:
        """u."""
        if self.by.target is None or self.by.least is None:
            return None
        return [each / self.by.least for each in self.by.target.fractions()]

    @property
    def first(self) -> Fraction | None:
        """|w_0 - u|^2."""
        by = self.by
        if by.target is None or by.least is None:
            return None
        return by.start.squared - 2 * by.product / by.least + by.target.squared / by.least**2

    @property
    def bound(self) -> int | None:
        """The most mistakes there can be."""
        return None if self.first is None else math.floor(self.first / self.least)


class PassiveAggressiveChecker:
    """Checks a run in floating point, over the rows that a scan passes over."""

    exact = False
    rounded = 0  # mistakes by rounding alone cannot be told here

    def __init__(
        self,
        scan: Scan,
        weights: ReplayedWeights,
        constants: PassiveAggressiveConstants,
        checks: Checks,
    ) -> None:
        self._weights, self._checks, self._squares = weights, checks, scan.squares
        self._start = weights.current.copy()
        self._start_square = float(self._start @ self._start)
        self._growth = (scan.steps + 8) * UNIT
        self._tiny = SMALLEST * (len(self._start) + scan.steps)
        self._bound, self._least = constants.bound, as_float(constants.least)
        target = constants.target
        self._separable = target is not None
        self._target = np.array([as_float(each) for each in target or ()])
        self._first = as_float(constants.first or Fraction(0))
        self._sums: dict[str, float] = {}
        self._ceiling, self._k = math.inf, 0

    def check(self, updates: UpdateBatch) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            return self._check(updates)

    def _check(self, updates: UpdateBatch) -> dict[str, Any]:
        k = np.arange(self._k + 1, self._k + 1 + len(updates.rows))
        self._k += len(k)
        before = self._weights.current.copy()
        after = self._weights.after(updates)
        sizes = np.sqrt(_squared(np.vstack([before, after])))
        step = _Steps(
            updates.amounts,
            1.0 - updates.scores,
            self._squares[updates.rows],
            sizes[:-1],
            sizes[1:],
        )
        square = _squared(after)
        _refuse_beyond_doubles(square, step.drop)
        lost = UNIT * (step.after + 3.0 * step.tau * step.length) + self._tiny  # |e|
        score = 2.0 * step.tau * (UNIT * step.loss + self._growth * step.length * step.before)
        table = {
            "score": updates.scores,
            "loss": step.loss,
            "step": step.tau,
            **self._norm(k, step, square, lost, score),
            "squared_distance": _squared(after - self._start),
            "ceiling": self._ceilings(k, step, lost, after),
            "drop": step.drop,
        }
        if not self._separable:
            return table
        return table | self._about_target(k, updates, step, lost, score, after)

    def _norm(
        self, k: Indices, step: "_Steps", square: Vector, lost: Vector, score: Vector
    ) -> dict[str, Any]:
        """|w_k|^2 <= |w_0|^2 + sum of tau (2 - l)."""
        terms = step.tau * (2.0 - step.loss)
        sizes = step.tau * (2.0 + step.loss)
        cap = self._start_square + self._sum("norm", terms)
        off = score + sizes * self._growth + (2.0 * step.after + 3.0 * lost) * lost
        off = self._sum("norm off", off) + (k + 8.0) * UNIT * self._sum("norm sizes", sizes)
        off += (len(self._start) + 8.0) * UNIT * (square + self._start_square)
        slack = self._checks.check_all("norm", k, cap - square, SAFETY * off)
        return {"squared_norm": square, "norm_cap": cap, "norm_slack": slack}

    def _ceilings(self, k: Indices, step: "_Steps", lost: Vector, after: Vector) -> Vector:
        """|sum of tau z| / (sum of tau), rounded up: no separator has a margin above it."""
        length = np.sqrt(_squared(after - self._start)) * (1.0 + (len(self._start) + 8) * UNIT)
        off = self._sum("lost", lost + self._growth * step.tau * step.length)
        total = self._sum("tau", step.tau)
        found = (length + SAFETY * off) / total * (1.0 + SAFETY * (k + 8.0) * UNIT)
        lowest: Vector = np.minimum.accumulate(np.append(self._ceiling, found))[1:]
        self._ceiling = float(lowest[-1]) if len(lowest) else self._ceiling
        return lowest

    def _about_target(
        self,
        k: Indices,
        updates: UpdateBatch,
        step: "_Steps",
        lost: Vector,
        score: Vector,
        after: Vector,
    ) -> dict[str, Any]:
        u, first = self._target, self._first
        size = float(np.sqrt(u @ u))
        distance = _squared(after - u)
        root = np.sqrt(distance)
        drops = self._sum("drops", step.drop)
        cap = first - drops
        sizes = step.tau * (2.0 * step.loss + step.tau * step.square)
        adding = ((k + 8.0) * UNIT + self._growth) * self._sum("sizes", sizes)
        row = 2.0 * step.tau * self._growth * step.length * size
        off = self._sum("off", score + row + (2.0 * root + 3.0 * lost) * lost)
        off += adding + 4.0 * UNIT * first + 2.0 * root * UNIT * size
        off = SAFETY * (off + (len(u) + 8.0) * UNIT * distance)
        mistakes = self._sum("mistakes", updates.mistakes.astype(np.float64))
        floor = mistakes * self._least
        off_floor = SAFETY * (adding + 4.0 * self._growth * floor)
        _refuse_beyond_doubles(distance, cap)
        checks = self._checks
        table = {
            "mistakes": mistakes.astype(np.int64),
            "to_target": distance,
            "to_target_cap": cap,
            "to_target_slack": checks.check_all("target", k, cap - distance, off),
            "drops": drops,
            "drops_floor": floor,
            "drops_slack": checks.check_all("floor", k, drops - floor, off_floor),
            "cosine": _cosine(after @ u, size * step.after),
            "cosine_floor": _cosine_floor(cap, size**2),
        }
        checks.check_all("drops", k, cap, off)
        self._within(k, mistakes, floor - first > off + off_floor)
        return table

    def _within(self, k: Indices, mistakes: Vector, crossed: npt.NDArray[np.bool_]) -> None:
        """m <= |w_0 - u|^2 / c, but for mistakes that rounding alone can have made."""
        if not len(k) or self._bound is None:
            return
        beyond = np.flatnonzero((mistakes > self._bound) & crossed)
        most = int(mistakes[beyond[0]]) if beyond.size else min(int(mistakes[-1]), self._bound)
        at = int(k[beyond[0]]) if beyond.size else int(k[int((mistakes == mistakes[-1]).argmax())])
        self._checks.check_bound(most, steps=len(k), at=at)

    def _sum(self, name: str, terms: Vector) -> Vector:
        """The sums so far."""
        sums: Vector = self._sums.get(name, 0.0) + np.cumsum(terms)
        self._sums[name] = float(sums[-1]) if len(sums) else self._sums.get(name, 0.0)
        return sums


class _Steps(NamedTuple):
    """Of each update: the step, the loss, |z|^2, and the lengths of the weights around it."""

    tau: Vector
    loss: Vector
    square: Vector
    before: Vector
    after: Vector

    @property
    def length(self) -> Vector:
        return np.sqrt(self.square)

    @property
    def drop(self) -> Vector:
        return self.tau * (2.0 * self.loss - self.tau * self.square)


def _refuse_beyond_doubles(*columns: Vector) -> None:
    if not all(np.isfinite(column).all() for column in columns):
        raise ParameterError(
            "the squares of this proof are beyond the range of doubles; scale the rows, or the"
            " start, and trace again"
        )


def _squared(lines: Vector) -> Vector:
    found: Vector = np.einsum("ij,ij->i", lines, lines)
    return found


def _cosine(products: Vector, sizes: Vector) -> Vector:
    return np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0.0).clip(-1, 1)


def _cosine_floor(cap: Vector, whole: float) -> Vector:
    """Whatever is within sqrt(cap) < |u| of u has cos(w, u) >= sqrt(1 - cap / |u|^2)."""
    return np.where(cap < whole, np.sqrt((1.0 - cap / whole).clip(0.0, 1.0)), -1.0)
