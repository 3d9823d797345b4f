"""The result of a repair, and its progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import notebook
from novikoff.verdict.certificate import Certificate, Combination
from novikoff.verdict.result import Margin
from novikoff.verdict.signed import Signed

Cost = int | Fraction  # a number of rows, or a sum of sample weights


class RepairStage(NamedTuple):
    """The progress of a repair: the bracket that is proven so far."""

    doing: str
    lower: Cost
    upper: Cost | None  # None until the first separator
    conflicts: int


RepairWatch = Callable[[RepairStage], None]


@dataclass(frozen=True, repr=False)
class Repair:
    """The fewest rows that a hyperplane can have on its wrong side or on itself: a bracket.

    lower <= fewest <= upper, as numbers of rows or sums of their weights.

    lower: proven by conflicts.
    upper: what the hyperplane found costs.
    rows: a set of rows that costs `upper`, whose removal leaves the rest separable.
    weights: of that hyperplane.
    intercept: likewise.
    margin: of the rows that are left; None if there are none.
    conflicts: those that the lower bound rests on, each a list of rows with positive multipliers
        that sum to zero.
    certificate: the proof of the bracket.
    stopped: None, or why it ended before the bracket was closed: "time limit" or "interrupted".
    signed: the signed rows themselves.
    """

    lower: Cost
    upper: Cost
    rows: list[int]
    weights: npt.NDArray[np.float64]
    intercept: float
    margin: Margin | None
    conflicts: list[Combination]
    certificate: Certificate
    stopped: str | None
    signed: Signed = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the bracket is closed: no hyperplane does better."""
        return self.lower == self.upper

    @property
    def labels(self) -> list[object]:
        """For each of `rows`, the label that the hyperplane gives it; None where that is one of
        several.
        """
        pair = self.signed.labels
        assert pair is not None  # repairs are about labels
        return [pair.negative if self.signed.signs[i] > 0 else pair.positive for i in self.rows]

    def __repr__(self) -> str:
        known = f"{self.upper}" if self.exact else f"{self.lower} to {self.upper}"
        return f"<Repair: {known} of {self.signed.count} rows>"

    def _repr_html_(self) -> str:
        known = f"{self.upper}" if self.exact else f"{self.lower} to {self.upper}"
        places = ", ".join(f"{row:,}" for row in self.rows[:8]) + (
            ", …" if len(self.rows) > 8 else ""
        )
        facts: list[notebook.Fact] = [
            ("fewest rows on a wrong side", known),
            ("rows", places or "none"),
            ("conflicts in the proof", len(self.conflicts)),
        ]
        sentence = "No hyperplane does better." if self.exact else f"Stopped by {self.stopped}."
        return notebook.facts_html(sentence, facts)

    def plot(self, *, backend: str | None = None) -> object:
        """The rows in the plane, those to look at ringed; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)
