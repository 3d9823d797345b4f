"""A run of the perceptron, update by update, over the rationals.

    w_k . w*      = w_{k-1} . w* + eta z . w*
    |w_k|^2       = |w_{k-1}|^2 + 2 eta z . w_{k-1} + eta^2 |z|^2
    |w_k - w_0|^2 = |w_{k-1} - w_0|^2 + 2 eta z . (w_{k-1} - w_0) + eta^2 |z|^2

All are integers over denominators that are never reduced: greatest common divisors would take most
of the time. Where two sides of an inequality differ by more than their rounding as doubles, that
decides; where not, they are compared as they are.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from operator import add, mul
from typing import Any, NamedTuple

import numpy as np

from novikoff.theory.trace.theorems.constants import TheoremConstants
from novikoff.theory.trace.theorems.inequalities import Checks, as_float, cosine_floor
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.verdict.exact.directed_rounding import ratio, root
from novikoff.verdict.signed import Signed, dense_values

TINY = 1e-290  # below it doubles have fewer digits
CANCELLED = 1e-6  # a sum so much smaller than its parts has lost digits
CLEAR = 1e-12  # doubles that are right but for their last bits and differ by more than this, differ


COLUMNS = (
    "score",
    "squared_norm",
    "squared_distance",
    "norm_cap",
    "norm_slack",
    "upper",
    "upper_slack",
    "ceiling",
)
ABOUT_TARGET = (
    "target_product",
    "target_floor",
    "target_slack",
    "cosine",
    "cosine_floor",
    "lower",
    "lower_slack",
)


class _Row(NamedTuple):
    """A row's own figures, over powers of its denominator."""

    values: list[int]
    denominator: int
    square: int  # over denominator^2
    product: int  # with the target, over denominator * the target's
    first: int  # with the start, over denominator * the start's


