"""Checkpoints: a run of learning, stopped between two blocks of rows, to be gone on with later.

A checkpoint is a model file (see `models`) with one text more, under the key "checkpoint": a JSON
object with the keys of `_KEYS`. Going on from it gives the same bytes as never having stopped: the
weights, the rule's own state and all counts are there, and every order of rows follows from the
seed and the number of the epoch. Nothing in it is executed, and all of it is checked when read.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.chunk import ReadPosition
from novikoff.data.matrices import Classes
from novikoff.data.sparse import LARGEST_INDEX
from novikoff.errors import ModelError, ParameterError
from novikoff.files import atomic_write
from novikoff.learning.epochs import EpochCounts, StopReason, TrainingRun
from novikoff.learning.files import array_file, model_file
from novikoff.learning.files.model_file import Model, NamedColumns
from novikoff.learning.spec import TrainingSpec

FORMAT, VERSION = "novikoff checkpoint", 1
NEVER_KEPT = (StopReason.INTERRUPTED.name, StopReason.UPDATES.name, StopReason.CYCLE.name)

_KEYS: dict[str, Any] = {
    "format": str,
    "version": int,
    "data": dict,
    "plan": dict,
    "past": list,
    "place": int,
    "before": list,
    "because": (str, type(None)),
    "position": (list, type(None)),
    "memory": dict,
    "seconds": (int, float),
}
#: What readers of streams remember, by its name; see `Source.state_dict`.
_MEMORY: dict[str, Callable[[Any], bool]] = {
    "rows": lambda value: _is_count(value),
    "skipped": lambda value: _is_count(value),
    "left_out": lambda value: _is_count(value),
    "width": lambda value: _is_count(value) and value <= LARGEST_INDEX,
    "files": lambda value: _are_pairs(value, str, int),
    "begins": lambda value: _are_pairs(value, int, str),
    "values": lambda value: _are_pairs(value, int, str),
    "index_base": lambda value: value is None or (type(value) is int and value in (0, 1)),
    "zero_found": lambda value: type(value) is bool,
    "weighted": lambda value: type(value) is bool,
    "weightless": lambda value: _is_count(value),
    "words": lambda value: value is None or type(value) is bool,
    "names": lambda value: type(value) is str,
    "mixed": lambda value: isinstance(value, list) and all(type(x) is float for x in value),
    "collisions": lambda value: _are_kinds(value, {"hashes": str, "more": bool}),
}


class Checkpoint(NamedTuple):
    """A run in the making, and what it was made from."""

    model: Model
    run: TrainingRun
    data: dict[str, Any]  # what the data were, to know them by
    plan: dict[str, Any]  # how they were learned from
    position: ReadPosition | None = None  # where a stream is to be read on from
    memory: dict[str, Any] = {}  # noqa: RUF012  (what the stream's reader knew there)
    seconds: float = 0.0  # of learning so far


def write(checkpoint: Checkpoint, path: str | os.PathLike[str]) -> None:
    """Save it, all or nothing: what was there before stays there until this is there whole."""
    run, model = checkpoint.run, checkpoint.model
    if run.because is StopReason.INTERRUPTED:
        raise AssertionError(
            "a run that ended in the middle of an epoch has no place to go on from"
        )
    header, arrays = model_file.parts(model)
    more = {
        "format": FORMAT,
        "version": VERSION,
        "data": checkpoint.data,
        "plan": checkpoint.plan,
        "past": [list(each) for each in run.past],
        "place": run.place,
        "before": list(run.before),
        "because": None if run.because is None else run.because.name,
        "position": None if checkpoint.position is None else list(checkpoint.position),
        "memory": checkpoint.memory,
        "seconds": checkpoint.seconds,
    }
    content = array_file.serialize({"novikoff": header, "checkpoint": more}, arrays)
    atomic_write(path, content, exclusive=True, error=ModelError)


def read(path: str | os.PathLike[str]) -> Checkpoint:
    """Load one; ModelError says what is wrong with a file that is none."""
    texts, arrays = array_file.read(path, "checkpoint")
    fields: Any = texts.get("checkpoint")
    try:
        _check(fields)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{path}: not a novikoff checkpoint, or a damaged one: {error}") from None
    model = model_file.deserialize(path, texts.get("novikoff"), arrays)
    if (problem := _contradiction(fields, model)) is not None:
        raise ModelError(f"{path}: a damaged checkpoint: {problem}")
    run = TrainingRun(model.learner)
    run.past = [EpochCounts(*each) for each in fields["past"]]
    run.place, run.before = fields["place"], EpochCounts(*fields["before"])
    run.lowest = np.array(model.lowest)
    because = fields["because"]
    run.because = None if because is None else StopReason[because]
    position = None if fields["position"] is None else ReadPosition(*fields["position"])
    return Checkpoint(
        model, run, fields["data"], fields["plan"], position, fields["memory"], fields["seconds"]
    )


def _check(fields: Any) -> None:
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError("it does not say that it is one")
    if fields.get("version") != VERSION:
        raise ValueError(f"it is of version {fields.get('version')}; this program reads {VERSION}")
    if set(fields) != set(_KEYS):
        raise ValueError(f"it should have exactly the keys {', '.join(_KEYS)}")
    for name, kind in _KEYS.items():
        if not isinstance(fields[name], kind) or isinstance(fields[name], bool):
            raise ValueError(f"its {name!r} is of the wrong type")
    _check_values(fields)


def _check_values(fields: dict[str, Any]) -> None:
    """Counts, places and what is remembered of the data, each by itself."""
    pairs = [*fields["past"], fields["before"]]
    if not all(_whole_numbers(each, 2) for each in pairs):
        raise ValueError("its counts are not counts")
    if not _is_count(fields["place"]) or not 0.0 <= fields["seconds"] < float("inf"):
        raise ValueError("its place is negative")
    if fields["because"] not in (None, *StopReason.__members__) or fields["because"] in NEVER_KEPT:
        raise ValueError(f"it stopped because of {fields['because']!r}")
    position = fields["position"]
    if position is not None and not _whole_numbers(position, len(ReadPosition._fields)):
        raise ValueError("its position is no place in a stream")
    for name, value in fields["memory"].items():
        if name not in _MEMORY or not _MEMORY[name](value):
            raise ValueError(f"its memory of the data has {name!r} = {str(value)[:40]!r}")


def _contradiction(fields: dict[str, Any], model: Model) -> str | None:
    """What of the run does not go with the rest of it, or with the model; None if all does."""
    mistakes, updates = (sum(each[k] for each in fields["past"]) for k in (0, 1))
    if [each[0] for each in fields["past"]] != model.mistakes_per_epoch:
        return "its epochs are not those of its model"
    if fields["before"] != [mistakes, updates]:
        return "its counts at the start of the epoch are not those of the epochs before"
    now = [model.learner.total(name) for name in ("mistakes", "updates")]
    if any(a < b for a, b in zip(now, fields["before"], strict=True)):
        return "it counts less than at the start of the epoch"
    if fields["place"] > max(int(each.seen[0]) for each in model.learner.tallies):
        return "it is further on than the rows that were seen"
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**62


def _whole_numbers(values: Any, count: int) -> bool:
    return isinstance(values, list) and len(values) == count and all(map(_is_count, values))


def _are_pairs(values: Any, first: type, second: type) -> bool:
    return isinstance(values, list) and all(
        isinstance(each, list) and [type(part) for part in each] == [first, second]
        for each in values
    )


def _are_kinds(values: Any, kinds: dict[str, type]) -> bool:
    return isinstance(values, dict) and {k: type(v) for k, v in values.items()} == kinds


def require_same_run(
    found: Checkpoint, data: dict[str, Any], plan: dict[str, Any], path: Any
) -> None:
    """A checkpoint can only be gone on with on the same data, in the same way."""
    for name in found.plan | plan:
        if found.plan.get(name) != plan.get(name):
            raise ParameterError(
                f"resume: {path} was made with {name} = {found.plan.get(name)!r}, and this is"
                f" {plan.get(name)!r}; give the same options, or begin another checkpoint"
            )
    if found.data != data:
        raise ParameterError(
            f"resume: {path} was made from other data, or the data have changed since; give the"
            " same ones, or begin another checkpoint"
        )


class CheckpointManager:
    """Writes a run's checkpoint now and then, and reads the one that is there."""

    def __init__(
        self, path: Path, spec: TrainingSpec, *, every: float = 60.0, resume: bool = False
    ) -> None:
        self.path, self.spec, self.every = path, spec, every
        self.found: Checkpoint | None = None
        if path.exists():
            if not resume:
                raise ParameterError(
                    f"checkpoint {path}: it is there already; resume it, or delete it"
                )
            self.found = read(path)
            self.found.run.learner.threads = spec.threads
        self._began = self._last = time.monotonic()
        self._before = 0.0 if self.found is None else self.found.seconds
        self._data: dict[str, Any] = {}
        self._plan: dict[str, Any] = {}

    def begin(self, data: dict[str, Any], **more: Any) -> Checkpoint | None:
        """What to go on from, which must have been made from these data, in this way; more: what
        belongs to that way besides.
        """
        self._data, self._plan = data, self.spec.identity() | more
        if self.found is not None:
            require_same_run(self.found, self._data, self._plan, self.path)
        return self.found

    @property
    def due(self) -> bool:
        return time.monotonic() - self._last >= self.every

    @property
    def seconds(self) -> float:
        """How long this run took, the parts before it was stopped included."""
        return self._before + time.monotonic() - self._began

    def save(
        self,
        run: TrainingRun,
        classes: Classes,
        data: NamedColumns,
        position: ReadPosition | None = None,
        memory: dict[str, Any] | None = None,
    ) -> None:
        """Write it: of rows at rest, or of a source up to a position in it."""
        mistakes = [each.mistakes for each in run.past]
        model = Model.of(self.spec, run.learner, classes, data, mistakes, run.lowest)
        known = self._data, self._plan, position, memory or {}, self.seconds
        write(Checkpoint(model, run, *known), self.path)
        self._last = time.monotonic()
