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
import numpy.typing as npt

from novikoff.cluster.training.array_delta import (
    Array,
    ArrayDelta,
    apply_all,
    as_sparse,
    bits_differ,
    deltas,
)
from novikoff.cluster.training.shard_epoch import EpochResult, ShardCounts
from novikoff.errors import ParameterError
from novikoff.learning.learner import Learner
from novikoff.learning.rules import Pocket, protocol
from novikoff.learning.rules.protocol import Vector, arrays_of, with_arrays

MIXINGS = ("uniform", "mistakes")


def require_mixing(mixing: str) -> None:
    """Refuse an unknown way to mix."""
    if mixing not in MIXINGS:
        raise ParameterError(f'mixing must be "uniform" or "mistakes", not {mixing!r}')


def refuse_unmixable(rule: Any, shards: int) -> None:
    """Refuse several shards for a rule whose states cannot be mixed, and any for a pocket."""
    if isinstance(rule, Pocket):
        raise ParameterError(f"this rule does not learn on a cluster: {protocol.unmixable(rule)}")
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
    """The shares of the shards, by their updates. active: the shards that changed anything."""
    total, count = sum(updates), len(updates)
    if mixing == "uniform" or total == 0:
        return Shares([1.0 / count] * len(active), (count - len(active)) / count)
    return Shares([updates[k] / total for k in active], 0.0)


class MixedLearner(NamedTuple):
    """A learner whose states are mixed, and the mixed mistakes of each."""

    learner: Learner
    mistakes: Vector


def mix(learner: Learner, results: Sequence[EpochResult], mixing: str) -> MixedLearner:
    """Mix what all shards learned in an epoch; the learner is left as it is."""
    after = copy.copy(learner)
    after.states, after.tallies = [], []
    mistakes = []
    for k, (state, tally) in enumerate(zip(learner.states, learner.tallies, strict=True)):
        changes = [_align(learner, k, result) for result in results]
        counts = [result.tallies[k] for result in results]
        epoch = _Epoch(learner.rule, state, ShardCounts.of(tally), changes, counts, mixing)
        after.states.append(epoch.state())
        after.tallies.append(epoch.mixed_counts().tally())
        mistakes.append(epoch.mixed_mistakes())
    return MixedLearner(after, np.array(mistakes))


class _Epoch(NamedTuple):
    """One learner's epoch: its state and counts before it; each shard's changes, and counts after
    it.
    """

    rule: Any
    before: Any
    counts_before: ShardCounts
    changes: Sequence[Sequence[ArrayDelta]]
    counts: Sequence[ShardCounts]
    mixing: str

    @property
    def updates(self) -> list[int]:
        """Of each shard, in this epoch."""
        return [each.updates - self.counts_before.updates for each in self.counts]

    @property
    def mistakes(self) -> list[int]:
        """Of each shard, in this epoch."""
        return [each.mistakes - self.counts_before.mistakes for each in self.counts]

    @property
    def active(self) -> list[int]:
        """The shards that changed anything, or moved by a row of zeros, which changes nothing."""
        updates = self.updates
        return [k for k, some in enumerate(self.changes) if updates[k] or any(map(_changes, some))]

    @property
    def shares(self) -> Shares:
        return shares(self.mixing, self.updates, self.active)

    def state(self) -> Any:
        """The mixed state."""
        compact = protocol.compacted(self.rule, self.before)
        base = arrays_of(compact)
        if len(self.changes) == 1:
            return with_arrays(compact, apply_all(base, self.changes[0]))
        chosen, share = [self.changes[k] for k in self.active], self.shares
        if not chosen:
            return self.before
        means = [_mean(old, [some[i] for some in chosen], share) for i, old in enumerate(base)]
        return protocol.mixed(self.rule, with_arrays(self.before, means))

    def mixed_counts(self) -> ShardCounts:
        """The counts of the mixed state: see the head of this file."""
        amounts = [ArrayDelta(np.array([self.counts[k].amount])) for k in self.active]
        before = np.array([self.counts_before.amount])
        return ShardCounts(
            max(each.seen for each in self.counts),
            self.counts_before.mistakes + sum(self.mistakes),
            self.counts_before.updates + sum(self.updates),
            float(_mean(before, amounts, self.shares)[0]),
            max(each.radius_squared for each in self.counts),
            self._weighted_mistakes(),
        )

    def _weighted_mistakes(self) -> float | None:
        """The weights of all shards' mistakes together; None if no row has a weight."""
        before = self.counts_before
        if all(each.weighted_mistakes is None for each in (before, *self.counts)):
            return None
        return before.weight + sum(each.weight - before.weight for each in self.counts)

    def mixed_mistakes(self) -> float:
        """sum of shares * mistakes, with one rounding."""
        total = sum(self.updates)
        if self.mixing == "uniform" or total == 0:
            return sum(self.mistakes) / len(self.mistakes)
        return sum(u * m for u, m in zip(self.updates, self.mistakes, strict=True)) / total


def _changes(change: ArrayDelta) -> bool:
    return change.places is None or change.places.size > 0


def _mean(before: Array, changes: Sequence[ArrayDelta], share: Shares) -> Array:
    """The weighted mean of arrays that are given by their changes to one before.

    It is computed where any of them differs, or everywhere if they nearly all do: the same sums
    either way.
    """
    if before.dtype.kind != "f" or not changes:
        return before
    flat = before.ravel()
    touched = _changed(flat, changes)
    after = before.copy()
    if 2 * np.count_nonzero(touched) > touched.size:
        total = _sum(flat, changes, share)
        np.copyto(after.reshape(-1), total, where=touched)
        return after
    places = np.flatnonzero(touched)
    rank = np.cumsum(touched, dtype=np.int64) - 1  # of a place among those
    sparse = (as_sparse(flat, each) for each in changes)
    inside = [ArrayDelta(each.values, rank[each.places]) for each in sparse]
    after.reshape(-1)[places] = _sum(flat[places], inside, share)
    return after


def _changed(flat: Array, changes: Sequence[ArrayDelta]) -> npt.NDArray[np.bool_]:
    """Whether any of the changes is one, at each place."""
    touched = np.zeros(flat.size, np.bool_)
    for each in changes:
        if each.places is None:
            touched |= bits_differ(flat, each.values)
        else:
            touched[each.places] = True
    return touched


def _sum(base: Array, changes: Sequence[ArrayDelta], share: Shares) -> Array:
    """rest * base + sum of shares * arrays, in their order."""
    total = share.rest * base if share.rest else None
    term = np.empty_like(base)
    for mu, each in zip(share.each, changes, strict=True):
        if each.places is None:
            np.multiply(each.values.ravel(), mu, out=term)
        else:
            term[:] = base
            term[each.places] = each.values
            term *= mu
        total = term.copy() if total is None else np.add(total, term, out=total)
    assert total is not None
    return total


def _align(learner: Learner, k: int, result: EpochResult) -> Sequence[ArrayDelta]:
    """The changes of a shard, in a state as wide as the rows of all shards are."""
    if result.features == learner.features:
        return result.changes[k]
    rule, bias, old, new = learner.rule, learner.bias, result.features, learner.features
    fresh, blank = (learner.zero_state(features) for features in (old, new))
    state = with_arrays(fresh, apply_all(arrays_of(fresh), result.changes[k]))
    wide = protocol.resized(rule, state, copy.deepcopy(blank), old, new, bias)
    return deltas(arrays_of(blank), arrays_of(wide))
