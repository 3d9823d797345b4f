"""Dask collections as data: arrays, dataframes and bags, a shard for each partition.

A partition is turned into rows by a task of its own, which stays with the worker that ran it; the
rows of a partition that is lost are computed again, by whatever the collection is made from.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import dask
import numpy as np
from distributed import Client

from novikoff.cluster.partitions import Held, Which, of_array, of_bag, of_frame
from novikoff.cluster.site import Part, Site
from novikoff.errors import DataError, ParameterError
from novikoff.sources import Source
from novikoff.sources.base import HeldSource
from novikoff.sources.layout import target_place


class PartitionAddress(NamedTuple):
    """A shard that is a partition of a collection: its rows come with it."""

    which: Which
    words: bool = False  # whether labels are words, whatever they look like

    @property
    def size(self) -> int:
        return 0  # they are in memory already

    def source(self, data: Held) -> Source:
        """The rows, as they are held."""
        y = data.y.astype(np.str_) if self.words and data.y is not None else data.y
        source = _Partition(self.which.name, self.which.kind, data.X, y)
        source.feature_names, source.noted = data.names, list(data.remarks)
        return source


class _Partition(HeldSource):
    """Rows of a partition."""

    noted: list[str]

    def remarks(self) -> list[str]:
        """As the reader of the partition has them."""
        return self.noted


class Collected(NamedTuple):
    """A collection, taken apart."""

    parts: list[Part]
    name: str
    kind: str
    identity: dict[str, Any]
    target: str | None


def rows_in(site: Site) -> int:
    """How many rows a partition has."""
    return int(site.data.X.shape[0])


def is_collection(source: Any) -> bool:
    """Whether it is a Dask collection, or a pair of them."""
    if isinstance(source, tuple) and source:
        source = source[0]
    return bool(dask.is_dask_collection(source))


def collected(
    client: Client,
    source: Any,
    y: Any = None,
    target: str | int | None = None,
    shards: int | None = None,
    words: bool = False,
    labels: bool = True,
) -> Collected:
    """The partitions of a collection, as futures of their rows.

    source, y: an array of rows and one of labels, or a dataframe and a series; or both in a pair.
    A dataframe alone has its labels in a column: `target`, or one called target, label, class or y,
    or else the last. A bag holds pairs of a row and its label; a row is a mapping from names to
    numbers, or a sequence of numbers. words: take labels as words even if they are numbers. labels:
    whether they matter.
    """
    if isinstance(source, tuple):
        if len(source) != 2 or y is not None:
            raise ParameterError("Dask collections are given as X and y, or as a pair (X, y)")
        source, y = source
    kind = _kind(source)
    if kind == "Dask array" and labels and y is None:
        raise DataError("a Dask array needs its labels: give y, an array of the same length")
    taken = _TAKEN[kind](source, y, target)
    count = len(taken.blocks)
    if shards not in (None, count):
        raise ParameterError(
            f"shards={shards}: this {kind} has {count} partitions, and each is a shard: leave"
            f" shards out, or {_ANOTHER[kind]}"
        )
    tasks, parts = [], []
    for number, block in enumerate(taken.blocks):
        which = Which(f"{kind} partition {number} (of 0 to {count - 1})", kind, number)
        which = which._replace(first=None if taken.firsts is None else taken.firsts[number])
        tasks.append(dask.delayed(taken.read, pure=True)(which, *block))
        parts.append(PartitionAddress(which, words))
    futures = client.compute(tasks)
    joined = list(map(Part, parts, futures))
    known = {"name": taken.token, "files": [], "asked": {"target": taken.target}}
    return Collected(joined, f"a {kind}", kind, known, taken.target)


class _Taken(NamedTuple):
    """What a collection is made of: the delayed blocks of each partition, and how to read them."""

    token: str
    blocks: Sequence[tuple[Any, ...]]
    read: Callable[..., Held]
    firsts: list[int] | None = None  # the number of each partition's first row, if known
    target: str | None = None


def _array(X: Any, y: Any, target: Any) -> _Taken:
    _refuse_target(target, "a Dask array")
    if X.ndim != 2:
        raise DataError(f"X has {X.ndim} dimension(s), 2 are needed (rows x features)")
    if X.numblocks[1] > 1:
        raise DataError(
            f"X is cut into {X.numblocks[1]} pieces along its features, and a shard needs whole"
            " rows: use X.rechunk({1: -1})"
        )
    sizes = X.chunks[0]
    known = not np.isnan(sizes).any()
    rows: list[Any] = list(X.to_delayed()[:, 0])
    firsts = np.cumsum([0, *sizes[:-1]]).tolist() if known else None
    if y is None:
        return _Taken(X.name, [(row,) for row in rows], of_array, firsts)
    y = _labels(y, len(rows), sizes if known else None)
    return _Taken(f"{X.name} {_token(y)}", list(zip(rows, y, strict=True)), of_array, firsts)


def _frame(frame: Any, y: Any, target: Any) -> _Taken:
    names = [str(name) for name in frame.columns]
    place = None
    blocks: list[tuple[Any, ...]] = [(block,) for block in frame.to_delayed()]
    token = str(frame._name)
    if y is None:
        place = target_place("the Dask dataframe", names, len(names), target)
    else:
        _refuse_target(target, "a dataframe with y")
        y = _labels(y, frame.npartitions, None)
        token = f"{token} {_token(y)}"
        blocks = [(*block, label) for block, label in zip(blocks, y, strict=True)]
    read = partial(of_frame, names=names, target=place, categorical=_words(frame, place))
    return _Taken(token, blocks, read, target=None if place is None else names[place])


def _bag(bag: Any, y: Any, target: Any) -> _Taken:
    _refuse_target(target, "a Dask bag")
    if y is not None:
        raise DataError("a Dask bag holds pairs (row, label), so that there is no y besides it")
    return _Taken(str(bag.name), [(block,) for block in bag.to_delayed()], of_bag)


_TAKEN: dict[str, Callable[[Any, Any, Any], _Taken]] = {
    "Dask array": _array,
    "Dask dataframe": _frame,
    "Dask bag": _bag,
}
_ANOTHER = {
    "Dask array": "cut it anew with X.rechunk",
    "Dask dataframe": "cut it anew with .repartition(npartitions=...)",
    "Dask bag": "cut it anew with .repartition(...)",
}


def _kind(source: Any) -> str:
    homes = [each.__module__ for each in type(source).__mro__]
    for kind in _TAKEN:
        if any(home.startswith(kind.lower().replace(" ", ".")) for home in homes):
            return kind
    raise DataError(
        f"{type(source).__name__}: of Dask's collections, arrays, dataframes and bags can be used"
    )


def _labels(y: Any, partitions: int, sizes: Any) -> list[Any]:
    """The blocks of the labels, as many as there are partitions; sizes: of those, if known."""
    if not dask.is_dask_collection(y):
        raise DataError(
            f"y is of type {type(y).__name__}, and X a Dask collection: y must be one too, such as"
            " dask.array.from_array(y, chunks=X.chunks[0])"
        )
    if hasattr(y, "rechunk"):
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise DataError(f"y has {y.ndim} dimensions; one label for each row is needed")
        if sizes is not None and not np.isnan(y.chunks[0]).any() and y.chunks[0] != sizes:
            if sum(y.chunks[0]) != sum(sizes):
                raise DataError(
                    f"X has {sum(sizes)} row(s) but y has {sum(y.chunks[0])} label(s); each row"
                    " needs one label"
                )
            y = y.rechunk((sizes,))
    blocks = list(np.ravel(y.to_delayed()))
    if len(blocks) != partitions:
        raise DataError(
            f"X has {partitions} partitions and y has {len(blocks)}: cut both in the same way"
        )
    return blocks


def _token(blocks: Sequence[Any]) -> str:
    return hashlib.sha256("\n".join(str(block.key) for block in blocks).encode()).hexdigest()


def _words(frame: Any, target: int | None) -> list[int]:
    """The places of the columns that hold words, by the types that Dask says they have."""
    kinds = [dtype.kind for dtype in frame._meta.dtypes.tolist()]
    return [k for k, kind in enumerate(kinds) if kind == "O" and k != target]


def _refuse_target(target: Any, what: str) -> None:
    if target is not None:
        raise ParameterError(f"target={target!r} names a column of a table, and this is {what}")
