"""The command line, from the shell."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import novikoff as nk
from tests.helpers.shell import answer, novikoff, on_terminal

FIT_KEYS = {
    "rule", "rows", "features", "epochs", "mistakes", "mistakes_per_epoch", "converged",
    "stopped_because", "radius", "margin_ceiling", "model",
}  # fmt: skip
COMMANDS = ["fit", "predict", "check", "verify", "examples", "demo"]
LOADED_BY_HELP = """
import sys
from novikoff.cli import main
sys.argv = ["novikoff", "--help"]
try:
    main()
except SystemExit:
    pass
print([name for name in ("numba", "numpy", "scipy", "sklearn") if name in sys.modules])
"""
LOADED_BY_FIT = """
import sys
from novikoff.cli import main
sys.argv = ["novikoff", "fit", "example:wdbc", "--max-epochs", "2"]
try:
    main()
except SystemExit:
    pass
print("sklearn" in sys.modules)
"""


def printed(code):
    """The lines that a script prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_fit_json_has_the_contract():
    found = answer("fit", "example:iris-setosa")
    assert set(found) >= FIT_KEYS
    assert found["rule"] == "perceptron"
    assert (found["rows"], found["features"]) == (150, 4)
    assert found["converged"] is True
    assert found["stopped_because"] == "a full epoch passed without a mistake"
    assert sum(found["mistakes_per_epoch"]) == found["mistakes"] <= found["mistake_bound"]
    assert found["mistakes_per_epoch"][-1] == 0
    assert found["epochs"] == len(found["mistakes_per_epoch"])
    assert 0 < found["margin_found"] <= found["margin_ceiling"]
    assert found["model"] is None


def test_the_command_line_learns_what_the_estimator_does(tmp_path):
    X, y = nk.open("example:wdbc").read()[:2]
    for words, model in (
        (["--max-epochs", 7], nk.Perceptron(max_epochs=7)),
        (["--rule", "averaged", "--max-epochs", 3, "--eta", 0.5],
         nk.AveragedPerceptron(0.5, max_epochs=3)),
        (["--rule", "voted", "--max-epochs", 3], nk.VotedPerceptron(max_epochs=3)),
        (["--rule", "margin", "--param", "margin=2", "--max-epochs", 3],
         nk.MarginPerceptron(margin=2, max_epochs=3)),
        (["--rule", "passive-aggressive", "--param", "variant=PA-II", "--max-epochs", 3],
         nk.PassiveAggressive(variant="PA-II", max_epochs=3)),
        (["--rule", "second-order", "--max-epochs", 3], nk.SecondOrderPerceptron(max_epochs=3)),
        (["--rule", "winnow", "--param", "complement=true", "--param", "binarize=0.1",
          "--max-epochs", 3],
         nk.Winnow(complement=True, binarize=0.1, max_epochs=3)),
        (["--rule", "balanced-winnow", "--unit-length", "--max-epochs", 3],
         nk.BalancedWinnow(unit_length=True, max_epochs=3)),
        (["--init", "random", "--seed", 4, "--order", "shuffle", "--max-epochs", 3, "--no-bias",
          "--tie", "keep"],
         nk.Perceptron(init="random", random_state=4, order="shuffle", max_epochs=3,
                       fit_intercept=False, tie="keep")),
    ):  # fmt: skip
        found = answer("fit", "example:wdbc", *words, "--save", tmp_path / "m")
        with pytest.warns(match="not converged"):
            model.fit(X, y)
        assert found["mistakes_per_epoch"] == model.mistakes_per_epoch_, words
        assert found["updates"] == model.updates_
        twin = nk.load(tmp_path / "m")
        assert type(twin) is type(model)
        assert np.array_equal(twin.coef_, model.coef_)
        ceiling = None if np.isinf(model.margin_ceiling_) else model.margin_ceiling_
        assert found["margin_ceiling"] == ceiling


