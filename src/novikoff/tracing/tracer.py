"""`nk.trace`: the run, the theorem's figures, and the one held against the other."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from novikoff.epochs import Outcome
from novikoff.errors import ParameterError
from novikoff.learn import Learner
from novikoff.tracing.keeping import Keeper, Writer
from novikoff.tracing.plan import Plan
from novikoff.tracing.record import run
from novikoff.tracing.result import Trace
from novikoff.tracing.stories import Convergence, Following, Story, Task, Winnowing
from novikoff.verdict.result import Stage

KEEP = 100_000  # updates in a table, if nothing else is asked for

Watch = Callable[[Learner, int], None]


def trace(
    X: Any,
    y: Any = None,
    rule: Any = "perceptron",
    target: Any = None,
    *,
    positive: Any = None,
    exact: bool | None = None,
    keep: int = KEEP,
    write: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    judging: Callable[[Stage], None] | None = None,
    interruptible: bool = False,
    **options: Any,
) -> Trace:
    """Run a rule, and hold every update against the inequalities of its convergence proof.

    X, y: as for the estimators, or a source and no y.
    rule: "perceptron", "one-sided", "averaged", "voted", "margin" or "winnow", with its estimator's
        parameters as `options`; or an estimator (which is not fitted); or a rule of `nk.rules`.
    target: w*, a number for each coordinate, the intercept last; by default the separator with the
        largest margin. For Winnow the relevant variables, by default a small set whose OR is the
        label.
    positive: the label to tell from all others, where there are more than two.
    exact: True checks over the rationals, False in floating point with a proven allowance for
        rounding; by default exactly where that takes a second or two.
    keep: how many updates the table holds at the most; more are thinned. All are checked.
    write: a .csv or .parquet file for every update.
    watch, judging: called now and then while it learns, and while the target is found.

    An inequality that fails raises InequalityError, which names the update.

    >>> run = trace([[1, 0], [0, 1]], [1, -1], fit_intercept=False)
    >>> run.updates, run.bound, [check.tightest for check in run.checks]
    (2, 2, [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    if not isinstance(keep, (int, np.integer)) or keep < 2:
        raise ParameterError(f"keep must be a whole number above 1, not {keep!r}")
    plan = Plan.of(rule, options)
    if exact and plan.estimator.unit_length:
        raise ParameterError(
            "rows scaled to unit length are not rational: no run on them can be followed exactly."
            " Leave exact or unit_length out"
        )
    signed = plan.signed(X, y, positive)
    learner = plan.learner(signed.features)
    rows = signed.rows._replace(unit_length=learner.unit_length)
    task = Task(plan, signed, rows, learner)
    story = _story(task, target, judging)
    keeper = Keeper(int(keep))
    with ExitStack() as stack:
        takers: list[Callable[[dict[str, Any]], None]] = [keeper.take]
        if write is not None:
            takers.append(stack.enter_context(Writer(write)).take)
        following = Following(story, signed, exact, takers)
        codes = (signed.signs > 0).astype(np.uint16)
        outcome = run(learner, rows, codes, plan.budget(interruptible), following.take, watch)
        following.end()
    return _told(task, story, outcome, following, keeper)


def _story(task: Task, target: Any, judging: Callable[[Stage], None] | None) -> Story:
    if task.plan.kind == "winnow":
        return Winnowing(task, target)
    return Convergence(task, target, judging)


def _told(
    task: Task, story: Story, outcome: Outcome, following: Following, keeper: Keeper
) -> Trace:
    table, learner, signed = keeper.table(), task.learner, task.signed
    ceilings = table.get("ceiling", [])
    return Trace(
        rule=task.plan.kind,
        rows=signed.count,
        features=signed.features,
        bias=learner.bias,
        unit_length=learner.unit_length,
        start=task.plan.start(learner),
        epochs=outcome.epochs,
        mistakes=learner.total("mistakes"),
        mistakes_per_epoch=outcome.mistakes_per_epoch,
        updates=learner.total("updates"),
        converged=outcome.converged,
        because=outcome.because.value,
        table=table,
        thinned=keeper.thinned,
        exact=following.follower.exact,
        rounded=following.follower.rounded,
        checks=story.checks.results(),
        ceiling=float(ceilings[-1]) if len(ceilings) else None,
        signed=signed,
        **story.figures(),
    )
