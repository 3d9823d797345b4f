"""Soft margins: the minimum itself where columns are few, near it where they are many."""

import numpy as np
import pytest
import scipy.sparse

from novikoff.verdict.signed import Signed
from novikoff.verdict.soft_margin import SoftMarginProblem


def noisy_rows(seed, rows=60, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) * [1e-3, 1.0, 50.0, 1.0] + [0.0, 3.0, 0.0, -1.0]
    y = np.where(X[:, 1] + 0.5 * rng.standard_normal(rows) > 3.0, 1, 0)
    return X, y


def gradient(problem, found, penalty, costs):
    """Of the objective, in the units of the fit, at a fit in those of the data."""
    w = found.weights[:-1] / problem.units
    bias = found.weights[-1] + problem.centres @ found.weights[:-1]
    rows = problem.matrix if isinstance(problem.matrix, np.ndarray) else problem.matrix.toarray()
    rows = problem.signed.signs[:, None] * np.column_stack([rows, np.ones(len(rows))])
    lifted = np.append(w, bias)
    losses = np.maximum(0.0, 1.0 - rows @ lifted)
    return lifted - 2.0 * penalty * (costs * losses) @ rows


@pytest.mark.parametrize("penalty", [0.03, 3.0, 300.0])
@pytest.mark.parametrize("seed", range(3))
def test_few_columns_are_fitted_to_the_minimum(seed, penalty):
    X, y = noisy_rows(seed)
    costs = np.random.default_rng(seed).choice([0.0, 1.0, 2.5], len(y))
    problem = SoftMarginProblem(Signed.of(X, y))
    found = problem.fit(penalty, costs)
    size = penalty * costs.sum()
    assert np.abs(gradient(problem, found, penalty, costs)).max() < 1e-10 * size
    signed = Signed.of(X, y)
    scores = signed.scan.scores(found.weights)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-6, atol=1e-9)


def test_sparse_rows_are_fitted_nearly_to_the_minimum():
    X, y = noisy_rows(0)
    problem = SoftMarginProblem(Signed.of(scipy.sparse.csr_array(X), y))
    costs = np.ones(len(y))
    found = problem.fit(0.3, costs)
    assert np.abs(gradient(problem, found, 0.3, costs)).max() < 0.01 * 0.3 * len(y)


def test_rows_of_one_label_alone_have_no_fit():
    problem = SoftMarginProblem(Signed.of([[0.0], [1.0], [2.0]], [0, 1, 1]))
    assert problem.fit(1.0, np.array([0.0, 1.0, 1.0])) is None
