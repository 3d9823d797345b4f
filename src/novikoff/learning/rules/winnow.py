"""Winnow (Littlestone 1988): learns a disjunction of few out of many Boolean variables.

The weights start at 1. A row is positive where score = sum of w_i x_i - theta >= 0. On a mistake
the weights of the variables that are 1 are multiplied by alpha (a positive row was missed) or
divided by it (a negative row was accepted).

Let the label be the OR of r of the n variables, u count the promotions and v the demotions.
Each promotion multiplies one of the r weights, and only while it is below theta, and nothing ever
divides them: u <= r (1 + log_alpha theta). The total weight starts at n, a promotion adds at most
(alpha - 1) theta, a demotion takes at least (1 - 1 / alpha) theta, and it stays positive:
v < n / ((1 - 1 / alpha) theta) + alpha u. With alpha = 2 and theta = n, u + v is at most
2 + 3 r (1 + lg n), the notes' bound.

Mixing keeps it, with u and v counted by the shards' shares: the total weight is linear, and the log
of a mean is at least the mean of the logs, so that the r relevant weights have in all at least u
promotions' worth, while none of them is ever above alpha theta.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.jit import inline
from novikoff.learning.rows import column, entries, value
from novikoff.learning.rules.protocol import TIES, Seen, State, Tie, Vector, require


@inline
def _is_boolean(row: Any) -> bool:
    for k in range(entries(row)):
        x = value(row, k)
        if x != 0.0 and x != 1.0:
            return False
    return True


def _check(alpha: float, theta: float) -> None:
    require(1.0 < alpha < math.inf, f"alpha must be a number above 1, not {alpha}")
    require(not theta <= 0.0 and theta != math.inf, f"theta must be above 0, not {theta}")


def binarized(matrix: Any, limit: float) -> Any:
    """A matrix, dense or CSR, as Winnow sees it: 1.0 where a value is above the limit, else 0.0."""
    return (matrix > limit).astype(np.float64)


WEIGHTLESS = (
    "Winnow sees of a row only which variables are 1, and that does not change when the row is"
    " multiplied by a weight. Weights of 0 and 1 leave rows out or in; repeat rows that should"
    " count more often, or take BalancedWinnow"
)


class Winnow(NamedTuple):
    """Multiplies and divides by alpha on a mistake, where a variable is 1.

    alpha: the factor, above 1.
    theta: the threshold; NaN means the number of variables.
    binarize: a variable is 1 where its value is above this.
    strict: whether values other than 0 and 1 are refused.
    tie: which labels a score of exactly 0 is a mistake for; a `Tie`, such as those in `TIES`.

    >>> import novikoff as nk
    >>> rule, X = nk.rules.Winnow(), [[0, 0], [0, 1], [1, 0]]
    >>> nk.RuleClassifier(rule, fit_intercept=False).fit(X, [0, 1, 0]).predict(X).tolist()
    [0, 1, 0]
    """

    alpha: float = 2.0
    theta: float = math.nan  # NaN: the number of variables
    binarize: float = 0.0
    strict: bool = False  # refuse rows with values other than 0 and 1
    tie: Tie = TIES["positive"]

    def score(self, state: State, row: Any) -> float:
        total = 0.0
        for k in range(entries(row)):
            if value(row, k) > self.binarize:
                total += state.weights[column(row, k)]
        return total - self.theta

    def step(self, state: State, row: Any, seen: Seen) -> float:
        return self.alpha if seen.mistaken else 0.0

    def move(self, state: State, row: Any, amount: float, seen: Seen) -> None:
        factor = amount if seen.label > 0.0 else 1.0 / amount
        for k in range(entries(row)):
            if value(row, k) > self.binarize:
                state.weights[column(row, k)] *= factor

    def accepts(self, row: Any) -> bool:
        return not self.strict or _is_boolean(row)

    def check(self) -> None:
        _check(self.alpha, self.theta)

    def for_features(self, features: int) -> "Winnow":
        return self._replace(theta=float(features)) if math.isnan(self.theta) else self

    def start(self, initial: Vector) -> State:
        return State(initial + 1.0)

    def linear(self, state: State) -> tuple[Vector, float]:
        return state.weights, -self.theta

    def unweightable(self) -> str:
        return WEIGHTLESS

    def combination(self, state: State) -> None:
        return None


class ComplementState(NamedTuple):
    """Weights of x_i and of (1 - x_i), the sum of the latter, and a scratch mark for each x_i."""

    weights: Vector
    against: Vector
    total: Vector
    on: npt.NDArray[np.bool_]


class ComplementWinnow(NamedTuple):
    """Winnow over 2 n variables, each x_i and its complement: negated literals can be learned.

    The complements are virtual. A score costs the row's non-zeros, a mistake all 2 n weights.
    Parameters as for `rules.Winnow`.

    >>> import novikoff as nk
    >>> rule, X = nk.rules.ComplementWinnow(), [[0, 0], [0, 1], [1, 0]]
    >>> nk.RuleClassifier(rule, fit_intercept=False).fit(X, [1, 1, 0]).predict(X).tolist()
    [1, 1, 0]
    """

    alpha: float = 2.0
    theta: float = math.nan  # NaN: the number of variables with their complements
    binarize: float = 0.0
    strict: bool = False
    tie: Tie = TIES["positive"]

    def score(self, state: ComplementState, row: Any) -> float:
        total = float(state.total[0])
        for k in range(entries(row)):
            if value(row, k) > self.binarize:
                j = column(row, k)
                total += state.weights[j] - state.against[j]
        return total - self.theta

    def step(self, state: ComplementState, row: Any, seen: Seen) -> float:
        return self.alpha if seen.mistaken else 0.0

    def move(self, state: ComplementState, row: Any, amount: float, seen: Seen) -> None:
        factor = amount if seen.label > 0.0 else 1.0 / amount
        state.on[:] = False
        for k in range(entries(row)):
            state.on[column(row, k)] = value(row, k) > self.binarize
        total = 0.0
        for j in range(state.weights.shape[0]):
            if state.on[j]:
                state.weights[j] *= factor
            else:
                state.against[j] *= factor
            total += state.against[j]
        state.total[0] = total

    def accepts(self, row: Any) -> bool:
        return not self.strict or _is_boolean(row)

    def check(self) -> None:
        _check(self.alpha, self.theta)

    def for_features(self, features: int) -> "ComplementWinnow":
        return self._replace(theta=2.0 * features) if math.isnan(self.theta) else self

    def start(self, initial: Vector) -> ComplementState:
        ones = initial + 1.0
        return ComplementState(ones, ones.copy(), np.array([ones.sum()]), np.zeros(len(ones), bool))

    def mixed(self, state: ComplementState) -> ComplementState:
        return state  # the marks are scratch, and the total of means is the mean of totals

    def linear(self, state: ComplementState) -> tuple[Vector, float]:
        return state.weights - state.against, float(state.total[0]) - self.theta

    def unweightable(self) -> str:
        return WEIGHTLESS

    def combination(self, state: ComplementState) -> None:
        return None
