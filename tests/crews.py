"""A crew without a cluster: every question is answered here, in turn, as a worker would."""

import itertools
import pickle

from novikoff.cluster.site import Part, Site
from novikoff.sources.base import HeldSource


class ArrayAddress:
    """Rows of an array, as a shard."""

    def __init__(self, X, y):
        self.X, self.y, self.size = X, y, 0

    def source(self, data):
        return HeldSource("these rows", "arrays", self.X, self.y)


def parts_of(X, y, cuts):
    """An array cut before these rows, as the parts of a crew."""
    edges = [0, *cuts, X.shape[0]]
    return [Part(ArrayAddress(X[a:b], y[a:b])) for a, b in itertools.pairwise(edges)]


class Here:
    """Answers as `Crew` does; what would travel is pickled and unpickled, as it would be."""

    def __init__(self, parts):
        self.parts, self.moved, self.watch = list(parts), 0, None
        self.sites = [Site(part.address) for part in parts]

    def ask(self, function, *args, each=None, shared=None, only=None):
        asked = range(len(self.sites)) if only is None else only
        return [self._answer(function, args, each, shared, k) for k in asked]

    def _answer(self, function, args, each, shared, k):
        some = [] if shared is None else [shared.whole]
        some += [] if each is None else [each[k]]
        sent = pickle.loads(pickle.dumps((some, args)))
        return pickle.loads(pickle.dumps(function(self.sites[k], *sent[0], *sent[1])))

    def anywhere(self, function, *args):
        return function(*args)

    def close(self):
        self.sites = []
