"""Files of pipelines, damaged or forged as those of models are."""

import contextlib
import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

import novikoff as nk
from benchmarks.attack.models import FileAttack, compare
from benchmarks.attack.tally import Outcome
from novikoff.learning.estimators.pipeline import file as pipeline_file
from novikoff.learning.files import array_file

NUMBERS = np.array([[0.0, 1.5, -2.0], [1.0, 0.5, 3.0], [1.0, 1.0, 1.0], [2.0, 0.0, 1.0]])
TEXTS = ["free money now", "meeting on monday", "free lunch", "money on monday"]
WORDS = np.array([["a", "x"], ["b", "y"], ["a", "y"], ["b", "z"]], object)
DICTS = [{"a": 1.0}, {"b": 2.0, "a": 1.0}, {"c": 1.0}, {}]
LABELS = [0, 1, 0, 1]
STEPS: list[tuple[list[Any], Any]] = [
    ([StandardScaler()], NUMBERS),
    ([MinMaxScaler(clip=True), MaxAbsScaler()], NUMBERS),
    ([OneHotEncoder(handle_unknown="ignore")], WORDS),
    ([OneHotEncoder(drop="first"), MaxAbsScaler()], np.round(NUMBERS[:, :2])),
    ([TfidfVectorizer(ngram_range=(1, 2))], TEXTS),
    ([CountVectorizer(stop_words=["on"]), TfidfTransformer()], TEXTS),
    ([HashingVectorizer(n_features=8)], TEXTS),
    ([FeatureHasher(n_features=8)], DICTS),
]


@functools.cache
def pipeline_files() -> list[bytes]:
    """Pipelines with each kind of step."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for steps, rows in STEPS:
            pipeline = make_pipeline(*steps, nk.AveragedPerceptron(max_epochs=3))
            nk.save(pipeline.fit(rows, LABELS), Path(folder, "p"))
            found.append(Path(folder, "p").read_bytes())
    return found


def use_pipeline(path: Path, base: bytes | None) -> Outcome:
    """Read a pipeline, predict with it, and write it again."""
    found = nk.load(path)
    again = path.with_name("again")
    texts, arrays = array_file.read(path, "model")
    model = pipeline_file.read(path, texts["novikoff"], arrays)[2]
    again.write_bytes(pipeline_file.to_bytes(found, model))
    for rows in (NUMBERS, TEXTS, WORDS, DICTS):
        with contextlib.suppress(ValueError, TypeError, AttributeError):  # not of its kind
            found.predict(rows)
    return compare(path, again, base)


def pipeline_attack(seed: int) -> FileAttack:
    """Files of pipelines, damaged and forged."""
    return FileAttack("pipelines", seed, pipeline_files(), use_pipeline)
