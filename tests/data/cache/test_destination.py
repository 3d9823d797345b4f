"""Where a cache may be, and what it never replaces."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import novikoff.data as sources
from novikoff.data.cache import CacheSource, ensure_cache, write_named_cache
from novikoff.errors import DataError
from tests.helpers.cache_files import TABLE, Listed, file_names, labelled_chunk, open_case
from tests.helpers.chunks import Save


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
            write_named_cache(Listed(labelled_chunk([1, 2])), tmp_path / "x.nkcache")
            shutil.copytree(tmp_path / "x.nkcache", place, dirs_exist_ok=True)
            (place / "letter.txt").write_text("precious")
    before = sorted(place.rglob("*"))
    for write in (ensure_cache, write_named_cache):
        with pytest.raises(DataError, match=r"precious\.nkcache: it exists and is not a novikoff"):
            write(open_case(save, "sparse"), place)
    assert sorted(place.rglob("*")) == before
    assert place.exists()


def test_what_convert_wrote_is_not_replaced_on_the_way(save: Save, tmp_path: Path) -> None:
    place = tmp_path / "kept.nkcache"
    table = open_case(save, "table")
    write_named_cache(table, place)
    assert ensure_cache(table, place).rows == 3  # good for its own data
    with pytest.raises(DataError, match="convert wrote it, and it is not good for these data"):
        ensure_cache(open_case(save, "sparse"), place)
    assert CacheSource(place).of == "csv"


def test_no_place(save: Save, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no file that a cache could lie beside: .*--cache"):
        ensure_cache(Listed(labelled_chunk([1, 2])))
    with pytest.raises(DataError, match="there is no folder"):
        ensure_cache(open_case(save, "sparse"), tmp_path / "none" / "a.nkcache")
    assert ensure_cache(Listed(labelled_chunk([1, 2])), tmp_path / "b.nkcache").rows == 2


def test_a_link_stays_one(save: Save, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link.nkcache"
    write_named_cache(open_case(save, "sparse"), tmp_path / "elsewhere" / "real.nkcache")
    link.symlink_to(tmp_path / "elsewhere" / "real.nkcache")
    write_named_cache(open_case(save, "table"), link)
    assert link.is_symlink()
    assert CacheSource(tmp_path / "elsewhere" / "real.nkcache").of == "csv"


def test_what_a_cache_cannot_hold(save: Save, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="doubles, not exact decimals"):
        ensure_cache(sources.open(save("a.csv", TABLE), decimal=True))
    wider = labelled_chunk([1], np.ones((1, 3)))
    for parts, words in (
        ((labelled_chunk([1]), labelled_chunk(["a"])), "found words and numbers as labels"),
        ((labelled_chunk([1]), wider), "dense rows of 3 features come after 2"),
        ((), "there are no rows"),
    ):
        with pytest.raises(DataError, match=words):
            write_named_cache(Listed(*parts), tmp_path / "b.nkcache")
    assert file_names(tmp_path) == ["a.csv"]
