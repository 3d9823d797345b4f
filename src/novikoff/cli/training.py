"""What `fit` does with rows at rest, in memory or mapped from a cache: epoch after epoch."""

import time
from typing import Any, NamedTuple

import numpy as np

from novikoff.cli.keeping import Tools
from novikoff.cli.plans import Plan
from novikoff.cli.results import Kept, Moved, Result
from novikoff.epochs import Because, Outcome, Run, found_margin
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Learner, Watch, outputs_for
from novikoff.loop import Silent
from novikoff.rows import Rows, length
from novikoff.sources import Source
from novikoff.sources.settling import at_rest, bytes_of
from novikoff.streams import NO_LABELS


def run(
    plan: Plan,
    source: Source,
    tools: Tools,
    *,
    keep: bool = False,
    keep_run: bool = False,
    watch: Watch | None = None,
) -> Result:
    """Learn from a source, epoch by epoch.

    keep, keep_run: keep what a proof of the outcome, or of the run, is made from. watch: called
    after each block of rows that was read.
    """
    if keep or keep_run:
        refuse_unprovable(plan, keep_run)
    rest = _rest(plan, source, tools, keep or keep_run)
    learning = _gone_on(plan, tools, rest.classes, rest.features)
    if learning is None:
        learning = Run(plan.learner(rest.features, outputs_for(rest.classes)))
    began = time.perf_counter()
    outcome = _learned(plan, tools, rest, learning, watch)
    seconds, path = time.perf_counter() - began, None
    if tools.keeper is not None:
        seconds, path = tools.keeper.seconds, tools.keeper.path
    if learning.because is not Because.INTERRUPTED:
        tools.keep(learning, rest.classes, rest.source)
    learner = learning.learner
    margin = found_margin(learner, rest.rows, rest.codes) if outcome.converged else None
    known = outcome, length(rest.rows), margin, seconds, rest.kept, path
    return Result(plan, rest.source, learner, rest.classes, *known)


class Rest(NamedTuple):
    """Rows at rest, as the learner sees them, and where they are from."""

    source: Source
    rows: Rows
    classes: Any
    codes: Any
    features: int
    kept: Kept | None  # what a proof is made from


def _rest(plan: Plan, source: Source, tools: Tools, keep: bool) -> Rest:
    progress, size = tools.progress, bytes_of(source)
    source, matrix, classes, codes = at_rest(source, labels=plan.labels, watch=progress.reading)
    if classes is None:
        classes = NO_LABELS
    if len(classes) < 2:
        raise DataError(
            f"{source.name}: all {matrix.shape[0]:,} rows have the label {classes[0]};"
            " a separator needs two"
        )
    rows, kept = plan.rows(matrix), None
    if keep:
        refuse_many(classes)
        kept = Kept(matrix, classes[codes], rows, codes, Moved(np.zeros(matrix.shape[0])))
    progress.task = progress.task._replace(rows=length(rows), bytes=size or None)
    return Rest(source, rows, classes, codes, matrix.shape[1], kept)


def _learned(plan: Plan, tools: Tools, rest: Rest, learning: Run, watch: Watch | None) -> Outcome:
    progress = tools.progress

    def after(learner: Learner, stop: int) -> None:
        if watch is not None:
            watch(learner, stop)
        progress.watch(learning, end=stop == length(rest.rows))
        tools.after(learning, rest.classes, rest.source)

    progress.started()
    progress.busy = True
    outcome = learning.go(
        rest.rows,
        rest.codes,
        max_epochs=plan.max_epochs,
        order=plan.order,
        seed=plan.seed,
        watch=after,
        interruptible=True,
        log=rest.kept.moved if rest.kept else Silent(),
    )
    progress.busy = False
    return outcome


def _gone_on(plan: Plan, tools: Tools, classes: Any, features: int) -> Run | None:
    """The run of a checkpoint; None if there is none, or if it was a stream's that did not know yet
    what has to be known from the start.
    """
    if tools.found is None:
        return None
    found, model = tools.found.run, tools.found.model
    narrow = found.learner.features < features
    if not np.array_equal(model.classes, classes) or (narrow and plan.needs_width):
        return None
    if narrow:
        found.learner.resize(features)
    tools.progress.resumed(found.learner)
    return found


def refuse_unprovable(plan: Plan, run: bool) -> None:
    """Say so before anything is learned."""
    if plan.rule == "one-sided":
        raise ParameterError(
            "--certificate: the one-sided rule looks at no labels: there is no claim"
        )
    if run and plan.rule != "perceptron":
        raise ParameterError(f"--run-certificate is for the rule perceptron, not {plan.rule}")
    if run and plan.unit_length:
        raise ParameterError(
            "--run-certificate: rows of unit length are not rational, so that no run on them can be"
            " replayed exactly; leave --unit-length out"
        )


def refuse_many(classes: Any) -> None:
    """A proof is about two classes."""
    if len(classes) > 2:
        raise ParameterError(
            f"--certificate: a certificate is about two classes, and there are {len(classes)};"
            " novikoff check --positive proves one against the others"
        )
