"""Training on a cluster: epochs of all shards, mixed one after another (see `mixing`).

An epoch is all or nothing: whatever happens while shards learn, the state after the last complete
epoch is there, to be saved in a checkpoint or returned. No rows come to the client.
"""

import contextlib
import copy
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from novikoff.cluster.data.layout import DatasetOutline, Layout, ShardSummary
from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.training import mixing as mixes
from novikoff.cluster.training.mixing_bound import assert_bound_holds, shard_mistake_bound
from novikoff.cluster.training.protocol import (
    DatasetLoader,
    DistributedResult,
    Traffic,
    TrainingProgress,
    TrainingWatch,
    read_mixed_mistakes,
)
from novikoff.cluster.training.shard_epoch import (
    EpochRequest,
    EpochResult,
    LearnerSnapshot,
    SnapshotDelta,
    apply_snapshot_delta,
    lowest_shard_score,
    peek_head,
    run_epoch,
    shard_mistakes,
    shard_wrong_rows,
)
from novikoff.cluster.workers.shard_client import (
    BROADCAST_VERSIONS,
    Broadcast,
    CallProgress,
    ShardClient,
)
from novikoff.data.errors import RereadError
from novikoff.data.loader import should_stream
from novikoff.data.shards import CutError
from novikoff.errors import DataError, ParameterError
from novikoff.learning.epochs import Outcome, Stop, StopReason, TrainingRun, separator_size
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.learner import Learner
from novikoff.learning.loop import new_tally
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Vector, answers_otherwise
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.streaming import NO_LABELS, refuse_classes
from novikoff.learning.training import needs_scoring

T = TypeVar("T")


def train(
    spec: TrainingSpec,
    load: DatasetLoader,
    *,
    mixing: str = "uniform",
    watch: TrainingWatch | None = None,
    checkpoint: CheckpointManager | None = None,
) -> DistributedResult:
    """Learn from shards, epoch by epoch, until one passes without a mistake on any of them.

    load: `load_dataset` with its client and source. watch: called now and then; if it raises
    KeyboardInterrupt or `Stop`, or Ctrl-C is pressed, the last complete epoch is the result, and if
    there is none, the interruption is raised.
    """
    mixes.require_mixing(mixing)
    spec.require_known_class_weights("a shard of a cluster")
    return _Trainer(spec, mixing, watch, checkpoint).run(load)


class _LastCompleteEpoch(NamedTuple):
    """The state after the last complete epoch."""

    run: TrainingRun
    mixed: Vector
    traffic: list[Traffic]


