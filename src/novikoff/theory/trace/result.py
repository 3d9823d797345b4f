"""The result of a trace."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novikoff import notebook
from novikoff.errors import ParameterError
from novikoff.theory.trace.cycles import Cycle
from novikoff.theory.trace.table import open_table, split_table
from novikoff.theory.trace.theorems.inequalities import Check

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Trace:
    """A run, update by update, and the inequalities that held at each of them.

    rule: its name.
    rows: how many there are.
    features: how many columns they have.
    bias: whether the rows are lifted.
    unit_length: whether they are scaled to length 1.
    eta: the step, for rules that have one.
    start: w_0.
    target: w*, the intercept last; for Winnow 1 for each relevant variable. None where the rows are
        not separable: then columns about it are absent, and what is left of the theorem is checked.
    target_from: "max-margin" (exactly), "separator" (proven, within the margin's bracket),
        "disjunction", "given" or "none".
    margin: min z . w* / |w*|, not rounded up.
    radius: D, not rounded down.
    epochs: passes over the rows.
    mistakes: wrong predictions.
    mistakes_per_epoch: the same, epoch by epoch.
    updates: moves of the weights.
    converged: whether an epoch passed without a mistake.
    because: why the run ended.
    bound: the most updates that the theorem allows; for passive-aggressive learning, which moves
        without mistakes too, the most mistakes.
    A: of the lower envelope A k^2 <= |w_k - w_0|^2 of the perceptron.
    B: of the upper envelope |w_k - w_0|^2 <= B k.
    table: a column for each quantity, an entry for each update kept.
    thinned: whether the table leaves updates out; all were checked.
    exact: whether all was checked over the rationals; if not, in floating point with a proven
        allowance for rounding.
    rounded: how many updates were mistakes for the run's own rounding alone.
    checks: the inequalities, with how often each held and by how much at the closest.
    ceiling: no separator has a larger margin, as the run alone proves.
    cycle: the circle that the run is proven to go round in for ever; None where it ends, or nothing
        is known.
    signed: the signed rows themselves.
    """

    rule: str
    rows: int
    features: int
    bias: bool
    unit_length: bool
    eta: float | None
    start: npt.NDArray[np.float64]
    target: npt.NDArray[np.float64] | None
    target_from: str
    margin: float | None
    radius: float
    epochs: int
    mistakes: int
    mistakes_per_epoch: list[int]
    updates: int
    converged: bool
    because: str
    bound: int | None
    A: float | None
    B: float | None
    table: dict[str, npt.NDArray[Any]] = field(repr=False)
    thinned: bool
    exact: bool
    rounded: int
    checks: list[Check]
    ceiling: float | None
    cycle: Cycle | None = None
    signed: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        how = "exactly" if self.exact else "but for rounding"
        return f"<Trace: {self.rule}, {self.updates} updates, checked {how}>"

    def _repr_html_(self) -> str:
        ended = "converged" if self.converged else f"did not converge: {self.because}"
        how = "exactly" if self.exact else "with a proven allowance for rounding"
        facts: list[notebook.Fact] = [
            ("updates", self.updates),
            ("mistakes", self.mistakes),
            ("epochs", self.epochs),
            ("bound", "none" if self.bound is None else self.bound),
            ("margin γ", "none" if self.margin is None else self.margin),
            ("radius D", self.radius),
            *((f"checked: {each.statement}", f"{each.steps:,} times") for each in self.checks),
        ]
        return notebook.facts_html(f"{self.rule}: it {ended}; checked {how}.", facts)

    def plot(self, *, chart: str | None = None, backend: str | None = None) -> object:
        """The proof's picture; needs novikoff[report].

        chart: another one, such as "envelopes", "cosine", "ceiling" or "slack". A chart that a
        notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend, **({} if chart is None else {"chart": chart}))

    def to_frame(self) -> "pd.DataFrame":
        """The table as a pandas frame, with the number of the update as its index."""
        try:
            import pandas as pd
        except ImportError:
            raise ParameterError(
                "to_frame needs pandas: pip install pandas; trace.table has the same columns"
            ) from None
        return pd.DataFrame(self.table).set_index("update")

    def write(self, path: str | os.PathLike[str]) -> None:
        """The table as .csv or .parquet; `nk.trace(write=path)` writes thinned runs in full."""
        with open_table(path) as writer:
            for piece in split_table(self.table):
                writer.write(piece)
