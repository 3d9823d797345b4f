"""The commands on files in several parts, in many formats, with names, and with bad rows."""

import gzip
import json
import os
import subprocess

import numpy as np
import pytest

import novikoff as nk
from tests.helpers.shell import answer, novikoff, running
from tests.helpers.waits import LONG, wait_until

ROWS = [(k % 2, k % 7, (k * k) % 11 / 4) for k in range(60)]


def svmlight(rows, first=1):
    return "".join(f"{y} {a + first}:{b + 1} {8 + first}:1\n" for y, a, b in rows)


def test_several_files_and_patterns(tmp_path):
    whole = tmp_path / "whole.svm"
    whole.write_text(svmlight(ROWS))
    parts = [tmp_path / f"part-{k}.svm.gz" for k in range(3)]
    for k, part in enumerate(parts):
        part.write_bytes(gzip.compress(svmlight(ROWS[20 * k : 20 * k + 20]).encode()))
    words = ["--max-epochs", 5, "--save", tmp_path / "m"]
    models = []
    for data in ([whole], parts, [tmp_path / "part-*.svm.gz"]):
        answer("fit", *data, *words)
        models.append((tmp_path / "m").read_bytes())
    assert models[0] == models[1] == models[2]
    one = novikoff("predict", tmp_path / "m", whole)
    several = novikoff("predict", tmp_path / "m", *parts)
    assert one == several
    code, out, _ = novikoff("check", *parts, "--certificate", tmp_path / "c.json")
    assert code == 1
    assert f"{parts[0]} and 2 more files: 60 rows" in out
    assert f"row 2, {parts[0]} line 3" in " ".join(out.split())  # each row by file and line
    proof = f"novikoff verify {tmp_path / 'c.json'} {' '.join(map(str, parts))}"
    assert out.endswith(f"to check it: {proof}\n")
    assert novikoff("verify", tmp_path / "c.json", whole)[0] == 0
    assert novikoff("verify", tmp_path / "c.json", *parts)[0] == 0


def test_predict_counts_indices_as_the_model_did(tmp_path):
    """A file without an index 0 would be taken to count from 1; the model knows better."""
    (tmp_path / "train.svm").write_text("1 0:1 5:1\n-1 1:1 5:1\n" * 5)
    (tmp_path / "test.svm").write_text("1 2:1\n-1 1:1\n")
    found = answer("fit", tmp_path / "train.svm", "--save", tmp_path / "m")
    assert found["remarks"] == ["indices count from 0: an index 0 was found"]
    model = nk.load(tmp_path / "m")
    expected = model.predict(np.eye(6)[[2, 1]]).tolist()
    found = answer("predict", tmp_path / "m", tmp_path / "test.svm")
    assert found["predictions"] == expected
    told = answer("predict", tmp_path / "m", tmp_path / "test.svm", "--one-based")
    assert told["predictions"] == model.predict(np.eye(6)[[1, 0]]).tolist()


def test_names_that_the_model_does_not_know(tmp_path):
    (tmp_path / "a.vw").write_text("1 |w free money\n-1 |w meeting monday\n" * 3)
    (tmp_path / "b.vw").write_text("1 |w money unheard\n-1 |w monday\n")
    answer("fit", tmp_path / "a.vw", "--save", tmp_path / "m")
    assert nk.load(tmp_path / "m").feature_names_in_.tolist() == [
        "w^free", "w^money", "w^meeting", "w^monday",
    ]  # fmt: skip
    code, out, err = novikoff("predict", tmp_path / "m", tmp_path / "b.vw")
    assert (code, out) == (0, "1\n-1\n")
    assert err.endswith("1 feature was left out, whose names are not known\n")


def test_hashed_names(tmp_path):
    (tmp_path / "a.vw").write_text("1 |w free money\n-1 |w meeting monday\n" * 3)
    code, out, _ = novikoff("fit", tmp_path / "a.vw", "--hash-bits", 3, "--save", tmp_path / "m")
    assert code == 0
    assert "8 features" in out
    assert "4 names in 8 columns" in out
    code, out, _ = novikoff("predict", tmp_path / "m", tmp_path / "a.vw")
    assert (code, out) == (0, "1\n-1\n" * 3)  # with the hash that the model was made with
    assert "--hash-bits" in novikoff("fit", "example:xor", "--hash-bits", 3)[2]


