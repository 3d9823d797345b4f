"""`novikoff predict` and `novikoff show`, from the shell."""

import csv
import json

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import novikoff as nk
from novikoff.cli.shared.data_options import in_option_names
from tests.helpers.shell import novikoff

LABELS = {"two": ["no", "yes"], "three": ["a", "b", "c"]}


@pytest.fixture(params=LABELS)
def case(request, tmp_path):
    """A model, the file of its rows, and the estimator and the rows themselves."""
    labels = LABELS[request.param]
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 9, (30, 3)), rng.choice(labels, 30)
    rows = tmp_path / "rows.csv"
    lines = [",".join(map(str, [*x, label])) for x, label in zip(X, y, strict=True)]
    rows.write_text("\n".join(["u,v,w,label", *lines]))
    assert novikoff("fit", rows, "--max-epochs", 3, "--save", tmp_path / "m")[0] == 0
    return tmp_path / "m", rows, nk.load(tmp_path / "m"), X.astype(float)


def test_scores_are_those_of_the_decision_function(case, tmp_path):
    path, rows, model, X = case
    expected = model._learner.answers(model._spec(order="given").rows(X, None))
    code, out, _ = novikoff("predict", path, rows, "--scores")
    words = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [line[0] for line in words] == json.loads(novikoff("predict", path, rows, "--json")[1])[
        "predictions"
    ]
    assert [[float(each) for each in line[1:]] for line in words] == expected.tolist()
    found = json.loads(novikoff("predict", path, rows, "--scores", "--json")[1])
    assert np.reshape(found["scores"], expected.shape).tolist() == expected.tolist()
    assert found["classes"] == model.classes_.tolist()
    for name, read in (("o.csv", pyarrow.csv.read_csv), ("o.parquet", pyarrow.parquet.read_table)):
        words = "--scores", "--output", tmp_path / name
        code, out, err = novikoff("predict", path, rows, *words)
        assert (code, out) == (0, ""), err
        assert "mistake" in err
        table = read(tmp_path / name)
        assert table["prediction"].to_pylist() == found["predictions"]
        score = ["score"] if expected.shape[1] == 1 else ["score_a", "score_b", "score_c"]
        assert table.column_names == ["prediction", *score]
        assert np.column_stack([table[each] for each in score]).tolist() == expected.tolist()


def test_a_threshold_moves_rows_to_the_second_class(tmp_path):
    path, rows = tmp_path / "m", "example:iris-setosa"
    novikoff("fit", rows, "--save", path)
    found = json.loads(novikoff("predict", path, rows, "--scores", "--json")[1])
    cut = sorted(found["scores"])[-10]
    words = "predict", path, rows, "--json", "--threshold"
    moved = json.loads(novikoff(*words, repr(cut))[1])["predictions"]
    assert moved.count("setosa") == sum(score > cut for score in found["scores"]) == 9
    assert json.loads(novikoff(*words, "-1e9")[1])["predictions"] == ["setosa"] * 150
    (tmp_path / "three.csv").write_text("1,a\n2,b\n3,c\n")
    novikoff("fit", tmp_path / "three.csv", "--save", path)
    code, _, err = novikoff("predict", path, tmp_path / "three.csv", "--threshold", "1")
    assert (code, err) == (
        2,
        "novikoff: --threshold is for one score; the model has one for each of 3 classes\n",
    )


def test_features_that_the_model_has_not(tmp_path):
    (tmp_path / "train.svm").write_text("1 1:1 2:3\n-1 1:4 2:1\n")
    (tmp_path / "wide.svm").write_text("1 1:1 2:3 5:9\n-1 1:4\n1 4:1 7:0.5\n")
    (tmp_path / "cut.svm").write_text("1 1:1 2:3\n-1 1:4\n1\n")
    novikoff("fit", tmp_path / "train.svm", "--save", tmp_path / "m")
    predict = "predict", tmp_path / "m"
    code, out, err = novikoff(*predict, tmp_path / "wide.svm")
    assert (code, out) == (2, "")
    assert "7 features" in err
    assert "fitted on 2; --extra-features drop leaves the others out" in err
    words = tmp_path / "wide.svm", "--extra-features", "drop", "--scores"
    code, out, err = novikoff(*predict, *words)
    assert (code, out) == novikoff(*predict, tmp_path / "cut.svm", "--scores")[:2]
    assert err.endswith("3 values left out, of features that the model has not\n")
    remarks = json.loads(novikoff(*predict, *words, "--json")[1])["remarks"]
    assert remarks[-1].startswith("3 values left out")


def test_rows_without_labels_from_a_pipe(tmp_path):
    novikoff("fit", "example:iris-setosa", "--save", tmp_path / "m")
    rows = "5,3.4,1.5,0.2\n6.1,2.9,4.7,1.4\n"
    code, out, err = novikoff("predict", tmp_path / "m", "-", stdin=rows)
    assert (code, out) == (2, "")
    assert err.endswith("; if the data have no labels, add --no-labels\n")
    assert novikoff("predict", tmp_path / "m", "-", "--no-labels", stdin=rows)[0] == 0


