"""Types of a training run on a cluster: its progress and its result."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from novikoff.cluster.workers.dataset import Dataset, Read
from novikoff.cluster.workers.shard_client import CallWatch
from novikoff.data.chunk import LabelArray
from novikoff.errors import ModelError
from novikoff.learning.epochs import Outcome, TrainingRun
from novikoff.learning.files.checkpoint_file import Checkpoint
from novikoff.learning.learner import Learner
from novikoff.learning.rules.protocol import Vector


class Traffic(NamedTuple):
    """Bytes that an epoch sent: up from all shards together, and down to each worker."""

    up: int
    down: int


class TrainingProgress(NamedTuple):
    """How far training is. epoch: the current one, from 1, and 0 while data are read."""

    workers: int
    done: int  # shards that have finished this epoch
    shards: int
    moved: int  # times that a shard lost its worker
    epoch: int
    mistakes: int  # of this epoch, on the shards that are done
    run: TrainingRun | None  # the complete epochs so far
    traffic: list[Traffic]  # of each of them
    end: bool = False  # whether an epoch has just ended


class DistributedResult(NamedTuple):
    """The result of a run. mixed: the mixed mistakes of each learner; see `mixing`."""

    data: Dataset
    learner: Learner
    classes: LabelArray
    outcome: Outcome
    rows: int
    margin: float | None  # of the separator found
    mixing: str
    shards: int
    mixed: Vector
    bound: float | None  # which `mixed` does not exceed, if there is a single learner
    traffic: list[Traffic]
    seconds: float
    streamed: bool
    checkpoint: Path | None = None
    wrong_rows: int | None = None  # rows that the model predicts wrongly, if that is known

    @property
    def mixed_mistakes(self) -> float:
        """Of all learners together."""
        return float(self.mixed.sum())


TrainingWatch = Callable[[TrainingProgress], None]


class DatasetLoader(Protocol):
    """`load_dataset` with its client and source."""

    def __call__(self, *, read: Read, watch: CallWatch) -> Dataset: ...


def read_mixed_mistakes(found: Checkpoint, path: Path) -> list[float]:
    """The mixed mistakes of each learner in a checkpoint, checked."""
    mixed = found.memory.get("mixed")
    count = len(found.run.learner.states)
    if not isinstance(mixed, list) or len(mixed) != count or found.run.place:
        raise ModelError(f"{path}: a damaged checkpoint: it is not one between two epochs")
    if not all(isinstance(each, float) and 0.0 <= each < float("inf") for each in mixed):
        raise ModelError(f"{path}: a damaged checkpoint: its mixed mistakes are not counts")
    return mixed
