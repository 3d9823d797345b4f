"""Caches that are damaged or hostile are refused."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data.cache import (
    CacheSource,
    array_file,
    ensure_cache,
    stale_reason,
    write_named_cache,
)
from novikoff.data.cache.checksums import BLOCK
from novikoff.data.loader import load_rows
from novikoff.data.shards import cut, open_shard
from novikoff.errors import DataError
from novikoff.learning.estimators import Perceptron
from novikoff.verdict import check
from tests.helpers.cache_files import (
    DROPPED,
    Listed,
    check_rows,
    labelled_chunk,
    open_case,
    resident,
    rewritten,
    seal,
)
from tests.helpers.chunks import Save

ARRAYS = ["values", "columns", "starts", "y", "codes", "lines"]


@pytest.fixture
def folder(save: Save) -> Path:
    """A cache that has every kind of array."""
    found = Path(ensure_cache(open_case(save, "sparse")).path)
    assert sorted(path.stem for path in found.glob("*.npy")) == sorted(ARRAYS)
    return found


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_that_is_not_what_it_should_be(folder: Path, name: str, tmp_path: Path) -> None:
    path = folder / f"{name}.npy"
    content = path.read_bytes()
    for length in sorted({0, 1, 60, 127, 128, 129, len(content) - 1}):
        path.write_bytes(content[:length])
        refused(folder, f"{name}.npy")
    path.write_bytes(content + b"\0")
    refused(folder, "too short or too long")
    for other in (np.zeros(3), np.zeros((2, 2)), np.zeros(4, np.int8), np.array([{}] * 4)):
        np.save(path, other)
        refused(folder, f"{name}.npy is not the array that about.json describes")
    path.unlink()
    refused(folder, f"{name}.npy: No such file")
    (tmp_path / "outside.npy").write_bytes(content)
    path.symlink_to(tmp_path / "outside.npy")
    refused(folder, f"{name}.npy is not a regular file")
    path.unlink()
    os.mkfifo(path)
    refused(folder, f"{name}.npy is not a regular file")
    path.unlink()
    path.write_bytes(content)
    assert CacheSource(folder).rows == 4


def refused(folder: Path, words: str) -> None:
    with pytest.raises(DataError, match=words):
        CacheSource(folder)


def overwritten(folder: Path, name: str, place: int, number: int, *, sealed: bool = True) -> None:
    """Change one number of an array. sealed: its checksum is changed accordingly."""
    array = np.load(folder / f"{name}.npy", mmap_mode="r+")
    array[place] = number
    array.flush()
    if sealed:
        seal(folder)


@pytest.mark.parametrize(("place", "number"), [(0, 1), (1, 5), (2, -1), (4, 4), (4, 6)])
def test_starts_that_would_read_wild_memory(folder: Path, place: int, number: int) -> None:
    overwritten(folder, "starts", place, number)
    refused(folder, r"starts\.npy does not ascend from 0 to 5")


#: Every way to the rows of a cache.
WAYS: dict[str, Callable[[CacheSource], Any]] = {
    "read": lambda cache: cache.read().X,
    "matrix": lambda cache: cache.matrix,
    "chunks": lambda cache: list(cache.chunks(2)),
    "slice": lambda cache: cache.slice(0, 4),
    "shards": lambda cache: [open_shard(shard).read() for shard in cut(cache, 2)],
    "shards in chunks": lambda cache: [list(open_shard(one).chunks(1)) for one in cut(cache, 2)],
    "loader": load_rows,
    "estimator": lambda cache: Perceptron(max_epochs=1).fit(cache),
    "verdict": check,
    "another cache": lambda cache: write_named_cache(cache, cache.path + "2"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(
    ("place", "column", "words"),
    [
        (3, -1, "has a column outside"),
        (3, 9, "has a column outside"),
        (3, 2**31 - 1, "has a column outside"),
        (1, 0, "columns that do not ascend in their row"),
    ],
)
def test_columns_that_would_read_wild_memory(
    folder: Path, way: str, old: bool, place: int, column: int, words: str
) -> None:
    overwritten(folder, "columns", place, column)
    if old:
        rewritten(folder, version=1, checksums=DROPPED)
    with pytest.raises(DataError, match=words):
        WAYS[way](open_cache(folder))


def open_cache(folder: Path) -> CacheSource:
    cache = sources.open(folder)
    assert isinstance(cache, CacheSource)
    return cache


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["values", "columns", "starts", "y", "codes"])
def test_a_bit_that_has_flipped(folder: Path, way: str, name: str) -> None:
    """Each of these ways needs each of these arrays, but `matrix` no labels, and few both."""
    path = folder / f"{name}.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    if name in ("y", "codes") and way in ("matrix", "loader", "estimator"):
        way = "read"
    with pytest.raises(DataError, match=rf"{name}\.npy, bytes 128 to .* checksum is another"):
        WAYS[way](open_cache(folder))


def test_codes_are_verified(folder: Path) -> None:
    overwritten(folder, "codes", 0, 0, sealed=False)
    with pytest.raises(DataError, match=r"codes\.npy, bytes 128 to 136: their checksum"):
        _ = CacheSource(folder).codes


@pytest.fixture
def long_cache(tmp_path: Path) -> Path:
    """A cache whose values have three blocks, the last of them short."""
    X = np.arange(2.5 * BLOCK / 8).reshape(-1, 2)
    write_named_cache(Listed(labelled_chunk(np.arange(len(X)) % 2, X)), tmp_path / "a.nkcache")
    return tmp_path / "a.nkcache"


def test_only_the_rows_that_are_read_are_verified(long_cache: Path) -> None:
    rows = BLOCK // 16
    array = np.load(long_cache / "values.npy", mmap_mode="r+")
    array[rows] += 1  # the first row of the second block
    array.flush()
    cache = CacheSource(long_cache)
    assert cache.slice(0, rows).X[-1].tolist() == [2 * rows - 2, 2 * rows - 1]
    assert cache.slice(2 * rows, cache.rows).X[0].tolist() == [4 * rows, 4 * rows + 1]
    with pytest.raises(DataError, match=r"values\.npy, bytes 1,048,704 to 2,097,280: their check"):
        cache.slice(0, rows + 1)
    chunks = cache.chunks(rows // 2)
    assert [len(next(chunks).X) for _ in range(2)] == [rows // 2] * 2
    with pytest.raises(DataError, match="their checksum is another"):
        next(chunks)


def test_rows_are_verified_once(long_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = []
    real = array_file.checksum
    monkeypatch.setattr(array_file, "checksum", lambda part: blocks.append(part) or real(part))
    cache = CacheSource(long_cache)
    assert not blocks
    for _ in range(3):
        list(cache.chunks(1000))
    all_blocks = 3 + 2 + 1  # of values, y and codes
    assert len(blocks) == all_blocks
    assert [cache.matrix, cache.codes, cache.read()]
    assert len(blocks) == all_blocks


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_verified_rows_leave_memory(long_cache: Path) -> None:
    cache = CacheSource(long_cache)
    assert cache.matrix.shape == (cache.rows, 2)
    assert resident("values.npy") < BLOCK // 8


def test_a_cache_of_an_earlier_version(folder: Path) -> None:
    whole = open_cache(folder).read()
    rewritten(folder, version=1, checksums=DROPPED)
    cache = open_cache(folder)
    check_rows(cache.read(), whole)
    assert "without checksums" in cache.notes()[-1]
    for changes in ({"version": 2}, {"checksums": {}}):
        rewritten(folder, **changes)
        refused(folder, "not a novikoff cache, or a damaged one")


def test_codes_of_no_class(folder: Path, save: Save) -> None:
    overwritten(folder, "codes", 3, 2)
    with pytest.raises(DataError, match=r"codes\.npy names a class too many"):
        _ = CacheSource(folder).codes
    words = Path(ensure_cache(open_case(save, "table")).path)
    overwritten(words, "codes", 0, 2)
    with pytest.raises(DataError, match=r"codes\.npy names a class too many"):
        CacheSource(words).read()


@pytest.mark.parametrize("name", ARRAYS)
def test_a_cache_with_a_flipped_bit_is_written_again(folder: Path, name: str) -> None:
    good = (folder / f"{name}.npy").read_bytes()
    (folder / f"{name}.npy").write_bytes(good[:-1] + bytes([good[-1] ^ 128]))
    source = sources.open(str(folder).removesuffix(".nkcache"))
    assert "checksum" in str(stale_reason(folder, source))
    assert ensure_cache(source).rows == 4
    assert (folder / f"{name}.npy").read_bytes() == good


def test_a_damaged_cache_is_written_again(folder: Path) -> None:
    (folder / "values.npy").write_bytes(b"")
    source = sources.open(str(folder).removesuffix(".nkcache"))
    assert "values.npy" in str(stale_reason(folder, source))
    assert ensure_cache(source).rows == 4
    assert CacheSource(folder).rows == 4


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"format": "x"}', b"[" * 100_000, b'{"format": NaN}'],
    ids=["empty", "open", "list", "null", "not text", "other", "deep", "nan"],
)
def test_another_about(folder: Path, text: bytes) -> None:
    (folder / "about.json").write_bytes(text)
    refused(folder, "not a novikoff cache, or a damaged one")


def test_an_endless_number_is_refused_where_python_has_no_limit(folder: Path) -> None:
    """As on the command line, which lifts the limit for numbers that it prints."""
    about = (folder / "about.json").read_text()
    (folder / "about.json").write_text(about.replace('"rows": 4', '"rows": ' + "9" * 3_000_000))
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        begin = time.process_time()
        refused(folder, "a number of 3000000 digits")
        assert time.process_time() - begin < 10  # it took minutes
    finally:
        sys.set_int_max_str_digits(limit)


def test_an_endless_about(folder: Path) -> None:
    with (folder / "about.json").open("r+b") as file:
        file.truncate(2**40)
    refused(folder, r"about\.json is longer than any that was written")


@given(data=st.data())
def test_a_byte_of_about_that_is_another(scratch: Path, data: st.DataObject) -> None:
    place = scratch / "bytes.nkcache"
    if not place.exists():
        write_named_cache(Listed(labelled_chunk([1, 2])), place)
        shutil.copy(place / "about.json", scratch / "good.json")
    good = (scratch / "good.json").read_bytes()
    at = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.integers(0, 255))
    changed = good[:at] + bytes([byte]) + good[at + 1 :]
    (place / "about.json").write_bytes(changed)
    try:
        meant = json.loads(changed) == json.loads(good)
    except ValueError:
        meant = False
    if meant:
        assert CacheSource(place).rows == 2
    else:
        refused(place, "not a novikoff cache, or a damaged one")


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)
FIELDS = (
    "of", "asked", "originals", "rows", "features", "entries", "names", "target", "labels",
    "classes", "numbered", "files", "skipped", "remarks", "numbering", "kept", "checksums",
)  # fmt: skip


@given(changes=st.dictionaries(st.sampled_from(FIELDS), ODD, min_size=1, max_size=2))
@example(changes={"rows": 2**61})
@example(changes={"rows": 0})
@example(changes={"rows": "x"})
@example(changes={"target": 0})
@example(changes={"numbering": {"skipped_to": "/etc/passwd"}})
@example(changes={"checksums": {"values": 8 * "0"}})
@example(changes={"rows": True})
@example(changes={"features": 2**31})
@example(changes={"classes": [2, 1]})
@example(changes={"classes": ["1", "2"], "labels": "words"})
@example(changes={"classes": [1, float("nan")], "labels": "float64"})
@example(changes={"labels": "object"})
@example(changes={"originals": [{"path": "/dev/zero"}, {"path": None}, {}]})
@example(changes={"files": [["a", 0], ["b", 99]]})
def test_an_about_that_someone_made_up(scratch: Path, changes: dict[str, Any]) -> None:
    """Whatever it says: refused, or rows that are there."""
    place = scratch / "hostile.nkcache"
    if not place.exists():
        X = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 3, 0]]))
        write_named_cache(Listed(labelled_chunk([1, 2], X)), place)
        shutil.copy(place / "about.json", scratch / "sound.json")
    shutil.copy(scratch / "sound.json", place / "about.json")
    rewritten(place, **changes)
    try:
        cache = CacheSource(place)
        cache.notes()
        chunks = [cache.read(), *cache.chunks(1)]
    except DataError:
        return
    assert chunks[0].X.shape[0] == sum(chunk.X.shape[0] for chunk in chunks[1:]) == 2
    assert chunks[0].X.sum() == 6


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    refused(tmp_path, r"about\.json: No such file")
    refused(tmp_path / "none", "cannot be opened as a cache")
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file", "cannot be opened as a cache")
