"""The proofs that a run can be held against: the perceptron's, passive-aggressive's, Winnow's."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from novikoff.errors import HypothesisError
from novikoff.learning.learner import Learner
from novikoff.learning.rows import Rows
from novikoff.learning.spec import TrainingSpec
from novikoff.theory.bounds.disjunctions import as_bits, find_disjunction
from novikoff.theory.trace.spec import read_target, start_weights
from novikoff.theory.trace.theorems.constants import TheoremConstants, theorem_constants
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
    """Holds updates against a theorem, in order."""

    exact: bool
    rounded: int

    def follow(self, moves: UpdateBatch) -> dict[str, Any]:
        """The table of these updates."""


class Theorem(Protocol):
    """A proof: its checks, who follows a run by it, and its figures for the trace."""

    checks: Checks
    rational: bool  # whether a run can be followed in exact arithmetic
    weight: int  # and how long a coordinate takes there

    def follower(self, exact: bool) -> TheoremChecker:
        """In exact arithmetic or not."""

    def figures(self) -> dict[str, Any]:
        """The fields of the trace that only this proof knows."""


class TraceInputs(NamedTuple):
    """What is traced."""

    spec: TrainingSpec
    signed: Signed
    rows: Rows
    learner: Learner


class PerceptronTheorem:
    """The convergence theorem of the perceptron (see `standards`)."""

    rational, weight = True, 1

    def __init__(
        self, task: TraceInputs, target: Any, judging: Callable[[Stage], None] | None = None
    ) -> None:
        self._task, signed = task, task.signed
        rule = getattr(task.learner.rule, "inner", task.learner.rule)
        self._from, vector = _against(signed, target, judging)
        slack = getattr(rule, "margin", 0.0)
        start = start_weights(task.spec, task.learner).tolist()
        self._by = theorem_constants(signed, start, rule.eta, slack, vector)
        statements = PERCEPTRON_STATEMENTS | (WITH_MARGIN if slack else {})
        self.checks = Checks(statements, self._by.bound)

    def follower(self, exact: bool) -> TheoremChecker:
        if exact:
            return ExactPerceptronChecker(self._task.signed, self._by, self.checks)
        rounded = self._task.signed.exact is not None
        scan = Scan(self._task.rows, self._task.signed.signs, rounded)
        return FloatPerceptronChecker(scan, self._by, self.checks)

    def figures(self) -> dict[str, Any]:
        by = self._by
        return _about(by, self._from) | {
            "eta": float(by.eta),
            "bound": by.bound,
            "A": None if by.A is None else as_float(by.A),
            "B": as_float(by.B),
        }


def _about(by: TheoremConstants, source: str) -> dict[str, Any]:
    """The fields of a trace that tell of its target."""
    target = None
    if by.target is not None:
        target = np.array([as_float(each) for each in by.target.fractions()])
    return {
        "target": target,
        "target_from": source,
        "margin": by.margin,
        "radius": root(by.largest, up=True),
    }


def _against(
    signed: Signed, target: Any, judging: Callable[[Stage], None] | None
) -> tuple[str, Rational | None]:
    """The target that was given, or the best there is."""
    given = read_target(target, signed)
    return _separator(signed, judging) if given is None else ("given", rational(given))


def _separator(
    signed: Signed, judging: Callable[[Stage], None] | None
) -> tuple[str, Rational | None]:
    """The separator of largest margin; none if the rows are not separable."""
    verdict = Judge(signed, watch=judging).run()
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


class PassiveAggressiveTheorem:
    """The mistake bound of passive-aggressive learning (see `aggressive`)."""

    rational, weight = False, 1

    def __init__(
        self, task: TraceInputs, target: Any, judging: Callable[[Stage], None] | None = None
    ) -> None:
        self._task, rule = task, task.learner.rule
        self._from, vector = _against(task.signed, target, judging)
        start = start_weights(task.spec, task.learner).tolist()
        self._by = PassiveAggressiveConstants.of(
            rule, theorem_constants(task.signed, start, 1.0, 0.0, vector)
        )
        self.checks = Checks(PASSIVE_AGGRESSIVE_STATEMENTS, self._by.bound)

    def follower(self, exact: bool) -> TheoremChecker:
        task = self._task
        scan = Scan(task.rows, task.signed.signs, task.signed.exact is not None)
        start = start_weights(task.spec, task.learner)
        weights = ReplayedWeights(task.learner.rule, task.rows, task.signed.signs, start)
        return PassiveAggressiveChecker(scan, weights, self._by, self.checks)

    def figures(self) -> dict[str, Any]:
        by, bound = self._by.by, self._by.bound
        return _about(by, self._from) | {"eta": None, "bound": bound, "A": None, "B": None}


class WinnowTheorem:
    """Winnow's mistake bound (see `winnowing`)."""

    rational, weight = True, 30  # weights are Fractions

    def __init__(self, task: TraceInputs, target: Any) -> None:
        require_winnow(task.learner.rule)
        self._task = task
        self._relevant, self._from = self._found(target)
        self._budget = UNKNOWN
        if self._relevant is not None:
            features = task.signed.features
            self._budget = winnow_budget(task.learner.rule, features, len(self._relevant))
        self.checks = Checks(WINNOW_STATEMENTS, self._budget.mistakes)

    def _found(self, target: Any) -> tuple[list[int] | None, str]:
        bits = as_bits(self._task.signed, self._task.learner.rule.binarize)
        if target is not None:
            return find_disjunction(
                bits, list(np.atleast_1d(np.asarray(target, object)))
            ).relevant, "given"
        try:
            return find_disjunction(bits).relevant, "disjunction"
        except HypothesisError:
            return None, "none"

    def follower(self, exact: bool) -> TheoremChecker:
        task = self._task
        rule = task.learner.rule
        return WinnowChecker(rule, task.rows, task.signed, self.checks, self._budget, exact)

    def figures(self) -> dict[str, Any]:
        target = None
        if self._relevant is not None:
            target = np.zeros(self._task.signed.features)
            target[self._relevant] = 1.0
        return {
            "eta": None,
            "target": target,
            "target_from": self._from,
            "margin": None,
            "radius": self._task.learner.radius,
            "bound": self._budget.mistakes,
            "A": None,
            "B": None,
        }
