"""The perceptron (Rosenblatt 1957), in every dialect of the notes.

On a mistake, w <- w + eta * y * row. Dialects differ in the start w_0, the step eta, and in what a
score of exactly 0 means; bias and unit length belong to the rows.

Block and Novikoff (1962): if some unit vector has margin gamma and no row is longer than D, then
from w_0 = 0 there are at most (D / gamma)^2 mistakes, in any order, however often rows come again.
"""

from typing import Any, NamedTuple

from novikoff.learning.rules.protocol import TIES, Seen, Tie, require_positive


class Perceptron(NamedTuple):
    """w <- w + eta * y * row on a mistake.

    eta: the step.
    tie: as for `rules.Winnow`.

    >>> import novikoff as nk
    >>> rule = nk.rules.Perceptron(tie=nk.rules.TIES["positive"])
    >>> nk.RuleClassifier(rule).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    eta: float = 1.0
    tie: Tie = TIES["mistake"]

    def step(self, state: Any, row: Any, seen: Seen) -> float:
        return self.eta if seen.mistaken else 0.0

    def check(self) -> None:
        require_positive(eta=self.eta)

    def mistake_bound(self, radius: float, gamma: float) -> float:
        return (radius / gamma) ** 2
