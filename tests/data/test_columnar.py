"""Parquet and Arrow files against the tables they were written from, and damaged ones."""

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff.data.columnar import file as columnar_file
from novikoff.data.columnar.file import ColumnFile
from novikoff.data.columnar.source import ColumnarSource
from novikoff.data.files.inputs import Input
from novikoff.errors import DataError
from tests.helpers.chunks import attempt, bits, check_chunk, dense, same_rows, together
from tests.helpers.examples import examples

Write = Callable[[pa.Table, Any], None]


def parquet(table: pa.Table, file: Any) -> None:
    pq.write_table(table, file, row_group_size=7)


def plain_parquet(table: pa.Table, file: Any) -> None:
    pq.write_table(table, file, use_dictionary=False, compression="none")


def zstd_parquet(table: pa.Table, file: Any) -> None:
    pq.write_table(table, file, compression="zstd", version="1.0", data_page_version="2.0")


def arrow_file(table: pa.Table, file: Any) -> None:
    with ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)


def feather(table: pa.Table, file: Any) -> None:
    options = ipc.IpcWriteOptions(compression="lz4")
    with ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)


def arrow_stream(table: pa.Table, file: Any) -> None:
    with ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)


WRITERS = {
    write.__name__: write
    for write in (parquet, plain_parquet, zstd_parquet, arrow_file, feather, arrow_stream)
}


def opened(path: str | Path, kind: str | None = None, **options: Any) -> ColumnarSource:
    kind = kind or ("parquet" if "parquet" in str(path) else "arrow")
    return columnar([Input(str(path))], kind, **options)


def columnar(inputs: list[Input], kind: str = "parquet", **options: Any) -> ColumnarSource:
    return ColumnarSource([ColumnFile(given, kind) for given in inputs], **options)


def saved(folder: Path, name: str, table: pa.Table) -> str:
    path = folder / f"a.{name}"
    WRITERS[name](table, str(path))
    return str(path)


def mixed(rows: int = 40) -> pa.Table:
    """Every kind of column that can be used."""
    k = np.arange(rows)
    words = [f"w{i % 3}" for i in range(rows)]
    return pa.table(
        {
            "f8": k / 3,
            "f4": (k / 4).astype(np.float32),
            "f2": pa.array((k % 8).astype(np.float16)),
            "i8": (k - 20).astype(np.int8),
            "u64": k.astype(np.uint64),
            "flag": k % 2 == 0,
            "text": words,
            "large": pa.array(words[::-1], pa.large_string()),
            "coded": pa.array(words).dictionary_encode(),
            "codes": pa.array(k % 5).dictionary_encode(),
            "label": pa.array(["yes" if i % 4 else "no" for i in range(rows)]),
        }
    )


NUMERIC = ["f8", "f4", "f2", "i8", "u64", "flag", "codes"]
TEXTS = ["text", "large", "coded"]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("rows", [1, 6, 100])
def test_rows_are_those_that_were_written(tmp_path: Path, name: str, rows: int) -> None:
    table = mixed()
    source = opened(saved(tmp_path, name, table))
    chunk = source.read()
    check_chunk(chunk)
    columns = table.to_pydict()
    names = list(NUMERIC)
    for row in range(table.num_rows):
        names += [value for key in TEXTS if (value := f"{key}={columns[key][row]}") not in names]
    assert source.feature_names == names
    X = np.zeros((table.num_rows, len(names)))
    for row in range(table.num_rows):
        X[row, : len(NUMERIC)] = [float(columns[key][row]) for key in NUMERIC]
        for key in TEXTS:
            X[row, names.index(f"{key}={columns[key][row]}")] = 1
    assert bits(dense(chunk)) == bits(X)
    assert chunk.y.tolist() == columns["label"]
    assert (source.target_name, chunk.lines) == ("label", None)
    assert same_rows(chunk, together(opened(saved(tmp_path, name, table)), rows))


