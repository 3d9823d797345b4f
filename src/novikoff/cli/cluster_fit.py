"""What `fit` does on a cluster: it has the shards learn and mixes them, and shows how far it is."""

import math
import time
from functools import partial
from typing import Any, NamedTuple

from novikoff.checkpoints import Keeper
from novikoff.cli.clusters import Cluster, Distant, list_skipped
from novikoff.cli.lines import Part, minutes, short
from novikoff.cli.plans import Plan
from novikoff.cli.progress import Progress
from novikoff.cli.results import OfShards, Result, count
from novikoff.cli.training import refuse_many, refuse_unprovable
from novikoff.cli.watching import welcome
from novikoff.cluster.data import Data, gathered
from novikoff.cluster.judging import signed_rows
from novikoff.cluster.mixing import refuse_unmixable
from novikoff.cluster.runs import Moment
from novikoff.cluster.training import run
from novikoff.rounding import rounded_up
from novikoff.rules.protocol import unmixable
from novikoff.verdict.judge import Judge


class Glimpse(NamedTuple):
    """How far a run on a cluster has come; the keys of a log on one machine come first."""

    seconds: float
    epoch: int  # 0 while the data are read
    rows: int | None  # of this epoch; known when it is over
    bytes: int | None
    mistakes: int
    recent_rows: int | None
    recent_mistakes: int
    rows_per_second: float
    margin_ceiling: float | None
    seconds_left: float | None
    epoch_mistakes: int  # of the shards that are done
    workers: int
    shards: int
    shards_done: int
    shards_moved: int  # after a fault
    dashboard: str | None

    def as_json(self) -> dict[str, Any]:
        fields = self._asdict()
        for name in ("seconds", "seconds_left", "rows_per_second"):
            fields[name] = None if fields[name] is None else round(fields[name], 3)
        return fields


class ClusterProgress(Progress):
    """Workers, shards, epoch, mistakes and ceiling on the line."""

    workers = 0
    dashboard: str | None = None
    _epoch, _epoch_began = -1, 0.0

    def welcome(self, dashboard: str | None) -> None:
        """Say where the cluster can be looked at."""
        self.dashboard = dashboard
        if self.live is not None and dashboard is not None:
            self.live.console.print(welcome(dashboard), soft_wrap=True, markup=False)

    def begin(self, doing: str) -> None:
        """Show what is done before anything is known."""
        if self.shown:
            self._show([Part(1, doing, doing)])

    def glance(self, moment: Moment) -> None:
        """Called now and then, wherever the run may be."""
        now = time.monotonic()
        self.workers = moment.workers
        if moment.epoch != self._epoch:
            self._epoch, self._epoch_began = moment.epoch, now
        showing, logging = self.due(now, moment.end)
        if moment.epoch == 0 or not moment.shards:
            logging = False  # as on one machine, a log is about learning
        if showing or logging:
            self.tell(self._glimpse(moment, now), now, showing, logging)
        self.stop_if_pressed()

    def _glimpse(self, moment: Moment, now: float) -> Glimpse:
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
        return Glimpse(
            seconds,
            moment.epoch,
            rows if moment.end else None,
            None,
            mistakes,
            *recent,
            ((seen or 0) - self._from) / seconds if seconds > 0.0 else 0.0,
            ceiling if math.isfinite(ceiling) else None,
            left,
            moment.mistakes,
            moment.workers,
            moment.shards,
            moment.done,
            moment.moved,
            self.dashboard,
        )

    def begun(self, run: Any) -> None:
        """Called with a run that goes on, so that its past counts for no speed."""
        self._from = self._seen = (self.task.rows or 0) * len(run.past)
        self._mistakes = run.learner.total("mistakes")

    def parts(self, moment: Any) -> list[Part]:
        """What there is to say, in the order of reading."""
        name = f"epoch {moment.epoch:,}" if moment.epoch else "reading"
        parts = [Part(1, name, name)]
        if moment.shards:
            done = f"{moment.shards_done:,}/{moment.shards:,}"
            parts.append(Part(3, f"{done} shards", done))
        workers = f"{moment.workers:,} worker{'s' * (moment.workers != 1)}"
        parts.append(Part(5, workers, f"{moment.workers:,}w"))
        if moment.epoch:
            mistakes = f"{short(moment.mistakes)} mistakes"
            here = short(moment.epoch_mistakes)
            parts.append(Part(2, f"{mistakes}, {here} in this epoch", f"{mistakes} +{here}"))
        if moment.margin_ceiling is not None:
            wide, narrow = (rounded_up(moment.margin_ceiling, digits) for digits in (3, 2))
            parts.append(Part(4, f"margin < {wide}", f"γ<{narrow}"))
        if moment.shards_moved:
            moved = f"{moment.shards_moved:,} moved"
            parts.append(Part(6, f"{moved} after a fault", moved))
        if moment.seconds_left is not None:
            left = minutes(moment.seconds_left)
            parts.append(Part(7, f"{left} left", f"-{left}"))
        return parts


