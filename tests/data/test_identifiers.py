"""Columns that are names of rows."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.data.sparse import scipy_sparse
from novikoff.data.text.csv.identifiers import identifiers
from novikoff.errors import DataError
from tests.helpers.shell import answer, novikoff


def test_whole_numbers_that_are_different_everywhere_are_names():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.permutation(40) + 7,  # an ID
            rng.normal(size=40),  # a measurement
            rng.integers(0, 30, 40),  # an age
            np.append(np.arange(39), 3),  # an ID, once twice
        ]
    )
    for table in (X, scipy_sparse().csr_array(X)):
        assert identifiers(table, [*"abcd"], {}) == ["a", "d"]
        assert identifiers(table[:10], [*"abcd"], {}) == []
    assert identifiers(X, [*"abcd"], {"who": dict.fromkeys(map(str, range(38)), 9)}) == [
        "a",
        "d",
        "who",
    ]


def test_check_says_so_before_anything_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{k},name{k},{k % 3},{'yes' if k % 5 == 0 else 'no'}" for k in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["row id,who,dose,died", *lines]))
    out = novikoff("check", "t.csv")[1].splitlines()
    assert "row id is different in every row" in out[1]
    assert "--drop 'row id'" in " ".join(out[1:3])
    assert "who is different in every row" in " ".join(out[2:4])
    assert any("--drop who" in each for each in answer("check", "t.csv", code=0)["remarks"])
    rest = novikoff("check", "t.csv", "--drop", "row id,who")[1]
    assert "identifier" not in rest


def test_a_frame_is_looked_at_too():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"subject": range(40), "dose": np.arange(40) % 3})
    text = str(nk.check(frame, np.arange(40) % 2))
    assert text.splitlines()[1].startswith("subject is different in every row")


def test_measurements_are_no_classes_of_a_file(tmp_path):
    lines = [f"{k % 7},{k / 8}" for k in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["a,height", *lines]))
    code, _, err = novikoff("fit", str(tmp_path / "t.csv"))
    assert code == 2
    assert "40 different numbers such as 0: are they numbers to predict" in err
    with pytest.raises(DataError, match="rather than classes"):
        nk.Perceptron().fit(nk.open(tmp_path / "t.csv"))
