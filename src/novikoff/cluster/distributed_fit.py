"""`nk.cluster.fit`: an estimator fitted on a cluster."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client
from sklearn.base import clone

from novikoff.cluster.data.collections import DaskCollection
from novikoff.cluster.training.protocol import DistributedResult, TrainingWatch
from novikoff.cluster.training.trainer import train
from novikoff.cluster.workers.dataset import DataSource, load_dataset
from novikoff.errors import ParameterError
from novikoff.learning.epochs import StopReason
from novikoff.learning.estimators import OneSidedPerceptron, Perceptron
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.spec import OWN, TrainingSpec


def fit(
    source: DataSource,
    client: Client,
    estimator: BaseLearner | None = None,
    *,
    y: DaskCollection | None = None,
    target: str | int | None = None,
    shards: int | None = None,
    mixing: str = "uniform",
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    watch: TrainingWatch | None = None,
) -> Any:
    """Fit a copy of the estimator to data that the workers of a Dask client read, and return it.

    In each epoch every shard of the data makes one pass from the same weights, and the weights are
    then mixed. The number of shards decides the result, and nothing else about the cluster does:
    one shard gives what `estimator.fit` gives, and any number of workers the same bytes.

    Besides what `fit` gives, the copy has `shards_`, `mixed_mistakes_` (the sum over epochs and
    shards of share * mistakes), `mixing_bound_` (the theorem's limit on it where the run converged
    and there is one, else None; it was checked) and `mixing_traffic_` (bytes by epoch, since the
    run was begun or resumed).

    source: a path or several, which the workers can read; what `nk.open` returned; or Dask
        collections: an array of rows, a dataframe, a bag.
    client: the client of a Dask cluster.
    estimator: by default `Perceptron()`; it is left as it is.
    y: the labels of an array of rows.
    target: the label's column of a dataframe or a table.
    shards: how many to cut files into; by default that follows from their size alone.
    mixing: "uniform", or "mistakes": by how much each shard had to learn.
    checkpoint: a file here for the state after a complete epoch.
    checkpoint_every: the least seconds between two; it is also written at the end and at an
        interruption.
    resume: go on from the checkpoint, if it is there.
    watch: called now and then with a `novikoff.cluster.training.protocol.TrainingProgress`.

    >>> import novikoff as nk
    >>> from dask.distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     model = nk.cluster.fit(nk.open("example:and"), client)
    >>> model.converged_, model.mistakes_
    (True, 18)
    """
    model = clone(Perceptron() if estimator is None else estimator)
    if not isinstance(model, BaseLearner):
        raise ParameterError(f"{type(model).__name__} is not an estimator of novikoff's")
    spec = model._spec()
    spec = spec._replace(max_epochs=spec.budget)  # refused before data are read
    manager = None
    if checkpoint is not None:
        _require_resumable(model, spec)
        manager = CheckpointManager(Path(checkpoint), spec, every=checkpoint_every, resume=resume)
    elif resume:
        raise ParameterError("resume goes on from a checkpoint; name it")
    load = partial(
        load_dataset, client, source, y=y, target=target, shards=shards, labels=spec.labels
    )
    result = train(spec, load, mixing=mixing, watch=watch, checkpoint=manager)
    result.data.shard_client.close()
    return apply_result(model, result)


def apply_result(model: BaseLearner, result: DistributedResult) -> BaseLearner:
    """Give an estimator what a run learned."""
    if result.outcome.because is StopReason.INTERRUPTED:
        raise KeyboardInterrupt  # as on one machine; a checkpoint has what was learned
    model._know_columns(result.data.layout.names, result.learner.features)
    model.__dict__.pop("_drawn", None)
    if not isinstance(model, OneSidedPerceptron):
        model.classes_ = result.classes
    mixed: Any = float(result.mixed[0]) if len(result.mixed) == 1 else result.mixed
    model.shards_, model.mixed_mistakes_ = result.shards, mixed
    model.mixing_bound_, model.mixing_traffic_ = result.bound, result.traffic
    return model._learned(result.learner, result.outcome, result.wrong_rows)


def _require_resumable(model: BaseLearner, spec: TrainingSpec) -> None:
    """A checkpoint must be able to hold the run, and the run to go on as it began."""
    if spec.rule == OWN:
        raise ParameterError(
            f"checkpoint: {type(model).__name__} has a rule of its own, which no file can hold"
        )
    if spec.is_random and not isinstance(model.random_state, (int, np.integer)):
        raise ParameterError(
            "checkpoint: random_state must be a whole number, or the run could not go on as it"
            " began"
        )
