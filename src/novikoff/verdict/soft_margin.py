"""Soft-margin separators, as suggestions: what most rows say, where a few say otherwise.

    minimise |w|^2 / 2 + C sum of cost * max(0, 1 - z . w)^2

by LIBLINEAR, over columns of about unit size (dense ones centred too, where there is a bias to take
it up), so that C means the same in all units. At the minimum w = sum a z with the multipliers
a = 2 C cost max(0, 1 - z . w): how hard each row pulls.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novikoff.learning.rows import matrix_of
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import Signed


class SoftMargin(NamedTuple):
    """A fit: weights on the columns as given, the bias last; scores z . w and multipliers."""

    weights: Vector
    scores: Vector
    multipliers: Vector


class SoftMarginProblem:
    """Rows in the units of the fit, of which several fits can be made."""

    def __init__(self, signed: Signed) -> None:
        self.signed = signed
        matrix: Any = matrix_of(signed.rows)
        sizes = signed.scan.maxima[: signed.features].copy()
        self.centres = np.zeros(signed.features)
        with np.errstate(all="ignore"):
            if not scipy.sparse.issparse(matrix):
                if signed.bias:
                    self.centres = np.nan_to_num(matrix.mean(axis=0, dtype=np.float64))
                sizes = np.sqrt(((matrix - self.centres) ** 2).mean(axis=0))
            self.units = np.where((sizes > 0.0) & (sizes < np.inf), 1.0 / sizes, 1.0)
            if scipy.sparse.issparse(matrix):
                self.matrix: Any = matrix @ scipy.sparse.diags_array(self.units)
            else:
                self.matrix = (matrix - self.centres) * self.units
        values = self.matrix.data if scipy.sparse.issparse(self.matrix) else self.matrix
        self.usable = bool(np.isfinite(values).all())
        squares = self.matrix.multiply(self.matrix) if self._sparse else self.matrix**2
        self.squares: Vector = np.asarray(squares.sum(axis=1)).ravel() + signed.bias

    @property
    def _sparse(self) -> bool:
        return bool(scipy.sparse.issparse(self.matrix))

    def fit(self, penalty: float, costs: Vector | None = None) -> SoftMargin | None:
        """The separator for a penalty C; None where rows of one label alone have any cost."""
        costs = np.ones(self.signed.count) if costs is None else costs
        signs = self.signed.signs
        if not self.usable or len(np.unique(signs[costs > 0.0])) < 2:
            return None
        coefficients, bias = self._solve(penalty, costs)
        scores = signs * (self.matrix @ coefficients + bias)
        multipliers = 2.0 * penalty * costs * np.maximum(0.0, 1.0 - scores)
        weights = coefficients * self.units
        if self.signed.bias:
            weights = np.append(weights, bias - self.centres @ weights)
        return SoftMargin(weights, scores, multipliers)

    def _solve(self, penalty: float, costs: Vector) -> tuple[Vector, float]:
        from sklearn import config_context  # takes a while, and few verdicts need it
        from sklearn.svm import LinearSVC

        wide = self.matrix.shape[0] < self.matrix.shape[1]
        model = LinearSVC(
            C=penalty, dual=wide, fit_intercept=self.signed.bias, random_state=0, tol=1e-3
        )
        matrix, signs = self.matrix, self.signed.signs
        if not costs.all():
            kept = np.flatnonzero(costs)
            matrix, signs, costs = matrix[kept], signs[kept], costs[kept]
        with (
            warnings.catch_warnings(),
            config_context(assume_finite=True, skip_parameter_validation=True),
        ):
            warnings.simplefilter("ignore")  # a fit that ends early is a suggestion too
            model.fit(matrix, signs, costs)
        bias = float(np.ravel(model.intercept_)[0])
        return np.asarray(model.coef_[0], np.float64), bias
