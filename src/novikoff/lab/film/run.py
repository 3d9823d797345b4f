"""A run that is to be shown: its trace, the rule, and the order in which rows were read."""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.epochs import StopReason, epoch_order
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.rules import PassiveAggressive, Winnow, protocol
from novikoff.learning.rules.protocol import TIES
from novikoff.theory.trace import Trace
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.theory.trace.weights import ReplayedWeights

Places = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

UPDATES = 20_000  # the most that a film shows
ENDLESS = 5_000  # and of rows that are not separable, where nothing new would come
ROUNDS = 2  # of a run that repeats itself
PART = 2**21  # weights in memory at a time
#: The orders of an estimator, in words.
EPOCH_ORDERS = {"given": "in the order given", "shuffle": "in a new random order each epoch"}
CONVERGED = (StopReason.NO_MISTAKE.value, StopReason.NO_UPDATE.value)
NOTHING = np.empty(0, np.int64)


class FilmRun(NamedTuple):
    """A run and how it was made.

    trace: its table has the updates that are shown, which of a long run are the first. rule: as in
    `nk.rules`, with all parameters. order, seed: how each epoch went through the rows. numbers: of
    the rows as given, where the trace's rows were put into an order first; row i of the trace is
    row numbers[i]. order_words: that order in words. conflict: how many rows alone make separation
    impossible; 0 where that is not known.
    """

    trace: Trace
    rule: Any
    order: str
    seed: int
    numbers: Places | None = None
    order_words: str = ""
    conflict: int = 0

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        estimator: BaseLearner,
        numbers: Places | None = None,
        order_words: str = "",
        conflict: int = 0,
    ) -> "FilmRun":
        """Of a trace whose table has every update, or the first `UPDATES`, and of the estimator
        that said how to learn.
        """
        rule = protocol.for_features(estimator._rule(), trace.features)
        order = estimator.order
        seed = estimator._seed() if order == "shuffle" else 0
        most = UPDATES
        if trace.cycle is not None:
            most = min(most, trace.cycle.first + ROUNDS * trace.cycle.length)
        first = {name: column[:most] for name, column in trace.table.items()}
        shown = dataclasses.replace(trace, table=first)
        return cls(shown, rule, order, seed, numbers, order_words or EPOCH_ORDERS[order], conflict)

    @property
    def steps(self) -> int:
        """How many updates are shown."""
        return len(self.trace.table.get("update", NOTHING))

    @property
    def core(self) -> Any:
        """The rule that makes the moves."""
        return getattr(self.rule, "inner", self.rule)

    @property
    def separable(self) -> bool:
        """Whether a theorem ends the run."""
        return self.trace.target is not None

    @property
    def converged(self) -> bool:
        """Whether the film shows how the run came to its end."""
        return self.steps == self.trace.updates and self.trace.because in CONVERGED

    @property
    def repeats(self) -> bool:
        """Whether the film shows a whole round of a run that goes round for ever."""
        cycle = self.trace.cycle
        return cycle is not None and self.steps >= cycle.first + cycle.length

    @property
    def stuck(self) -> bool:
        """Whether a whole epoch moved nothing, and had a mistake all the same: a row of zeros."""
        trace = self.trace
        last = int(trace.table["epoch"][-1]) if self.steps else 0
        whole = self.steps == trace.updates
        return whole and trace.because == StopReason.BUDGET.value and trace.epochs > last

    @property
    def endless(self) -> bool:
        """Whether no weights can ever end the run, but for rounding.

        Where a score of 0 is right, some might. Those of a passive-aggressive run move within an
        epoch without a mistake, so that each row may be right in its turn.
        """
        if self.separable or isinstance(self.core, (Winnow, PassiveAggressive)):
            return False
        return self.core.tie == TIES["mistake"] or bool(protocol.seeks_margin(self.core))

    def as_numbered(self, rows: Places) -> Places:
        """What the trace's rows are called."""
        return rows if self.numbers is None else self.numbers[rows]

    def as_given(self, columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Columns, one for each row of the trace, in the order of the rows as given."""
        if self.numbers is None:
            return columns
        out = np.empty_like(columns)
        out[:, self.numbers] = columns
        return out

    def rows_seen_before(self) -> Places:
        """For each update, how many rows were looked at before its own."""
        table, rows = self.trace.table, self.trace.rows
        if not self.steps:
            return NOTHING
        places = table["row"].copy()
        if self.order == "shuffle":
            ends = np.append(np.flatnonzero(np.diff(table["epoch"])) + 1, self.steps)
            for start, end in zip([0, *ends[:-1]], ends, strict=True):
                epoch = int(table["epoch"][start]) - 1
                order = [part for _, part in epoch_order("shuffle", self.seed, epoch, rows)]
                place = np.empty(rows, np.int64)
                place[np.concatenate(order)] = np.arange(rows)
                places[start:end] = place[places[start:end]]
        times: Places = (table["epoch"] - 1) * rows + places
        return times

    def weights(self) -> Iterator[Numbers]:
        """The weights of each step, bit for bit, from the start on; a few steps at a time."""
        trace, table = self.trace, self.trace.table
        rows = trace.signed.rows._replace(unit_length=trace.unit_length)
        replay = ReplayedWeights(self.rule, rows, trace.signed.signs, trace.start)
        yield trace.start[None, :].copy()
        if not self.steps:
            return
        columns = table["row"], table["score"], table["mistake"], table["epoch"], self._amounts()
        moves = UpdateBatch(*columns)
        each = max(1, PART // len(trace.start))
        for start in range(0, self.steps, each):
            yield replay.after(moves.part(start, start + each))

    def _amounts(self) -> Numbers:
        """How far each update moved the weights along its row."""
        if isinstance(self.core, PassiveAggressive):
            steps: Numbers = self.trace.table["step"]
            return steps
        amount = self.core.alpha if isinstance(self.core, Winnow) else self.core.eta
        return np.full(self.steps, amount)