def test_one_sided_and_several_classes(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b,label\n1,2,x\n2,1,y\n3,0.5,z\n")
    found = answer("fit", rows, "--rule", "one-sided")
    assert found["converged"]
    assert found["radius"] == pytest.approx(1.0)
    found = answer("fit", rows, "--save", tmp_path / "m")
    assert found["classes"] == ["x", "y", "z"]
    assert novikoff("predict", tmp_path / "m", rows)[1].split() == ["x", "y", "z"]


def test_predict_prints_a_label_a_line(tmp_path):
    answer("fit", "example:iris-setosa", "--save", tmp_path / "m")
    code, out, err = novikoff("predict", tmp_path / "m", "example:iris-setosa")
    assert code == 0
    assert out.split().count("setosa") == 50
    assert err == "0 mistakes in 150 rows\n"
    found = answer("predict", tmp_path / "m", "example:iris-setosa")
    assert found["rows"] == 150
    assert found["mistakes"] == 0
    assert found["predictions"] == out.split()


def test_predict_counts_labels_it_has_never_seen_as_mistakes(tmp_path):
    (tmp_path / "a.csv").write_text("1,yes\n-1,no\n")
    (tmp_path / "b.csv").write_text("1,yesterday\n-1,no\n")
    (tmp_path / "c.csv").write_text("1,3\n-1,4\n")
    answer("fit", tmp_path / "a.csv", "--save", tmp_path / "m")
    for name, mistakes in (("a", 0), ("b", 1), ("c", 2)):
        assert answer("predict", tmp_path / "m", tmp_path / f"{name}.csv")["mistakes"] == mistakes


def test_predict_takes_rows_with_and_without_labels_and_columns_in_any_order(tmp_path):
    data = tmp_path / "train.csv"
    data.write_text("a,b,label\n0,1,no\n1,0,yes\n0,2,no\n2,0,yes\n")
    answer("fit", data, "--save", tmp_path / "m")
    for name, text, words in (
        ("bare.csv", "a,b\n5,0\n0,5\n", []),
        ("swapped.csv", "b,a\n0,5\n5,0\n", ["--no-labels"]),
        ("labelled.csv", "label,b,a\nyes,0,5\nno,5,0\n", []),
    ):
        (tmp_path / name).write_text(text)
        code, out, err = novikoff("predict", tmp_path / "m", tmp_path / name, *words)
        assert (code, out.split()) == (0, ["yes", "no"]), err
    code, out, _ = novikoff("predict", tmp_path / "m", "-", "--no-labels", stdin="a,b\n5,0\n")
    assert (code, out) == (0, "yes\n")
    (tmp_path / "other.csv").write_text("a,c,label\n1,2,no\n")
    code, out, err = novikoff("predict", tmp_path / "m", tmp_path / "other.csv")
    assert (code, out) == (2, "")
    assert "needs a feature 'b'" in err


def test_svmlight_and_arrays(tmp_path):
    (tmp_path / "a.svm").write_text("+1 1:1 3:2.5\n-1 2:1\n+1 1:2\n")
    np.save(tmp_path / "a.npy", [[1, 0, 2.5, 1], [0, 1, 0, -1], [2, 0, 0, 1]])
    np.savez(tmp_path / "a.npz", X=[[1, 0, 2.5], [0, 1, 0], [2, 0, 0]], y=[1, -1, 1])
    found = [answer("fit", tmp_path / f"a.{kind}") for kind in ("svm", "npy", "npz")]
    assert found[0].pop("remarks") == ["indices count from 1: no index 0 was found"]
    assert found[1].pop("remarks") == found[2].pop("remarks") == []
    assert found[0] == found[1] == found[2]
    answer("fit", tmp_path / "a.svm", "--save", tmp_path / "m")
    (tmp_path / "narrow.svm").write_text("+1 1:1\n")
    assert novikoff("predict", tmp_path / "m", tmp_path / "narrow.svm")[1] == "1\n"
    (tmp_path / "wide.svm").write_text("+1 9:1\n")
    code, _, err = novikoff("predict", tmp_path / "m", tmp_path / "wide.svm")
    assert (code, "9 features; the model was fitted on 3" in err) == (2, True)


def test_a_stream_is_learned_online():
    source = nk.open("example:wdbc").read()
    lines = [
        f"{','.join(map(repr, row))},{label}"
        for row, label in zip(source.X.tolist(), source.y, strict=True)
    ]
    found = answer("fit", "-", "--format", "csv", stdin="\n".join(lines))
    model = nk.Perceptron().partial_fit(source.X, source.y, classes=np.unique(source.y))
    assert found["mistakes"] == model.mistakes_
    assert found["epochs"] == 1
    assert found["converged"] is False
    assert found["stopped_because"] == "the stream ended"
    code, out, _ = novikoff("fit", "-", "--format", "csv", stdin="\n".join(lines))
    assert code == 0
    assert f"{model.mistakes_}, {model.mistakes_ / 569:.2%} of the rows" in out


def test_a_stream_may_grow_wider_and_name_its_classes():
    text = "+1 1:1\n" + "-1 2:1\n" * 600 + "+1 30:1\n"
    found = answer("fit", "-", "--format", "svmlight", stdin=text)
    assert found["features"] == 30
    text = "1 1:1\n2 2:1\n" * 20_000 + "3 3:1\n"  # more than a pipe holds
    code, _, err = novikoff("fit", "-", "--format", "svmlight", stdin=text)
    assert (code, "standard input:40001: the label 3" in err, "--classes" in err) == (2, True, True)
    found = answer("fit", "-", "--format", "svmlight", "--classes", "1,2,3", stdin=text)
    assert found["classes"] == [1, 2, 3]
    text = "1,yes\n-1,no\n" * 20_000 + "1,yesterday\n"
    code, _, err = novikoff("fit", "-", "--format", "csv", stdin=text)
    assert (code, "40001: the label yesterday comes after" in err) == (2, True)
    code, _, err = novikoff("fit", "-", "--format", "svmlight", stdin="1 1:1\n1 1:2\n")
    assert (code, "all 2 rows have the label 1" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "nowhere.csv"], "nowhere.csv"),
        (["fit", "example:iris"], "iris-setosa"),
        (["fit", "example:xor", "--rule", "magic"], "no rule 'magic'; the rules are perceptron"),
        (["fit", "example:xor", "--eta", "0"], "eta must be a number above 0"),
        (["fit", "example:xor", "--tie", "keep"], "can never move"),
        (["fit", "example:xor", "--param", "alpha=2"], "NAME=VALUE with a NAME of: eta, tie"),
        (["fit", "example:xor", "--rule", "winnow", "--eta", "2"], "no parameter 'eta'"),
        (["fit", "example:xor", "--rule", "winnow", "--bias"], "has no intercept"),
        (["fit", "example:xor", "--rule", "winnow", "--init", "random"], "start of its own"),
        (["fit", "example:xor", "--init", "ones"], "expected zeros or random"),
        (["fit", "example:xor", "--rule", "winnow", "--param", "alpha=none"], "cannot be made of"),
        (["fit", "example:xor", "--max-epochs", "0"], "max-epochs"),
        (["fit", "example:xor", "--order", "backwards"], "order"),
        (["fit", "example:xor", "--save", "no/such/folder/m"], "there is no folder"),
        (["fit", "example:xor", "--classes", "1,2"], "--classes is for standard input"),
        (["fit", "-", "--max-epochs", "3"], "read only once"),
        (["fit", "-", "--order", "shuffle"], "in the order in which it comes"),
        (["predict", "nowhere.model", "example:xor"], "cannot be read"),
        (["predict"], "Missing argument"),
        (["examples", "nothing"], "nothing"),
        (["flourish"], "No such command"),
    ],
)
def test_bad_usage_is_one_clear_message_and_exit_code_2(words, message, tmp_path):
    code, out, err = novikoff(*words, stdin="1,2,a\n3,4,b\n", cwd=tmp_path)
    assert code == 2
    assert out == ""
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_bad_data_keeps_the_old_model(tmp_path):
    (tmp_path / "good.csv").write_text("1,a\n2,b\n")
    (tmp_path / "bad.csv").write_text("1,a\n2,b\noops,a\n")
    assert novikoff("fit", tmp_path / "good.csv", "--save", tmp_path / "m")[0] == 0
    before = (tmp_path / "m").read_bytes()
    code, out, err = novikoff("fit", tmp_path / "bad.csv", "--save", tmp_path / "m")
    assert (code, out) == (2, "")
    assert "bad.csv:3" in err
    assert "'oops'" in err
    assert (tmp_path / "m").read_bytes() == before


