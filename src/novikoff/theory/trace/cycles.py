"""Cycles: runs that never end, because weights come back.

What a rule does with the rows of an epoch, in the order given, follows from the weights at its
start. If these are, bit for bit, the weights at the start of an earlier epoch, the same updates
come again, and again after them: a proof that the run never ends, whatever the budget.

The weights at the ends of epochs are kept whole, and compared whole. Where they would take more
than `ROOM` bytes, only those of every 2nd, 4th, ... epoch are kept: a circle is still found, once
one of them lies in it and a round has passed since. Its length is right, for the weights of a round
all differ; but it may have been entered up to 2, 4, ... epochs before. With room for two this is
Brent's method.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ROOM = 2**26


class Cycle(NamedTuple):
    """After update `first` the same `length` updates come again and again, each time in so many
    `epochs`.
    """

    first: int
    length: int
    epochs: int

    def __str__(self) -> str:
        again = "update comes" if self.length == 1 else f"{self.length:,} updates come"
        every = "epoch" if self.epochs == 1 else f"{self.epochs:,} epochs"
        return (
            f"the run goes round in a circle: from update {self.first + 1:,} on the same {again}"
            f" again, every {every}, for ever"
        )


class CycleDetector:
    """Looks for weights that were there before, at the end of each epoch of a run."""

    def __init__(self, start: npt.NDArray[np.float64]) -> None:
        self._seen = {start.tobytes(): (0, 0)}  # weights: how many epochs and updates before them
        self._each, self._epoch, self._found_at = 1, 0, 0
        self.found: Cycle | None = None

    @property
    def repeated(self) -> bool:
        """Whether a whole round has passed since the circle was found."""
        return self.found is not None and self._epoch >= self._found_at + self.found.epochs

    def observe(self, weights: npt.NDArray[np.float64], updates: int) -> None:
        """The weights at the end of the next epoch, after so many updates in all."""
        self._epoch += 1
        if self.found is not None:
            return
        bits = weights.tobytes()
        epoch, first = self._seen.get(bits, (self._epoch, updates))
        if updates > first:
            self.found = Cycle(first, updates - first, self._epoch - epoch)
            self._found_at, self._seen = self._epoch, {}
        elif epoch == self._epoch and epoch % self._each == 0:
            self._seen[bits] = epoch, first
            while len(self._seen) > max(2, ROOM // max(1, weights.nbytes)):
                self._thin()

    def _thin(self) -> None:
        self._each *= 2
        self._seen = {
            bits: place for bits, place in self._seen.items() if place[0] % self._each == 0
        }
