"""A cache has the same bytes as the text, also where reading must start over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data import Chunk
from novikoff.data.cache import (
    CacheSource,
    ensure_cache,
    label_files,
    manifest,
    stale_reason,
    write_named_cache,
)
from novikoff.data.cache import source as cache_source
from novikoff.data.chunk import concatenate
from novikoff.data.errors import RereadError
from novikoff.data.matrices import encode
from novikoff.data.source import Opening
from novikoff.errors import DataError
from tests.helpers.cache_files import (
    BIG,
    FILES,
    TABLE,
    Listed,
    about_of,
    check_rows,
    labelled_chunk,
    open_case,
    resident,
)
from tests.helpers.chunks import Save, bits, check_chunk, full, same_rows


@pytest.mark.parametrize("case", FILES)
def test_the_same_rows_as_the_text(save: Save, case: str) -> None:
    source = open_case(save, case)
    whole, cache = source.read(), ensure_cache(open_case(save, case))
    again = ensure_cache(sources.open(source.paths))
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


def test_nothing_is_copied_and_numpy_opens_every_array(save: Save) -> None:
    for case in ("sparse", "table"):
        cache = ensure_cache(open_case(save, case))
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
        patch.setattr(manifest, "NARROW", narrow)
        cache = write_named_cache(Listed(*given), place)
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
    for module in (manifest, label_files, cache_source):
        monkeypatch.setattr(module, "MOST_CLASSES", 3)
    for labels, kind in (([1, 2, 3], "i"), ([1, 2, 3, 4], "i"), (list("abcd"), "U")):
        few = len(labels) <= 3
        given = [labelled_chunk(labels), labelled_chunk(labels[::-1])]
        cache = write_named_cache(Listed(*given), tmp_path / "a.nkcache")
        assert cache.read().y.tolist() == labels + labels[::-1]
        assert cache.read().y.dtype.kind == kind
        assert (cache.classes is None, cache.codes is None) == (not few, not few)
        assert (tmp_path / "a.nkcache" / "codes.npy").exists() == (few or kind == "U")


def test_labels_and_width_as_asked(save: Save, tmp_path: Path) -> None:
    sparse, table = ensure_cache(open_case(save, "sparse")), ensure_cache(open_case(save, "table"))
    for cache in (sparse, table):
        bare = CacheSource(cache.path, labelled=False)
        assert bare.read().y is None
        assert bare.classes is None
        assert bare.codes is None
        assert [part.y for part in bare.chunks(2)] == [None, None][: -(-bare.rows // 2)]
        assert bare.reopen(labelled=True).read().y is not None
    wide = CacheSource(sparse.path, features=20)
    assert wide.read().X.shape == (4, 20)
    assert wide.features == 20
    for cache, features in ((sparse, 3), (table, 3), (table, 1)):
        with pytest.raises(DataError, match=f"feature columns is .*, expected {features}"):
            CacheSource(cache.path, features=features)
    unlabelled = sources.open(save("b.csv", "1,2\n3,4\n"), labelled=False)
    cache = ensure_cache(unlabelled)
    assert cache.read().y is None
    with pytest.raises(DataError, match=r"no labels: pass labelled=False"):
        CacheSource(cache.path)


def test_a_cache_is_data_by_itself(save: Save, tmp_path: Path) -> None:
    source = open_case(save, "table")
    write_named_cache(source, tmp_path / "b.nkcache")
    found = sources.open(tmp_path / "b.nkcache")
    assert isinstance(found, CacheSource)
    assert same_rows(found.read(), source.read())
    assert found.notes() == []
    assert sources.open(tmp_path / "b.nkcache", labelled=False).read().y is None
    save("a.csv", TABLE + "6,7,b\n")
    assert found.notes() == [f"{tmp_path / 'a.csv'} has changed since {found.name} was made of it"]
    (tmp_path / "a.csv").unlink()
    assert sources.open(tmp_path / "b.nkcache").notes() == []
    write_named_cache(found, tmp_path / "c.nkcache")
    assert same_rows(CacheSource(tmp_path / "c.nkcache").read(), found.read())


def test_what_the_pass_found_out_is_kept(save: Save, tmp_path: Path) -> None:
    class Talking(Listed):
        skipped = 3
        files = (("one", 0), ("two", 1))

        def notes(self) -> list[str]:
            return ["indices count from 0"]

    write_named_cache(Talking(labelled_chunk([1, 2])), tmp_path / "a.nkcache")
    cache = CacheSource(tmp_path / "a.nkcache")
    assert cache.notes() == ["indices count from 0"]
    assert cache.skipped == 3
    assert cache.files == [("one", 0), ("two", 1)]


class Late(Listed):
    """Says after the first chunk how it should have been opened."""

    def __init__(self, path: str, **options: Any) -> None:
        opening = Opening((path,), options, opener=lambda again: Late(path, **again.options))
        super().__init__(labelled_chunk([1, 2]), labelled_chunk([3]), path=path, opening=opening)

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        yield self.given[0]
        if "word_labels" not in self.opening.options:
            raise RereadError("a word", word_labels=True)
        if "zero_based" not in self.opening.options:
            raise RereadError("a zero", zero_based=True)
        yield from self.given


def test_a_pass_that_must_start_over(save: Save) -> None:
    source = Late(save("a.txt", "text"))
    cache = ensure_cache(source)
    assert cache.read().y.tolist() == [1, 2, 1, 2, 3]
    assert cache.about.asked == {}  # what was asked for, not what it took
    assert stale_reason(cache.path, Late(source.paths[0])) is None
    source.info = source.info._replace(replayable=False)
    with pytest.raises(RereadError, match="a word"):
        write_named_cache(source, cache.path)
    source.info = source.info._replace(replayable=True)
    source.opening = source.opening._replace(opener=lambda _: Late(source.paths[0]))
    with pytest.raises(RereadError, match="a word"):  # the remedy does not help
        write_named_cache(source, cache.path)
    assert CacheSource(cache.path).read().y.tolist() == [1, 2, 1, 2, 3]


def test_late_words_and_zeros_in_text(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.data.files.blocks.BLOCK_BYTES", 64)
    rows = [f"{i % 2} {i % 5 + 1}:{i}\n" for i in range(200)]
    for last in ("word 1:1\n", "1 0:1\n"):
        path = save("a.svm", "".join(rows) + last)
        check_rows(ensure_cache(sources.open(path)).read(), sources.open(path).read())


def test_rows_gone_through_may_leave_memory(save: Save) -> None:
    cache = ensure_cache(sources.open(save("a.svm", BIG * 20)))
    whole = sources.open(cache.paths[0]).read()
    for _ in range(2):
        check_rows(concatenate(list(cache.chunks(999))), whole)
    cache.release(cache.rows)
    check_rows(cache.read(), whole)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux tells")
def test_rows_gone_through_do_leave_memory(save: Save) -> None:
    cache = ensure_cache(sources.open(save("a.svm", BIG * 20)))
    cache.matrix.data.sum()
    assert resident("values.npy") > 600_000
    for chunk in cache.chunks(999):
        chunk.X.data.sum()
    assert resident("values.npy") < 200_000
