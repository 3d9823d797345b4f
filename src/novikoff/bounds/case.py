"""One data set and a learner's start and step, with what its bounds have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from novikoff import figures
from novikoff.bounds.hypotheses import Hypothesis, place
from novikoff.bounds.outward import root
from novikoff.figures import Rational
from novikoff.rounding import rounded_down, rounded_up
from novikoff.signed import Signed
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import QUASI, SEPARABLE, UNDECIDED, Verdict, Watch

DIGITS = 6
SHOWN = 4  # rows of a conflict


@dataclass(frozen=True)
class Case:
    """Signed rows with their verdict, and the perceptron that is to learn from them.

    start: w_0, a number for each coordinate; None for zeros. relevant: for Winnow, the variables
    whose OR the label is; None if they are to be found.
    """

    signed: Signed
    verdict: Verdict
    eta: Fraction
    start: Rational | None
    passes: int
    relevant: Sequence[int | str] | None = None
    precision: float | None = None
    time_limit: float | None = None
    watch: Watch | None = None

    @property
    def radius(self) -> float:
        """D, not rounded down."""
        return self.verdict.radius

    @property
    def margin(self) -> float:
        """gamma, not rounded up."""
        return self.verdict.margin.lower

    @cached_property
    def target(self) -> Rational:
        """The verdict's separator, exactly as it is proven; only for separable rows."""
        return figures.rational(self.verdict.certificate.witness["weights"])

    @cached_property
    def from_zero(self) -> Hypothesis:
        """Where the weights start."""
        sentence = "the weights start at 0"
        if self.start is None:
            return Hypothesis(sentence, True, "as asked for")
        size = rounded_up(root(self.start.squared, up=True))
        why = f"the weights start at a distance of {size} from 0; fixed-increment is for any start"
        return Hypothesis(sentence, False, why)

    @cached_property
    def longest(self) -> Hypothesis:
        """How long rows are."""
        why = f"D = {rounded_up(self.radius, DIGITS)} is the length of the longest"
        return Hypothesis("no row is longer than D", True, why)

    @cached_property
    def separable(self) -> Hypothesis:
        """Whether there is a margin at all."""
        return separability(self.verdict)

    def judged(self, signed: Signed) -> Verdict:
        """A verdict on other rows, asked for in the same way."""
        return Judge(signed, self.precision, self.time_limit, self.watch).verdict()


def separability(verdict: Verdict) -> Hypothesis:
    """Whether some hyperplane has all rows on their own sides, by the verdict."""
    sentence = "some unit vector u has y u·x ≥ γ > 0 on every row x with label y"
    if verdict.outcome == SEPARABLE:
        low = rounded_down(verdict.margin.lower, DIGITS)
        known = "the margin" if verdict.margin.squared is not None else "proven so far"
        return Hypothesis(sentence, True, f"γ = {low}, {known}")
    if verdict.outcome == UNDECIDED:
        return Hypothesis(sentence, None, "not decided in the time given")
    how = "only quasi-separable" if verdict.outcome == QUASI else "not separable"
    return Hypothesis(sentence, False, f"{how}: {_in_the_way(verdict)}")


def _in_the_way(verdict: Verdict) -> str:
    signed: Signed = verdict.signed
    if verdict.identical is not None:
        first, second = (place(signed, i) for i in verdict.identical.first)
        return f"{first} and {second} are the same but for the label"
    rows = [place(signed, i) for i, _ in verdict.conflict]
    if len(rows) == 1:
        return f"{rows[0]} has nothing but zeros"
    shown = rows[:SHOWN] + [f"{len(rows) - SHOWN} more"] * (len(rows) > SHOWN)
    listed = f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{listed} cancel each other, times positive numbers"


def first_of_other_length(signed: Signed) -> int | None:
    """The first row whose length is not exactly 1, if there is one."""
    squares = signed.scan.squares
    off = np.flatnonzero(np.abs(squares - 1.0) > 1e-6)
    if off.size:
        return int(off[0])
    for i in range(signed.count):
        row = signed.row(i)
        if sum(value * value for value in row.values) != row.denominator**2:
            return i
    return None
