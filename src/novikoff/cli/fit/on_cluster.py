"""A run of `fit` on a cluster: the shards learn, and are mixed."""

from functools import partial
from typing import Any, NamedTuple

from distributed import Client

from novikoff.cli.fit.cluster_progress import ClusterProgress
from novikoff.cli.fit.proof_inputs import ProofInputs, require_provable, require_two_classes
from novikoff.cli.fit.result import ClusterSummary, Result
from novikoff.cli.shared.cluster_options import RemoteData, list_skipped
from novikoff.cluster.distributed_check import signed_rows
from novikoff.cluster.training.mixing import refuse_unmixable
from novikoff.cluster.training.trainer import train
from novikoff.cluster.workers.connection import Connection
from novikoff.cluster.workers.dataset import Dataset, load_dataset
from novikoff.learning.checkpoint_file import CheckpointManager
from novikoff.learning.rules.protocol import unmixable
from novikoff.learning.spec import TrainingSpec
from novikoff.number_text import count


class ClusterFit(NamedTuple):
    """A run of `fit` on a cluster."""

    spec: TrainingSpec
    source: RemoteData
    prove: bool  # whether a certificate is asked for

    def refuse(self) -> None:
        """Refuse what cannot be had, before anything starts."""
        if self.prove:
            require_provable(self.spec, False)
        refuse_unmixable(self.spec.build_rule(), self.source.cluster.shards or 1)

    def run(
        self, joined: Connection, progress: ClusterProgress, keeper: CheckpointManager | None
    ) -> Result:
        """Learn, epoch by epoch."""
        progress.welcome(joined.dashboard)
        progress.busy = True
        gather = partial(self._load, joined.client, progress, keeper)
        mixing = self.source.cluster.mixing.value
        found = train(self.spec, gather, mixing=mixing, watch=progress.glance, checkpoint=keeper)
        progress.busy = False
        found.data.shard_client.watch = None  # what a proof asks is after the run
        mixed = ClusterSummary(
            found.shards,
            mixing,
            found.mixed_mistakes,
            found.bound,
            progress.workers,
            joined.dashboard,
            self._idle_workers_note(found.shards, progress.workers),
        )
        return Result(
            self.spec,
            found.data,
            found.learner,
            found.classes,
            found.outcome,
            found.rows,
            found.margin,
            found.seconds,
            ProofInputs(partial(signed_rows, found.data)) if self.prove else None,
            found.checkpoint,
            mixed,
        )

    def _idle_workers_note(self, shards: int, workers: int) -> str | None:
        """A note on workers without a shard, unless the number of shards was asked for."""
        if self.source.cluster.shards is not None or shards >= workers:
            return None
        idle = workers - shards
        have, them = ("has", "it") if idle == 1 else ("have", "them")
        found = f"{count(shards, 'shard')}: {idle:,} of {workers:,} workers {have} nothing to do"
        if unmixable(self.spec.build_rule()) is not None:
            return found
        return f"{found}; --shards {workers} would use {them}, with another result"

    def _load(
        self,
        client: Client,
        progress: ClusterProgress,
        keeper: CheckpointManager | None,
        **more: Any,
    ) -> Dataset:
        cluster, labels = self.source.cluster, self.spec.labels
        shards = cluster.shards
        with cluster.explain_missing_files(self.source):
            data = load_dataset(client, self.source.unopened, shards=shards, labels=labels, **more)
        if self.prove:
            require_two_classes(data.layout.classes)
        list_skipped(data, self.source.opening.options.get("skipped_to"))
        progress.task = progress.task._replace(rows=data.layout.rows)
        if keeper is not None and keeper.found is not None:
            progress.begun(keeper.found.run)
        progress.started()
        return data
