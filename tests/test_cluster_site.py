"""Rows of a shard on a worker: in memory as far as there is room for them, else on its disk."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.cluster import site as sites
from novikoff.cluster.data import FileAddress
from novikoff.cluster.layout import merged
from novikoff.cluster.site import Site
from novikoff.errors import ClusterError
from novikoff.sources.shards import cut


@pytest.fixture
def room(monkeypatch, tmp_path):
    """A worker of its own, with so many bytes for rows."""
    found = sites._Room()
    monkeypatch.setattr(sites, "ROOM", found)
    monkeypatch.setattr(sites, "_local_folder", lambda: str(tmp_path))

    def have(size):
        monkeypatch.setattr(sites, "_limit", lambda: size / sites.SHARE)
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
        site = Site(address)
        found = site.found()
        assert (found.rows, on_disk(tmp_path)) == (1000, cached)
        assert (taken._taken > 16 * 1000) == (not cached)
        shown = site.matrix(merged([found], "a"))
        assert np.array_equal(shown, nk.open(path, header=False).read().X)
        del site, shown
        assert (taken._taken, on_disk(tmp_path)) == (0, 0)


def test_a_copy_with_other_columns_counts_too(room, tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("".join(f"{k % 2 * 2 - 1} |a f{k % 9} g{k % 4}:2\n" for k in range(400)))
    first, last = (Site(FileAddress(shard)) for shard in cut(nk.open(path), 2))
    taken = room(2**30)
    layout = merged([last.found(), first.found()], "a")  # not in the order of the rows
    before = taken._taken
    wide = first.matrix(layout)
    assert taken._taken > before
    assert on_disk(tmp_path) == 0
    del first
    room(taken._taken + 100)
    again = Site(FileAddress(cut(nk.open(path), 2)[0]))
    assert np.array_equal(again.matrix(layout).toarray(), wide.toarray())
    assert on_disk(tmp_path) == 2


def test_a_shard_without_rows_needs_no_room(room, tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("\n" * 500 + "1 1:1\n-1 2:1\n")
    room(0)
    found = [Site(FileAddress(shard)).found() for shard in cut(nk.open(path), 2)]
    assert [each.rows for each in found] == [0, 2]


def test_a_worker_of_another_version_is_refused(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 2:1\n")
    address = FileAddress(cut(nk.open(path), 1)[0])
    assert Site(address, None, nk.__version__).found().rows == 2
    with pytest.raises(ClusterError, match=r"and the client has 0\.0\.9: install the same"):
        Site(address, None, "0.0.9")
