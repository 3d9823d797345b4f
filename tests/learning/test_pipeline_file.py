"""Pipelines in files: what comes back predicts the same, what is hostile is refused."""

import json
import warnings

import numpy as np
import pytest
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)

import novikoff as nk
from benchmarks.attack.damage import dump
from benchmarks.attack.models import parse, sealed
from novikoff.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((40, 3)) * [1, 10, 100] + 5, 2)
Y = (X @ [3, -1, 0.1] > 10).astype(int)
TEXTS = [f"{a} {b} über {c}" for a in ("free", "Money") for b in "xyz" for c in ("mail", "bank")]
TEXTS = TEXTS * 3
LABELS = np.array(["ham", "spam"])[[int("bank" in text or "y" in text) for text in TEXTS]]
WORDS = np.array([[text.split()[0], text.split()[-1]] for text in TEXTS], object)
DICTS = [{"n": float(len(text)), text.split()[1]: 1.0} for text in TEXTS]

STEPS = {
    "standard": ([StandardScaler()], X, Y),
    "standard, mean alone": ([StandardScaler(with_std=False)], X, Y),
    "min-max": ([MinMaxScaler(feature_range=(-1, 2), clip=True)], X, Y),
    "max-abs": ([MaxAbsScaler(), StandardScaler()], X, Y),
    "halved": ([MinMaxScaler(), StandardScaler(), MaxAbsScaler()], X.astype(np.float32), Y),
    "halved tf-idf": ([TfidfVectorizer(dtype=np.float32)], TEXTS, LABELS),
    "one-hot of words": ([OneHotEncoder(drop="if_binary")], WORDS, LABELS),
    "one-hot of numbers": ([OneHotEncoder(handle_unknown="ignore")], np.round(X / 9), Y),
    "tf-idf": ([TfidfVectorizer(ngram_range=(1, 2), stop_words=["über"])], TEXTS, LABELS),
    "tf alone": ([TfidfVectorizer(use_idf=False, sublinear_tf=True)], TEXTS, LABELS),
    "counts": (
        [CountVectorizer(analyzer="char_wb", dtype=np.float32), TfidfTransformer()],
        TEXTS,
        LABELS,
    ),
    "tf after counts": ([CountVectorizer(), TfidfTransformer(use_idf=False)], TEXTS, LABELS),
    "hashed text": ([HashingVectorizer(n_features=32, norm=None)], TEXTS, LABELS),
    "hashed dicts": ([FeatureHasher(n_features=16), MaxAbsScaler()], DICTS, LABELS),
    "alone": ([], X, Y),
}


@pytest.fixture(scope="module", params=STEPS)
def fitted(request):
    steps, rows, labels = STEPS[request.param]
    with warnings.catch_warnings(action="ignore"):
        return make_pipeline(*steps, nk.Perceptron(max_epochs=50)).fit(rows, labels), rows


def saved(pipeline, path):
    nk.save(pipeline, path)
    return nk.load(path)


def test_what_was_saved_is_what_is_loaded(fitted, tmp_path):
    pipeline, rows = fitted
    loaded = saved(pipeline, tmp_path / "p")
    assert repr(loaded) == repr(pipeline)
    before, after = (each.decision_function(rows) for each in (pipeline, loaded))
    assert before.tobytes() == after.tobytes()
    assert loaded.predict(rows).tolist() == pipeline.predict(rows).tolist()
    content = (tmp_path / "p").read_bytes()
    nk.save(loaded, tmp_path / "p")
    assert (tmp_path / "p").read_bytes() == content


def test_columns_keep_their_names_and_learning_goes_on(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    pipeline = make_pipeline(StandardScaler(), nk.Perceptron(max_epochs=50)).fit(frame, Y)
    loaded = saved(pipeline, tmp_path / "p")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert loaded.predict(frame).tolist() == pipeline.predict(frame).tolist()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["c", "b", "a"]])
    for each in (pipeline, loaded):
        each[0].partial_fit(frame[:5])
        each[-1].partial_fit(each[0].transform(frame), Y)
    assert loaded[-1].coef_.tobytes() == pipeline[-1].coef_.tobytes()


