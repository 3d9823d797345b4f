"""`fit --certificate` and `fit --run-certificate`: what a run proves, from the shell."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.verdict import certificate as certificates
from novikoff.verdict.certificate.verify import verify
from tests.helpers.shell import answer, novikoff

SETOSA = "example:iris-setosa"


def proven(path, data):
    """The certificate in a file, once it is found to be valid."""
    found = verify(path, nk.open(data))
    assert found.valid, found.reason
    return certificates.read(path)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--unit-length"],
        ["--no-bias"],
        ["--order", "shuffle", "--init", "random", "--eta", "0.3", "--tie", "keep"],
        ["--rule", "averaged"],
        ["--rule", "voted"],
        ["--rule", "margin"],
        ["--rule", "passive-aggressive"],
        ["--rule", "second-order"],
        ["--rule", "balanced-winnow"],
    ],
    ids=" ".join,
)
def test_a_converged_run_proves_that_the_rows_are_separable(words, tmp_path):
    path = tmp_path / "proof.json"
    found = answer("fit", SETOSA, *words, "--certificate", path)
    assert found["converged"]
    assert (found["certificate"], found["run_certificate"]) == (str(path), None)
    proof = proven(path, SETOSA)
    assert proof.claim == "separable"
    assert proof.fields["lift"]["unit_length"] == ("--unit-length" in words)
    lower, upper = proof.figures["margin_squared"]
    assert 0 < lower <= upper
    if not words:
        assert found["margin_found"] == pytest.approx(float(lower) ** 0.5)
        assert found["margin_ceiling"] == pytest.approx(float(upper) ** 0.5)
        assert found["mistakes"] <= proof.figures["mistake_bound"]


def test_winnow_s_threshold_is_a_bias(tmp_path):
    data, path = tmp_path / "either.csv", tmp_path / "proof.json"
    rows = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    data.write_text("".join(f"{a},{b},{c},{int(a or b)}\n" for a, b, c in rows))
    found = answer("fit", data, "--rule", "winnow", "--certificate", path)
    assert found["converged"]
    proof = proven(path, data)
    assert proof.claim == "separable"
    assert proof.fields["lift"]["bias"]


def test_where_the_run_proves_nothing_the_verdict_is_asked_for(tmp_path):
    path = tmp_path / "proof.json"
    words = "fit", "example:xor", "--max-epochs", 3, "--certificate", path
    code, out, err = novikoff(*words)
    assert (code, err) == (0, "")
    assert "the run proves nothing, so the verdict was asked for: inseparable" in out
    assert f"proof: {path}; to check it: novikoff verify {path} example:xor" in out
    assert proven(path, "example:xor").claim == "inseparable"
    assert answer(*words)["certificate"] == str(path)


def test_a_run_is_proven_update_by_update(tmp_path):
    run, proof = tmp_path / "run.json", tmp_path / "proof.json"
    words = "--run-certificate", run, "--certificate", proof, "--order", "shuffle"
    found = answer("fit", SETOSA, *words, "--init", "random", "--seed", 5)
    assert (found["run_certificate"], found["certificate"]) == (str(run), str(proof))
    claimed = proven(run, SETOSA)
    assert claimed.claim == "training run"
    assert claimed.figures["mistakes"] == found["mistakes"] == found["updates"]
    assert claimed.figures["separates"]
    assert any(claimed.witness["start"])
    separating = proven(proof, SETOSA).witness["weights"]
    close = [float(each) for each in claimed.figures["weights"]]
    np.testing.assert_allclose(close, [float(each) for each in separating], rtol=1e-9)


def test_an_unfinished_run_is_proven_as_well(tmp_path):
    path = tmp_path / "run.json"
    code, out, _ = novikoff("fit", "example:xor", "--max-epochs", 3, "--run-certificate", path)
    assert code == 0
    assert f"proof: {path}" in out
    proof = proven(path, "example:xor")
    assert not proof.figures["separates"]
    assert proof.figures["mistake_bound"] is None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((SETOSA, "--rule", "one-sided", "--certificate", "a.json"), "looks at no labels"),
        ((SETOSA, "--rule", "voted", "--run-certificate", "a.json"), "for the rule perceptron"),
        ((SETOSA, "--unit-length", "--run-certificate", "a.json"), "not rational"),
        (("-", "--certificate", "a.json"), "rows from a stream are not kept"),
        ((SETOSA, "--certificate", "no/such/folder.json"), "there is no folder"),
        ((SETOSA, "--certificate", "."), "directory"),
    ],
)
def test_what_cannot_be_proven_is_said_before_anything_is_written(words, reason, tmp_path):
    code, out, err = novikoff("fit", *words, stdin="1,2,a\n3,4,b\n", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert reason in err
    assert not list(tmp_path.iterdir())


def test_a_certificate_is_about_two_classes(tmp_path):
    data, path = tmp_path / "three.csv", tmp_path / "proof.json"
    data.write_text("1,2,a\n3,4,b\n5,6,c\n")
    code, _, err = novikoff("fit", data, "--certificate", path)
    assert code == 2
    assert "about two classes, and there are 3; novikoff check --positive" in err
    assert not path.exists()
