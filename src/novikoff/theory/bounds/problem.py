"""A data set and a perceptron's start and step, with the hypotheses that bounds share."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from novikoff.number_text import rounded_down, rounded_up
from novikoff.theory.bounds.hypotheses import Hypothesis, row_name
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import QUASI, SEPARABLE, UNDECIDED, Verdict, Watch
from novikoff.verdict.signed import Signed

DIGITS = 6
LISTED = 4  # rows of a conflict


@dataclass(frozen=True)
class BoundProblem:
    """Signed rows with their verdict, and the perceptron that learns from them.

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
        """The verdict's separator, exactly; only for separable rows."""
        assert self.verdict.certificate is not None  # separable rows have one
        return margins.rational(self.verdict.certificate.witness["weights"])

    @cached_property
    def from_zero(self) -> Hypothesis:
        """The hypothesis that the weights start at 0."""
        sentence = "the weights start at 0"
        if self.start is None:
            return Hypothesis(sentence, True, "as asked for")
        size = rounded_up(root(self.start.squared, up=True))
        why = f"the weights start at a distance of {size} from 0; fixed-increment is for any start"
        return Hypothesis(sentence, False, why)

    @cached_property
    def longest(self) -> Hypothesis:
        """The hypothesis that no row is longer than D."""
        why = f"D = {rounded_up(self.radius, DIGITS)} is the length of the longest"
        return Hypothesis("no row is longer than D", True, why)

    @cached_property
    def separable(self) -> Hypothesis:
        """The hypothesis that the rows are separable."""
        return separability(self.verdict)

    def verdict_on(self, signed: Signed) -> Verdict:
        """The verdict on other rows, with the same limits."""
        return Judge(signed, self.precision, self.time_limit, self.watch).run()


def separability(verdict: Verdict) -> Hypothesis:
    """The hypothesis that some hyperplane has all rows on their own sides, by the verdict."""
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
    signed = verdict.signed
    if verdict.identical is not None:
        first, second = (row_name(signed, i) for i in verdict.identical.first)
        return f"{first} and {second} are the same but for the label"
    rows = [row_name(signed, i) for i, _ in verdict.conflict]
    if len(rows) == 1:
        return f"{rows[0]} has nothing but zeros"
    shown = rows[:LISTED] + [f"{len(rows) - LISTED} more"] * (len(rows) > LISTED)
    listed = f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{listed} sum to zero with positive multipliers"


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
