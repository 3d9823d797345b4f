"""Addresses with "://": the same rows, the same complaints, and no more fetched than is needed."""

import bz2
import gzip
import io
import json
import sys
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from novikoff import data
from novikoff.data.cache import ensure_cache, stale_reason
from novikoff.data.files import blocks, inputs, storage
from novikoff.data.files.storage import file_name, is_remote, size_of
from novikoff.data.loader import bytes_of, cached_if_large, load_rows
from novikoff.data.shards import cut, open_shard
from novikoff.errors import DataError
from tests.helpers.chunks import bits, check_chunk, dense
from tests.helpers.file_systems import HTTP, Counted, served
from tests.helpers.shards import complaint, equal, read_shards, read_whole, sent

Put = Callable[[str, bytes], str]
PROTOCOLS = ["file", "memory", "counted", "simplecache", *(["http"] if HTTP else [])]


@pytest.fixture(params=PROTOCOLS)
def put(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Put]:
    """Write a file somewhere, and return its address."""
    with served(tmp_path) as server:
        roots = {
            "file": f"file://{tmp_path}",
            "memory": f"memory://{tmp_path.name}",
            "counted": f"counted://{tmp_path.name}",
            "simplecache": f"simplecache::memory://{tmp_path.name}",
            "http": server,
        }
        root = roots[request.param]

        def write(name: str, content: bytes) -> str:
            if request.param in ("file", "http"):
                (tmp_path / name).write_bytes(content)
            elif request.param == "counted":
                Counted.contents[f"{tmp_path.name}/{name}"] = content
            else:
                fsspec.filesystem("memory").pipe_file(f"{tmp_path.name}/{name}", content)
            return f"{root}/{name}"

        yield write


@pytest.fixture
def far(tmp_path: Path) -> Put:
    """Write a file into the system that counts."""

    def write(name: str, content: bytes) -> str:
        Counted.contents[f"{tmp_path.name}/{name}"] = content
        return f"counted://{tmp_path.name}/{name}"

    return write


def contents() -> dict[str, bytes]:
    """A little of every format."""
    svm = "".join(f"{k % 2} {1 + k % 7}:{k / 3} 9:1\n" for k in range(60)).encode()
    vw = "".join(f"{k % 2} |n a{k % 5} b:{k}\n" for k in range(60)).encode()
    csv = "n,c,y\n" + "".join(f'{k},"w{k % 4}",{k % 2}\n' for k in range(60))
    table = np.random.default_rng(2).standard_normal((60, 5))
    frame = pyarrow.table({"a": table[:, 0], "c": ["x", "é"] * 30, "y": np.arange(60) % 2})
    npy, fortran, npz, parquet, arrow, stream = (io.BytesIO() for _ in range(6))
    np.save(npy, table)
    np.save(fortran, np.asfortranarray(table.astype(">f4")))
    np.savez(npz, X=table, y=np.arange(60) % 3)
    pyarrow.parquet.write_table(frame, parquet, row_group_size=10)
    for file, kind in ((arrow, pyarrow.ipc.new_file), (stream, pyarrow.ipc.new_stream)):
        with kind(file, frame.schema) as writer:
            writer.write_table(frame, max_chunksize=10)
    binary = {"n.npy": npy, "f.npy": fortran, "z.npz": npz, "p.parquet": parquet}
    binary |= {"i.arrow": arrow, "s.arrows": stream}
    text = {"a.svm": svm, "a.vw": vw, "a.csv": csv.encode(), "a.data": svm}
    packed = {"a.svm.gz": gzip.compress(svm), "a.csv.bz2": bz2.compress(csv.encode())}
    return text | packed | {name: file.getvalue() for name, file in binary.items()}


NAMES = list(contents())


def described(source: data.Source) -> tuple[object, ...]:
    """All that is read, but for the name of the file."""
    chunk = source.read()
    check_chunk(chunk)
    lines = None if chunk.lines is None else chunk.lines.tolist()
    return dense(chunk).shape, bits(dense(chunk)), chunk.y.tolist(), lines, source.feature_names