@given(
    X=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(
                st.floats(allow_nan=False, allow_infinity=False), min_size=width, max_size=width
            ),
            min_size=1,
            max_size=30,
        )
    ),
    name=st.sampled_from(sorted(WRITERS)),
)
def test_numbers_keep_their_bits(scratch: Path, X: list[list[float]], name: str) -> None:
    columns = {f"x{k}": [row[k] for row in X] for k in range(len(X[0]))}
    path = scratch / f"b.{name}"
    path.unlink(missing_ok=True)
    WRITERS[name](pa.table({**columns, "y": range(len(X))}), str(path))
    chunk = opened(path).read()
    check_chunk(chunk)
    assert isinstance(chunk.X, np.ndarray)
    assert bits(chunk.X) == bits(X)
    assert chunk.y.tolist() == list(range(len(X)))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pa.array([1, 0, 1], pa.uint8()), [1, 0, 1]),
        (pa.array([1.5, 0, 1]), [1.5, 0, 1]),
        (pa.array([True, False, True]), [1, 0, 1]),
        (pa.array(["1", "0", "1"]), ["1", "0", "1"]),
        (pa.array(["b", "a", "b"]).dictionary_encode(), ["b", "a", "b"]),
    ],
)
def test_labels(tmp_path: Path, labels: pa.Array, expected: list[Any]) -> None:
    source = opened(saved(tmp_path, "parquet", pa.table({"x": [1, 2, 3], "y": labels})))
    chunk = source.read()
    check_chunk(chunk)
    assert chunk.y.tolist() == expected


def test_the_target_by_name_or_place(tmp_path: Path) -> None:
    path = saved(tmp_path, "parquet", pa.table({"a": [1.0], "Class": [2], "b": [3.0]}))
    assert opened(path).target_name == "Class"
    assert opened(path, target="a").read().X.tolist() == [[2, 3]]
    assert opened(path, target=-1).read().y.tolist() == [3]
    source = opened(path, labelled=False)
    assert source.read().X.tolist() == [[1, 2, 3]]
    assert source.read().y is None
    with pytest.raises(DataError, match="no column 'c', expected a name in the header"):
        opened(path, target="c")
    with pytest.raises(DataError, match="the number of feature columns is 2, expected 3"):
        opened(path, features=3)


def test_numbers_whose_sum_overflows(tmp_path: Path) -> None:
    path, largest = tmp_path / "t.parquet", np.finfo(np.float64).max
    pq.write_table(pa.table({"a": [largest] * 9, "b": [-largest] * 9, "y": [0] * 9}), path)
    X = columnar([Input(str(path))]).read().X
    assert X.tolist() == [[largest, -largest]] * 9


def test_the_index_of_pandas_is_no_feature(tmp_path: Path) -> None:
    table = pa.table({"a": [1.0], "b": [2.0], "__index_level_0__": [7]})
    source = opened(saved(tmp_path, "arrow_file", table))
    assert (source.feature_names, source.target_name) == (["a"], "b")
    assert source.read().X.tolist() == [[1]]
    assert source.notes() == ["The index that pandas saved as a column is left out."]


def test_numbers_can_be_categories(tmp_path: Path) -> None:
    table = pa.table({"zip": [75001, 10115], "ok": [True, False], "x": [1, 2], "y": [0, 1]})
    source = opened(saved(tmp_path, "parquet", table), categorical=["zip", 1])
    assert dense(source.read()).tolist() == [[1, 1, 1, 0, 0], [2, 0, 0, 1, 1]]
    assert source.feature_names == ["x", "zip=75001", "ok=true", "zip=10115", "ok=false"]


def test_categories_alone(tmp_path: Path) -> None:
    path = saved(tmp_path, "parquet", pa.table({"kind": ["a", "b", "a"], "y": [1, 0, 1]}))
    source = opened(path)
    assert dense(source.read()).tolist() == [[1, 0], [0, 1], [1, 0]]
    assert source.feature_names == ["kind=a", "kind=b"]


def test_a_model_closes_the_list_of_values(tmp_path: Path) -> None:
    names = ["x", "city=Rome", "city=Paris"]
    table = pa.table({"id": [pa.scalar(0, pa.duration("s"))] * 2, "city": ["Paris", "Rome"]})
    table = table.append_column("x", pa.array([1, 2]))
    source = opened(saved(tmp_path, "arrow_file", table), names=names)
    assert dense(source.read()).tolist() == [[1, 0, 1], [2, 1, 0]]
    assert (source.feature_names, source.target_name) == (names, None)
    path = saved(tmp_path, "parquet", pa.table({"x": [1, 1], "city": ["Rome", "Oslo"]}))
    with pytest.raises(DataError, match=r"row 1 \(counting from 0\), column 2 \('city'\): found"
                       r" 'Oslo', a value that the model has not seen"):  # fmt: skip
        opened(path, names=names).read()


