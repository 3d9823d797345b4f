"""A run of the perceptron in floating point, many updates at a time, each figure with a bound on
how far off it can be; an inequality counts as broken only where no rounding can explain it.

By induction, with every score computed as at most b off by at most e_s, |w_k|^2 is at most its cap
plus the sum of the 2 eta e_s so far. That sum stays below the cap itself (it is checked), so twice
the root of the cap bounds |w_k| and the rounding of weights and scores:

    drift_k = sum of u (|w_j| + eta D)            the weights', from rounding at each update
    e_s     = g D |w_k| + D drift_k               a score's, g as in `scan`
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.theory.trace.theorems.constants import TheoremConstants
from novikoff.theory.trace.theorems.inequalities import Checks, as_float, cosine_floor
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import SMALLEST, UNIT, Indices, Scan

Vector = npt.NDArray[np.float64]
SAFETY = 4.0  # for the roundings of the bounds themselves, and of rows scaled to unit length


class FloatPerceptronChecker:
    """Checks a run in floating point, over the rows that a scan passes over."""

    exact = False
    rounded = 0  # updates by rounding alone cannot be told here

    def __init__(self, scan: Scan, constants: TheoremConstants, checks: Checks) -> None:
        self._by, self._checks = constants, checks
        self._squares = scan.squares
        self._growth = (scan.steps + 8) * UNIT
        self._tiny = SMALLEST * (len(constants.start.numerators) + scan.steps)
        self._products, self._off = _scores(scan, constants.target)
        self._firsts, self._off_first = _scores(scan, constants.start)
        self._sums = dict.fromkeys(("product", "square", "distance"), 0.0)
        self._sizes = dict.fromkeys(self._sums, 0.0)  # sums of what was added, without signs
        self._drift = self._lost = 0.0
        self._ceiling, self._k = math.inf, 0

    def check(self, updates: UpdateBatch) -> dict[str, Any]:
        by, i = self._by, updates.rows
        eta, first_square = float(by.eta), as_float(by.start.squared)
        k = np.arange(self._k + 1, self._k + 1 + len(i))
        self._k += len(i)
        cap: Vector = first_square + k.astype(np.float64) * as_float(by.eta * by.step)
        lost = self._lost_to_rounding(cap, eta)
        grown = eta**2 * self._squares[i]
        square, near_s = self._sum("square", k, 2.0 * eta * updates.scores + grown)
        away = 2.0 * eta * (updates.scores - self._firsts[i]) + grown
        distance, near_d = self._sum("distance", k, away)
        off = SAFETY * (lost + 4.0 * UNIT * cap)
        square += first_square
        off_distance = off + SAFETY * (near_d + 2.0 * eta * k * self._off_first)
        upper = as_float(by.B) * k
        steps = (distance + off_distance).clip(0.0)
        ceiling = np.minimum.accumulate(
            np.append(self._ceiling, np.sqrt(steps) / (eta * k) * (1.0 + 8.0 * UNIT))
        )[1:]
        self._ceiling = float(ceiling[-1]) if len(ceiling) else self._ceiling
        table = {
            "score": updates.scores,
            "squared_norm": square,
            "squared_distance": distance,
            "norm_cap": cap,
            "norm_slack": self._checks.check_all("norm", k, cap - square, off + SAFETY * near_s),
            "upper": upper,
            "upper_slack": self._checks.check_all("upper", k, upper - distance, off_distance),
            "ceiling": ceiling,
        }
        return table | self._about_target(k, i, cap, square, distance, off_distance)

    def _about_target(
        self, k: Indices, i: Indices, cap: Vector, square: Vector, distance: Vector, off: Vector
    ) -> dict[str, Any]:
        by, checks = self._by, self._checks
        if by.target is None or by.least is None or by.A is None:
            return {}
        eta, size = float(by.eta), root(by.target.squared, up=True)
        first = float(by.product)
        product, near = self._sum("product", k, eta * self._products[i])
        product += first
        floor = first + k * as_float(by.eta * by.least)
        lower = as_float(by.A) * k.astype(np.float64) ** 2
        with np.errstate(all="ignore"):
            cosine = product / (size * np.sqrt(square))
        near = SAFETY * (near + k * eta * self._off + 4.0 * UNIT * (np.abs(floor) + abs(first)))
        self._within(k, lower - as_float(by.B) * k > off + 8.0 * UNIT * lower)
        return {
            "target_product": product,
            "target_floor": floor,
            "target_slack": checks.check_all("target", k, product - floor, near),
            "cosine": np.nan_to_num(cosine).clip(-1.0, 1.0),
            "cosine_floor": cosine_floor(floor, cap, size),
            "lower": lower,
            "lower_slack": checks.check_all("lower", k, distance - lower, off + 8.0 * UNIT * lower),
        }

    def _within(self, k: Indices, crossed: npt.NDArray[np.bool_]) -> None:
        """k <= B / A: at an update where the envelopes have crossed by more than rounding can
        explain; one that was a mistake for rounding alone may come after the bound.
        """
        most = self._by.bound
        if not len(k) or most is None:
            return
        beyond = np.flatnonzero((k > most) & crossed)
        place = int(k[beyond[0]]) if beyond.size else min(int(k[-1]), most)
        self._checks.check_bound(place, steps=len(k))

    def _lost_to_rounding(self, cap: Vector, eta: float) -> Vector:
        """How far |w_k|^2 can be above its cap by rounding: the sum of the 2 eta e_s."""
        radius = root(self._by.largest, up=True)
        longest = 2.0 * np.sqrt(cap) + eta * radius
        drift = self._drift + np.cumsum(2.0 * UNIT * longest + self._tiny)
        error = radius * (self._growth * longest + drift) + self._tiny
        lost = self._lost + np.cumsum(2.0 * eta * error)
        if len(cap):
            self._drift, self._lost = float(drift[-1]), float(lost[-1])
            if not ((lost < cap) & (drift < 0.25 * longest)).all():
                raise ParameterError(
                    "after so many updates rounding hides the inequalities; trace in exact"
                    " arithmetic (exact=True, --exact), or fewer epochs"
                )
        return lost

    def _sum(self, name: str, k: Indices, terms: Vector) -> tuple[Vector, Vector]:
        """The sums so far, and how far off summing can have made them."""
        sums = self._sums[name] + np.cumsum(terms)
        sizes = self._sizes[name] + np.cumsum(np.abs(terms))
        if len(terms):
            self._sums[name], self._sizes[name] = float(sums[-1]), float(sizes[-1])
        return sums, (k + 8.0) * 2.0 * UNIT * sizes


def _scores(scan: Scan, vector: Rational | None) -> tuple[Vector, float]:
    """z . vector for each row, and how far off it can be."""
    if vector is None or not any(vector.numerators):
        return np.zeros(len(scan.signs)), 0.0
    weights = np.array([top / vector.denominator for top in vector.numerators])
    # rough: the columns' maxima are those of rows before they are scaled to unit length
    return scan.scores(weights), 2.0 * scan.error(weights, rough=scan.rows.unit_length)
