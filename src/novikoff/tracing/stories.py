"""The proofs that a run can be held against: the perceptron's, passive-aggressive's, Winnow's."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from novikoff.bounds.disjunctions import found
from novikoff.errors import HypothesisError
from novikoff.figures import Rational, rational
from novikoff.learn import Learner
from novikoff.rows import CsrRows, Rows, as_csr, make_rows
from novikoff.scan import Scan
from novikoff.signed import Signed
from novikoff.tracing.aggressive import Aggressive, Approach
from novikoff.tracing.checking import (
    OF_AGGRESSION,
    OF_WINNOW,
    STATEMENTS,
    WITH_MARGIN,
    Checks,
    as_float,
)
from novikoff.tracing.exactly import Exactly
from novikoff.tracing.plan import Plan, read_target
from novikoff.tracing.record import Moves
from novikoff.tracing.rounded import Rounded
from novikoff.tracing.standards import Standards, standards
from novikoff.tracing.weights import Weights
from novikoff.tracing.winnowing import UNKNOWN, Winnowed, allowed, refuse_others
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import SEPARABLE, Stage, root


class Follower(Protocol):
    """Holds updates against a theorem, in order."""

    exact: bool
    rounded: int

    def follow(self, moves: Moves) -> dict[str, Any]:
        """The table of these updates."""


class Story(Protocol):
    """A proof: its checks, who follows a run by it, and its figures for the trace."""

    checks: Checks
    rational: bool  # whether a run can be followed in exact arithmetic
    weight: int  # and how long a coordinate takes there

    def follower(self, exact: bool) -> Follower:
        """In exact arithmetic or not."""

    def figures(self) -> dict[str, Any]:
        """The fields of the trace that only this proof knows."""


class Task(NamedTuple):
    """What is traced."""

    plan: Plan
    signed: Signed
    rows: Rows
    learner: Learner


class Convergence:
    """The convergence theorem of the perceptron (see `standards`)."""

    rational, weight = True, 1

    def __init__(
        self, task: Task, target: Any, judging: Callable[[Stage], None] | None = None
    ) -> None:
        self._task, signed = task, task.signed
        rule = getattr(task.learner.rule, "inner", task.learner.rule)
        self._from, vector = _against(signed, target, judging)
        slack = getattr(rule, "margin", 0.0)
        start = task.plan.start(task.learner).tolist()
        self._by = standards(signed, start, rule.eta, slack, vector)
        statements = STATEMENTS | (WITH_MARGIN if slack else {})
        self.checks = Checks(statements, self._by.bound)

    def follower(self, exact: bool) -> Follower:
        if exact:
            return Exactly(self._task.signed, self._by, self.checks)
        rounded = self._task.signed.exact is not None
        scan = Scan(self._task.rows, self._task.signed.signs, rounded)
        return Rounded(scan, self._by, self.checks)

    def figures(self) -> dict[str, Any]:
        by = self._by
        return _about(by, self._from) | {
            "eta": float(by.eta),
            "bound": by.bound,
            "A": None if by.A is None else as_float(by.A),
            "B": as_float(by.B),
        }


def _about(by: Standards, source: str) -> dict[str, Any]:
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
    verdict = Judge(signed, watch=judging).verdict()
    if verdict.outcome != SEPARABLE:
        return "none", None
    exactly = verdict.margin.squared is not None
    return "max-margin" if exactly else "separator", _of_length_one(verdict.fate.split.separator)


def _of_length_one(vector: Rational) -> Rational:
    """In the same direction exactly, and of length 1 but for rounding: then a is about gamma."""
    tops = vector.numerators
    square = sum(top * top for top in tops)
    shift = max(0, 64 - square.bit_length() // 2)
    return Rational([top << shift for top in tops], math.isqrt(square << 2 * shift))


class Aggression:
    """The mistake bound of passive-aggressive learning (see `aggressive`)."""

    rational, weight = False, 1

    def __init__(
        self, task: Task, target: Any, judging: Callable[[Stage], None] | None = None
    ) -> None:
        self._task, rule = task, task.learner.rule
        self._from, vector = _against(task.signed, target, judging)
        start = task.plan.start(task.learner).tolist()
        self._by = Approach.of(rule, standards(task.signed, start, 1.0, 0.0, vector))
        self.checks = Checks(OF_AGGRESSION, self._by.bound)

    def follower(self, exact: bool) -> Follower:
        task = self._task
        scan = Scan(task.rows, task.signed.signs, task.signed.exact is not None)
        start = task.plan.start(task.learner)
        weights = Weights(task.learner.rule, task.rows, task.signed.signs, start)
        return Aggressive(scan, weights, self._by, self.checks)

    def figures(self) -> dict[str, Any]:
        by, bound = self._by.by, self._by.bound
        return _about(by, self._from) | {"eta": None, "bound": bound, "A": None, "B": None}


class Winnowing:
    """Winnow's mistake bound (see `winnowing`)."""

    rational, weight = True, 30  # weights are Fractions

    def __init__(self, task: Task, target: Any) -> None:
        refuse_others(task.learner.rule)
        self._task = task
        self._relevant, self._from = self._found(target)
        self._budget = UNKNOWN
        if self._relevant is not None:
            features = task.signed.features
            self._budget = allowed(task.learner.rule, features, len(self._relevant))
        self.checks = Checks(OF_WINNOW, self._budget.mistakes)

    def _found(self, target: Any) -> tuple[list[int] | None, str]:
        bits = _bits(self._task.signed, self._task.learner.rule.binarize)
        if target is not None:
            return found(bits, list(np.atleast_1d(np.asarray(target, object)))).relevant, "given"
        try:
            return found(bits).relevant, "disjunction"
        except HypothesisError:
            return None, "none"

    def follower(self, exact: bool) -> Follower:
        task = self._task
        rule = task.learner.rule
        return Winnowed(rule, task.rows, task.signed, self.checks, self._budget, exact)

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


def _bits(signed: Signed, limit: float) -> Signed:
    """The rows as Winnow sees them: a variable is 1 where its value is above the limit."""
    matrix: Any
    if isinstance(signed.rows, CsrRows):
        matrix = as_csr(signed.rows).copy()
        matrix.data = (matrix.data > limit).astype(np.float64)
    else:
        matrix = (signed.rows.values > limit).astype(np.float64)
    bits = Signed(make_rows(matrix, False, False), signed.signs, signed.labels)
    bits.lines, bits.feature_names = signed.lines, signed.feature_names
    return bits
