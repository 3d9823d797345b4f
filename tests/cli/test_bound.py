"""`novikoff bound`, from the shell."""

import json
import signal
import subprocess
import sys
from fractions import Fraction

import pytest

import novikoff as nk
from novikoff.cli.bound.from_numbers import exact_number
from novikoff.cli.shared.spec_options import spec_from_options
from novikoff.errors import ParameterError
from novikoff.learning.training import fit
from novikoff.theory import bounds
from tests.helpers.shell import novikoff, on_terminal

BOUND_KEYS = {
    "name", "value", "real", "formula", "figures", "learner", "hypotheses", "refused",
}  # fmt: skip
DATA_KEYS = {"rows", "features", "outcome", "margin", "radius", "passes", "bounds", "run"}
RUN_KEYS = {
    "mistakes", "mistakes_per_epoch", "epochs", "converged", "because", "length", "ceiling",
    "after_length", "after_rows",
}  # fmt: skip
BITS = "a,b,c,label\n0,1,0,yes\n1,0,0,yes\n0,0,1,no\n"
#: In decimals the middle row is the mean of the others; in doubles it is off the line by a hair.
TENTHS = "u,v,label\n0.1,0.2,a\n0.2,0.5,b\n0.3,0.8,a\n"
#: A bound that takes its time.
SLOW = """
import sys, time
from novikoff.theory.bounds import evaluate
from novikoff.cli import main

def look(case):
    time.sleep(60)

evaluate.BOUNDS["hinge"] = look
sys.argv = ["novikoff", "bound", *sys.argv[1:]]
main()
"""


@pytest.fixture
def bound(here):
    """Run `novikoff bound`."""
    return lambda *words: here("bound", *words)


@pytest.fixture
def asked(bound):
    """The JSON object of a question that is answered with exit code 0, or another one."""

    def run(*words, code=0):
        ended, out, err = bound(*words, "--json")
        assert (ended, err, out.count("\n")) == (code, "", 1)
        return json.loads(out)

    return run


def by_name(found):
    return {each["name"]: each for each in found["bounds"]}


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["--radius", "1", "--margin", "0.1"], "novikoff", 100),
        (["--radius", "2.5", "--margin", "1/2"], "novikoff", 25),
        (["--margin", "0.3"], "unit-length", 11),
        (["--gap", "0.01"], "one-sided", 10_000),
        (["--length", "3", "--margin", "0.1", "--eta", "0.5"], "after-length", 60),
        (["--relevant", "3", "--features", "1024"], "winnow", 101),
        (["--relevant", "1", "--features", "9", "--alpha", "3", "--theta", "9"], "winnow", 13),
    ],
)
def test_bounds_from_numbers(asked, words, name, value):
    found = asked(*words)
    assert set(found) == {"bounds"}
    assert [each["name"] for each in found["bounds"]] == [name]
    told = found["bounds"][0]
    assert set(told) == BOUND_KEYS
    assert (told["value"], told["refused"]) == (value, None)
    assert value <= told["real"] < value + 1
    assert {each["holds"] for each in told["hypotheses"]} == {None}


def test_a_tenth_is_a_tenth():
    """As a double, 0.1 is a little more than that, and 1/0.1^2 a little less than 100."""
    assert int(bounds.unit_length(Fraction(0.1))) == 99
    assert exact_number("--margin", "0.1") == Fraction(1, 10)
    assert exact_number("--margin", "1e-2/3") == Fraction(1, 300)
    for text, words in (
        ("1/0", "division by 0"),
        ("a", "expected a number"),
        ("1/2/3", "expected"),
    ):
        with pytest.raises(ParameterError, match=words):
            exact_number("--margin", text)


