"""`novikoff check` and `novikoff verify`, from the shell."""

import dataclasses
import json
import math
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.cli.check.result import CheckResult
from novikoff.cli.shared.loaded_source import LoadedSource
from novikoff.cli.shared.margin import bracket
from novikoff.verdict import Coefficient, Identical, Margin, check
from novikoff.verdict.account import text as check_text
from tests.helpers.shell import answer, novikoff, on_terminal

CHECK_KEYS = {
    "outcome", "rows", "features", "margin", "radius", "mistake_bound", "conflict", "coefficients",
    "certificate", "strict", "rank", "identical", "seconds", "scans",
}  # fmt: skip
QUASI = "age,dose,died\n1,0,no\n2,0,yes\n3,1,yes\n4,0,no\n5,1,yes\n2,0,no\n"
#: In decimals the middle row is the mean of the others; in doubles it is off the line by a hair.
TENTHS = "u,v,label\n0.1,0.2,a\n0.2,0.5,b\n0.3,0.8,a\n"
THREE = "1,x\n2,y\n3,z\n"
NAN = "1,2,a\n3,nan,b\n"
RAGGED = "1,2,a\n3,4,b\n5,a\n"
#: A check that has proven something, and then takes its time.
SLOW = """
import sys, time
from novikoff.cli import main
from novikoff.cli.check import result
from novikoff.verdict.result import Stage

def check(*words, watch, **options):
    for scans in range(1000):
        watch(Stage("narrowing the margin", "separable", 0.125, 0.5, scans))
        time.sleep(0.05)

result.check = check
sys.argv = ["novikoff", "check", *sys.argv[1:]]
main()
"""


#: A check with a defect.
BROKEN = """
import sys
from novikoff.cli import main
from novikoff.cli.check import result
result.check = None
sys.argv = ["novikoff", "check", "example:xor"]
main()
"""


def cancelled(found, example):
    """The signed, lifted rows of a conflict, each times its multiplier, added up exactly."""
    X, y = nk.open(example).read()[:2]
    positive = max(y.tolist())
    total = [Fraction(0)] * (X.shape[1] + 1)
    for each in found["conflict"]:
        factor = Fraction(each["multiplier"]) * (1 if y[each["row"]] == positive else -1)
        lifted = [*X[each["row"]].tolist(), 1.0]
        total = [a + factor * Fraction(b) for a, b in zip(total, lifted, strict=True)]
    return total


def test_separable_json():
    found = answer("check", "example:iris-setosa")
    assert set(found) >= CHECK_KEYS
    assert (found["outcome"], found["rows"], found["features"]) == ("separable", 150, 4)
    square = Fraction(found["margin"]["squared"])
    assert Fraction(found["margin"]["lower"]) ** 2 <= square
    assert square <= Fraction(found["margin"]["upper"]) ** 2
    assert found["mistake_bound"] == math.floor(Fraction(found["radius"]) ** 2 / square)
    assert found["conflict"] == []
    assert (found["strict"], found["rank"], found["identical"]) == (150, 5, None)
    assert [each["name"] for each in found["coefficients"]][-1] == "intercept"
    assert {each["status"] for each in found["coefficients"]} == {"diverges"}
    assert found["certificate"] is None


@pytest.mark.parametrize("name", ["xor", "iris-versicolor"])
def test_inseparable_json(name):
    found = answer("check", f"example:{name}", code=1)
    assert found["outcome"] == "inseparable"
    assert found["margin"] == {"lower": 0, "upper": 0, "squared": "0"}
    assert found["mistake_bound"] is None
    assert 2 <= len(found["conflict"]) <= found["features"] + 2
    assert all(Fraction(each["multiplier"]) > 0 for each in found["conflict"])
    assert set(cancelled(found, f"example:{name}")) == {0}
    assert {each["status"] for each in found["coefficients"]} == {"finite"}


