"""A run of `fit`, on this machine or on a cluster, with its progress and its checkpoint."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from novikoff.cli.fit.proof_inputs import ProofInputs, require_provable, update_totals
from novikoff.cli.fit.result import FitResult
from novikoff.cli.shared.cluster_options import RemoteData
from novikoff.cli.shared.progress.training_progress import Progress, ProgressTask
from novikoff.data import Source
from novikoff.errors import ParameterError
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.training import Hooks, fit

if TYPE_CHECKING:
    from novikoff.cli.fit.page import FitPageRecorder

PROOFS = {"--certificate", "--run-certificate"}


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


class FitOutput(NamedTuple):
    """The result of a run. exit_code: of one that was interrupted. recorder: what pictures are made
    of, if there are to be any.
    """

    result: FitResult
    exit_code: int
    recorder: "FitPageRecorder | None" = None


class FitJob(NamedTuple):
    """A run to be made. kept: the options for which rows are kept."""

    spec: TrainingSpec
    checkpoint: CheckpointOptions | None
    log: Path | None
    kept: list[str]
    quiet: bool

    @contextlib.contextmanager
    def run_locally(self, source: Source, classes: str | None) -> Iterator[FitOutput]:
        """Learn on this machine. classes: all labels of a stream, as the command line has them."""
        prove = bool(PROOFS & set(self.kept))
        if prove:
            require_provable(self.spec, "--run-certificate" in self.kept)
        recorder = None
        if set(self.kept) - PROOFS:
            from novikoff.cli.fit.page import FitPageRecorder  # most runs are not drawn

            recorder = FitPageRecorder(source)
        manager = self._manager()
        with Progress(ProgressTask(), self.quiet, self.log, _is_new(manager)) as progress:
            found = fit(
                self.spec,
                source if recorder is None else recorder.source,
                Hooks(
                    progress,
                    manager,
                    log=update_totals if prove else None,
                    watch=None if recorder is None else recorder.watch,
                    interruptible=True,
                ),
                classes=None if classes is None else _labels(classes),
                reread=True,
                keep=bool(self.kept),
            )
            margin, wrong, advice = found.found_margin(), found.wrong_rows(), found.advice()
        assert found.source is not None
        provable = ProofInputs.of(found.data, found.log) if prove and found.data else None
        known = found.source, found.learner, found.classes, found.outcome, found.rows, margin
        result = FitResult(
            self.spec, *known, found.seconds, provable, found.checkpoint, None, advice, wrong
        )
        yield FitOutput(result, progress.exit_code, recorder)

    @contextlib.contextmanager
    def run_on_cluster(self, source: RemoteData) -> Iterator[FitOutput]:
        """Learn on a cluster, which is there as long as its rows may be asked for."""
        from novikoff.cli.fit.cluster_progress import ClusterProgress  # needs Dask
        from novikoff.cli.fit.on_cluster import fit_on_cluster, refuse_early

        prove = "--certificate" in self.kept
        refuse_early(self.spec, source.cluster, prove)
        manager = self._manager()
        with contextlib.ExitStack() as stack:
            anew = _is_new(manager)
            with ClusterProgress(ProgressTask(), self.quiet, self.log, anew) as progress:
                progress.begin(source.cluster.starting)
                connection = stack.enter_context(source.cluster.connect())
                result = fit_on_cluster(self.spec, source, prove, connection, progress, manager)
            yield FitOutput(result, progress.exit_code)

    def _manager(self) -> CheckpointManager | None:
        return None if self.checkpoint is None else self.checkpoint.manager(self.spec, self.quiet)


def _is_new(manager: CheckpointManager | None) -> bool:
    """Whether a run begins, rather than goes on from a checkpoint."""
    return manager is None or manager.found is None


def _labels(words: str) -> npt.NDArray[Any]:
    """Labels from the command line: numbers if all of them are."""
    labels = [word.strip() for word in words.split(",")]
    found = np.unique(np.array(labels))
    for kind in (np.float64, np.int64):  # numbers, whole ones if all are
        with contextlib.suppress(ValueError):
            found = np.unique(np.array(labels).astype(kind))
    if len(found) < 2:
        raise ParameterError(f"--classes {words}: two labels or more are needed")
    return found