class ClusterRows(NamedTuple):
    """Rows on a cluster, as much of them as a result and a proof need; see `results.Kept`."""

    data: Data
    idle: str | None = None  # about workers that had nothing to do

    @property
    def name(self) -> str:
        return self.data.name

    @property
    def feature_names(self) -> list[str] | None:
        return self.data.feature_names

    @property
    def numbering(self) -> dict[str, Any]:
        return self.data.numbering

    @property
    def skipped(self) -> int:
        return self.data.skipped

    def remarks(self) -> list[str]:
        """What a person should be told about the data, and the workers."""
        return [*self.data.remarks(), *([] if self.idle is None else [self.idle])]

    def signed(self, bias: bool, unit_length: bool) -> Any:
        """The rows with their signs, where they are."""
        return signed_rows(self.data, fit_intercept=bias, unit_length=unit_length)

    def moved_by(self) -> None:
        """What each row moved the weights by is nowhere: shards were mixed."""

    def verdict(self, bias: bool, unit_length: bool) -> Any:
        """Whether they are separable."""
        return Judge(self.signed(bias, unit_length), None, None, None).verdict()


class ClusterFit(NamedTuple):
    """A run of `fit` on a cluster."""

    plan: Plan
    source: Distant
    cluster: Cluster
    prove: bool  # whether a certificate is asked for

    def refuse(self) -> None:
        """Before anything starts."""
        if self.prove:
            refuse_unprovable(self.plan, False)
        refuse_unmixable(self.plan.made(), self.cluster.shards or 1)

    def run(self, joined: Any, progress: ClusterProgress, keeper: Keeper | None) -> Result:
        """Learn, epoch by epoch."""
        progress.welcome(joined.dashboard)
        progress.busy = True
        gather = partial(self._gathered, joined.client, progress, keeper)
        mixing = self.cluster.mixing.value
        found = run(self.plan, gather, mixing=mixing, watch=progress.glance, keeper=keeper)
        progress.busy = False
        found.data.crew.watch = None  # what a proof asks is after the run
        rows = ClusterRows(found.data, self._idle(found.shards, progress.workers))
        mixed = OfShards(
            found.shards,
            mixing,
            found.mixed_mistakes,
            found.bound,
            progress.workers,
            joined.dashboard,
        )
        return Result(
            self.plan,
            rows,
            found.learner,
            found.classes,
            found.outcome,
            found.rows,
            found.margin,
            found.seconds,
            rows if self.prove else None,
            found.checkpoint,
            mixed,
        )

    def _idle(self, shards: int, workers: int) -> str | None:
        """Fewer shards than workers are fine if somebody wants them."""
        if self.cluster.shards is not None or shards >= workers:
            return None
        idle = workers - shards
        have, them = ("has", "it") if idle == 1 else ("have", "them")
        found = f"{count(shards, 'shard')}: {idle:,} of {workers:,} workers {have} nothing to do"
        if unmixable(self.plan.made()) is not None:
            return found
        return f"{found}; --shards {workers} would use {them}, with another result"

    def _gathered(
        self, client: Any, progress: ClusterProgress, keeper: Keeper | None, **more: Any
    ) -> Data:
        shards, labels = self.cluster.shards, self.plan.labels
        with self.cluster.explained(self.source):
            data = gathered(client, self.source.unopened, shards=shards, labels=labels, **more)
        if self.prove:
            refuse_many(data.layout.classes)
        list_skipped(data, self.source.asked.get("skipped_to"))
        progress.task = progress.task._replace(rows=data.layout.rows)
        if keeper is not None and keeper.found is not None:
            progress.begun(keeper.found.run)
        progress.started()
        return data
