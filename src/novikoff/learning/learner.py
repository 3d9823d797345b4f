"""Who learns: copies of one rule, and one pass of theirs over rows.

Two classes need one learner; beyond that each class has its own, which tells it from the rest
(one-vs-rest). They all read the same rows while those are in the cache, so the data pass through
once however many classes there are. A rule that compares all classes itself has one learner.
"""

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Classes, Codes, refuse_too_wide
from novikoff.errors import DataError, ParameterError
from novikoff.learning.loop import (
    Counters,
    EpochInput,
    NoLog,
    Tally,
    WeightedCounters,
    answers_for,
    epoch_for,
    first_refused_for,
    new_tally,
)
from novikoff.learning.parallel.lookahead import Lookahead
from novikoff.learning.parallel.pool import run_all
from novikoff.learning.row_errors import refuse_overflow, row_error_message
from novikoff.learning.rows import (
    CsrRows,
    DenseRow,
    LearnerRows,
    WeightedRows,
    features_of,
    is_mapped,
    length,
    read_only,
    release,
    stored,
    unweighted,
)
from novikoff.learning.rules import protocol
from novikoff.learning.rules.multiclass import LONGER
from novikoff.learning.rules.protocol import TIES, Rule, Seen, Vector

AS_GIVEN = np.empty(0, np.int64)
EPS, SMALLEST = 2.0**-52, 5e-324  # the least that rounding can lose, of 1 and at all

# Values read by one call of the compiled loop. Small enough that Ctrl-C and progress are prompt;
# for several learners, that the second finds the rows in the cache; where a rule asks for room
# ahead of time, that it asks for little; and of rows in a file, that few are in memory.
BLOCK, BLOCK_OF_MANY, BLOCK_WITH_ROOM, BLOCK_MAPPED = 2**24, 2**16, 2**20, 2**21
ANSWERS = 2**20  # values that are read by one call which answers
WEIGHT_BYTES = 16  # for each feature and learner: its weight, and where the learner starts

Watch = Callable[["Learner", int], None]


