"""`fit --class-weight`, from the shell."""

import json

import pytest

import novikoff as nk
from tests.helpers.shell import novikoff


def test_fit_weighs_classes(tmp_path):
    """The weights go into the model, and what cannot have them says so."""
    rows = tmp_path / "rows.csv"
    rows.write_text("x,y\n0,no\n1,no\n2,no\n1,yes\n3,yes\n")
    model = tmp_path / "m"
    fit = "fit", rows, "--max-epochs", "3", "--save", model
    assert novikoff(*fit, "--class-weight", "yes=2.5, no=0.5")[0] == 0
    loaded = nk.load(model)
    assert loaded.class_weight == {"yes": 2.5, "no": 0.5}
    assert loaded.weighted_mistakes_ != loaded.mistakes_
    assert novikoff(*fit, "--class-weight", "balanced")[0] == 0
    assert nk.load(model).class_weight == "balanced"
    for words, error in (
        (("yes",), "'yes' is not such"),
        (("yes=1,yes=2",), "'yes=2' is not such"),
        (("yes=-1",), "each weight 0 or above"),
        (("maybe=1",), "class_weight has the label 'maybe', which no row has"),
        (("yes=2", "--run-certificate", tmp_path / "c"), "--run-certificate is about rows as"),
        (("yes=2", "--rule", "one-sided"), "the one-sided rule looks at no labels"),
        (("yes=2", "--rule", "winnow"), "rows cannot be weighted for this rule"),
    ):
        done = novikoff(*fit, "--class-weight", *words)
        assert done[0] == 2
        assert error in " ".join(done[2].split())
    for words in ("balanced", "1=0"):
        done = novikoff("fit", "-", "--class-weight", words, stdin="1 1:1\n0 1:2\n")
        assert done[0] == 2
        assert "a stream" in " ".join(done[2].split())
    done = novikoff("fit", "-", "--class-weight", "1=2", "--json", stdin="1 1:1\n0 1:2\n")
    assert json.loads(done[1])["radius"] == pytest.approx(8**0.5)  # 2 * (1, 1)
