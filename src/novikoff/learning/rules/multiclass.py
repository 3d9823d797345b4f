"""Several classes at once, by Kesler's construction (Nilsson 1965; Duda and Hart 1973).

Each of the K classes has a line of weights, and the highest score w_k . x wins. A row x of class y
is compared with its strongest rival j, the other class with the highest score:

    z = (e_y - e_j) (x) x,    W . z = w_y . x - w_j . x

where (x) is the Kronecker product and W all lines in one vector. The answer is right if and only if
W . z > 0. So a rule for two classes, run on the rows z with the label +1, learns all classes
together: an update promotes the true class and demotes the winner,

    w_y <- w_y + amount * x,    w_j <- w_j - amount * x

and what is proven of that rule holds, z being at most sqrt(2) D long: if some unit vector U has
U . z >= gamma for every row and every rival, the perceptron makes at most 2 (D / gamma)^2 mistakes.
Passive-aggressive steps are those of Crammer et al. (2006) for one prediction among several.

A class that comes later enters with a line of zeros. Rows before it were compared with fewer
rivals, which U beats too, so that the bound holds all the same.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.learning.rows import (
    add_scaled,
    add_scaled_to_both,
    dot,
    rough_square,
    squared_norm,
)
from novikoff.learning.rules import protocol
from novikoff.learning.rules.averaged import Averaged
from novikoff.learning.rules.perceptron import Perceptron
from novikoff.learning.rules.protocol import Seen, State, Vector, require

LONGER = 2.0**0.5  # than the row itself


class ClassComparison(NamedTuple):
    """The row z = (e_own - e_rival) (x) row, and its score W . z."""

    row: Any
    own: Any  # both are class numbers
    rival: Any
    score: float

    def add_scaled(self, amount: float, weights: Any) -> None:
        add_scaled(self.row, amount, weights[self.own])
        add_scaled(self.row, -amount, weights[self.rival])

    def add_scaled_to_both(self, a: float, weights: Any, b: float, moments: Any) -> None:
        add_scaled_to_both(self.row, a, weights[self.own], b, moments[self.own])
        add_scaled_to_both(self.row, -a, weights[self.rival], -b, moments[self.rival])

    def squared_norm(self) -> Any:
        return 2.0 * squared_norm(self.row)

    def rough_square(self) -> Any:
        return 2.0 * rough_square(self.row)


class Multiclass(NamedTuple):
    """Compares the true class with its strongest rival, and learns from that by the inner rule.

    inner: the rule, which has to move along the row.

    >>> import novikoff as nk
    >>> rule = nk.rules.Multiclass(nk.rules.Perceptron())
    >>> model = nk.RuleClassifier(rule).fit([[2, 0], [0, 2], [-2, -2]], ["a", "b", "c"])
    >>> model.predict([[1, 0]]).tolist()
    ['a']
    """

    inner: Any = Perceptron()

    def class_label(self, code: int, positive: int) -> float:
        return 1.0

    def learned_row(self, state: Any, row: Any, code: int) -> ClassComparison:
        weights, own = state.weights, np.int64(code)
        if weights.shape[0] == 1:  # no other class has come yet, and no answer is wrong
            return ClassComparison(row, own, own, 1.0)
        score, best, rival = 0.0, -np.inf, own
        for k in range(weights.shape[0]):
            found = dot(row, weights[k])
            if k == own:
                score = found
            elif rival == own or found > best or found != found:  # no number must not get lost
                best, rival = found, np.int64(k)
        return ClassComparison(row, own, rival, score - best)

    def score(self, state: Any, row: ClassComparison) -> float:
        return row.score

    def mistaken(self, score: float, label: float) -> Any:
        return protocol.mistaken(self.inner, score, label)

    def step(self, state: Any, row: ClassComparison, seen: Seen) -> Any:
        return protocol.step(self.inner, state, row, seen)

    def move(self, state: Any, row: ClassComparison, amount: float, seen: Seen) -> None:
        protocol.move(self.inner, state, row, amount, seen)

    def accepts(self, row: Any) -> Any:
        return protocol.accepts(self.inner, row)

    def check(self) -> None:
        protocol.validate(self.inner)
        core = self.inner.inner if isinstance(self.inner, Averaged) else self.inner
        additive = not any(hasattr(type(core), name) for name in ("score", "move", "decide"))
        require(additive, f"{type(core).__name__} cannot compare classes: it moves its own way")

    def start(self, initial: Vector) -> Any:
        return protocol.start(self.inner, initial)

    def mistake_bound(self, radius: float, gamma: float) -> Any:
        return protocol.mistake_bound(self.inner, LONGER * radius, gamma)

    def readout(self, state: Any, seen: int) -> Any:
        return protocol.readout(self.inner, state, seen)

    def readout_at(self, state: Any, seen: int, columns: Any, before: Any) -> Any:
        return protocol.readout_at(self.inner, state, seen, columns, before)

    def outputs(self, found: Any) -> list[tuple[Any, State]]:
        return [(Perceptron(), State(line)) for line in found.weights]

    def learned_with(self, state: Any) -> tuple[Any, Any]:
        inner, own = protocol.learned_with(self.inner, state)
        return Multiclass(inner), own

    def unmixable(self) -> Any:
        return protocol.unmixable(self.inner)

    def mixed(self, state: Any) -> Any:
        return protocol.mixed(self.inner, state)

    def combination(self, state: Any) -> Vector:
        weights: Vector = state.weights
        return weights
