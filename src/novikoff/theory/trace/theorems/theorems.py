"""The proofs that a run can be held against: the perceptron's, passive-aggressive's, Winnow's."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.errors import HypothesisError
from novikoff.learning.learner import Learner
from novikoff.learning.rows import Rows
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.bounds.disjunctions import as_bits, find_disjunction
from novikoff.theory.trace.spec import read_target
from novikoff.theory.trace.theorems.constants import theorem_constants
from novikoff.theory.trace.theorems.inequalities import (
    PASSIVE_AGGRESSIVE_STATEMENTS,
    PERCEPTRON_STATEMENTS,
    WINNOW_STATEMENTS,
    WITH_MARGIN,
    Checks,
    as_float,
)
from novikoff.theory.trace.theorems.passive_aggressive import (
    PassiveAggressiveChecker,
    PassiveAggressiveConstants,
)
from novikoff.theory.trace.theorems.perceptron_exact import ExactPerceptronChecker
from novikoff.theory.trace.theorems.perceptron_float import FloatPerceptronChecker
from novikoff.theory.trace.theorems.winnow import (
    UNKNOWN,
    WinnowChecker,
    require_winnow,
    winnow_budget,
)
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.theory.trace.weights import ReplayedWeights
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import Rational, rational
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import SEPARABLE, Stage
from novikoff.verdict.scan import Scan
from novikoff.verdict.signed import Signed


class TheoremChecker(Protocol):
    """Checks the inequalities of a theorem at updates, in order.

    rounded: how many updates were mistakes for the run's own rounding alone, as far as it can tell.
    """

    exact: bool
    rounded: int

    def check(self, updates: UpdateBatch) -> dict[str, Any]:
        """Check the next updates; the table of their quantities."""


class Theorem(Protocol):
    """A convergence theorem, with its constants for the rows of a trace."""

    checks: Checks
    rational: bool  # whether a run can be checked in exact arithmetic
    cost: int  # of a coordinate there, in those of the perceptron's

    def checker(self, exact: bool) -> TheoremChecker:
        """A checker, in exact arithmetic or in floating point."""

    def figures(self) -> dict[str, Any]:
        """The fields of the trace that only this theorem knows."""


class TraceInputs(NamedTuple):
    """What is traced: how to learn, the rows, and the learner at its start."""

    spec: TrainingSpec
    signed: Signed
    rows: Rows
    learner: Learner

    @property
    def start(self) -> npt.NDArray[np.float64]:
        """w_0, the intercept last."""
        learner = self.learner
        if self.spec.rule == "winnow":
            return np.ones(learner.features)
        if learner.initial is None:
            return np.zeros(learner.features + learner.bias)
        start: npt.NDArray[np.float64] = learner.initial[0]
        return start

    def scan(self) -> Scan:
        """The rows, to be passed over in floating point."""
        return Scan(self.rows, self.signed.signs, self.signed.exact is not None)

    def weights(self) -> ReplayedWeights:
        """The run's own weights, from the start on."""
        return ReplayedWeights(self.learner.rule, self.rows, self.signed.signs, self.start)


class _TargetTheorem:
    """A theorem about a target w*: the one given, or the separator of largest margin."""

    def __init__(
        self,
        inputs: TraceInputs,
        target: Any,
        watch: Callable[[Stage], None] | None,
        eta: float = 1.0,
        slack: float = 0.0,
    ) -> None:
        self._inputs, signed = inputs, inputs.signed
        given = read_target(target, signed)
        self._target_from, vector = (
            _separator(signed, watch) if given is None else ("given", rational(given))
        )
        start = inputs.start.tolist()
        self._constants = theorem_constants(signed, start, eta, slack, vector)

    def figures(self) -> dict[str, Any]:
        by, target = self._constants, None
        if by.target is not None:
            target = np.array([as_float(each) for each in by.target.fractions()])
        return {
            "eta": None,
            "target": target,
            "target_from": self._target_from,
            "margin": by.margin,
            "radius": root(by.largest, up=True),
            "A": None,
            "B": None,
        }