@pytest.mark.parametrize("name", NAMES)
def test_the_same_rows_as_from_a_path(put: Put, tmp_path: Path, name: str) -> None:
    content = contents()[name]
    (tmp_path / f"here.{name}").write_bytes(content)
    local, address = data.open(tmp_path / f"here.{name}"), put(name, content)
    source = data.open(address)
    assert source.name == address
    assert source.format == local.format
    assert described(source) == described(local)
    assert sum(chunk.X.shape[0] for chunk in source.chunks(7)) == 60
    whole, most = read_whole(source), {"a.svm.gz": 1, "a.csv.bz2": 1, "s.arrows": 1}.get(name, 4)
    for number in range(1, most + 1):
        assert equal(read_shards(source, number), whole)


def test_small_blocks_hold_the_same_rows(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    address = put("a.csv", contents()["a.csv"])
    whole = described(data.open(address))
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 37)
    assert described(data.open(address)) == whole


def test_a_bad_line_is_named(put: Put) -> None:
    lines = ["1,2,0"] * 50
    lines[33] = "1,x,0"
    address = put("a.csv", "\n".join(lines).encode())
    source = data.open(address)
    with pytest.raises(DataError) as told:
        source.read()
    assert str(told.value).startswith(f"{address}:34:3: ")
    assert complaint(source, 5) == str(told.value)


def test_several_files_and_patterns(put: Put) -> None:
    addresses_ = [put(f"part-{k}.svm", f"1 {k + 1}:1\n-1 1:1\n".encode()) for k in (2, 0, 1)]
    put("other.svm", b"1 99:1\n")
    together = data.open(addresses_).read()
    assert together.X.indices.tolist() == [2, 0, 0, 0, 1, 0]
    root = addresses_[0].rpartition("/")[0]
    if "::" in root or root.startswith("http"):
        with pytest.raises(DataError):
            data.open(f"{root}/part-*.svm")
        return
    source = data.open(f"{root}/part-*.svm")
    assert source.read().X.indices.tolist() == [0, 0, 1, 0, 2, 0]
    assert all(map(is_remote, source.paths))
    with pytest.raises(DataError, match="no file matches this pattern"):
        data.open(f"{root}/none-*.svm")


def test_a_file_that_is_not_there(put: Put) -> None:
    root = put("a.svm", b"1 1:1\n").rpartition("/")[0]
    for name in ("none.svm", "none.parquet", "none.npy", "none"):
        with pytest.raises(DataError, match=rf"{name}: no such file"):
            data.open(f"{root}/{name}")


@pytest.mark.parametrize("name", ["a.svm", "a.csv", "n.npy", "p.parquet", "i.arrow", "a.svm.gz"])
def test_a_file_that_changes_is_refused(put: Put, name: str) -> None:
    content = contents()[name]
    source = data.open(put(name, content))
    shard = cut(source, 1)[0]
    put(name, content + b"\n")
    with pytest.raises(DataError, match="it changed while it was being read"):
        source.read()
    with pytest.raises(DataError, match="not what it was when it was cut"):
        open_shard(shard)


def test_a_file_is_known_by_its_ends_if_nothing_else_is_told(
    far: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "tells", False)
    address = far("a.svm", b"1 1:1\n-1 2:1\n")
    first = inputs.Input(address).identity()
    far("a.svm", b"1 1:1\n-1 2:2\n")
    assert first != inputs.Input(address).identity()
    assert first.keys() == {"size", "modified", "ends"}


def test_chains_of_addresses(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents().items():
            archive.writestr(name, content)
    for name, content in contents().items():
        (tmp_path / name).write_bytes(content)
        source = data.open(f"zip://{name}::file://{tmp_path}/all.zip")
        assert described(source) == described(data.open(tmp_path / name))
    source = data.open(f"zip://a.csv::file://{tmp_path}/all.zip")
    assert equal(read_shards(source, 3), read_whole(source))


def test_the_name_of_a_file_in_its_address() -> None:
    assert file_name("a?b.csv") == "a?b.csv"
    assert file_name("https://host/a.csv?key=x.svm") == "https://host/a.csv"
    assert file_name("simplecache::s3://bucket/a.csv.gz") == "s3://bucket/a.csv.gz"
    assert file_name("zip://in.svm::https://host/b.zip") == "zip://in.svm"
    assert storage.matching_addresses("https://host/a.csv?x=[1]") == ["https://host/a.csv?x=[1]"]
    assert not is_remote("example:separable?rows=4")


def test_what_is_missing_is_named(far: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"not installed \(Install nowherefs to go nowhere\)"):
        data.open("nowhere://a.csv")
    with pytest.raises(DataError, match="Install nowherefs"):
        data.open("nowhere://*.csv")
    with pytest.raises(DataError, match=r"unheard://a.csv: cannot be read \(Protocol not known"):
        data.open("unheard://a.csv")
    address = far("a.csv", b"1,2,0\n")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DataError, match=r"read by fsspec, which is not installed: run pip"):
        data.open(address)


