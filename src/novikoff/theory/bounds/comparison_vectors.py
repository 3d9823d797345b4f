"""The search for comparison vectors, in floating point: its results are suggestions only.

The soft bounds are functions of a vector v, through the length of v and the scores of the rows. In
units in which the longest row has the length 1, with s = z . v and t = 1 - s:

    squared losses   m = |v| + sqrt(passes sum max(0, t)^2)                   convex
    hinge losses     m = (|v| + sqrt(|v|^2 + 4 L)) / 2, L = passes sum max(0, t)    quasi-convex

and the bound is m^2. Both are minimised by L-BFGS, the hinge rounded off at its corner, less and
less. Each coordinate is scaled by what the rows have there, so that units matter little; the rows
stay as they lie in memory.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from novikoff.learning.rows import matrix_of
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import Signed

CORNERS = (0.3, 0.03, 0.003)  # how far the hinge is rounded off
EVALUATIONS = 40  # of an objective, for each corner; each is two passes over the rows
MEMORY = 20  # steps that L-BFGS remembers
ENOUGH = 1e-6  # of the value, in one step: less is not worth two passes
TINY = 1e-12  # squared, it keeps the roots differentiable


@dataclass(frozen=True)
class Squared:
    """m = |v| + sqrt(passes sum max(0, t)^2)."""

    passes: int
    corners: ClassVar = (0.0,)  # it has none

    def value(self, size: float, scores: Vector) -> float:
        """m."""
        left = np.maximum(1.0 - scores, 0.0)
        return size + math.sqrt(self.passes * float(left @ left))

    def slopes(self, size: float, scores: Vector, corner: float) -> tuple[float, float, Vector]:
        """m, and its derivatives by |v| and by each score."""
        left = np.maximum(1.0 - scores, 0.0)
        loss = math.sqrt(self.passes * float(left @ left) + TINY)
        return size + loss, 1.0, left * (-self.passes / loss)


@dataclass(frozen=True)
class Hinge:
    """m = (|v| + sqrt(|v|^2 + 4 L)) / 2, L = passes sum max(0, t)."""

    passes: int
    corners: ClassVar = CORNERS

    def value(self, size: float, scores: Vector) -> float:
        """m."""
        loss = self.passes * float(np.maximum(1.0 - scores, 0.0).sum())
        return (size + math.sqrt(size * size + 4.0 * loss)) / 2.0

    def slopes(self, size: float, scores: Vector, corner: float) -> tuple[float, float, Vector]:
        """m, and its derivatives; m^2 = m |v| + L, so that (2 m - |v|) dm = m d|v| + dL.

        L has the hinge t rounded off: t^2 / (2 corner) up to the corner, then t - corner / 2.
        """
        left = np.maximum(1.0 - scores, 0.0)
        bent = np.minimum(left, corner)
        loss = self.passes * float((bent * (left - bent / 2.0)).sum()) / corner
        root = math.sqrt(size * size + 4.0 * loss + TINY)
        m = (size + root) / 2.0
        return m, m / root, bent * (-self.passes / (corner * root))


Objective = Squared | Hinge


class ScaledRows:
    """Signed rows, scaled so that the longest has the length 1; their products with vectors."""

    def __init__(self, signed: Signed, radius: float) -> None:
        self.bias, self.count = signed.bias, signed.count
        self.matrix: Any = matrix_of(signed.rows)
        self.factors = signed.signs / radius
        if signed.unit_length:
            squares = signed.scan.squares
            to_unit = 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))
            self.factors = signed.signs * to_unit

    def scores(self, vector: Vector) -> Vector:
        """z . v for each row."""
        inner = np.asarray(self.matrix @ self._as_dtype(vector[: self.matrix.shape[1]]), np.float64)
        return (inner + vector[-1] if self.bias else inner) * self.factors

    def weighted_sum(self, amounts: Vector) -> Vector:
        """The sum of amount * row."""
        amounts = amounts * self.factors
        total = np.asarray(self.matrix.T @ self._as_dtype(amounts), np.float64)
        return np.append(total, amounts.sum()) if self.bias else total

    def _as_dtype(self, vector: Vector) -> npt.NDArray[Any]:
        """The vector in the matrix's own precision, so that a matrix of float32 is not copied."""
        return vector.astype(self.matrix.dtype, copy=False)

    def column_squares(self) -> Vector:
        """The sum of squares of each coordinate."""
        weights = self.factors * self.factors
        if isinstance(self.matrix, np.ndarray):
            total = np.einsum("i,ij,ij->j", self._as_dtype(weights), self.matrix, self.matrix)
        else:
            each = np.repeat(weights, np.diff(self.matrix.indptr))
            squares = each * self.matrix.data * self.matrix.data
            total = np.bincount(self.matrix.indices, squares, self.matrix.shape[1])
        total = np.asarray(total, np.float64)
        return np.append(total, weights.sum()) if self.bias else total


