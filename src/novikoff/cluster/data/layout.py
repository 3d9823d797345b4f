"""A data set as shards: what is known before they are read, and the layout of them all together:
their classes, their columns, and where each one's rows begin.

A shard read by itself numbers named features by their first appearance in it. The shards' names,
concatenated without repeats, are in the order of first appearance in all the data, which is how a
single reader would have numbered them; so each shard's columns get the numbers there.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.chunk import LabelArray
from novikoff.data.errors import RereadError
from novikoff.data.files.skipped_rows import SkippedRow
from novikoff.data.matrices import MOST_CLASSES, Codes, encode
from novikoff.data.shards import Shard
from novikoff.data.source import CacheChoice
from novikoff.data.sparse import Matrix, csr
from novikoff.errors import DataError
from novikoff.learning.streaming import NO_LABELS, widened

Columns = npt.NDArray[np.int64]


class DatasetOutline(NamedTuple):
    """What is known of a data set before any shard is read."""

    shards: tuple[Shard, ...]
    name: str
    format: str
    identity: dict[str, Any]  # what the data are known by in a checkpoint
    target: str | None
    cache: CacheChoice = None  # see `Source`
    skipped_to: str | None = None  # the file for the rows that are left out

    @property
    def bytes(self) -> int:
        """Bytes of text, roughly; 0 for what is in memory."""
        return sum(shard.bytes for shard in self.shards)


class ShardSummary(NamedTuple):
    """What one pass over a shard finds out."""

    rows: int
    features: int
    labels: LabelArray | None  # the distinct ones, sorted; None if they do not matter
    names: list[str] | None
    index_options: dict[str, Any]
    base: int | None = None  # of svmlight: 0 if an index 0 came, 1 if none did
    ends_in_quotes: bool = False  # then it was cut wrongly
    skipped: int = 0
    notes: tuple[str, ...] = ()  # without counts, which are noted once for all shards
    skipped_rows: tuple[SkippedRow, ...] = ()  # if a list of them was asked for
    categories: tuple[str, ...] = ()  # columns of words


class Layout(NamedTuple):
    """The layout of all shards. offsets: the number of each one's first row, then of all rows."""

    features: int
    classes: LabelArray
    names: list[str] | None
    offsets: tuple[int, ...]

    @property
    def rows(self) -> int:
        return self.offsets[-1]

    def shard_of(self, row: int) -> tuple[int, int]:
        """The shard that a row is in, and the row's number there."""
        k = int(np.searchsorted(self.offsets, row, "right")) - 1
        return k, row - self.offsets[k]

    def codes(self, y: LabelArray | None, name: str) -> Codes:
        """The class number of each of a shard's rows."""
        if y is None:
            raise DataError(f"{name}: the rows have no labels to learn from")
        labels = np.asarray(y)
        if (labels.dtype.kind, self.classes.dtype.kind) == ("i", "f"):
            labels = labels.astype(np.float64)
        return encode(labels, self.classes)[1]

    def columns(self, names: list[str] | None) -> Columns | None:
        """The number of each of a shard's columns here; None if they are the same."""
        if names is None or self.names is None or names == self.names[: len(names)]:
            return None
        places = {each: k for k, each in enumerate(_with_occurrence(self.names))}
        return np.array([places[each] for each in _with_occurrence(names)], np.int64)

    def matrix(self, X: Matrix, names: list[str] | None) -> Matrix:
        """A shard's rows with the columns of the layout."""
        columns = self.columns(names)
        if columns is None:
            return widened(X, self.features)
        if isinstance(X, np.ndarray):
            wide = np.zeros((X.shape[0], self.features))
            wide[:, columns] = X
            return wide
        numbers = columns[X.indices]
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        order = np.lexsort((numbers, rows))
        return csr(X.indptr, numbers[order], X.data[order], self.features)


def merge_summaries(summaries: Sequence[ShardSummary], name: str, labels: bool = True) -> Layout:
    """Lay out the shards; where they contradict each other, a RereadError says how to read them."""
    bases = {summary.base for summary in summaries} - {None}
    if len(bases) > 1:
        raise RereadError(
            f"{name}: an index 0 comes after indices were counted from 1", zero_based=True
        )
    offsets = np.cumsum([0, *(summary.rows for summary in summaries)]).tolist()
    classes = _classes(summaries, name) if labels else NO_LABELS
    names = _names([summary.names for summary in summaries if summary.names is not None])
    width = max(summary.features for summary in summaries)
    if names is not None:
        width = max(width, len(names))
    return Layout(width, classes, names, tuple(offsets))


def _names(lists: Sequence[list[str]]) -> list[str] | None:
    if not lists:
        return None
    found = dict.fromkeys(one for each in lists for one in _with_occurrence(each))
    return [name for name, _ in found]


def _with_occurrence(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name, and how often it came before: a header may have one twice."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def _classes(summaries: Sequence[ShardSummary], name: str) -> LabelArray:
    found = [each.labels for each in summaries if each.labels is not None and len(each.labels)]
    if not found:
        raise DataError(f"{name}: the rows have no labels to learn from")
    words = {each.dtype.kind in "UT" for each in found}
    if len(words) > 1:
        raise RereadError(f"{name}: some labels are numbers and some are words", word_labels=True)
    classes = np.unique(np.concatenate(found))
    if len(classes) > MOST_CLASSES:
        encode(classes)  # refuses that many
    return classes
