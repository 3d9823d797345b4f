"""Separable or not, for certain, and nothing else: for deciding thousands of labellings.

A separator is proven by one scan with a bound on its rounding errors (`verdict.search`). That rows
cancel out with positive multipliers, sum lambda z = 0, is shown here without solving for them: with
one row b and as many others as there are coordinates, the columns of a square matrix M, they are
the solution of M lambda = -b. For any R, usually an approximate inverse, and any guess g,

    |I - R M| <= alpha < 1    implies    |lambda - g| <= |R (M g + b)| / (1 - alpha)

in the maximum norm (Krawczyk, Rump). If that is less than every entry of g, all of lambda is
positive. Both norms are bounded with all their roundings. What this leaves open is solved exactly.
"""

import numpy as np
import numpy.typing as npt

from novikoff.verdict.scan import UNIT
from novikoff.verdict.search.min_norm_point import ZERO
from novikoff.verdict.search.points import ColumnScaling
from novikoff.verdict.search.search import ALL_ROWS, Search
from novikoff.verdict.signed import Signed

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

SAFE = 1e-100, 1e100  # sizes whose products neither overflow nor vanish


def separable(signed: Signed) -> bool:
    """Whether some hyperplane has every row strictly on its side."""
    search = Search(signed)
    scaling = ColumnScaling.equalized(signed.scan.maxima)
    found = search.suggest(search.points(scaling, ALL_ROWS), ALL_ROWS)
    if found.status == ZERO:
        if signed.exact is None and cancels(signed.dense(found.rows), found.multipliers):
            return False
    elif found.weights.any() and search.separates(found.weights, ALL_ROWS):
        return True
    solution = search.solve_exactly(scaling, ALL_ROWS, found.rows, found.multipliers)
    return solution.weights is not None


def cancels(rows: Matrix, multipliers: Vector) -> bool:
    """Whether rows, one more than coordinates, certainly cancel out with positive multipliers;
    False if that cannot be told. `multipliers` are about those.
    """
    if len(rows) != rows.shape[1] + 1 or not _is_safe(rows) or not multipliers[-1] > 0.0:
        return False
    M, b = rows[:-1].T, rows[-1]
    try:
        R = np.asarray(np.linalg.inv(M), np.float64)
    except np.linalg.LinAlgError:
        return False
    guess = multipliers[:-1] / multipliers[-1]
    for _ in range(2):
        guess = guess - R @ (M @ guess + b)
    return _is_safe(R) and _is_safe(guess) and _error(M, b, R, guess) < float(guess.min())


def _is_safe(numbers: Matrix) -> bool:
    sizes = np.abs(numbers[numbers != 0.0])
    return bool(((sizes > SAFE[0]) & (sizes < SAFE[1])).all())


def _error(M: Matrix, b: Vector, R: Matrix, guess: Vector) -> float:
    """A bound on |lambda - guess|; infinite where there is none."""
    # |computed - exact| <= growth * the same with absolute values, for a sum of so many products in
    # any order; doubled, it covers the roundings of the bound itself
    growth = 2.0 * (len(b) + 4) * UNIT
    sizes, inverse = np.abs(M), np.abs(R)
    off = np.abs(R @ M - np.eye(len(b))) + growth * (inverse @ sizes + np.eye(len(b)))
    rest = np.abs(M @ guess + b) + growth * (sizes @ np.abs(guess) + np.abs(b))
    alpha = float(off.sum(axis=1).max()) * (1.0 + growth)
    if not alpha < 0.5:
        return np.inf
    return float((inverse @ rest).max()) * (1.0 + 2.0 * growth) / (1.0 - alpha) * (1.0 + growth)
