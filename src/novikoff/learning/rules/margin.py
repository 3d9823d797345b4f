"""The perceptron with margin (Krauth and Mezard 1987; Li et al. 2002).

It moves on every row whose signed score is at most `margin`, right or wrong, and so ends with room
on both sides. From w_0 = 0 it moves at most (D^2 + 2 margin / eta) / gamma^2 times: each move adds
at least eta * gamma to w . u and at most eta^2 D^2 + 2 eta margin to |w|^2.
"""

from typing import Any, NamedTuple

from novikoff.learning.rules.protocol import TIES, Seen, Tie, require, require_positive


class MarginPerceptron(NamedTuple):
    """w <- w + eta * y * row where y * score <= margin.

    eta, margin, tie: as for `MarginPerceptron`.

    >>> import novikoff as nk
    >>> rule = nk.rules.MarginPerceptron(margin=3.0)
    >>> model = nk.RuleClassifier(rule).fit([[2.0], [-1.0]], [1, -1])
    >>> model.mistakes_, model.coef_.tolist()
    (1, [[4.0]])
    """

    eta: float = 1.0
    margin: float = 1.0
    tie: Tie = TIES["mistake"]

    def step(self, state: Any, row: Any, seen: Seen) -> float:
        return self.eta if seen.label * seen.score <= self.margin else 0.0

    def seeks_margin(self) -> bool:
        return True

    def check(self) -> None:
        require_positive(eta=self.eta)
        require(0.0 <= self.margin < float("inf"), f"margin must be 0 or above, not {self.margin}")

    def mistake_bound(self, radius: float, gamma: float) -> float:
        return (radius**2 + 2.0 * self.margin / self.eta) / gamma**2
