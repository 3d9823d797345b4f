"""`novikoff trace`."""

import csv
import signal

import pytest

from tests.helpers.shell import answer, novikoff, on_terminal

SETOSA = "example:iris-setosa"


def test_the_account_of_a_run():
    code, out, err = novikoff("trace", SETOSA)
    assert (code, err) == (0, "")
    assert "converged after 4 epochs and 5 updates; the theorem allows 221" in out
    assert "γ = 0.749117, D = 11.1562" in out
    assert out.count("\n") < 24
    assert max(map(len, out.splitlines())) <= 80
    assert "checked at each update, over the rationals" in out


def test_json_has_the_figures_and_the_checks(tmp_path):
    path = tmp_path / "run.csv"
    found = answer("trace", SETOSA, "--output", path)
    assert (found["updates"], found["mistake_bound"], found["exact"]) == (5, 221, True)
    assert found["output"] == str(path)
    assert [check["name"] for check in found["checks"]] == [
        "target", "norm", "lower", "upper", "bound",
    ]  # fmt: skip
    assert all(check["tightest"] >= 0 and check["steps"] == 5 for check in found["checks"])
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["row"]) for line in lines] == [0, 50, 0, 50, 0]


def test_long_runs_show_their_ends_and_files_their_lines(tmp_path):
    code, out, _ = novikoff("trace", "example:wdbc", "--max-epochs", 5, "--init", "random")
    assert code == 0
    assert "   ...\n" in out
    assert max(map(len, out.splitlines())) <= 80
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,a\n-1,b\n")
    code, out, _ = novikoff("trace", path, "--no-bias", "--towards", "-2")
    assert code == 0
    assert "   line" in out
    assert "     1      2 " in out
    assert out.count("with equality") >= 4


@pytest.mark.parametrize("rule", ["averaged", "voted", "margin", "one-sided"])
def test_relatives_of_the_perceptron(rule):
    assert answer("trace", SETOSA, "--rule", rule, "--max-epochs", 5)["rule"] == rule


def test_winnow_counts_its_budget_down():
    data = "example:disjunction?rows=500&features=50&relevant=2"
    code, out, _ = novikoff("trace", data, "--rule", "winnow")
    assert code == 0
    assert "target: the OR of 2 variables" in out
    assert "u ≤ r⌈log_α θ⌉" in out
    found = answer("trace", data, "--rule", "winnow", "--param", "alpha=1.5")
    assert found["updates"] <= found["mistake_bound"]
    code, out, _ = novikoff("trace", SETOSA, "--rule", "winnow", "--max-epochs", 2)
    assert "target: none; the label is not an OR of variables" in out


def test_passive_aggressive_counts_its_mistakes():
    code, out, err = novikoff("trace", SETOSA, "--rule", "passive-aggressive")
    assert (code, err) == (0, "")
    assert (
        "passive-aggressive: converged after 8 epochs and 79 updates, 12 of them\n"
        "mistakes; the theorem allows 221 mistakes\n"
    ) in out
    assert "  |w_k − u|² ≤ |w_0 − u|² − Σd  0.0319, at update 1\n" in out
    assert "d = τ(2ℓ − τ|z|²)" in out
    assert max(map(len, out.splitlines())) <= 80
    found = answer("trace", SETOSA, "--rule", "passive-aggressive", "--param", "variant=PA-II")
    assert found["mistakes"] <= found["mistake_bound"]
    assert (found["exact"], found["A"], found["B"], found["cycle"]) == (False, None, None, None)
    checked = [check["name"] for check in found["checks"]]
    assert checked == ["norm", "target", "floor", "drops", "bound"]


def test_rows_that_do_not_separate():
    code, out, _ = novikoff("trace", "example:xor", "--max-epochs", 2)
    assert code == 0
    assert "no hyperplane separates the rows" in out
    assert "no separator has a margin above 0" in out
    code, out, _ = novikoff("trace", "example:xor", "--rule", "passive-aggressive")
    assert code == 0
    assert "  |w_k|² ≤ |w_0|² + Στ(2 − ℓ)  to within rounding" in out
    assert "d = τ" not in out


def test_a_run_that_never_ends_is_told():
    code, out, _ = novikoff("trace", "example:xor", "--max-epochs", 50)
    assert code == 0
    assert (
        "the run goes round in a circle: from update 1 on the same 4 updates come again,\n"
        "every epoch, for ever\n"
    ) in out
    found = answer("trace", "example:xor", "--max-epochs", 50)
    assert found["cycle"] == {"first": 0, "length": 4, "epochs": 1}
    assert answer("trace", SETOSA)["cycle"] is None
    assert "circle" not in novikoff("trace", "example:xor", "--order", "shuffle")[1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--towards", "a,b"], "expected numbers"),
        (["--towards", "1,2"], "5 are needed"),
        (["--output", "a.txt"], "as .csv or .parquet"),
        (["--output", "no/folder/a.csv"], "no folder"),
        (["--rule", "second-order"], "follows the proofs"),
        (["--rule", "winnow", "--unit-length"], "unit-length"),
        (["--exact", "--unit-length"], "not rational"),
        (["--exact", "--rule", "passive-aggressive"], "rounded quotients"),
        (["--init", "ones"], "expected zeros or random"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_refused_with_one_line(words, reason, tmp_path):
    code, out, err = novikoff("trace", SETOSA, *words, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert reason in err
    assert err.count("\n") == 1
    assert not [*tmp_path.iterdir()]


def test_the_data_are_not_overwritten(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,a\n-1,b\n")
    code, _, err = novikoff("trace", path, "--output", path)
    assert code == 2
    assert "--output" in err
    assert path.read_text().startswith("x,label")


def test_ctrl_c_ends_the_run_with_what_was_checked(tmp_path):
    out = tmp_path / "run.parquet"
    words = "-m novikoff trace example:wdbc --unit-length --max-epochs 100000000 --output"
    with on_terminal(*words.split(), out) as command:
        command.until("rows/s")  # while it learns
        code, text = command.end(signal.SIGINT)
    assert code == 130
    assert "stopped after" in text
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]


def test_one_class_of_three_against_the_others(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("a,b,label\n1,0,x\n0,1,y\n3,3,z\n")
    code, _, err = novikoff("trace", path)
    assert code == 2
    assert "--positive" in err
    code, out, _ = novikoff("trace", path, "--positive", "x")
    assert code == 0
    assert "converged" in out
    assert answer("trace", path, "--positive", "z")["mistake_bound"] is not None


def test_the_one_sided_rule_says_that_it_looks_at_no_label():
    code, out, _ = novikoff("trace", SETOSA, "--rule", "one-sided")
    assert code == 0
    assert "each taken as positive" in out
