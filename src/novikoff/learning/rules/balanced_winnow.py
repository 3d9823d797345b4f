"""Balanced Winnow: multiplicative updates for weights of any sign, over real inputs.

Two positive weights for each feature, w+ and w-, are multiplied on a mistake by exp(eta y x) and
exp(-eta y x), and score = (w+ - w-) . row. Starting at 1 they stay exp(s) and exp(-s), where s is
the sum of eta * label * row over the mistakes. Only s is kept, and weights = w+ - w-, both divided
by exp(shift), which changes no sign and keeps them from overflowing.

If |row|_inf <= X and some u with |u|_1 = 1 has y u . row >= gamma on every row, there are at most
ln(2 n) / (eta gamma - eta^2 X^2 / 2) mistakes: ln of the sum of all weights starts at ln(2 n),
grows by at most eta^2 X^2 / 2 at a mistake, and is never below s . u >= mistakes * eta * gamma.

Shards are mixed by their exponents. The ln of a sum of exp is convex and s . u is linear, so that
the bound holds for the mistakes of all shards, each counted by its share.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.jit import compile_loop, inline
from novikoff.learning.rows import add_scaled, column, entries
from novikoff.learning.rules.protocol import TIES, Seen, Tie, Vector, require, require_positive

ROOM = 300.0  # how far the highest exponent may be from the shift


class BalancedState(NamedTuple):
    """weights = (exp(s) - exp(-s)) / exp(shift), s being the exponents."""

    weights: Vector
    exponents: Vector
    shift: Vector


@inline
def _weight(exponent: float, shift: float) -> float:
    size = abs(exponent)
    return math.copysign(math.exp(size - shift) * -math.expm1(-2.0 * size), exponent)


@inline
def _shift_to(state: Any, shift: float) -> None:
    state.shift[0] = shift
    for j in range(state.weights.shape[0]):
        state.weights[j] = _weight(state.exponents[j], shift)


_rebuild = compile_loop(_shift_to, work=lambda state, _: 20 * len(state.weights))


class BalancedWinnow(NamedTuple):
    """exponents <- exponents + eta * y * row on a mistake.

    eta, tie: as for `BalancedWinnow`.

    >>> import novikoff as nk
    >>> nk.RuleClassifier(nk.rules.BalancedWinnow(eta=0.5)).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    eta: float = 0.1
    tie: Tie = TIES["mistake"]

    def step(self, state: BalancedState, row: Any, seen: Seen) -> float:
        return self.eta if seen.mistaken else 0.0

    def move(self, state: BalancedState, row: Any, amount: float, seen: Seen) -> None:
        add_scaled(row, amount * seen.label, state.exponents)
        highest = 0.0
        for k in range(entries(row)):
            highest = max(highest, abs(state.exponents[column(row, k)]))
        if highest > state.shift[0] + ROOM:
            _shift_to(state, highest)
        elif state.shift[0] > 0.0:  # the shift may have become too large for all the weights
            for j in range(state.exponents.shape[0]):
                highest = max(highest, abs(state.exponents[j]))
            if highest < state.shift[0] - ROOM:
                _shift_to(state, highest if highest > ROOM else 0.0)
        for k in range(entries(row)):
            j = column(row, k)
            state.weights[j] = _weight(state.exponents[j], state.shift[0])

    def check(self) -> None:
        require_positive(eta=self.eta)

    def start(self, initial: Vector) -> BalancedState:
        require(not initial.any(), "balanced Winnow starts at equal weights")
        return BalancedState(initial, initial.copy(), np.zeros(1))

    def mixed(self, state: BalancedState) -> BalancedState:
        highest = float(np.abs(state.exponents).max(initial=0.0))
        made = BalancedState(state.weights.copy(), state.exponents, np.zeros(1))
        _rebuild(made, highest if highest > ROOM else 0.0)
        return made

    def combination(self, state: BalancedState) -> Vector:
        return state.exponents
