"""An epoch on one shard, run by its worker: an ordinary pass over the rows, from a sent state.

The worker gets the state that all shards begin the epoch with, and returns what changed in it and
the counts. Rows stay on the worker.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.data.layout import Layout, ShardSummary
from novikoff.cluster.data.shard import RenumberedSource, WorkerShard, summarize
from novikoff.cluster.training.array_delta import Array, ArrayDelta, apply_all, deltas
from novikoff.data.chunk import LabelArray
from novikoff.data.matrices import Codes
from novikoff.data.source import Source
from novikoff.data.sparse import Matrix
from novikoff.data.weights import ClassWeight, Weights
from novikoff.errors import DataError
from novikoff.learning.epochs import EpochCounts, TrainingRun, epoch_order, lowest_score
from novikoff.learning.learner import Learner
from novikoff.learning.loop import Counters, Tally, WeightedCounters
from novikoff.learning.rows import LearnerRows, length
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import arrays_of, with_arrays, zero_state
from novikoff.learning.spec import OWN, TrainingSpec
from novikoff.learning.streaming import Stream


class ShardCounts(NamedTuple):
    """The counters of a learner as plain numbers."""

    seen: int
    mistakes: int
    updates: int
    amount: float
    radius_squared: float
    weighted_mistakes: float | None = None  # None: no row had a weight

    @classmethod
    def of(cls, tally: Tally) -> "ShardCounts":
        return cls(*(each[0].item() for each in tally))

    def tally(self) -> Tally:
        if self.weighted_mistakes is None:
            return Counters(*(np.array([each]) for each in self[:-1]))
        return WeightedCounters(*(np.array([each]) for each in self))

    @property
    def weight(self) -> float:
        """The weights of all mistakes together; each counts as 1 where rows have none."""
        return self.mistakes if self.weighted_mistakes is None else self.weighted_mistakes


class LearnerSnapshot(NamedTuple):
    """The learners as they are sent to workers, and how these are to read the rows for them.

    arrays: those of each learner's state. labels: whether the rule uses them.
    """

    rule: Any
    features: int
    bias: bool
    unit_length: bool
    labels: bool
    layout: Layout
    arrays: list[list[Array]]
    tallies: list[ShardCounts]
    class_weight: ClassWeight = None

    @classmethod
    def of(
        cls, learner: Learner, layout: Layout, labels: bool, class_weight: ClassWeight = None
    ) -> "LearnerSnapshot":
        lift = learner.bias, learner.unit_length, labels
        arrays, counts = _arrays_and_counts(learner)
        return cls(learner.rule, learner.features, *lift, layout, arrays, counts, class_weight)

    def learner(self) -> Learner:
        """A learner with copies of the states."""
        fresh = self.zero_state(self.features)
        return Learner.from_state(
            self.rule,
            self.features,
            [with_arrays(fresh, [each.copy() for each in arrays]) for arrays in self.arrays],
            [each.tally() for each in self.tallies],
            bias=self.bias,
            unit_length=self.unit_length,
        )

    def zero_state(self, features: int) -> Any:
        """A state that starts with zero weights for so many features."""
        return zero_state(self.rule, features + self.bias, len(self.layout.classes))

    def spec(self) -> TrainingSpec:
        """How these learners, which have begun, see rows."""
        name = OWN if self.labels else "one-sided"
        spec = TrainingSpec(
            name, {}, bias=self.bias, unit_length=self.unit_length, own_rule=self.rule
        )
        return spec._replace(class_weight=self.class_weight)

    def rows(self, matrix: Matrix, codes: Codes, weights: Weights | None) -> LearnerRows:
        spec = self.spec()
        return spec.rows(matrix, spec.row_weights(self.layout.classes, codes, weights))

    @property
    def size(self) -> int:
        """Bytes of its arrays."""
        return sum(array.nbytes for arrays in self.arrays for array in arrays)


class SnapshotDelta(NamedTuple):
    """The difference between the snapshots of two epochs."""

    changes: list[list[ArrayDelta]]
    tallies: list[ShardCounts]

    @classmethod
    def between(cls, before: LearnerSnapshot, after: LearnerSnapshot) -> "SnapshotDelta":
        return cls(list(map(deltas, before.arrays, after.arrays)), after.tallies)

    @property
    def size(self) -> int:
        return total_bytes(self.changes)


def apply_snapshot_delta(before: LearnerSnapshot, delta: SnapshotDelta) -> LearnerSnapshot:
    """The later snapshot, made on a worker that has the one before."""
    arrays = list(map(apply_all, before.arrays, delta.changes))
    return before._replace(arrays=arrays, tallies=delta.tallies)


class EpochRequest(NamedTuple):
    """How to pass over a shard. layout_known: whether the snapshot's layout is that of all data."""

    epoch: int
    order: str = "given"
    seed: int = 0
    streamed: bool = False
    layout_known: bool = True


