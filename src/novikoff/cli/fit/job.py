"""A run of `fit`, on this machine or on a cluster, with its progress and its checkpoint."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.cli.fit.checkpoint import CheckpointOptions
from novikoff.cli.fit.proof_inputs import ProofInputs, require_provable, update_totals
from novikoff.cli.fit.result import Result
from novikoff.cli.shared.cluster_options import RemoteData
from novikoff.cli.shared.progress.training_progress import Progress, ProgressTask
from novikoff.data import Source
from novikoff.errors import ParameterError
from novikoff.learning.checkpoint_file import CheckpointManager
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.training import Hooks, fit

if TYPE_CHECKING:
    from novikoff.cli.fit.page import FitPageRecorder

PROOFS = {"--certificate", "--run-certificate"}


class FitOutput(NamedTuple):
    """The result of a run. exit_code: of one that was interrupted. recorder: what pictures are made
    of, if there are to be any.
    """

    result: Result
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
        recorder = self._recorder(source) if set(self.kept) - PROOFS else None
        manager = self._manager()
        epochs = self.spec.max_epochs if source.replayable else None
        with self._progress(manager, epochs) as progress:
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
            margin, wrong = found.found_margin(), found.wrong_rows()
        assert found.source is not None
        provable = ProofInputs.of(found.data, found.log) if prove and found.data else None
        known = found.source, found.learner, found.classes, found.outcome, found.rows, margin
        result = Result(self.spec, *known, found.seconds, provable, found.checkpoint, None, wrong)
        yield FitOutput(result, progress.exit_code, recorder)

    @contextlib.contextmanager
    def run_on_cluster(self, source: RemoteData) -> Iterator[FitOutput]:
        """Learn on a cluster, which is there as long as its rows may be asked for."""
        from novikoff.cli.fit.cluster_progress import ClusterProgress  # needs Dask
        from novikoff.cli.fit.on_cluster import ClusterFit

        cluster = source.cluster
        fitting = ClusterFit(self.spec, source, cluster, "--certificate" in self.kept)
        fitting.refuse()
        manager = self._manager()
        task = ProgressTask(max_epochs=self.spec.max_epochs)
        anew = manager is None or manager.found is None
        with contextlib.ExitStack() as stack:
            with ClusterProgress(task, self.quiet, self.log, anew) as progress:
                progress.begin(cluster.starting)
                joined = stack.enter_context(cluster.joined())
                result = fitting.run(joined, progress, manager)
            yield FitOutput(result, progress.exit_code)

    def _recorder(self, source: Source) -> "FitPageRecorder":
        from novikoff.cli.fit.page import FitPageRecorder  # most runs are not drawn

        return FitPageRecorder(source)

    def _manager(self) -> CheckpointManager | None:
        return None if self.checkpoint is None else self.checkpoint.manager(self.spec, self.quiet)

    def _progress(self, manager: CheckpointManager | None, max_epochs: int | None) -> Progress:
        anew = manager is None or manager.found is None
        return Progress(ProgressTask(max_epochs=max_epochs), self.quiet, self.log, anew)


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
