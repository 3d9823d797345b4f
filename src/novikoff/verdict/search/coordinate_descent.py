"""The max-margin separator of very wide rows, one row at a time: dual coordinate descent.

    minimise |w|^2 / 2 - sum a    over a >= 0,  with  w = sum a_i z_i
    a_i <- max(0, a_i - (z_i . w - 1) / |z_i|^2),  and w with it

(Hsieh et al. 2008, without an upper bound on a.) At the minimum w / |w|^2 is the nearest point of
the hull. On the way any a bounds the margin from above, by |sum a z| / sum a, and any w from below.
An active-set method needs the inner products of all rows in the support, of which text has too
many.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.learning.learner import norm
from novikoff.learning.loop import STEPS_PER_ROW, compiled
from novikoff.learning.rows import Rows, add_scaled, dot, length, row_at, stored
from novikoff.verdict.scan import Indices, Vector
from novikoff.verdict.search.search import Face
from novikoff.verdict.signed import Signed, SignedRows

LEAST_CUTOFF = 1e-9
ADJACENT = 16  # rows that stay together when rows are shuffled
WINDOW = 2**16  # rows that are shuffled among each other
EPOCHS_PER_SCAN = 3
MOST_EPOCHS = 60  # without a separator
HEAVIEST = 1000  # rows with the largest multipliers, to look for a conflict in


def _make_descend(sources: str) -> Any:
    def descend(
        rows: Any,
        signs: Any,
        squares: Any,
        fixed: Any,
        order: Any,
        used: int,
        alphas: Any,
        weights: Any,
        cutoff: float,
    ) -> tuple[int, float]:
        """One pass over the first `used` rows of the order; returns how many remain in it, and the
        largest violation. Rows beyond the cutoff leave the order: they are moved behind the others.
        Fixed rows are drawn to a score of 0, from both sides.
        """
        sources  # noqa: B018  (see `loop.compiled`)
        violation = 0.0
        k = 0
        while k < used:
            i = order[k]
            row = row_at(rows, i)
            off = signs[i] * dot(row, weights) - (0.0 if fixed[i] else 1.0)
            if alphas[i] == 0.0 and off > cutoff and not fixed[i]:
                used -= 1
                order[k], order[used] = order[used], i
                continue
            if off < 0.0 or alphas[i] > 0.0 or fixed[i]:
                violation = max(violation, abs(off))
                new = alphas[i] - off / squares[i]
                new = new if new > 0.0 or fixed[i] else 0.0
                if new != alphas[i]:
                    add_scaled(row, signs[i] * (new - alphas[i]), weights)
                    alphas[i] = new
            k += 1
        return used, violation

    return descend


def _descend_work(rows: Rows, *rest: Any) -> float:
    return int(length(rows)) * STEPS_PER_ROW + stored(rows) / 2


class DescentTask(NamedTuple):
    """The state of a window, before an epoch and after it: which rows are active, the multipliers
    that are not 0, the rows that are fixed, and the window's own random numbers.
    """

    active: npt.NDArray[np.uint8]  # bits
    support: Indices
    alphas: Vector
    fixed: Indices
    random: np.random.Generator
    violation: float = 0.0  # the largest one of the epoch


class Descent:
    """The descent so far: multipliers and w = sum of multipliers * z (of unit length, if wanted).

    Rows are processed window by window, so that rows in several pieces are processed piece by
    piece. violation: the largest one of the last epoch.
    """

    def __init__(self, signed: SignedRows, face: Face) -> None:
        self.signed = signed
        self.alphas, self.weights = np.zeros(signed.count), np.zeros(signed.dim)
        self.violation = np.inf
        self._fixed = np.zeros(signed.count, np.bool_)
        self._fixed[face.basis] = True
        self._inside = face.interior(signed.count) | self._fixed
        self._active, self._cutoff = self._inside.copy(), np.inf
        starts = range(0, signed.count, WINDOW)
        self._windows = [slice(start, min(start + WINDOW, signed.count)) for start in starts]
        self._randoms = [np.random.default_rng([0, k] if k else 0) for k in range(len(starts))]

    def epoch(self) -> None:
        """Make one pass over the active rows."""
        tasks = [(window, self._task(k)) for k, window in enumerate(self._windows)]
        self.weights, done = self.signed.fold_windows(_descend, self.weights, tasks, self._cutoff)
        for k, (window, task) in enumerate(zip(self._windows, done, strict=True)):
            size, self._randoms[k] = window.stop - window.start, task.random
            self._active[window] = np.unpackbits(task.active, count=size)
            self.alphas[window] = 0.0
            self.alphas[window][task.support] = task.alphas
        self.violation = max(task.violation for task in done)
        self._cutoff = max(self.violation, LEAST_CUTOFF)

    def _task(self, k: int) -> DescentTask:
        window = self._windows[k]
        support = np.flatnonzero(self.alphas[window])
        return DescentTask(
            np.packbits(self._active[window]),
            support,
            self.alphas[window][support],
            np.flatnonzero(self._fixed[window]),
            self._randoms[k],
        )

    def reactivate_all(self) -> None:
        """Make all rows active again."""
        self._active, self._cutoff = self._inside.copy(), np.inf

    def heaviest(self, most: int) -> Indices:
        """The rows with the largest multipliers."""
        heavy = np.argsort(-np.where(self._fixed, 0.0, self.alphas), kind="stable")[:most]
        return np.sort(heavy[self.alphas[heavy] > 0.0])

    @property
    def upper(self) -> float:
        """No separator has a larger margin, but for rounding."""
        return norm(self.weights) / float(self.alphas.sum())


def _descend(
    signed: Signed, weights: Vector, task: DescentTask, cutoff: float
) -> tuple[Vector, DescentTask]:
    """Make one pass over the active rows of a window."""
    rows = signed.rows._replace(unit_length=signed.unit_length)
    squares = np.ones(signed.count) if signed.unit_length else signed.scan.squares
    alphas, fixed = np.zeros(signed.count), np.zeros(signed.count, np.bool_)
    alphas[task.support], fixed[task.fixed] = task.alphas, True
    order = np.flatnonzero(np.unpackbits(task.active, count=signed.count))
    _shuffle(order, task.random)
    kernel = compiled(_make_descend, (), _descend_work)
    state = order, len(order), alphas, weights, cutoff
    used, violation = kernel(rows, signed.signs, squares, fixed, *state)
    active = np.zeros(signed.count, np.bool_)
    active[order[:used]] = True
    support = np.flatnonzero(alphas)
    return weights, DescentTask(
        np.packbits(active), support, alphas[support], task.fixed, task.random, float(violation)
    )


def _shuffle(order: Indices, random: np.random.Generator) -> None:
    """Shuffle the order in blocks of rows that are adjacent in memory: twice as fast as row by row,
    and as good.
    """
    blocks = order[: len(order) // ADJACENT * ADJACENT].reshape(-1, ADJACENT)
    random.shuffle(blocks, axis=0)