BAD = {
    "null": ({"a": [1.0, None], "y": [0, 1]}, "row 1 (counting from 0), column 1 ('a'): the value"
             " is missing (null)"),
    "nan": ({"a": [1.0, 2.0], "b": [1.0, float("nan")], "y": [0, 1]}, "row 1 (counting from 0),"
            " column 2 ('b'): the value is nan"),
    "infinite": ({"a": [1.0, float("-inf")], "y": [0, 1]}, "column 1 ('a'): the value is -inf"),
    "word": ({"a": ["x", None], "y": [0, 1]}, "row 1 (counting from 0), column 1 ('a'): the value"
             " is missing (null)"),
    "coded": ({"a": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["x", None])),
               "y": [0, 1]}, "row 1 (counting from 0), column 1 ('a'): the value is missing"),
    "empty word": ({"a": ["x", " "], "y": [0, 1]}, "row 1 (counting from 0), column 1 ('a'): the"
                   " value is missing (' ')"),
    "label": ({"a": [1, 2], "y": [0, None]}, "row 1 (counting from 0), column 2 ('y'): the value"
              " is missing"),
    "nan label": ({"a": [1, 2], "y": [0.0, float("nan")]}, "row 1 (counting from 0), column 2"
                  " ('y'): the label is nan"),
    "no label": ({"a": [1, 2], "y": ["x", ""]}, "the label is missing ('')"),
    "long label": ({"a": [1, 2], "y": ["x", "y" * 201]}, "has over 200 characters"),
    "time": ({"t": pa.array([0, 1], pa.timestamp("ms")), "y": [0, 1]}, "column 1 ('t') has the type"
             " timestamp[ms], expected numbers, booleans or text"),
    "list": ({"t": [[1], [2]], "y": [0, 1]}, "column 1 ('t') has the type list<"),
    "binary label": ({"a": [1, 2], "y": [b"a", b"b"]}, "column 2 ('y') has the type binary"),
    "only a label": ({"y": [1, 2]}, "no feature columns"),
    "nothing": ({}, "no columns"),
    "no rows": ({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int8())}, "no rows"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("name", ["parquet", "arrow_file", "arrow_stream"])
def test_what_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, name: str, kind: str
) -> None:
    columns, reason = BAD[kind]
    if (name, kind) == ("parquet", "coded"):
        name = "feather"  # Parquet cannot even write it
    path = saved(tmp_path, name, pa.table(columns))
    with pytest.raises(DataError) as caught:
        opened(path).read()
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


def test_rows_are_counted_over_batches(tmp_path: Path) -> None:
    values = np.arange(100.0)
    values[77] = np.nan
    for name in ("parquet", "arrow_file"):
        path = saved(tmp_path, name, pa.table({"a": values, "y": range(100)}))
        with pytest.raises(DataError, match=r"row 77 \(counting from 0\)"):
            list(opened(path).chunks(10))


