"""The run's own weights after each update, computed anew from the log."""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.learning.loop import compiled, row_steps
from novikoff.learning.rows import Rows, row_at
from novikoff.learning.rules import Perceptron, Winnow, protocol
from novikoff.learning.rules.protocol import Seen, move
from novikoff.theory.trace.update_log import UpdateBatch


def _make_replay(sources: str) -> Any:
    def replay(rule: Any, state: Any, rows: Any, signs: Any, updates: Any, out: Any) -> None:
        sources  # noqa: B018  (see `loop.compiled`)
        for k in range(out.shape[0]):
            i = updates.rows[k]
            label = 1.0 if signs[i] > 0 else -1.0
            seen = Seen(label, label * updates.scores[k], updates.mistakes[k], 0)
            move(rule, state, row_at(rows, i), updates.amounts[k], seen)
            for j in range(out.shape[1]):
                out[k, j] = state.weights[j]

    return replay


def _replay_work(
    rule: Any, state: Any, rows: Any, signs: Any, moves: Any, out: npt.NDArray[np.float64]
) -> float:
    return len(out) * row_steps(rule, state, rows) + 3 * out.size


class ReplayedWeights:
    """Bit for bit the weights that the learner had; of averaged and voted rules those which make
    the mistakes.
    """

    def __init__(self, rule: Any, rows: Rows, signs: Any, start: npt.NDArray[np.float64]) -> None:
        # all but Winnow add amount * label * row to them, whatever else they keep
        self._rule = rule if isinstance(rule, Winnow) else Perceptron()
        self._rows, self._signs = rows, signs
        self._state = protocol.State(start.copy())

    @property
    def current(self) -> npt.NDArray[np.float64]:
        """The weights after the last update so far."""
        return self._state.weights

    def after(self, updates: UpdateBatch) -> npt.NDArray[np.float64]:
        """The weights after each of the next updates, a line each."""
        out = np.empty((len(updates.rows), len(self.current)))
        kernel = compiled(_make_replay, (type(self._rule), UpdateBatch), _replay_work)
        kernel(self._rule, self._state, self._rows, self._signs, updates, out)
        return out


def weight_columns(weights: npt.NDArray[np.float64], bias: bool) -> dict[str, Any]:
    """Weights as columns of a table."""
    count = weights.shape[1] - bias
    names = [f"weight_{j}" for j in range(count)] + ["intercept"] * bias
    return dict(zip(names, weights.T, strict=True))
