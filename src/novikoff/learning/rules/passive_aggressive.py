"""Passive-aggressive learning (Crammer et al. 2006).

With loss = max(0, 1 - y * score), the weights move by tau * y * row, the least that helps:

    PA      tau = loss / |row|^2
    PA-I    tau = min(C, loss / |row|^2)
    PA-II   tau = loss / (|row|^2 + 1 / (2 C))

All three are tau = min(cap, loss / (|row|^2 + slack)). On data with margin gamma and radius D they
make at most max(D^2, 1 / cap) / gamma^2 mistakes without slack, and (D^2 + slack) / gamma^2 with:
a mistake has a loss of 1 or more, and brings w closer to u / gamma by at least
min(cap, 1 / (D^2 + slack)) in squared distance, which is 1 / gamma^2 at the start.
"""

from typing import Any, NamedTuple

from novikoff.learning.rows import squared_norm
from novikoff.learning.rules.protocol import TIES, Seen, Tie, require


class PassiveAggressive(NamedTuple):
    """w <- w + tau * y * row where the hinge loss l is above 0.

    tau = l / (|row|^2 + slack), at most `cap`.

    cap: how far a single row may move the weights; infinite for "PA" and "PA-II".
    slack: 1 / (2 C) for "PA-II", else 0.
    tie: as for `rules.Winnow`.

    >>> import novikoff as nk
    >>> rule = nk.rules.PassiveAggressive(cap=0.1)
    >>> nk.RuleClassifier(rule).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    cap: float = float("inf")
    slack: float = 0.0
    tie: Tie = TIES["mistake"]

    def step(self, state: Any, row: Any, seen: Seen) -> float:
        loss = 1.0 - seen.label * seen.score
        size: float = squared_norm(row) + self.slack
        if loss <= 0.0 or size == 0.0:  # a row of zeros cannot be helped
            return 0.0
        return min(self.cap, loss / size)

    def check(self) -> None:
        require(self.cap > 0.0 and self.slack >= 0.0, "cap must be above 0, and slack not below")

    def mistake_bound(self, radius: float, gamma: float) -> float:
        return max(radius**2 + self.slack, 1.0 / self.cap) / gamma**2
