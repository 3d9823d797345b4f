"""`nk.trace`: the run, the theorem's figures, and the one held against the other."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.learn import Learner
from novikoff.tracing.following import Following
from novikoff.tracing.keeping import Keeper, Writer
from novikoff.tracing.plan import Plan
from novikoff.tracing.record import Ran, run
from novikoff.tracing.result import Trace
from novikoff.tracing.stories import Aggression, Convergence, Story, Task, Winnowing
from novikoff.tracing.weights import Weights
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
    weights: bool = False,
    max_updates: int | None = None,
    stop_at_cycle: bool = False,
    watch: Watch | None = None,
    judging: Callable[[Stage], None] | None = None,
    interruptible: bool = False,
    **options: Any,
) -> Trace:
    """Run a rule, and hold every update against the inequalities of its convergence proof.

    X, y: as for the estimators, or a source and no y.
    rule: "perceptron", "one-sided", "averaged", "voted", "margin", "passive-aggressive" or
        "winnow", with its estimator's parameters as `options`; or an estimator (which is not
        fitted); or a rule of `nk.rules`.
    target: w*, a number for each coordinate, the intercept last; by default the separator with the
        largest margin. For Winnow the relevant variables, by default a small set whose OR is the
        label.
    positive: the label to tell from all others, where there are more than two.
    exact: True checks over the rationals, False in floating point with a proven allowance for
        rounding; by default exactly where that takes a second or two, and for rows of unit length
        and passive-aggressive learning, which are not rational, in floating point.
    keep: how many updates the table holds at the most; more are thinned. All are checked.
    write: a .csv or .parquet file for every update.
    weights: whether the table has the run's own weights too, as they are after each update, bit for
        bit: columns weight_0, weight_1, ... and, with a bias, intercept. Of the averaged and voted
        perceptrons they are those that make the mistakes.
    max_updates: end the run where one update more would be made.
    stop_at_cycle: end a run that is proven to go round in a circle (`Trace.cycle`) once it has gone
        round it a second time.
    watch, judging: called now and then while it learns, and while the target is found.

    An inequality that fails raises InequalityError, which names the update.

    >>> run = trace([[1, 0], [0, 1]], [1, -1], fit_intercept=False)
    >>> run.updates, run.bound, [check.tightest for check in run.checks]
    (2, 2, [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    _refuse_unless_above(1, keep=keep)
    _refuse_unless_above(0, max_updates=1 if max_updates is None else max_updates)
    plan = Plan.of(rule, options)
    if exact:
        _refuse_exact(plan)
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
        own = Weights(learner.rule, rows, signed.signs, plan.start(learner)) if weights else None
        following = Following(story, signed, exact, takers, own)
        codes = (signed.signs > 0).astype(np.uint16)
        budget = plan.budget(interruptible)
        budget = budget._replace(max_updates=max_updates, stop_at_cycle=stop_at_cycle)
        ran = run(learner, rows, codes, budget, following.take, watch)
        following.end()
    return _told(task, story, ran, following, keeper)


def _refuse_exact(plan: Plan) -> None:
    if plan.kind == "passive-aggressive":
        raise ParameterError(
            "the steps of passive-aggressive learning are rounded quotients: no run of it is one of"
            " rational numbers. Leave exact out; it is checked with an allowance for rounding"
        )
    if plan.estimator.unit_length:
        raise ParameterError(
            "rows scaled to unit length are not rational: no run on them can be followed exactly."
            " Leave exact or unit_length out"
        )


def _refuse_unless_above(least: int, **numbers: Any) -> None:
    for name, number in numbers.items():
        if not isinstance(number, (int, np.integer)) or number <= least:
            raise ParameterError(f"{name} must be a whole number above {least}, not {number!r}")


def _story(task: Task, target: Any, judging: Callable[[Stage], None] | None) -> Story:
    if task.plan.kind == "winnow":
        return Winnowing(task, target)
    if task.plan.kind == "passive-aggressive":
        return Aggression(task, target, judging)
    return Convergence(task, target, judging)


def _told(task: Task, story: Story, ran: Ran, following: Following, keeper: Keeper) -> Trace:
    table, learner, signed = keeper.table(), task.learner, task.signed
    outcome = ran.outcome
    ceilings = table.get("ceiling", [])
    return Trace(
        rule=task.plan.kind,
        rows=signed.count,
        features=signed.features,
        bias=learner.bias,
        unit_length=learner.unit_length,
        start=task.plan.start(learner),
        epochs=outcome.epochs,
        mistakes=sum(outcome.mistakes_per_epoch),
        mistakes_per_epoch=outcome.mistakes_per_epoch,
        updates=sum(outcome.updates_per_epoch),
        converged=outcome.converged,
        because=outcome.because.value,
        table=table,
        thinned=keeper.thinned,
        exact=following.follower.exact,
        rounded=following.follower.rounded,
        checks=story.checks.results(),
        ceiling=float(ceilings[-1]) if len(ceilings) else None,
        cycle=ran.cycle,
        signed=signed,
        **story.figures(),
    )