def test_examples_are_listed_and_printed_as_data(tmp_path):
    code, out, _ = novikoff("examples")
    assert code == 0
    for name in ("and", "or", "xor", "iris-setosa", "iris-versicolor", "wdbc", "digits-8",
                 "disjunction", "separable", "tight"):  # fmt: skip
        assert f"example:{name}, " in out
    assert max(map(len, out.splitlines())) <= 80
    assert {each["name"] for each in json.loads(novikoff("examples", "--json")[1])} >= {
        "xor",
        "wdbc",
    }
    (tmp_path / "t.csv").write_text(novikoff("examples", "tight?features=4")[1])
    found = answer("fit", tmp_path / "t.csv", "--no-bias")
    assert (found["mistakes"], found["epochs"]) == (4, 2)


def test_the_demo_shows_both_kinds_and_the_next_commands():
    code, out, err = novikoff("demo")
    assert (code, err) == (0, "")
    assert "no separator of these rows has a margin" in out
    assert "(D / margin)^2" in out
    assert max(map(len, out.splitlines())) <= 80
    assert out[out.index("Try next:") :].count("\n  novikoff ") == 4


def test_help_is_there_for_everything_and_loads_no_numba():
    for words in ([], *([command] for command in COMMANDS)):
        code, out, _ = novikoff(*words, "--help")
        assert code == 0
        assert "Usage" in out
    assert printed(LOADED_BY_HELP)[-1] == "[]"
    assert novikoff("--version")[1] == f"novikoff {nk.__version__}\n"


