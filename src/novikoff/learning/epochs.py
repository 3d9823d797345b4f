"""Learning, one pass after another: in which order, when it ends, what is known then.

The order of an epoch follows from the seed and the epoch's number alone. Up to `WINDOW` rows are
shuffled as a whole. Of more, runs of `RUN` consecutive rows are shuffled, and then the rows within
each window of as many runs as make `WINDOW` rows: rows of one run stay in one window, and a file is
read in pieces that are worth a seek, and few enough that what the system maps around each is
little. It is the same wherever the rows are kept.
"""

import enum
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Codes
from novikoff.errors import ParameterError
from novikoff.learning.inseparability import Conflict, ProvenStop
from novikoff.learning.learner import AS_GIVEN, Learner, Watch, norm
from novikoff.learning.loop import NoLog
from novikoff.learning.pocket_check import check_pockets
from novikoff.learning.rows import LearnerRows, length
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Rule, Vector

RUN, WINDOW = 2**10, 2**16
ORDERS = ("given", "shuffle")

Places = npt.NDArray[np.int64]


class StopReason(enum.Enum):
    """Why learning stopped; the values are sentences for people."""

    NO_MISTAKE = "a full epoch passed without a mistake"
    NO_UPDATE = "a full epoch passed without an update"
    BUDGET = "the budget of epochs ran out"
    INTERRUPTED = "it was interrupted"
    END = "the stream ended"
    UPDATES = "the budget of updates ran out"
    CYCLE = "it goes round in a circle"
    HELD_OUT = "mistakes on the held-out rows no longer fall"
    PROVEN = "the rows are proven inseparable, and mistakes no longer fall"


class Stop(Exception):  # noqa: N818  (nothing went wrong)
    """Raised by a `watch`: learning ends after the block that it was called for."""

    def __init__(self, because: StopReason) -> None:
        super().__init__(because.value)
        self.because = because


class Outcome(NamedTuple):
    """What one run of `learn` did, and what it proves."""

    epochs: int
    mistakes_per_epoch: list[int]
    updates_per_epoch: list[int]
    converged: bool
    because: StopReason
    ceilings: Vector  # one for each learner: no separator has a larger margin
    conflict: Conflict | None = None  # the proof that no run can converge, where there is one


class EpochCounts(NamedTuple):
    """Of one epoch, or of all up to some moment."""

    mistakes: int
    updates: int