def test_categories(tmp_path):
    (tmp_path / "a.csv").write_text("n,city,y\n1,Rome,yes\n2,Paris,no\n3,Rome,yes\n1,Paris,no\n")
    found = answer("fit", tmp_path / "a.csv", "--save", tmp_path / "m")
    assert (found["features"], found["classes"]) == (3, ["no", "yes"])
    assert nk.load(tmp_path / "m").feature_names_in_.tolist() == ["n", "city=Rome", "city=Paris"]
    (tmp_path / "b.csv").write_text("city,n\nParis,5\nRome,1\n")
    code, out, err = novikoff("predict", tmp_path / "m", tmp_path / "b.csv")
    assert (code, out) == (0, "no\nyes\n"), err
    (tmp_path / "b.csv").write_text("city,n\nParis,5\nOslo,1\n")
    code, out, err = novikoff("predict", tmp_path / "m", tmp_path / "b.csv")
    assert code == 2
    assert f"{tmp_path / 'b.csv'}:3:1: " in err
    assert "'Oslo'" in err


def test_parquet_and_arrow_are_the_table(tmp_path):
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    columns = {"a": [r[1] for r in ROWS], "b": [r[2] for r in ROWS], "y": [r[0] for r in ROWS]}
    table = pa.table(columns)
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=7)
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    lines = (f"{a},{b},{y}\n" for y, a, b in ROWS)
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(lines))
    models = set()
    for name in ("t.parquet", "t.feather", "t.csv"):
        answer("fit", tmp_path / name, "--max-epochs", 4, "--save", tmp_path / "m")
        models.add((tmp_path / "m").read_bytes())
    assert len(models) == 1


def test_a_log_of_the_run(tmp_path):
    (tmp_path / "a.svm").write_text(svmlight(ROWS))
    found = answer("fit", tmp_path / "a.svm", "--max-epochs", 7, "--log", tmp_path / "log")
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert [line["recent_mistakes"] for line in lines] == found["mistakes_per_epoch"]
    assert {line["rows"] for line in lines} == {60}
    assert lines[-1]["mistakes"] == found["mistakes"]
    assert lines[-1]["margin_ceiling"] >= found["margin_ceiling"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--resume"], "--resume goes on from a --checkpoint"),
        (["--checkpoint", "c", "--certificate", "p"], "--certificate needs the whole run"),
        (["--checkpoint", "c", "--report", "r.html"], "--report needs the whole run"),
        (["--checkpoint", "no/such/c"], "there is no folder"),
        (["--checkpoint", "a.svm"], "that is the data"),
        (["--log", "m", "--save", "m"], "that is --save"),
        (["--cache", "x", "--no-cache"], "contradict each other"),
        (["--skipped-to", "x"], "--skipped-to is for --bad-rows skip"),
        (["--hash-bits", "4"], "--hash-bits 4 is for vw"),
        (["--cache", "a.svm"], "a.svm"),
    ],
)
def test_what_cannot_be_meant(tmp_path, words, message):
    (tmp_path / "a.svm").write_text(svmlight(ROWS))
    code, out, err = novikoff("fit", "a.svm", *words, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.svm"]


def test_a_damaged_checkpoint_is_refused_and_kept(tmp_path):
    (tmp_path / "a.svm").write_text(svmlight(ROWS))
    (tmp_path / "c").write_bytes(b"damaged")
    words = ["fit", tmp_path / "a.svm", "--checkpoint", tmp_path / "c", "--resume"]
    code, _, err = novikoff(*words)
    assert code == 2
    assert "not a novikoff checkpoint, or a damaged one" in err
    assert (tmp_path / "c").read_bytes() == b"damaged"


def test_a_pipe_goes_on_where_it_was(tmp_path):
    """The same stream given again is read on from the byte it was left at."""
    text = svmlight(ROWS * 3000)
    expected = answer("fit", "-", "--format", "svmlight", stdin=text)
    words = ["-m", "novikoff", "fit", "-", "--format", "svmlight", "--checkpoint", tmp_path / "c"]
    with running(*words, "--checkpoint-every", "0", stdin=subprocess.PIPE) as process:
        process.stdin.write(text[: len(text) // 2])
        process.stdin.flush()
        wait_until((tmp_path / "c").exists, "a checkpoint")
        process.kill()
        process.communicate()
    found = answer(*words[2:], "--resume", stdin=text)
    assert found["mistakes"] == expected["mistakes"]
    assert found["rows"] == expected["rows"] == len(ROWS) * 3000


def test_rows_are_learned_as_they_come(tmp_path):
    """What came through a pipe does not wait for what comes next."""
    reader, writer = os.pipe()
    log = tmp_path / "c"
    words = ["fit", "-", "--format", "svmlight", "--classes=0,1", "--checkpoint", log]
    with running("-m", "novikoff", *words, "--checkpoint-every", "0", stdin=reader) as process:
        os.close(reader)
        os.write(writer, b"1 1:1\n")
        wait_until(log.exists, "learning from the one row that was written")
        os.write(writer, b"0 2:1\n")
        os.close(writer)
        out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, err
    assert "2 rows" in out
