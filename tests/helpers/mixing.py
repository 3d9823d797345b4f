"""Training on shards inside this process, and the same by hand."""

import itertools

import numpy as np

from novikoff.cluster.data.layout import DatasetOutline, merge_summaries
from novikoff.cluster.training.trainer import train
from novikoff.cluster.workers.dataset import Dataset
from novikoff.learning.epochs import epoch_order
from novikoff.learning.learner import Learner
from novikoff.learning.rules import protocol
from novikoff.learning.spec import OWN, TrainingSpec
from tests.helpers.local_shards import Here, parts_of
from tests.helpers.rule_table import arrays_of

UNMIXABLE = {"voted", "second-order", "pocket", "pocket-margin"}


class Steps(Here):
    """Makes what is shared of what was shared before, where `ShardClient` does."""

    def __init__(self, parts):
        super().__init__(parts)
        self.last, self.steps = (-1, None), 0

    def map_shards(self, function, *args, each=None, broadcast=None, only=None):
        if broadcast is not None:
            whole = broadcast.value
            if broadcast.apply_delta is not None and self.last[0] == broadcast.version - 1:
                whole = broadcast.apply_delta(self.last[1], broadcast.delta)
                self.steps += 1
            self.last = broadcast.version, whole
            broadcast = broadcast._replace(value=whole)
        asked = range(len(self.worker_shards)) if only is None else only
        answers = []
        for k in asked:
            answers.append(self._answer(function, args, each, broadcast, k))
            if self.watch is not None:
                self.watch(glance(len(answers), len(asked), answers[-1], k))
        return answers


def glance(done, parts, answer, part):
    from novikoff.cluster.workers.shard_client import CallProgress

    return CallProgress(1, done, parts, 0, answer, part)


def own_spec(rule, *, bias=False, unit_length=False, initial=None, **more):
    """How to learn by a rule."""
    return TrainingSpec(
        OWN if more.get("labels", True) else "one-sided",
        {},
        "zeros" if initial is None else initial,
        bias,
        unit_length,
        more.get("seed", 0),
        more.get("epochs", 20_000),
        more.get("order", "given"),
        own_rule=rule,
    )


def gathering(parts, labels=True, clients=None):
    """What `load_dataset` does, with a shard client that is here."""

    def gather(read, watch):
        shard_client = Steps(parts)
        shard_client.watch = watch
        known = {"name": "these rows", "files": [], "asked": {}}
        outline = DatasetOutline((), "these rows", "arrays", known, None)
        summaries = read(shard_client, outline)
        if clients is not None:
            clients.append(shard_client)
        return Dataset(
            shard_client, outline, merge_summaries(summaries, "these rows", labels), summaries
        )

    return gather


def trained(rule, X, y, cuts, *, mixing="uniform", **how):
    """A run on shards of these rows, cut before the rows named."""
    return train(own_spec(rule, **how), gathering(parts_of(X, y, cuts)), mixing=mixing)


def by_hand(rule, X, codes, cuts, *, mixing, epochs, positive=1, **how):
    """The same with whole arrays, as the formula says: the learner's state and its tally."""
    plan = own_spec(rule, **how)
    learner = plan.learner(X.shape[1], 1)
    edges = [0, *cuts, len(X)]
    codes = (codes == positive).astype(np.uint16)
    for epoch in range(epochs):
        shards = []
        for a, b in itertools.pairwise(edges):
            copy = clone(learner)
            rows = plan.rows(np.ascontiguousarray(X[a:b]))
            for _, order in epoch_order(plan.order, plan.seed, epoch, b - a):
                copy.read(rows, codes[a:b], order=order)
            shards.append(copy)
        learner = mean(learner, shards, mixing) if cuts else shards[0]
    return learner


def clone(learner):
    copies = {}

    def copied(part):
        if isinstance(part, tuple):
            return type(part)(*map(copied, part))
        return copies.setdefault(id(part), part.copy())

    tallies = [type(t)(*(each.copy() for each in t)) for t in learner.tallies]
    lift = {"bias": learner.bias, "unit_length": learner.unit_length}
    return Learner.from_state(
        learner.rule, learner.features, [copied(learner.states[0])], tallies, **lift
    )


def mean(learner, shards, mixing):
    """sum of share * state, array by array, where any bit has changed."""
    count = len(shards)
    old = learner.tallies[0]
    updates = [int(each.tallies[0].updates[0] - old.updates[0]) for each in shards]
    changed = [any(map(differ, *map(states, (learner, each)))) for each in shards]
    moved = [bool(u or c) for u, c in zip(updates, changed, strict=True)]
    uniform = mixing == "uniform" or not sum(updates)
    rest = sum(not each for each in moved) / count if uniform else 0.0
    mus = [1.0 / count if uniform else each / sum(updates) for each in updates]
    chosen = [k for k in range(count) if moved[k]]

    def mixed(before, afters):
        if before.dtype.kind != "f" or not chosen:
            return before
        total = rest * before if rest else None
        for k in chosen:
            term = mus[k] * afters[k]
            total = term if total is None else total + term
        changed = np.any([differ(before, afters[k], each=True) for k in chosen], axis=0)
        return np.where(changed, total, before)

    made = clone(learner)
    for i, array in enumerate(states(made)):
        array[...] = mixed(array, [states(each)[i] for each in shards])
    made.states[0] = protocol.mixed(made.rule, made.states[0])
    tally, tallies = made.tallies[0], [each.tallies[0] for each in shards]
    for name in ("mistakes", "updates"):
        before = getattr(old, name)[0]
        getattr(tally, name)[0] += sum(getattr(each, name)[0] - before for each in tallies)
    for name in ("seen", "radius_squared"):
        getattr(tally, name)[0] = max(getattr(each, name)[0] for each in tallies)
    tally.amount[:] = mixed(old.amount, [each.amount for each in tallies])
    return made


def states(learner):
    found = {id(each): each for each in arrays_of(learner.states[0])}
    return list(found.values())


def differ(before, after, each=False):
    found = before.view("u1").reshape(-1, before.itemsize) != after.view("u1").reshape(
        -1, after.itemsize
    )
    places = found.any(axis=1).reshape(before.shape)
    return places if each else bool(places.any())


def same_bits(learner, other, k=0, j=0):
    """Whether two learners' states and tallies are the same, bit for bit."""
    pairs = []
    for one, number in ((learner, k), (other, j)):
        state = protocol.compacted(one.rule, one.states[number])
        pairs.append([*arrays_of(state), *one.tallies[number]])
    return all(a.tobytes() == b.tobytes() for a, b in zip(*pairs, strict=True))
