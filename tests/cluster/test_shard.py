"""Rows of a shard on a worker: in memory as far as there is room for them, else on its disk."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.cluster.data import shard as worker_shards
from novikoff.cluster.data.layout import merge_summaries
from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.workers.dataset import FileAddress
from novikoff.data.shards import cut
from novikoff.errors import ClusterError


@pytest.fixture
def room(monkeypatch, tmp_path):
    """A worker of its own, with so many bytes for rows."""
    found = worker_shards._MemoryBudget()
    monkeypatch.setattr(worker_shards, "MEMORY_BUDGET", found)
    monkeypatch.setattr(worker_shards, "_local_folder", lambda: str(tmp_path))

    def have(size):
        monkeypatch.setattr(
            worker_shards, "_memory_limit", lambda: size / worker_shards.MEMORY_SHARE
        )
        return found

    return have


def on_disk(folder):
    return len(list(folder.glob("novikoff-*/*.nkcache")))


def test_rows_that_take_more_memory_than_their_text_suggests_go_to_the_disk(room, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{k % 7},{k % 5},{k % 2}\n" for k in range(1000)))
    address = FileAddress(cut(nk.open(path, header=False), 1)[0])
    for size, cached in ((address.size, 1), (100 * address.size, 0), (10, 1)):
        taken = room(size)
        shard = WorkerShard(address)
        found = shard.summary()
        assert (found.rows, on_disk(tmp_path)) == (1000, cached)
        assert (taken._reserved > 16 * 1000) == (not cached)
        shown = shard.matrix(merge_summaries([found], "a"))
        assert np.array_equal(shown, nk.open(path, header=False).read().X)
        del shard, shown
        assert (taken._reserved, on_disk(tmp_path)) == (0, 0)


def test_a_copy_with_other_columns_counts_too(room, tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("".join(f"{k % 2 * 2 - 1} |a f{k % 9} g{k % 4}:2\n" for k in range(400)))
    first, last = (WorkerShard(FileAddress(shard)) for shard in cut(nk.open(path), 2))
    taken = room(2**30)
    layout = merge_summaries([last.summary(), first.summary()], "a")  # not in the order of the rows
    before = taken._reserved
    wide = first.matrix(layout)
    assert taken._reserved > before
    assert on_disk(tmp_path) == 0
    del first
    room(taken._reserved + 100)
    again = WorkerShard(FileAddress(cut(nk.open(path), 2)[0]))
    assert np.array_equal(again.matrix(layout).toarray(), wide.toarray())
    assert on_disk(tmp_path) == 2


def test_a_shard_without_rows_needs_no_room(room, tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("\n" * 500 + "1 1:1\n-1 2:1\n")
    room(0)
    found = [WorkerShard(FileAddress(shard)).summary() for shard in cut(nk.open(path), 2)]
    assert [each.rows for each in found] == [0, 2]


def test_a_worker_of_another_version_is_refused(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 2:1\n")
    address = FileAddress(cut(nk.open(path), 1)[0])
    assert WorkerShard(address, None, nk.__version__).summary().rows == 2
    with pytest.raises(ClusterError, match=r"and the client has 0\.0\.9: install the same"):
        WorkerShard(address, None, "0.0.9")