class PerceptronTheorem(_TargetTheorem):
    """The convergence theorem of the perceptron (see `constants`)."""

    rational, cost = True, 1

    def __init__(
        self, inputs: TraceInputs, target: Any, watch: Callable[[Stage], None] | None = None
    ) -> None:
        rule = getattr(inputs.learner.rule, "inner", inputs.learner.rule)
        slack = getattr(rule, "margin", 0.0)
        super().__init__(inputs, target, watch, rule.eta, slack)
        statements = PERCEPTRON_STATEMENTS | (WITH_MARGIN if slack else {})
        self.checks = Checks(statements, self._constants.bound)

    def checker(self, exact: bool) -> TheoremChecker:
        if exact:
            return ExactPerceptronChecker(self._inputs.signed, self._constants, self.checks)
        return FloatPerceptronChecker(self._inputs.scan(), self._constants, self.checks)

    def figures(self) -> dict[str, Any]:
        by = self._constants
        return super().figures() | {
            "eta": float(by.eta),
            "bound": by.bound,
            "A": None if by.A is None else as_float(by.A),
            "B": as_float(by.B),
        }


class PassiveAggressiveTheorem(_TargetTheorem):
    """The mistake bound of passive-aggressive learning (see `passive_aggressive`)."""

    rational, cost = False, 1

    def __init__(
        self, inputs: TraceInputs, target: Any, watch: Callable[[Stage], None] | None = None
    ) -> None:
        super().__init__(inputs, target, watch)
        self._own = PassiveAggressiveConstants.of(inputs.learner.rule, self._constants)
        self.checks = Checks(PASSIVE_AGGRESSIVE_STATEMENTS, self._own.bound)

    def checker(self, exact: bool) -> TheoremChecker:
        inputs = self._inputs
        return PassiveAggressiveChecker(inputs.scan(), inputs.weights(), self._own, self.checks)

    def figures(self) -> dict[str, Any]:
        return super().figures() | {"bound": self._own.bound}


class WinnowTheorem:
    """Winnow's mistake bound (see `winnow`)."""

    rational, cost = True, 30  # weights are Fractions

    def __init__(self, inputs: TraceInputs, target: Any) -> None:
        require_winnow(inputs.learner.rule)
        self._inputs = inputs
        self._relevant, self._target_from = self._disjunction(target)
        self._budget = UNKNOWN
        if self._relevant is not None:
            features = inputs.signed.features
            self._budget = winnow_budget(inputs.learner.rule, features, len(self._relevant))
        self.checks = Checks(WINNOW_STATEMENTS, self._budget.mistakes)

    def _disjunction(self, target: Any) -> tuple[list[int] | None, str]:
        """The relevant variables, and where they are from."""
        bits = as_bits(self._inputs.signed, self._inputs.learner.rule.binarize)
        if target is not None:
            variables = list(np.atleast_1d(np.asarray(target, object)))
            return find_disjunction(bits, variables).relevant, "given"
        try:
            return find_disjunction(bits).relevant, "disjunction"
        except HypothesisError:
            return None, "none"

    def checker(self, exact: bool) -> TheoremChecker:
        inputs = self._inputs
        rule = inputs.learner.rule
        return WinnowChecker(rule, inputs.rows, inputs.signed, self.checks, self._budget, exact)

    def figures(self) -> dict[str, Any]:
        target = None
        if self._relevant is not None:
            target = np.zeros(self._inputs.signed.features)
            target[self._relevant] = 1.0
        return {
            "eta": None,
            "target": target,
            "target_from": self._target_from,
            "margin": None,
            "radius": self._inputs.learner.radius,
            "bound": self._budget.mistakes,
            "A": None,
            "B": None,
        }


def _separator(
    signed: Signed, watch: Callable[[Stage], None] | None
) -> tuple[str, Rational | None]:
    """The separator of largest margin, none if the rows are not separable; and what it is."""
    verdict = Judge(signed, watch=watch).run()
    if verdict.outcome != SEPARABLE:
        return "none", None
    assert verdict.exact_weights is not None  # separable rows have a separator
    exactly = verdict.margin.squared is not None
    return "max-margin" if exactly else "separator", _of_length_one(verdict.exact_weights)


def _of_length_one(vector: Rational) -> Rational:
    """In the same direction exactly, and of length 1 but for rounding: then a is about gamma."""
    tops = vector.numerators
    square = sum(top * top for top in tops)
    shift = max(0, 64 - square.bit_length() // 2)
    return Rational([top << shift for top in tops], math.isqrt(square << 2 * shift))
