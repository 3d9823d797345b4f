"""Checkpoints: a run of learning, stopped between two blocks of rows, to be gone on with later.

A checkpoint is a model file (see `models`) with one text more, under the key "checkpoint": a JSON
object with the keys of `_KEYS`. Going on from it gives the same bytes as never having stopped: the
weights, the rule's own state and all counts are there, and every order of rows follows from the
seed and the number of the epoch. Nothing in it is executed, and all of it is checked when read.
"""

import os
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from novikoff import models
from novikoff.epochs import Because, Counts, Run
from novikoff.errors import ModelError, ParameterError
from novikoff.models import Model
from novikoff.sources.base import Place

FORMAT, VERSION = "novikoff checkpoint", 1

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


class Checkpoint(NamedTuple):
    """A run in the making, and what it was made from."""

    model: Model
    run: Run
    data: dict[str, Any]  # what the data were, to know them by
    plan: dict[str, Any]  # how they were learned from
    position: Place | None = None  # where a stream is to be read on from
    memory: dict[str, Any] = {}  # noqa: RUF012  (what the stream's reader knew there)
    seconds: float = 0.0  # of learning so far


def write(checkpoint: Checkpoint, path: str | os.PathLike[str]) -> None:
    """Save it, all or nothing: what was there before stays there until this is there whole."""
    run, model = checkpoint.run, checkpoint.model
    if run.because is Because.INTERRUPTED:
        raise AssertionError(
            "a run that ended in the middle of an epoch has no place to go on from"
        )
    model.lowest = run.lowest
    header, arrays = models.parts(model)
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
    content = models.packed({"novikoff": header, "checkpoint": more}, arrays)
    models.replace(path, content, again=True)


def read(path: str | os.PathLike[str]) -> Checkpoint:
    """Load one; ModelError says what is wrong with a file that is none."""
    texts, arrays = models.unpacked(path, "checkpoint")
    fields: Any = texts.get("checkpoint")
    try:
        _check(fields)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{path}: not a novikoff checkpoint, or a damaged one: {error}") from None
    model = models.assembled(path, texts.get("novikoff"), arrays)
    run = Run(model.learner)
    run.past = [Counts(*each) for each in fields["past"]]
    run.place, run.before = fields["place"], Counts(*fields["before"])
    run.lowest = np.array(model.lowest)
    because = fields["because"]
    run.because = None if because is None else Because[because]
    if run.because is Because.INTERRUPTED:
        raise ModelError(f"{path}: a damaged checkpoint: it ends in the middle of a block")
    position = None if fields["position"] is None else Place(*fields["position"])
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
    pairs = [*fields["past"], fields["before"]]
    if not all(_whole_numbers(each, 2) for each in pairs):
        raise ValueError("its counts are not counts")
    if fields["place"] < 0 or not 0.0 <= fields["seconds"] < float("inf"):
        raise ValueError("its place is negative")
    if fields["because"] not in (None, *Because.__members__):
        raise ValueError(f"it stopped because of {fields['because']!r}")
    position = fields["position"]
    if position is not None and not _whole_numbers(position, len(Place._fields)):
        raise ValueError("its position is no place in a stream")


def _whole_numbers(values: Any, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(type(each) is int and 0 <= each < 2**62 for each in values)
    )


def refuse_other(found: Checkpoint, data: dict[str, Any], plan: dict[str, Any], path: Any) -> None:
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


class Recipe(NamedTuple):
    """How a run learns, as its model file says it. plan: what must be the same when it goes on."""

    rule: str  # its name in the catalogue
    parameters: dict[str, Any]
    options: dict[str, Any]
    plan: dict[str, Any]


class Named(Protocol):
    """Data, as far as a model says how their columns are called."""

    @property
    def feature_names(self) -> list[str] | None:
        """If they have names."""

    @property
    def numbering(self) -> dict[str, Any]:
        """See `Source`."""


class Keeper:
    """Writes a run's checkpoint now and then, and reads the one that is there."""

    def __init__(
        self, path: Path, recipe: Recipe, *, every: float = 60.0, resume: bool = False
    ) -> None:
        self.path, self.recipe, self.every = path, recipe, every
        self.found: Checkpoint | None = None
        if path.exists():
            if not resume:
                raise ParameterError(
                    f"checkpoint {path}: it is there already; resume it, or delete it"
                )
            self.found = read(path)
        self._began = self._last = time.monotonic()
        self._before = 0.0 if self.found is None else self.found.seconds
        self._data: dict[str, Any] = {}
        self._plan: dict[str, Any] = {}

    def begin(self, data: dict[str, Any], **more: Any) -> Checkpoint | None:
        """What to go on from, which must have been made from these data, in this way; more: what
        belongs to that way besides.
        """
        self._data, self._plan = data, self.recipe.plan | more
        if self.found is not None:
            refuse_other(self.found, self._data, self._plan, self.path)
        return self.found

    @property
    def due(self) -> bool:
        return time.monotonic() - self._last >= self.every

    @property
    def seconds(self) -> float:
        """How long this run took, the parts before it was stopped included."""
        return self._before + time.monotonic() - self._began

    def keep(
        self,
        run: Run,
        classes: Any,
        data: Named,
        position: Place | None = None,
        memory: dict[str, Any] | None = None,
    ) -> None:
        """Write it: of rows at rest, or of a source up to a position in it."""
        model = Model(
            self.recipe.rule,
            self.recipe.parameters,
            run.learner,
            classes,
            data.feature_names,
            self.recipe.options,
            len(run.past),
            [each.mistakes for each in run.past],
            numbering=data.numbering,
        )
        known = self._data, self._plan, position, memory or {}, self.seconds
        write(Checkpoint(model, run, *known), self.path)
        self._last = time.monotonic()