def test_the_command_line_says_what_the_function_does():
    X, y = nk.open("example:separable?rows=50&features=3").read()[:2]
    words = ["--no-bias", "--unit-length", "--precision", "0.01"]
    found = answer("check", "example:separable?rows=50&features=3", *words)
    verdict = check(X, y, fit_intercept=False, unit_length=True, precision=0.01)
    assert found["margin"]["lower"] == verdict.margin.lower
    assert found["margin"]["upper"] == verdict.margin.upper
    assert found["radius"] == verdict.radius == 1.0
    assert [each["name"] for each in found["coefficients"]] == ["x0", "x1", "x2"]


def test_text_for_separable_rows(here):
    code, out, err = here("check", "example:and")
    assert (code, err) == (0, "")
    for words in (
        "SEPARABLE: some hyperplane puts every row strictly on its correct side",
        "γ = 0.242535..., γ² = 1/17 exactly",
        "started at",
        "Perceptron: it converges",
        "to +∞        a, b",
        "to -∞        intercept",
        "Penalise",
        "Wald",
        "Do not drop a separating column",
    ):
        assert words in out


def test_identical_rows_are_counted_and_named_by_their_lines(here, save):
    path = save("twins.csv", "x,y\n1,no\n2,yes\n1,yes\n7,no\n2,yes\n1,no\n9,yes\n7,yes\n")
    found = answer("check", path, code=1)
    assert found["outcome"] == "inseparable"
    assert found["identical"] == {"rows": 5, "groups": 2}
    out = here("check", path)[1]
    assert "5 rows in 2 groups are the same but for the label, such as line" in out
    assert "Look at the rows above: is a label wrong" in " ".join(out.split())
    assert "averaged" in out


def test_a_conflict_names_the_lines_of_the_file(here, save):
    text = "# a comment\n+1 1:1\n\n-1 1:2\n+1 1:3\n"
    out = here("check", save("a.svm", text))[1]
    assert "line 4 (label -1) times" in out
    assert "line 5 (label 1) times" in out


def test_quasi_separation_and_its_coefficients(here, save):
    path = save("quasi.csv", QUASI)
    words = ["--contrast", "age=1,dose=-2", "--contrast", "age=1", "--contrast", "column 1=1"]
    found = answer("check", path, *words, code=1)
    assert (found["outcome"], found["strict"]) == ("quasi-separable", 2)
    assert found["coefficients"] == [
        {"name": "age", "status": "finite", "sign": None},
        {"name": "dose", "status": "diverges", "sign": "+"},
        {"name": "intercept", "status": "finite", "sign": None},
    ]
    signs = [(each["name"], each["sign"]) for each in found["contrasts"]]
    assert signs == [("age=1,dose=-2", "-"), ("age=1", None), ("column 1=1", "+")]
    code, out, _ = here("check", path, *words)
    assert code == 1
    assert "2 of 6 rows strictly" in out
    assert "to +∞        dose" in out
    assert "finite       age, intercept" in out
    assert "age=1,dose=-2: to -∞" in out


def test_coefficients_beyond_a_hundred_columns_are_asked_for(here, tmp_path):
    X = np.eye(101)
    np.savez(tmp_path / "wide.npz", X=X, y=np.arange(101) % 2)
    found = answer("check", tmp_path / "wide.npz", "--no-bias")
    assert (found["coefficients"], found["rank"]) == (None, None)
    assert "--coefficients" in here("check", tmp_path / "wide.npz", "--no-bias")[1]
    found = answer("check", tmp_path / "wide.npz", "--no-bias", "--coefficients")
    assert [each["sign"] for each in found["coefficients"]] == ["-", "+"] * 50 + ["-"]
    assert found["coefficients"][3]["name"] == "column 3"
    found = answer("check", "example:and", "--no-coefficients")
    assert found["coefficients"] is None


def test_decimals_mean_what_they_write(save):
    path = save("tenths.csv", TENTHS)
    assert answer("check", path)["outcome"] == "separable"
    found = answer("check", path, "--decimal", code=1)
    assert found["outcome"] == "inseparable"
    assert [each["multiplier"] for each in found["conflict"]] == ["1/4", "1/2", "1/4"]
    assert (found["rank"], found["features"]) == (2, 2)


