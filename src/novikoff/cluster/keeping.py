"""The checkpoint of a run on a cluster: a file on the client, written between two epochs."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from novikoff import checkpoints, models
from novikoff.checkpoints import Checkpoint
from novikoff.cluster.data import Data
from novikoff.epochs import Run
from novikoff.errors import ModelError, ParameterError
from novikoff.rules.protocol import Vector


class How(NamedTuple):
    """How it is learned, as a model file says it.

    described: what must be the same when a run goes on.
    """

    rule: str  # its name in the catalogue
    parameters: dict[str, Any]
    options: dict[str, Any]
    described: dict[str, Any]


class Keeper:
    """Writes the checkpoint now and then, and reads the one that is there."""

    def __init__(self, path: Path, how: How, *, every: float = 60.0, resume: bool = False) -> None:
        self.path, self.how, self.every = path, how, every
        self.found: Checkpoint | None = None
        if path.exists():
            if not resume:
                raise ParameterError(
                    f"checkpoint {path}: it is there already; resume it, or delete it"
                )
            self.found = checkpoints.read(path)
        self.began = self.last = time.monotonic()
        self.before = 0.0 if self.found is None else self.found.seconds
        self._data: dict[str, Any] = {}
        self._plan: dict[str, Any] = {}

    def begin(self, data: dict[str, Any], shards: int, mixing: str) -> Checkpoint | None:
        """What to go on from, which must have been made from these data, in this way."""
        self._data = data
        self._plan = self.how.described | {"shards": shards, "mixing": mixing}
        if self.found is not None:
            checkpoints.refuse_other(self.found, self._data, self._plan, self.path)
        return self.found

    @property
    def due(self) -> bool:
        return time.monotonic() - self.last >= self.every

    @property
    def seconds(self) -> float:
        """How long this run took, the parts before it was stopped included."""
        return self.before + time.monotonic() - self.began

    def keep(self, run: Run, data: Data, mixed: Vector) -> None:
        """Write it: whole epochs only, and the mistakes by the shards' shares."""
        model = models.Model(
            self.how.rule,
            self.how.parameters,
            run.learner,
            data.layout.classes,
            data.layout.names,
            self.how.options,
            len(run.past),
            [each.mistakes for each in run.past],
            numbering=data.numbering,
        )
        known = {"mixed": mixed.tolist()}
        seconds = self.seconds
        found = Checkpoint(model, run, self._data, self._plan, None, known, seconds)
        checkpoints.write(found, self.path)
        self.last = time.monotonic()


def mixed_of(found: Checkpoint, path: Path) -> list[float]:
    """The mistakes by the shards' shares that a checkpoint tells of."""
    mixed = found.memory.get("mixed")
    count = len(found.run.learner.states)
    if not isinstance(mixed, list) or len(mixed) != count or found.run.place:
        raise ModelError(f"{path}: a damaged checkpoint: it is not one between two epochs")
    if not all(isinstance(each, float) and 0.0 <= each < float("inf") for each in mixed):
        raise ModelError(f"{path}: a damaged checkpoint: its mixed mistakes are not counts")
    return mixed
