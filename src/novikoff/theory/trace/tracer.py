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
from novikoff.theory.trace.spec import signed_rows, spec_of
from novikoff.theory.trace.table import ThinnedTable, open_table
from novikoff.theory.trace.theorems.theorems import (
    PassiveAggressiveTheorem,
    PerceptronTheorem,
    Theorem,
    TheoremChecker,
    TraceInputs,
    WinnowTheorem,
)
from novikoff.theory.trace.update_log import TracedRun, run_logged
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

    X, y: as for `check`.
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
    watch: called now and then while it learns.
    judging: called now and then while the target is found.
    interruptible: whether Ctrl-C ends the run with what was traced so far.
    options: parameters of the rule's estimator.

    An inequality that fails raises InequalityError, which names the update.

    >>> import novikoff as nk
    >>> run = nk.trace([[1, 0], [0, 1]], [1, -1], fit_intercept=False)
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
    inputs = TraceInputs(spec, signed, rows, learner)
    theorem = _choose_theorem(inputs, target, judging)
    table = ThinnedTable(int(keep))
    with ExitStack() as stack:
        consumers: list[Callable[[dict[str, Any]], None]] = [table.add]
        if write is not None:
            consumers.append(stack.enter_context(open_table(write)).write)
        replayed = inputs.weights() if weights else None
        dispatcher = UpdateDispatcher(theorem, signed, exact, consumers, replayed)
        run = run_logged(
            learner,
            rows,
            (signed.signs > 0).astype(np.uint16),
            spec,
            dispatcher.add,
            watch,
            interruptible=interruptible,
            max_updates=max_updates,
            stop_at_cycle=stop_at_cycle,
        )
        dispatcher.finish()
    return _build_trace(inputs, theorem, run, dispatcher.checker, table)


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
    inputs: TraceInputs, target: Any, watch: Callable[[Stage], None] | None
) -> Theorem:
    proof = registry.lookup(inputs.spec.rule).proof
    if proof == "winnow":
        return WinnowTheorem(inputs, target)
    if proof == "passive-aggressive":
        return PassiveAggressiveTheorem(inputs, target, watch)
    return PerceptronTheorem(inputs, target, watch)


def _build_trace(
    inputs: TraceInputs,
    theorem: Theorem,
    run: TracedRun,
    checker: TheoremChecker,
    thinned: ThinnedTable,
) -> Trace:
    table, learner, signed = thinned.table(), inputs.learner, inputs.signed
    outcome = run.outcome
    ceilings = table.get("ceiling", [])
    return Trace(
        rule=inputs.spec.rule,
        rows=signed.count,
        features=signed.features,
        bias=learner.bias,
        unit_length=learner.unit_length,
        start=inputs.start,
        epochs=outcome.epochs,
        mistakes=sum(outcome.mistakes_per_epoch),
        mistakes_per_epoch=outcome.mistakes_per_epoch,
        updates=sum(outcome.updates_per_epoch),
        converged=outcome.converged,
        because=outcome.because.value,
        table=table,
        thinned=thinned.thinned,
        exact=checker.exact,
        rounded=checker.rounded,
        checks=theorem.checks.results(),
        ceiling=float(ceilings[-1]) if len(ceilings) else None,
        cycle=run.cycle,
        signed=signed,
        **theorem.figures(),
    )
