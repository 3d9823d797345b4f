"""The checkpoint of a run of `fit`, as a command line asks for it."""

from pathlib import Path
from typing import Any, NamedTuple

import typer

from novikoff.checkpoints import Checkpoint, Keeper, Recipe
from novikoff.cli.plans import Plan
from novikoff.epochs import Run
from novikoff.errors import ParameterError
from novikoff.sources import Place, Source


class Checkpointing(NamedTuple):
    """What a command line says about a checkpoint."""

    path: Path
    every: float  # seconds
    resume: bool

    def keeper(self, plan: Plan) -> Keeper:
        """Who keeps it. A checkpoint that is there is gone on with only if somebody says so, and
        is never written over.
        """
        if self.path.exists() and not self.resume:
            raise ParameterError(
                f"--checkpoint {self.path}: it is there already; go on from it with --resume, or"
                " delete it"
            )
        if self.resume and not self.path.exists() and not plan.quiet:
            typer.echo(f"novikoff: there is no {self.path} yet: learning from the start", err=True)
        return Keeper(self.path, recipe(plan), every=self.every, resume=self.resume)


def recipe(plan: Plan) -> Recipe:
    """A plan as a model file has it. When a run goes on, its budget may be raised."""
    options = {"max_epochs": plan.max_epochs, "order": plan.order}
    fields = plan._asdict()
    same = {name: value for name, value in fields.items() if name not in ("max_epochs", "quiet")}
    return Recipe(plan.rule, plan.parameters, options, same)


class Tools(NamedTuple):
    """What watches over a run: its progress, and its checkpoint if there is to be one."""

    progress: Any
    keeper: Keeper | None = None

    def after(self, run: Run, classes: Any, source: Source, position: Place | None = None) -> None:
        """Called between two blocks of rows, where stopping leaves everything whole."""
        if self.keeper is not None and (self.progress.pressed or self.keeper.due):
            self.keep(run, classes, source, position)
        self.progress.stop_if_pressed()

    def keep(self, run: Run, classes: Any, source: Source, position: Place | None = None) -> None:
        """Write the checkpoint, if there is to be one."""
        if self.keeper is not None:
            self.keeper.keep(run, classes, source, position, source.memory())

    @property
    def found(self) -> Checkpoint | None:
        return None if self.keeper is None else self.keeper.found
