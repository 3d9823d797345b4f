"""`novikoff convert`, from the shell."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from novikoff import data
from novikoff.cli.shared.progress import status_line
from novikoff.data.cache import CacheSource
from tests.helpers.cache_files import file_names
from tests.helpers.shell import answer, novikoff, on_terminal

SPARSE = "yes 1:0.5 7:-0\nno 2:1e-300\nyes 3:1\n"
TABLE = "u,v,kind\n0.1,-0.0,a\n2,3,b\n4,5e300,a\n"
KEYS = {
    "data", "output", "format", "rows", "features", "labels", "bytes", "skipped", "seconds",
}  # fmt: skip
#: A conversion that takes its time.
ENDLESS = """
import sys, time
from novikoff.cli import main
from novikoff.data.text import source as text

whole = text.TextSource.chunks

def slowly(self, *words):
    for _ in range(1000):
        yield from whole(self)
        time.sleep(0.05)

text.TextSource.chunks = slowly
sys.argv = ["novikoff", "convert", *sys.argv[1:]]
main()
"""


@pytest.fixture
def convert(here, empty_folder):
    """Run `novikoff convert` in an empty folder."""
    return lambda *words: here("convert", *words)


def size(path):
    return sum(each.stat().st_size for each in (path.iterdir() if path.is_dir() else [path]))


def test_to_a_cache_from_the_shell(save, tmp_path):
    path, out = save("a.svm", SPARSE), tmp_path / "b.nkcache"
    found = answer("convert", path, out)
    assert found.keys() == KEYS
    assert found.pop("seconds") >= 0
    assert found == {
        "data": str(path), "output": str(out), "format": "cache", "rows": 3, "features": 7,
        "labels": 2, "bytes": size(out), "skipped": 0,
    }  # fmt: skip
    cache, text = data.open(out), data.open(path)
    assert isinstance(cache, CacheSource)
    assert cache.about.kept
    assert (cache.read().X != text.read().X).nnz == 0
    assert cache.read().y.tolist() == text.read().y.tolist()
    path.unlink()
    assert answer("fit", out)["rows"] == 3


def test_the_line_that_a_person_sees(save, convert, tmp_path):
    save("a.csv", TABLE)
    code, out, err = convert("a.csv", "b.nkcache")
    assert (code, err) == (0, "")
    line = r"b\.nkcache: 3 rows of 2 features, [0-9.]+ k?B?(bytes)? in [0-9.]+ s\n"
    assert re.fullmatch(line, out)
    code, out, _ = convert("a.csv", "--bad-rows", "skip", "c.nkcache")
    assert code == 0
    save("d.csv", "1,2,0\n3,oops,1\n5,6,1\n")
    code, out, _ = convert("d.csv", "--bad-rows", "skip", "d.nkcache")
    assert (code, out.partition(",")[0]) == (
        0,
        "d.nkcache: 2 rows (1 bad row left out) of 2 features",
    )
    assert (tmp_path / "d.csv.skipped.jsonl").exists()


def test_remarks_are_told(save, convert):
    save("a.svm", "1 0:1\n2 1:1\n")
    code, out, _ = convert("a.svm", "a.nkcache")
    assert code == 0
    remarks = data.open("a.nkcache").notes()
    assert out.splitlines()[1:] == remarks


@pytest.mark.parametrize("text", [SPARSE, TABLE, "1 1:1\n2 2:1\n0.5 1:1\n", "1,2,0\n3,-0.0,1\n"])
def test_to_parquet_and_back(save, convert, tmp_path, text):
    path = save("a.svm" if ":" in text else "a.csv", text)
    code, _, err = convert(path, "b.parquet")
    assert (code, err) == (0, "")
    assert file_names(tmp_path) == sorted([path.name, "b.parquet"])
    source = data.open(path)
    whole = source.read()
    table = pyarrow.parquet.read_table("b.parquet")
    called = source.feature_names or [f"x{j}" for j in range(whole.X.shape[1])]
    assert table.column_names == [*called, source.target_name or "target"]
    dense = whole.X if isinstance(whole.X, np.ndarray) else whole.X.toarray()
    columns = [table[name].to_numpy() for name in called]
    assert np.array_equal(np.column_stack(columns), dense)
    if isinstance(whole.X, np.ndarray):
        assert np.column_stack(columns).tobytes() == whole.X.tobytes()
    labels = table[table.column_names[-1]]
    assert labels.to_pylist() == whole.y.tolist()
    kind = {"i": "int64", "f": "double", "U": "string"}[whole.y.dtype.kind]
    assert str(labels.type) == kind
    again = data.open("b.parquet").read()
    assert np.array_equal(again.y, whole.y)


def test_parquet_in_several_groups(save, convert, monkeypatch):
    monkeypatch.setattr("novikoff.data.cache.parquet_export._GROUP_ROWS", 3)
    save("a.csv", "".join(f"{i},{i / 7},{i % 2}\n" for i in range(10)))
    assert convert("a.csv", "b.parquet")[0] == 0
    file = pyarrow.parquet.ParquetFile("b.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(4)] == [3, 3, 3, 1]
    assert file.read()["x1"].to_pylist() == [i / 7 for i in range(10)]


def test_from_a_cache_and_several_files(save, convert):
    save("a.csv", TABLE)
    save("b.csv", TABLE)
    assert convert("a.csv", "b.csv", "both.nkcache")[0] == 0
    found = json.loads(convert("both.nkcache", "both.parquet", "--json")[1])
    assert (found["data"], found["rows"]) == ("both.nkcache", 6)
    assert pyarrow.parquet.read_table("both.parquet")["kind"].to_pylist() == list("abaaba")
    found = json.loads(convert("[ab].csv", "again.nkcache", "--json")[1])
    assert (found["data"], found["rows"], found["labels"]) == ("[ab].csv", 6, 2)
    assert convert("both.nkcache", "copy.nkcache")[0] == 0
    assert data.open("copy.nkcache").read().X.tolist() == data.open("a.csv").read().X.tolist() * 2


def test_rows_without_labels(save, convert):
    save("a.csv", "1,2\n3,4\n")
    for out in ("a.nkcache", "a.parquet"):
        found = json.loads(convert("a.csv", out, "--no-labels", "--json")[1])
        assert (found["features"], found["labels"]) == (2, None)
    assert data.open("a.nkcache", labelled=False).read().y is None
    assert pyarrow.parquet.read_table("a.parquet").column_names == ["x0", "x1"]


def test_standard_input(tmp_path):
    out = tmp_path / "a.nkcache"
    code, told, _ = novikoff("convert", "-", out, stdin=SPARSE)
    assert code == 0
    assert told.startswith(f"{out}: 3 rows of 7 features")
    assert data.open(out).read().y.tolist() == ["yes", "no", "yes"]


def test_what_is_refused(save, convert, tmp_path):
    save("a.csv", TABLE)
    save("there.parquet", "precious")
    (tmp_path / "folder.parquet").mkdir()
    (tmp_path / "folder.nkcache").mkdir()
    convert("a.csv", "there.nkcache")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for words, reason in (
        (("a.csv", "b.npz"), r"OUT b\.npz: its name must end in \.nkcache or \.parquet"),
        (("a.csv", "b"), r"OUT b: its name must end in \.nkcache or \.parquet"),
        (("a.csv", "there.parquet"), r"OUT there\.parquet: it exists; pass --force"),
        (("a.csv", "there.nkcache"), r"OUT there\.nkcache: it exists; pass --force"),
        (("a.csv", "folder.nkcache", "--force"), "it exists and is not a novikoff cache"),
        (("a.csv", "folder.parquet", "--force"), "it is a folder; choose another name"),
        (("a.csv", "none/b.parquet"), "there is no folder"),
        (("there.nkcache", "there.nkcache", "--force"), "that is the data; choose another"),
        (("there.nkcache", "there.nkcache/b.parquet"), "that is inside the data"),
        (("a.csv", "b.nkcache", "--cache", "c"), "convert writes OUT and nothing else"),
        (("a.csv", "b.nkcache", "--no-cache"), "convert writes OUT and nothing else"),
        (("none.csv", "b.nkcache"), r"none\.csv: no such file"),
    ):
        code, out, err = convert(*words)
        assert (code, out) == (2, "")
        assert re.search(reason, err), err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_bad_rows_change_nothing(save, convert, tmp_path):
    save("a.csv", TABLE)
    save("bad.csv", TABLE + "1,2\n")
    for out in ("b.nkcache", "b.parquet"):
        assert convert("a.csv", out)[0] == 0
        before = size(tmp_path / out)
        code, _, err = convert("bad.csv", out, "--force")
        assert code == 2
        assert err.startswith("novikoff: bad.csv:5")
        assert size(tmp_path / out) == before
        save("more.csv", TABLE + "6,7,b\n")
        assert convert("more.csv", out, "--force")[0] == 0
        assert data.open(out).read().X.shape == (4, 2)
    assert not [name for name in file_names(tmp_path) if name.startswith(".")]


def test_too_many_columns_for_parquet(save, convert, tmp_path):
    save("a.svm", "1 1:1\n2 20000:1\n")
    code, _, err = convert("a.svm", "b.parquet")
    assert code == 2
    assert re.search("20,000 features: each would be a column .* convert it to .nkcache", err)
    np.savez(tmp_path / "e.npz", X=np.eye(3), y=[1, 2, 1])
    assert convert("e.npz", "e.parquet")[0] == 0
    assert [name for name in file_names(tmp_path) if name.startswith(".")] == []


def test_two_columns_of_one_name(save, convert):
    save("a.csv", TABLE)
    convert("a.csv", "a.nkcache")
    cache = data.open("a.nkcache")
    cache.info = cache.info._replace(feature_names=["same"] * cache.features)
    from novikoff.data.cache.parquet_export import write_parquet

    with pytest.raises(ValueError, match="two columns would be called 'same'"):
        write_parquet(cache, Path("a.parquet"))
    assert not Path("a.parquet").exists()


def test_a_disk_that_is_full(save, convert, monkeypatch, tmp_path):
    save("a.csv", TABLE)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("novikoff.data.cache.array_file.ArrayFile.append", full)
    for out in ("b.nkcache", "b.parquet"):
        code, _, err = convert("a.csv", out)
        assert code == 2
        assert "cannot be written (No space left on device); nothing was left behind" in err
        assert "--cache" not in err
    assert file_names(tmp_path) == ["a.csv"]


def test_progress_and_ctrl_c(save, tmp_path):
    path = save("a.csv", TABLE)
    out = tmp_path / "b.nkcache"
    with on_terminal("-c", ENDLESS, path, out) as command:
        command.until("rows")
        assert command.end(signal.SIGINT) == (130, "")
    assert "novikoff: interrupted, nothing was written" in command.shown
    assert file_names(tmp_path) == ["a.csv"]


def test_quiet_shows_nothing(save, tmp_path):
    script = ENDLESS.replace("range(1000)", "range(15)")
    command = [sys.executable, "-c", script, save("a.csv", TABLE), tmp_path / "b.nkcache"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ((0, None, 1234, 1.0), "1,234 rows"),
        ((2_500_000, None, 10, 0.5), "2.5 MB  10 rows  5.0 MB/s"),
        ((10**9, 4 * 10**9, 10, 2.0), "1.0 GB of 4.0 GB  10 rows  500 MB/s  0:06 left"),
    ],
)
def test_the_line_of_progress(known, line):
    assert status_line.fit_to_width(status_line.throughput_parts(*known), 80) == line


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123_456, "123 kB"), (7e9, "7.0 GB")],
)
def test_bytes_for_people(number, words):
    assert status_line.in_bytes(number) == words
