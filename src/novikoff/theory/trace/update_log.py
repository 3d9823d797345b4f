"""The updates of a run: the loop's log, passed on in batches while the run goes on."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.epochs import EpochCounts, Outcome, Stop, StopReason, learn, may_be_last
from novikoff.learning.learner import Learner
from novikoff.learning.rows import Rows, length
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.trace.cycles import Cycle, CycleDetector


class UpdateBatch(NamedTuple):
    """Consecutive updates of a run."""

    rows: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]  # label * score, before the weights moved
    mistakes: npt.NDArray[np.bool_]
    epochs: npt.NDArray[np.int64]  # from 1
    amounts: npt.NDArray[np.float64]  # by which they moved

    def part(self, start: int, stop: int) -> "UpdateBatch":
        """Some of them."""
        columns: Any = (column[start:stop] for column in self)
        return UpdateBatch(*columns)


class UpdateLog(NamedTuple):
    """The log that the compiled loop writes."""

    rows: Any
    scores: Any
    mistakes: Any
    amounts: Any
    missed: Any  # how many mistakes came before each, in this log
    used: Any  # how many updates and mistakes are in it

    def record(self, i: int, amount: float, seen: Any) -> None:
        if amount != 0.0:
            k = self.used[0]
            self.rows[k] = i
            self.scores[k] = seen.label * seen.score
            self.mistakes[k] = seen.mistaken
            self.amounts[k] = amount
            self.missed[k] = self.used[1]
            self.used[0] = k + 1
        if seen.mistaken:
            self.used[1] += 1


def _new_log(room: int) -> UpdateLog:
    numbers, scores, flags = np.empty(room, np.int64), np.empty(room), np.empty(room, np.bool_)
    used = np.zeros(2, np.int64)
    return UpdateLog(numbers, scores, flags, scores.copy(), numbers.copy(), used)


class TracedRun(NamedTuple):
    """How the run ended, and the circle that it goes round in, if it is known to."""

    outcome: Outcome
    cycle: Cycle | None


def run_logged(
    learner: Learner,
    rows: Rows,
    codes: npt.NDArray[np.uint16],
    spec: TrainingSpec,
    consume: Callable[[UpdateBatch], None],
    watch: Callable[[Learner, int], None] | None = None,
    *,
    interruptible: bool = False,
    max_updates: int | None = None,
    stop_at_cycle: bool = False,
) -> TracedRun:
    """Learn for as long as the spec allows, and pass on the updates in batches."""
    log = _new_log(max(stop - start for start, stop in learner.blocks(rows)))
    cycles = CycleDetector(learner.states[0].weights) if spec.order == "given" else None
    recorder = _Recorder(learner, length(rows), log, consume, max_updates, cycles, stop_at_cycle)

    def pass_on(learner: Learner, stop: int) -> None:
        recorder.flush(stop)
        if watch is not None:
            watch(learner, stop)
        if stop == length(rows):
            recorder.end_epoch()

    outcome = learn(
        learner,
        rows,
        codes,
        max_epochs=spec.budget,
        order=spec.order,
        seed=spec.seed,
        watch=pass_on,
        log=log,
        interruptible=interruptible,
    )
    if outcome.because is StopReason.UPDATES:
        outcome = _outcome_within_budget(outcome, recorder.beyond)
    return TracedRun(outcome, None if cycles is None else cycles.found)


class _Recorder:
    """Passes on what the log holds, and ends the run at the last update, or at a cycle.

    The learner reads blocks of rows, and may have gone on for a little when its budget of updates
    runs out; what it did `beyond` the last of them is neither passed on nor counted.
    """

    def __init__(
        self,
        learner: Learner,
        rows: int,
        log: UpdateLog,
        consume: Callable[[UpdateBatch], None],
        max_updates: int | None,
        cycles: CycleDetector | None,
        stop_at_cycle: bool,
    ) -> None:
        self._learner, self._rows, self._log, self._consume = learner, rows, log, consume
        self._max_updates, self._cycles, self._stop_at_cycle = max_updates, cycles, stop_at_cycle
        self._epoch, self._made = 1, 0
        self._before = EpochCounts(0, 0)
        self.beyond = EpochCounts(0, 0)

    def flush(self, stop: int) -> None:
        """Pass on the updates since the last call."""
        log, (used, mistakes) = self._log, self._log.used.tolist()
        columns = log.rows, log.scores, log.mistakes, np.full(used, self._epoch), log.amounts
        updates = UpdateBatch(*(column[:used].copy() for column in columns))
        log.used[:] = 0
        most = self._max_updates
        if most is not None and self._made + used > most:
            left = most - self._made
            self.beyond = EpochCounts(mistakes - int(log.missed[left]), used - left)
            self._consume(updates.part(0, left))
            raise Stop(StopReason.UPDATES)
        self._made += used
        self._epoch += stop == self._rows
        self._consume(updates)

    def end_epoch(self) -> None:
        """Look for a cycle, unless learning is over anyway."""
        learner, before = self._learner, self._before
        now = EpochCounts(learner.total("mistakes"), learner.total("updates"))
        self._before = now
        done = EpochCounts(now.mistakes - before.mistakes, now.updates - before.updates)
        if self._cycles is None or may_be_last(learner.rule, done):
            return
        self._cycles.observe(learner.states[0].weights, self._made)
        if self._stop_at_cycle and self._cycles.repeated:
            raise Stop(StopReason.CYCLE)


def _outcome_within_budget(outcome: Outcome, beyond: EpochCounts) -> Outcome:
    """The outcome as it was at the last update of the budget, in the middle of an epoch.

    An epoch that had got nowhere by then is left out. Whether a full epoch without a mistake lies
    behind is asked of what is left, as ever.
    """
    mistakes, updates = outcome.mistakes_per_epoch[:], outcome.updates_per_epoch[:]
    mistakes[-1] -= beyond.mistakes
    updates[-1] -= beyond.updates
    converged = mistakes[-2:] == [0, 0]
    if not mistakes[-1] and not updates[-1]:
        mistakes.pop()
        updates.pop()
        converged = mistakes[-1] == 0
    return outcome._replace(
        epochs=len(mistakes),
        mistakes_per_epoch=mistakes,
        updates_per_epoch=updates,
        converged=converged,
    )
