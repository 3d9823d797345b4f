"""The max-margin separator of very wide rows, one row at a time: dual coordinate descent.

    minimise |w|^2 / 2 - sum a    over a >= 0,  with  w = sum a_i z_i
    a_i <- max(0, a_i - (z_i . w - 1) / |z_i|^2),  and w with it

(Hsieh et al. 2008, without an upper bound on a.) At the minimum w / |w|^2 is the nearest point of
the hull. On the way any a bounds the margin from above, by |sum a z| / sum a, and any w from below.
An active-set method needs the inner products of all rows in the support, of which text has too
many.
"""

from typing import Any

import numpy as np

from novikoff.loop import compiled
from novikoff.rows import add_scaled, dot, row_at
from novikoff.signed import Signed
from novikoff.verdict.nearest import Places
from novikoff.verdict.search import Face

LEAST_BAR = 1e-9
TOGETHER = 16  # rows
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


class Descent:
    """The state: multipliers and w = sum of multipliers * z (of unit length, where asked)."""

    def __init__(self, signed: Signed, face: Face) -> None:
        self.signed = signed
        self.alphas, self.weights = np.zeros(signed.count), np.zeros(signed.dim)
        self.off = np.inf  # how far the furthest row was from where it should be
        self._fixed = np.zeros(signed.count, np.bool_)
        self._fixed[face.on_all] = True
        inside = ~face.out_of if face.out_of.size else np.ones(signed.count, np.bool_)
        self._order = np.flatnonzero(inside | self._fixed)
        self._used, self._bar = len(self._order), np.inf
        self._random = np.random.default_rng(0)

    def epoch(self) -> None:
        """One pass over the rows that matter."""
        signed = self.signed
        rows = signed.rows._replace(unit_length=signed.unit_length)
        squares = np.ones(signed.count) if signed.unit_length else signed.scan.squares
        self._shuffle()
        state = self._order, self._used, self.alphas, self.weights, self._bar
        kernel = compiled(_make_descend, ())
        self._used, self.off = kernel(rows, signed.signs, squares, self._fixed, *state)
        self._bar = max(self.off, LEAST_BAR)

    def _shuffle(self) -> None:
        """A new order, in which neighbours in memory stay together: twice as fast as one at random,
        and as good.
        """
        order = self._order[: self._used]
        order.sort()
        blocks = order[: len(order) // TOGETHER * TOGETHER].reshape(-1, TOGETHER)
        self._random.shuffle(blocks, axis=0)

    def everything(self) -> None:
        """Look at all rows again."""
        self._used, self._bar = len(self._order), np.inf

    def heaviest(self, most: int) -> Places:
        """The rows with the largest multipliers."""
        heavy = np.argsort(-np.where(self._fixed, 0.0, self.alphas), kind="stable")[:most]
        return np.sort(heavy[self.alphas[heavy] > 0.0])

    @property
    def upper(self) -> float:
        """No separator has a larger margin, but for rounding."""
        return float(np.linalg.norm(self.weights) / self.alphas.sum())
