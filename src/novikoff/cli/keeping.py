"""The checkpoint of a run of `fit`: when it is written, and what it goes on from."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import typer

from novikoff import checkpoints, models
from novikoff.checkpoints import Checkpoint
from novikoff.cli.plans import Plan
from novikoff.epochs import Run
from novikoff.errors import ParameterError
from novikoff.sources import Place, Source
from novikoff.sources.inputs import Input


class Keeper:
    """Writes the checkpoint now and then, and reads the one that is there."""

    def __init__(self, plan: Plan, source: Source, path: Path, every: float, resume: bool) -> None:
        self.plan, self.path, self.every = plan, path, every
        self.data, self.how = identity(source), described(plan)
        self.found: Checkpoint | None = None
        refuse_there(path, resume, plan.quiet)
        if path.exists():
            self.found = checkpoints.read(path)
            checkpoints.refuse_other(self.found, self.data, self.how, path)
        self.began = self.last = time.monotonic()
        self.before = 0.0 if self.found is None else self.found.seconds

    @property
    def due(self) -> bool:
        return time.monotonic() - self.last >= self.every

    @property
    def seconds(self) -> float:
        """How long this run took, the parts before it was stopped included."""
        return self.before + time.monotonic() - self.began

    def keep(self, run: Run, classes: Any, source: Source, position: Place | None = None) -> None:
        """Write the checkpoint: of rows at rest, or of a source up to a position in it."""
        model = models.Model(
            self.plan.rule,
            self.plan.parameters,
            run.learner,
            classes,
            source.feature_names,
            {"max_epochs": self.plan.max_epochs, "order": self.plan.order},
            len(run.past),
            [each.mistakes for each in run.past],
            numbering=source.numbering,
        )
        known = source.memory()
        found = Checkpoint(model, run, self.data, self.how, position, known, self.seconds)
        checkpoints.write(found, self.path)
        self.last = time.monotonic()


class Tools(NamedTuple):
    """What watches over a run: its progress, and its checkpoint if there is to be one."""

    progress: Any
    keeper: Keeper | None = None

    def after(self, run: Run, classes: Any, source: Source, position: Place | None = None) -> None:
        """Called between two blocks of rows, where stopping leaves everything whole."""
        if self.keeper is not None and (self.progress.pressed or self.keeper.due):
            self.keeper.keep(run, classes, source, position)
        self.progress.stop_if_pressed()

    @property
    def found(self) -> Checkpoint | None:
        return None if self.keeper is None else self.keeper.found


def refuse_there(path: Path, resume: bool, quiet: bool) -> None:
    """A checkpoint that is there is gone on from, if that is asked for, and never written over."""
    if path.exists() and not resume:
        raise ParameterError(
            f"--checkpoint {path}: it is there already; go on from it with --resume, or delete it"
        )
    if resume and not path.exists() and not quiet:
        typer.echo(f"novikoff: there is no {path} yet: learning from the start", err=True)


def identity(source: Source) -> dict[str, Any]:
    """What the data are known by: their files as they are, and how they are read."""
    files = [Input(path).identity() for path in source.paths if not Path(path).is_dir()]
    asked = {name: value for name, value in source.asked.items() if name != "skipped_to"}
    return {"name": None if files else source.name, "files": files, "asked": asked}


def described(plan: Plan) -> dict[str, Any]:
    """What must be the same when a run goes on; the budget may be raised."""
    fields = plan._asdict()
    return {name: value for name, value in fields.items() if name not in ("max_epochs", "quiet")}
