"""Runs beside their bounds: what each learner really did, and what its run proves afterwards."""

import math
from typing import Any, NamedTuple

import numpy as np

from novikoff.bounds.case import Case
from novikoff.bounds.hypotheses import Bound
from novikoff.bounds.outward import sum_above, up
from novikoff.epochs import Outcome, learn
from novikoff.learn import Learner
from novikoff.loop import Silent
from novikoff.rules import BalancedWinnow, Perceptron, Winnow
from novikoff.scan import UNIT
from novikoff.verdict.first import Counts
from novikoff.verdict.result import SEPARABLE

SOFT = ("freund-schapire", "hinge")
MOST_EPOCHS = 1000


class Ran(NamedTuple):
    """What the perceptron of a case did, and what follows from that alone.

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


def perceptron_run(case: Case, max_epochs: int = MOST_EPOCHS) -> Ran:
    """Train the perceptron of this case once: rows that are not separable for `passes` epochs."""
    separable = case.verdict.outcome == SEPARABLE
    counts = Counts(np.zeros(case.signed.count, np.int64))
    rule = Perceptron(float(case.eta))
    epochs = max_epochs if separable else min(case.passes, max_epochs)
    learner, outcome = _trained(case, rule, epochs, log=counts, initial=_start(case))
    moves, ceiling = learner.total("updates"), float(learner.ceilings()[0])
    length = up(up(ceiling * moves) * rule.eta) if moves else 0.0
    by_length = by_rows = None
    if separable and moves:
        by_length = _whole(up(ceiling * moves) / case.margin)
    if separable and case.start is None:
        by_rows = _whole(up(math.sqrt(_squares(case, counts))) / case.margin)
    return Ran(
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


def made(case: Case, bound: Bound, ran: Ran, max_epochs: int = MOST_EPOCHS) -> int | None:
    """The mistakes of the learner that a bound is about; None if the bound is refused."""
    if bound.refused is not None:
        return None
    if bound.name in SOFT:
        return sum(ran.mistakes_per_epoch[: case.passes])
    if bound.name in ("novikoff", "unit-length", "fixed-increment"):
        return ran.mistakes
    lift: dict[str, Any] = {"bias": False, "unit_length": bound.name == "one-sided"}
    rule: Any = Winnow() if bound.name == "winnow" else Perceptron()
    if bound.name == "balanced-winnow":
        rule, lift = BalancedWinnow(bound.figures["eta"]), {}
    return _trained(case, rule, max_epochs, **lift)[0].total("mistakes")


def _trained(
    case: Case,
    rule: Any,
    max_epochs: int,
    *,
    log: Any = Silent(),  # noqa: B008  (immutable)
    initial: Any = None,
    bias: bool | None = None,
    unit_length: bool | None = None,
) -> tuple[Learner, Outcome]:
    signed = case.signed
    lift = signed.bias if bias is None else bias
    scaled = signed.unit_length if unit_length is None else unit_length
    learner = Learner(rule, signed.features, bias=lift, unit_length=scaled, initial=initial)
    rows = signed.rows._replace(bias=lift, unit_length=scaled)
    codes: Any = (signed.signs > 0).astype(np.uint16)
    outcome = learn(learner, rows, codes, max_epochs=max_epochs, log=log)
    return learner, outcome


def _start(case: Case) -> Any:
    if case.start is None:
        return None
    return np.array([[float(each) for each in case.start.fractions()]])


def _squares(case: Case, log: Counts) -> float:
    """The sum of |z|^2 over the mistakes, not rounded down."""
    if case.signed.unit_length:
        return float(log.counts.sum())
    scan = case.signed.scan
    return sum_above(log.counts * scan.squares) * (1.0 + 4.0 * scan.steps * UNIT)


def _whole(number: float) -> int | None:
    """Rounded down to a whole number, but not by rounding errors."""
    return math.floor(up(number)) if number < math.inf else None
