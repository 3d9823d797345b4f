"""The second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005).

It keeps A = a I + sum of row row' and v = sum of label * row over its mistakes, and predicts with
the sign of v . (A + row row')^-1 row, which is the sign of row . weights for weights = A^-1 v.
With r = A^-1 row and q = row . r, a mistake moves both by Sherman and Morrison:

    weights <- weights + r (label - score) / (1 + q)        A^-1 <- A^-1 - r r' / (1 + q)

On separable data, mistakes <= sqrt(u'A u * ln det(A / a)) / gamma for every unit vector u of
margin gamma. A move costs the square of the number of features, and so does the memory.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.rows import dot
from novikoff.learning.rules.protocol import TIES, Seen, Tie, Vector, require, require_positive

LARGEST = 20_000  # features; A^-1 is then 3.2 GB


class SecondOrderState(NamedTuple):
    """weights = A^-1 v, the inverse itself, and room for r."""

    weights: Vector
    inverse: npt.NDArray[np.float64]
    r: Vector


class SecondOrder(NamedTuple):
    """The perceptron in the coordinates in which its past mistakes are white.

    a: as for `SecondOrderPerceptron`.
    tie: as for `rules.Winnow`.

    >>> import novikoff as nk
    >>> nk.RuleClassifier(nk.rules.SecondOrder()).fit([[2.0], [-1.0]], [1, -1]).mistakes_
    1
    """

    a: float = 1.0
    tie: Tie = TIES["mistake"]

    def step(self, state: SecondOrderState, row: Any, seen: Seen) -> float:
        return 1.0 if seen.mistaken else 0.0

    def move(self, state: SecondOrderState, row: Any, amount: float, seen: Seen) -> None:
        r, width = state.r, state.r.shape[0]
        for j in range(width):
            r[j] = dot(row, state.inverse[j])
        shrink = 1.0 / (1.0 + dot(row, r))
        push = (seen.label - seen.score) * shrink
        for j in range(width):
            state.weights[j] += push * r[j]
            pull = shrink * r[j]
            for k in range(width):
                state.inverse[j, k] -= pull * r[k]

    def check(self) -> None:
        require_positive(a=self.a)

    def start(self, initial: Vector) -> SecondOrderState:
        width = len(initial)
        require(
            width <= LARGEST,
            f"the second-order perceptron keeps a matrix of features x features: {width:,} features"
            f" would need {8e-9 * width**2:,.0f} GB; it takes at most {LARGEST:,}",
        )
        require(not initial.any(), "the second-order perceptron starts at zero weights")
        return SecondOrderState(initial, np.eye(width) / self.a, np.zeros(width))

    def unmixable(self) -> str:
        return (
            "the second-order perceptron's weights are A^-1 v, and the mean of several is that of"
            " no A and v that its bound is about"
        )

    def combination(self, state: SecondOrderState) -> None:
        return None
