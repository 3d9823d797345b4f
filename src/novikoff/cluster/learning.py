"""What a worker does in an epoch: one ordinary pass over its shard, from the state it was sent.

What comes is the state that all shards begin the epoch with; what goes back is what changed in it
and what was counted. Rows stay where they are.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from novikoff.cluster.changes import Array, Change, all_applied, changes, rebuilt
from novikoff.cluster.layout import Found, Layout
from novikoff.cluster.site import Renumbered, Site, told
from novikoff.epochs import Counts, Run, lowest_score, windows
from novikoff.errors import DataError
from novikoff.learn import Learner
from novikoff.loop import Tally
from novikoff.rows import Rows, length, make_rows
from novikoff.rules import protocol
from novikoff.rules.protocol import arrays_of
from novikoff.sources.base import Source
from novikoff.streams import Stream


class Counted(NamedTuple):
    """A tally as plain numbers."""

    seen: int
    mistakes: int
    updates: int
    amount: float
    radius_squared: float

    @classmethod
    def of(cls, tally: Tally) -> "Counted":
        return cls(*(each[0].item() for each in tally))

    def tally(self) -> Tally:
        return Tally(*(np.array([each]) for each in self))


class Sent(NamedTuple):
    """Learners as they travel, and the rows that they are to learn from as the learners see them.

    arrays: those of each learner's state. labels: whether the rule looks at them.
    """

    rule: Any
    features: int
    bias: bool
    unit_length: bool
    labels: bool
    layout: Layout
    arrays: list[list[Array]]
    tallies: list[Counted]

    @classmethod
    def of(cls, learner: Learner, layout: Layout, labels: bool) -> "Sent":
        lift = learner.bias, learner.unit_length, labels
        return cls(learner.rule, learner.features, *lift, layout, *_travelling(learner))

    def learner(self) -> Learner:
        """One with states of its own."""
        fresh = start_of(self.rule, self.features, self.bias)
        return Learner.at(
            self.rule,
            self.features,
            [rebuilt(fresh, [each.copy() for each in arrays]) for arrays in self.arrays],
            [each.tally() for each in self.tallies],
            bias=self.bias,
            unit_length=self.unit_length,
        )

    def rows(self, matrix: Any) -> Rows:
        return make_rows(matrix, self.bias, self.unit_length)

    @property
    def size(self) -> int:
        """Of its arrays, in bytes."""
        return sum(array.nbytes for arrays in self.arrays for array in arrays)


class Step(NamedTuple):
    """From what was sent before one epoch to what is sent before the next."""

    changes: list[list[Change]]
    tallies: list[Counted]

    @classmethod
    def between(cls, before: Sent, after: Sent) -> "Step":
        return cls(list(map(changes, before.arrays, after.arrays)), after.tallies)

    @property
    def size(self) -> int:
        return size_of(self.changes)


def stepped(before: Sent, step: Step) -> Sent:
    """What is sent, made on a worker of what it was sent before."""
    arrays = list(map(all_applied, before.arrays, step.changes))
    return before._replace(arrays=arrays, tallies=step.tallies)


class Pass(NamedTuple):
    """How to go through a shard once. known: whether the layout is that of all data already."""

    epoch: int
    order: str = "given"
    seed: int = 0
    streamed: bool = False
    known: bool = True


class Learned(NamedTuple):
    """What one pass over a shard did: the change of each learner's state, and its tally after it.

    The changes are from the state that was sent; if the rows were wider than that, from a start
    with so many features. found: what the shard is, where that was not known before.
    """

    changes: list[list[Change]]
    tallies: list[Counted]
    features: int
    mistakes: int
    found: Found | None = None

    @property
    def size(self) -> int:
        return size_of(self.changes)


def learned(site: Site, sent: Sent, number: int, asked: Pass) -> Learned:
    """One pass over the rows of a shard, which is the one of this number."""
    learner, found = sent.learner(), None
    before = learner.total("mistakes")
    if asked.streamed:
        found = _stream(site, sent, learner, number, asked)
    else:
        _at_rest(site, sent, learner, number, asked)
    mistakes = learner.total("mistakes") - before
    old = sent.arrays
    if learner.features != sent.features:
        old = [arrays_of(start_of(sent.rule, learner.features, sent.bias))] * len(sent.arrays)
    arrays, tallies = _travelling(learner)
    return Learned(list(map(changes, old, arrays)), tallies, learner.features, mistakes, found)


def _at_rest(site: Site, sent: Sent, learner: Learner, number: int, asked: Pass) -> None:
    rows = sent.rows(site.matrix(sent.layout))
    codes = _codes(site, sent, length(rows))
    before = sent.layout.firsts[number]
    _refuse_other(site, sent.layout, number, length(rows))
    for _, places in windows(asked.order, asked.seed, asked.epoch, length(rows)):
        learner.read(rows, codes, order=places, measure=asked.epoch == 0, before=before)


def _stream(site: Site, sent: Sent, learner: Learner, number: int, asked: Pass) -> Found | None:
    """Learn from rows as they are read; what they are, unless that was known."""
    source: Source = site.source()
    if asked.known:
        source = Renumbered(source, sent.layout)
    run = Run(learner)
    run.past = [Counts(0, 0)] * asked.epoch
    stream = Stream.going_on(_Plan(sent), source, run, sent.layout.classes)
    if asked.known:
        stream.before = sent.layout.firsts[number]
    stream.epoch()
    if asked.known:
        _refuse_other(site, sent.layout, number, run.place)
        return None
    return told(source, run.place, learner.features, stream.classes if sent.labels else None)


def _refuse_other(site: Site, layout: Layout, number: int, rows: int) -> None:
    """A shard that is read again must be what it was."""
    expected = layout.firsts[number + 1] - layout.firsts[number]
    if rows != expected:
        raise DataError(
            f"{site.source().name}: shard {number + 1} had {expected:,} rows, and now it has"
            f" {rows:,}: leave the data alone, and begin again"
        )


class _Plan:
    """What a stream has to know, of learners that are there already."""

    needs_width = False

    def __init__(self, sent: Sent) -> None:
        self.labels, self.rows = sent.labels, sent.rows

    def learner(self, features: int, outputs: int) -> Learner:
        raise AssertionError("these learners have begun")


def lowest(site: Site, sent: Sent, number: int, asked: Pass) -> float:
    """The lowest signed score of a shard's rows; infinite if it has none."""
    learner = sent.learner()
    found = (lowest_score(learner, rows, codes) for rows, codes in _parts(site, sent, asked))
    return min(found, default=np.inf)


