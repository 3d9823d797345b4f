"""`--threads`: the same answers from any number of threads."""

import numpy as np
import pytest

from novikoff.data.files.parallel import on_threads, processors
from novikoff.jit import Budget
from novikoff.learning.parallel import lookahead
from tests.helpers.shell import answer, novikoff


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Rows of a file, and that looking ahead pays however few they are."""
    monkeypatch.setattr(lookahead, "WORTH", 0.0)
    monkeypatch.setattr(lookahead, "ALONE", Budget(0.0))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6)).round(3)
    y = np.where(X @ rng.standard_normal(6) > 0.1, 1, -1)
    np.savetxt(tmp_path / "a.csv", np.column_stack([X, y]), "%g", ",")
    return tmp_path / "a.csv"


def test_models_predictions_and_proofs_are_the_same_for_any_number_of_threads(rows, tmp_path):
    models, predictions, proofs = set(), set(), set()
    for threads in (1, 2, 3, 4):
        on = "--threads", threads
        model, proof = tmp_path / "m", tmp_path / "c"
        answer("fit", rows, "--max-epochs", 20, "--save", model, *on)
        models.add(model.read_bytes())
        predictions.add(novikoff("predict", model, rows, *on))
        novikoff("check", rows, "--certificate", proof, *on)
        proofs.add(proof.read_bytes())
        assert novikoff("verify", proof, rows, *on)[0] == 0
    assert len(models) == len(predictions) == len(proofs) == 1


def test_no_threads_are_refused(rows):
    code, _, error = novikoff("fit", rows, "--threads", 0)
    assert code == 2
    assert "--threads" in error


def test_a_number_of_threads_is_for_a_while():
    every = processors()
    with on_threads(7):
        assert processors() == 7
        with on_threads(None):
            assert processors() == every
    assert processors() == every
