"""Built-in data are what their descriptions say, and start quickly."""

import subprocess
import sys

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import novikoff.data as sources
from novikoff.data import EXAMPLES
from novikoff.errors import DataError
from tests.helpers.chunks import bits, check_chunk, same_rows, together

NAMES = ["and", "or", "xor", "iris-setosa", "iris-versicolor", "wdbc", "digits-8", "disjunction",
         "separable", "tight"]  # fmt: skip


def signs(y: np.ndarray) -> np.ndarray:
    """Labels as -1 and +1, in sorted order."""
    low, high = np.unique(y)
    assert low != high
    return np.where(y == high, 1, -1)


def a_plane_separates(X: np.ndarray, y: np.ndarray) -> bool:
    lifted = np.column_stack([X / np.abs(X).max(axis=0).clip(1e-9), np.ones(len(X))])
    signed = lifted * signs(y)[:, None]
    found = linprog(
        np.zeros(signed.shape[1]), A_ub=-signed, b_ub=-np.ones(len(signed)), bounds=(None, None)
    )
    assert found.status in (0, 2)
    return bool(found.status == 0)


def test_the_list_is_complete() -> None:
    assert list(EXAMPLES) == NAMES
    assert all(entry.name == name for name, entry in EXAMPLES.items())


@pytest.mark.parametrize("name", NAMES)
def test_every_example_keeps_the_promises_of_its_entry(name: str) -> None:
    source = sources.open(f"example:{name}")
    chunk = source.read()
    check_chunk(chunk)
    assert source.name == f"example:{name}"
    assert len(source.feature_names) == chunk.X.shape[1]
    assert source.target_name
    assert same_rows(chunk, together(source, 7))
    assert a_plane_separates(chunk.X, chunk.y) == EXAMPLES[name].separable
    entry = EXAMPLES[name]
    spelt = "&".join(f"{key}={value}" for key, value in entry.parameters.items())
    assert same_rows(chunk, sources.open(f"example:{name}?{spelt}").read())
    assert sources.open(f"example:{name}", labelled=False).read().y is None


@pytest.mark.parametrize(
    ("name", "labels"),
    [("and", [-1, -1, -1, 1]), ("or", [-1, 1, 1, 1]), ("xor", [-1, 1, 1, -1])],
)
def test_truth_tables(name: str, labels: list[int]) -> None:
    chunk = sources.open(f"example:{name}").read()
    assert chunk.X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert chunk.y.tolist() == labels


@pytest.mark.parametrize(
    ("name", "load", "positive", "word"),
    [
        ("iris-setosa", sklearn.datasets.load_iris, 0, "setosa"),
        ("iris-versicolor", sklearn.datasets.load_iris, 1, "versicolor"),
        ("wdbc", sklearn.datasets.load_breast_cancer, 0, "malignant"),
        ("digits-8", sklearn.datasets.load_digits, 8, "eight"),
    ],
)
def test_files_of_scikit_learn_are_read_as_it_reads_them(
    name: str, load: object, positive: int, word: str
) -> None:
    expected = load()
    source = sources.open(f"example:{name}")
    chunk = source.read()
    assert bits(chunk.X) == bits(expected.data)
    assert np.array_equal(chunk.y == word, expected.target == positive)
    assert np.array_equal(signs(chunk.y) == 1, chunk.y == word)
    assert source.feature_names == list(expected.feature_names)


@given(
    rows=st.integers(2, 60),
    features=st.integers(1, 12),
    margin=st.floats(1e-6, 0.999),
    seed=st.integers(0, 1000),
)
def test_separable_rows_lie_in_the_ball_beyond_the_margin(
    rows: int, features: int, margin: float, seed: int
) -> None:
    path = f"example:separable?rows={rows}&features={features}&margin={margin!r}&seed={seed}"
    X, y, _ = sources.open(path).read()
    assert X.shape == (rows, features)
    assert (np.linalg.norm(X, axis=1) <= 1).all()
    assert set(y.tolist()) == {-1, 1}
    # Any two rows of opposite classes are 2 * margin apart along u, hence in space.
    nearest = min(np.linalg.norm(a - b) for a in X[y == 1] for b in X[y == -1])
    assert nearest >= 2 * margin


def test_the_margin_of_separable_rows_is_about_as_promised() -> None:
    X, y, _ = sources.open("example:separable?rows=4000&features=5&margin=0.25").read()
    # The widest margin in the largest-entry norm: not the best u, but one close to it.
    found = linprog(
        np.r_[np.zeros(5), -1.0],
        A_ub=np.column_stack([-X * y[:, None], np.ones(len(X))]),
        b_ub=np.zeros(len(X)),
        bounds=[(-1, 1)] * 5 + [(None, None)],
    )
    u = found.x[:5] / np.linalg.norm(found.x[:5])
    assert 0.2 < (X @ u * y).min() < 0.3


