"""Columns that separate by themselves: all their entries are on one side.

If no row is negative in a column (times 1 or -1), and none that must stay on the hyperplane uses
it, then the column's own direction has every row that uses it strictly on its side, and no row on
the wrong one: a level of a factor whose rows all have one label, a word of one class only. Those
rows are done, and among the others there may be further such columns.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse

from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import Indices, Mask, Vector


class Round(NamedTuple):
    """Columns found at one time, the sign of each, and the rows that they separate."""

    columns: Indices
    signs: npt.NDArray[np.int64]
    rows: Indices


class OneSidedColumns:
    """All rounds of such columns, and the rows that are left."""

    def __init__(self, matrix: scipy.sparse.csr_array, held: Mask) -> None:
        self._matrix = matrix
        self.left = ~held
        self.rounds: list[Round] = []
        width = matrix.shape[1]
        owners = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        blocked = np.bincount(matrix.indices[held[owners]], minlength=width) > 0
        entries = np.flatnonzero(self.left[owners] & (matrix.data != 0.0))
        while True:
            columns, signs = matrix.indices[entries], np.sign(matrix.data[entries])
            counts = np.bincount(columns, minlength=width)
            sums = np.bincount(columns, signs, minlength=width).astype(np.int64)
            found = np.flatnonzero(~blocked & (counts > 0) & (np.abs(sums) == counts))
            if not found.size:
                return
            blocked[found] = True
            rows = np.unique(owners[entries[np.isin(columns, found)]])
            self.rounds.append(Round(found, np.sign(sums[found]), rows))
            self.left[rows] = False
            entries = entries[self.left[owners[entries]]]

    def add_to(self, weights: Rational) -> Rational | None:
        """Weights that have the rows of all rounds strictly on their sides too; None where doubles
        cannot say how large they must be.

        From the last round to the first: a multiple of the round's columns, large enough for its
        rows, changes no row of later ones.
        """
        tops, bottom = list(weights.numerators), weights.denominator
        for columns, signs, rows in reversed(self.rounds):
            part = self._matrix[rows]
            direction = np.zeros(self._matrix.shape[1])
            direction[columns] = signs
            doubles = _as_doubles(tops, bottom)
            if doubles is None:
                return None
            with np.errstate(over="ignore", invalid="ignore"):
                scores, gains = part @ doubles, part @ direction
                needed = float(np.max(-scores / gains, initial=0.0))
            if not needed < math.inf:
                return None
            times = max(1, math.ceil(2.0 * needed) + 1)
            for column, sign in zip(columns.tolist(), signs.tolist(), strict=True):
                tops[column] += sign * times * bottom
        return Rational(tops, bottom)


def _as_doubles(tops: list[int], bottom: int) -> Vector | None:
    try:
        return np.array([top / bottom for top in tops])
    except OverflowError:
        return None
