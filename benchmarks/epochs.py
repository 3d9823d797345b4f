"""One epoch against scikit-learn's, and against merely summing the same matrix.

The data are made before anything is timed, from a fixed seed. The dense rows separate with a small
margin, so that few mistakes are made and the pass over the rows is what is measured. The sparse
ones are the hard case: columns all over the weights, and a quarter of the rows mistakes.
"""

import warnings

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer

import novikoff as nk
from harness import Line, faster, report, take_turns
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Averaged, Perceptron

REPEATS = 11
warnings.simplefilter("ignore", ConvergenceWarning)


def dense_data(rows: int = 1_000_000, features: int = 100):
    rng = np.random.default_rng(0)
    u = rng.standard_normal(features)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((rows, features))
    y = np.where(X @ u > 0, 1, -1)
    X += np.outer(0.2 * y, u)
    return X, y


def sparse_data(rows: int = 500_000, features: int = 100_000, each: int = 60):
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, features - each, (rows, each)), axis=1) + np.arange(each)
    values = rng.standard_normal(rows * each)
    starts = np.arange(0, rows * each + 1, each)
    X = scipy.sparse.csr_matrix(
        (values, columns.ravel().astype(np.int32), starts), (rows, features)
    )
    return X, np.where(X @ rng.standard_normal(features) > 0, 1, -1)


def one_pass(rule, matrix, y, measure=False):
    """A pass of the loop alone, from zero weights, over rows that are wrapped already."""
    rows, codes = make_rows(matrix, True, False), (y > 0).astype(np.uint16)
    return lambda: Learner(rule, matrix.shape[1]).read(rows, codes, measure=measure)


def dense_lines() -> list[Line]:
    X, y = dense_data()
    narrow = X.astype(np.float32)
    seconds = take_turns(
        {
            "sum": X.sum,
            "pass": one_pass(Perceptron(), X, y),
            "first pass": one_pass(Perceptron(), X, y, measure=True),
            "averaged": one_pass(Averaged(Perceptron()), X, y),
            "float32": one_pass(Perceptron(), narrow, y),
            "fit": lambda: nk.Perceptron(max_epochs=1).fit(X, y),
            "peer": lambda: Peer(max_iter=1, shuffle=False, tol=None).fit(X, y),
        },
        REPEATS,
    )
    return [
        Line("dense epoch", "NumPy's sum of the matrix", 0.75, faster(seconds, "pass", "sum")),
        Line(
            "dense first epoch, which checks too",
            "that sum",
            None,
            faster(seconds, "first pass", "sum"),
        ),
        Line("dense fit of one epoch", "scikit-learn's", 3.0, faster(seconds, "fit", "peer")),
        Line("dense float32 epoch", "float64's", 1.0, faster(seconds, "float32", "pass")),
        Line("dense averaged epoch", "plain", 1 / 1.3, faster(seconds, "averaged", "pass")),
    ]


def sparse_lines() -> list[Line]:
    X, y = sparse_data()
    narrow = X.astype(np.float32)
    seconds = take_turns(
        {
            "pass": one_pass(Perceptron(), X, y),
            "first pass": one_pass(Perceptron(), X, y, measure=True),
            "averaged": one_pass(Averaged(Perceptron()), X, y),
            "float32": one_pass(Perceptron(), narrow, y),
            "fit": lambda: nk.Perceptron(max_epochs=1).fit(X, y),
            "peer": lambda: Peer(max_iter=1, shuffle=False, tol=None).fit(X, y),
        },
        REPEATS,
    )
    return [
        Line(
            "CSR first epoch, which checks too",
            "scikit-learn's fit",
            1.5,
            faster(seconds, "first pass", "peer"),
        ),
        Line("CSR fit of one epoch", "scikit-learn's", 1.5, faster(seconds, "fit", "peer")),
        Line("CSR float32 epoch", "float64's", 1.0, faster(seconds, "float32", "pass")),
        Line("CSR averaged epoch", "plain", 1 / 1.3, faster(seconds, "averaged", "pass")),
    ]


if __name__ == "__main__":
    report("epochs", dense_lines() + sparse_lines())
