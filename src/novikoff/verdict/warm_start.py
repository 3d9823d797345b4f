"""The cheap first attempt: a few epochs of the perceptron.

On data with a fair margin it converges, and its weights are a separator. Either way, the numbers of
updates on each row are multipliers with which the margin is at most
|sum of counts * z| / sum of counts, and the rows with updates are candidates for the search.
"""

from typing import NamedTuple

import numpy as np

from novikoff.errors import DataError
from novikoff.learning.learner import Learner
from novikoff.learning.loop import TINY
from novikoff.learning.rules import Perceptron
from novikoff.learning.rules.protocol import Seen
from novikoff.verdict.scan import HUGE, Vector
from novikoff.verdict.search.points import WIDE
from novikoff.verdict.signed import Indices, Signed, SignedRows

EPOCHS = 10
WIDE_EPOCHS = 3  # very wide rows have something better: coordinate descent


class UpdateCounts(NamedTuple):
    """A log of the loop: how often each row moved the weights."""

    counts: Indices

    def record(self, i: int, amount: float, seen: Seen) -> None:
        self.counts[i] += 1


class WarmStart(NamedTuple):
    """The perceptron's weights, its updates on each row, and whether it converged."""

    weights: Vector
    counts: Indices
    converged: bool


def perceptron_warm_start(signed: SignedRows) -> WarmStart | None:
    """Train the perceptron for a few epochs; None where the rows are beyond floating point."""
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
            learner, moves = signed.fold_pieces(_epoch, learner, epoch == 0)
            for rows, times in moves:
                counts[rows] += times
            if learner.total("mistakes") == before:
                return WarmStart(learner.states[0].weights.copy(), counts, True)
    except DataError:  # weights that overflow: there are better ways
        return None
    return WarmStart(learner.states[0].weights.copy(), counts, False)


def _epoch(
    signed: Signed, learner: Learner, first: bool
) -> tuple[Learner, tuple[Indices, Indices]]:
    """Train on all rows once; the rows with updates, and how many each had."""
    rows = signed.rows._replace(unit_length=signed.unit_length)
    codes = (signed.signs > 0).astype(np.uint16)
    log = UpdateCounts(np.zeros(signed.count, np.int64))
    learner.read(rows, codes, measure=first, log=log)
    moved = np.flatnonzero(log.counts)
    return learner, (signed.start + moved, log.counts[moved])
