"""Averaging (Freund and Schapire 1999): predict with the mean of all the weights there were.

With w_t the weights after row t, the mean over T rows is

    mean = w_T - moments / T,    moments = sum over the moves of (t * amount * label * row)

where t is the number of rows before the move. So a row that moves nothing costs nothing, and a
move costs twice its non-zeros; no sum over the whole weight vector is ever taken before the end.

Shards that learn at the same time have their own weights and moments and one clock: t counts the
rows of the longest, and a shard that is done waits with its last weights. Waiting moves nothing, so
w_T - moments / T is still the mean of a shard's weights over all T; and since it is linear, mixing
weights and moments by the same shares gives the mean over the clock of the mixed weights.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.learning.rows import add_scaled_to_both
from novikoff.learning.rules import protocol
from novikoff.learning.rules.perceptron import Perceptron
from novikoff.learning.rules.protocol import Seen, State, Vector, require, score, step


class AveragedState(NamedTuple):
    """The wrapped rule's state, whose weights these are, and the moments."""

    weights: Vector
    moments: Vector
    inner: Any


class Averaged(NamedTuple):
    """Learns as the wrapped rule does, mistake for mistake; predicts with the mean weights.

    inner: the rule that learns.

    >>> import novikoff as nk
    >>> nk.RuleClassifier(nk.rules.Averaged()).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    inner: Any = Perceptron()

    def score(self, state: AveragedState, row: Any) -> Any:
        return score(self.inner, state.inner, row)

    def mistaken(self, score: float, label: float) -> Any:
        return protocol.mistaken(self.inner, score, label)

    def step(self, state: AveragedState, row: Any, seen: Seen) -> Any:
        return step(self.inner, state.inner, row, seen)

    def move(self, state: AveragedState, row: Any, amount: float, seen: Seen) -> None:
        along = amount * seen.label
        add_scaled_to_both(row, along, state.weights, along * seen.t, state.moments)

    def accepts(self, row: Any) -> Any:
        return protocol.accepts(self.inner, row)

    def start(self, initial: Vector) -> AveragedState:
        inner = protocol.start(self.inner, initial)
        additive = not hasattr(type(self.inner), "move")
        require(additive, f"{type(self.inner).__name__} cannot be averaged: it moves its own way")
        return AveragedState(inner.weights, 0.0 * inner.weights, inner)

    def readout(self, state: AveragedState, seen: int) -> State:
        return State(state.weights - state.moments / max(seen, 1))

    def readout_at(
        self, state: AveragedState, seen: int, columns: Any, before: State | None
    ) -> State:
        found = State(np.zeros_like(state.weights)) if before is None else before
        moments = state.moments[..., columns] / max(seen, 1)
        found.weights[..., columns] = state.weights[..., columns] - moments
        return found

    def decide(self, state: State, row: Any) -> Any:
        return protocol.decide(self.inner, state, row)

    def unmixable(self) -> Any:
        return protocol.unmixable(self.inner)

    def mixed(self, state: AveragedState) -> AveragedState:
        inner = protocol.mixed(self.inner, state.inner)
        return state._replace(weights=inner.weights, inner=inner)

    def combination(self, state: AveragedState) -> Vector:
        return state.weights