class TrainingRun:
    """Epochs of one learner, in the making: all that it takes, with the learner, to go on later.

    `past` are the counts of the epochs that are over, `place` how many rows of the present one were
    read, `before` what the learner had counted when it began, `lowest` the lowest ceilings at the
    end of any epoch.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.past: list[EpochCounts] = []
        self.place = 0
        self.before = self._counted()
        self.lowest = np.full(len(learner.states), np.inf)
        self.because: StopReason | None = None
        self.is_right = False  # whether the weights were seen to make no mistake on any row
        self.proof: ProvenStop | None = None  # asks whether the rows are inseparable

    def _counted(self) -> EpochCounts:
        return EpochCounts(self.learner.total("mistakes"), self.learner.total("updates"))

    def train(
        self,
        rows: LearnerRows,
        codes: Codes,
        *,
        max_epochs: int,
        order: str = "given",
        seed: int = 0,
        watch: Watch | None = None,
        log: Any = NoLog(),  # noqa: B008
        interruptible: bool = False,
    ) -> Outcome:
        """Learn on, from where it stands; see `learn`."""
        while self.because is None and len(self.past) < max_epochs:
            try:
                self._epoch(rows, codes, order, seed, watch, log)
            except KeyboardInterrupt:
                if not interruptible:
                    raise
                self.because = StopReason.INTERRUPTED
            except Stop as stop:
                self.because = stop.because
            self.end_epoch()
            if self.because is not StopReason.INTERRUPTED:
                check_pockets(self.learner, [(rows, codes)])
            if self.is_doubtful(max_epochs):
                self.decide(self.learner.mistakes_on(rows, codes))
            self.ask(max_epochs)
        if self.is_doubtful(max_epochs):  # resumed after its last epoch
            self.decide(self.learner.mistakes_on(rows, codes))
        return self.outcome()

    def is_doubtful(self, max_epochs: int) -> bool:
        """Whether one more pass has to show if the weights are right on every row: the last epoch
        made no mistake but moved them, and learning may end with it.
        """
        if self.because is not None or not self.past or self.place or self.is_right:
            return False
        last, rule = self.past[-1], self.learner.rule
        if last.mistakes or not last.updates:
            return False
        return may_be_last(rule, last) or len(self.past) >= max_epochs

    def decide(self, mistakes: int) -> None:
        """Say how many mistakes the weights make on all rows."""
        self.is_right = mistakes == 0
        if self.is_right and not protocol.seeks_margin(self.learner.rule):
            self.because = StopReason.NO_MISTAKE

    def ask(self, max_epochs: int) -> None:
        """End the run where nothing more can come of it: see `inseparability`."""
        if self.proof is None or self.because or not self.past or len(self.past) >= max_epochs:
            return
        if self.proof.is_due([each.mistakes for each in self.past]):
            self.because = StopReason.PROVEN

    def _epoch(
        self, rows: LearnerRows, codes: Codes, order: str, seed: int, watch: Watch | None, log: Any
    ) -> None:
        first = not self.past
        for start, places in epoch_order(order, seed, len(self.past), length(rows), self.place):

            def after_block(learner: Learner, stop: int, start: int = start) -> None:
                self.place = start + stop
                if watch is not None:
                    watch(learner, self.place)

            inside = self.place - start
            self.learner.read(
                rows, codes, order=places, start=inside, measure=first, watch=after_block, log=log
            )

    def end_epoch(self) -> None:
        """Count what the epoch did, and see whether it was the last."""
        now = self._counted()
        done = EpochCounts(now.mistakes - self.before.mistakes, now.updates - self.before.updates)
        self.past.append(done)
        self.lowest = np.minimum(self.lowest, self.learner.ceilings())
        self.because, self.is_right = self.because or stop_reason(self.learner.rule, done), False
        self.place, self.before = 0, now

    def outcome(self) -> Outcome:
        """What is known now that it is over."""
        mistakes, updates = (list(each) for each in zip(*self.past, strict=True))
        stopped = self.because in (StopReason.INTERRUPTED, StopReason.END, StopReason.UPDATES)
        is_right = self.is_right or not updates[-1] or self.because is StopReason.NO_MISTAKE
        converged = mistakes[-1] == 0 and not stopped and is_right
        because = self.because or StopReason.BUDGET
        if because is StopReason.PROVEN and self.proof is not None:
            self.proof.is_due(mistakes)  # asks again where the run was resumed after its end
        conflict = None if self.proof is None else self.proof.conflict
        return Outcome(len(self.past), mistakes, updates, converged, because, self.lowest, conflict)


def learn(learner: Learner, rows: LearnerRows, codes: Codes, **options: Any) -> Outcome:
    """Epoch after epoch until one passes without a mistake, or without a move where the rule is one
    that goes on moving for the sake of a margin, or the budget `max_epochs` runs out. An epoch that
    moved the weights without a mistake is the last one if they then make none on any row.

    order, seed: see above. watch: called after each block of rows, with the learner and the number
    of rows of the epoch so far. log: what updates are recorded in. With `interruptible`, Ctrl-C
    ends learning as the budget does, after the block being read.
    """
    return TrainingRun(learner).train(rows, codes, **options)


def may_be_last(rule: Rule, done: EpochCounts) -> bool:
    """Whether an epoch with these counts can be the last one before the budget runs out."""
    return (done.updates if protocol.seeks_margin(rule) else done.mistakes) == 0


def stop_reason(rule: Rule, done: EpochCounts) -> StopReason | None:
    """Why an epoch with these counts is the last one; None if it is not, or not known to be."""
    if done.updates or done.mistakes:
        return None  # where it moved without a mistake, a pass with these weights decides
    return StopReason.NO_UPDATE if protocol.seeks_margin(rule) else StopReason.NO_MISTAKE


def epoch_order(
    order: str, seed: int, epoch: int, rows: int, place: int = 0
) -> Iterator[tuple[int, Places]]:
    """The rows of one epoch in its order, from the window that holds `place` on.

    Pairs of how many rows come before the window, and the numbers of its rows; no numbers at all
    mean all rows, as given.
    """
    if order not in ORDERS:
        raise ParameterError(f'order must be "given" or "shuffle", not {order!r}')
    if order == "given":
        yield 0, AS_GIVEN
        return
    random = np.random.default_rng([seed, epoch])
    if rows <= WINDOW:
        yield 0, random.permutation(rows)
        return
    runs = random.permutation(-(-rows // RUN))
    start = 0
    for number, first in enumerate(range(0, len(runs), WINDOW // RUN)):
        chosen = runs[first : first + WINDOW // RUN]
        places = (chosen[:, None] * RUN + np.arange(RUN)).ravel()
        places = places[places < rows]
        if start + len(places) > place:
            yield start, np.random.default_rng([seed, epoch, number]).permutation(places)
        start += len(places)


def found_margin(learner: Learner, rows: LearnerRows, codes: Codes) -> float | None:
    """The margin of the separator that one learner found, as floating point computes it.

    min label * row . w / |w| over the rows; None if it separates nothing, or is not of that form.
    """
    size = separator_size(learner)
    if size is None:
        return None
    margin = lowest_score(learner, rows, codes) / size
    return margin if margin > 0.0 else None


def separator_size(learner: Learner) -> float | None:
    """|w| where one learner decides by the sign of row . w, or by the highest one; else None."""
    if learner.joint and not protocol.answers_otherwise(learner.rule):
        return norm(learner.states[0].weights) or None
    if len(learner.states) > 1 or hasattr(type(learner.rule), "decide") or learner.joint:
        return None
    ((rule, readout),) = learner.outputs()
    weights, offset = protocol.linear(rule, readout)
    size = norm(weights)
    return None if offset or not size > 0.0 else size


def lowest_score(learner: Learner, rows: LearnerRows, codes: Codes) -> float:
    """min label * score over the rows, of a single learner; infinite if there are none."""
    lowest = np.inf
    for start, stop in learner.blocks(rows):
        answers = learner.answers(rows, start, stop)
        lowest = min(lowest, float(learner.margins(answers, codes[start:stop]).min()))
    return lowest
