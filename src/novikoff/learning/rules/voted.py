"""The voted perceptron (Freund and Schapire 1999): all the weights there were, each with a vote.

Weights w_0, w_1, ..., w_k that lasted for c_0, c_1, ..., c_k rows decide together by

    votes = sum over m of c_m * sign(w_m . row)

It learns as the perceptron does. The k moves are stored as they came, sparse, and a prediction adds
them up again: w_m . row = w_{m-1} . row + move_m . row. So memory grows with the non-zeros of the
moves (16 bytes each), not with moves times features.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.jit import inline
from novikoff.learning.rows import add_scaled, column, dot, entries, value
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import TIES, Seen, State, Tie, Vector, require_positive

Integers = npt.NDArray[np.int64]


class VotedState(NamedTuple):
    """The weights now and at the start, and the moves between them in CSR form."""

    weights: Vector
    first: Vector
    moves: Vector  # values of all the moves, one after another
    columns: Integers  # and their columns
    starts: Integers  # where each move starts
    births: Integers  # how many rows had been seen before it
    used: Integers  # moves and entries in use, the rest is room; rows seen, once read out
    scratch: Vector  # a row spread out, while it is decided on


@inline
def _sign(score: float) -> float:
    return 1.0 if score > 0.0 else -1.0 if score < 0.0 else 0.0


def _with_room(array: Any, needed: int) -> Any:
    """The array, or a longer copy: doubled at least, so that growing costs little altogether."""
    if needed <= len(array):
        return array
    longer = np.zeros(max(needed, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


class Voted(NamedTuple):
    """Learns as the perceptron does, mistake for mistake; predicts by vote.

    eta: the step.
    tie: as for `rules.Winnow`.

    >>> import novikoff as nk
    >>> nk.RuleClassifier(nk.rules.Voted()).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    eta: float = 1.0
    tie: Tie = TIES["mistake"]

    def step(self, state: VotedState, row: Any, seen: Seen) -> float:
        return self.eta if seen.mistaken else 0.0

    def move(self, state: VotedState, row: Any, amount: float, seen: Seen) -> None:
        add_scaled(row, amount * seen.label, state.weights)
        number, end = state.used[0], state.used[1]
        for k in range(entries(row)):
            if value(row, k) != 0.0:  # a stored zero must not tell dense from sparse
                state.columns[end] = column(row, k)
                state.moves[end] = amount * seen.label * value(row, k)
                end += 1
        state.births[number] = seen.t
        state.starts[number + 1] = end
        state.used[0], state.used[1] = number + 1, end

    def decide(self, state: VotedState, row: Any) -> float:
        for k in range(entries(row)):
            state.scratch[column(row, k)] = value(row, k)
        score = dot(row, state.first)
        votes: float = 0.0
        since = 0
        for m in range(state.used[0]):
            votes += (state.births[m] - since) * _sign(score)
            since = state.births[m]
            for k in range(state.starts[m], state.starts[m + 1]):
                score += state.moves[k] * state.scratch[state.columns[k]]
        votes += (state.used[2] - since) * _sign(score)
        for k in range(entries(row)):
            state.scratch[column(row, k)] = 0.0
        return votes

    def check(self) -> None:
        require_positive(eta=self.eta)

    def start(self, initial: Vector) -> VotedState:
        none = np.zeros(1, np.int64)
        used = np.zeros(3, np.int64)
        first, scratch = initial.copy(), np.zeros(len(initial))
        return VotedState(
            initial, first, np.zeros(1), none, none.copy(), none.copy(), used, scratch
        )

    def reserve(self, state: VotedState, rows: int, entries: int) -> VotedState:
        moves, end = int(state.used[0]) + rows, int(state.used[1]) + entries
        return state._replace(
            moves=_with_room(state.moves, end),
            columns=_with_room(state.columns, end),
            starts=_with_room(state.starts, moves + 1),
            births=_with_room(state.births, moves),
        )

    def resized(
        self, state: VotedState, fresh: VotedState, old: int, new: int, bias: bool
    ) -> VotedState:
        """The moves stay as they are, but the bias has another column."""
        vectors = [
            protocol.resized(None, State(before), State(after), old, new, bias).weights
            for before, after in ((state.weights, fresh.weights), (state.first, fresh.first))
        ]
        columns = np.where(state.columns == old, new, state.columns) if bias else state.columns
        return state._replace(
            weights=vectors[0], first=vectors[1], columns=columns, scratch=fresh.scratch
        )

    def forked(self, state: VotedState) -> VotedState:
        """The moves are only ever added to, past those in use, and may stay where they are."""
        own = {name: getattr(state, name).copy() for name in ("weights", "used", "scratch")}
        return state._replace(**own)

    def compacted(self, state: VotedState) -> VotedState:
        number, end = int(state.used[0]), int(state.used[1])
        return state._replace(
            moves=state.moves[:end],
            columns=state.columns[:end],
            starts=state.starts[: number + 1],
            births=state.births[:number],
            scratch=np.zeros_like(state.scratch),
        )

    def sound(self, state: VotedState) -> bool:
        if len(state.used) != 3:
            return False
        number, end = int(state.used[0]), int(state.used[1])
        return (
            0 <= number == len(state.births) == len(state.starts) - 1
            and 0 <= end == len(state.moves) == len(state.columns)
            and state.starts[0] == 0
            and state.starts[-1] == end
            and bool((np.diff(state.starts) >= 0).all())
            and bool(((state.columns >= 0) & (state.columns < len(state.weights))).all())
        )

    def readout(self, state: VotedState, seen: int) -> VotedState:
        used = np.array([*state.used[:2], seen])
        return state._replace(used=used, scratch=np.zeros(len(state.weights)))

    def unmixable(self) -> str:
        return (
            "the voted perceptron keeps every weight vector there was, and a mean of votes is none"
        )

    def combination(self, state: VotedState) -> Vector:
        return state.weights