class Learner:
    """Copies of one rule, each with a state and a tally of its own, learning from the same rows."""

    threads = 1  # how many may work on a block; the bytes do not depend on it
    _lookahead: Lookahead | None = None

    def __init__(
        self,
        rule: Rule,
        features: int,
        outputs: int | None = None,
        *,
        bias: bool = True,
        unit_length: bool = False,
        initial: npt.NDArray[np.float64] | None = None,
    ) -> None:
        protocol.validate(rule)
        self.rule = protocol.for_features(rule, features)
        self.features, self.bias, self.unit_length = features, bool(bias), bool(unit_length)
        outputs = outputs or (2 if self.joint else 1)  # of two classes
        refuse_too_wide(features, WEIGHT_BYTES * outputs)
        weights = np.zeros((outputs, features + bias)) if initial is None else initial + 0.0
        weights = np.ascontiguousarray(weights)
        if weights.shape != (outputs, features + bias):
            raise ParameterError(
                f"the start has shape {weights.shape}; {(outputs, features + bias)} is needed:"
                " a weight for each feature, then the intercept if there is one"
            )
        if not weights.any():
            _reject_never_moving(self.rule)
        self.initial = weights.copy() if weights.any() else None
        starts = [weights] if self.joint else list(weights)
        self.states = [protocol.start(self.rule, each) for each in starts]
        self.tallies: list[Tally] = [new_tally() for _ in starts]

    @classmethod
    def from_state(
        cls,
        rule: Rule,
        features: int,
        states: list[Any],
        tallies: list[Tally],
        bias: bool,
        unit_length: bool,
    ) -> "Learner":
        """One that has come so far elsewhere, to learn on; where it started is not known here."""
        learner = cls.__new__(cls)
        learner.rule, learner.features, learner.initial = rule, features, None
        learner.bias, learner.unit_length = bias, unit_length
        learner.states, learner.tallies = states, tallies
        return learner

    def fork(self) -> "Learner":
        """A learner in the same state, which learns on by itself."""
        twin = copy.copy(self)
        twin.states = [protocol.forked(self.rule, state) for state in self.states]
        twin.tallies = copy.deepcopy(self.tallies)
        return twin

    def read(
        self,
        rows: LearnerRows,
        codes: Codes,
        *,
        order: npt.NDArray[np.int64] = AS_GIVEN,
        start: int = 0,
        measure: bool = True,
        watch: Watch | None = None,
        log: Any = NoLog(),  # noqa: B008  (immutable)
        before: int = 0,
    ) -> None:
        """One pass over the rows, or over those that `order` names, from place `start` of it on.

        A learner that a row was refused by, or whose weights overflow, must be thrown away.
        before: how many rows of the data come before these, for the number that a message names.
        """
        self._require_fit(rows)
        if isinstance(rows, WeightedRows):
            self.count_weights()
        if self.joint and codes.max(initial=0) >= self.lines:
            raise DataError(f"a row has class number {codes.max()}, which has no weights")
        codes = read_only(codes)
        for first, stop in self.blocks(rows, start, len(order) or None):
            reading = EpochInput(rows, codes, 1, order, first, stop, measure)
            self._read_block(reading, log, before)
            release(rows, codes)
            if watch:
                watch(self, stop)

    def count_weights(self) -> None:
        """From now on, add up the weights of mistakes too: so far, each counted as 1."""
        require_weights(self.rule)
        for k, tally in enumerate(self.tallies):
            if isinstance(tally, Counters):
                self.tallies[k] = WeightedCounters(*tally, tally.mistakes.astype(np.float64))

    @property
    def weighted_mistakes(self) -> float:
        """The weights of all mistakes together; each counts as 1 where rows have none."""
        weighted = (getattr(each, "weighted_mistakes", each.mistakes)[0] for each in self.tallies)
        return float(sum(weighted))

    def refuse_any(self, rows: LearnerRows) -> None:
        """Refuse rows that cannot be learned from, before anything is learned from any of them."""
        self._require_fit(rows)
        bad = int(first_refused_for(self.rule)(self.rule, rows))
        if bad >= 0:
            raise DataError(row_error_message(self.rule, rows, bad))

    def _require_fit(self, rows: LearnerRows) -> None:
        """The loop does not look where it reads: rows of another width must not get there."""
        lift = unweighted(rows)
        shape = features_of(rows), lift.bias, lift.unit_length
        if shape != (self.features, self.bias, self.unit_length):
            raise DataError(
                f"the rows have {shape[0]} features, bias {shape[1]}, unit length {shape[2]}; this"
                f" learner has {self.features}, {self.bias}, {self.unit_length}"
            )

    def _read_block(self, reading: EpochInput, log: Any, before: int) -> None:
        """Let each learner read the block, on threads of their own where there are several."""
        refused = [0] * len(self.states)
        if len(self.states) == 1:
            refused[0] = self._epoch(0, reading, log, self.threads)
        else:

            def read(k: int) -> None:
                refused[k] = self._epoch(k, reading._replace(positive=k), log, 1)

            run_all(read, [(k,) for k in range(len(self.states))], self.threads)
        for state, row in zip(self.states, refused, strict=True):
            refuse_overflow(state)
            if row:
                raise DataError(row_error_message(self.rule, reading.rows, row - 1, before))

    def _epoch(self, k: int, reading: EpochInput, log: Any, threads: int) -> int:
        """Let learner k read the block; 0, or 1 + the number of a row that it refuses."""
        if self.reserves:
            room = reading.stop - reading.start, _entries(reading)
            self.states[k] = protocol.reserve(self.rule, self.states[k], *room)
        state, tally = self.states[k], self.tallies[k]
        if threads > 1:
            self._lookahead = self._lookahead or Lookahead()
            return self._lookahead.read(threads, self.rule, state, reading, tally, log)
        return int(epoch_for(self.rule, log)(self.rule, state, reading, tally, log))

    def blocks(
        self, rows: LearnerRows, start: int = 0, end: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """The places that are read by one call of the loop each."""
        total = length(rows)
        size = BLOCK if len(self.states) == 1 or self.threads > 1 else BLOCK_OF_MANY
        if self.reserves:
            size = min(size, BLOCK_WITH_ROOM)
        if is_mapped(rows):
            size = min(size, BLOCK_MAPPED)
        each = max(1, size * total // max(1, stored(rows) + total))
        end = total if end is None else end
        for first in range(start, end, each):
            yield first, min(first + each, end)

    def answers(
        self, rows: LearnerRows, start: int = 0, stop: int | None = None
    ) -> npt.NDArray[np.float64]:
        """What is decided for each row, or rows start to stop: (rows, outputs)."""
        self._require_fit(rows)
        readouts = self.outputs()
        out = np.empty((len(readouts), len(range(length(rows))[start:stop])))
        each = max(1, ANSWERS * length(rows) // max(1, stored(rows) + length(rows)))
        parts = [(k, at) for k in range(len(out)) for at in range(0, out.shape[1], each)]

        def answer(k: int, at: int) -> None:
            part = out[k, at : at + each]
            answers_for(readouts[k][0])(*readouts[k], rows, start + at, part)
            release(rows)

        run_all(answer, parts, self.threads)
        if not np.isfinite(out).all():
            bad = start + int(np.flatnonzero(~np.isfinite(out).all(axis=0))[0])
            raise DataError(row_error_message(self.rule, rows, bad))
        return out.T

    def outputs(self) -> list[tuple[Rule, Any]]:
        """What answers for each class, or for the second of two: rules and their readouts."""
        rule, pairs = self.rule, zip(self.states, self.tallies, strict=True)
        found = [protocol.readout(rule, state, int(tally.seen[0])) for state, tally in pairs]
        return [each for readout in found for each in protocol.outputs(rule, readout)]

    def margins(self, answers: npt.NDArray[np.float64], codes: Codes) -> Vector:
        """label * score for each row, of a single learner; of all classes, how far the row's own is
        ahead of the best other.
        """
        if not self.joint:
            return np.where(codes == 1, answers[:, 0], -answers[:, 0])
        rows, others = np.arange(len(answers)), answers.copy()
        others[rows, codes] = -np.inf
        margins: Vector = answers[rows, codes] - others.max(axis=1)
        return margins

    def mistakes_on(self, rows: LearnerRows, codes: Codes) -> int:
        """How many mistakes the learners make on rows while they learn nothing."""
        return sum(self.mistakes_by_learner(rows, codes))

    def mistakes_by_learner(self, rows: LearnerRows, codes: Codes) -> list[int]:
        """The same, of each learner."""
        pairs = [protocol.learned_with(self.rule, state) for state in self.states]
        states, lift = [state for _, state in pairs], (self.bias, self.unit_length)
        core = Learner.from_state(pairs[0][0], self.features, states, self.tallies, *lift)
        core.threads = self.threads
        counts = [0] * len(self.states)
        for start, stop in self.blocks(rows):
            answers, own = core.answers(rows, start, stop), codes[start:stop]
            if core.joint:
                margins = core.margins(answers, own)
                counts[0] += _mistakes(core.rule, margins, np.ones(len(margins)))
                continue
            for k, scores in enumerate(answers.T):
                labels = np.where(own == (k if len(self.states) > 1 else 1), 1.0, -1.0)
                counts[k] += _mistakes(core.rule, scores, labels)
        return counts

    def wrong_rows(self, rows: LearnerRows, codes: Codes) -> int:
        """How many rows the finished rule puts into a class that is not theirs."""
        count = 0
        for start, stop in self.blocks(rows):
            classes = self.predicted_codes(self.answers(rows, start, stop))
            count += int(np.count_nonzero(classes != codes[start:stop]))
        return count

    def predicted_codes(self, answers: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        """The class number that the answers for each row mean."""
        several, first = self.joint or answers.shape[1] > 1, answers[:, 0]
        codes: npt.NDArray[np.intp]
        codes = answers.argmax(axis=1) if several else self.positive(first).astype(np.intp)
        return codes

    def positive(self, answers: Any) -> Any:
        """Which of the answers mean +1: those above 0, and 0 itself where the tie says so."""
        return answers >= 0.0 if tie_of(self.rule) == TIES["positive"] else answers > 0.0

    def linear(self) -> tuple[Vector, Vector]:
        """The finished weights and intercepts: (outputs, features) and (outputs,)."""
        weights, intercepts = [], []
        for rule, readout in self.outputs():
            vector, offset = protocol.linear(rule, readout)
            weights.append(vector[: self.features])
            intercepts.append(offset + (vector[self.features] if self.bias else 0.0))
        return np.array(weights), np.array(intercepts)

    def resize(self, features: int) -> None:
        """Make room for more features, with the weights a rule starts with, or drop the last."""
        old, self.features = self.features, features
        for k, state in enumerate(self.states):
            fresh = self.zero_state(features)
            self.states[k] = protocol.resized(self.rule, state, fresh, old, features, self.bias)
        if self.initial is not None:
            fresh, self.initial = self.initial, np.zeros((len(self.initial), features + self.bias))
            common = min(old, features)
            self.initial[:, :common] = fresh[:, :common]
            if self.bias:
                self.initial[:, features] = fresh[:, old]

    def zero_state(self, features: int) -> Any:
        """A state that starts with zero weights for so many features."""
        return protocol.zero_state(self.rule, features + self.bias, len(self.states[0].weights))

    def insert_class(self, code: int) -> None:
        """Make room for one more class, with weights of zero, where one state is about all."""
        for k, state in enumerate(self.states):
            self.states[k] = _with_line(state, code)
        if self.initial is not None:
            self.initial = np.insert(self.initial, code, 0.0, axis=0)

    @property
    def joint(self) -> bool:
        """Whether one state is about all classes."""
        return protocol.is_joint(self.rule)

    @property
    def lines(self) -> int:
        """How many lines of weights there are: one for each class beyond two, or two if joint."""
        return len(self.states[0].weights) if self.joint else len(self.states)

    @property
    def reserves(self) -> bool:
        return hasattr(type(self.rule), "reserve")

    def total(self, field: str) -> int:
        """The sum of one field of the tallies over all learners."""
        return sum([int(getattr(tally, field)[0]) for tally in self.tallies])

    @property
    def radius(self) -> float:
        """D: the length of the longest row seen."""
        return math.sqrt(max(float(tally.radius_squared[0]) for tally in self.tallies))

    def ceilings(self) -> Vector:
        """For each learner, a number that no separator's margin exceeds; infinite if unknown."""
        return np.array([self._ceiling(k) for k in range(len(self.states))])

    def _ceiling(self, k: int) -> float:
        """|sum of a_m z_m| / sum of a_m, rounded up.

        Every unit vector u with margin gamma has gamma * sum a_m <= u . sum a_m z_m, and so
        gamma <= |sum a_m z_m| / sum a_m, whatever rows z_m were moved along and why. Each of the
        moves rounded the weights by at most eps * (|w_0| + 2 * sum a_m * D), or by the smallest
        number there is; that much is added.

        Shards that are mixed by shares mu have sum a_m mixed likewise, and the inequality with it.
        An epoch's means are sums of as many terms as shards moved, which is at most the moves made,
        and of one for the rest: with the shares' own roundings, they lose at most twice as much as
        the moves did, from weights and amounts. So three times as much is added, mixed or not.
        """
        vector, tally = protocol.combination(self.rule, self.states[k]), self.tallies[k]
        if vector is None or not tally.amount[0] > 0.0:
            return float("inf")
        moves, amount, start = float(tally.updates[0]), float(tally.amount[0]), 0.0
        if self.initial is not None:
            initial = self.initial if self.joint else self.initial[k]
            vector, start = vector - initial, norm(initial)
        size = norm(vector) * (1.0 + EPS * (vector.size + 8))
        largest = start + 2.0 * amount * (LONGER if self.joint else 1.0) * self.radius
        lost = 3.0 * moves * (EPS * largest + SMALLEST * math.sqrt(vector.size))
        return float((size + lost) / amount * (1.0 + EPS * (3.0 * moves + 8)))


def norm(vector: Vector) -> float:
    """|vector| but for rounding, also where its square is too small or too large for a double.

    Not by BLAS, whose threads cost more than an epoch where cores are busy, and whose last bit
    depends on the processor.
    """
    largest = float(np.maximum.reduce(np.abs(vector), axis=None, initial=0.0))
    if not 0.0 < largest < np.inf:
        return largest
    return largest * math.sqrt(float(np.add.reduce(np.square(vector / largest), axis=None)))


def require_weights(rule: Rule) -> None:
    """Refuse weights for a rule to which they mean nothing."""
    why = protocol.unweightable(rule)
    if why is not None:
        raise ParameterError(f"rows cannot be weighted for this rule: {why}")


def lines_needed(rule: Rule, classes: Classes) -> int:
    """How many lines of weights so many classes need: one tells two apart, unless the rule has a
    line for each.
    """
    return 1 if len(classes) == 2 and not protocol.is_joint(rule) else len(classes)


def _with_line(state: Any, code: int) -> Any:
    """The state of all classes, with a line of zeros for one more."""
    longer = [np.insert(array, code, 0.0, axis=0) for array in protocol.arrays_of(state)]
    return protocol.with_arrays(state, longer)


def _mistakes(rule: Rule, scores: Vector, labels: Vector) -> int:
    if hasattr(type(rule), "mistaken"):  # a rule of one's own
        wrong = [bool(protocol.mistaken(rule, *each)) for each in zip(scores, labels, strict=True)]
        return sum(wrong)
    tie = tie_of(rule)
    at_zero = np.where(labels > 0.0, tie.positive_loses, tie.negative_loses)
    return int(np.where(scores == 0.0, at_zero, scores * labels < 0.0).sum())


def tie_of(rule: Rule) -> Any:
    """The rule's tie, or that of the rule it wraps; None if it has none."""
    return tie_of(rule.inner) if hasattr(rule, "inner") else getattr(rule, "tie", None)


def _reject_never_moving(rule: Rule) -> None:
    """From zero weights every score is 0: a rule that never moves at 0 would stay for ever."""
    if tie_of(rule) != TIES["keep"]:
        return
    row = DenseRow(np.ones(1), False, 1.0)
    state = protocol.start(rule, np.zeros(1))
    seen = [Seen(label, 0.0, False, 0) for label in (-1.0, 1.0)]
    if protocol.score(rule, state, row) == 0.0 and not any(
        protocol.step(rule, state, row, each) for each in seen
    ):
        raise ParameterError(
            'tie="keep" from a start of zeros can never move: every score is 0, and at 0 it keeps'
            ' the weights. Use init="random" (or a start of your own), or another tie'
        )


def _entries(reading: EpochInput) -> int:
    """An upper bound on how many entries the rows to be read have together."""
    order, start, stop = reading.order, reading.start, reading.stop
    rows = unweighted(reading.rows)
    if not isinstance(rows, CsrRows):
        return (stop - start) * (features_of(rows) + 1)
    numbers = order[start:stop] if order.size else np.arange(start, stop)
    return int((rows.starts[numbers + 1] - rows.starts[numbers]).sum()) + stop - start
