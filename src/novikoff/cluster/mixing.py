"""Iterative parameter mixing (McDonald, Hall and Mann 2010): one state of what all shards learned.

In each epoch every shard s starts from the same state, makes one pass over its own rows with
updates[s] moves and mistakes[s] mistakes, and ends with states[s]. The next epoch starts from

    state = sum over s of shares[s] * states[s]

The shares are 1 / S each ("uniform") or updates[s] / sum of updates ("mistakes": for the rules that
move at their mistakes these are the same). Entries whose bits no shard changed stay as they are;
the shards that did nothing come first in the sum, as one term, then the others in their order.
So the sum has no more terms than moves were made, and one more, however many shards there are.

Mistakes count by their shares: mixed = sum over epochs and shards of shares[s] * mistakes[s]. For
the perceptron with step eta from zero weights, on rows no longer than D of which a unit vector u
has at least gamma,

    state . u >= eta * gamma * mixed          (linear: a mean of what the shards have)
    |state|^2 <= eta^2 * D^2 * mixed          (convex: at most the mean of what the shards have)

and so mixed <= (D / gamma)^2, as on one machine: `bounds.mixing`. Any proof that needs of its
quantities that one is linear and the other convex goes through in the same way. With uniform shares
the mistakes of all S shards together are mixed * S, at most S times that.

The tallies: mistakes and updates add up; the sum of amounts is mixed as the weights are, so that
the ceiling on the margin holds; the radius is the largest; and the clock of a rule (`seen`) goes on
by the rows of the longest shard, for the shards learn side by side (see `rules.averaged`).
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.changes import (
    Array,
    Change,
    all_applied,
    at_places,
    changes,
    differs,
    rebuilt,
)
from novikoff.cluster.learning import Counted, Learned, start_of
from novikoff.errors import ParameterError
from novikoff.learn import Learner
from novikoff.rules import protocol
from novikoff.rules.protocol import Vector, arrays_of

MIXINGS = ("uniform", "mistakes")


def check(mixing: str) -> None:
    """Refuse what is no way to mix."""
    if mixing not in MIXINGS:
        raise ParameterError(f'mixing must be "uniform" or "mistakes", not {mixing!r}')


def refuse_unmixable(rule: Any, shards: int) -> None:
    """A rule whose states cannot be mixed can learn from one shard only."""
    why = None if shards == 1 else protocol.unmixable(rule)
    if why is not None:
        raise ParameterError(
            f"this rule cannot learn from {shards} shards, for their states cannot be mixed: {why}."
            " Take another rule, or one shard"
        )


class Shares(NamedTuple):
    """The share of each active shard, and that of all the others together."""

    each: list[float]
    rest: float


def shares(mixing: str, updates: Sequence[int], active: Sequence[int]) -> Shares:
    """The shares of shards with so many updates; active: those that did anything."""
    total, count = sum(updates), len(updates)
    if mixing == "uniform" or total == 0:
        return Shares([1.0 / count] * len(active), (count - len(active)) / count)
    return Shares([updates[k] / total for k in active], 0.0)


class Mixed(NamedTuple):
    """A learner whose states are mixed, and the mistakes of each by the shards' shares."""

    learner: Learner
    mistakes: Vector


def mixed(learner: Learner, answers: Sequence[Learned], mixing: str) -> Mixed:
    """What a learner becomes by an epoch on all shards; itself it stays as it is."""
    after = copy.copy(learner)
    after.states, after.tallies = [], []
    mistakes = []
    for k, (state, tally) in enumerate(zip(learner.states, learner.tallies, strict=True)):
        found = [_aligned(learner, k, answer) for answer in answers]
        counted = [answer.tallies[k] for answer in answers]
        epoch = _Epoch(learner.rule, state, Counted.of(tally), found, counted, mixing)
        after.states.append(epoch.state())
        after.tallies.append(epoch.counted().tally())
        mistakes.append(epoch.mistakes())
    return Mixed(after, np.array(mistakes))


