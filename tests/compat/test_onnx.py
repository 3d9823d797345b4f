"""ONNX files: the labels and scores of the model itself, in a runtime that is not ours."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import ModelError, ParameterError

LINEAR = [
    nk.Perceptron(max_epochs=5),
    nk.Perceptron(max_epochs=5, tie="positive", fit_intercept=False),
    nk.Perceptron(max_epochs=5, unit_length=True),
    nk.Perceptron(max_epochs=5, unit_length=True, fit_intercept=False),
    nk.AveragedPerceptron(max_epochs=5),
    nk.MarginPerceptron(max_epochs=5),
    nk.PassiveAggressive(max_epochs=5),
    nk.SecondOrderPerceptron(max_epochs=5),
    nk.BalancedWinnow(max_epochs=5),
    nk.Winnow(max_epochs=5, binarize=0.5),
    nk.Winnow(max_epochs=5, complement=True),
    nk.OneSidedPerceptron(max_epochs=5),
    nk.MulticlassPerceptron(max_epochs=5, averaged=True),
    nk.MulticlassPerceptron(max_epochs=5, unit_length=True),
]
LABELS = [
    np.array(["nein", "ja", "weiß nicht"]),
    np.array([3, -7]),
    np.array([False, True]),
    np.array([-1.0, 2.0, 1e6]),
    np.array(["a", "b"], object),
]


def run(path, X, dtype=np.float64):
    """The labels and scores that the runtime gives."""
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["label", "score"], {"X": X.astype(dtype)})


def rows(labels, seed=0):
    """Small whole numbers, whose sums are exact in any order, and a row of zeros."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (60, 5)).astype(float)
    X[7] = 0.0
    return X, labels[rng.integers(0, len(labels), 60)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("model", "labels"),
    [(model, LABELS[k % 2]) for k, model in enumerate(LINEAR)]
    + [(LINEAR[k], labels) for k in (0, 1, 2) for labels in LABELS],
)
def test_labels_and_scores_are_the_models_own(model, labels, tmp_path):
    X, y = rows(labels)
    model.fit(X, y)
    probe = np.concatenate([X, np.random.default_rng(1).standard_normal((200, 5))])
    for dtype in ("float64", "float32"):
        nk.to_onnx(model, tmp_path / "m.onnx", dtype=dtype)
        seen = probe.astype(dtype).astype(float)
        label, score = run(tmp_path / "m.onnx", probe, dtype)
        expected = model.predict(seen)
        assert label.tolist() == expected.tolist()
        np.testing.assert_allclose(score, model.decision_function(seen), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("tie", "label"), [("positive", 1), ("negative", -1), ("mistake", -1)])
def test_a_score_of_zero_means_what_it_means_to_the_model(tie, label, tmp_path):
    model = nk.Perceptron(tie=tie, fit_intercept=False).partial_fit([[1.0, 0.0]], [1], [-1, 1])
    nk.to_onnx(model, tmp_path / "m.onnx")
    probe = np.array([[0.0, 1.0]])
    assert model.predict(probe).tolist() == run(tmp_path / "m.onnx", probe)[0].tolist() == [label]


def test_weights_learned_online_from_names_are_written(tmp_path):
    model = nk.AveragedPerceptron()
    for x, y in [({"a": 1.0}, True), ({"b": 2.0}, False), ({"a": 1.0, "c": 3.0}, True)]:
        model.learn_one(x, y)
    nk.to_onnx(model, tmp_path / "m.onnx")
    expected = [model.predict_one({name: 1.0}) for name in "abc"]
    assert run(tmp_path / "m.onnx", np.eye(3))[0].tolist() == expected


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.array([2**63 + 1, 0], np.uint64), "9223372036854775809 is too large for ONNX"),
        (np.array(["a", "\ud800"]), "not valid text"),
    ],
)
def test_labels_that_onnx_has_not_are_refused(labels, words, tmp_path):
    with pytest.raises(ModelError, match=words):
        nk.to_onnx(nk.Perceptron().fit([[1.0], [-1.0]], labels), tmp_path / "m.onnx")
    assert not [*tmp_path.iterdir()]


def test_what_is_not_linear_is_refused(tmp_path):
    from sklearn.pipeline import make_pipeline

    X, y = rows(LABELS[1])
    voted = nk.VotedPerceptron().partial_fit(X, y, [-7, 3])
    pipeline = make_pipeline(nk.Perceptron())
    for model, why in [(voted, "AveragedPerceptron"), (pipeline, "last step")]:
        with pytest.raises(ModelError, match=why):
            nk.to_onnx(model, tmp_path / "m.onnx")
    with pytest.raises(ParameterError, match="float64"):
        nk.to_onnx(voted, tmp_path / "m.onnx", dtype="float16")
    with pytest.raises(ValueError, match="not fitted"):
        nk.to_onnx(nk.Perceptron(), tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())
