"""A run of `trace`, with its progress and its page."""

from collections.abc import Sequence
from pathlib import Path

from novikoff.cli.shared.loaded_source import LoadedSource, as_label
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.progress.training_progress import Progress, ProgressTask, RunPosition
from novikoff.cli.trace import html as trace_html
from novikoff.data import Source
from novikoff.learning.learner import Learner
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.trace import Trace, trace


def run_trace(
    spec: TrainingSpec,
    source: Source,
    quiet: bool,
    *,
    positive: str | None,
    target: Sequence[float | str] | None,
    exact: bool | None,
    output: Path | None,
    html: Path | None,
) -> tuple[Trace, int, list[str]]:
    """Trace a run, and write its page if one is asked for. Returns the trace, the exit code if it
    was interrupted, and what its page leaves out, in words.
    """
    kept = LoadedSource(source)
    rows = kept.chunk.X.shape[0]
    with SearchProgress(quiet) as judging, Progress(ProgressTask(rows), quiet) as progress:

        def learning(learner: Learner, stop: int) -> None:
            judging.stop()
            if not progress.busy:
                progress.started()
            progress.busy = True
            progress.watch(RunPosition.of(learner, stop, rows))
            progress.stop_if_pressed()

        chosen = None if positive is None else as_label(positive, kept.labels)

        def again(most: int | None = None, write: Path | None = None) -> Trace:
            return trace(
                kept,
                None,
                spec,
                target,
                positive=chosen,
                exact=exact,
                write=write,
                max_updates=most,
                watch=learning,
                judging=judging.watch,
                interruptible=True,
            )

        found, left_out = again(write=output), list[str]()
        if html is not None:
            left_out = trace_html.write(html, found, spec, again, source.name)
    return found, progress.exit_code, left_out