@pytest.mark.parametrize(
    ("step", "rows", "why"),
    [
        (FunctionTransformer(np.abs), X, "is a FunctionTransformer; a file can hold Standard"),
        (TfidfVectorizer(tokenizer=str.split, token_pattern=None), TEXTS, "cannot hold token"),
        (TfidfVectorizer(token_pattern=r"(a+)+b|\w"), TEXTS, "cannot hold token_pattern="),
        (CountVectorizer(vocabulary=["mail", "bank"]), TEXTS, "cannot hold vocabulary="),
        (OneHotEncoder(min_frequency=2), WORDS, "cannot hold min_frequency=2"),
        (OneHotEncoder(), np.where(WORDS == "free", None, WORDS), "not all text, or all numbers"),
    ],
)  # fmt: skip
def test_what_a_file_cannot_hold_is_refused(step, rows, why, tmp_path):
    labels = LABELS if len(rows) == len(LABELS) else Y
    pipeline = make_pipeline(step, nk.Perceptron(max_epochs=5)).fit(rows, labels)
    with pytest.raises(ModelError, match=why.replace("(", r"\(")):
        nk.save(pipeline, tmp_path / "p")
    assert not list(tmp_path.iterdir())


def test_pipelines_that_are_not_ours_or_not_fitted(tmp_path):
    from sklearn.linear_model import LogisticRegression

    foreign = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    with pytest.raises(ModelError, match="LogisticRegression is not an estimator of novikoff's"):
        nk.save(foreign, tmp_path / "p")
    with pytest.raises(ValueError, match="not fitted"):
        nk.save(make_pipeline(StandardScaler(), nk.Perceptron(max_epochs=50)), tmp_path / "p")
    kept = make_pipeline(
        StandardScaler(), nk.Perceptron(max_epochs=50), memory=str(tmp_path / "cache")
    )
    with pytest.raises(ModelError, match="a pipeline with memory"):
        nk.save(kept.fit(X, Y), tmp_path / "p")


def test_commands_say_that_it_is_a_pipeline(tmp_path):
    from novikoff.learning.files import model_file

    nk.save(make_pipeline(StandardScaler(), nk.Perceptron(max_epochs=50)).fit(X, Y), tmp_path / "p")
    with pytest.raises(ModelError, match=r"a pipeline, which nk\.load reads"):
        model_file.read(tmp_path / "p")


HOSTILE = {
    "another class": ("kind", "FunctionTransformer", "which no file can hold"),
    "a file to open": ("parameters.input", "filename", "'input' is 'filename'"),
    "a pattern that does not end": ("parameters.token_pattern", "(a+)+b", "'token_pattern'"),
    "a codec": ("parameters.encoding", "zip", "'encoding'"),
    "a parameter more": ("parameters.n_jobs", 9, "its parameters are not"),
    "a type": ("parameters.dtype", "object", "'dtype'"),
    "huge": ("parameters.ngram_range", [1, 10**9], "'ngram_range'"),
    "a step within": ("name", "a__b", "names of its steps"),
    "twice": ("name", "perceptron", "names of its steps"),
    "words that are none": ("words", [1, 2], "vocabulary"),
    "words too few": ("words", ["mail"], "number for each column"),
    "the same word": ("words", ["a", "a"], "different words"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused(name, tmp_path):
    place, value, why = HOSTILE[name]
    nk.save(
        make_pipeline(TfidfVectorizer(), nk.Perceptron(max_epochs=50)).fit(TEXTS, LABELS),
        tmp_path / "p",
    )
    texts, arrays = parse((tmp_path / "p").read_bytes())
    header = json.loads(texts["novikoff"])
    *path, key = place.split(".")
    target = header["steps"][0]
    for each in path:
        target = target[each]
    target[key] = value
    (tmp_path / "p").write_bytes(sealed(texts | {"novikoff": dump(header)}, arrays))
    with pytest.raises(ModelError, match=why):
        nk.load(tmp_path / "p")