def test_several_files_are_one_table(tmp_path: Path) -> None:
    first, second = mixed(10), mixed(25)
    paths = [str(tmp_path / "1.arrow"), str(tmp_path / "2.arrow")]
    arrow_file(first, paths[0])
    arrow_stream(second, paths[1])
    source = columnar([Input(path) for path in paths], kind="arrow")
    chunk = source.read()
    check_chunk(chunk)
    assert bits(chunk.X[:, :1].toarray().ravel()) == bits(
        [k / 3 for k in range(10)] + [k / 3 for k in range(25)]
    )
    assert source.files == [(paths[0], 0), (paths[1], 10)]
    assert source.paths == tuple(paths)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"b": [1.0], "y": [1]}, "column 1 is called 'b', expected 'a' as in"),
        ({"a": [1.0]}, "column 2 is called none, expected 'y' as in"),
        ({"a": [1.0], "y": [1], "z": [1]}, "column 3 is called 'z', expected none as in"),
        ({"a": ["x"], "y": [1]}, "column 1 ('a') has the type string, expected double as in"),
    ],
)
def test_files_that_do_not_go_together(
    tmp_path: Path, columns: dict[str, Any], reason: str
) -> None:
    pq.write_table(pa.table({"a": [1.0], "y": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table(columns), tmp_path / "b.parquet")
    with pytest.raises(DataError) as caught:
        columnar([Input(str(tmp_path / f"{name}.parquet")) for name in "ab"])
    assert str(caught.value).partition(": ")[0].endswith("b.parquet")
    assert reason in str(caught.value)


@pytest.mark.parametrize("name", ["parquet", "arrow_file", "arrow_stream"])
def test_reading_on_from_a_place(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path, name, mixed())
    inputs = [Input(path), Input(path)]
    kind = "parquet" if name == "parquet" else "arrow"
    source = columnar(inputs, kind=kind)
    parts = [(part, source.state_dict()) for part in source.chunks(6)]
    assert sum(part.X.shape[0] for part, _ in parts) == 80
    for k, (part, memory) in enumerate(parts):
        other = columnar(inputs, kind=kind)
        other.load_state_dict(memory)
        rest = [row for each in other.chunks(6, start=part.end) for row in dense_rows(each)]
        assert rest == [row for each, _ in parts[k + 1 :] for row in dense_rows(each)]
        assert other.state_dict() == source.state_dict()


def test_values_stay_known_in_a_later_pass(tmp_path: Path) -> None:
    words = [f"w{k}" for k in range(20)]
    table = pa.table({"x": np.arange(20.0), "word": words, "label": [0, 1] * 10})
    path = saved(tmp_path, "parquet", table)
    source = opened(path)
    stopped = source.chunks(3)
    next(stopped)
    stopped.close()
    first = list(source.chunks(3))
    assert [chunk.X.shape[1] for chunk in first[1:]] == [*range(7, 20, 3), 21]
    names = source.feature_names
    assert names == ["x", *(f"word={word}" for word in words)]
    second = source.chunks(3)
    begun = next(second)
    assert begun.X.shape == (3, 21)
    assert source.feature_names == names
    later = opened(path)
    later.load_state_dict(source.state_dict())
    assert later.feature_names == names
    assert begun.end is not None
    expected = [dense_rows(chunk) for chunk in first]
    assert [dense_rows(chunk) for chunk in [begun, *second]] == expected
    assert [dense_rows(chunk) for chunk in later.chunks(3, start=begun.end)] == expected[1:]


def dense_rows(chunk: Any) -> list[list[tuple[int, float]]]:
    """The entries of each row, however wide it is."""
    rows = []
    for begin, end in zip(chunk.X.indptr[:-1], chunk.X.indptr[1:], strict=True):
        entries = zip(chunk.X.indices[begin:end], chunk.X.data[begin:end], strict=True)
        rows.append([(int(column), float(value)) for column, value in entries])
    return rows


@pytest.mark.parametrize("name", ["parquet", "arrow_file", "arrow_stream"])
def test_a_pipe_is_read_whole(tmp_path: Path, name: str) -> None:
    content = io.BytesIO()
    WRITERS[name](mixed(), content)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content.getvalue(),))
    writer.start()
    source = opened(pipe, "parquet" if name == "parquet" else "arrow")
    writer.join()
    assert same_rows(source.read(), source.read())
    assert source.read().X.shape[0] == 40
    assert source.paths == ()


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, "parquet", mixed())
    original = columnar_file.importlib.import_module

    def missing(name: str) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name)

    monkeypatch.setattr(columnar_file.importlib, "import_module", missing)
    with pytest.raises(DataError, match=r"a.parquet: .*PyArrow, which is not installed: run pip"):
        opened(path)


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"ARROW1", b"FEA1" * 9, b"x,y\n1,2\n", b"\0" * 100, b"PAR1" * 100]
)
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_garbage_is_refused(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "garbage"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"garbage: (not a whole|it is Feather version 1)"):
        opened(path, kind).read()


CONTENTS = {}
for key, write in WRITERS.items():
    buffer = io.BytesIO()
    write(mixed(), buffer)
    CONTENTS[key] = buffer.getvalue()


@examples(300)
@given(
    name=st.sampled_from(sorted(CONTENTS)),
    edits=st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), max_size=8),
    keep=st.floats(0.3, 1) | st.just(1.0),
)
@example(name="arrow_file", edits=[(409, 128)], keep=1.0)  # a name that is no UTF-8
def test_damaged_files_are_refused_or_read(
    scratch: Path, name: str, edits: list[tuple[int, int]], keep: float
) -> None:
    content = CONTENTS[name]
    damaged = bytearray(content[: int(len(content) * keep)])
    for place, byte in edits:
        damaged[-1 - place % len(damaged)] = byte  # most of what matters is at the end
    path = scratch / f"damaged.{name}"
    path.unlink(missing_ok=True)  # a file that is still mapped must not change under the map
    path.write_bytes(damaged)
    outcome = attempt(lambda: opened(path).read())
    if isinstance(outcome, DataError):
        assert str(path) in str(outcome)
    else:
        check_chunk(outcome)
