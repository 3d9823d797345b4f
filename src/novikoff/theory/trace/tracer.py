"""`nk.trace`: the run, the theorem's figures, and the one held against the other."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import ParameterError
from novikoff.learning.learner import Learner
from novikoff.learning.rules import registry
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.trace.dispatch import UpdateDispatcher
from novikoff.theory.trace.result import Trace
from novikoff.theory.trace.spec import signed_rows, spec_of, start_weights
from novikoff.theory.trace.table import ThinnedTable, open_table
from novikoff.theory.trace.theorems.theorems import (
    PassiveAggressiveTheorem,
    PerceptronTheorem,
    Theorem,
    TraceInputs,
    WinnowTheorem,
)
from novikoff.theory.trace.update_log import TracedRun, UpdateBudget, run_logged
from novikoff.theory.trace.weights import ReplayedWeights
from novikoff.verdict.result import Stage

KEEP = 100_000  # updates in a table, if nothing else is asked for

Watch = Callable[[Learner, int], None]


def trace(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    rule: Any = "perceptron",
    target: Any = None,
    *,
    positive: Label | None = None,
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
    spec = spec_of(rule, options)
    if exact:
        _refuse_exact(spec)
    signed = signed_rows(spec, X, y, positive)
    learner = spec.learner(signed.features, 1)
    rows = signed.rows._replace(unit_length=learner.unit_length)
    task = TraceInputs(spec, signed, rows, learner)
    story = _choose_theorem(task, target, judging)
    keeper = ThinnedTable(int(keep))
    with ExitStack() as stack:
        takers: list[Callable[[dict[str, Any]], None]] = [keeper.add]
        if write is not None:
            takers.append(stack.enter_context(open_table(write)).write)
        own = None
        if weights:
            start = start_weights(spec, learner)
            own = ReplayedWeights(learner.rule, rows, signed.signs, start)
        following = UpdateDispatcher(story, signed, exact, takers, own)
        codes = (signed.signs > 0).astype(np.uint16)
        budget = UpdateBudget(
            spec.budget, spec.order, spec.seed, interruptible, max_updates, stop_at_cycle
        )
        ran = run_logged(learner, rows, codes, budget, following.add, watch)
        following.finish()
    return _build_trace(task, story, ran, following, keeper)


def _refuse_exact(spec: TrainingSpec) -> None:
    if spec.rule == "passive-aggressive":
        raise ParameterError(
            "the steps of passive-aggressive learning are rounded quotients: no run of it is one of"
            " rational numbers. Leave exact out; it is checked with an allowance for rounding"
        )
    if spec.unit_length:
        raise ParameterError(
            "rows scaled to unit length are not rational: no run on them can be followed exactly."
            " Leave exact or unit_length out"
        )


def _refuse_unless_above(least: int, **numbers: Any) -> None:
    for name, number in numbers.items():
        if not isinstance(number, (int, np.integer)) or number <= least:
            raise ParameterError(f"{name} must be a whole number above {least}, not {number!r}")


def _choose_theorem(
    task: TraceInputs, target: Any, judging: Callable[[Stage], None] | None
) -> Theorem:
    proof = registry.lookup(task.spec.rule).proof
    if proof == "winnow":
        return WinnowTheorem(task, target)
    if proof == "passive-aggressive":
        return PassiveAggressiveTheorem(task, target, judging)
    return PerceptronTheorem(task, target, judging)


def _build_trace(
    task: TraceInputs,
    story: Theorem,
    ran: TracedRun,
    following: UpdateDispatcher,
    keeper: ThinnedTable,
) -> Trace:
    table, learner, signed = keeper.table(), task.learner, task.signed
    outcome = ran.outcome
    ceilings = table.get("ceiling", [])
    return Trace(
        rule=task.spec.rule,
        rows=signed.count,
        features=signed.features,
        bias=learner.bias,
        unit_length=learner.unit_length,
        start=start_weights(task.spec, learner),
        epochs=outcome.epochs,
        mistakes=sum(outcome.mistakes_per_epoch),
        mistakes_per_epoch=outcome.mistakes_per_epoch,
        updates=sum(outcome.updates_per_epoch),
        converged=outcome.converged,
        because=outcome.because.value,
        table=table,
        thinned=keeper.thinned,
        exact=following.checker.exact,
        rounded=following.checker.rounded,
        checks=story.checks.results(),
        ceiling=float(ceilings[-1]) if len(ceilings) else None,
        cycle=ran.cycle,
        signed=signed,
        **story.figures(),
    )
