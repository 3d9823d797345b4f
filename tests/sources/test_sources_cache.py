"""Caches: the same bytes as the text, good or refused, there whole or not at all."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from source_checks import Save, bits, check_chunk, same, unhurried

import novikoff.sources as sources
from novikoff.errors import DataError
from novikoff.sources import Chunk, Source, cache_about, cache_labels, cache_source
from novikoff.sources.arrays import encode
from novikoff.sources.base import LateError
from novikoff.sources.cache import CacheSource, cached, kept_cache, stale
from novikoff.sources.cache_arrays import ArrayFile
from novikoff.sources.sparse import joined

SPARSE = "+1 1:0.5 7:-0\n-1 2:1e-300 # a comment\n\n+1\n-1 1:3 9:0.1\n"
TABLE = "u,v,kind\n0.1,-0.0,a\n2,3,b\n\n4,5e300,a\n"
FILES = {
    "sparse": {"a.svm": SPARSE},
    "zero-based": {"a.svm": "1 0:2 3:4\n2 1:1\n"},
    "word labels": {"a.svm": "yes 1:1\nno 2:1\nyes 3:1\n"},
    "floats after whole numbers": {"a.svm": "1 1:1\n2 2:1\n", "b.svm": "0.5 1:1\n1 3:1\n"},
    "wider and wider": {"a.svm": "1 1:1\n", "b.svm": "-1 5:1\n", "c.svm": "1 900:1\n"},
    "table": {"a.csv": TABLE},
    "no names": {"a.csv": "1,2,0\n3,4,1\n5,6,1\n"},
    "three tables": {"a.csv": TABLE, "b.csv": TABLE, "c.csv": TABLE},
    "categories": {"a.csv": "n,colour,y\n1,red,0\n2,blue,1\n3,red,1\n"},
    "named features": {"a.vw": "1 |a x:1 y:2\n-1 |a z:3 |b x\n1 |b w:0.5\n"},
}


class Listed(Source):
    """Chunks from a list, beside a file that stands for where they come from."""

    format = "list"

    def __init__(self, *chunks: Chunk, path: str | None = None) -> None:
        self.name, self.given = path or "a list", chunks
        self.paths = () if path is None else (path,)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        yield from self.given

    def read(self) -> Chunk:
        raise NotImplementedError


def rows_of(y: Any, X: Any = None) -> Chunk:
    """Some rows with these labels."""
    return Chunk(np.ones((len(y), 2)) if X is None else X, np.array(y), None)


def opened(save: Save, case: str) -> Source:
    paths = [save(name, text) for name, text in FILES[case].items()]
    return sources.open(paths if len(paths) > 1 else paths[0])


def about_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "about.json").read_text())


def rewritten(folder: Path, **changes: Any) -> None:
    """Change what about.json says, and its digest accordingly."""
    content = about_of(folder) | changes
    content.pop("digest")
    content["digest"] = cache_about._digest(content)
    (folder / "about.json").write_text(json.dumps(content))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def left_over(folder: Path) -> list[str]:
    return [name for name in names(folder) if name.endswith((".tmp", ".new"))]


# The same bytes.


@pytest.mark.parametrize("case", FILES)
def test_the_same_rows_as_the_text(save: Save, case: str) -> None:
    source = opened(save, case)
    whole, cache = source.read(), cached(opened(save, case))
    again = cached(sources.open(source.paths))
    for found in (cache, again, CacheSource(cache.path)):
        chunk = found.read()
        check_rows(chunk, whole)
        assert (found.rows, found.features) == whole.X.shape
        assert (found.feature_names, found.target_name) == (
            source.feature_names,
            source.target_name,
        )
        assert list(found.files) == list(source.files)
        assert found.format == "cache"
        assert found.of == source.format
        classes, codes = encode(whole.y)
        assert found.classes.tolist() == classes.tolist()
        assert found.classes.dtype == classes.dtype
        assert found.codes.dtype == np.uint16
        assert np.array_equal(found.codes, codes)
        for rows in (1, 2, 100):
            parts = list(found.chunks(rows))
            assert all(part.X.shape[0] <= rows for part in parts)
            assert np.array_equal(np.concatenate([part.y for part in parts]), whole.y)
            assert bits(np.vstack([full(part.X) for part in parts])) == bits(full(whole.X))


def check_rows(chunk: Chunk, whole: Chunk) -> None:
    assert type(chunk.X) is type(whole.X)
    assert chunk.X.shape == whole.X.shape
    if isinstance(whole.X, np.ndarray):
        assert chunk.X.tobytes() == whole.X.tobytes()
    else:
        for part in ("data", "indices", "indptr"):
            one, other = getattr(chunk.X, part), getattr(whole.X, part)
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
    assert chunk.y.dtype == whole.y.dtype
    assert chunk.y.tobytes() == whole.y.tobytes()
    assert np.array_equal(chunk.lines, whole.lines)


def full(X: Any) -> Any:
    if isinstance(X, np.ndarray):
        return X
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    found = np.zeros(X.shape)
    found[rows, X.indices] = X.data
    return found


def test_nothing_is_copied_and_numpy_opens_every_array(save: Save) -> None:
    for case in ("sparse", "table"):
        cache = cached(opened(save, case))
        chunk = cache.read()
        arrays = [chunk.lines, cache.codes]
        X = chunk.X
        arrays += [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
        for array in arrays:
            assert type(array) is np.ndarray
            assert not array.flags.owndata
            assert not array.flags.writeable
        for path in Path(cache.path).glob("*.npy"):
            loaded = np.load(path, allow_pickle=False)
            listed = about_of(Path(cache.path))["arrays"][path.name]
            assert [loaded.dtype.name, list(loaded.shape)] == [listed["type"], listed["shape"]]


@unhurried
@given(
    parts=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from([-1, 0, 1, 5, 2**53, 2**53 + 1]) | st.sampled_from([0.5, -2.0]),
                st.lists(st.tuples(st.integers(0, 9), st.floats(-9, 9)), max_size=4),
            ),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
        max_size=4,
    ),
    narrow=st.integers(0, 20),
)
def test_any_sparse_rows(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Any], narrow: int
) -> None:
    """Also where entries become more than 32 bits count, here `narrow`, in the middle."""
    given, width = [], 1
    for part in parts:
        entries = [(i, j, v) for i, (_, row) in enumerate(part) for j, v in dict(row).items()]
        width = max([width, *(j + 1 for _, j, _ in entries)])
        where = [[i for i, _, _ in entries], [j for _, j, _ in entries]]
        X = scipy.sparse.csr_array(
            ([v for *_, v in entries], where), shape=(len(part), width), dtype=np.float64
        )
        X.sum_duplicates()
        labels = [label for label, _ in part]
        whole = all(isinstance(label, int) for label in labels)
        given.append(Chunk(X, np.array(labels, np.int64 if whole else np.float64), None))
    place = tmp_path_factory.mktemp("any") / "a.nkcache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache_about, "NARROW", narrow)
        cache = kept_cache(Listed(*given), place)
        chunk = cache.read()
        assert np.load(place / "starts.npy").dtype == (
            np.int32 if len(chunk.X.data) <= narrow else np.int64
        )
        check_chunk(chunk)
        joined = np.concatenate([each.y for each in given])
        assert chunk.y.tobytes() == joined.tobytes()
        rows = [full(each.X) for each in given]
        rows = [np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in rows]
        assert bits(full(chunk.X)) == bits(np.vstack(rows))
        classes, codes = encode(joined)
        assert cache.classes.tolist() == classes.tolist()
        assert np.array_equal(cache.codes, codes)


def test_too_many_different_labels_to_be_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (cache_about, cache_labels, cache_source):
        monkeypatch.setattr(module, "MOST_CLASSES", 3)
    for labels, kind in (([1, 2, 3], "i"), ([1, 2, 3, 4], "i"), (list("abcd"), "U")):
        few = len(labels) <= 3
        given = [rows_of(labels), rows_of(labels[::-1])]
        cache = kept_cache(Listed(*given), tmp_path / "a.nkcache")
        assert cache.read().y.tolist() == labels + labels[::-1]
        assert cache.read().y.dtype.kind == kind
        assert (cache.classes is None, cache.codes is None) == (not few, not few)
        assert (tmp_path / "a.nkcache" / "codes.npy").exists() == (few or kind == "U")


def test_labels_and_width_as_asked(save: Save, tmp_path: Path) -> None:
    sparse, table = cached(opened(save, "sparse")), cached(opened(save, "table"))
    for cache in (sparse, table):
        bare = CacheSource(cache.path, labelled=False)
        assert bare.read().y is None
        assert bare.classes is None
        assert bare.codes is None
        assert [part.y for part in bare.chunks(2)] == [None, None][: -(-bare.rows // 2)]
        assert bare.again(labelled=True).read().y is not None
    wide = CacheSource(sparse.path, features=20)
    assert wide.read().X.shape == (4, 20)
    assert wide.features == 20
    for cache, features in ((sparse, 3), (table, 3), (table, 1)):
        with pytest.raises(DataError, match=f"feature columns is .*, expected {features}"):
            CacheSource(cache.path, features=features)
    unlabelled = sources.open(save("b.csv", "1,2\n3,4\n"), labelled=False)
    cache = cached(unlabelled)
    assert cache.read().y is None
    with pytest.raises(DataError, match=r"no labels: pass labelled=False"):
        CacheSource(cache.path)


def test_a_cache_is_data_by_itself(save: Save, tmp_path: Path) -> None:
    source = opened(save, "table")
    kept_cache(source, tmp_path / "b.nkcache")
    found = sources.open(tmp_path / "b.nkcache")
    assert isinstance(found, CacheSource)
    assert same(found.read(), source.read())
    assert found.remarks() == []
    assert sources.open(tmp_path / "b.nkcache", labelled=False).read().y is None
    save("a.csv", TABLE + "6,7,b\n")
    assert found.remarks() == [
        f"{tmp_path / 'a.csv'} has changed since {found.name} was made of it"
    ]
    (tmp_path / "a.csv").unlink()
    assert sources.open(tmp_path / "b.nkcache").remarks() == []
    kept_cache(found, tmp_path / "c.nkcache")
    assert same(CacheSource(tmp_path / "c.nkcache").read(), found.read())


def test_what_the_pass_found_out_is_kept(save: Save, tmp_path: Path) -> None:
    class Talking(Listed):
        skipped = 3
        files = (("one", 0), ("two", 1))

        def remarks(self) -> list[str]:
            return ["indices count from 0"]

    kept_cache(Talking(rows_of([1, 2])), tmp_path / "a.nkcache")
    cache = CacheSource(tmp_path / "a.nkcache")
    assert cache.remarks() == ["indices count from 0"]
    assert cache.skipped == 3
    assert cache.files == [("one", 0), ("two", 1)]


# Starting over.


class Late(Listed):
    """Says after the first chunk how it should have been opened."""

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(rows_of([1, 2]), rows_of([3]), path=path)
        self.asked = options
        self.reopen = lambda **options: Late(path, **options)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        yield self.given[0]
        if "word_labels" not in self.asked:
            raise LateError("a word", word_labels=True)
        if "zero_based" not in self.asked:
            raise LateError("a zero", zero_based=True)
        yield from self.given


def test_a_pass_that_must_start_over(save: Save) -> None:
    source = Late(save("a.txt", "text"))
    cache = cached(source)
    assert cache.read().y.tolist() == [1, 2, 1, 2, 3]
    assert cache.about.asked == {}  # what was asked for, not what it took
    assert stale(cache.path, Late(source.paths[0])) is None
    source.replayable = False
    with pytest.raises(LateError, match="a word"):
        kept_cache(source, cache.path)
    source.replayable, source.reopen = True, lambda **_: Late(source.paths[0])
    with pytest.raises(LateError, match="a word"):  # the remedy does not help
        kept_cache(source, cache.path)
    assert CacheSource(cache.path).read().y.tolist() == [1, 2, 1, 2, 3]


def test_late_words_and_zeros_in_text(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.sources.blocks.BLOCK_BYTES", 64)
    rows = [f"{i % 2} {i % 5 + 1}:{i}\n" for i in range(200)]
    for last in ("word 1:1\n", "1 0:1\n"):
        path = save("a.svm", "".join(rows) + last)
        check_rows(cached(sources.open(path)).read(), sources.open(path).read())


# Good or stale.


def test_a_good_cache_is_used(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached(opened(save, "sparse"))
    written = Path(first.path, "about.json").stat().st_mtime_ns
    source = sources.open(first.paths[0])
    assert stale(first.path, source) is None
    monkeypatch.setattr(type(source), "chunks", None)  # it must not be read
    assert same(cached(source).read(), first.read())
    assert Path(first.path, "about.json").stat().st_mtime_ns == written


def changed_inside(path: Path) -> None:
    path.write_text(path.read_text().replace("0.5", "0.6"))


def changed_but_for_its_time(path: Path) -> None:
    before = path.stat()
    changed_inside(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def longer(path: Path) -> None:
    path.write_text(path.read_text() + "1 1:1\n")


def touched(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9))


@pytest.mark.parametrize("change", [changed_inside, changed_but_for_its_time, longer, touched])
def test_a_file_that_changed(save: Save, change: Callable[[Path], None]) -> None:
    first = cached(opened(save, "sparse"))
    change(Path(first.paths[0]))
    source = sources.open(first.paths[0])
    assert "has changed since" in str(stale(first.path, source))
    check_rows(cached(source).read(), sources.open(first.paths[0]).read())
    assert stale(first.path, source) is None


def test_other_options(save: Save) -> None:
    path = save("a.csv", "1,2,0\n3,4,1\n")
    first = cached(sources.open(path))
    for options, name in (
        ({"target": 0}, "target"),
        ({"labelled": False}, "labelled"),
        ({"features": 2}, "features"),
        ({"format": "csv"}, "format"),
    ):
        reason = stale(first.path, sources.open(path, **options))
        assert reason == f"it was made with another {name}"
    second = cached(sources.open(path, target=0))
    assert second.path == first.path
    assert second.read().y.tolist() == [1, 3]
    assert first.read().y.tolist() == [0, 1]  # mapped before, and there until it is let go
    assert stale(first.path, sources.open(path)) == "it was made with another target"
    other = save("b.csv", "1,2,0\n3,4,1\n7,8,1\n")
    assert "is not what it was made of" in str(stale(first.path, sources.open(other, target=0)))
    both = sources.open([path, other], target=0)
    assert stale(first.path, both) == "it was made of 1 files, not 2"
    assert "made of csv, not svmlight" in str(stale(first.path, opened(save, "sparse")))


def test_other_versions(save: Save) -> None:
    cache = cached(opened(save, "sparse"))
    for what in ("version", "reader"):
        rewritten(Path(cache.path), **{what: 2})
        source = opened(save, "sparse")
        assert f"it is of another {what} than this program writes" in str(stale(cache.path, source))
        with pytest.raises(DataError, match=f"another {what}"):
            CacheSource(cache.path)
        assert cached(source).rows == 4


def test_the_list_of_bad_rows_must_still_be_there(save: Save, tmp_path: Path) -> None:
    path, side = save("a.csv", "1,2,0\n3,x,1\n5,6,1\n"), tmp_path / "bad.jsonl"
    asked = {"bad_rows": "skip", "skipped_to": side}
    cache = cached(sources.open(path, **asked))
    assert (cache.rows, cache.skipped) == (2, 1)
    assert cached(sources.open(path, **asked)).skipped == 1
    side.unlink()
    assert str(stale(cache.path, sources.open(path, **asked))).endswith("leaves out, is gone")
    cached(sources.open(path, **asked))
    assert side.exists()


def test_a_file_that_changes_meanwhile(save: Save, tmp_path: Path) -> None:
    path = save("a.txt", "before")

    class Changing(Listed):
        def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
            yield from self.given
            save("a.txt", "after it")

    with pytest.raises(DataError, match="changed while it was being read"):
        cached(Changing(rows_of([1, 2]), path=path))
    assert names(tmp_path) == ["a.txt"]


# Where it may be.


@pytest.mark.parametrize("what", ["file", "empty folder", "folder", "folder with more"])
def test_nothing_else_is_ever_replaced(save: Save, tmp_path: Path, what: str) -> None:
    place = tmp_path / "precious.nkcache"
    if what == "file":
        place.write_text("precious")
    else:
        place.mkdir()
        if what == "folder":
            (place / "letter.txt").write_text("precious")
        if what == "folder with more":
            kept_cache(Listed(rows_of([1, 2])), tmp_path / "x.nkcache")
            shutil.copytree(tmp_path / "x.nkcache", place, dirs_exist_ok=True)
            (place / "letter.txt").write_text("precious")
    before = sorted(place.rglob("*"))
    for write in (cached, kept_cache):
        with pytest.raises(DataError, match=r"precious\.nkcache: it exists and is not a novikoff"):
            write(opened(save, "sparse"), place)
    assert sorted(place.rglob("*")) == before
    assert place.exists()


def test_what_convert_wrote_is_not_replaced_on_the_way(save: Save, tmp_path: Path) -> None:
    place = tmp_path / "kept.nkcache"
    table = opened(save, "table")
    kept_cache(table, place)
    assert cached(table, place).rows == 3  # good for its own data
    with pytest.raises(DataError, match="convert wrote it, and it is not good for these data"):
        cached(opened(save, "sparse"), place)
    assert CacheSource(place).of == "csv"


def test_no_place(save: Save, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no file that a cache could lie beside: .*--cache"):
        cached(Listed(rows_of([1, 2])))
    with pytest.raises(DataError, match="there is no folder"):
        cached(opened(save, "sparse"), tmp_path / "none" / "a.nkcache")
    assert cached(Listed(rows_of([1, 2])), tmp_path / "b.nkcache").rows == 2


def test_a_link_stays_one(save: Save, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link.nkcache"
    kept_cache(opened(save, "sparse"), tmp_path / "elsewhere" / "real.nkcache")
    link.symlink_to(tmp_path / "elsewhere" / "real.nkcache")
    kept_cache(opened(save, "table"), link)
    assert link.is_symlink()
    assert CacheSource(tmp_path / "elsewhere" / "real.nkcache").of == "csv"


def test_what_a_cache_cannot_hold(save: Save, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="doubles, not exact decimals"):
        cached(sources.open(save("a.csv", TABLE), decimal=True))
    wider = rows_of([1], np.ones((1, 3)))
    for parts, words in (
        ((rows_of([1]), rows_of(["a"])), "found words and numbers as labels"),
        ((rows_of([1]), wider), "dense rows of 3 features come after 2"),
        ((), "there are no rows"),
    ):
        with pytest.raises(DataError, match=words):
            kept_cache(Listed(*parts), tmp_path / "b.nkcache")
    assert names(tmp_path) == ["a.csv"]


# Damaged or hostile.

ARRAYS = ["values", "columns", "starts", "y", "codes", "lines"]


@pytest.fixture
def folder(save: Save) -> Path:
    """A cache that has every kind of array."""
    found = Path(cached(opened(save, "sparse")).path)
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
    words = Path(cached(opened(save, "table")).path)
    overwritten(words, "codes", 0, 2)
    with pytest.raises(DataError, match=r"codes\.npy names a class too many"):
        CacheSource(words).read()


def test_a_damaged_cache_is_written_again(folder: Path) -> None:
    (folder / "values.npy").write_bytes(b"")
    source = sources.open(str(folder).removesuffix(".nkcache"))
    assert "values.npy" in str(stale(folder, source))
    assert cached(source).rows == 4
    assert CacheSource(folder).rows == 4


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"format": "x"}', b"[" * 100_000, b'{"format": NaN}'],
    ids=["empty", "open", "list", "null", "not text", "other", "deep", "nan"],
)
def test_another_about(folder: Path, text: bytes) -> None:
    (folder / "about.json").write_bytes(text)
    refused(folder, "not a novikoff cache, or a damaged one")


@unhurried
@given(data=st.data())
def test_a_byte_of_about_that_is_another(scratch: Path, data: st.DataObject) -> None:
    place = scratch / "bytes.nkcache"
    if not place.exists():
        kept_cache(Listed(rows_of([1, 2])), place)
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


@unhurried
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
        kept_cache(Listed(rows_of([1, 2], X)), place)
        shutil.copy(place / "about.json", scratch / "sound.json")
    shutil.copy(scratch / "sound.json", place / "about.json")
    rewritten(place, **changes)
    try:
        cache = CacheSource(place)
        cache.remarks()
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


# Whole or not at all.

BIG = "".join(f"{i % 3} {i % 7 + 1}:{i} {i % 11 + 8}:0.25\n" for i in range(2000))
WRITER = """
import sys
from novikoff import sources
from novikoff.sources import blocks
from novikoff.sources.cache import cached
blocks.BLOCK_BYTES = 512
sources.open(sys.argv[1]).read()
print("ready", flush=True)
sys.stdin.readline()
print(cached(sources.open(sys.argv[1])).rows, flush=True)
"""
#: What there is to see when a writer is killed.
MOMENTS: dict[str, Callable[[Path], bool]] = {
    "at once": lambda folder: True,
    "begun": lambda folder: bool(left_over(folder)),
    "some rows": lambda folder: size_of(folder, "values.npy") > 1000,
    "most rows": lambda folder: size_of(folder, "values.npy") > 30_000,
    "told": lambda folder: size_of(folder, "about.json") > 0,
}


def size_of(folder: Path, name: str) -> int:
    return max((path.stat().st_size for path in folder.glob(f".*.tmp/{name}")), default=0)


def writer(path: str) -> Any:
    """A process that is about to write a cache."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def begin(process: Any) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_writer_leaves_nothing_that_counts(
    save: Save, tmp_path: Path, moment: str
) -> None:
    path = save("a.svm", BIG)
    process, come = writer(path), MOMENTS[moment]
    assert process.stdout.readline() == "ready\n"
    begin(process)
    with contextlib.suppress(FileNotFoundError):  # it goes on while one looks
        while process.poll() is None and not come(tmp_path):
            pass
    process.kill()
    process.communicate()
    place = Path(f"{path}.nkcache")
    assert not place.exists() or CacheSource(place).rows == 2000
    check_rows(cached(sources.open(path)).read(), sources.open(path).read())
    assert names(tmp_path) == ["a.svm", "a.svm.nkcache"]