class _Trainer:
    """One run of `train`."""

    def __init__(
        self,
        spec: TrainingSpec,
        mixing: str,
        watch: TrainingWatch | None,
        checkpoint: CheckpointManager | None,
    ) -> None:
        self.spec, self.mixing, self.checkpoint = spec, mixing, checkpoint
        self._watch = watch
        self._last: _LastCompleteEpoch | None = None
        self.streamed = False
        self._epoch, self._epoch_mistakes = 0, 0
        self._progress = CallProgress(0, 0, 0, 0)
        self._first_epoch: list[EpochResult] | None = None  # if it was learned while reading
        self._bytes_down = 0
        self._last_broadcast: tuple[int, LearnerSnapshot] | None = None  # with its version
        self._identity: dict[str, Any] | None = None  # of the data, as they were first opened

    @property
    def last(self) -> _LastCompleteEpoch:
        assert self._last is not None
        return self._last

    def run(self, load: DatasetLoader) -> DistributedResult:
        began = time.perf_counter()
        data = load(read=self._read, watch=self._call_progress)
        with contextlib.ExitStack() as stack:
            stack.callback(data.shard_client.close)  # after an error, workers keep nothing
            self.shard_client, self.data = data.shard_client, data
            self._begin()
            self._learn()
            result = self._result(began)
            stack.pop_all()
        return result

    def _result(self, began: float) -> DistributedResult:
        run, mixed, traffic = self.last
        outcome = run.outcome()
        margin = bound = wrong_rows = None
        with contextlib.suppress(KeyboardInterrupt, Stop):  # the epochs are complete without them
            margin = self._margin(run.learner) if outcome.converged else None
            bound = self._bound(run.learner, margin)
            wrong_rows = self._wrong_rows(run.learner, outcome)
        if bound is not None:
            assert_bound_holds(float(mixed[0]), bound, run.learner)
        checkpoint = self.checkpoint
        return DistributedResult(
            self.data,
            run.learner,
            self.data.layout.classes,
            outcome,
            self.data.layout.rows,
            margin,
            self.mixing,
            len(self.shard_client.shards),
            mixed,
            bound,
            traffic,
            time.perf_counter() - began if checkpoint is None else checkpoint.seconds,
            self.streamed,
            None if checkpoint is None else checkpoint.path,
            wrong_rows,
        )

    # Reading

    def _read(self, shard_client: ShardClient, outline: DatasetOutline) -> list[ShardSummary]:
        """Read the shards for the first time; where rows are not kept, learning from them."""
        shards = len(shard_client.shards)
        mixes.refuse_unmixable(self.spec.build_rule(), shards)
        resumed = None
        if self.checkpoint is not None:
            self._identity = self._identity or outline.identity  # not with the options of a reread
            resumed = self.checkpoint.begin(self._identity, shards=shards, mixing=self.mixing)
        self.shard_client, self._first_epoch = shard_client, None
        self.streamed = should_stream(self.spec, outline.format, outline.cache, outline.bytes)
        if self.streamed and resumed is None and not self.spec.needs_width:
            summaries = self._learn_while_reading()
            if summaries is not None:
                return summaries
        self._epoch = 0
        return shard_client.map_shards(WorkerShard.summary, self.spec.labels, not self.streamed)

    def _learn_while_reading(self) -> list[ShardSummary] | None:
        """Run the first epoch with what the first rows show; None if the rest shows more."""
        head = self.shard_client.map_shards(peek_head, self.spec.labels, only=[0])[0]
        classes = head.classes if self.spec.labels else NO_LABELS
        if classes is None or head.names_may_grow or not head.features:
            return None
        if not self.spec.weighs_only(classes):
            return None
        learner = self.spec.learner_for(head.features, classes)
        layout = Layout(head.features, classes, None, ())
        snapshot = LearnerSnapshot.of(learner, layout, self.spec.labels, self.spec.class_weight)
        request = EpochRequest(0, streamed=True, layout_known=False)
        self._epoch, self._epoch_mistakes, self._bytes_down = 1, 0, snapshot.size
        broadcast = Broadcast(next(BROADCAST_VERSIONS), snapshot)
        try:
            results = self._map_epoch(run_epoch, broadcast, request)
        except (CutError, RereadError):
            raise  # these say how to begin again
        except DataError:
            return None  # a survey shows whether it is one, and where
        summaries = [each.summary for each in results if each.summary is not None]
        if any(each.names != summaries[0].names for each in summaries):
            return None
        self._first_epoch = results
        return summaries

    def _begin(self) -> None:
        """Start the run, or resume it from the checkpoint."""
        layout = self.data.layout
        if self.spec.labels:
            refuse_classes(self.data.name, layout.classes, layout.rows)
        found = None if self.checkpoint is None else self.checkpoint.found
        if found is None or self.checkpoint is None:
            run = TrainingRun(self.spec.learner_for(layout.features, layout.classes))
            self._last = _LastCompleteEpoch(run, np.zeros(len(run.lowest)), [])
            return
        mixed = read_mixed_mistakes(found, self.checkpoint.path)
        same = np.array_equal(found.model.classes, layout.classes)
        if not same or found.run.learner.features != layout.features:
            raise ParameterError(
                f"resume: {self.checkpoint.path} was made from rows of other classes or features"
            )
        self._last = _LastCompleteEpoch(found.run, np.array(mixed), [])

    # Learning

    def _learn(self) -> None:
        """Run epochs to the end, or to an interruption."""
        problem: KeyboardInterrupt | Stop | None = None
        try:
            while self.last.run.because is None and len(self.last.run.past) < self.spec.budget:
                self._run_epoch()
                if self.checkpoint is not None and self.checkpoint.due:
                    self._save_checkpoint()
                self._report(end=True)
            self._decide(self.last.run)  # resumed after its last epoch
        except (KeyboardInterrupt, Stop) as raised:
            problem = raised
        finally:
            self._save_checkpoint()
        if problem is None:
            return
        if not self.last.run.past:
            raise problem
        because = problem.because if isinstance(problem, Stop) else StopReason.INTERRUPTED
        self.last.run.because = because

    def _run_epoch(self) -> None:
        """Have every shard make one pass, and mix what they learned."""
        run, mixed, traffic = self.last
        results, self._first_epoch = self._first_epoch, None
        if results is None:
            self._epoch, self._epoch_mistakes = len(run.past) + 1, 0
            request = EpochRequest(len(run.past), self.spec.order, self.spec.seed, self.streamed)
            results = self._map_epoch(run_epoch, self._broadcast(run.learner), request)
        found = mixes.mix(run.learner, results, self.mixing)
        after = copy.copy(run)
        after.learner, after.past = found.learner, [*run.past]
        after.end_epoch()
        self._decide(after)
        sent = Traffic(sum(result.size for result in results), self._bytes_down)
        self._last = _LastCompleteEpoch(after, mixed + found.mistakes, [*traffic, sent])

    def _decide(self, run: TrainingRun) -> None:
        """Have every shard count mistakes, where that shows whether learning is over."""
        if run.is_doubtful(self.spec.budget):
            request = EpochRequest(0, streamed=self.streamed)
            broadcast = self._broadcast(run.learner)
            run.decide(sum(self._map_epoch(shard_mistakes, broadcast, request)))

    def _save_checkpoint(self) -> None:
        """Save complete epochs only, with their mixed mistakes."""
        if self.checkpoint is not None and self.last.run.past:
            memory = {"mixed": self.last.mixed.tolist()}
            classes = self.data.layout.classes
            self.checkpoint.save(self.last.run, classes, self.data, memory=memory)

    def _map_epoch(
        self, function: Callable[..., T], broadcast: Broadcast, request: EpochRequest
    ) -> list[T]:
        numbers = range(len(self.shard_client.shards))
        return self.shard_client.map_shards(function, request, broadcast=broadcast, each=numbers)

    def _broadcast(self, learner: Learner) -> Broadcast:
        """The state for all shards; as the delta to the last epoch's where that is shorter."""
        how = self.spec.labels, self.spec.class_weight
        now = LearnerSnapshot.of(learner, self.data.layout, *how)
        version = next(BROADCAST_VERSIONS)
        broadcast = Broadcast(version, now, value_bytes=now.size)
        self._bytes_down = now.size
        if self._last_broadcast is not None and self._last_broadcast[0] == version - 1:
            delta = SnapshotDelta.between(self._last_broadcast[1], now)
            if delta.size < now.size:
                sizes = now.size, delta.size
                broadcast = Broadcast(version, now, apply_snapshot_delta, delta, *sizes)
                self._bytes_down = delta.size
        self._last_broadcast = version, now
        return broadcast

    # Margin and bound of a run that has converged

    def _margin(self, learner: Learner) -> float | None:
        """See `epochs.found_margin`."""
        size = separator_size(learner)
        if size is None:
            return None
        margin = self._lowest_score(learner) / size
        return margin if margin > 0.0 else None

    def _wrong_rows(self, learner: Learner, outcome: Outcome) -> int | None:
        """See `training.TrainingResult.wrong_rows`."""
        if not answers_otherwise(learner.rule):
            return 0 if outcome.converged else None
        if not needs_scoring(learner, outcome, self.data.layout.rows):
            return None
        request = EpochRequest(0, streamed=self.streamed)
        return sum(self._map_epoch(shard_wrong_rows, self._broadcast(learner), request))

    def _lowest_score(self, learner: Learner) -> float:
        request = EpochRequest(0, streamed=self.streamed)
        return float(min(self._map_epoch(lowest_shard_score, self._broadcast(learner), request)))

    def _bound(self, learner: Learner, margin: float | None) -> float | None:
        if margin is None:
            return None
        lowest = 0.0
        if learner.initial is not None:
            start = [protocol.start(learner.rule, learner.initial[0].copy())]
            lift = {"bias": learner.bias, "unit_length": learner.unit_length}
            first = Learner.from_state(learner.rule, learner.features, start, [new_tally()], **lift)
            lowest = self._lowest_score(first)
        return shard_mistake_bound(learner, margin, lowest)

    # Progress

    def _call_progress(self, progress: CallProgress) -> None:
        if isinstance(progress.response, EpochResult):
            self._epoch_mistakes += progress.response.mistakes
        self._progress = progress._replace(response=None)
        self._report()

    def _report(self, end: bool = False) -> None:
        if self._watch is None:
            return
        workers, done, shards, moved = self._progress[:4]
        run, traffic = (None, []) if self._last is None else (self._last.run, self._last.traffic)
        epoch = self._epoch, self._epoch_mistakes
        self._watch(TrainingProgress(workers, done, shards, moved, *epoch, run, traffic, end))