class ExactPerceptronChecker:
    """Checks a run exactly; `rounded` counts the updates that were mistakes for its rounding alone.

    With `over` the weights' denominator, the squares here are over its square, and the product with
    the target over its own and the target's.
    """

    exact = True

    def __init__(self, signed: Signed, constants: TheoremConstants, checks: Checks) -> None:
        self._signed, self._by, self._checks = signed, constants, checks
        self._rows: dict[int, _Row] = {}
        self._weights = list(constants.start.numerators)
        self._over = self._first_over = constants.start.denominator
        self._square = sum(map(mul, self._weights, self._weights))
        self._product = self._first_product = self._with_target(self._weights)
        self._distance = 0
        self._excess = Fraction(0)
        self._ceiling, self._k = math.inf, 0
        self.rounded = 0

    @cached_property
    def _floats(self) -> dict[str, float]:
        """Figures of the theorem as doubles."""
        by = self._by
        return {
            "first_square": as_float(by.start.squared),
            "growth": as_float(by.eta * by.step),
            "B": as_float(by.B),
            "A": as_float(by.A or 0),
            "first_product": ratio(self._first_product, self._first_over * self._bottom),
            "gain": as_float(by.eta * by.least) if by.least is not None else 0.0,
            "size": root(by.target.squared, up=True) if by.target is not None else 0.0,
        }

    @property
    def _bottom(self) -> int:
        return 1 if self._by.target is None else self._by.target.denominator

    def check(self, updates: UpdateBatch) -> dict[str, Any]:
        found = [self._step(int(i)) for i in updates.rows]
        names = COLUMNS if self._by.target is None else COLUMNS + ABOUT_TARGET
        return {name: np.array([line[name] for line in found], float) for name in names}

    def _step(self, i: int) -> dict[str, float]:
        eta, row = self._by.eta, self._row(i)
        self._rescale(row.denominator * eta.denominator)
        part = eta.numerator * (self._over // (row.denominator * eta.denominator))
        top = sum(map(mul, row.values, self._weights))  # the score, over denominator * over
        score = ratio(top, row.denominator * self._over)
        if top > 0 and score >= as_float(self._by.slack):
            over = Fraction(top, row.denominator * self._over) - self._by.slack
            if over > 0:  # a mistake for the run's rounding alone
                self.rounded += 1
                self._excess += 2 * eta * over
        self._weights = [*map(add, self._weights, (part * value for value in row.values))]
        self._k += 1
        grown = part * part * row.square
        self._square += 2 * part * top + grown
        from_first = row.first * (self._over // self._first_over)
        self._distance += 2 * part * (top - from_first) + grown
        self._product += part * row.product
        return self._line(score)

    def _line(self, score: float) -> dict[str, float]:
        by, k, floats, squared = self._by, self._k, self._floats, self._over**2
        excess = as_float(self._excess)
        square, distance = ratio(self._square, squared), ratio(self._distance, squared)
        cap, upper = (
            floats["first_square"] + k * floats["growth"] + excess,
            k * floats["B"] + excess,
        )
        norm_slack = self._slack("norm", cap, square, self._norm_slack)
        upper_slack = self._slack("upper", upper, distance, self._upper_slack)
        self._ceiling = min(self._ceiling, self._new_ceiling(squared))
        line = {
            "score": score,
            "squared_norm": square,
            "squared_distance": distance,
            "norm_cap": cap,
            "norm_slack": norm_slack,
            "upper": upper,
            "upper_slack": upper_slack,
            "ceiling": self._ceiling,
        }
        if by.target is not None:
            line |= self._about_target(square, distance, cap)
        return line

    def _about_target(self, square: float, distance: float, cap: float) -> dict[str, float]:
        k, floats = self._k, self._floats
        product = ratio(self._product, self._over * self._bottom)
        floor, lower = floats["first_product"] + k * floats["gain"], floats["A"] * k * k
        size, terms = floats["size"], abs(floats["first_product"]) + abs(k * floats["gain"])
        if abs(floor) < CANCELLED * terms:
            floor = as_float(self._target_floor())
        line = {
            "target_product": product,
            "target_floor": floor,
            "target_slack": self._slack("target", product, floor, self._target_slack, terms),
            "cosine": self._cosine(product, size * math.sqrt(square)),
            "cosine_floor": cosine_floor(floor, cap, size),
            "lower": lower,
            "lower_slack": self._slack("lower", distance, lower, self._lower_slack),
        }
        self._checks.check_bound(k, self._excess == 0)
        return line

    def _slack(
        self,
        name: str,
        high: float,
        low: float,
        exactly: Callable[[], Fraction],
        terms: float = 0.0,  # what `low` is a difference of
    ) -> float:
        gap = high - low
        if max(TINY, CLEAR * (abs(high) + abs(low) + terms)) < gap < math.inf:
            return self._checks.check(name, self._k, gap)
        return self._checks.check(name, self._k, exactly())

    def _cosine(self, product: float, sizes: float) -> float:
        """Of the weights and the target; 0 where the weights are zero."""
        if TINY < sizes < math.inf and (abs(product) > TINY or not self._product):
            return max(-1.0, min(1.0, product / sizes))
        if not self._square or self._by.target is None:
            return 0.0
        square = Fraction(self._product**2, self._square * self._bottom**2)
        size = min(1.0, root(square / self._by.target.squared, up=False))
        return size if self._product > 0 else -size

    def _norm_slack(self) -> Fraction:
        by = self._by
        cap = by.start.squared + self._k * by.eta * by.step + self._excess
        return cap - Fraction(self._square, self._over**2)

    def _upper_slack(self) -> Fraction:
        return self._by.B * self._k + self._excess - Fraction(self._distance, self._over**2)

    def _lower_slack(self) -> Fraction:
        return Fraction(self._distance, self._over**2) - (self._by.A or 0) * self._k**2

    def _target_slack(self) -> Fraction:
        return Fraction(self._product, self._over * self._bottom) - self._target_floor()

    def _target_floor(self) -> Fraction:
        first = Fraction(self._first_product, self._first_over * self._bottom)
        return first + self._k * self._by.eta * (self._by.least or 0)

    def _new_ceiling(self, squared: int) -> float:
        """|w_k - w_0| / (eta k), rounded up."""
        eta = self._by.eta
        top = self._distance * eta.denominator**2
        bottom = squared * (eta.numerator * self._k) ** 2
        return root(Fraction(top, bottom), up=True)

    def _row(self, i: int) -> _Row:
        if i not in self._rows:
            row = self._signed.row(i)
            values = dense_values(row, range(self._signed.dim))
            first = sum(map(mul, values, self._by.start.numerators))
            product, square = self._with_target(values), sum(map(mul, values, values))
            self._rows[i] = _Row(values, row.denominator, square, product, first)
        return self._rows[i]

    def _with_target(self, values: list[int]) -> int:
        target = self._by.target
        return 0 if target is None else sum(map(mul, values, target.numerators))

    def _rescale(self, bottom: int) -> None:
        """Make the weights' denominator a multiple of this."""
        if self._over % bottom == 0:
            return
        factor = math.lcm(self._over, bottom) // self._over
        self._over *= factor
        self._weights = [factor * weight for weight in self._weights]
        self._square *= factor**2
        self._distance *= factor**2
        self._product *= factor
