"""Soft-margin separators, as suggestions: what most rows say, where a few say otherwise.

    minimise |w|^2 / 2 + C sum of cost * max(0, 1 - z . w)^2

over columns of about unit size (dense ones centred too, where there is a bias to take it up), so
that C means the same in all units. By Newton's method where columns are few, which ends at the
minimum itself; else by LIBLINEAR.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novikoff.learning.rows import matrix_of
from novikoff.verdict.exact.blas_threads import one_thread
from novikoff.verdict.scan import Signs, Vector
from novikoff.verdict.signed import Signed

MOST_PRODUCTS = 100_000_000  # of entries, in a step of Newton's method
MOST_STEPS, SHORTEST_STEP = 50, 1e-9


class SoftMargin(NamedTuple):
    """A fit: weights on the columns as given, the bias last; and the scores z . w of all rows."""

    weights: Vector
    scores: Vector


class SoftMarginProblem:
    """Rows in the units of the fit, of which several fits can be made."""

    def __init__(self, signed: Signed) -> None:
        self.signed = signed
        matrix: Any = matrix_of(signed.rows)
        sizes = signed.scan.maxima[: signed.features].copy()
        self.centres = np.zeros(signed.features)
        with np.errstate(all="ignore"):
            if scipy.sparse.issparse(matrix):
                self.units = _inverse(sizes)
                self.matrix: Any = matrix @ scipy.sparse.diags_array(self.units)
                squares = self.matrix.multiply(self.matrix).sum(axis=1)
            else:
                if signed.bias:
                    self.centres = np.nan_to_num(matrix.mean(axis=0, dtype=np.float64))
                self.matrix = np.ascontiguousarray(matrix - self.centres)
                sizes = np.sqrt(np.einsum("ij,ij->j", self.matrix, self.matrix) / len(self.matrix))
                self.units = _inverse(sizes)
                self.matrix *= self.units
                squares = np.einsum("ij,ij->i", self.matrix, self.matrix)
        self.squares: Vector = np.asarray(squares).ravel() + signed.bias
        self.entries = int(self.matrix.size)
        self.usable = bool(np.isfinite(self.squares).all())

    def fit(self, penalty: float, costs: Vector) -> SoftMargin | None:
        """The separator for a penalty C; None where rows of one label alone have any cost."""
        found = self.fits([penalty], costs)
        return found[0] if found else None

    def fits(self, penalties: Sequence[float], costs: Vector) -> list[SoftMargin]:
        """The separators for several C; none where rows of one label alone have any cost."""
        matrix, signs = self.matrix, self.signed.signs
        if not costs.all():
            kept = np.flatnonzero(costs)
            matrix, signs, costs = matrix[kept], signs[kept], costs[kept]
        if not self.usable or len(np.unique(signs)) < 2:
            return []
        solved = [self._solve(penalty, matrix, signs, costs) for penalty in penalties]
        scores = self.products(np.array([coefficients for coefficients, _ in solved]))
        found = []
        for (coefficients, bias), row in zip(solved, scores, strict=True):
            row += bias
            row *= self.signed.signs
            weights = coefficients * self.units
            if self.signed.bias:
                weights = np.append(weights, bias - (self.centres * weights).sum())
            found.append(SoftMargin(weights, row))
        return found

    def products(self, vectors: Any) -> Any:
        """The inner products of vectors, one in each row, with all rows: one line for each."""
        with one_thread():  # the rows are read once, whoever does it
            found = vectors @ self.matrix.T
        return found.toarray() if scipy.sparse.issparse(found) else found

    def _solve(
        self, penalty: float, matrix: Any, signs: Signs, costs: Vector
    ) -> tuple[Vector, float]:
        rows, columns = matrix.shape
        if not scipy.sparse.issparse(matrix) and rows * columns * columns <= MOST_PRODUCTS:
            lifted = np.column_stack([matrix, np.ones(rows)]) if self.signed.bias else matrix
            found = _newton(signs[:, None] * lifted, 2.0 * penalty * costs)
            return found[:columns], float(found[columns:].sum())
        from sklearn import config_context  # takes a while, and few verdicts need it
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            C=penalty, dual=rows < columns, fit_intercept=self.signed.bias, random_state=0, tol=1e-3
        )
        with (
            warnings.catch_warnings(),
            config_context(assume_finite=True, skip_parameter_validation=True),
        ):
            warnings.simplefilter("ignore")  # a fit that ends early is a suggestion too
            model.fit(matrix, signs, costs)
        bias = float(np.ravel(model.intercept_)[0])
        return np.asarray(model.coef_[0], np.float64), bias


def _newton(rows: Vector, costs: Vector) -> Vector:
    """The minimum of |w|^2 / 2 + sum of cost / 2 * max(0, 1 - row . w)^2.

    Between the same rows with a loss this is a least-squares problem: each step solves that of the
    rows that have a loss now, and is halved until it leads downwards.
    """
    weights, scores = np.zeros(rows.shape[1]), np.zeros(len(rows))
    with one_thread():
        for _ in range(MOST_STEPS):
            lossy = scores < 1.0
            near, weighted = rows[lossy], costs[lossy, None] * rows[lossy]
            target = np.linalg.solve(np.eye(len(weights)) + near.T @ weighted, weighted.sum(axis=0))
            direction, step = target - weights, 1.0
            change = rows @ direction
            now = _objective(weights, scores, costs)
            while not _objective(weights + step * direction, scores + step * change, costs) < now:
                step /= 2.0
                if step < SHORTEST_STEP:
                    return weights
            weights, scores = weights + step * direction, scores + step * change
            if step == 1.0 and np.array_equal(lossy, scores < 1.0):
                break
    return weights


def _objective(weights: Vector, scores: Vector, costs: Vector) -> float:
    losses = np.maximum(0.0, 1.0 - scores)
    return float(weights @ weights + costs @ (losses * losses)) / 2.0


def _inverse(sizes: Vector) -> Vector:
    """1 / size; 1 for a column that has none."""
    return np.where((sizes > 0.0) & (sizes < np.inf), 1.0 / sizes, 1.0)