def test_a_folder_is_refused(far: Put) -> None:
    root = far("folder/a.csv", b"1,2,0\n").rpartition("/")[0]
    with pytest.raises(DataError, match="it is a directory, expected a file"):
        data.open(root)


@pytest.mark.parametrize("name", ["a.svm", "a.csv", "n.npy", "z.npz", "p.parquet", "a.csv.bz2"])
def test_trouble_on_the_way_is_told(far: Put, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    source = None
    address = far(name, contents()[name])
    if name != "z.npz":  # which is read when it is opened
        source = data.open(address)
    monkeypatch.setattr(Counted, "troubled", {address.removeprefix("counted://")})
    with pytest.raises(DataError, match="the line went dead"):
        (source or data.open(address)).read()


def test_only_what_is_needed_is_fetched(far: Put) -> None:
    line = b"1 3:0.25 77:1\n"
    source = data.open(far("a.svm", line * 2**21))
    size = bytes_of(source)
    before = Counted.fetched
    shards = cut(source, 4)
    assert Counted.fetched - before < 4 * 2**18
    assert [len(shard.paths) for shard in shards] == [1] * 4
    before = Counted.fetched
    assert sent(shards[2]).read().X.shape[0] == 2**19
    assert Counted.fetched - before < size / 4 + 2**22 + 2**18


def test_only_the_rows_needed_of_an_array_are_fetched(far: Put) -> None:
    table = np.arange(2**21, dtype=np.float64).reshape(-1, 4)
    for order in (np.ascontiguousarray, np.asfortranarray):
        file = io.BytesIO()
        np.save(file, order(table))
        source = data.open(far("a.npy", file.getvalue()))
        before = Counted.fetched
        shard = sent(cut(source, 16)[5])
        rows = shard.read()
        assert rows.X[0].tolist() == table[5 * len(table) // 16, :3].tolist()
        assert Counted.fetched - before < 2**21  # of 16 MB
        before = Counted.fetched
        assert sum(len(chunk.X) for chunk in shard.chunks()) == len(table) // 16
        assert Counted.fetched - before < 2**23


def test_nothing_is_written_beside_what_is_elsewhere(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data.loader, "FEW", 10)
    address = put("a.svm", contents()["a.svm"])
    source = data.open(address)
    before = sorted(tmp_path.rglob("*"))
    assert cached_if_large(source) is source
    assert load_rows(source).matrix.shape == (60, 9)
    with pytest.raises(DataError, match=r"no cache is written beside what is elsewhere: pass --c"):
        ensure_cache(source)
    assert sorted(tmp_path.rglob("*")) == before
    place = tmp_path / "rows.nkcache"
    kept = ensure_cache(data.open(address, cache=place), place)
    assert described(kept)[:3] == described(source)[:3]
    about = json.loads((place / "about.json").read_text())
    assert about["originals"][0]["path"] == address
    assert stale_reason(place, data.open(address)) is None
    assert data.open(place).notes() == kept.notes()
    put("a.svm", b"1 1:1\n-1 2:1\n")
    assert "has changed since" in str(stale_reason(place, data.open(address)))


def test_commands_read_addresses(
    put: Put, here: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    address = put("a.csv", b"a,b,y\n1,2,0\n3,4,1\n2,9,0\n")
    code, out, err = here("check", address, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["outcome"] == "separable"
    code, _, err = here("fit", address, "--save", tmp_path / "a.model", "-q")
    assert (code, err) == (0, "")


def test_size(put: Put) -> None:
    assert size_of(put("a.csv", b"1,2\n")) == 4


def test_the_server_of_these_tests_gives_ranges(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"0123456789")
    with served(tmp_path) as server:
        asked = urllib.request.Request(f"{server}/a.txt", headers={"Range": "bytes=3-5"})
        with urllib.request.urlopen(asked) as answer:
            assert (answer.status, answer.read()) == (206, b"345")
            assert answer.headers["Content-Range"] == "bytes 3-5/10"
