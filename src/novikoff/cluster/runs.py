"""A run on a cluster: how it is asked for, how far it is, and what it gave."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from novikoff.checkpoints import Checkpoint
from novikoff.cluster.data import Data
from novikoff.epochs import Outcome, Run
from novikoff.errors import ModelError
from novikoff.learn import Learner
from novikoff.rules.protocol import Vector


class RunPlan(Protocol):
    """How to learn; it stays on the client."""

    @property
    def labels(self) -> bool:
        """Whether the rule looks at them."""

    @property
    def needs_width(self) -> bool:
        """Whether the start depends on the number of features."""

    @property
    def max_epochs(self) -> int:
        """The budget."""

    @property
    def order(self) -> str:
        """Of each shard's rows, in an epoch."""

    @property
    def seed(self) -> int:
        """Of the order."""

    def made(self) -> Any:
        """The rule itself."""

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner at its start."""


class Traffic(NamedTuple):
    """What an epoch sent, in bytes: all shards up, and down to each worker."""

    up: int
    down: int


class Moment(NamedTuple):
    """How far training is; epoch: the one that is learned, from 1, and 0 while data are read."""

    workers: int
    done: int  # shards, in this epoch
    shards: int
    moved: int  # shards that lost their worker
    epoch: int
    mistakes: int  # in this epoch, on the shards that are done
    run: Run | None  # the whole epochs so far
    traffic: list[Traffic]  # of these
    end: bool = False  # whether an epoch has just ended


class Trained(NamedTuple):
    """What a run did. mixed: each learner's mistakes by the shards' shares; see `mixing`."""

    data: Data
    learner: Learner
    classes: Any
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

    @property
    def mixed_mistakes(self) -> float:
        """Of all learners together."""
        return float(self.mixed.sum())


Watch = Callable[[Moment], None]
Gather = Callable[..., Data]


def mixed_of(found: Checkpoint, path: Path) -> list[float]:
    """The mistakes by the shards' shares that a checkpoint tells of."""
    mixed = found.memory.get("mixed")
    count = len(found.run.learner.states)
    if not isinstance(mixed, list) or len(mixed) != count or found.run.place:
        raise ModelError(f"{path}: a damaged checkpoint: it is not one between two epochs")
    if not all(isinstance(each, float) and 0.0 <= each < float("inf") for each in mixed):
        raise ModelError(f"{path}: a damaged checkpoint: its mixed mistakes are not counts")
    return mixed