class _Epoch(NamedTuple):
    """One learner's epoch: what it was before, what each shard changed, and counted in the end."""

    rule: Any
    before: Any
    tally: Counted
    found: Sequence[Sequence[Change]]
    after: Sequence[Counted]
    mixing: str

    @property
    def updates(self) -> list[int]:
        return [each.updates - self.tally.updates for each in self.after]

    @property
    def missed(self) -> list[int]:
        return [each.mistakes - self.tally.mistakes for each in self.after]

    @property
    def active(self) -> list[int]:
        """The shards that changed anything, or moved by a row of zeros, which changes nothing."""
        moved, found = self.updates, self.found
        return [k for k, some in enumerate(found) if moved[k] or any(map(_is_one, some))]

    @property
    def shares(self) -> Shares:
        return shares(self.mixing, self.updates, self.active)

    def state(self) -> Any:
        compact = protocol.compacted(self.rule, self.before)
        base = arrays_of(compact)
        if len(self.found) == 1:
            return rebuilt(compact, all_applied(base, self.found[0]))
        chosen, share = [self.found[k] for k in self.active], self.shares
        if not chosen:
            return self.before
        means = [_mean(old, [some[i] for some in chosen], share) for i, old in enumerate(base)]
        return protocol.mixed(self.rule, rebuilt(self.before, means))

    def counted(self) -> Counted:
        amounts = [Change(np.array([self.after[k].amount])) for k in self.active]
        before = np.array([self.tally.amount])
        return Counted(
            max(each.seen for each in self.after),
            self.tally.mistakes + sum(self.missed),
            self.tally.updates + sum(self.updates),
            float(_mean(before, amounts, self.shares)[0]),
            max(each.radius_squared for each in self.after),
        )

    def mistakes(self) -> float:
        """sum of shares * mistakes, with one rounding."""
        total = sum(self.updates)
        if self.mixing == "uniform" or total == 0:
            return sum(self.missed) / len(self.missed)
        return sum(u * m for u, m in zip(self.updates, self.missed, strict=True)) / total


def _is_one(change: Change) -> bool:
    return change.places is None or change.places.size > 0


def _mean(before: Array, found: Sequence[Change], share: Shares) -> Array:
    """The mean of arrays that are known by how they differ from one before.

    It is taken where any of them differs, or everywhere if that is nearly so; the same sums either
    way.
    """
    if before.dtype.kind != "f" or not found:
        return before
    flat = before.ravel()
    touched = _touched(flat, found)
    after = before.copy()
    if 2 * np.count_nonzero(touched) > touched.size:
        total = _sum(flat, found, share)
        np.copyto(after.reshape(-1), total, where=touched)
        return after
    places = np.flatnonzero(touched)
    rank = np.cumsum(touched, dtype=np.int64) - 1  # of a place among those
    parts = (at_places(flat, each) for each in found)
    inside = [Change(each.values, rank[each.places]) for each in parts]
    after.reshape(-1)[places] = _sum(flat[places], inside, share)
    return after


def _touched(flat: Array, found: Sequence[Change]) -> Array:
    """Whether any of the changes is one, at each place."""
    touched = np.zeros(flat.size, bool)
    for each in found:
        if each.places is None:
            touched |= differs(flat, each.values)
        else:
            touched[each.places] = True
    return touched


def _sum(base: Array, found: Sequence[Change], share: Shares) -> Array:
    """rest * base + sum of shares * arrays, in their order."""
    total = share.rest * base if share.rest else None
    term = np.empty_like(base)
    for mu, each in zip(share.each, found, strict=True):
        if each.places is None:
            np.multiply(each.values.ravel(), mu, out=term)
        else:
            term[:] = base
            term[each.places] = each.values
            term *= mu
        total = term.copy() if total is None else np.add(total, term, out=total)
    assert total is not None
    return total


def _aligned(learner: Learner, k: int, answer: Learned) -> Sequence[Change]:
    """What a shard changed, in a state as wide as the rows of all shards are."""
    if answer.features == learner.features:
        return answer.changes[k]
    rule, bias, old, new = learner.rule, learner.bias, answer.features, learner.features
    fresh = start_of(rule, old, bias)
    state = rebuilt(fresh, all_applied(arrays_of(fresh), answer.changes[k]))
    wide = protocol.resized(rule, state, start_of(rule, new, bias), old, new, bias)
    return changes(arrays_of(start_of(rule, new, bias)), arrays_of(wide))
