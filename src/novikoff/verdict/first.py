"""The cheap first attempt: a few epochs of the perceptron.

On data with a fair margin it converges, and its weights are a separator. Either way, the number of
times that it moved along each row are multipliers with which the margin is at most
|sum of counts * z| / sum of counts, and rows that it moved along are those worth a closer look.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError
from novikoff.learn import Learner
from novikoff.loop import TINY
from novikoff.rules import Perceptron
from novikoff.rules.protocol import Seen
from novikoff.scan import HUGE, Vector
from novikoff.signed import Places, Signed, SignedRows
from novikoff.verdict.points import WIDE

EPOCHS = 10
WIDE_EPOCHS = 3  # for very wide rows there is something better: `descent`


class Counts(NamedTuple):
    """A log of how often each row moved the weights."""

    counts: npt.NDArray[np.int64]

    def record(self, i: int, amount: float, seen: Seen) -> None:
        self.counts[i] += 1


class Attempt(NamedTuple):
    """What the perceptron came to."""

    weights: Vector
    counts: npt.NDArray[np.int64]
    converged: bool


def attempt(signed: SignedRows) -> Attempt | None:
    """A few epochs of the perceptron; None where these rows are beyond floating point."""
    smallest, largest, _ = signed.scan.extremes
    if not (smallest > TINY and largest < HUGE):
        return None
    learner = Learner(
        Perceptron(), signed.features, bias=signed.bias, unit_length=signed.unit_length
    )
    counts = np.zeros(signed.count, np.int64)
    try:
        for epoch in range(WIDE_EPOCHS if signed.dim > WIDE else EPOCHS):
            before = learner.total("mistakes")
            learner, moves = signed.chain(_read, learner, epoch == 0)
            for places, times in moves:
                counts[places] += times
            if learner.total("mistakes") == before:
                return Attempt(learner.states[0].weights.copy(), counts, True)
    except DataError:  # weights that overflow: there are better ways
        return None
    return Attempt(learner.states[0].weights.copy(), counts, False)


def _read(signed: Signed, learner: Learner, first: bool) -> tuple[Learner, tuple[Places, Places]]:
    """One pass; the rows that the learner moved along, and how often it did."""
    rows = signed.rows._replace(unit_length=signed.unit_length)
    codes: Any = (signed.signs > 0).astype(np.uint16)
    log = Counts(np.zeros(signed.count, np.int64))
    learner.read(rows, codes, measure=first, log=log)
    moved = np.flatnonzero(log.counts)
    return learner, (signed.start + moved, log.counts[moved])