def test_several_numbers_give_several_bounds_in_words(bound):
    code, out, err = bound("--margin", "1/3", "--gap", "0.5", "--relevant", 2, "--features", 8)
    assert (code, err) == (0, "")
    for words in (
        "unit-length: at most 9 mistakes",
        "one-sided: at most 4 mistakes",
        "winnow: at most 26 mistakes",
        "1/γ², γ = 0.333333",
        "  if         every row has the length 1\n",
        "  and        the label is the OR of r of the n variables\n",
    ):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "give DATA, or numbers"),
        (["--radius", "1"], "--radius needs --margin"),
        (["--length", "1"], "--length needs --margin"),
        (["--margin", "1", "--eta", "1"], "--eta needs --length"),
        (["--relevant", "1"], "--relevant needs --features"),
        (["--features", "1"], "--features needs --relevant"),
        (["--alpha", "2"], "--alpha needs --relevant"),
        (["--margin", "0"], "margin above 0"),
        (["--margin", "2"], "no row is longer than 1"),
        (["--margin", "x"], "--margin x: found 'x', expected a number"),
        (["--relevant", "3", "--features", "2"], "not possible"),
        (["--margin", "0.5", "--run"], "--run is about DATA"),
        (["--margin", "0.5", "--only", "novikoff"], "--only is about DATA"),
        (["--margin", "0.5", "--passes", "2"], "--passes is about DATA"),
        (["--margin", "0.5", "--no-bias"], "--no-bias is about DATA"),
        (["example:or", "--margin", "0.5"], "--margin is for numbers alone"),
        (["example:or", "--features", "2"], "--features is for numbers alone"),
        (["example:or", "--only", "nov"], "there is no bound 'nov'; there are novikoff, unit"),
        (["example:or", "--eta", "0"], "eta must be a number above 0"),
        (["example:or", "--variables", "z"], "no column 'z'"),
        (["example:or", "--variables", "7"], "no column 7"),
        (["example:or", "--positive", "x"], "labels of these rows are numbers"),
        (["example:or", "--positive", "7"], "no row has the label 7"),
        (["example:or", "--time-limit", "-1"], "time_limit"),
        (["example:nothing"], "nothing"),
    ],
)
def test_what_cannot_be_answered_ends_with_code_2(bound, words, problem):
    code, out, err = bound(*words)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_every_bound_on_data_with_a_run_as_json(asked):
    found = asked("example:or", "--run")
    assert set(found) == DATA_KEYS
    assert (found["rows"], found["features"], found["outcome"]) == (4, 2, "separable")
    assert found["margin"]["squared"] == "1/9"
    named = by_name(found)
    assert {name: each["value"] for name, each in named.items() if not each["refused"]} == {
        "novikoff": 27,
        "fixed-increment": 27,
        "winnow": 14,
        "balanced-winnow": 89,
        "freund-schapire": 4,
        "hinge": 4,
    }
    assert all(set(each) == {*BOUND_KEYS, "made"} for each in named.values())
    assert named["winnow"]["figures"] == {"r": 2, "n": 2, "relevant": [0, 1]}
    assert named["hinge"]["figures"]["vacuous"] is True
    assert set(found["run"]) == RUN_KEYS
    model = nk.Perceptron().fit(*nk.open("example:or").read()[:2])
    assert found["run"]["mistakes"] == model.mistakes_ == named["novikoff"]["made"]
    assert found["run"]["mistakes_per_epoch"] == model.mistakes_per_epoch_
    assert named["hinge"]["made"] == model.mistakes_per_epoch_[0]
    assert named["unit-length"]["made"] is None
    assert model.mistakes_ <= found["run"]["after_length"] <= found["run"]["after_rows"] <= 27


def test_the_command_line_says_what_the_function_does(asked):
    words = ["--no-bias", "--unit-length", "--passes", "3", "--eta", "0.1"]
    found = by_name(asked("example:iris-versicolor", *words))
    known = bounds.on(
        nk.open("example:iris-versicolor"),
        fit_intercept=False,
        unit_length=True,
        passes=3,
        eta=Fraction(1, 10),
    )
    assert list(found) == [each.name for each in known]
    for each in known:
        assert found[each.name]["value"] == each.value
        assert found[each.name]["refused"] == each.refused
        assert found[each.name]["hypotheses"] == [one._asdict() for one in each.hypotheses]


def test_a_random_start_is_that_of_fit(asked):
    spec = spec_from_options("perceptron", {"eta": 0.5}, [], "random", None, False, 3)
    found = asked("example:iris-setosa", "--start", "random", "--seed", 3, "--eta", 0.5, "--run")
    mistakes = fit(spec, nk.open("example:iris-setosa")).learner.total("mistakes")
    assert found["run"]["mistakes"] == mistakes
    named = by_name(found)
    assert named["fixed-increment"]["made"] == mistakes
    assert mistakes <= named["fixed-increment"]["value"]
    assert "any start" in named["novikoff"]["refused"]
    assert found["run"]["after_rows"] is None
    assert found["run"]["mistakes"] <= found["run"]["after_length"]


