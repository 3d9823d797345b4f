"""From files to models: against Vowpal Wabbit, scikit-learn, pandas, PyArrow and bare unpacking.

The files are made before anything is timed, from a fixed seed, and read from the system's cache of
them. One pass is `fit` of one epoch on what `nk.open` returned: bytes to model. Each peer does the
same job its own way: Vowpal Wabbit learns from the same examples in its own format, scikit-learn
loads and fits, pandas and PyArrow read and hand over to this very library's epoch in memory.
"""

import gzip
import tempfile
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import vowpalwabbit
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer

import novikoff as nk
from harness import Line, faster, report, take_turns
from novikoff.data.cache import ensure_cache
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Perceptron

REPEATS = 7
ROWS, FEATURES, EACH = 200_000, 100_000, 60
COLUMNS, TABLE_ROWS = 30, 400_000
VW = "--loss_function hinge --sgd --noconstant --quiet --no_stdin"
warnings.simplefilter("ignore", ConvergenceWarning)


def write_sparse(folder: Path) -> None:
    """The same rows as svmlight, as VW's text, and as gzip around the first."""
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(1, FEATURES - EACH, (ROWS, EACH)), axis=1) + np.arange(EACH)
    values = rng.random((ROWS, EACH))
    labels = np.where((values * np.sin(columns)).sum(axis=1) > 0, 1, -1)
    with (folder / "a.svm").open("w") as svm, (folder / "a.vw").open("w") as vw:
        for label, js, vs in zip(labels.tolist(), columns.tolist(), values.tolist(), strict=True):
            pairs = " ".join([f"{j}:{v:.6f}" for j, v in zip(js, vs, strict=True)])
            svm.write(f"{label} {pairs}\n")
            vw.write(f"{label} | {pairs}\n")
    packed = gzip.compress((folder / "a.svm").read_bytes(), compresslevel=6)
    (folder / "a.svm.gz").write_bytes(packed)


def write_table(folder: Path) -> None:
    """The same rows as CSV and as Parquet."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal((TABLE_ROWS, COLUMNS)).round(6)
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(COLUMNS)])
    frame["y"] = np.where(values @ rng.standard_normal(COLUMNS) > 0, 1, -1)
    frame.to_csv(folder / "a.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), folder / "a.parquet")


def one_pass(path: Path, **options):
    def call():
        return nk.Perceptron(max_epochs=1, fit_intercept=False).fit(nk.open(path, **options))

    return call


def vw_pass(path: Path):
    def call():
        vowpalwabbit.Workspace(f"{VW} -d {path}").finish()

    return call


def sklearn_pass(path: Path):
    def call():
        X, y = load_svmlight_file(str(path))
        X.indices, X.indptr = (each.astype(np.int32) for each in (X.indices, X.indptr))
        return Peer(max_iter=1, shuffle=False, tol=None, fit_intercept=False).fit(X, y)

    return call


def epoch_over(matrix, codes):
    rows = make_rows(matrix, False, False)
    return lambda: Learner(Perceptron(), matrix.shape[1], bias=False).read(
        rows, codes, measure=False
    )


def unpacked(path: Path):
    """Nothing but zlib, in large pieces."""

    def call():
        unpack, size = zlib.decompressobj(31), 0
        with path.open("rb") as file:
            while packed := file.read(2**18):
                while packed:
                    size += len(unpack.decompress(packed, 2**20))
                    packed = unpack.unconsumed_tail
        return size

    return call


def sparse_lines(folder: Path) -> list[Line]:
    svm = folder / "a.svm"
    held, mapped = nk.open(svm).read(), ensure_cache(nk.open(svm))
    codes = (held.y > 0).astype(np.uint16)
    seconds = take_turns(
        {
            "pass": one_pass(svm),
            "vw": vw_pass(folder / "a.vw"),
            "sklearn": sklearn_pass(svm),
            "cached epoch": epoch_over(mapped.read().X, mapped.codes),
            "epoch": epoch_over(held.X, codes),
            "gzip": one_pass(folder / "a.svm.gz"),
            "unpacking": unpacked(folder / "a.svm.gz"),
            "vw text": one_pass(folder / "a.vw"),
            "hashed vw text": one_pass(folder / "a.vw", hash_bits=18),
        },
        REPEATS,
    )
    return [
        Line("svmlight to model", "Vowpal Wabbit's pass", 2.0, faster(seconds, "pass", "vw")),
        Line("the same", "scikit-learn's load and fit", 15.0, faster(seconds, "pass", "sklearn")),
        Line("epoch from the cache", "in memory", 0.6, faster(seconds, "cached epoch", "epoch")),
        Line("gzip to model", "zlib's unpacking", 1 / 1.2, faster(seconds, "gzip", "unpacking")),
        Line("VW text to model", "Vowpal Wabbit's pass", 2.0, faster(seconds, "vw text", "vw")),
        Line("the same, hashed", "that pass", None, faster(seconds, "hashed vw text", "vw")),
    ]


def by_pandas(path: Path):
    """Read with pandas, then fit."""

    def run():
        read = pd.read_csv(path)
        model = nk.Perceptron(max_epochs=1, fit_intercept=False)
        return model.fit(read.drop(columns="y").to_numpy(), read["y"].to_numpy())

    return run


def by_arrow(path: Path):
    """Read with PyArrow, make the columns a matrix, and learn for an epoch."""

    def run():
        table = pq.read_table(path)
        columns = [column.to_numpy() for column in table.drop_columns("y").columns]
        epoch_over(np.column_stack(columns), table["y"].to_numpy().astype(np.uint16))()

    return run


def table_lines(folder: Path) -> list[Line]:
    frame = pd.read_csv(folder / "a.csv")
    X, y = np.ascontiguousarray(frame.drop(columns="y")), frame["y"].to_numpy()
    epoch, pandas_pass = epoch_over(X, (y > 0).astype(np.uint16)), by_pandas(folder / "a.csv")

    def arrow_read():
        pq.read_table(folder / "a.parquet")
        epoch()

    def one_thread():
        with pd.option_context("mode.max_threads", 1):
            return pandas_pass()

    seconds = take_turns(
        {
            "csv": one_pass(folder / "a.csv"),
            "pandas": pandas_pass,
            "pandas, one thread": one_thread,
            "parquet": one_pass(folder / "a.parquet"),
            "pyarrow": by_arrow(folder / "a.parquet"),
            "pyarrow alone": arrow_read,
        },
        REPEATS,
    )
    wanted = (
        ("CSV to model", "csv", "pandas, then fit", "pandas", 3.0),
        ("the same", "csv", "pandas with one thread, then fit", "pandas, one thread", None),
        (
            "Parquet to model",
            "parquet",
            "PyArrow's read as a matrix, and an epoch",
            "pyarrow",
            1.0,
        ),
        ("the same", "parquet", "that without making the matrix", "pyarrow alone", 0.8),
    )
    return [
        Line(what, than, ratio, faster(seconds, one, other))
        for what, one, than, other, ratio in wanted
    ]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sparse(folder)
        write_table(folder)
        report("streams", sparse_lines(folder) + table_lines(folder))


if __name__ == "__main__":
    main()
