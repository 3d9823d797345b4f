"""A run of `trace`, with its progress and its page."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from novikoff.cli.shared.loaded_source import LoadedSource, as_label
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.progress.training_progress import Progress, ProgressTask, RunPosition
from novikoff.cli.trace import html as trace_html
from novikoff.data import Source
from novikoff.learning.learner import Learner
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.trace import Trace, trace


class TraceQuestion(NamedTuple):
    """What is to be traced, and where it is to be written; see the options of the command."""

    spec: TrainingSpec
    positive: str | None
    target: Sequence[float | str] | None
    exact: bool | None
    output: Path | None
    html: Path | None


class TraceOutput(NamedTuple):
    """A trace; the exit code, if it was interrupted; and what its page leaves out, in words."""

    trace: Trace
    exit_code: int
    left_out: list[str]


def run_trace(question: TraceQuestion, source: Source, quiet: bool) -> TraceOutput:
    """Trace a run, and write its page if one is asked for."""
    kept = LoadedSource(source)
    rows = kept.chunk.X.shape[0]
    task = ProgressTask(rows, None, question.spec.max_epochs)
    with SearchProgress(quiet) as judging, Progress(task, quiet) as progress:

        def learning(learner: Learner, stop: int) -> None:
            judging.stop()
            if not progress.busy:
                progress.started()
            progress.busy = True
            progress.watch(RunPosition.of(learner, stop, rows))
            progress.stop_if_pressed()

        positive = question.positive
        chosen = None if positive is None else as_label(positive, kept.labels)

        def again(most: int | None = None, write: Path | None = None) -> Trace:
            return trace(
                kept,
                None,
                question.spec,
                question.target,
                positive=chosen,
                exact=question.exact,
                write=write,
                max_updates=most,
                watch=learning,
                judging=judging.watch,
                interruptible=True,
            )

        found, left_out = again(write=question.output), list[str]()
        if question.html is not None:
            left_out = trace_html.write(question.html, found, question.spec, again, source.name)
    return TraceOutput(found, progress.exit_code, left_out)