def candidate_vectors(
    signed: Signed, radius: float, objective: Objective, starts: Iterable[Vector]
) -> list[Vector]:
    """Vectors that make the objective small: each start at its best length, and the minimum found
    from the best of them. On rows that are beyond floating point there may be none.
    """
    with np.errstate(all="ignore"):
        rows = ScaledRows(signed, radius)
        tried = [rows.weighted_sum(np.ones(rows.count)), *(start * radius for start in starts)]
        found = [each for start in tried for each in _best_lengths(rows, objective, start)]
        if not found:
            return []
        values = [objective.value(_size(each), rows.scores(each)) for each in found]
        best = _minimize(rows, objective, found[int(np.argmin(values))])
        found += _best_lengths(rows, objective, best)
        vectors = [each / radius for each in found]
        return [each for each in vectors if np.isfinite(each).all()]


def _size(vector: Vector) -> float:
    return float(np.linalg.norm(vector))


def _best_lengths(rows: ScaledRows, objective: Objective, vector: Vector) -> list[Vector]:
    """The vector at its best length and, if it separates the rows, just long enough for that."""
    from scipy.optimize import minimize_scalar  # slow to import

    size = _size(vector)
    if not 0.0 < size < math.inf:
        return []
    direction = vector / size
    scores = rows.scores(direction)
    low = float(scores.min())
    # at length 0 the objective is the root of the rows' number, and it is never below the length
    most = math.sqrt(rows.count * objective.passes)
    try:
        best = minimize_scalar(
            lambda length: objective.value(length, length * scores),
            bounds=(0.0, most),
            method="bounded",
            options={"xatol": 1e-9 * most},
        ).x
    except (ValueError, OverflowError):  # not a number
        return []
    return [direction * length for length in (float(best), 1.0 / low if low > 0.0 else 0.0)]


def _minimize(rows: ScaledRows, objective: Objective, start: Vector) -> Vector:
    """The vector that L-BFGS comes to from a start."""
    from scipy.optimize import minimize

    scales = 1.0 / np.sqrt(1.0 + rows.column_squares())
    if not np.isfinite(scales).all():
        return start

    def value(point: Vector, corner: float) -> tuple[float, Vector]:
        vector = scales * point
        size = math.sqrt(float(vector @ vector) + TINY)
        m, by_size, by_score = objective.slopes(size, rows.scores(vector), corner)
        gradient = by_size * vector / size + rows.weighted_sum(by_score)
        return (m, scales * gradient) if np.isfinite(m) else (math.inf, np.zeros_like(point))

    point = start / scales
    for corner in objective.corners:
        point = minimize(
            value,
            point,
            args=(corner,),
            jac=True,
            method="L-BFGS-B",
            options={"maxfun": EVALUATIONS, "maxcor": MEMORY, "ftol": ENOUGH},
        ).x
    return np.asarray(scales * point)
