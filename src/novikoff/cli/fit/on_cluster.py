"""A run of `fit` on a cluster: the shards learn, and are mixed."""

from functools import partial
from typing import Any

from novikoff.cli.fit.cluster_progress import ClusterProgress
from novikoff.cli.fit.proof_inputs import ProofInputs, require_provable, require_two_classes
from novikoff.cli.fit.result import ClusterSummary, FitResult
from novikoff.cli.shared.cluster_options import Cluster, RemoteData, list_skipped
from novikoff.cluster.distributed_check import signed_rows
from novikoff.cluster.training.mixing import refuse_unmixable
from novikoff.cluster.training.trainer import train
from novikoff.cluster.workers.connection import Connection
from novikoff.cluster.workers.dataset import Dataset, load_dataset
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.rules.protocol import unmixable
from novikoff.learning.spec import TrainingSpec
from novikoff.number_text import count


def refuse_early(spec: TrainingSpec, cluster: Cluster, prove: bool) -> None:
    """Refuse what cannot be had, before a cluster is started. prove: with a certificate."""
    if prove:
        require_provable(spec, False)
    refuse_unmixable(spec.build_rule(), cluster.shards or 1)


def fit_on_cluster(
    spec: TrainingSpec,
    source: RemoteData,
    prove: bool,
    connection: Connection,
    progress: ClusterProgress,
    manager: CheckpointManager | None,
) -> FitResult:
    """Learn, epoch by epoch."""
    cluster = source.cluster

    def load(**more: Any) -> Dataset:
        client, shards, labels = connection.client, cluster.shards, spec.labels
        with cluster.explain_missing_files(source):
            data = load_dataset(client, source.unopened, shards=shards, labels=labels, **more)
        if prove:
            require_two_classes(data.layout.classes)
        list_skipped(data, source.opening.options.get("skipped_to"))
        progress.task = progress.task._replace(rows=data.layout.rows)
        if manager is not None and manager.found is not None:
            progress.begun(manager.found.run)
        progress.started()
        return data

    progress.welcome(connection.dashboard)
    progress.busy = True
    mixing = cluster.mixing.value
    found = train(spec, load, mixing=mixing, watch=progress.glance, checkpoint=manager)
    progress.busy = False
    found.data.shard_client.watch = None  # what a proof asks is after the run
    mixed = ClusterSummary(
        found.shards,
        mixing,
        found.mixed_mistakes,
        found.bound,
        progress.workers,
        connection.dashboard,
        _idle_workers_note(spec, cluster, found.shards, progress.workers),
    )
    return FitResult(
        spec,
        found.data,
        found.learner,
        found.classes,
        found.outcome,
        found.rows,
        found.margin,
        found.seconds,
        ProofInputs(partial(signed_rows, found.data)) if prove else None,
        found.checkpoint,
        mixed,
        None,
        found.wrong_rows,
    )


def _idle_workers_note(
    spec: TrainingSpec, cluster: Cluster, shards: int, workers: int
) -> str | None:
    """A note on workers without a shard, unless the number of shards was asked for."""
    if cluster.shards is not None or shards >= workers:
        return None
    idle = workers - shards
    have, them = ("has", "it") if idle == 1 else ("have", "them")
    note = f"{count(shards, 'shard')}: {idle:,} of {workers:,} workers {have} nothing to do"
    if unmixable(spec.build_rule()) is not None:
        return note
    return f"{note}; --shards {workers} would use {them}, with another result"
