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
        Line("CSR fit of one epoch", "scikit-learn's", 2.5, faster(seconds, "fit", "peer")),
        Line("CSR float32 epoch", "float64's", 1.0, faster(seconds, "float32", "pass")),
        Line("CSR averaged epoch", "plain", 1 / 1.3, faster(seconds, "averaged", "pass")),
    ]


#: rows, features, non-zeros a row (0: dense), epochs, share of flipped labels
GRID = (
    (1_000, 20, 0, 100, 0.1),
    (5_000, 1_000, 10, 100, 0.1),
    (5_000, 100, 0, 50, 0.1),
    (11_000, 56_000, 150, 10, 0.1),
    (20_000, 30, 0, 20, 0.05),
    (100_000, 10_000, 30, 5, 0.05),
    (200_000, 50, 0, 5, 0.05),
    (1_000_000, 1_000, 10, 1, 0.01),
)


def flipped(X, share: float):
    """Labels by a hyperplane, but for this share of them."""
    rng = np.random.default_rng(5)
    y = np.where(X @ rng.standard_normal(X.shape[1]) > 0, 1, -1)
    return np.where(rng.random(len(y)) < share, -y, y)


def grid_line(rows: int, features: int, each: int, epochs: int, share: float) -> Line:
    """A whole fit against scikit-learn's, overhead included."""
    if each:
        X, _ = sparse_data(rows, features, each)
    else:
        X = np.random.default_rng(6).standard_normal((rows, features))
    y = flipped(X, share)
    seconds = take_turns(
        {
            "fit": lambda: nk.Perceptron(max_epochs=epochs, stop="budget").fit(X, y),
            "peer": lambda: Peer(max_iter=epochs, shuffle=False, tol=None).fit(X, y),
        },
        REPEATS,
    )
    what = f"{each} non-zeros a row" if each else "dense"
    title = f"fit, {rows:,} x {features:,}, {what}, epochs: {epochs}"
    return Line(title, "scikit-learn's", 1.5, faster(seconds, "fit", "peer"))


if __name__ == "__main__":
    grid = [grid_line(*shape) for shape in GRID]
    report("epochs", dense_lines() + sparse_lines() + grid)
