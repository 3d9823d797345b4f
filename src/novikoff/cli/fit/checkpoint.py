"""The checkpoint of a run of `fit`, as a command line asks for it."""

from pathlib import Path
from typing import NamedTuple

import typer

from novikoff.errors import ParameterError
from novikoff.learning.checkpoint_file import CheckpointManager
from novikoff.learning.spec import TrainingSpec


class CheckpointOptions(NamedTuple):
    """The checkpoint that a command line asks for."""

    path: Path
    every: float  # seconds
    resume: bool

    def manager(self, spec: TrainingSpec, quiet: bool) -> CheckpointManager:
        """Make the checkpoint manager. An existing file is resumed only with --resume, and never
        overwritten otherwise.
        """
        if self.path.exists() and not self.resume:
            raise ParameterError(
                f"--checkpoint {self.path}: it is there already; go on from it with --resume, or"
                " delete it"
            )
        if self.resume and not self.path.exists() and not quiet:
            typer.echo(f"novikoff: there is no {self.path} yet: learning from the start", err=True)
        return CheckpointManager(self.path, spec, every=self.every, resume=self.resume)