def test_fit_starts_without_scikit_learn():
    assert printed(LOADED_BY_FIT)[-1] == "False"


def test_ctrl_c_ends_with_what_was_learned_so_far(tmp_path):
    words = ["-m", "novikoff", "fit", "example:digits-8", "--stop", "budget"]
    words += ["--max-epochs", 10**8]  # with stop=proven a proof might end it first
    with on_terminal(*words, "--save", tmp_path / "m") as command:
        shown = command.until("rows/s")
        for word in ("epoch ", "mistakes", "margin <", "rows/s"):
            assert word in shown
        code, out = command.end(signal.SIGINT)
    assert code == 130
    assert "it was interrupted" in out
    assert "rows/s" not in out
    assert f"{nk.load(tmp_path / 'm').mistakes_:,}, " in out


def test_json_and_pipes_show_no_progress():
    code, out, err = novikoff("fit", "example:digits-8", "--max-epochs", 3000)
    assert (code, err) == (0, "")
    assert "rows/s" not in out


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m novikoff examples wdbc | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mean radius,")
    assert done.stderr == ""


def test_a_full_disk_is_one_line_and_exit_code_2():
    for words in ("examples", "fit example:xor", "--version"):
        command = f"{sys.executable} -m novikoff {words} > /dev/full"
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == "novikoff: No space left on device\n"


def test_a_printed_ceiling_is_rounded_up():
    """The margin of three orthonormal rows is 0.57735..., and it is met."""
    out = novikoff("fit", "example:tight?features=3", "--no-bias")[1]
    assert "no separator exceeds 0.578\n" in out


def test_several_classes_in_a_stream():
    text = "1,2,0\n3,4,1\n5,6,2\n"
    out = novikoff("fit", "-", "--format", "csv", stdin=text)[1]
    assert "of 9 predictions, one for each class" in out
    assert "for some class no separator exceeds" in out
    found = answer("fit", "-", "--format", "csv", "--classes", "0,1,2", stdin=text)
    assert found["classes"] == [0, 1, 2]
    assert all(isinstance(label, int) for label in found["classes"])


def test_text_and_json_agree_on_convergence():
    words = ["fit", "example:tight", "--rule", "margin", "--param", "margin=50", "--no-bias"]
    words += ["--max-epochs", "9"]
    assert answer(*words)["converged"] is True
    out = novikoff(*words)[1]
    assert "margin: converged after 9 epochs" in out
    assert "not every one has its margin" in out


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("command", ["fit", "check", "lab"])
def test_help_on_a_narrow_terminal_cuts_no_name_short(command, columns):
    words = [sys.executable, "-m", "novikoff", command, "--help"]
    environment = os.environ | {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    text = subprocess.run(words, capture_output=True, env=environment, check=True).stdout.decode()
    from typer.main import get_command

    from novikoff.cli import app

    for option in get_command(app).commands[command].params:
        assert all(name in text for name in option.opts if name.startswith("-")), option.name
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= columns
    assert "[[" not in text


@pytest.mark.parametrize("command", ["check", "fit", "bound", "trace", "repair", "cover"])
def test_a_column_beyond_all_memory_is_refused_at_once(command, save):
    """Names of all the columns would take more memory than there is: none may be made before."""
    code, out, err = novikoff(command, save("wide.svm", "1 2000000000:1\n0 1:1\n"))
    assert (code, out) == (2, "")
    assert "2,000,000,000 features, for which this machine has too little memory" in err
