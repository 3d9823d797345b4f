"""A shard client without Dask: shards of arrays in this process, which get lost as real ones do."""

import itertools
import pickle
import random
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.data.layout import DatasetOutline, merge_summaries
from novikoff.cluster.data.shard import ShardRef, WorkerShard
from novikoff.cluster.distributed_check import certified_rows, signed_rows
from novikoff.cluster.workers.dataset import Dataset
from novikoff.data.source import InMemorySource, SourceInfo
from novikoff.errors import NovikoffError
from novikoff.verdict.certificate.verify import verify_signed
from novikoff.verdict.judge import Judge


class Held(NamedTuple):
    """The address of rows that travel with it."""

    X: Any
    y: Any
    size: int = 0

    def source(self, data):
        return InMemorySource(SourceInfo("rows", "array"), self.X, self.y)


class Moving:
    """A shard client without workers: everything goes through a pickle, shards respond in any
    order, and now and then one has moved to a worker that knows nothing yet.
    """

    def __init__(self, parts, seed=0, losses=0.0):
        self.shards = [ShardRef(part) for part in parts]
        self._random, self.losses = random.Random(seed), losses
        self._worker_shards = [WorkerShard(part.address) for part in self.shards]
        self.asked = 0

    def map_shards(self, function, *args, each=None, broadcast=None, only=None):
        asked = list(range(len(self.shards)) if only is None else only)
        self.asked += 1
        answers = {}
        for k in self._random.sample(asked, len(asked)):
            if self._random.random() < self.losses:
                self.lose(k)
            some = () if broadcast is None else (broadcast.value,)
            some += () if each is None else (each[k],)
            sent = pickle.loads(pickle.dumps((function, some, args)))
            answers[k] = pickle.loads(
                pickle.dumps(sent[0](self._worker_shards[k], *sent[1], *sent[2]))
            )
        return [answers[k] for k in asked]

    def lose(self, k):
        self._worker_shards[k] = WorkerShard(self.shards[k].address)


def in_shards(X, y, cuts, *, labels=True, losses=0.0, seed=0):
    """Rows as data on a cluster, cut before the rows of these numbers."""
    bounds = [0, *sorted(min(cut, len(y)) for cut in cuts), len(y)]
    parts = [Held(X[a:b], as_read(y[a:b])) for a, b in itertools.pairwise(bounds)]
    shard_client = Moving(parts, seed, losses)
    summaries = shard_client.map_shards(WorkerShard.summary, labels)
    outline = DatasetOutline((), "rows", "array", {"name": "rows", "files": []}, None)
    return Dataset(shard_client, outline, merge_summaries(summaries, "rows", labels), summaries)


def as_read(y):
    """Labels as the reader of a shard has them, which knows nothing of the others."""
    return y.astype(np.int64) if y.dtype.kind == "f" and (y == np.rint(y)).all() else y


def check_shards(data, *, precision=None, time_limit=None, watch=None, **options):
    """The verdict of rows in shards."""
    return Judge(signed_rows(data, **options), precision, time_limit, watch).run()


def verify_shards(certificate, data):
    """What verification says of rows in shards."""
    shape = data.layout.rows, data.layout.features
    return verify_signed(certificate, shape, lambda found: certified_rows(data, found))


def verdict_fields(verdict, coefficients=True):
    """All that a verdict says."""
    found = {
        name: getattr(verdict, name)
        for name in (
            "outcome",
            "rows",
            "features",
            "radius_squared",
            "mistake_bound",
            "intercept",
            "conflict",
            "identical",
            "scans",
            "chance",
            "every_labelling",
        )
    }
    found["margin"] = tuple(verdict.margin)
    found["weights"] = None if verdict.weights is None else verdict.weights.tolist()
    found["strict"] = None if verdict.strict is None else verdict.strict.tolist()
    found["certificate"] = verdict.certificate and verdict.certificate.text
    if coefficients:
        found["coefficients"], found["rank"] = verdict.coefficients, verdict.rank
    return found


def outcome(function, *args, **options):
    """What a function returns, or the sentence with which it refuses."""
    try:
        return function(*args, **options)
    except NovikoffError as error:
        return type(error).__name__, str(error)


def as_counts(positive):
    return np.asarray(positive).astype(int)


def spread_out(rng, rows, features, kind):
    """Rows too many to be searched as a whole."""
    X, w = rng.standard_normal((rows, features)), rng.standard_normal(features)
    positive = X @ w > 0
    if kind == "gap":
        X += np.outer(np.where(positive, 0.1, -0.1), w / np.linalg.norm(w))
    if kind == "noise":
        positive ^= rng.random(rows) < 0.01
    if kind == "touching":
        X = np.round(X)
        positive = X[:, 0] > 0
        touched = X[:, 0] == 0
        positive[touched] = rng.random(touched.sum()) < 0.5
    if kind == "half":  # rows with counts lie on one plane, the others on one side of it
        X[:, 0] = np.abs(np.round(X[:, 0]))
        positive = (X[:, 0] == 0.0) & (rng.random(rows) < 0.5)
    if kind == "twins":
        again = rng.integers(0, rows, 20)
        X = np.vstack([X, X[again]])
        positive = np.concatenate([positive, ~positive[again]])
    return X, positive


def svmlight(path, X, y):
    """A file in which every value comes back as the double it was."""
    lines = []
    for row, label in zip(X, y, strict=True):
        entries = " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()) if value)
        lines.append(f"{label} {entries}")
    path.write_text("\n".join(lines) + "\n")
    return path
