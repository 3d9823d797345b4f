"""What `fit` proves of its run: that the weights it found separate the rows, and how they came."""

from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificate import Certificate
from novikoff.cli.training import Kept, Plan, Result
from novikoff.errors import ParameterError
from novikoff.learn import learn
from novikoff.proofs import separator, training_run
from novikoff.rows import Array
from novikoff.rules.protocol import combination
from novikoff.scan import Vector
from novikoff.signed import Signed

MOST_UPDATES = 2_000_000  # of a run that is replayed: some minutes, and a file of many megabytes


class InOrder(NamedTuple):
    """A log of the rows that moved the weights, in order."""

    rows: Array
    used: Array

    def record(self, i: int, amount: float, seen: Any) -> None:
        if amount != 0.0 and self.used[0] < self.rows.shape[0]:
            self.rows[self.used[0]] = i
            self.used[0] += 1


class Proof(NamedTuple):
    """What is proven, and whether it took a verdict because the run itself proves nothing."""

    certificate: Certificate | None
    outcome: str
    asked: bool

    def told(self, path: Path, data: str) -> str:
        """For a person."""
        why = ""
        if self.asked:
            why = f"the run proves nothing, so the verdict was asked for: {self.outcome.upper()}\n"
        if self.certificate is None:
            return f"{why}nothing is proven, so nothing was written to {path}"
        return f"{why}proof: {path}; to check it: novikoff verify {path} {data}"


def refuse_unprovable(plan: Plan, run: bool) -> None:
    """Say what cannot be proven before anything is learned."""
    if plan.rule == "one-sided":
        raise ParameterError("--certificate: the one-sided rule has no labels to be proven right")
    if run and plan.rule != "perceptron":
        raise ParameterError("--run-certificate is for the rule perceptron alone")
    if run and plan.unit_length:
        raise ParameterError(
            "--run-certificate: rows of unit length are not rational, so that no run on them can be"
            " replayed exactly; leave --unit-length out"
        )


def prove(result: Result) -> Proof:
    """That the final weights separate the rows; else whatever the verdict proves."""
    kept = _two_classes(result)
    if result.interrupted:
        return Proof(None, "interrupted", False)
    found = _of_weights(result, kept) if result.outcome.converged else None
    if found is not None:
        return Proof(found, "separable", False)
    from novikoff.verdict import check

    plan = result.plan
    verdict = check(kept.X, kept.y, fit_intercept=plan.bias, unit_length=plan.unit_length)
    return Proof(verdict.certificate, verdict.outcome, True)


def _of_weights(result: Result, kept: Kept) -> Certificate | None:
    """From the weights that predict, or those last learned; None if neither separate exactly."""
    plan, learner = result.plan, result.learner
    weights, offsets = learner.linear()
    bias = plan.bias or bool(offsets[0])  # a threshold is a bias that was not learned
    if bias != plan.bias and plan.unit_length:
        return None  # and it would be scaled with its row
    signed = Signed.of(kept.X, kept.y, fit_intercept=bias, unit_length=plan.unit_length)
    predicting = np.append(weights[0], offsets[0])[: signed.dim]
    learned = combination(learner.rule, learner.states[0])
    for vector in (predicting, learned):
        if vector is not None and len(vector) == signed.dim:
            found = separator(signed, vector.tolist(), _support(kept, signed, vector))
            if found is not None:
                return found
    return None


def _support(kept: Kept, signed: Signed, weights: Vector) -> list[tuple[int, Fraction]]:
    """What each row moved the weights by: sum of multiplier * z is then what was learned.

    Where a rule moves otherwise, the row nearest to the hyperplane alone bounds the margin too.
    """
    moved = kept.moved.amounts
    if np.isfinite(moved).all() and (moved >= 0.0).all() and moved.any():
        return [(int(i), Fraction(moved[i])) for i in np.flatnonzero(moved)]
    low = signed.scan.lowest(weights)
    return [(low.row, Fraction(1))]


def prove_run(result: Result) -> Certificate:
    """That the perceptron moved at just these rows, in this order; it learns again, with a log."""
    kept, plan, learner = _two_classes(result), result.plan, result.learner
    updates = learner.total("updates")
    if updates > MOST_UPDATES:
        raise ParameterError(
            f"--run-certificate: {updates:,} updates are too many to replay exactly; up to"
            f" {MOST_UPDATES:,} are not"
        )
    log = InOrder(np.zeros(updates, np.int64), np.zeros(1, np.int64))
    learn(
        plan.learner(learner.features, 1),
        kept.rows,
        kept.codes,
        max_epochs=result.outcome.epochs,
        order=plan.order,
        seed=plan.seed,
        log=log,
    )
    signed = Signed.of(kept.X, kept.y, fit_intercept=plan.bias)
    start = np.zeros(signed.dim) if learner.initial is None else learner.initial[0]
    eta, tie = float(plan.parameters["eta"]), plan.parameters["tie"]
    return training_run(signed, start.tolist(), eta, tie, log.rows[: int(log.used[0])].tolist())


def _two_classes(result: Result) -> Kept:
    if len(result.classes) > 2 or result.kept is None:
        raise ParameterError(
            f"--certificate: a certificate is about two classes, and there are"
            f" {len(result.classes)}; novikoff check --positive proves one against the others"
        )
    return result.kept