def test_counts(here, save):
    path = save("counts.csv", "x,z,n\n1,0,0\n2,0,3\n1,0,2\n0,1,0\n")
    found = answer("check", path, "--family", "poisson", code=1)
    assert (found["outcome"], found["strict"]) == ("quasi-separable", 1)
    assert {each["name"]: each["sign"] for each in found["coefficients"]}["z"] == "-"
    out = here("check", path, "--family", "poisson")[1]
    assert "has 1 zero strictly on one side" in " ".join(out.split())
    assert "Perceptron" not in out


def test_one_label_against_the_rest(here, save):
    words = save("three.csv", THREE)
    assert answer("check", words, "--positive", "z")["outcome"] == "separable"
    assert answer("check", words, "--positive", "y", code=1)["outcome"] == "inseparable"
    numbers = save("numbers.csv", "1,10\n2,20\n3,30\n")
    assert answer("check", numbers, "--positive", "30.0")["outcome"] == "separable"
    code, out, _ = here("check", numbers, "--positive", "20")
    assert (code, "20 against the rest" in out, "line 1 (label 10)" in out) == (1, True, True)


def test_standard_input_is_read_whole():
    assert answer("check", "-", stdin="1,a\n2,b\n")["outcome"] == "separable"


def test_out_of_time_is_undecided(here, tmp_path):
    proof = tmp_path / "proof.json"
    words = ["example:iris-versicolor", "--time-limit", "0", "--certificate", proof]
    found = answer("check", *words, code=3)
    assert found["outcome"] == "undecided"
    assert found["margin"]["lower"] == 0
    assert (found["coefficients"], found["strict"], found["certificate"]) == (None, None, None)
    code, out, _ = here("check", *words)
    assert code == 3
    assert "give it more time" in out
    assert "nothing was written" in out
    assert not proof.exists()


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("1,a\n2,a\n", [], "all 2 rows have the label a"),
        (THREE, ["--plot", "p.svg"], "--positive"),
        (THREE, ["--unit-length"], "more than two labels have no unit length"),
        (THREE, ["--positive", "w"], "no row has the label 'w'"),
        ("1,1\n2,2\n", ["--positive", "w"], "the labels of these rows are numbers"),
        (NAN, [], "rows.csv:2"),
        (RAGGED, [], "rows.csv:3"),
        (QUASI, ["--contrast", "weight=1"], "there is no column 'weight', only age, dose"),
        (QUASI, ["--contrast", "age"], "expected NAME=WEIGHT"),
        (QUASI, ["--contrast", "age=much"], "found 'much', expected a number"),
        (QUASI, ["--contrast", "age=1,age=-1"], "no weight is other than 0"),
        (QUASI, ["--no-bias", "--contrast", "intercept=1"], "there is no column 'intercept'"),
        ("a,a,y\n1,2,p\n2,1,q\n", ["--contrast", "a=1"], "2 columns are called a"),
        (QUASI, ["--precision", "-1"], "precision"),
        (QUASI, ["--time-limit", "nan"], "time_limit"),
        (QUASI, ["--family", "gamma"], "family"),
        (QUASI, ["--family", "poisson"], "counts"),
        ("1,-2\n2,1\n", ["--family", "poisson"], "not negative"),
        (QUASI, ["--certificate", "no/such/folder/c.json"], "there is no folder"),
        ("x,y\n1e-6000,a\n2,b\n", ["--decimal"], "rows.csv:2"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(here, save, tmp_path, text, words, message):
    code, out, err = here("check", save("rows.csv", text), *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_several_labels_are_a_question_about_all_classes_and_about_each(here, save, tmp_path):
    rows = save("rows.csv", THREE)
    proof = tmp_path / "proof.json"
    found = answer("check", rows, "--certificate", proof)
    assert found.keys() >= CHECK_KEYS
    assert found["outcome"] == "separable"
    each = {one["class"]: one["outcome"] for one in found["one_against_rest"]}
    assert each == {"x": "separable", "y": "inseparable", "z": "separable"}
    assert answer("verify", proof, rows)["valid"]
    code, out, _ = here("check", rows)
    assert code == 0
    assert "are jointly separable" in " ".join(out.split())
    assert "separable: x, z" in out
    assert "inseparable: y" in out
    verdict = nk.check(nk.open(rows))
    assert "one by one" not in str(verdict)
    assert verdict.one_against_rest["y"].outcome == "inseparable"
    assert str(verdict).splitlines()[1:] == out.splitlines()[1:]


def test_classes_that_overlap_are_told_from_those_that_do_not(here, save):
    rows = save("rows.csv", "0,0,a\n0,0,b\n1,0,b\n0,9,c\n0,8,c\n")
    found = answer("check", rows, code=1)
    assert found["outcome"] == "quasi-separable"
    each = {one["class"]: one["outcome"] for one in found["one_against_rest"]}
    assert each == {"a": "quasi-separable", "b": "quasi-separable", "c": "separable"}
    assert "the classes are not jointly separable" in " ".join(here("check", rows)[1].split())
    one = answer("check", rows, "--positive", "c")
    assert (one["outcome"], one["one_against_rest"]) == ("separable", None)
    late = answer("check", rows, "--time-limit", "0", code=3)
    assert {each["outcome"] for each in late["one_against_rest"]} <= {"undecided", "separable"}


def test_decimals_are_for_text(here):
    code, out, err = here("check", "example:xor", "--decimal")
    assert (code, out) == (2, "")
    assert "decimal=True is for csv, tsv, svmlight" in err


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("setosa", None, ["example:iris-setosa"]),
        ("xor", None, ["example:xor", "--no-bias"]),
        ("quasi.csv", QUASI, []),
        ("tenths.csv", TENTHS, ["--decimal"]),
        ("three.csv", THREE, ["--positive", "z", "--unit-length"]),
        ("counts.csv", "x,z,n\n1,0,0\n2,0,3\n1,0,2\n0,1,0\n", ["--family", "poisson"]),
    ],
)
def test_a_certificate_is_written_and_valid(here, save, tmp_path, name, text, words):
    data = save(name, text) if text else words[0]
    proof = tmp_path / "proof.json"
    options = words if text else words[1:]
    code, out, err = here("check", data, *options, "--certificate", proof)
    assert code in (0, 1), err
    assert f"novikoff verify {proof} {data}" in out
    found = answer("verify", proof, data)
    assert set(found) == {"valid", "reason", "claim", "rows", "features"}
    assert found["valid"] is True
    claim = json.loads(proof.read_text())["claim"]
    assert found["claim"] == claim
    code, out, _ = here("verify", proof, data)
    assert code == 0
    assert out.startswith("VALID: ")
    assert claim in out