def _parts(site: Site, sent: Sent, asked: Pass) -> Iterator[tuple[Rows, Any]]:
    if not asked.streamed:
        rows = sent.rows(site.matrix(sent.layout))
        yield rows, _codes(site, sent, length(rows))
        return
    for X, chunk in site.chunks(sent.layout):
        codes = _ones(X.shape[0]) if not sent.labels else sent.layout.codes(chunk.y, "the data")
        yield sent.rows(X), codes


def _codes(site: Site, sent: Sent, rows: int) -> Any:
    return site.codes(sent.layout) if sent.labels else _ones(rows)


def _ones(rows: int) -> Any:
    return np.ones(rows, np.uint16)


class Head(NamedTuple):
    """What the first rows show. classes: None if they do not show two. names: whether columns have
    names that may go on coming.
    """

    classes: Any
    features: int
    names: bool


def head(site: Site, labels: bool) -> Head:
    """The first rows of a shard: as many as show two labels, but not many."""
    source, chunks = site.source(), []
    known: Any = None
    for chunk in itertools.islice(source.chunks(), 2):
        chunks.append(chunk)
        if not labels:
            break
        if chunk.y is None:
            raise DataError(f"{source.name}: the rows have no labels to learn from")
        known = np.unique(np.concatenate([each.y for each in chunks]))
        if len(known) > 1:
            break
    width = max((each.X.shape[1] for each in chunks), default=0)
    growing = source.feature_names is not None and any(hasattr(c.X, "indptr") for c in chunks)
    return Head(known if known is not None and len(known) > 1 else None, width, growing)


def start_of(rule: Any, features: int, bias: bool) -> Any:
    """The state of a learner that starts with zero weights."""
    return protocol.start(rule, np.zeros(features + bias))


def size_of(found: Sequence[Sequence[Change]]) -> int:
    """In bytes."""
    return sum(each.size for some in found for each in some)


def _travelling(learner: Learner) -> tuple[list[list[Array]], list[Counted]]:
    """The arrays of each state, without spare room, and the tallies."""
    states = (protocol.compacted(learner.rule, state) for state in learner.states)
    return [arrays_of(state) for state in states], list(map(Counted.of, learner.tallies))
