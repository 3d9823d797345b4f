"""Shards put together again, to be held against the source that they were cut from."""

import pickle
from typing import Any, NamedTuple

import numpy as np

from novikoff.data import Chunk, Source
from novikoff.data.shards import CutError, Shard, ShardSource, cut, open_shard
from novikoff.errors import DataError
from tests.helpers.chunks import dense


class Whole(NamedTuple):
    """Rows as one reader has them."""

    X: np.ndarray
    y: np.ndarray | None
    places: list[tuple[str, int]] | None  # the file and line of each
    names: list[str] | None


def read_whole(source: Source) -> Whole:
    chunk = source.read()
    return Whole(dense(chunk), chunk.y, places(source, chunk), source.feature_names)


def read_shards(source: Source, number: int | None) -> Whole:
    """The rows of all shards, each read by itself as another process would."""
    try:
        shards = [sent(shard) for shard in cut(source, number)]
        chunks = [shard.read() for shard in shards]
        torn = any(shard.quotes for shard in shards)
    except CutError:
        torn = True
    if torn:
        shards = [sent(shard) for shard in cut(source, number, quoted=True)]
        chunks = [shard.read() for shard in shards]
        assert not any(shard.quotes for shard in shards)
    if len({shard.base for shard in shards}) > 1:
        shards = [shard.reopen(zero_based=True) for shard in shards]
        chunks = [shard.read() for shard in shards]
    if len({chunk.y.dtype.kind == "U" for chunk in chunks if _labels(chunk)}) > 1:
        shards = [shard.reopen(word_labels=True) for shard in shards]
        chunks = [shard.read() for shard in shards]
    return _together(shards, chunks)


def sent(shard: Shard) -> ShardSource:
    """The shard as whoever was sent its description opens it."""
    return open_shard(pickle.loads(pickle.dumps(shard)))


def _labels(chunk: Chunk) -> bool:
    return chunk.y is not None and len(chunk.y) > 0


def _together(shards: list[Any], chunks: list[Chunk]) -> Whole:
    lists = [shard.feature_names for shard in shards]
    names = None
    if lists[0] is not None:
        names = list(dict.fromkeys(name for each in lists for name in each))
    width = max(chunk.X.shape[1] for chunk in chunks) if names is None else len(names)
    rows = []
    for chunk, known in zip(chunks, lists, strict=True):
        wide = np.zeros((chunk.X.shape[0], width))
        columns = range(chunk.X.shape[1]) if known is None else [names.index(n) for n in known]
        wide[:, columns] = dense(chunk)
        rows.append(wide)
    labels = [chunk.y for chunk in chunks if _labels(chunk)]
    found = [places(shard, chunk) for shard, chunk in zip(shards, chunks, strict=True)]
    together = None if found[0] is None else [each for some in found for each in some]
    y = np.concatenate(labels) if labels else None
    return Whole(np.concatenate(rows), y, together, names)


def places(source: Source, chunk: Chunk) -> list[tuple[str, int]] | None:
    if chunk.lines is None:
        return None
    files = list(source.files)
    firsts = [first for _, first in files]
    before = source.lines_before() if isinstance(source, ShardSource) else 0
    found = []
    for row, line in enumerate(chunk.lines.tolist()):
        file = int(np.searchsorted(firsts, row, "right")) - 1
        found.append((files[file][0], line + (before if file == 0 else 0)))
    return found


def equal(left: Whole, right: Whole) -> bool:
    """Bit for bit."""
    assert left.names == right.names
    assert left.X.shape == right.X.shape
    assert left.X.tobytes() == right.X.tobytes()
    assert left.places == right.places
    assert (left.y is None) == (right.y is None)
    if left.y is not None:
        assert left.y.dtype.kind == right.y.dtype.kind
        assert left.y.tolist() == right.y.tolist()
    return True


def complaint(source: Source, number: int | None) -> str:
    """What the first shard says that cannot be read."""
    quoted = False
    while True:
        try:
            for shard in map(sent, cut(source, number, quoted=quoted)):
                shard.read()
                if shard.quotes:
                    raise CutError("a field is cut in two")
        except CutError:
            assert not quoted
            quoted = True
            continue
        except DataError as problem:
            return str(pickle.loads(pickle.dumps(problem)))  # as another process sends it
        raise AssertionError("nothing is wrong")
