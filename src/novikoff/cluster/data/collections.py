"""Dask collections as data: arrays, dataframes and bags, a shard for each partition.

A partition is turned into rows by a task of its own, and these stay on the worker that ran it; the
rows of a partition that is lost are computed again, by whatever the collection is made from.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeGuard

import dask
import numpy as np
from distributed import Client

from novikoff.cluster.data.layout import DatasetOutline
from novikoff.cluster.data.partitions import (
    PartitionInfo,
    PartitionRows,
    array_rows,
    bag_rows,
    frame_rows,
)
from novikoff.cluster.data.shard import ShardRef, WorkerShard
from novikoff.data import Source
from novikoff.data.source import InMemorySource, SourceInfo
from novikoff.data.text.csv.header import target_place
from novikoff.errors import DataError, ParameterError


class DaskCollection(Protocol):
    """An array, a dataframe, a series or a bag of Dask."""

    def __dask_graph__(self) -> object: ...

    def to_delayed(self) -> Any: ...


class PartitionAddress(NamedTuple):
    """The address of a shard that is a partition of a collection: its rows are sent with it."""

    partition: PartitionInfo
    word_labels: bool = False  # whether labels are words, whatever they look like

    @property
    def size(self) -> int:
        return 0  # they are in memory already

    def source(self, data: PartitionRows) -> Source:
        y = data.y
        if self.word_labels and y is not None:
            y = y.astype(np.str_)
        info = SourceInfo(self.partition.name, self.partition.kind, feature_names=data.names)
        source = _PartitionSource(info, data.X, y)
        source.partition_notes = list(data.notes)
        return source


class _PartitionSource(InMemorySource):
    """The rows of a partition."""

    partition_notes: list[str]

    def notes(self) -> list[str]:
        return self.partition_notes


def count_rows(shard: WorkerShard) -> int:
    """The number of rows of a partition."""
    return int(shard.data.X.shape[0])


def is_collection(source: object) -> TypeGuard[DaskCollection | tuple[DaskCollection, ...]]:
    """Whether it is a Dask collection, or a pair of them."""
    if isinstance(source, tuple) and source:
        source = source[0]
    return bool(dask.is_dask_collection(source))


def partition_collection(
    client: Client,
    source: DaskCollection | tuple[DaskCollection, ...],
    y: DaskCollection | None = None,
    target: str | int | None = None,
    shards: int | None = None,
    word_labels: bool = False,
    labels: bool = True,
) -> tuple[list[ShardRef], DatasetOutline]:
    """Have the workers turn the partitions of a collection into rows, a shard each.

    source, y: an array of rows and one of labels, or a dataframe and a series; or both in a pair.
    A dataframe alone has its labels in a column: `target`, or one called target, label, class or y,
    or else the last. A bag holds pairs of a row and its label; a row is a mapping from names to
    numbers, or a sequence of numbers. word_labels: take labels as words even if they are numbers.
    labels: whether they matter.
    """
    if isinstance(source, tuple):
        if len(source) != 2 or y is not None:
            raise ParameterError("Dask collections are given as X and y, or as a pair (X, y)")
        source, y = source
    kind = _kind(source)
    if kind == "Dask array" and labels and y is None:
        raise DataError("a Dask array needs its labels: give y, an array of the same length")
    found = _PARTITIONS[kind](source, y, target)
    count = len(found.blocks)
    if shards not in (None, count):
        raise ParameterError(
            f"shards={shards}: this {kind} has {count} partitions, and each is a shard: leave"
            f" shards out, or {_ANOTHER[kind]}"
        )
    tasks, addresses = [], []
    for number, block in enumerate(found.blocks):
        first = None if found.first_rows is None else found.first_rows[number]
        name = f"{kind} partition {number} (of 0 to {count - 1})"
        partition = PartitionInfo(name, kind, number, first)
        tasks.append(dask.delayed(found.read, pure=True)(partition, *block))
        addresses.append(PartitionAddress(partition, word_labels))
    refs = list(map(ShardRef, addresses, client.compute(tasks)))
    identity = {"name": found.token, "files": [], "asked": {"target": found.target}}
    return refs, DatasetOutline((), f"a {kind}", kind, identity, found.target)


class _Partitions(NamedTuple):
    """The delayed blocks of each partition of a collection, and how to read them."""

    token: str
    blocks: Sequence[tuple[Any, ...]]
    read: Callable[..., PartitionRows]
    first_rows: list[int] | None = None  # the number of each partition's first row, if known
    target: str | None = None


def _array_partitions(X: Any, y: Any, target: str | int | None) -> _Partitions:
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
    first_rows = np.cumsum([0, *sizes[:-1]]).tolist() if known else None
    if y is None:
        return _Partitions(X.name, [(row,) for row in rows], array_rows, first_rows)
    labels = _label_blocks(y, len(rows), sizes if known else None)
    blocks = list(zip(rows, labels, strict=True))
    return _Partitions(f"{X.name} {_token(labels)}", blocks, array_rows, first_rows)


def _frame_partitions(frame: Any, y: Any, target: str | int | None) -> _Partitions:
    names = [str(name) for name in frame.columns]
    place = None
    blocks: list[tuple[Any, ...]] = [(block,) for block in frame.to_delayed()]
    token = str(frame._name)
    if y is None:
        place = target_place("the Dask dataframe", names, len(names), target)
    else:
        _refuse_target(target, "a dataframe with y")
        labels = _label_blocks(y, frame.npartitions, None)
        token = f"{token} {_token(labels)}"
        blocks = [(*block, label) for block, label in zip(blocks, labels, strict=True)]
    read = partial(frame_rows, names=names, target=place, categorical=_word_columns(frame, place))
    return _Partitions(token, blocks, read, target=None if place is None else names[place])


def _bag_partitions(bag: Any, y: Any, target: str | int | None) -> _Partitions:
    _refuse_target(target, "a Dask bag")
    if y is not None:
        raise DataError("a Dask bag holds pairs (row, label), so that there is no y besides it")
    return _Partitions(str(bag.name), [(block,) for block in bag.to_delayed()], bag_rows)


_PARTITIONS: dict[str, Callable[[Any, Any, str | int | None], _Partitions]] = {
    "Dask array": _array_partitions,
    "Dask dataframe": _frame_partitions,
    "Dask bag": _bag_partitions,
}
_ANOTHER = {
    "Dask array": "cut it anew with X.rechunk",
    "Dask dataframe": "cut it anew with .repartition(npartitions=...)",
    "Dask bag": "cut it anew with .repartition(...)",
}


def _kind(source: DaskCollection) -> str:
    modules = [each.__module__ for each in type(source).__mro__]
    for kind in _PARTITIONS:
        if any(module.startswith(kind.lower().replace(" ", ".")) for module in modules):
            return kind
    raise DataError(
        f"{type(source).__name__}: of Dask's collections, arrays, dataframes and bags can be used"
    )


def _label_blocks(y: Any, partitions: int, sizes: tuple[int, ...] | None) -> list[Any]:
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
    """A digest of the keys of delayed blocks."""
    return hashlib.sha256("\n".join(str(block.key) for block in blocks).encode()).hexdigest()


def _word_columns(frame: Any, target: int | None) -> list[int]:
    """The places of the columns that hold words, by the types that Dask says they have."""
    kinds = [dtype.kind for dtype in frame._meta.dtypes.tolist()]
    return [k for k, kind in enumerate(kinds) if kind == "O" and k != target]


def _refuse_target(target: str | int | None, what: str) -> None:
    if target is not None:
        raise ParameterError(f"target={target!r} names a column of a table, and this is {what}")