def test_a_live_writer_is_left_alone(save: Save, tmp_path: Path) -> None:
    path = save("a.svm", SPARSE)
    rows = sources.open(path).read().X.shape[0]

    class Slow(Listed):
        def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
            yield self.given[0]
            (other,) = left_over(tmp_path)
            cached(sources.open(path))
            assert left_over(tmp_path) == [other]
            yield self.given[0]

    kept_cache(Slow(rows_of([1, 2])), f"{path}.nkcache")
    assert CacheSource(f"{path}.nkcache").read().y.tolist() == [1, 2, 1, 2]
    assert left_over(tmp_path) == []
    assert rows == 4


def test_two_writers_at_once(save: Save, tmp_path: Path) -> None:
    path = save("a.svm", BIG)
    processes = [writer(path) for _ in range(3)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
    for process in processes:
        begin(process)
    assert [process.communicate()[0] for process in processes] == ["2000\n"] * 3
    assert left_over(tmp_path) == []
    assert stale(f"{path}.nkcache", sources.open(path)) is None


def test_many_writers_of_different_caches_at_one_place(tmp_path: Path) -> None:
    place = tmp_path / "a.nkcache"

    def write(number: int) -> list[int]:
        return kept_cache(Listed(rows_of([number] * 5)), place).read().y.tolist()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(24))) == [[number] * 5 for number in range(24)]
    assert len(set(CacheSource(place).read().y.tolist())) == 1
    assert left_over(tmp_path) == []


