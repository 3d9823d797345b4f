"""`novikoff repair` and `check --suspects`, from the shell."""

import csv
import json
import subprocess
import sys

import pytest

from tests.helpers.shell import answer, novikoff

#: On a line: 2.0 and 3.0 have each other's label.
SWAPPED = "x,label\n0,a\n1,a\n2,b\n3,a\n4,b\n5,b\n"
KEYS = {
    "lower", "upper", "exact", "stopped", "rows", "features", "repair", "margin", "weights",
    "intercept", "conflicts", "certificate", "output", "report", "plot",
}  # fmt: skip


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(SWAPPED)
    return path


def test_the_answer_in_words(data, tmp_path):
    proof, table = tmp_path / "proof.json", tmp_path / "table.csv"
    code, text, _ = novikoff("repair", data, "--certificate", proof, "--output", table)
    assert code == 0
    words = " ".join(text.split())
    assert "fewer than 1 mistake on these 6 rows; this one makes as many" in words
    assert "line 5 (a, rather b)" in words or "line 4 (b, rather a)" in words
    assert len(text.splitlines()) < 24
    assert novikoff("verify", proof, data)[0] == 0
    small = [sys.executable, "-m", "novikoff.checker", str(proof), str(data)]
    assert subprocess.run(small, capture_output=True, check=True).stdout.startswith(
        b"valid: repair"
    )
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] != row["suggested_label"] for row in rows] == [True]
    assert set(rows[0]) == {"row", "line", "label", "suggested_label", "x"}


def test_json(data):
    found = answer("repair", data)
    assert found.keys() == KEYS
    assert (found["lower"], found["upper"], found["exact"], found["stopped"]) == (1, 1, True, None)
    assert len(found["repair"]) == 1


def test_separable_rows_and_a_bracket_that_stays_open(data):
    assert (
        "NOTHING TO REPAIR: a hyperplane separates these 150 rows."
        in (novikoff("repair", "example:iris-setosa")[1])
    )
    code, text, _ = novikoff("repair", "example:iris-versicolor", "--time-limit", "0")
    assert code == 3
    assert "the best one found makes" in " ".join(text.split())
    assert "Next: give it more time" in text


def test_trusted_rows_stay(data, tmp_path):
    for line in (4, 5):
        trusted = tmp_path / "trusted.txt"
        trusted.write_text(f"{line}\n")
        found = answer("repair", data, "--trusted", trusted)
        assert found["upper"] == 1
        assert [each["row"] + 2 for each in found["repair"]] != [line]
    trusted.write_text("99\n")
    code, _, words = novikoff("repair", data, "--trusted", trusted)
    assert code == 2
    assert "'99' is not the line of any row" in words


def test_weights_are_a_column_and_the_least_sum_is_sought(tmp_path):
    path, proof = tmp_path / "rows.csv", tmp_path / "proof.json"
    path.write_text("id,x,cost,label\n7,0,1,a\n1,1,1,a\n5,2,2.5,b\n3,3,1.5,a\n9,4,1,b\n2,5,1,b\n")
    words = "repair", path, "--weights", "cost", "--drop", "id"
    found = answer(*words)
    assert (found["lower"], found["upper"], found["features"]) == (1.5, 1.5, 1)
    assert [each["row"] for each in found["repair"]] == [3]
    code, text, _ = novikoff(*words, "--certificate", proof)
    assert code == 0
    text = " ".join(text.split())
    assert (
        "makes mistakes that weigh less than 1.5 on these 6 rows; those of this one weigh 1.5"
        in text
    )
    spelled = text.split("novikoff verify ")[1].split()  # the rows are read as they were
    assert novikoff("verify", *spelled)[0] == 0
    path.write_text(path.read_text().replace("2.5", "-2.5"))
    code, _, words = novikoff("repair", path, "--weights", "cost")
    assert code == 2
    assert "sample_weight has -2.5 for row 2" in words


def test_the_list_of_trusted_rows_is_not_overwritten(data, tmp_path):
    trusted = tmp_path / "trusted.txt"
    trusted.write_text("4\n")
    code, _, words = novikoff("repair", data, "--trusted", trusted, "--output", trusted)
    assert code == 2
    assert "that is --trusted; choose another name" in " ".join(words.split())
    assert trusted.read_text() == "4\n"


def test_the_page_shows_both_pictures_and_the_rows(data, tmp_path):
    page = tmp_path / "page.html"
    assert novikoff("repair", data, "--report", page)[0] == 0
    text = page.read_text()
    for words in ("Which labels of", "Before", "After, without them", "Rows to look at"):
        assert words in text


INTERRUPTED_AT_A_BOUND = """
import os, signal
from novikoff.cli import main
from novikoff.cli.shared.progress.repair_progress import RepairProgress

watch, sent = RepairProgress.watch, []

def interrupt(self, stage):
    watch(self, stage)
    if stage.lower > 0 and not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.SIGINT)

RepairProgress.watch = interrupt
main()
"""


def test_interrupted_it_says_what_is_proven():
    words = ["repair", "example:iris-versicolor", "--json"]
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_A_BOUND, *words], stdout=subprocess.PIPE, check=False
    )
    found = json.loads(run.stdout)
    assert run.returncode == 3
    assert found["stopped"] == "interrupted"
    assert 0 < found["lower"] < found["upper"]


def test_suspects_of_a_check(data):
    code, text, _ = novikoff("check", data, "--suspects", "2")
    assert code == 1
    assert "Suspects, the worst first" in text
    found = answer("check", data, "--suspects", "2", code=1)
    assert {each["row"] for each in found["suspects"]} == {2, 3}
    assert all(each["reason"] for each in found["suspects"])
    assert [each["line"] for each in found["suspects"]] == [
        each["row"] + 2 for each in found["suspects"]
    ]
    assert "; x = " in text
    assert found["suspects"][0]["values"][0]["column"] == "x"
    without = answer("check", data, code=1)
    assert "suspects" not in without


def test_suspects_of_several_labels_say_which_one_they_look_like(tmp_path):
    path = tmp_path / "three.csv"
    corners = [(0, 0, "a"), (9, 0, "b"), (0, 9, "c")]
    rows = [f"{u + i % 3},{v + i // 3},{label}" for u, v, label in corners for i in range(6)]
    path.write_text("\n".join(["u,v,label", *rows, "1.5,0.5,c"]) + "\n")
    (first,) = answer("check", path, "--suspects", "1", code=1)["suspects"]
    assert (first["line"], first["label"], first["suggestion"]) == (20, "c", "a")
    (one,) = answer("check", path, "--suspects", "1", "--positive", "c", code=1)["suspects"]
    assert (one["line"], one["suggestion"]) == (20, "other")


def test_the_support_of_separable_rows_shows_who_decides_the_margin(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,label\n0,a\n1,a\n2,b\n6,b\n7,b\n")
    found = answer("check", path, "--suspects", "1")
    assert {each["row"] for each in found["support"]} == {1, 2}
    assert found["suspects"][0]["multiplier"] in {each["multiplier"] for each in found["support"]}