def test_what_is_not_valid(here, save, tmp_path):
    data, proof = save("quasi.csv", QUASI), tmp_path / "proof.json"
    assert answer("check", data, "--certificate", proof, code=1)["certificate"] == str(proof)
    good = proof.read_text()
    other = save("other.csv", QUASI.replace("5,1,yes", "5,1,no"))
    found = answer("verify", proof, other, code=1)
    assert (found["valid"], found["claim"]) == (False, "quasi-separable")
    assert found["reason"]
    assert answer("verify", proof, "example:xor", code=1)["valid"] is False
    damaged = {
        "changed": good.replace('"strict": 2', '"strict": 3'),
        "cut": good[: len(good) // 2],
        "empty": "",
        "text": "all is well\n",
        "list": "[1, 2]",
        "deep": '{"format":' * 20_000,
        "binary": "\x00\x01",
        "rational": good.replace('"binary64"', '"rational"'),
    }
    for name, content in damaged.items():
        path = save(f"{name}.json", content)
        code, out, err = here("verify", path, data)
        assert (code, err) == (1, ""), name
        assert out.startswith("NOT VALID: ")
        assert len(out.splitlines()) == 2


def test_a_certificate_about_decimals_is_not_about_doubles(here, save, tmp_path):
    data, proof = save("tenths.csv", TENTHS), tmp_path / "proof.json"
    assert here("check", data, "--decimal", "--certificate", proof)[0] == 1
    np.save(tmp_path / "tenths.npy", [[0.1, 0.2, 0], [0.2, 0.5, 1], [0.3, 0.8, 0]])
    assert here("verify", proof, tmp_path / "tenths.npy")[0] == 1
    assert here("check", data, "--certificate", proof)[0] == 0
    assert here("verify", proof, data)[0] == 0


def test_verify_refuses_what_it_cannot_read(here, save, tmp_path):
    data, proof = save("quasi.csv", QUASI), tmp_path / "proof.json"
    assert here("check", data, "--certificate", proof)[0] == 1
    for words, message in (
        ([tmp_path / "nothing.json", data], "nothing.json: cannot be read"),
        ([tmp_path, data], "cannot be read"),
        ([proof, tmp_path / "nowhere.csv"], "nowhere.csv"),
        ([proof, save("ragged.csv", RAGGED)], "ragged.csv:3"),
    ):
        code, out, err = here("verify", *words)
        assert (code, out) == (2, "")
        assert message in err


def test_what_is_proven_is_shown_while_it_goes_on_and_ctrl_c_writes_nothing(tmp_path):
    words = ["-c", SLOW, "example:xor", "--certificate", tmp_path / "proof.json"]
    with on_terminal(*words) as command:
        shown = command.until("scans")
        for word in (" s", "narrowing the margin", "proven: separable", "margin from 0.125 to 0.5"):
            assert word in shown
        assert command.end(signal.SIGINT) == (130, "")
    assert "interrupted, proven: separable, margin from 0.125 to 0.5" in command.shown
    assert not list(tmp_path.iterdir())


def test_a_defect_is_not_taken_for_an_answer():
    done = subprocess.run(
        [sys.executable, "-c", BROKEN], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert "Traceback" in done.stderr


def test_the_account_fits_a_screen(here):
    for words in (["example:digits-8"], ["example:wdbc"], ["example:iris-versicolor"]):
        lines = here("check", *words)[1].splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines[1:])) <= 80
    assert "more: --json lists them all" in "\n".join(lines)


