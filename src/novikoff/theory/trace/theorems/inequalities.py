"""The inequalities of a theorem, checked at every update, and how close each of them came."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import InequalityError
from novikoff.verdict.exact.directed_rounding import ratio

PERCEPTRON_STATEMENTS = {
    "target": "w_k·w* ≥ w_0·w* + kηa",
    "norm": "|w_k|² ≤ |w_0|² + kη²D²",
    "lower": "A k² ≤ |w_k − w_0|²",
    "upper": "|w_k − w_0|² ≤ B k",
    "bound": "k ≤ B / A",
}
WITH_MARGIN = {"norm": "|w_k|² ≤ |w_0|² + k(η²D² + 2ηβ)"}
WINNOW_STATEMENTS = {
    "total": "Σw ≤ n + u(α − 1)θ − v(1 − 1/α)θ",
    "positive": "Σw > 0",
    "promotions": "u ≤ r⌈log_α θ⌉",
    "bound": "u + v ≤ n/((1 − 1/α)θ) + (1 + α)r(1 + log_α θ)",
}
PASSIVE_AGGRESSIVE_STATEMENTS = {
    "norm": "|w_k|² ≤ |w_0|² + Στ(2 − ℓ)",
    "target": "|w_k − u|² ≤ |w_0 − u|² − Σd",
    "floor": "Σd ≥ m·c",
    "drops": "Σd ≤ |w_0 − u|²",
    "bound": "m ≤ |w_0 − u|² / c",
}


class Check(NamedTuple):
    """An inequality that held at each of so many updates; the smallest slack, and where it was."""

    name: str
    statement: str
    steps: int
    tightest: float
    at: int


class Checks:
    """Checks inequalities; one that fails is an InequalityError naming the update."""

    def __init__(self, statements: dict[str, str], bound: int | None) -> None:
        self._statements, self._bound = statements, bound
        self._tightest: dict[str, tuple[Any, int]] = {}
        self._steps: dict[str, int] = {}

    def check(self, name: str, k: int, slack: Fraction | float) -> float:
        """Check one update; the slack as a float."""
        if slack < 0:
            self._fail(name, k, as_float(Fraction(slack)))
        self._record(name, k, slack, 1)
        return as_float(Fraction(slack))

    def check_all(
        self,
        name: str,
        k: npt.NDArray[np.int64],
        slack: npt.NDArray[np.float64],
        allowance: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Check many updates, each slack known but for an allowance."""
        bad = np.flatnonzero(~(slack >= -allowance))
        if bad.size:
            self._fail(name, int(k[bad[0]]), float(slack[bad[0]]))
        if len(k):
            least = int(np.argmin(slack))
            self._record(name, int(k[least]), float(slack[least]), len(k))
        return slack

    def check_bound(
        self, k: int, applies: bool = True, steps: int = 1, at: int | None = None
    ) -> None:
        """Check that the bound allows so many updates, or so many mistakes `at` an update, where it
        applies to this run.
        """
        if self._bound is None or not applies:
            return
        at = k if at is None else at
        if k > self._bound:
            self._fail("bound", at, as_float(self._bound - k))
        self._record("bound", at, self._bound - k, steps)

    def results(self) -> list[Check]:
        """Every inequality that was checked."""
        found = []
        for name, statement in self._statements.items():
            if name in self._tightest:
                slack, at = self._tightest[name]
                tightest = as_float(Fraction(slack))
                found.append(Check(name, statement, self._steps[name], tightest, at))
        return found

    def _record(self, name: str, k: int, slack: Any, steps: int) -> None:
        self._steps[name] = self._steps.get(name, 0) + steps
        if name not in self._tightest or slack < self._tightest[name][0]:
            self._tightest[name] = slack, k

    def _fail(self, name: str, k: int, slack: float) -> None:
        raise InequalityError(
            f"update {k}: {self._statements[name]} does not hold, by {-slack:.3g}: either the"
            " theorem or this program is wrong; please report it with the data"
        )


def as_float(number: Fraction | int) -> float:
    """The nearest double, infinite beyond their range."""
    return ratio(number.numerator, number.denominator)


def cosine_floor(floor: Any, cap: Any, size: float) -> Any:
    """floor / (|w*| sqrt(cap)) where floor >= 0; a negative product says nothing of the cosine."""
    with np.errstate(all="ignore"):
        value = np.where(cap > 0.0, floor / (size * np.sqrt(cap)), 0.0)
    return np.where(floor >= 0.0, np.minimum(value, 1.0), -1.0)
