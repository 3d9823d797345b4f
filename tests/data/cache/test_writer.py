"""A cache is there whole or not at all."""

import contextlib
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import novikoff.data as sources
from novikoff.data import Chunk
from novikoff.data.cache import CacheSource, ensure_cache, stale_reason, write_named_cache
from novikoff.data.cache.array_file import ArrayFile
from novikoff.errors import DataError
from tests.helpers.cache_files import (
    BIG,
    SPARSE,
    Listed,
    check_rows,
    file_names,
    labelled_chunk,
    left_over,
    open_case,
)
from tests.helpers.chunks import Save
from tests.helpers.shell import running

WRITER = """
import sys
from novikoff import data
from novikoff.data.files import blocks
from novikoff.data.cache import ensure_cache
blocks.BLOCK_BYTES = 512
data.open(sys.argv[1]).read()
print("ready", flush=True)
sys.stdin.readline()
print(ensure_cache(data.open(sys.argv[1])).rows, flush=True)
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
    return running("-c", WRITER, path, stdin=subprocess.PIPE)


def begin(process: Any) -> None:
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_writer_leaves_nothing_that_counts(
    save: Save, tmp_path: Path, moment: str
) -> None:
    path = save("a.svm", BIG)
    with writer(path) as process:
        assert process.stdout.readline() == "ready\n"
        begin(process)
        with contextlib.suppress(FileNotFoundError):  # it goes on while one looks
            while process.poll() is None and not MOMENTS[moment](tmp_path):
                pass
        process.kill()
        process.communicate()
    place = Path(f"{path}.nkcache")
    assert not place.exists() or CacheSource(place).rows == 2000
    check_rows(ensure_cache(sources.open(path)).read(), sources.open(path).read())
    assert file_names(tmp_path) == ["a.svm", "a.svm.nkcache"]


def test_a_live_writer_is_left_alone(save: Save, tmp_path: Path) -> None:
    path = save("a.svm", SPARSE)
    rows = sources.open(path).read().X.shape[0]

    class Slow(Listed):
        def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
            yield self.given[0]
            (other,) = left_over(tmp_path)
            ensure_cache(sources.open(path))
            assert left_over(tmp_path) == [other]
            yield self.given[0]

    write_named_cache(Slow(labelled_chunk([1, 2])), f"{path}.nkcache")
    assert CacheSource(f"{path}.nkcache").read().y.tolist() == [1, 2, 1, 2]
    assert left_over(tmp_path) == []
    assert rows == 4


def test_two_writers_at_once(save: Save, tmp_path: Path) -> None:
    path = save("a.svm", BIG)
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(writer(path)) for _ in range(3)]
        assert [process.stdout.readline() for process in processes] == ["ready\n"] * 3
        for process in processes:
            begin(process)
        assert [process.communicate()[0] for process in processes] == ["2000\n"] * 3
    assert left_over(tmp_path) == []
    assert stale_reason(f"{path}.nkcache", sources.open(path)) is None


def test_many_writers_of_different_caches_at_one_place(tmp_path: Path) -> None:
    place = tmp_path / "a.nkcache"

    def write(number: int) -> list[int]:
        return write_named_cache(Listed(labelled_chunk([number] * 5)), place).read().y.tolist()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(24))) == [[number] * 5 for number in range(24)]
    assert len(set(CacheSource(place).read().y.tolist())) == 1
    assert left_over(tmp_path) == []


def test_a_full_disk(save: Save, tmp_path: Path) -> None:
    import resource  # not everywhere

    source = sources.open(save("a.svm", BIG))
    source.read()  # so that all is compiled, and written to disk, before there is no more room
    most, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, hard))
    try:
        with pytest.raises(DataError) as caught:
            ensure_cache(source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    assert "a.svm.nkcache: it cannot be written (File too large)" in str(caught.value)
    assert "choose another place for it (--cache PATH)" in str(caught.value)
    assert file_names(tmp_path) == ["a.svm"]


@pytest.mark.parametrize("step", ["append", "convert_dtype", "finish", "close"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_whatever_goes_wrong_while_writing(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, problem: BaseException
) -> None:
    source = open_case(save, "sparse")
    before = ensure_cache(source)
    before = {path.name: path.read_bytes() for path in Path(before.path).iterdir()}
    save("a.svm", SPARSE * 2)

    def fail(*_: Any) -> None:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(ArrayFile, step, fail)
        with pytest.raises((DataError, KeyboardInterrupt)) as caught:
            ensure_cache(sources.open(source.paths[0]))
    if isinstance(problem, OSError):
        assert "cannot be written (No space left on device)" in str(caught.value)
    assert left_over(tmp_path) == []
    place = tmp_path / "a.svm.nkcache"
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert ensure_cache(sources.open(source.paths[0])).rows == 8


def test_what_was_there_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted between moving the old cache away and the new one there."""
    place = tmp_path / "a.nkcache"
    write_named_cache(Listed(labelled_chunk([1, 2])), place)
    rename, calls = Path.rename, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_named_cache(Listed(labelled_chunk([3, 4, 5])), place)
    assert len(calls) == 3
    assert CacheSource(place).read().y.tolist() == [1, 2]
    assert file_names(tmp_path) == ["a.nkcache"]


def test_a_read_only_folder(save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    source = open_case(save, "sparse")
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(DataError, match=r"cannot be written \(Permission denied\).*--cache PATH"):
        ensure_cache(source)


def test_interrupted_threads_are_gone(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a pass, from the real signal."""
    monkeypatch.setattr("novikoff.data.files.blocks.BLOCK_BYTES", 256)
    source = sources.open(save("a.svm", BIG))

    def watch(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        ensure_cache(source, watch=watch)
    assert left_over(Path(source.paths[0]).parent) == []
    assert ensure_cache(source).rows == 2000


def test_progress_counts_bytes_over_all_files(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("novikoff.data.files.blocks.BLOCK_BYTES", 1024)
    paths = [save("a.svm", BIG), save("b.svm", SPARSE), save("c.svm", BIG)]
    told: list[tuple[int, int | None, int]] = []
    ensure_cache(sources.open(paths), watch=lambda *words: told.append(words))
    sizes = sum(Path(path).stat().st_size for path in paths)
    assert told[-1] == (sizes, sizes, 4004)
    assert told == sorted(told)
    assert len(told) > 10
