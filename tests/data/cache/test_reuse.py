"""A cache that is good is used, and one that is stale is written again."""

import gc
import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import novikoff.data as sources
from novikoff.data import Chunk
from novikoff.data.cache import CacheSource, ensure_cache, stale_reason
from novikoff.errors import DataError
from tests.helpers.cache_files import (
    Listed,
    check_rows,
    file_names,
    labelled_chunk,
    open_case,
    rewritten,
)
from tests.helpers.chunks import Save, same_rows


def test_a_good_cache_is_used(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ensure_cache(open_case(save, "sparse"))
    written = Path(first.path, "about.json").stat().st_mtime_ns
    source = sources.open(first.paths[0])
    assert stale_reason(first.path, source) is None
    monkeypatch.setattr(type(source), "chunks", None)  # it must not be read
    assert same_rows(ensure_cache(source).read(), first.read())
    assert Path(first.path, "about.json").stat().st_mtime_ns == written


def test_a_cache_is_let_go_of_at_once(save: Save) -> None:
    """Also the one for which there was none before: its absence must leave nothing behind."""
    gc.disable()
    try:
        for _ in range(2):
            found = weakref.ref(ensure_cache(open_case(save, "sparse")))
            assert found() is None
    finally:
        gc.enable()


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
    first = ensure_cache(open_case(save, "sparse"))
    change(Path(first.paths[0]))
    source = sources.open(first.paths[0])
    assert "has changed since" in str(stale_reason(first.path, source))
    check_rows(ensure_cache(source).read(), sources.open(first.paths[0]).read())
    assert stale_reason(first.path, source) is None


def test_other_options(save: Save) -> None:
    path = save("a.csv", "1,2,0\n3,4,1\n")
    first = ensure_cache(sources.open(path))
    for options, name in (
        ({"target": 0}, "target"),
        ({"labelled": False}, "labelled"),
        ({"features": 2}, "features"),
        ({"format": "csv"}, "format"),
    ):
        reason = stale_reason(first.path, sources.open(path, **options))
        assert reason == f"it was made with another {name}"
    second = ensure_cache(sources.open(path, target=0))
    assert second.path == first.path
    assert second.read().y.tolist() == [1, 3]
    assert first.read().y.tolist() == [0, 1]  # mapped before, and there until it is let go
    assert stale_reason(first.path, sources.open(path)) == "it was made with another target"
    other = save("b.csv", "1,2,0\n3,4,1\n7,8,1\n")
    assert "is not what it was made of" in str(
        stale_reason(first.path, sources.open(other, target=0))
    )
    both = sources.open([path, other], target=0)
    assert stale_reason(first.path, both) == "it was made of 1 files, not 2"
    assert "made of csv, not svmlight" in str(stale_reason(first.path, open_case(save, "sparse")))


def test_other_versions(save: Save) -> None:
    cache = ensure_cache(open_case(save, "sparse"))
    for what in ("version", "reader"):
        rewritten(Path(cache.path), **{what: 3})
        source = open_case(save, "sparse")
        assert f"it is of another {what} than this program writes" in str(
            stale_reason(cache.path, source)
        )
        with pytest.raises(DataError, match=f"another {what}"):
            CacheSource(cache.path)
        assert ensure_cache(source).rows == 4


def test_the_list_of_bad_rows_must_still_be_there(save: Save, tmp_path: Path) -> None:
    path, side = save("a.csv", "1,2,0\n3,x,1\n5,6,1\n"), tmp_path / "bad.jsonl"
    asked = {"bad_rows": "skip", "skipped_to": side}
    cache = ensure_cache(sources.open(path, **asked))
    assert (cache.rows, cache.skipped) == (2, 1)
    assert ensure_cache(sources.open(path, **asked)).skipped == 1
    side.unlink()
    assert str(stale_reason(cache.path, sources.open(path, **asked))).endswith(
        "leaves out, is gone"
    )
    ensure_cache(sources.open(path, **asked))
    assert side.exists()


def test_a_file_that_changes_meanwhile(save: Save, tmp_path: Path) -> None:
    path = save("a.txt", "before")

    class Changing(Listed):
        def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
            yield from self.given
            save("a.txt", "after it")

    with pytest.raises(DataError, match="changed while it was being read"):
        ensure_cache(Changing(labelled_chunk([1, 2]), path=path))
    assert file_names(tmp_path) == ["a.txt"]