class EpochResult(NamedTuple):
    """What one pass over a shard did: the change of each learner's state, and its counts after it.

    The changes are to the state that was sent; if the rows were wider than that, to a zero state
    of as many features. summary: of the shard, where the layout was not known before.
    """

    changes: list[list[ArrayDelta]]
    tallies: list[ShardCounts]
    features: int
    mistakes: int
    summary: ShardSummary | None = None

    @property
    def size(self) -> int:
        return total_bytes(self.changes)


def run_epoch(
    shard: WorkerShard, snapshot: LearnerSnapshot, number: int, request: EpochRequest
) -> EpochResult:
    """Make one pass over the rows of a shard. number: which of all shards it is."""
    learner, summary = snapshot.learner(), None
    mistakes = learner.total("mistakes")
    if request.streamed:
        summary = _learn_streamed(shard, snapshot, learner, number, request)
    else:
        _learn_resident(shard, snapshot, learner, number, request)
    mistakes = learner.total("mistakes") - mistakes
    before = snapshot.arrays
    if learner.features != snapshot.features:
        wide = arrays_of(snapshot.zero_state(learner.features))
        before = [wide] * len(snapshot.arrays)
    arrays, tallies = _arrays_and_counts(learner)
    changes = list(map(deltas, before, arrays))
    return EpochResult(changes, tallies, learner.features, mistakes, summary)


def _learn_resident(
    shard: WorkerShard,
    snapshot: LearnerSnapshot,
    learner: Learner,
    number: int,
    request: EpochRequest,
) -> None:
    """Learn from rows that the worker keeps."""
    rows, codes = _resident(shard, snapshot)
    before = snapshot.layout.offsets[number]
    _refuse_changed_count(shard, snapshot.layout, number, length(rows))
    for _, places in epoch_order(request.order, request.seed, request.epoch, length(rows)):
        learner.read(rows, codes, order=places, measure=request.epoch == 0, before=before)


def _learn_streamed(
    shard: WorkerShard,
    snapshot: LearnerSnapshot,
    learner: Learner,
    number: int,
    request: EpochRequest,
) -> ShardSummary | None:
    """Learn from rows as they are read; the shard's summary, unless the layout was known."""
    source: Source = shard.source()
    if request.layout_known:
        source = RenumberedSource(source, snapshot.layout)
    run = TrainingRun(learner)
    run.past = [EpochCounts(0, 0)] * request.epoch
    stream = Stream.resume(snapshot.spec(), source, run, snapshot.layout.classes)
    if request.layout_known:
        stream.before = snapshot.layout.offsets[number]
    stream.epoch()
    if request.layout_known:
        _refuse_changed_count(shard, snapshot.layout, number, run.place)
        return None
    classes = stream.classes if snapshot.labels else None
    return summarize(source, run.place, learner.features, classes)


