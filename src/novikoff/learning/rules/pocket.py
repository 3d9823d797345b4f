"""The pocket (Gallant 1990): learn as the wrapped rule does, predict with the best weights so far.

Weights that answer many rows in a row correctly are likely to be good. The longest run of rows that
the weights stayed the same for, since the last check, is kept with its weights (`candidate`). After
an epoch, if it is longer than the pocket's run, a pass over all rows counts the mistakes that they
make; with fewer than the pocket makes, they replace it (the ratchet). So on any rows the pocket's
mistakes only fall. Online, where no pass over all rows can be made, the longest run decides alone.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.rows import add_scaled
from novikoff.learning.rules import protocol
from novikoff.learning.rules.perceptron import Perceptron
from novikoff.learning.rules.protocol import Seen, State, Vector, require, score, step

BEGAN, LONGEST, KEPT, MISTAKES = range(4)  # places in `runs`


class PocketState(NamedTuple):
    """The wrapped rule's state, whose weights these are; and other weights with their runs.

    runs: how many rows had been seen when the present run began; the run of `candidate`; that of
    `kept`, the pocket; and the mistakes of the pocket on all rows, -1 if they were never counted.
    """

    weights: Vector
    candidate: Vector
    kept: Vector
    runs: npt.NDArray[np.int64]
    inner: Any


class Pocket(NamedTuple):
    """Learns as the wrapped rule does, mistake for mistake; predicts with the pocket's weights.

    inner: the rule that learns.

    >>> import novikoff as nk
    >>> nk.RuleClassifier(nk.rules.Pocket()).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    inner: Any = Perceptron()

    def score(self, state: PocketState, row: Any) -> Any:
        return score(self.inner, state.inner, row)

    def mistaken(self, score: float, label: float) -> Any:
        return protocol.mistaken(self.inner, score, label)

    def step(self, state: PocketState, row: Any, seen: Seen) -> Any:
        return step(self.inner, state.inner, row, seen)

    def move(self, state: PocketState, row: Any, amount: float, seen: Seen) -> None:
        runs = state.runs
        run = seen.t - runs[0]
        if run > runs[1] and run > runs[2]:
            runs[1] = run
            for j in range(state.weights.shape[0]):
                state.candidate[j] = state.weights[j]
        runs[0] = seen.t + 1
        add_scaled(row, amount * seen.label, state.weights)

    def accepts(self, row: Any) -> Any:
        return protocol.accepts(self.inner, row)

    def start(self, initial: Vector) -> PocketState:
        inner = protocol.start(self.inner, initial)
        additive = not hasattr(type(self.inner), "move")
        require(additive, f"{type(self.inner).__name__} has no pocket: it moves its own way")
        runs = np.array([0, 0, 0, -1])
        return PocketState(inner.weights, inner.weights + 0.0, inner.weights + 0.0, runs, inner)

    def readout(self, state: PocketState, seen: int) -> State:
        challenger = self.challenger(state, seen)
        return State(state.kept if challenger is None else challenger.weights)

    def challenger(self, state: PocketState, seen: int) -> "Challenger | None":
        """The weights with the longest run, after `seen` rows; None if that is the pocket's."""
        present = seen - int(state.runs[BEGAN])
        run = max(present, int(state.runs[LONGEST]))
        if run <= state.runs[KEPT]:
            return None
        return Challenger(state.weights if run == present else state.candidate, run)

    def settle(self, state: PocketState, by: "Challenger", mistakes: int, seen: int) -> None:
        """Put weights that make so many mistakes on all rows into the pocket, if they are fewer."""
        if state.runs[MISTAKES] < 0 or mistakes < state.runs[MISTAKES]:
            state.kept[:] = by.weights
            state.runs[KEPT], state.runs[MISTAKES] = by.run, mistakes
        state.runs[BEGAN], state.runs[LONGEST] = seen, 0

    def decide(self, state: State, row: Any) -> Any:
        return protocol.decide(self.inner, state, row)

    def unmixable(self) -> str:
        return "the pocket's weights are checked on all rows, and shards have a part each"

    def combination(self, state: PocketState) -> Vector:
        return state.weights


class Challenger(NamedTuple):
    """Weights that have a longer run than the pocket's."""

    weights: Vector
    run: int
