"""The progress of training on a cluster."""

import math
import time

from novikoff.cli.shared.progress.status_line import (
    StatusPart,
    ceiling_part,
    left_part,
    moved_part,
    short,
    workers_part,
)
from novikoff.cli.shared.progress.training_progress import Progress, ProgressRecord, ShardProgress
from novikoff.cli.shared.text import finite
from novikoff.cluster.training.protocol import TrainingProgress
from novikoff.learning.epochs import TrainingRun


class ClusterProgress(Progress):
    """Epoch, shards, workers, mistakes and ceiling on the line."""

    workers = 0
    dashboard: str | None = None
    _epoch, _epoch_began = -1, 0.0

    def welcome(self, dashboard: str | None) -> None:
        """Say where the cluster's dashboard is, and keep it for the log."""
        self.dashboard = dashboard
        self.status.welcome(dashboard)

    def begin(self, doing: str) -> None:
        """Show what is begun, before anything is known."""
        self.show([StatusPart(1, doing)])

    def glance(self, moment: TrainingProgress) -> None:
        """Show and log how far the run is; called now and then, wherever it may be."""
        now = time.monotonic()
        self.workers = moment.workers
        if moment.epoch != self._epoch:
            self._epoch, self._epoch_began = moment.epoch, now
        showing, logging = self.due(now, moment.end)
        if moment.epoch == 0 or not moment.shards:
            logging = False  # as on one machine, a log is about learning
        if showing or logging:
            self.publish(self._shard_record(moment, now), now, showing, logging)
        self.stop_if_pressed()

    def _shard_record(self, moment: TrainingProgress, now: float) -> ProgressRecord:
        run, seconds = moment.run, now - self.learning_began
        mistakes, epochs, ceiling = 0, 0, math.inf
        if run is not None:
            mistakes, epochs = run.learner.total("mistakes"), len(run.past)
            ceiling = float(run.lowest.min())
        mistakes += 0 if moment.end else moment.mistakes
        rows = self.task.rows
        seen = None if rows is None else rows * epochs
        recent = None if seen is None else seen - self._seen, mistakes - self._mistakes
        self._seen, self._mistakes = seen or 0, mistakes
        left = None
        if moment.done and not moment.end:
            spent = now - self._epoch_began
            left = spent / moment.done * (moment.shards - moment.done)
        return ProgressRecord(
            seconds,
            moment.epoch,
            rows if moment.end else None,
            None,
            mistakes,
            *recent,
            ((seen or 0) - self._from) / seconds if seconds > 0.0 else 0.0,
            finite(ceiling),
            left,
            ShardProgress(
                moment.mistakes,
                moment.workers,
                moment.shards,
                moment.done,
                moment.moved,
                self.dashboard,
            ),
        )

    def begun(self, run: TrainingRun) -> None:
        """Take up a run that has begun before: its past counts for no speed."""
        self._from = self._seen = (self.task.rows or 0) * len(run.past)
        self._mistakes = run.learner.total("mistakes")

    def parts(self, record: ProgressRecord) -> list[StatusPart]:
        shards = record.cluster
        assert shards is not None
        parts = [StatusPart(1, f"epoch {record.epoch:,}" if record.epoch else "reading")]
        if shards.shards:
            done = f"{shards.shards_done:,}/{shards.shards:,}"
            parts.append(StatusPart(3, f"{done} shards", done))
        parts.append(workers_part(5, shards.workers))
        if record.epoch:
            mistakes, here = f"{short(record.mistakes)} mistakes", short(shards.epoch_mistakes)
            parts.append(StatusPart(2, f"{mistakes}, {here} in this epoch", f"{mistakes} +{here}"))
        if record.margin_ceiling is not None:
            parts.append(ceiling_part(4, record.margin_ceiling))
        if shards.shards_moved:
            parts.append(moved_part(6, shards.shards_moved))
        if record.seconds_left is not None:
            parts.append(left_part(7, record.seconds_left))
        return parts
