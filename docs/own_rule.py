"""A rule that is not in the package: the relaxation method, written as plain Python.

Agmon, and Motzkin and Schoenberg (both 1954), solved systems of inequalities by stepping to the
plane of one that is violated. Here the inequalities are label * (row . weights) >= goal:

    amount = relax * (goal - label * score) / |row|^2     0 < relax < 2

A step of relax = 1 ends exactly on the plane of the row, where its signed score is `goal`.
"""

from typing import NamedTuple

import novikoff as nk
from novikoff.rules import TIES, Seen, Tie, rounded_up, squared_norm


class Relaxation(NamedTuple):
    """weights <- weights + amount * label * row on a mistake."""

    relax: float = 1.0
    goal: float = 1.0
    tie: Tie = TIES["mistake"]

    def step(self, state, row, seen: Seen):
        if not seen.mistaken:
            return 0.0
        size = squared_norm(row)
        if size == 0.0:  # a row of zeros cannot be helped
            return 0.0
        return self.relax * (self.goal - seen.label * seen.score) / size


def main() -> None:
    model = nk.RuleClassifier(Relaxation(relax=1.5)).fit(nk.open("example:iris-setosa"))
    print(f"converged: {model.converged_}, after {model.mistakes_} mistakes")
    print(f"no separator has a margin above {rounded_up(model.margin_ceiling_)}")


if __name__ == "__main__":
    main()