def test_a_full_disk(save: Save, tmp_path: Path) -> None:
    source = sources.open(save("a.svm", BIG))
    source.read()  # so that all is compiled, and written to disk, before there is no more room
    most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
    try:
        with pytest.raises(DataError) as caught:
            cached(source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    assert "a.svm.nkcache: it cannot be written (File too large)" in str(caught.value)
    assert "choose another place for it (--cache PATH)" in str(caught.value)
    assert names(tmp_path) == ["a.svm"]


@pytest.mark.parametrize("step", ["append", "become", "finish", "close"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_goes_wrong_while_writing(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, problem: BaseException
) -> None:
    source = opened(save, "sparse")
    before = cached(source)
    before = {path.name: path.read_bytes() for path in Path(before.path).iterdir()}
    save("a.svm", SPARSE * 2)

    def fail(*_: Any) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(ArrayFile, step, fail)
        with pytest.raises((DataError, KeyboardInterrupt)) as caught:
            cached(sources.open(source.paths[0]))
    if isinstance(problem, OSError):
        assert "cannot be written (No space left on device)" in str(caught.value)
    assert left_over(tmp_path) == []
    place = tmp_path / "a.svm.nkcache"
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert cached(sources.open(source.paths[0])).rows == 8


def test_what_was_there_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted between moving the old cache away and the new one there."""
    place = tmp_path / "a.nkcache"
    kept_cache(Listed(rows_of([1, 2])), place)
    rename, calls = Path.rename, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kept_cache(Listed(rows_of([3, 4, 5])), place)
    assert len(calls) == 3
    assert CacheSource(place).read().y.tolist() == [1, 2]
    assert names(tmp_path) == ["a.nkcache"]


def test_a_read_only_folder(save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    source = opened(save, "sparse")
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(DataError, match=r"cannot be written \(Permission denied\).*--cache PATH"):
        cached(source)


def test_interrupted_threads_are_gone(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a pass, from the real signal."""
    monkeypatch.setattr("novikoff.sources.blocks.BLOCK_BYTES", 256)
    source = sources.open(save("a.svm", BIG))

    def watch(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cached(source, watch=watch)
    assert left_over(Path(source.paths[0]).parent) == []
    assert cached(source).rows == 2000


def test_progress_counts_bytes_over_all_files(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.sources.blocks.BLOCK_BYTES", 1024)
    paths = [save("a.svm", BIG), save("b.svm", SPARSE), save("c.svm", BIG)]
    told: list[tuple[int, int | None, int]] = []
    cached(sources.open(paths), watch=lambda *words: told.append(words))
    sizes = sum(Path(path).stat().st_size for path in paths)
    assert told[-1] == (sizes, sizes, 4004)
    assert told == sorted(told)
    assert len(told) > 10


def test_rows_gone_through_may_leave_memory(save: Save) -> None:
    cache = cached(sources.open(save("a.svm", BIG * 20)))
    whole = sources.open(cache.paths[0]).read()
    for _ in range(2):
        check_rows(joined(list(cache.chunks(999))), whole)
    cache.release(cache.rows)
    check_rows(cache.read(), whole)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_rows_gone_through_do_leave_memory(save: Save) -> None:
    cache = cached(sources.open(save("a.svm", BIG * 20)))
    cache.matrix.data.sum()
    assert resident("values.npy") > 600_000
    for chunk in cache.chunks(999):
        chunk.X.data.sum()
    assert resident("values.npy") < 200_000


def resident(name: str) -> int:
    """How many bytes of a mapped file are in this process's memory."""
    found, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split()[0]
        if not first.endswith(":"):
            inside = name in line
        elif inside and first == "Rss:":
            found += 1024 * int(line.split()[1])
    return found
