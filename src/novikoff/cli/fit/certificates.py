"""The proofs of `fit`: that its weights separate the rows, and which updates led to them."""

from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.cli.fit.proof_inputs import ProofInputs
from novikoff.cli.fit.result import FitResult
from novikoff.errors import ParameterError
from novikoff.learning.epochs import learn
from novikoff.learning.rows import Array, WeightedRows
from novikoff.learning.rules.protocol import combination
from novikoff.verdict.certificate import Certificate
from novikoff.verdict.certificate.build import certify_run, certify_separator
from novikoff.verdict.judge import Judge
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import SignedRows

MOST_UPDATES = 2_000_000  # of a run that is replayed: a minute or more, and a file of megabytes


class UpdateOrderLog(NamedTuple):
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

    def lines(self, data: str) -> list[str]:
        """Where the proofs are and how to check them, for a person."""
        lines = []
        if self.asked_for is not None:
            lines.append(f"the run proves nothing, so the verdict was asked for: {self.asked_for}")
        for path in (self.certificate, self.run_certificate):
            if path is not None:
                lines.append(f"proof: {path}; to check it: novikoff verify {path} {data}")
        return lines or ["nothing is proven, so no proof was written"]


def write_proofs(
    result: FitResult, certificate: Path | None, run_certificate: Path | None
) -> Proofs:
    """Prove what was asked for, and write it; nothing if the run was interrupted."""
    rows = result.provable
    if result.interrupted or rows is None:
        return Proofs(None, None, None)
    proof, asked_for = None, None
    if certificate is not None:
        proof = _of_weights(result, rows) if result.outcome.converged else None
        if proof is None:
            proof, asked_for = _of_verdict(result, rows)
        if proof is not None:
            proof.write(certificate)
    if run_certificate is not None:
        _run_certificate(result, rows).write(run_certificate)
    return Proofs(certificate if proof is not None else None, run_certificate, asked_for)


def _of_weights(result: FitResult, rows: ProofInputs) -> Certificate | None:
    """Prove separability by the weights that predict, or by those last learned; None if neither
    separate exactly.
    """
    spec, learner = result.spec, result.learner
    weights, offsets = learner.linear()
    bias = spec.bias or bool(offsets[0])  # a threshold is a bias that was not learned
    if bias != spec.bias and spec.unit_length:
        return None  # such a bias is not scaled with its row
    signed = rows.signed(fit_intercept=bias, unit_length=spec.unit_length)
    predicting = np.append(weights[0], offsets[0])[: signed.dim]
    learned = combination(learner.rule, learner.states[0])
    for vector in (predicting, learned):
        if vector is not None and len(vector) == signed.dim:
            found = certify_separator(signed, vector.tolist(), _support(rows.moved, signed, vector))
            if found is not None:
                return found
    return None


def _support(
    moved: Array | None, signed: SignedRows, weights: Vector
) -> list[tuple[int, Fraction]]:
    """What each row moved the weights by: the sum of multiplier * z is then what was learned.

    Where a rule moves in another way, or shards were mixed, the row nearest to the hyperplane
    bounds the margin alone.
    """
    if moved is not None and np.isfinite(moved).all() and (moved >= 0.0).all() and moved.any():
        return [(int(i), Fraction(float(moved[i]))) for i in np.flatnonzero(moved)]
    return [(signed.scan.lowest(weights).row, Fraction(1))]


def _of_verdict(result: FitResult, rows: ProofInputs) -> tuple[Certificate | None, str]:
    spec = result.spec
    bias = spec.bias or bool(result.learner.linear()[1][0])  # a threshold is a bias
    verdict = Judge(rows.signed(fit_intercept=bias, unit_length=spec.unit_length)).run()
    return verdict.certificate, verdict.outcome


def _run_certificate(result: FitResult, rows: ProofInputs) -> Certificate:
    """Prove that the perceptron moved at these rows, in this order; train again, with a log."""
    spec, learner = result.spec, result.learner
    assert rows.data is not None  # a run on a cluster has no such certificate
    if isinstance(rows.data.rows, WeightedRows):
        raise ParameterError(
            "--run-certificate: the rows have weights, and a run is replayed on rows as they are;"
            " leave the weights out of the data"
        )
    updates = learner.total("updates")
    if updates > MOST_UPDATES:
        raise ParameterError(
            f"--run-certificate: {updates:,} updates are too many to replay exactly; the most are"
            f" {MOST_UPDATES:,}"
        )
    log = UpdateOrderLog(np.zeros(updates, np.int64), np.zeros(1, np.int64))
    learn(
        spec.learner(learner.features, 1),
        rows.data.rows,
        rows.data.codes,
        max_epochs=result.outcome.epochs,
        order=spec.order,
        seed=spec.seed,
        log=log,
    )
    signed = rows.signed(fit_intercept=spec.bias)
    start = np.zeros(signed.dim) if learner.initial is None else learner.initial[0]
    eta, tie = float(spec.parameters["eta"]), spec.parameters["tie"]
    return certify_run(signed, start.tolist(), eta, tie, log.rows.tolist())
