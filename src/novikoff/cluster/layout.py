"""What shards are together: their classes, their columns, and the number of each one's first row.

A shard read by itself numbers named features by their first appearance in it. Put one after another
without repeats, the shards' names are in the order of first appearance in all the data, which is
how a single reader would have numbered them; so each shard's columns get the numbers there.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError
from novikoff.sources.arrays import MOST_CLASSES, encode
from novikoff.sources.base import LateError
from novikoff.sources.sparse import csr
from novikoff.streams import NO_LABELS, widened

Columns = npt.NDArray[np.int64]


class Found(NamedTuple):
    """What one pass over a shard tells."""

    rows: int
    features: int
    labels: Any  # the different ones, sorted; None where nobody asked
    names: list[str] | None
    numbering: dict[str, Any]
    base: int | None = None  # of svmlight: 0 if an index 0 came, 1 if none did
    quotes: bool = False  # whether it ends within double quotes: then it was cut wrongly
    skipped: int = 0
    remarks: tuple[str, ...] = ()  # but for what is counted, which is told of all together
    listed: tuple[Any, ...] = ()  # the rows left out, where a list of them was asked for
    categories: tuple[str, ...] = ()  # columns of words


class Layout(NamedTuple):
    """What all shards are together; firsts: the number of each one's first row, then the end."""

    features: int
    classes: Any
    names: list[str] | None
    firsts: tuple[int, ...]

    @property
    def rows(self) -> int:
        return self.firsts[-1]

    def codes(self, y: Any, name: str) -> npt.NDArray[np.uint16]:
        """The class number of each of a shard's rows."""
        if y is None:
            raise DataError(f"{name}: the rows have no labels to learn from")
        labels = np.asarray(y)
        if (labels.dtype.kind, self.classes.dtype.kind) == ("i", "f"):
            labels = labels.astype(np.float64)
        return encode(labels, self.classes)[1]

    def columns(self, names: list[str] | None) -> Columns | None:
        """The number here of each of a shard's columns; None if they are the same."""
        if names is None or self.names is None or names == self.names[: len(names)]:
            return None
        places = {each: k for k, each in enumerate(_told_apart(self.names))}
        return np.array([places[each] for each in _told_apart(names)], np.int64)

    def matrix(self, X: Any, names: list[str] | None) -> Any:
        """A shard's rows with the columns that they have here."""
        columns = self.columns(names)
        if columns is None:
            return widened(X, self.features)
        if isinstance(X, np.ndarray):
            wide = np.zeros((X.shape[0], self.features))
            wide[:, columns] = X
            return wide
        found = columns[X.indices]
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        order = np.lexsort((found, rows))
        return csr(X.indptr, found[order], X.data[order], self.features)


def merged(founds: Sequence[Found], name: str, labels: bool = True) -> Layout:
    """The shards together; LateError says how to read them again where they do not go together."""
    bases = {found.base for found in founds} - {None}
    if len(bases) > 1:
        raise LateError(
            f"{name}: an index 0 comes after indices were counted from 1", zero_based=True
        )
    firsts = np.cumsum([0, *(found.rows for found in founds)]).tolist()
    classes = _classes(founds, name) if labels else NO_LABELS
    names = _names([found.names for found in founds if found.names is not None])
    width = max(found.features for found in founds)
    if names is not None:
        width = max(width, len(names))
    return Layout(width, classes, names, tuple(firsts))


def _names(lists: Sequence[list[str]]) -> list[str] | None:
    if not lists:
        return None
    return [name for name, _ in dict.fromkeys(one for each in lists for one in _told_apart(each))]


def _told_apart(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name, and how often it came before: a header may have one twice."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        found.append((name, seen[name]))
        seen[name] += 1
    return found


def _classes(founds: Sequence[Found], name: str) -> Any:
    found = [each.labels for each in founds if each.labels is not None and len(each.labels)]
    if not found:
        raise DataError(f"{name}: the rows have no labels to learn from")
    words = {each.dtype.kind in "UT" for each in found}
    if len(words) > 1:
        raise LateError(f"{name}: some labels are numbers and some are words", word_labels=True)
    classes = np.unique(np.concatenate(found))
    if len(classes) > MOST_CLASSES:
        encode(classes)  # refuses that many
    return classes
