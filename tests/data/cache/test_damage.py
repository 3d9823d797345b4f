"""Caches that are damaged or hostile are refused."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data.cache import CacheSource, ensure_cache, stale_reason, write_named_cache
from novikoff.errors import DataError
from tests.helpers.cache_files import Listed, labelled_chunk, open_case, rewritten
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


def overwritten(folder: Path, name: str, place: int, number: int) -> None:
    array = np.load(folder / f"{name}.npy", mmap_mode="r+")
    array[place] = number
    array.flush()


@pytest.mark.parametrize(("place", "number"), [(0, 1), (1, 5), (2, -1), (4, 4), (4, 6)])
def test_starts_that_would_read_wild_memory(folder: Path, place: int, number: int) -> None:
    overwritten(folder, "starts", place, number)
    refused(folder, r"starts\.npy does not ascend from 0 to 5")


@pytest.mark.parametrize("column", [-1, 9, 2**31 - 1])
def test_columns_that_would_read_wild_memory(folder: Path, column: int) -> None:
    overwritten(folder, "columns", 3, column)
    with pytest.raises(DataError, match=r"columns\.npy has a column outside"):
        list(CacheSource(folder).chunks())


def test_codes_of_no_class(folder: Path, save: Save) -> None:
    overwritten(folder, "codes", 3, 2)
    with pytest.raises(DataError, match=r"codes\.npy names a class too many"):
        _ = CacheSource(folder).codes
    words = Path(ensure_cache(open_case(save, "table")).path)
    overwritten(words, "codes", 0, 2)
    with pytest.raises(DataError, match=r"codes\.npy names a class too many"):
        CacheSource(words).read()


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
    "classes", "numbered", "files", "skipped", "remarks", "numbering", "kept",
)  # fmt: skip


@given(changes=st.dictionaries(st.sampled_from(FIELDS), ODD, min_size=1, max_size=2))
@example(changes={"rows": 2**61})
@example(changes={"rows": 0})
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
