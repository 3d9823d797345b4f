"""What `fit` does with rows at rest, in memory or mapped from a cache: epoch after epoch."""

import time
from typing import Any

import numpy as np

from novikoff.cli.keeping import Tools
from novikoff.cli.plans import Plan
from novikoff.cli.results import Kept, Moved, Result
from novikoff.epochs import Because, Run, found_margin
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Learner, Watch, outputs_for
from novikoff.loop import Silent
from novikoff.rows import length
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
        _refuse_unprovable(plan, keep_run)
    progress = tools.progress
    size = bytes_of(source)
    source, matrix, classes, codes = at_rest(source, labels=plan.labels, watch=progress.reading)
    if classes is None:
        classes = NO_LABELS
    if len(classes) < 2:
        raise DataError(
            f"{source.name}: all {matrix.shape[0]:,} rows have the label {classes[0]};"
            " a separator needs two"
        )
    rows = plan.rows(matrix)
    kept = None
    if keep or keep_run:
        _refuse_many(classes)
        kept = Kept(matrix, classes[codes], rows, codes, Moved(np.zeros(matrix.shape[0])))
    learning = _gone_on(plan, tools, classes, matrix.shape[1])
    if learning is None:
        learning = Run(plan.learner(matrix.shape[1], outputs_for(classes)))
    progress.task = progress.task._replace(rows=length(rows), bytes=size or None)
    began = time.perf_counter()
    progress.started()

    def after(learner: Learner, stop: int) -> None:
        if watch is not None:
            watch(learner, stop)
        progress.watch(learning, end=stop == length(rows))
        tools.after(learning, classes, source)

    progress.busy = True
    outcome = learning.go(
        rows,
        codes,
        max_epochs=plan.max_epochs,
        order=plan.order,
        seed=plan.seed,
        watch=after,
        interruptible=True,
        log=kept.moved if kept else Silent(),
    )
    progress.busy = False
    seconds = time.perf_counter() - began
    if tools.keeper is not None:
        seconds = tools.keeper.seconds
        if learning.because is not Because.INTERRUPTED:
            tools.keeper.keep(learning, classes, source)
    learner = learning.learner
    margin = found_margin(learner, rows, codes) if outcome.converged else None
    path = None if tools.keeper is None else tools.keeper.path
    return Result(
        plan, source, learner, classes, outcome, matrix.shape[0], margin, seconds, kept, path
    )


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


def _refuse_unprovable(plan: Plan, run: bool) -> None:
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


def _refuse_many(classes: Any) -> None:
    if len(classes) > 2:
        raise ParameterError(
            f"--certificate: a certificate is about two classes, and there are {len(classes)};"
            " novikoff check --positive proves one against the others"
        )
