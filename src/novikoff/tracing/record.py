"""Which updates a run made: the loop's log, handed on in pieces while the run goes on."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.epochs import Outcome, learn
from novikoff.learn import Learner
from novikoff.rows import Rows, length


class Moves(NamedTuple):
    """Consecutive updates of a run."""

    rows: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]  # label * score, before the weights moved
    mistakes: npt.NDArray[np.bool_]
    epochs: npt.NDArray[np.int64]  # from 1


class Log(NamedTuple):
    """Where the compiled loop notes them."""

    rows: Any
    scores: Any
    mistakes: Any
    used: Any

    def record(self, i: int, amount: float, seen: Any) -> None:
        if amount != 0.0:
            k = self.used[0]
            self.rows[k] = i
            self.scores[k] = seen.label * seen.score
            self.mistakes[k] = seen.mistaken
            self.used[0] = k + 1


def _new_log(room: int) -> Log:
    numbers, scores = np.empty(room, np.int64), np.empty(room)
    return Log(numbers, scores, np.empty(room, np.bool_), np.zeros(1, np.int64))


class Budget(NamedTuple):
    """How long to learn, and in which order."""

    max_epochs: int
    order: str
    seed: int
    interruptible: bool = False


def run(
    learner: Learner,
    rows: Rows,
    codes: npt.NDArray[np.uint16],
    budget: Budget,
    take: Callable[[Moves], None],
    watch: Callable[[Learner, int], None] | None = None,
) -> Outcome:
    """Learn, and hand on each piece of the log as it comes."""
    log = _new_log(max(stop - start for start, stop in learner.blocks(rows)))
    epoch = 1

    def hand_on(learner: Learner, stop: int) -> None:
        nonlocal epoch
        used = int(log.used[0])
        kept = log.rows[:used].copy(), log.scores[:used].copy(), log.mistakes[:used].copy()
        take(Moves(*kept, np.full(used, epoch)))
        log.used[0] = 0
        epoch += stop == length(rows)
        if watch is not None:
            watch(learner, stop)

    return learn(
        learner,
        rows,
        codes,
        max_epochs=budget.max_epochs,
        order=budget.order,
        seed=budget.seed,
        watch=hand_on,
        log=log,
        interruptible=budget.interruptible,
    )
