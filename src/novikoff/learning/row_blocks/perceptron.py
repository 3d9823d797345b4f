"""Epochs of the perceptron on dense rows: NumPy's way, with the same bits as the compiled loop.

Runs on small data use this while it takes less time than to compile the loop. Between two mistakes
the weights stay as they are: the scores of some rows are computed at once, up to the first that is
not right. Scores are of rows times their labels, so that a row is right where its score is above 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.learning.dot_kernels import LANES, Vector
from novikoff.learning.row_blocks import scales
from novikoff.learning.rows import DenseRows
from novikoff.learning.rules import Perceptron
from novikoff.learning.rules.protocol import Seen

FIRST, MOST = 16, 512  # rows whose scores are computed at once
STEPS_PER_MISTAKE, STEPS_PER_VALUE = 15.0, 0.02  # against two seconds of compiling in a first run

LearnAt = Callable[[Any, Any, Any, int, int, Any, Any], int]


def suits(rule: Any, reading: Any, tally: Any) -> bool:
    """Whether an epoch with these arguments of the loop can be done so."""
    plain = type(rule) is Perceptron and type(reading.rows) is DenseRows
    return plain and not reading.measure and not hasattr(tally, "weighted_mistakes")


def steps(reading: Any, tally: Any) -> float:
    """About how many steps of a budget it takes, with as many mistakes as there were so far."""
    mistakes = (int(tally.mistakes[0]) + 1) / (int(tally.seen[0]) + 1)
    row = STEPS_PER_MISTAKE * mistakes + STEPS_PER_VALUE * reading.rows.values.shape[1]
    return float((reading.stop - reading.start) * row)


def epoch(rule: Any, state: Any, reading: Any, tally: Any, log: Any, learn_at: LearnAt) -> int:
    """Learn as the loop does; `learn_at` is its step, for rows whose score is 0 or not finite."""
    blocks = _SignedRows(reading)
    before = int(tally.seen[0]) - reading.start
    silent = not hasattr(log, "record")
    place, size = 0, FIRST
    blocks.load(state.weights)
    while place < len(blocks.labels):
        scores = blocks.scores(place, place + size)
        right = (scores > 0.0) & (scores < math.inf)
        first = int(right.argmin())
        if right[first]:
            place, size = place + size, min(2 * size, MOST)
            continue
        place, size = place + first, max(FIRST, min(size, 2 * first))
        score = float(scores[first])
        if -math.inf < score < 0.0:
            label = float(blocks.labels[place])
            blocks.move(place, rule.eta)
            for count in (tally.mistakes, tally.updates):
                count[0] += 1
            tally.amount[0] += rule.eta
            if not silent:
                seen = Seen(label, label * score, True, before + reading.start + place)
                log.record(int(blocks.numbers[place]), rule.eta, seen)
        else:
            blocks.store(state.weights)
            at = reading.start + place
            if refused := learn_at(rule, state, reading, at, before, tally, log):
                return refused
            blocks.load(state.weights)
        place += 1
    blocks.store(state.weights)
    tally.seen[0] = before + reading.stop
    return 0


class _SignedRows:
    """Rows times their labels, as (blocks of columns, rows, lanes), and weights in that layout."""

    def __init__(self, reading: Any) -> None:
        rows, count = reading.rows, len(reading.rows.values)
        numbers = reading.order if reading.order.size else np.arange(count)
        self.numbers = numbers[reading.start : reading.stop]
        self.labels = np.where(reading.codes[self.numbers] == reading.positive, 1.0, -1.0)
        self._width, self._bias = rows.values.shape[1], 1.0 if rows.bias else 0.0
        depth = -(-self._width // LANES)
        padded = np.zeros((len(self.numbers), depth * LANES))
        padded[:, : self._width] = rows.values[self.numbers] * self.labels[:, None]
        lanes = padded.reshape(-1, depth, LANES).transpose(1, 0, 2)
        self._lanes, self._weights = np.ascontiguousarray(lanes), np.zeros((depth, 1, LANES))
        self._scales = scales(rows, 0, count)[self.numbers] if rows.unit_length else None
        self._offset = 0.0

    def load(self, weights: Vector) -> None:
        """Take these weights."""
        self._weights.reshape(-1)[: self._width] = weights[: self._width]
        self._offset = float(weights[self._width]) if self._bias else 0.0

    def store(self, weights: Vector) -> None:
        """Write the weights where they belong."""
        weights[: self._width] = self._weights.reshape(-1)[: self._width]
        if self._bias:
            weights[self._width] = self._offset

    def scores(self, start: int, stop: int) -> Vector:
        """The scores of some rows times their labels; see `dot_kernels` for the order of sums."""
        lanes = np.add.reduce(self._lanes[:, start:stop] * self._weights)
        lanes = lanes[:, :4] + lanes[:, 4:]
        lanes = lanes[:, :2] + lanes[:, 2:]
        total: Vector = lanes[:, 0] + lanes[:, 1]
        if self._bias:
            total += self._offset * self.labels[start:stop]
        if self._scales is not None:
            total *= self._scales[start:stop]
        return total

    def move(self, place: int, amount: float) -> None:
        """Add amount * label * row to the weights."""
        if self._scales is not None:
            amount *= float(self._scales[place])
        self._weights += amount * self._lanes[:, place : place + 1]
        self._offset += amount * float(self.labels[place]) * self._bias
