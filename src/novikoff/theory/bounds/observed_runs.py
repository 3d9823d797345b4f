"""Runs to compare with bounds: each learner's mistakes, and what a run proves afterwards."""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.learning.epochs import Outcome, learn
from novikoff.learning.learner import Learner
from novikoff.learning.loop import NoLog
from novikoff.learning.rules import BalancedWinnow, Perceptron, Winnow
from novikoff.theory.bounds.hypotheses import Bound
from novikoff.theory.bounds.nonseparable import sum_above
from novikoff.theory.bounds.problem import BoundProblem
from novikoff.verdict.exact.directed_rounding import up
from novikoff.verdict.result import SEPARABLE
from novikoff.verdict.scan import UNIT, Vector
from novikoff.verdict.warm_start import UpdateCounts

SOFT = ("freund-schapire", "hinge")
MOST_EPOCHS = 1000


class RunSummary(NamedTuple):
    """A run of a problem's perceptron, and what follows from the run alone.

    length: |w_k - w_0|. ceiling: |w_k - w_0| / (eta k); no separator has a larger margin, and it is
    None before the first update. after_length, after_rows: the most mistakes that a run which ended
    there can have made (see `formulas`); None where there is no margin, or, for the second, where
    the weights did not start at 0. All are rounded to the safe side.
    """

    mistakes: int
    mistakes_per_epoch: list[int]
    epochs: int
    converged: bool
    because: str
    length: float
    ceiling: float | None
    after_length: int | None
    after_rows: int | None


def perceptron_run(problem: BoundProblem, max_epochs: int = MOST_EPOCHS) -> RunSummary:
    """Train the problem's perceptron; on rows that are not separable, for `passes` epochs."""
    separable = problem.verdict.outcome == SEPARABLE
    counts = UpdateCounts(np.zeros(problem.signed.count, np.int64))
    rule = Perceptron(float(problem.eta))
    epochs = max_epochs if separable else min(problem.passes, max_epochs)
    start = None
    if problem.start is not None:
        start = np.array([[float(each) for each in problem.start.fractions()]])
    learner, outcome = _train(problem, rule, epochs, log=counts, initial=start)
    moves, ceiling = learner.total("updates"), float(learner.ceilings()[0])
    length = up(up(ceiling * moves) * rule.eta) if moves else 0.0
    by_length = by_rows = None
    if separable and moves:
        by_length = _floor(up(ceiling * moves) / problem.margin)
    if separable and problem.start is None:
        by_rows = _floor(up(math.sqrt(_squares(problem, counts))) / problem.margin)
    return RunSummary(
        learner.total("mistakes"),
        outcome.mistakes_per_epoch,
        outcome.epochs,
        outcome.converged,
        outcome.because.value,
        length,
        ceiling if moves else None,
        by_length,
        by_rows,
    )


def observed_mistakes(
    problem: BoundProblem, bound: Bound, run: RunSummary, max_epochs: int = MOST_EPOCHS
) -> int | None:
    """The mistakes of the learner that a bound is about; None if the bound is refused."""
    if bound.refused is not None:
        return None
    if bound.name in SOFT:
        return sum(run.mistakes_per_epoch[: problem.passes])
    if bound.name in ("novikoff", "unit-length", "fixed-increment"):
        return run.mistakes
    lift: dict[str, Any] = {"bias": False, "unit_length": bound.name == "one-sided"}
    rule: Any = Winnow() if bound.name == "winnow" else Perceptron()
    if bound.name == "balanced-winnow":
        rule, lift = BalancedWinnow(bound.figures["eta"]), {}
    return _train(problem, rule, max_epochs, **lift)[0].total("mistakes")


def _train(
    problem: BoundProblem,
    rule: Any,
    max_epochs: int,
    *,
    log: Any = NoLog(),  # noqa: B008  (immutable)
    initial: Vector | None = None,
    bias: bool | None = None,
    unit_length: bool | None = None,
) -> tuple[Learner, Outcome]:
    signed = problem.signed
    lift = signed.bias if bias is None else bias
    scaled = signed.unit_length if unit_length is None else unit_length
    learner = Learner(rule, signed.features, bias=lift, unit_length=scaled, initial=initial)
    rows = signed.rows._replace(bias=lift, unit_length=scaled)
    codes = (signed.signs > 0).astype(np.uint16)
    outcome = learn(learner, rows, codes, max_epochs=max_epochs, log=log)
    return learner, outcome


def _squares(problem: BoundProblem, log: UpdateCounts) -> float:
    """The sum of |z|^2 over the mistakes, not rounded down."""
    if problem.signed.unit_length:
        return float(log.counts.sum())
    scan = problem.signed.scan
    return sum_above(log.counts * scan.squares) * (1.0 + 4.0 * scan.steps * UNIT)


def _floor(number: float) -> int | None:
    """Rounded down to a whole number, but not by a rounding error."""
    return math.floor(up(number)) if number < math.inf else None
