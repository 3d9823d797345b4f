"""The verdict, certificate included, against a linear program and against passes over the data.

The peer is HiGHS through `scipy.optimize.linprog`, asked whether any w has z . w >= 1 on all rows;
it answers in floating point and proves nothing. `check` always includes its certificate. The data
are made before anything is timed, from a fixed seed. Fixed effects are in `fixed_effects.py`, the
first run and those after it in `startup.py`.
"""

import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from harness import Line, faster, report, take_turns
from novikoff.verdict.signed import Signed

warnings.simplefilter("ignore", ConvergenceWarning)
MARGIN = 0.02
MINUTE = 60.0


def dense_data(rows, features, margin=MARGIN, flipped=0):
    rng = np.random.default_rng(0)
    u = rng.standard_normal(features)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((rows + rows // 5, features))
    X = np.ascontiguousarray(X[np.abs(X @ u) > margin][:rows])
    y = np.where(X @ u > 0, 1, -1)
    y[rng.choice(rows, flipped, replace=False)] *= -1
    return X, y


def text_data(rows=50_000, features=200_000, each=80):
    """Words by a steep law, as in text: the first thousand columns have a sixth of all entries."""
    rng = np.random.default_rng(0)
    columns = (features * rng.random((rows, each)) ** 3).astype(np.int32)
    values = np.abs(rng.standard_normal(rows * each))
    starts = np.arange(0, rows * each + 1, each)
    X = scipy.sparse.csr_matrix((values, columns.ravel(), starts), (rows, features))
    X.sum_duplicates()
    return X, np.where(X @ rng.standard_normal(features) > 0, 1, -1)


def highs(X, y):
    Z = np.hstack([X, np.ones((len(X), 1))]) * y[:, None]
    dim = Z.shape[1]
    return lambda: linprog(np.zeros(dim), -Z, -np.ones(len(Z)), bounds=(None, None))


def against_highs(title, wanted, turns, **data) -> Line:
    X, y = dense_data(20_000, 30, **data)
    contenders = {"check": lambda: nk.check(X, y), "highs": highs(X, y)}
    return Line(title, "HiGHS", wanted, faster(take_turns(contenders, turns), "check", "highs"))


def large_lines() -> list[Line]:
    X, y = dense_data(1_000_000, 20)
    signed = Signed.of(X, y)
    w = np.ones(21)
    contenders = {
        "sum": X.sum,
        "scan": lambda: signed.scan.lowest(w),
        "check": lambda: nk.check(X, y),
    }
    certificate = nk.check(X, y).certificate
    contenders["verify"] = lambda: nk.verify(certificate, X, y)
    seconds = take_turns(contenders, 7)
    scans = [300.0 * ratio for ratio in faster(seconds, "check", "scan")]
    return [
        Line("scan, 1,000,000 x 20", "NumPy's sum", None, faster(seconds, "scan", "sum")),
        Line("check, 1,000,000 x 20", "300 scans", 1.0, scans),
        Line("verify, 1,000,000 x 20", "NumPy's sum", 0.5, faster(seconds, "verify", "sum")),
    ]


def verify_wide_line() -> Line:
    X, y = dense_data(500_000, 100)
    certificate = nk.check(X, y).certificate
    seconds = take_turns({"sum": X.sum, "verify": lambda: nk.verify(certificate, X, y)}, 7)
    return Line("verify, 500,000 x 100", "NumPy's sum", 0.1, faster(seconds, "verify", "sum"))


def mixed_magnitudes(rows=80, features=20, largest=60):
    """Entries of any magnitude; the label is the sign of the first."""
    rng = np.random.default_rng(0)
    powers = 10.0 ** rng.uniform(-largest, largest, (rows, features))
    X = rng.choice([-1.0, 1.0], (rows, features)) * powers
    return X, np.sign(X[:, 0])


def planted_conflict(rows=2_000, features=300):
    """Separable rows, but for one: it is the mean of four others, with the other label."""
    X, y = dense_data(rows, features)
    X = np.round(X * 2.0**20) / 2.0**20  # so that the mean is exact
    X[0], y[0] = X[np.flatnonzero(y[1:] > 0)[:4] + 1].mean(axis=0), -1
    return X, y


def vandermonde(dim=40):
    """Powers of 1/dim, 2/dim, ..., 1, with alternating labels."""
    return np.vander(np.arange(1, dim + 1) / dim, dim), np.where(np.arange(dim) % 2, 1, -1)


def powers_of_two(dim=120, rows=480):
    """Rows of signs, labelled by the weights 2^i: by the last of them."""
    X = np.random.default_rng(0).choice([-1.0, 1.0], (rows, dim))
    return X, X[:, -1]


def hard_lines() -> list[Line]:
    """Data that are hard for their numbers or their width, against a number of seconds."""
    cases = (
        ("80 x 20, entries 10^-60 to 10^60", mixed_magnitudes(), 5.0),
        ("2,000 x 300, a planted conflict", planted_conflict(), 10.0),
        ("2,000 x 300, separable, the exact margin", dense_data(2_000, 300), 2.0),
        ("2,000 x 500 with 300 flipped labels", dense_data(2_000, 500, 0.0, 300), MINUTE),
        ("Vandermonde rows, d = 40", vandermonde(), None),
        ("weights 2^i, d = 120", powers_of_two(), None),
    )
    found = []
    for title, (X, y), limit in cases:
        seconds = take_turns({"check": partial(nk.check, X, y)}, 3)["check"]
        than = "a second" if limit is None else f"{limit:g} seconds"
        ratios = [(limit or 1.0) / each for each in seconds]
        found.append(Line(f"check, {title}", than, None if limit is None else 1.0, ratios))
    return found


def text_lines() -> list[Line]:
    X, y = text_data()
    contenders = {
        "epoch": lambda: nk.Perceptron(max_epochs=1).fit(X, y),
        "verdict": lambda: nk.check(X, y, precision=1.0),
        "margin": lambda: nk.check(X, y),
    }
    seconds = take_turns(contenders, 5)
    found = {
        name: [50 * r for r in faster(seconds, name, "epoch")] for name in ("verdict", "margin")
    }
    return [
        Line("check, text, the verdict alone", "50 epochs", 1.0, found["verdict"]),
        Line("check, text, and the margin to 1e-3", "50 epochs", 1.0, found["margin"]),
    ]


MEMORY = """
import sys
sys.path.insert(0, {here!r})
import numpy as np, novikoff as nk
from verdict import dense_data, peak_while
nk.check(*dense_data(1000, 20))
X, y = np.load({path!r} + "X.npy"), np.load({path!r} + "y.npy")
print(1.0 + peak_while(lambda: nk.check(X, y)) / X.nbytes)
"""


def peak_while(work):
    """The peak of this process's memory while work runs, above what it holds before, in bytes."""

    def read(name):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024

    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = read("VmRSS")
    work()
    return read("VmHWM") - before


def memory_line() -> Line:
    """Twice the data's memory over the peak while `check` runs, data included."""
    X, y = dense_data(1_000_000, 20)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/"
        np.save(path + "X.npy", X)
        np.save(path + "y.npy", y)
        script = MEMORY.format(here=str(Path(__file__).parent), path=path)
        runs = [
            subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
            for _ in range(3)
        ]
    return Line("twice the data", "peak memory", 1.0, [2.0 / float(run.stdout) for run in runs])


if __name__ == "__main__":
    report(
        "verdict",
        [
            against_highs("check, 20,000 x 30, margin 0.02", 5.0, 5),
            against_highs("the same with three flipped labels", 50.0, 5, flipped=3),
            *large_lines(),
            memory_line(),
            verify_wide_line(),
            *hard_lines(),
            *text_lines(),
        ],
    )