@given(
    features=st.integers(1, 20),
    share=st.floats(0, 1),
    negated_share=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_a_disjunction_is_the_or_its_target_spells_out(
    features: int, share: float, negated_share: float, seed: int
) -> None:
    relevant = 1 + int(share * (features - 1))
    negated = int(negated_share * relevant)
    source = sources.open(
        f"example:disjunction?rows=80&features={features}&relevant={relevant}&negated={negated}"
        f"&seed={seed}"
    )
    X, y, _ = source.read()
    literals = source.target_name.split(" or ")
    assert len(literals) == len(set(literals)) == relevant
    assert sum(word.startswith("not ") for word in literals) == negated
    holds = np.zeros(80, dtype=bool)
    for word in literals:
        column = X[:, source.feature_names.index(word.removeprefix("not "))]
        holds |= column == (0 if word.startswith("not ") else 1)
    assert np.array_equal(np.where(holds, 1, -1), y)
    assert set(np.unique(X)) <= {0.0, 1.0}
    assert 12 <= (y == 1).sum() <= 68


def test_both_classes_are_there_however_few_the_rows() -> None:
    for name in ("separable", "disjunction"):
        for seed in range(30):
            y = sources.open(f"example:{name}?rows=2&seed={seed}").read().y
            assert sorted(y.tolist()) == [-1, 1]


@pytest.mark.parametrize("features", [2, 3, 8, 33])
def test_tight_costs_a_perceptron_exactly_its_bound(features: int) -> None:
    X, y, _ = sources.open(f"example:tight?features={features}").read()
    assert np.array_equal(X @ X.T, np.eye(features))
    assert set(y.tolist()) == {-1, 1}
    w, mistakes = np.zeros(features), 0
    for _ in range(3):
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 0:
                w, mistakes = w + label * x, mistakes + 1
    assert mistakes == features


def test_seeds_repeat_and_differ() -> None:
    for name in ("separable", "disjunction"):
        first, again, other = (
            sources.open(f"example:{name}?seed={seed}").read() for seed in (1, 1, 2)
        )
        assert same_rows(first, again)
        assert not same_rows(first, other)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("example:xr", "example:xr: no example is called 'xr', expected one of: and, or, xor"),
        ("example:xr", "did you mean 'xor'?"),
        ("example:Iris-Setosa", "did you mean 'iris-setosa'?"),
        ("example:", "no example is called ''"),
        ("example:and?rows=3", "no parameter is called 'rows', it has none"),
        (
            "example:separable?rws=3",
            "no parameter is called 'rws', expected one of: rows, features",
        ),
        ("example:separable?rws=3", "did you mean 'rows'?"),
        ("example:separable?rows", "found 'rows', expected each parameter once, as in 'rows=1000'"),
        ("example:separable?rows=9&rows=9", "expected each parameter once"),
        ("example:separable?rows=ten", "rows: found 'ten', expected a whole number from 0 on"),
        ("example:separable?rows=-5", "rows: found '-5', expected a whole number from 0 on"),
        ("example:separable?rows=1.5", "rows: found '1.5', expected a whole number"),
        ("example:separable?margin=wide", "margin: found 'wide', expected a number"),
        ("example:separable?margin=0", "found margin=0.0, expected above 0"),
        ("example:separable?margin=1", "found margin=1.0, expected above 0 and at most 0.999"),
        ("example:separable?rows=1", "found rows=1, expected at least 2"),
        ("example:separable?features=0", "found features=0, expected at least 1"),
        ("example:separable?rows=1000000000", "expected at most 1000000000 numbers in all"),
        ("example:disjunction?relevant=51", "found relevant=51 variables, expected from 1"),
        ("example:disjunction?negated=6", "found negated=6 literals, expected from 0"),
        ("example:tight?features=1", "found rows=1, expected at least 2"),
    ],
)
def test_names_and_parameters_that_are_not_there(path: str, reason: str) -> None:
    with pytest.raises(DataError) as caught:
        sources.open(path)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"header": True}, "header=True is for csv, tsv, but this is read as example"),
        ({"format": "csv"}, "format='csv' is for"),
        ({"features": 3}, "the number of feature columns is 2, expected 3"),
    ],
)
def test_options_that_an_example_does_not_take(options: dict[str, object], reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        sources.open("example:xor", **options)


def test_without_scikit_learn_its_examples_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataError, match="example:wdbc: this example is a file of scikit-learn"):
        sources.open("example:wdbc")


def test_nothing_heavy_is_imported_for_an_example_and_no_more_than_numba_for_a_table() -> None:
    script = """
import sys
import novikoff.data as sources
def loaded(*names):
    return {m.split(".")[0] for m in sys.modules}.intersection(names)
sources.open("example:wdbc").read()
heavy = loaded("scipy", "sklearn", "numba", "pandas", "pyarrow")
sources.open(sys.argv[1]).read()
heavy |= loaded("sklearn", "pandas", "pyarrow")
sys.exit(f"imported {heavy}" if heavy else 0)
"""
    iris = sklearn.datasets.__path__[0] + "/data/digits.csv.gz"
    done = subprocess.run(
        [sys.executable, "-c", script, iris], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
