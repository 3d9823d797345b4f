"""A crew without Dask: shards of arrays in this process, which get lost as real ones do."""

import itertools
import pickle
import random
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.data import Data, Plan
from novikoff.cluster.judging import certified_rows, signed_rows
from novikoff.cluster.layout import merged
from novikoff.cluster.site import Part, Site
from novikoff.errors import NovikoffError
from novikoff.sources.base import HeldSource
from novikoff.verdict.judge import Judge
from novikoff.verification import verified


class Held(NamedTuple):
    """The address of rows that travel with it."""

    X: Any
    y: Any
    token: str = ""
    size: int = 0

    def source(self, data):
        return HeldSource("rows", "array", self.X, self.y)


class Moving:
    """Answers as a crew does: everything goes through a pickle, parts answer in any order, and now
    and then one has moved to a worker that knows nothing yet.
    """

    def __init__(self, parts, seed=0, losses=0.0):
        self.parts = [Part(part) for part in parts]
        self._random, self.losses = random.Random(seed), losses
        self._sites = [Site(part.address) for part in self.parts]
        self.asked = 0

    def ask(self, function, *args, each=None, shared=None, only=None):
        asked = list(range(len(self.parts)) if only is None else only)
        self.asked += 1
        answers = {}
        for k in self._random.sample(asked, len(asked)):
            if self._random.random() < self.losses:
                self.lose(k)
            some = () if shared is None else (shared.whole,)
            some += () if each is None else (each[k],)
            sent = pickle.loads(pickle.dumps((function, some, args)))
            answers[k] = pickle.loads(pickle.dumps(sent[0](self._sites[k], *sent[1], *sent[2])))
        return [answers[k] for k in asked]

    def lose(self, k):
        self._sites[k] = Site(self.parts[k].address)


def in_shards(X, y, cuts, *, labels=True, losses=0.0, seed=0):
    """Rows as data on a cluster, cut before the rows of these numbers."""
    bounds = [0, *sorted(min(cut, len(y)) for cut in cuts), len(y)]
    parts = [Held(X[a:b], as_read(y[a:b])) for a, b in itertools.pairwise(bounds)]
    crew = Moving(parts, seed, losses)
    founds = crew.ask(Site.found, labels)
    plan = Plan((), (), "rows", "array", {}, None)
    return Data(crew, plan, merged(founds, "rows", labels), founds)


def as_read(y):
    """Labels as the reader of a shard has them, which knows nothing of the others."""
    return y.astype(np.int64) if y.dtype.kind == "f" and (y == np.rint(y)).all() else y


def judged(data, *, precision=None, time_limit=None, watch=None, **options):
    """The verdict of rows in shards."""
    return Judge(signed_rows(data, **options), precision, time_limit, watch).verdict()


def checked(certificate, data):
    """What verification says of rows in shards."""
    shape = data.layout.rows, data.layout.features
    return verified(certificate, shape, lambda found: certified_rows(data, found))


def told(verdict, coefficients=True):
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
