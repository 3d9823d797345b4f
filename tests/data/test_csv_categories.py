"""Columns of words: one feature for each value, in the order in which values first come."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data.files import blocks
from novikoff.data.files.inputs import Input
from novikoff.data.text.csv.format import CsvFormat
from novikoff.data.text.source import TextSource
from novikoff.errors import DataError
from tests.helpers.chunks import Save, bits, check_chunk, dense, same_rows, together

CITIES = "age,city,weight,colour,label\n30,Paris,2,red,1\n40,Rome,3,blue,0\n50,Paris,4,green,1\n"
CITY_NAMES = ["age", "weight", "city=Paris", "colour=red", "city=Rome", "colour=blue",
              "colour=green"]  # fmt: skip
CITY_ROWS = [[30, 2, 1, 1, 0, 0, 0], [40, 3, 0, 0, 1, 1, 0], [50, 4, 1, 0, 0, 0, 1]]


def csv_source(path: str, **options: Any) -> TextSource:
    inputs = [Input(path)]
    return TextSource(inputs, CsvFormat(inputs, source=path, **options))


def expected(rows: list[list[str]], words: list[int], width: int) -> tuple[np.ndarray, list[str]]:
    """The definition: numbers, then the values in the order in which they first come."""
    numbers = [k for k in range(width) if k not in words]
    values: dict[tuple[int, str], int] = {}
    for row in rows:
        for k in words:
            values.setdefault((k, row[k]), len(values))
    X = np.zeros((len(rows), len(numbers) + len(values)))
    for i, row in enumerate(rows):
        X[i, : len(numbers)] = [float(row[k]) for k in numbers]
        for k in words:
            X[i, len(numbers) + values[k, row[k]]] = 1
    return X, [f"c{k}" for k in numbers] + [f"c{k}={word}" for k, word in values]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], list[int], int]:
    width = draw(st.integers(1, 5))
    words = sorted(draw(st.sets(st.integers(0, width - 1), min_size=1)))
    number = st.sampled_from(["0", "-0.0", "1.5", "2e3", "-7"])
    word = st.sampled_from(["a", "b", "Paris", "two words", "été", "Ω", "a,b", 'q"uote', "x\ny"])
    row = st.tuples(*(word if k in words else number for k in range(width)))
    return draw(st.lists(row.map(list), min_size=1, max_size=12)), words, width


@given(table=tables(), delimiter=st.sampled_from(",;\t§"), rows=st.integers(1, 5))
def test_rows_are_those_of_the_definition(
    scratch: Path, table: tuple[list[list[str]], list[int], int], delimiter: str, rows: int
) -> None:
    records, words, width = table
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([[f"c{k}" for k in range(width)] + ["kind"]])
    writer.writerows([[*record, "yes"] for record in records])
    path = scratch / "a.csv"
    path.write_bytes(file.getvalue().encode())
    X, names = expected(records, words, width)
    source = sources.open(path, delimiter=delimiter)
    whole = source.read()
    check_chunk(whole)
    assert bits(dense(whole)) == bits(X)
    assert source.feature_names == names
    assert same_rows(whole, together(sources.open(path, delimiter=delimiter), rows))


def test_values_are_numbered_as_they_first_come(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("a.csv", CITIES)
    source = sources.open(path)
    assert dense(source.read()).tolist() == CITY_ROWS
    assert source.feature_names == CITY_NAMES
    assert source.notes() == [
        "Columns of words, with one feature for each value: city (2 values), colour (3 values)."
    ]
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 20)
    source = sources.open(path)
    widths = [chunk.X.shape[1] for chunk in source.chunks()]
    assert widths == [4, 6, 7]
    assert source.feature_names == CITY_NAMES
    assert dense(source.read()).tolist() == CITY_ROWS


def test_values_stay_known_in_a_later_pass(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 20)
    path = save("a.csv", CITIES)
    source = sources.open(path)
    stopped = source.chunks()
    next(stopped)
    stopped.close()
    assert dense(source.read()).tolist() == CITY_ROWS
    second = source.chunks()
    begun = next(second)
    assert begun.X.shape == (1, 7)
    assert source.feature_names == CITY_NAMES
    later = csv_source(path)
    later.load_state_dict(json.loads(json.dumps(source.state_dict())))
    assert later.feature_names == CITY_NAMES
    assert begun.end is not None
    for rest in (second, later.chunks(start=begun.end)):
        assert [dense(chunk).tolist() for chunk in rest] == [[row] for row in CITY_ROWS[1:]]
    assert source.notes() == later.notes()


def test_many_values(save: Save) -> None:
    count = 30_000  # more than the first hash table has places for
    path = save("a.csv", "x,id,label\n" + "".join(f"{k},w{k},{k % 2}\n" for k in range(count)))
    source = sources.open(path)
    chunk = source.read()
    assert chunk.X.shape == (count, count + 1)
    assert (chunk.X.indices.reshape(-1, 2)[:, 1] == np.arange(count) + 1).all()
    assert source.feature_names == ["x", *(f"id=w{k}" for k in range(count))]


def test_without_a_header_columns_are_counted(save: Save) -> None:
    source = sources.open(save("a.csv", "1,Paris,2,0\n3,Rome,4,1\n"))
    assert dense(source.read()).tolist() == [[1, 2, 1, 0], [3, 4, 0, 1]]
    assert source.feature_names == ["column 1", "column 3", "column 2=Paris", "column 2=Rome"]


def test_numbers_can_be_categories(save: Save) -> None:
    path = save("a.csv", "zip,x,label\n75001,1,a\n10115,2,b\n075001,3,a\n")
    for wanted in ("zip", 0, "0", -3):
        source = sources.open(path, categorical=[wanted])
        assert dense(source.read()).tolist() == [[1, 1, 0, 0], [2, 0, 1, 0], [3, 0, 0, 1]]
        assert source.feature_names == ["x", "zip=75001", "zip=10115", "zip=075001"]


@pytest.mark.parametrize(
    ("categorical", "reason"),
    [
        (["label"], "categorical has the column 'label', which is the target"),
        (["zap"], "no column 'zap', expected a name in the header: did you mean 'zip'?"),
        ([7], "no column 7, expected a column from 0 to 2"),
    ],
)
def test_categories_that_cannot_be(save: Save, categorical: list[str | int], reason: str) -> None:
    with pytest.raises(DataError) as caught:
        sources.open(save("a.csv", "zip,x,label\n1,1,a\n"), categorical=categorical)
    assert reason in str(caught.value)


BAD_VALUES = {
    "20,,3,red,1": (4, "column 2 ('city'): the value is missing (''), expected a word"),
    "20,NA,3,red,1": (4, "column 2 ('city'): the value is missing ('NA')"),
    '20,"x",3,"n/a",1': (10, "column 4 ('colour'): the value is missing ('n/a')"),
    f"20,{'x' * 201},3,red,1": (4, "has 201 characters, expected at most 200"),
    "x,Rome,3,red,1": (1, "column 1 ('age'): found 'x', expected a number such as"),
}


@pytest.mark.parametrize(("line", "reason"), BAD_VALUES.items())
def test_a_bad_value_is_refused_with_its_place(
    save: Save, line: str, reason: tuple[int, str]
) -> None:
    path = save("a.csv", CITIES.replace("50,", f"{line}\n50,"))
    with pytest.raises(DataError) as caught:
        sources.open(path).read()
    assert str(caught.value).startswith(f"{path}:4:{reason[0]}: ")
    assert reason[1] in str(caught.value)
    source = sources.open(path, bad_rows="skip")
    assert dense(source.read()).tolist() == CITY_ROWS  # its other values are not counted
    assert source.feature_names == CITY_NAMES
    assert source.skipped == 1


def test_a_model_closes_the_list_of_values(save: Save) -> None:
    # another order of rows and columns, and a column more
    path = save("a.csv", "id,colour,city,age,weight\nu1,blue,Paris,1,2\nu2,red,Rome,3,4\n")
    source = csv_source(path, names=CITY_NAMES, labelled=False)
    chunk = source.read()
    assert source.feature_names == ["age", "weight", *CITY_NAMES[2:]]
    assert dense(chunk).tolist() == [[1, 2, 1, 0, 0, 1, 0], [3, 4, 0, 1, 1, 0, 0]]
    assert chunk.y is None


def test_a_value_that_the_model_has_not_seen(save: Save) -> None:
    path = save("a.csv", "age,city,weight,colour,label\n1,Rome,2,red,0\n1,Oslo,2,red,1\n")
    source = csv_source(path, names=CITY_NAMES)
    with pytest.raises(DataError) as caught:
        source.read()
    assert str(caught.value).startswith(f"{path}:3:3: column 2 ('city'): found 'Oslo', a value")
    assert "the model has not seen" in str(caught.value)
    source = csv_source(path, names=CITY_NAMES, skip=True)
    assert dense(source.read()).tolist() == [[1, 2, 0, 1, 1, 0, 0]]
    assert source.feature_names == CITY_NAMES


def test_a_model_tells_features_from_labels(save: Save) -> None:
    names = ["x", "y", "kind=a", "kind=b"]
    source = csv_source(save("a.csv", "x,y,kind\n1,2,b\n"), names=names)
    assert source.target_name is None
    assert dense(source.read()).tolist() == [[1, 2, 0, 1]]
    source = csv_source(save("b.csv", "x,y,kind,truth\n1,2,b,no\n"), names=names)
    assert source.target_name == "truth"
    assert source.read().y.tolist() == ["no"]


def test_a_name_that_fits_two_columns(save: Save) -> None:
    path = save("a.csv", "a,a=b,label\nx,y,1\n")
    with pytest.raises(DataError, match="the model's feature 'a=b=y' fits 2 columns"):
        csv_source(path, names=["a=x", "a=b=y"])


def test_the_width_that_was_asked_for(save: Save) -> None:
    path = save("a.csv", CITIES)
    assert sources.open(path, features=9).read().X.shape == (3, 9)
    with pytest.raises(DataError, match="the number of feature columns is 7, expected 5"):
        sources.open(path, features=5).read()


def test_categories_alone(save: Save) -> None:
    source = sources.open(save("a.csv", "kind,label\na,1\nb,0\na,1\n"))
    assert dense(source.read()).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert source.feature_names == ["kind=a", "kind=b"]
    blanks = sources.open(save("a.txt", 'a "x" 1\nb\t"y"  0\n'), header=False)
    assert dense(blanks.read()).tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]


def test_columns_are_chosen_and_dropped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,dose,age,note,died\n1,low,30,NA,no\n2,high,40,,yes\n")
    source = sources.open(path, drop=["id", 3])
    assert source.read().X.toarray().tolist() == [[30, 1, 0], [40, 0, 1]]
    assert source.feature_names == ["age", "dose=low", "dose=high"]
    assert sources.open(path, columns=["age", "died"]).read().X.tolist() == [[30], [40]]
    table = pytest.importorskip("pyarrow").table({"id": ["a", "b"], "x": [1, 2], "y": [0, 1]})
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(table, tmp_path / "t.parquet")
    assert sources.open(tmp_path / "t.parquet", drop=["id"]).read().X.tolist() == [[1], [2]]
    with pytest.raises(DataError, match=r"no column 'iid', expected a name .* did you mean 'id'"):
        sources.open(path, drop=["iid"])
    with pytest.raises(DataError, match="drop has the column 'died', which is the target"):
        sources.open(path, drop=["died"])
    with pytest.raises(DataError, match=r"columns=\['a'\] is for csv, tsv, parquet, arrow"):
        sources.open("example:xor", columns=["a"])
