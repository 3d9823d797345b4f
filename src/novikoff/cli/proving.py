"""What `fit` proves of its run: that the weights it found separate the rows, and how they came."""

from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificate import Certificate
from novikoff.cli.results import Result
from novikoff.epochs import learn
from novikoff.errors import ParameterError
from novikoff.proofs import separator, training_run
from novikoff.rows import Array
from novikoff.rules.protocol import combination
from novikoff.scan import Vector
from novikoff.signed import Signed, SignedRows

MOST_UPDATES = 2_000_000  # of a run that is replayed: a minute or more, and a file of megabytes


class InOrder(NamedTuple):
    """A log of the rows that moved the weights, in order."""

    rows: Array
    used: Array

    def record(self, i: int, amount: float, seen: Any) -> None:
        if amount != 0.0 and self.used[0] < self.rows.shape[0]:
            self.rows[self.used[0]] = i
            self.used[0] += 1


class Proofs(NamedTuple):
    """The files written, and what the first one proves; None where nothing is proven."""

    certificate: Path | None
    run_certificate: Path | None
    asked_for: str | None  # the verdict that was asked for because the run itself proves nothing

    def as_json(self) -> dict[str, str | None]:
        files = self._asdict()
        names = "certificate", "run_certificate"
        return {name: None if files[name] is None else str(files[name]) for name in names}

    def told(self, data: str) -> list[str]:
        """For a person."""
        lines = []
        if self.asked_for is not None:
            lines.append(f"the run proves nothing, so the verdict was asked for: {self.asked_for}")
        for path in (self.certificate, self.run_certificate):
            if path is not None:
                lines.append(f"proof: {path}; to check it: novikoff verify {path} {data}")
        return lines or ["nothing is proven, so no proof was written"]


def write_proofs(result: Result, certificate: Path | None, run_certificate: Path | None) -> Proofs:
    """Prove what was asked for, and write it; of a run that was interrupted, nothing."""
    if result.interrupted or result.kept is None:
        return Proofs(None, None, None)
    proof, asked_for = None, None
    if certificate is not None:
        proof = _of_weights(result) if result.outcome.converged else None
        if proof is None:
            proof, asked_for = _of_verdict(result)
        if proof is not None:
            proof.write(certificate)
    if run_certificate is not None:
        _of_run(result).write(run_certificate)
    return Proofs(certificate if proof is not None else None, run_certificate, asked_for)


def _of_weights(result: Result) -> Certificate | None:
    """From the weights that predict, or those last learned; None if neither separate exactly."""
    plan, learner = result.plan, result.learner
    weights, offsets = learner.linear()
    bias = plan.bias or bool(offsets[0])  # a threshold is a bias that was not learned
    if bias != plan.bias and plan.unit_length:
        return None  # such a bias is not scaled with its row
    signed = result.kept.signed(bias, plan.unit_length)
    predicting = np.append(weights[0], offsets[0])[: signed.dim]
    learned = combination(learner.rule, learner.states[0])
    for vector in (predicting, learned):
        if vector is not None and len(vector) == signed.dim:
            found = separator(signed, vector.tolist(), _support(result, signed, vector))
            if found is not None:
                return found
    return None


def _support(result: Result, signed: SignedRows, weights: Vector) -> list[tuple[int, Fraction]]:
    """What each row moved the weights by: the sum of multiplier * z is then what was learned.

    Where a rule moves in another way, or shards were mixed, the row nearest to the hyperplane
    bounds the margin alone.
    """
    moved = result.kept.moved_by()
    if moved is not None and np.isfinite(moved).all() and (moved >= 0.0).all() and moved.any():
        return [(int(i), Fraction(float(moved[i]))) for i in np.flatnonzero(moved)]
    return [(signed.scan.lowest(weights).row, Fraction(1))]


def _of_verdict(result: Result) -> tuple[Certificate | None, str]:
    plan = result.plan
    bias = plan.bias or bool(result.learner.linear()[1][0])  # a threshold is a bias
    verdict = result.kept.verdict(bias, plan.unit_length)
    return verdict.certificate, verdict.outcome


def _of_run(result: Result) -> Certificate:
    """That the perceptron moved at just these rows, in this order: it learns again, with a log."""
    plan, learner, kept = result.plan, result.learner, result.kept
    updates = learner.total("updates")
    if updates > MOST_UPDATES:
        raise ParameterError(
            f"--run-certificate: {updates:,} updates are too many to replay exactly; the most are"
            f" {MOST_UPDATES:,}"
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
    return training_run(signed, start.tolist(), eta, tie, log.rows.tolist())