def _refuse_changed_count(shard: WorkerShard, layout: Layout, number: int, rows: int) -> None:
    """Refuse a shard that has another number of rows than when it was first read."""
    expected = layout.offsets[number + 1] - layout.offsets[number]
    if rows != expected:
        raise DataError(
            f"{shard.source().name}: shard {number + 1} had {expected:,} rows, and now it has"
            f" {rows:,}: leave the data alone, and begin again"
        )


def lowest_shard_score(
    shard: WorkerShard, snapshot: LearnerSnapshot, number: int, request: EpochRequest
) -> float:
    """The lowest signed score of a shard's rows; infinite if it has none."""
    learner = snapshot.learner()
    blocks = _labelled_rows(shard, snapshot, request)
    return min((lowest_score(learner, rows, codes) for rows, codes in blocks), default=np.inf)


def shard_wrong_rows(
    shard: WorkerShard, snapshot: LearnerSnapshot, number: int, request: EpochRequest
) -> int:
    """How many of a shard's rows the finished rule gets wrong."""
    learner = snapshot.learner()
    blocks = _labelled_rows(shard, snapshot, request)
    return sum(learner.wrong_rows(rows, codes) for rows, codes in blocks)


def shard_mistakes(
    shard: WorkerShard, snapshot: LearnerSnapshot, number: int, request: EpochRequest
) -> int:
    """How many mistakes the weights make on a shard's rows."""
    learner = snapshot.learner()
    blocks = _labelled_rows(shard, snapshot, request)
    return sum(learner.mistakes_on(rows, codes) for rows, codes in blocks)


def _labelled_rows(
    shard: WorkerShard, snapshot: LearnerSnapshot, request: EpochRequest
) -> Iterator[tuple[LearnerRows, Codes]]:
    """The rows of a shard and their class numbers: all at once, or as they are read."""
    if not request.streamed:
        yield _resident(shard, snapshot)
        return
    for X, y, weights in shard.chunks(snapshot.layout):
        codes = snapshot.layout.codes(y, "the data") if snapshot.labels else _ones(X.shape[0])
        yield snapshot.rows(X, codes, weights), codes


def _resident(shard: WorkerShard, snapshot: LearnerSnapshot) -> tuple[LearnerRows, Codes]:
    """Rows that the worker keeps, and their class numbers."""
    matrix = shard.matrix(snapshot.layout)
    codes = shard.codes(snapshot.layout) if snapshot.labels else _ones(matrix.shape[0])
    return snapshot.rows(matrix, codes, shard.weights()), codes


def _ones(rows: int) -> Codes:
    return np.ones(rows, np.uint16)


class ShardHead(NamedTuple):
    """What the first rows of a shard show. classes: None if they show fewer than two.
    names_may_grow: whether further rows may bring features with new names.
    """

    classes: LabelArray | None
    features: int
    names_may_grow: bool


def peek_head(shard: WorkerShard, labels: bool) -> ShardHead:
    """Read the first rows of a shard: a chunk, and a second one if the first has one label only."""
    source, chunks = shard.source(), []
    classes: LabelArray | None = None
    for chunk in itertools.islice(source.chunks(), 2):
        chunks.append(chunk)
        if not labels:
            break
        if chunk.y is None:
            raise DataError(f"{source.name}: the rows have no labels to learn from")
        classes = np.unique(np.concatenate([each.y for each in chunks]))
        if len(classes) > 1:
            break
    width = max((each.X.shape[1] for each in chunks), default=0)
    growing = source.feature_names is not None and any(hasattr(c.X, "indptr") for c in chunks)
    if classes is not None and len(classes) < 2:
        classes = None
    return ShardHead(classes, width, growing)


def total_bytes(changes: Sequence[Sequence[ArrayDelta]]) -> int:
    return sum(each.size for some in changes for each in some)


def _arrays_and_counts(learner: Learner) -> tuple[list[list[Array]], list[ShardCounts]]:
    """The arrays of each state, without spare room, and the counts."""
    states = (protocol.compacted(learner.rule, state) for state in learner.states)
    return [arrays_of(state) for state in states], list(map(ShardCounts.of, learner.tallies))
