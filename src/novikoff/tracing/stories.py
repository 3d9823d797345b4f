"""The two proofs that a run can be held against: the perceptron's and Winnow's."""

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
from novikoff.tracing.checking import OF_WINNOW, STATEMENTS, WITH_MARGIN, Checks, as_float
from novikoff.tracing.exactly import Exactly
from novikoff.tracing.plan import Plan, read_target
from novikoff.tracing.record import Moves
from novikoff.tracing.rounded import Rounded
from novikoff.tracing.standards import standards
from novikoff.tracing.winnowing import UNKNOWN, Winnowed, allowed, refuse_others
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import SEPARABLE, Stage, root

NO_MOVES = Moves(np.empty(0, np.int64), np.empty(0), np.empty(0, np.bool_), np.empty(0, np.int64))
EXACT_WORK = 2_000_000  # coordinates passed over the rationals, about two seconds' worth


class Follower(Protocol):
    """Holds updates against a theorem, in order."""

    exact: bool
    rounded: int

    def follow(self, moves: Moves) -> dict[str, Any]:
        """The table of these updates."""


class Story(Protocol):
    """A proof: its checks, who follows a run by it, and its figures for the trace."""

    checks: Checks
    weight: int  # how long a coordinate takes in exact arithmetic

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

    weight = 1

    def __init__(
        self, task: Task, target: Any, judging: Callable[[Stage], None] | None = None
    ) -> None:
        self._task, signed = task, task.signed
        rule = getattr(task.learner.rule, "inner", task.learner.rule)
        given = read_target(target, signed)
        self._from, vector = "given", None if given is None else rational(given)
        if vector is None:
            self._from, vector = _separator(signed, judging)
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
        target = None
        if by.target is not None:
            target = np.array([as_float(each) for each in by.target.fractions()])
        return {
            "eta": float(by.eta),
            "target": target,
            "target_from": self._from,
            "margin": by.margin,
            "radius": root(by.largest, up=True),
            "bound": by.bound,
            "A": None if by.A is None else as_float(by.A),
            "B": as_float(by.B),
        }


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


class Winnowing:
    """Winnow's mistake bound (see `winnowing`)."""

    weight = 30  # weights are Fractions

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


class Following:
    """Hands updates to a follower: an exact one if asked for, or as long as that is little work."""

    def __init__(
        self,
        story: Story,
        signed: Signed,
        exact: bool | None,
        takers: list[Callable[[dict[str, Any]], None]],
    ) -> None:
        self._story, self._signed, self._takers = story, signed, takers
        self._undecided = exact is None and not signed.unit_length
        self._waiting: list[Moves] = []
        self._work, self._k = 0, 0
        self._follower = None if self._undecided else story.follower(bool(exact))

    @property
    def follower(self) -> Follower:
        """Who follows."""
        if self._follower is None:
            raise AssertionError("no follower yet")
        return self._follower

    def take(self, moves: Moves) -> None:
        """The next updates."""
        if not self._undecided:
            self._hand_on(moves)
            return
        self._waiting.append(moves)
        self._work += len(moves.rows) * self._signed.dim * self._weight(moves)
        if self._work > EXACT_WORK:
            self._decide(exact=False)

    def end(self) -> None:
        """There are no more."""
        if self._undecided:
            self._decide(exact=True)
        if not self._k:
            self._hand_on(NO_MOVES)  # so that a file has its columns

    def _weight(self, moves: Moves) -> int:
        """How much longer than usual a coordinate takes, by the digits of the last row."""
        if not len(moves.rows):
            return 1
        row = self._signed.row(int(moves.rows[-1]))
        digits = max((value.bit_length() for value in row.values), default=1)
        return self._story.weight * (1 + (digits + row.denominator.bit_length()) // 256)

    def _decide(self, exact: bool) -> None:
        self._undecided, self._follower = False, self._story.follower(exact)
        for moves in self._waiting:
            self._hand_on(moves)
        self._waiting = []

    def _hand_on(self, moves: Moves) -> None:
        if not len(moves.rows) and moves is not NO_MOVES:
            return
        table = self.follower.follow(moves)
        k = np.arange(self._k + 1, self._k + 1 + len(moves.rows))
        self._k += len(moves.rows)
        signed = self._signed
        table = {
            "update": k,
            "epoch": moves.epochs,
            "row": moves.rows,
            "label": signed.signs[moves.rows].astype(np.int64),
            "score": moves.scores,
            "mistake": moves.mistakes,
        } | table
        for taker in self._takers:
            taker(table)


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