def test_text_for_separable_rows(bound):
    code, out, err = bound("example:iris-setosa", "--run")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "example:iris-setosa: 150 rows, 4 features, setosa against other"
    assert lines[1].startswith("separable: D = 11.1562; γ = 0.749117...")
    assert lines[2].split() == ["bound", "at", "most", "made", "formula"]
    run, one_pass = "in any order, however often:", "in one pass over the rows,"
    assert lines[3] == f"of the perceptron from zero weights, with any step, {run}"
    assert lines[4].split()[:4] == ["novikoff", "221", "5", "(D/γ)²,"]
    soft = next(k for k, line in enumerate(lines) if "freund-schapire" in line)
    assert lines[soft - 2].endswith(one_pass)
    assert lines[soft - 1] == "  in any order:"
    assert lines[soft + 1].split()[0] == "hinge"
    assert "A = 0.561, B = 125" in out
    assert "The perceptron from zeros made 5 mistakes in 4 epochs" in out
    assert "no separator has a margin above 1.44" in out
    assert "than 9 by |w_k − w_0|/(ηγ), or 22 by √(Σ|x|²)/γ." in out
    assert "  winnow: row 0 has 5.1 in sepal length (cm)" in out
    assert max(map(len, lines)) <= 80


def test_text_for_rows_that_do_not_separate(bound):
    code, out, err = bound("example:xor", "--passes", 3)
    assert (code, err) == (0, "")
    assert "inseparable: D = 1.73206\n" in out
    assert "no better than" in out
    assert "  novikoff, fixed-increment, balanced-winnow: not separable: row 0, row 1" in out
    assert "made" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_disjunction_is_named_by_columns_and_lines(bound, asked, tmp_path):
    path = tmp_path / "bits.csv"
    path.write_text(BITS)
    assert "winnow: the label is a or b, r = 2\n" in bound(path, "--only", "winnow")[1]
    code, out, _ = bound(path, "--only", "winnow", "--variables", "b")
    assert code == 1
    assert "line 3 is positive, but none of the variables named is 1 in it" in " ".join(out.split())
    found = asked(path, "--only", "winnow", "--variables", "0, b")
    assert by_name(found)["winnow"]["figures"]["relevant"] == [0, 1]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["example:or", "--only", "novikoff", "--only", "winnow"], 0),
        (["example:xor", "--only", "hinge"], 0),
        (["example:xor", "--only", "hinge", "--only", "novikoff"], 1),
        (["example:xor"], 0),
        (["example:wdbc", "--only", "novikoff", "--time-limit", "0"], 3),
        (["example:wdbc", "--only", "novikoff", "--only", "winnow", "--time-limit", "0"], 1),
    ],
)
def test_exit_codes_of_bounds_asked_for_by_name(bound, words, code):
    ended, out, err = bound(*words)
    assert (ended, err) == (code, "")
    assert ("Not applicable (hypothesis not met):" in out) == (code != 0 or "--only" not in words)


def test_decimals_are_taken_as_written(asked, tmp_path):
    path = tmp_path / "tenths.csv"
    path.write_text(TENTHS)
    assert asked(path)["outcome"] == "separable"
    found = asked(path, "--decimal", "--passes", 2, "--run")
    assert found["outcome"] == "inseparable"
    assert by_name(found)["hinge"]["made"] <= by_name(found)["hinge"]["value"]


def test_numbers_need_no_numba():
    script = "import sys; from novikoff.cli import app\n"
    script += "app(['bound', '--radius', '1', '--margin', '0.1'], standalone_mode=False)\n"
    script += "print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == "novikoff: at most 100 mistakes"
    assert done.stdout.splitlines()[-1] == "False"


def test_one_label_alone_from_standard_input():
    code, out, err = novikoff("bound", "-", "--no-bias", stdin="3,4,1\n4,3,1\n1,0,1\n")
    assert (code, err) == (0, "")
    assert "standard input: 3 rows, 2 features, no intercept, label 1\n" in out
    assert "  one-sided " in out


def test_progress_is_shown_and_ctrl_c_ends_it(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    with on_terminal(script, "example:xor") as command:
        assert "proven: inseparable" in command.until("the bound hinge")
        assert command.end(signal.SIGINT) == (130, "")
