"""`nk.repair`: the bracket, with a separator of the rest and a certificate."""

import time
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import Label, RowsLike
from novikoff.verdict import certificate
from novikoff.verdict.certificate import REPAIR, Combination
from novikoff.verdict.certificate.repair_claim import Node
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.margins import Rational, Terms
from novikoff.verdict.judge import Judge, as_doubles, integer_multipliers, refuse_limits
from novikoff.verdict.repair.engine import RepairEngine
from novikoff.verdict.repair.problem import RepairProblem
from novikoff.verdict.repair.result import Cost, Repair, RepairWatch
from novikoff.verdict.result import SEPARABLE, Margin
from novikoff.verdict.search.search import OutOfTimeError
from novikoff.verdict.signed import Indices, Signed

LAST_SECONDS = 5.0  # for the margin of the rest, where the time limit leaves less


def repair(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    positive: Label | None = None,
    sample_weight: npt.ArrayLike | None = None,
    trusted: npt.ArrayLike | None = None,
    time_limit: float | None = None,
    watch: RepairWatch | None = None,
) -> Repair:
    """Find the fewest rows that must go, or get the other label, so that a hyperplane separates the
    rest; as a proven bracket, exact where it closes, with a certificate.

    X, y, fit_intercept, positive: as for `check`.
    sample_weight: what each row costs, not below 0; the least sum is sought instead of the fewest.
    trusted: rows that must stay as they are: their numbers, or a mask.
    time_limit: seconds after which to stop, with the bracket so far; so does Ctrl-C.
    watch: called with a `RepairStage` now and then.

    >>> import novikoff as nk
    >>> found = nk.repair([[0], [1], [2], [3], [4]], [0, 0, 1, 0, 1])
    >>> found.lower, found.upper, len(found.rows)
    (1, 1, 1)
    """
    refuse_limits(None, time_limit)
    signed = Signed.of(X, y, fit_intercept=fit_intercept, positive=positive)
    problem = RepairProblem(signed, sample_weight, trusted)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    engine, stopped = RepairEngine(problem, deadline, watch), None
    try:
        engine.run()
    except OutOfTimeError:
        stopped = "time limit"
    except KeyboardInterrupt:
        if engine.upper is None:
            raise
        stopped = "interrupted"
    return _Result(problem, engine, stopped).make()


class _Result:
    """What an engine has found, as the rows of the data see it."""

    def __init__(self, problem: RepairProblem, engine: RepairEngine, stopped: str | None) -> None:
        self.problem, self.engine, self.stopped = problem, engine, stopped
        if engine.upper is None:
            engine.settle()

    def make(self) -> Repair:
        problem, signed = self.problem, self.problem.signed
        weights, support, margin = self._rest()
        removed = problem.members(self.engine.removed).tolist()
        conflicts, proof = self._proof()
        costs: list[Fraction] | None = problem.row_costs
        witness = {
            "costs": costs,
            "trusted": problem.trusted,
            "removed": removed,
            "weights": weights.numerators,
            "support": support,
            "conflicts": conflicts,
            "proof": proof,
        }
        lower, upper = self.engine.lower, self.engine.upper
        assert upper is not None
        squares = None if margin is None else (margin.lower_squared, margin.upper_squared)
        figures = {"lower": lower, "upper": upper, "margin_squared": squares}
        proven = certificate.make(signed, REPAIR, witness, figures, version=2)
        doubles = as_doubles(weights)
        return Repair(
            self._as_cost(lower),
            self._as_cost(upper),
            removed,
            doubles[: signed.features],
            float(doubles[signed.features]) if signed.bias else 0.0,
            margin,
            conflicts,
            proven,
            None if lower == upper else self.stopped,
            signed,
        )

    def _as_cost(self, cost: Fraction) -> Cost:
        return int(cost) if self.problem.row_costs is None else cost

    def _rest(self) -> tuple[Rational, Terms, Margin | None]:
        """The best separator of the rest that there is time for, a support, and its margin.

        Of two separators the one that leaves fewer rows is taken, whatever its margin.
        """
        engine, signed = self.engine, self.problem.signed
        rest = _without(signed, self.problem.members(engine.removed))
        if not rest.size:
            return engine.separator, [], None
        part, limit = signed.subset(rest), None
        if engine.deadline is not None or self.stopped == "interrupted":
            limit = max(LAST_SECONDS, (engine.deadline or 0.0) - time.monotonic())
        verdict = Judge(part, None, limit).run()
        if verdict.outcome == SEPARABLE and verdict.certificate is not None:
            witness = verdict.certificate.witness
            weights = margins.rational(witness["weights"])
            if engine.offer(weights):
                return self._rest()
            support = [(int(rest[i]), multiplier) for i, multiplier in witness["support"]]
            return weights, support, verdict.margin
        shortest: Terms = [(part.scan.extremes[2], 1)]
        found = margins.separation(part, engine.separator.numerators, shortest)
        assert found is not None  # the engine's separator was checked exactly
        return engine.separator, [(int(rest[shortest[0][0]]), 1)], Margin(found.lower, found.upper)

    def _proof(self) -> tuple[list[Combination], list[Node]]:
        """The conflicts that the proof rests on, and the proof in terms of them and of the rows."""
        engine, owners = self.engine, self.problem.owners
        leaves = [node for node in engine.proof if isinstance(node, list)]
        places = sorted({place for leaf in leaves for place, _ in leaf})
        index = {place: k for k, place in enumerate(places)}
        proof: list[Node] = [
            int(owners[node])
            if isinstance(node, int)
            else [(index[place], share) for place, share in node]
            for node in engine.proof
        ]
        found = [engine.conflict(place) or [] for place in places]
        return [integer_multipliers(self.problem.as_given(each)) for each in found], proof


def _without(signed: Signed, removed: Indices) -> Indices:
    kept = np.ones(signed.count, np.bool_)
    kept[removed] = False
    return np.flatnonzero(kept)