def test_an_output_is_a_table_and_nothing_that_is_needed(tmp_path):
    novikoff("fit", "example:xor", "--max-epochs", "2", "--save", tmp_path / "m")
    for name, why in (("o.txt", "must end in .csv or .parquet"), ("m", "that is MODEL")):
        words = "example:xor", "--output", tmp_path / name
        code, _, err = novikoff("predict", tmp_path / "m", *words)
        assert (code, why in err) == (2, True)
    (tmp_path / "bad.csv").write_text("x1,x2,y\n1,0,1\nnan,1,0\n")
    words = tmp_path / "bad.csv", "--output", tmp_path / "o.csv"
    assert novikoff("predict", tmp_path / "m", *words)[0] == 2
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["bad.csv", "m"]


def test_show_prints_what_a_model_is(case, tmp_path):
    path, _, model, _ = case
    code, out, _ = novikoff("show", path, "--top", 2, "--coefficients", tmp_path / "c.csv")
    assert code == 0
    assert out.startswith(f"{path}: perceptron, classes {', '.join(model.classes_)}\n")
    assert f"3 epochs, 90 rows seen, {model.mistakes_} mistakes" in out
    found = json.loads(novikoff("show", path, "--top", 2, "--json")[1])
    assert found["parameters"] == {"eta": 1.0, "tie": "mistake"}
    assert (found["seen"], found["mistakes"]) == (model.n_samples_seen_, model.mistakes_)
    assert found["intercepts"] == model.intercept_.tolist()
    labels = model.classes_.tolist() if len(model.coef_) > 1 else ["yes"]
    for label, weights in zip(labels, model.coef_, strict=True):
        largest = sorted(zip(-np.abs(weights), "uvw", weights, strict=True))[:2]
        own = [each for each in found["coefficients"] if each["class"] == label]
        assert {(each["feature"], each["coefficient"]) for each in own} == {
            (name, weight) for _, name, weight in largest
        }
        assert all(f" {name} " in out for _, name, _ in largest)
    with (tmp_path / "c.csv").open() as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["feature", *(labels if len(labels) > 1 else ["coefficient"])]
    assert [line[0] for line in lines[1:]] == ["u", "v", "w", "(intercept)"]
    table = np.array([line[1:] for line in lines[1:]], float)
    assert np.array_equal(table, np.vstack([model.coef_.T, model.intercept_]))


def test_features_without_names_have_the_numbers_of_the_data(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1 3:3\n-1 2:4\n")
    novikoff("fit", tmp_path / "a.svm", "--save", tmp_path / "m")
    found = json.loads(novikoff("show", tmp_path / "m", "--json")[1])
    assert {each["feature"] for each in found["coefficients"]} <= {"1", "2", "3"}
    X = np.array([[1.0, 0, 0], [0, 1, 0]])
    nk.save(nk.VotedPerceptron().fit(X, [1, 0]), tmp_path / "m")
    out = novikoff("show", tmp_path / "m")[1]
    assert "all past ones vote" in out
    assert "    0 " in out
    assert novikoff("show", tmp_path / "none")[0] == 2


def test_thousands_of_classes_are_never_printed_whole(tmp_path):
    y = [f"class{k}" for k in range(500)]
    model = nk.Perceptron().partial_fit(np.eye(2)[[0, 1]], y[:2], classes=y)
    nk.save(model, tmp_path / "m")
    (tmp_path / "two.csv").write_text("1,0,class1\n0,1,class2\n")
    for words in (["show", tmp_path / "m"], ["predict", tmp_path / "m", tmp_path / "two.csv"]):
        code, out, err = novikoff(*words)
        assert code == 0
        assert len(out + err) < 2000


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("pass header=False if", "pass --no-header if"),
        ("pass zero_based=True, or leave zero_based=False out",
         "pass --zero-based, or leave --one-based out"),
        ("pass categorical=['city']", "pass --categorical city"),
        ("pass format='npy'", "pass --format npy"),
        ("target=-1 is", "--target -1 is"),
        ("skipped_to is for bad_rows='skip'", "skipped_to is for --bad-rows skip"),
        ("or pass labelled=False", "or pass --no-labels (of novikoff predict)"),
        ("leave it out, or pass format=", "leave it out, or pass --format"),
        ("leave out features=3", "leave out features=3"),
    ],
)  # fmt: skip
def test_messages_of_commands_name_their_options(said, meant):
    assert in_option_names(said) == meant


def test_a_message_about_a_header_names_the_option(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,label\n")
    code, _, err = novikoff("fit", tmp_path / "a.csv")
    assert code == 2
    assert "--no-header" in err
    assert "header=" not in err
