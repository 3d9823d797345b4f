"""`nk.cluster.fit`: an estimator fitted on a cluster."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client
from sklearn.base import clone

from novikoff.checkpoints import Keeper, Recipe
from novikoff.cluster.data import gathered
from novikoff.cluster.runs import Trained, Watch
from novikoff.cluster.training import run
from novikoff.epochs import Because
from novikoff.errors import ParameterError
from novikoff.estimators import OneSidedPerceptron, Perceptron, reading
from novikoff.estimators.base import BaseLearner


def fit(
    source: Any,
    client: Client,
    estimator: Any = None,
    *,
    y: Any = None,
    target: str | int | None = None,
    shards: int | None = None,
    mixing: str = "uniform",
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    watch: Watch | None = None,
) -> Any:
    """A copy of the estimator, fitted to data that the workers of a Dask client read.

    In each epoch every shard of the data makes one pass from the same weights, and the weights are
    then mixed. The number of shards decides the result, and nothing else about the cluster does:
    one shard gives what `estimator.fit` gives, and any number of workers the same bytes.

    Parameters
    ----------
    source : a path or several, which the workers can read; what `nk.open` returned; or Dask
        collections: an array of rows, with y; a dataframe, with `target`; a bag.
    client : of the cluster.
    estimator : `Perceptron()` unless told; it is left as it is.
    shards : how many to cut files into; by default that follows from their size alone.
    mixing : "uniform", or "mistakes": by how much each shard had to learn.
    checkpoint : a file here that whole epochs are kept in, every so many seconds (and at the end,
        or at what breaks the run off); with `resume` the run goes on from it, if it is there.
    watch : called now and then with a `cluster.runs.Moment`.

    Besides what `fit` gives, the copy has `shards_`, `mixed_mistakes_` (the sum over epochs and
    shards of share * mistakes), `mixing_bound_` (the theorem's limit on it where the run converged
    and there is one, else None; it was checked) and `mixing_traffic_` (bytes by
    epoch, since the run was last begun).
    """
    model = clone(Perceptron() if estimator is None else estimator)
    if not isinstance(model, BaseLearner):
        raise ParameterError(f"{type(model).__name__} is not an estimator of novikoff's")
    plan = _Plan(model)
    keeper = None
    if checkpoint is not None:
        keeper = Keeper(Path(checkpoint), plan.recipe(), every=checkpoint_every, resume=resume)
    elif resume:
        raise ParameterError("resume goes on from a checkpoint; name it")
    gather = partial(
        gathered, client, source, y=y, target=target, shards=shards, labels=plan.labels
    )
    found = run(plan, gather, mixing=mixing, watch=watch, keeper=keeper)
    found.data.crew.close()
    return fitted(model, found)


def fitted(model: BaseLearner, found: Trained) -> BaseLearner:
    """The estimator with what a run learned."""
    if found.outcome.because is Because.INTERRUPTED:
        raise KeyboardInterrupt  # as on one machine; a checkpoint has what was learned
    reading.known_by(model, found.data.layout.names, found.learner.features)
    model.__dict__.pop("_drawn", None)
    model._learned_with = model._own_parameters()
    if not isinstance(model, OneSidedPerceptron):
        model.classes_ = found.classes
    mixed: Any = float(found.mixed[0]) if len(found.mixed) == 1 else found.mixed
    model.shards_, model.mixed_mistakes_ = found.shards, mixed
    model.mixing_bound_, model.mixing_traffic_ = found.bound, found.traffic
    return model._learned(found.learner, found.outcome)


class _Plan(reading.Planned):
    """An estimator as the plan of a run."""

    def __init__(self, model: BaseLearner) -> None:
        super().__init__(model, labels=not isinstance(model, OneSidedPerceptron))
        if not isinstance(model.max_epochs, (int, np.integer)) or model.max_epochs < 1:
            raise ParameterError(
                f"max_epochs must be a whole number above 0, not {model.max_epochs!r}"
            )
        self.max_epochs, self.order = int(model.max_epochs), model.order
        self.seed = model._seed() if model.order == "shuffle" else 0

    def recipe(self) -> Recipe:
        """The estimator as a checkpoint describes it."""
        model = self._estimator
        if not hasattr(model, "kind"):
            raise ParameterError(
                f"checkpoint: {type(model).__name__} has a rule of its own, which no file can hold"
            )
        if not isinstance(model.random_state, (int, np.integer)) and self._is_random():
            raise ParameterError(
                "checkpoint: random_state must be a whole number, or the run could not go on as it"
                " began"
            )
        described = {"rule": model.kind, "parameters": _plain(model._own_parameters())}
        described |= {"init": _plain(model.init), "order": self.order}
        described |= {"seed": model._seed() if self._is_random() else 0}
        described |= {"bias": bool(model.fit_intercept), "unit_length": bool(model.unit_length)}
        options = {"max_epochs": self.max_epochs, "order": self.order}
        return Recipe(model.kind, described["parameters"], options, described)

    def _is_random(self) -> bool:
        start = self._estimator.init
        return self.order == "shuffle" or (isinstance(start, str) and start == "random")


def _plain(value: Any) -> Any:
    """As JSON keeps it."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return (
        np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic, list)) else value
    )
