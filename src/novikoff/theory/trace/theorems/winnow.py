"""A run of Winnow, update by update, held against its proof (see `rules.winnow`).

With n variables, u promotions and v demotions so far, and s the weight of the variables that are 1
in a row: a promotion adds (alpha - 1) s < (alpha - 1) theta to the total weight, a demotion takes
(1 - 1 / alpha) s >= (1 - 1 / alpha) theta, and no weight is ever 0:

    0 < total <= n + u (alpha - 1) theta - v (1 - 1 / alpha) theta

Where the label is an OR of r variables, a promotion raises one of theirs, which is below theta
then, and a demotion none of them: u <= r ceil(log_alpha theta).
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import ParameterError
from novikoff.learning.rows import CsrRows, Rows, row_at
from novikoff.learning.rules import Winnow
from novikoff.theory.bounds import winnow
from novikoff.theory.trace.theorems.inequalities import Checks
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.verdict.scan import UNIT
from novikoff.verdict.signed import Signed


class WinnowBudget(NamedTuple):
    """What Winnow's theorem allows."""

    promotions: int | None  # r ceil(log_alpha theta)
    mistakes: int | None  # all of them together, by the notes' bound


MULTIPLIED = 1000
UNKNOWN = WinnowBudget(None, None)


def winnow_budget(rule: Winnow, features: int, relevant: int) -> WinnowBudget:
    """The budget where the label is an OR of so many of the variables.

    A weight is raised only while it is below theta. How often that can be is found by multiplying;
    beyond so many times by a logarithm, rounded up.
    """
    if rule.theta < 1.0:
        return UNKNOWN
    raises, weight = 0, Fraction(1)
    while weight < Fraction(rule.theta) and raises < MULTIPLIED:
        raises, weight = raises + 1, weight * Fraction(rule.alpha)
    if raises == MULTIPLIED:
        raises = math.ceil(math.log(rule.theta) / math.log1p(rule.alpha - 1.0) * (1.0 + 1e-12))
    most = winnow(relevant, features, alpha=rule.alpha, theta=rule.theta)
    return WinnowBudget(relevant * raises, math.floor(most))


COLUMNS = (
    "score",
    "total_weight",
    "total_cap",
    "total_slack",
    "promotions",
    "demotions",
    "promotion_cap",
)


class WinnowChecker:
    """Checks a run. With `exact`, weights are Fractions; else sums have a bound on rounding."""

    def __init__(
        self,
        rule: Winnow,
        rows: Rows,
        signed: Signed,
        checks: Checks,
        budget: WinnowBudget,
        exact: bool,
    ) -> None:
        self.exact, self._rule, self._rows = exact, rule, rows
        self._signs, self._checks, self._budget = signed.signs, checks, budget
        self._features = signed.features
        self._weights: dict[int, Fraction] = {}  # those that are not 1, where exact
        self._total: Any = Fraction(self._features) if exact else float(self._features)
        self._excess, self._lost = Fraction(0), 0.0
        self._k = self._up = self._down = self.rounded = 0

    def check(self, updates: UpdateBatch) -> dict[str, Any]:
        lines = [self._step(*each) for each in zip(*updates[:2], strict=True)]
        return {name: np.array([line[name] for line in lines], float) for name in COLUMNS}

    def _step(self, i: Any, score: Any) -> dict[str, Any]:
        alpha, theta = Fraction(self._rule.alpha), Fraction(self._rule.theta)
        up = self._signs[i] > 0
        self._k, self._up, self._down = self._k + 1, self._up + int(up), self._down + int(not up)
        factor = alpha if up else 1 / alpha
        if self.exact:
            active = self._raise(int(i), factor)
            self._total += active * (factor - 1)
            over = active - theta if up else theta - active
            if over > 0 or (up and not over):  # a mistake for the run's rounding alone
                self.rounded += 1
                self._excess += over * abs(factor - 1)
        else:  # label * score = +-(s - theta)
            about = float(score) * (1.0 if up else -1.0) + self._rule.theta
            self._total += about * float(factor - 1)
            sizes = abs(about) + abs(self._total) + 2.0 * self._rule.theta
            self._lost += UNIT * (8.0 + self._features + self._k) * sizes * (1.0 + float(factor))
        gone = self._down * (1 - 1 / alpha) * theta
        cap = self._features + self._up * (alpha - 1) * theta - gone + self._excess
        slack = Fraction(cap) - Fraction(self._total)
        checks, k = self._checks, self._k
        checks.check("total", k, self._allowed(slack))
        checks.check("positive", k, self._allowed(Fraction(self._total)))
        if self._budget.promotions is not None and not self.rounded:
            checks.check("promotions", k, Fraction(self._budget.promotions - self._up))
            checks.check_bound(k)
        most = self._budget.promotions
        return {
            "score": float(score),
            "total_weight": float(self._total),
            "total_cap": float(cap),
            "total_slack": float(slack),
            "promotions": self._up,
            "demotions": self._down,
            "promotion_cap": math.nan if most is None else float(most),
        }

    def _allowed(self, slack: Fraction) -> Fraction:
        """0 in place of what rounding alone can have made negative."""
        return Fraction(0) if -self._lost <= slack < 0 else slack

    def _raise(self, i: int, factor: Fraction) -> Fraction:
        """Multiply the weights of the row's variables; what they were together before."""
        before = Fraction(0)
        for j in self._variables(i):
            weight = self._weights.get(j, Fraction(1))
            before += weight
            self._weights[j] = weight * factor
        return before

    def _variables(self, i: int) -> list[int]:
        """Those that are 1 in row i."""
        on = row_at(self._rows, i).values > self._rule.binarize
        if isinstance(self._rows, CsrRows):
            place = slice(int(self._rows.starts[i]), int(self._rows.starts[i + 1]))
            found = self._rows.columns[place][on]
        else:
            found = np.flatnonzero(on)
        return [int(j) for j in found]


def require_winnow(rule: Any) -> None:
    """Refuse a rule that the proof is not about: Winnow on the variables themselves is."""
    if not isinstance(rule, Winnow):
        raise ParameterError(
            "the trace follows Winnow on the variables as they are; with complement=True give it"
            " the complements as columns of their own"
        )