SQUARES = st.fractions(0, 10**9) | st.builds(
    Fraction, st.integers(1, 10**40), st.integers(1, 10**60)
)


@given(SQUARES, SQUARES)
def test_what_is_said_of_a_margin_stays_true(one, other):
    lower, upper = sorted((one, other))
    text = bracket(Margin(lower, upper))
    found = re.findall(r"[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?", text)
    numbers = [Fraction(word) for word in found]
    if lower == upper:
        shown = Fraction(text.split(" = ")[1].split(",")[0].removesuffix("..."))
        assert shown**2 <= lower <= (shown * (1 + Fraction(1, 10**5))) ** 2
        assert text.count("...") == (shown**2 != lower)
    elif lower:
        assert numbers[0] ** 2 <= lower
        assert upper <= numbers[1] ** 2
    else:
        assert upper <= numbers[0] ** 2


def test_the_longest_account_still_fits_a_screen(save):
    lines = "".join(f"{row % 7},{row % 2},{row * row % 5},{row % 3 > 1}\n" for row in range(60))
    source = LoadedSource(nk.open(save("rows.csv", lines)))
    verdict = dataclasses.replace(
        check(source),
        outcome="quasi-separable",
        conflict=[(row, Fraction(row + 1, 10**9)) for row in range(60)],
        strict=np.arange(60) > 40,
        identical=Identical(30, 9, (4, 8)),
    )
    kinds = list(check_text.FATES) * 20
    long = [Coefficient(f"a column of a long name {k}", *kind) for k, kind in enumerate(kinds)]
    found = CheckResult(source, source.spelled, verdict, 1.0, 3, long, [long[0]])
    told = check_text.format_verdict(found, Path("proof.json")).splitlines()
    assert len(told) == 24
    assert max(map(len, told[1:-1])) <= 80  # the first and the last have paths
    assert "more: --json lists them all" in "".join(told)


@pytest.mark.parametrize("command", ["check", "fit"])
def test_a_certificate_never_replaces_the_data(command, tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text(QUASI)
    (tmp_path / "link.csv").hardlink_to(data)
    for name in ("rows.csv", "./rows.csv", "link.csv"):
        code, _, err = novikoff(command, data, "--certificate", f"{tmp_path}/{name}")
        assert code == 2
        assert "that is the data" in err
    assert data.read_text() == QUASI
