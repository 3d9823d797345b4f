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

from novikoff.loop import compiled
from novikoff.rows import add_scaled, dot, row_at
from novikoff.signed import Signed, SignedRows
from novikoff.verdict.nearest import Places, Vector
from novikoff.verdict.search import Face

LEAST_BAR = 1e-9
TOGETHER = 16  # rows
WINDOW = 2**16  # rows that are shuffled among each other
PEEK = 3  # epochs between two scans
PATIENCE = 60  # epochs without a separator
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
        bar: float,
    ) -> tuple[int, float]:
        """One pass over the first `used` rows of the order; how many remain in it, and how far
        the furthest was off. Rows beyond the bar leave it: moved behind the others. Fixed rows are
        drawn to a score of 0, from both sides.
        """
        sources  # noqa: B018  (see `loop.compiled`)
        furthest = 0.0
        k = 0
        while k < used:
            i = order[k]
            row = row_at(rows, i)
            off = signs[i] * dot(row, weights) - (0.0 if fixed[i] else 1.0)
            if alphas[i] == 0.0 and off > bar and not fixed[i]:
                used -= 1
                order[k], order[used] = order[used], i
                continue
            if off < 0.0 or alphas[i] > 0.0 or fixed[i]:
                furthest = max(furthest, abs(off))
                new = alphas[i] - off / squares[i]
                new = new if new > 0.0 or fixed[i] else 0.0
                if new != alphas[i]:
                    add_scaled(row, signs[i] * (new - alphas[i]), weights)
                    alphas[i] = new
            k += 1
        return used, furthest

    return descend


class Task(NamedTuple):
    """What one pass needs to know of a window: which rows matter, the multipliers that are not 0,
    the rows that are fixed, and the window's own random numbers; and what it gives back.
    """

    active: npt.NDArray[np.uint8]  # bits
    places: Places
    alphas: Vector
    fixed: Places
    random: np.random.Generator
    off: float = 0.0  # how far the furthest row was from where it should be


class Descent:
    """The state: multipliers and w = sum of multipliers * z (of unit length, where asked).

    Rows are taken window by window, so that rows in several pieces are gone through piece by piece.
    """

    def __init__(self, signed: SignedRows, face: Face) -> None:
        self.signed = signed
        self.alphas, self.weights = np.zeros(signed.count), np.zeros(signed.dim)
        self.off = np.inf  # how far the furthest row was from where it should be
        self._fixed = np.zeros(signed.count, np.bool_)
        self._fixed[face.on_all] = True
        inside = ~face.out_of if face.out_of.size else np.ones(signed.count, np.bool_)
        self._inside = inside | self._fixed
        self._active, self._bar = self._inside.copy(), np.inf
        starts = range(0, signed.count, WINDOW)
        self._windows = [slice(start, min(start + WINDOW, signed.count)) for start in starts]
        self._randoms = [np.random.default_rng([0, k] if k else 0) for k in range(len(starts))]

    def epoch(self) -> None:
        """One pass over the rows that matter."""
        tasks = [(window, self._task(k)) for k, window in enumerate(self._windows)]
        self.weights, done = self.signed.windows(_descend, self.weights, tasks, self._bar)
        for k, (window, task) in enumerate(zip(self._windows, done, strict=True)):
            size, self._randoms[k] = window.stop - window.start, task.random
            self._active[window] = np.unpackbits(task.active, count=size)
            self.alphas[window] = 0.0
            self.alphas[window][task.places] = task.alphas
        self.off = max(task.off for task in done)
        self._bar = max(self.off, LEAST_BAR)

    def _task(self, k: int) -> Task:
        window = self._windows[k]
        places = np.flatnonzero(self.alphas[window])
        return Task(
            np.packbits(self._active[window]),
            places,
            self.alphas[window][places],
            np.flatnonzero(self._fixed[window]),
            self._randoms[k],
        )

    def everything(self) -> None:
        """Look at all rows again."""
        self._active, self._bar = self._inside.copy(), np.inf

    def heaviest(self, most: int) -> Places:
        """The rows with the largest multipliers."""
        heavy = np.argsort(-np.where(self._fixed, 0.0, self.alphas), kind="stable")[:most]
        return np.sort(heavy[self.alphas[heavy] > 0.0])

    @property
    def upper(self) -> float:
        """No separator has a larger margin, but for rounding."""
        return float(np.linalg.norm(self.weights) / self.alphas.sum())


def _descend(signed: Signed, weights: Vector, task: Task, bar: float) -> tuple[Vector, Task]:
    """One pass over those rows of a window that matter."""
    rows = signed.rows._replace(unit_length=signed.unit_length)
    squares = np.ones(signed.count) if signed.unit_length else signed.scan.squares
    alphas, fixed = np.zeros(signed.count), np.zeros(signed.count, np.bool_)
    alphas[task.places], fixed[task.fixed] = task.alphas, True
    order = np.flatnonzero(np.unpackbits(task.active, count=signed.count))
    _shuffle(order, task.random)
    kernel = compiled(_make_descend, ())
    state = order, len(order), alphas, weights, bar
    used, off = kernel(rows, signed.signs, squares, fixed, *state)
    active = np.zeros(signed.count, np.bool_)
    active[order[:used]] = True
    places = np.flatnonzero(alphas)
    return weights, Task(
        np.packbits(active), places, alphas[places], task.fixed, task.random, float(off)
    )


def _shuffle(order: Places, random: np.random.Generator) -> None:
    """A new order, in which neighbours in memory stay together: twice as fast as one at random, and
    as good.
    """
    blocks = order[: len(order) // TOGETHER * TOGETHER].reshape(-1, TOGETHER)
    random.shuffle(blocks, axis=0)
