"""Files that are not there, not text or not whole; pipes; and options that make no sense."""

import bz2
import contextlib
import gzip
import io
import json
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow
import pytest

import novikoff.data as sources
from novikoff.data.files import blocks, compression, inputs
from novikoff.errors import DataError
from tests.helpers.chunks import Save, dense, same_rows

SVM = "+1 1:0.5 3:2\n-1 2:1\n"
CSV = "a,b,y\n1,2,0\n3,4,1\n"
ALL_SUFFIXES = ["a.csv", "a.tsv", "a.svm", "a.npy", "a.npz", "a.data"]


def standard_input(monkeypatch: pytest.MonkeyPatch, content: str | bytes) -> None:
    raw = content.encode() if isinstance(content, str) else content
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


@pytest.mark.parametrize("name", ALL_SUFFIXES)
def test_no_such_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=f"{name}: no such file: check the path"):
        sources.open(tmp_path / name)


@pytest.mark.parametrize("name", ALL_SUFFIXES)
def test_a_directory(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match=f"{name}: it is a directory, expected a file"):
        sources.open(tmp_path / name)


def test_no_permission(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, whom no file mode keeps out.
    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    path = save("a.csv", CSV)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"a.csv: no permission to read it"):
        sources.open(path)


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the path is empty"):
        sources.open("")
    with pytest.raises(DataError, match="cannot be read"):
        sources.open("a\0b.csv")
    with pytest.raises(DataError, match="cannot be read"):
        sources.open(tmp_path / ("x" * 5000))


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "a.data"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe1\x00,\x002\x00\n\x00", ":1: the text is UTF-16, expected UTF-8"),
        (b"1 caf\xe9:2\n", ":1:6: byte 0xe9 is not UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", ":1:8: found a NUL byte"),
        (bytes(range(128, 256)), ":1:1: byte 0x80 is not UTF-8"),
    ],
)
def test_bytes_that_are_not_text(save: Save, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        sources.open(save(name, content)).read()


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.svm", SVM)])
def test_byte_order_mark_line_ends_and_last_line(save: Save, name: str, content: str) -> None:
    expected = sources.open(save(name, content)).read()
    for variant in (
        "\ufeff" + content,
        content.replace("\n", "\r\n"),
        content.removesuffix("\n"),
        content.replace("\n", "\r\n").removesuffix("\r\n"),
    ):
        assert same_rows(sources.open(save("v" + name, variant)).read(), expected)


def test_lines_come_without_their_ends(save: Save) -> None:
    given = inputs.Input(save("a", "one\r\n\r\ntwo\n three \r\rend"))
    assert list(given.peek()) == ["one", "", "two", " three \r\rend"]


def zstd(content: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


PACKINGS = {"gzip": (gzip.compress, ".gz"), "bzip2": (bz2.compress, ".bz2"), "zstd": (zstd, ".zst")}
packings = pytest.mark.parametrize("kind", PACKINGS)


@packings
@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.svm", SVM), ("a.data", SVM)])
def test_compressed_text(save: Save, name: str, content: str, kind: str) -> None:
    pack, suffix = PACKINGS[kind]
    packed = pack(content.encode())
    plain = sources.open(save(name, content)).read()
    for path in (save(name + suffix, packed), save("un" + name, packed)):
        assert same_rows(sources.open(path).read(), plain)
    for damaged in (packed[:-3], packed[:12], b"neither", b""):
        with pytest.raises(DataError, match=f"damaged {kind} data"):
            sources.open(save(name + suffix, damaged)).read()


@pytest.mark.parametrize("kind", ["gzip", "bzip2"])
def test_a_wrong_checksum_is_noticed(save: Save, kind: str) -> None:
    pack, suffix = PACKINGS[kind]
    packed = bytearray(pack(SVM.encode() * 100))
    packed[-6] ^= 0xFF
    with pytest.raises(DataError, match=f"damaged {kind} data"):
        sources.open(save("a.svm" + suffix, bytes(packed))).read()


@pytest.mark.parametrize("kind", ["gzip", "bzip2"])
def test_what_follows_compressed_data_is_called_that(save: Save, kind: str) -> None:
    pack, suffix = PACKINGS[kind]
    for more in (b"garbage", b"x", b"\0x" if kind == "gzip" else b"\0"):
        path = save("a.svm" + suffix, pack(SVM.encode()) + more)
        with pytest.raises(DataError, match=f"damaged {kind} data: other bytes come after them"):
            sources.open(path).read()
    with pytest.raises(DataError, match="end too soon"):
        sources.open(save("a.svm" + suffix, (2 * pack(SVM.encode()))[:-1])).read()


@packings
def test_several_members_of_one_file(
    save: Save, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """As `cat a.gz b.gz` makes them; and unpacked by pieces smaller than a line."""
    pack, suffix = PACKINGS[kind]
    lines = [f"{1 - 2 * (k % 2)} {k + 1}:{k / 7}\n" for k in range(500)]
    members = [pack("".join(lines[k : k + 100]).encode()) for k in range(0, 500, 100)]
    plain = sources.open(save("a.svm", "".join(lines))).read()
    zeros = bytes(512) if kind == "gzip" else b""  # as on a tape
    path = save("a.svm" + suffix, b"".join(members) + zeros)
    assert same_rows(sources.open(path).read(), plain)
    monkeypatch.setattr(compression, "PIECE", 7)
    monkeypatch.setattr(compression, "_PACKED", 5)
    assert same_rows(sources.open(path).read(), plain)


def test_compression_is_for_text(save: Save) -> None:
    with pytest.raises(DataError, match="npy inside gzip, expected that around a text format"):
        sources.open(save("a.npy.gz", gzip.compress(b"")))


def small_pieces(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    monkeypatch.setattr(compression, "PIECE", size)
    monkeypatch.setattr(compression, "_PACKED", size)


def test_a_line_without_end(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch, 16)
    monkeypatch.setattr(inputs, "LONGEST_LINE", 100)
    assert sources.open(save("a.svm", f"1 1:{'0' * 95}\n")).read().X.shape == (1, 1)
    for name in ("b.svm", "b.csv", "b.svm.gz"):
        content = f"1 1:{'0' * 400}\n1 1:1\n".encode()
        path = save(name, gzip.compress(content) if name.endswith(".gz") else content)
        with pytest.raises(DataError, match=r"line .*is longer than 100 bytes"):
            sources.open(path).read()


@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", CSV * 1 + "5,6,1\n" * 30), ("a.svm", SVM * 9)]
)
def test_blocks_of_any_size_hold_the_same_rows(
    save: Save, monkeypatch: pytest.MonkeyPatch, name: str, content: str, size: int
) -> None:
    path, packed = save(name, content), save(name + ".gz", gzip.compress(content.encode()))
    expected = sources.open(path).read()
    small_pieces(monkeypatch, size)
    assert same_rows(sources.open(path).read(), expected)
    assert same_rows(sources.open(packed).read(), expected)
    standard_input(monkeypatch, content)
    assert same_rows(sources.open("-").read(), expected)


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV + "5,6,1\n" * 30), ("a.svm", SVM * 9)])
def test_reading_goes_on_from_any_place(
    save: Save, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    small_pieces(monkeypatch, 24)
    for path in (save(name, content), save(name + ".gz", gzip.compress(content.encode()))):
        source = sources.open([path, path])
        chunks, memories = [], []
        for chunk in source.chunks():
            chunks.append(chunk)
            memories.append(json.loads(json.dumps(source.state_dict())))
        assert len(chunks) > 5
        for k in range(len(chunks) - 1):
            other = sources.open([path, path])
            other.load_state_dict(memories[k])
            rest = list(other.chunks(start=chunks[k].end))
            assert len(rest) == len(chunks) - k - 1
            assert all(same_rows(a, b) for a, b in zip(rest, chunks[k + 1 :], strict=True))
            assert other.files == source.files


def test_several_files_and_patterns_are_one_stream(save: Save, tmp_path: Path) -> None:
    parts = [save(f"part-{k}.svm", f"1 1:{k}\n# no row\n-1 2:{k}\n") for k in range(3)]
    for given in (parts, str(tmp_path / "part-*.svm"), [parts[0], str(tmp_path / "part-[12].svm")]):
        source = sources.open(given)
        chunk = source.read()
        assert chunk.X.data.tolist() == [0, 0, 1, 1, 2, 2]
        assert chunk.lines.tolist() == [1, 3] * 3
        assert list(source.files) == list(zip(parts, (0, 2, 4), strict=True))
    save("part-1.svm", "1 1:1\n-1 x:2\n")
    with pytest.raises(DataError, match=r"part-1.svm:2:4: found the index 'x'"):
        sources.open(parts).read()
    with pytest.raises(DataError, match="no file matches this pattern"):
        sources.open(str(tmp_path / "*.none"))
    with pytest.raises(DataError, match=r"it is csv, but .*part-0\.svm is svmlight"):
        sources.open([parts[0], save("a.csv", CSV)])
    with pytest.raises(DataError, match="standard input can only be read by itself"):
        sources.open([parts[0], "-"])
    with pytest.raises(DataError, match="this can only be read by itself"):
        sources.open([parts[0], "example:xor"])


def test_a_name_with_brackets_is_a_name_if_there_is_such_a_file(save: Save) -> None:
    assert sources.open(save("a[1].svm", SVM)).read().X.shape == (2, 3)


def test_arrays_in_several_files(tmp_path: Path) -> None:
    rows = np.arange(24.0).reshape(8, 3)
    for k in range(2):
        np.save(tmp_path / f"{k}.npy", rows[4 * k : 4 * k + 4])
    chunk = sources.open(str(tmp_path / "*.npy")).read()
    assert np.array_equal(chunk.X, rows[:, :2])
    np.save(tmp_path / "2.npy", np.ones((2, 4)))
    with pytest.raises(DataError, match=r"2.npy: the number of feature columns is 3, expected 2"):
        sources.open(str(tmp_path / "*.npy")).read()


@pytest.mark.parametrize("change", ["grown", "rewritten"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_file_that_changes_while_it_is_read(
    save: Save, monkeypatch: pytest.MonkeyPatch, change: str, suffix: str
) -> None:
    small_pieces(monkeypatch, 64)
    content = (SVM * 500).encode()
    path = Path(save("a.svm" + suffix, gzip.compress(content) if suffix else content))
    chunks = sources.open(path).chunks()
    next(chunks)
    before = path.stat()
    if change == "grown":
        with path.open("ab") as file:
            file.write(b"1 1:1\n")
    else:
        path.write_bytes(path.read_bytes())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(DataError, match=r"changed while it was being read|damaged gzip"):
        list(chunks)


def test_bad_rows_can_be_left_out_and_are_listed(save: Save, tmp_path: Path) -> None:
    first = save("a.svm", "1 1:1\n1 1:x\n-1 2:1\n")
    second = save("b.svm", "1 2:3\n\n1 2\n1 3:1 3:2\n-1 1:4\n")
    side = tmp_path / "left.jsonl"
    source = sources.open([first, second], bad_rows="skip", skipped_to=side)
    for _ in range(2):  # the second pass lists them anew
        chunk = source.read()
        assert chunk.X.data.tolist() == [1, 1, 3, 4]
        assert source.skipped == 3
        listed = [json.loads(line) for line in side.read_text().splitlines()]
        assert [(each["file"], each["line"]) for each in listed] == [
            (first, 2),
            (second, 3),
            (second, 4),
        ]
        assert listed[0]["text"] == "1 1:x"
        assert "found 'x', expected a number" in listed[0]["problem"]
        assert listed[0]["column"] == 5
    good = sources.open(save("c.svm", SVM), bad_rows="skip", skipped_to=side)
    good.read()
    assert (good.skipped, side.exists()) == (0, False)
    for taken in (first, tmp_path, save("other.txt", "precious\n")):
        before = Path(taken).read_text() if Path(taken).is_file() else None
        with pytest.raises(DataError, match=r"that is the data|lists no skipped rows"):
            sources.open(first, bad_rows="skip", skipped_to=taken).read()
        assert before is None or Path(taken).read_text() == before
    with pytest.raises(DataError, match="expected refuse or skip"):
        sources.open(first, bad_rows="mend")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (SVM, "svmlight"),
        ("# c\n\n1\n-1 5:1\n", "svmlight"),
        ("1:1 2:3\n", "svmlight"),
        ("cat 7:0.5\n", "svmlight"),
        (CSV, "csv"),
        ("1\t2\n", "tsv"),
        ("1 2 3\n", "csv"),
        ("12:30,1\n", "csv"),
        ("7:30 8:15,1\n", "csv"),
        ("", "csv"),
    ],
)
def test_the_format_is_found_from_the_first_lines(save: Save, content: str, kind: str) -> None:
    given = inputs.Input(save("data", content))
    assert sources.formats.choose_format(given, None) == kind


def test_the_format_is_found_from_binary_marks(save: Save, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))
    np.savez(tmp_path / "b.npz", X=np.eye(3), y=[0, 1, 1])
    one = sources.open(save("one", (tmp_path / "a.npy").read_bytes()))
    assert (one.format, one.read().X.shape) == ("npy", (3, 2))
    two = sources.open(save("two", (tmp_path / "b.npz").read_bytes()))
    assert (two.format, two.read().X.shape) == ("npz", (3, 3))


def test_a_told_format_wins(save: Save) -> None:
    assert sources.open(save("a.csv", SVM), format="svmlight").read().X.shape == (2, 3)
    assert sources.open(save("b.csv", SVM), format="libsvm").format == "svmlight"


@pytest.mark.parametrize("content", [SVM, CSV, "1\t2\n3\t4\n"])
def test_standard_input_is_guessed_like_a_file(
    save: Save, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    expected = sources.open(save("data", content)).read()
    standard_input(monkeypatch, content)
    source = sources.open("-")
    assert source.name == "standard input"
    assert not source.replayable
    assert same_rows(source.read(), expected)
    with pytest.raises(DataError, match="standard input: it is a pipe and can be read only once"):
        source.read()


def test_standard_input_can_be_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    np.save(file, np.arange(6.0).reshape(2, 3))
    standard_input(monkeypatch, file.getvalue())
    assert sources.open("-").read().X.tolist() == [[0, 1], [3, 4]]


def test_an_array_through_a_pipe_is_not_believed_to_be_larger_than_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = io.BytesIO()
    np.save(file, np.arange(6.0).reshape(2, 3))
    standard_input(monkeypatch, file.getvalue().replace(b"(2, 3), }     ", b"(2, 30000), } "))
    with pytest.raises(DataError, match="it ends too soon, after 176 of 480128 bytes"):
        sources.open("-")


def test_complaints_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, "1 1:2\n1 1:x\n")
    with pytest.raises(DataError, match=r"^standard input:2:5: .*found 'x'"):
        sources.open("-").read()
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="standard input: there is none"):
        sources.open("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_read_once_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(SVM,))
    writer.start()
    source = sources.open(path)
    assert dense(source.read()).tolist() == [[0.5, 0, 2], [0, 1, 0]]
    writer.join()
    assert not source.replayable


def test_a_file_can_be_gone_through_again_and_again(save: Save) -> None:
    for name, content in (("a.csv", CSV), ("a.svm", SVM)):
        source = sources.open(save(name, content))
        assert source.replayable
        assert same_rows(source.read(), source.read())
        assert [len(c.lines) for c in source.chunks(1)] == [len(c.lines) for c in source.chunks(1)]


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("a.csv", {"format": "zip"}, "unknown format 'zip', expected one of: csv, tsv"),
        ("a.csv", {"zero_based": True}, "zero_based=True is for svmlight, but this is read as csv"),
        (
            "a.svm",
            {"target": "y"},
            "target='y' is for csv, tsv, parquet, arrow, npy, but this is read as svmlight",
        ),
        ("a.svm", {"header": False}, "header=False is for csv, tsv"),
        ("a.tsv", {"delimiter": ","}, "delimiter=',' is for csv"),
        ("a.csv", {"delimiter": ",,"}, "found the delimiter ',,', expected one character"),
        ("a.csv", {"delimiter": ""}, "found the delimiter ''"),
        ("a.csv", {"delimiter": "e"}, "found the delimiter 'e'"),
        ("a.csv", {"delimiter": "-"}, "found the delimiter '-'"),
        ("a.csv", {"delimiter": '"'}, "found the delimiter '\"'"),
        ("a.csv", {"features": 0}, "found features=0, expected a whole number from 1"),
        ("a.svm", {"features": 2**31}, "found features=2147483648"),
        ("a.csv", {"target": "y", "labelled": False}, "target='y' and labelled=False contradict"),
    ],
)
def test_options_that_make_no_sense(
    save: Save, name: str, options: dict[str, object], reason: str
) -> None:
    path = save(name, SVM if name == "a.svm" else CSV)
    with pytest.raises(DataError) as caught:
        sources.open(path, **options)
    assert reason in str(caught.value)


ENDLESS = ["csv", "tsv", "svmlight", "vw", "parquet", "arrow", "npy", "npz", None]


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("endless", ["/dev/zero", "pipe", "file", "file with a start"])
def test_what_never_ends_is_refused_with_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str | None, endless: str
) -> None:
    """Of text, no more than the longest line is read, here 1 MB; of the others, a few bytes."""
    monkeypatch.setattr("novikoff.data.files.inputs.LONGEST_LINE", 2**20)
    path = tmp_path / "endless"
    if endless == "pipe":
        os.mkfifo(path)
        threading.Thread(target=write_forever, args=[path], daemon=True).start()
    elif endless != "/dev/zero":
        with path.open("wb") as file:
            file.write(b"" if endless == "file" else STARTS.get(kind or "", b"1,2\n3,4\n"))
            file.truncate(2**38)
    else:
        path = Path(endless)
    if endless == "file with a start" and kind in ("csv", "tsv", "svmlight", "vw", None):
        sources.open(save_start(tmp_path, kind), format=kind).read()  # which compiles its reader
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=str(path)):
            sources.open(path, format=kind).read()
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["csv", "svmlight", "vw"])
@pytest.mark.parametrize("packed", [True, False])
def test_the_longest_line_is_refused_within_200_mb(tmp_path: Path, kind: str, packed: bool) -> None:
    path, number = tmp_path / "endless", b"1" * 2**20
    with gzip.open(path, "wb", 1) if packed else path.open("wb") as file:
        for _ in range(inputs.LONGEST_LINE // len(number) + 10):
            file.write(number)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"line .*is longer than"):
            sources.open(path, format=kind).read()
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()


STARTS = {
    "svmlight": b"1 1:2\n-1 2:3\n",
    "vw": b"1 |a x:1\n-1 |a x:2\n",
    "tsv": b"1\t2\n3\t4\n",
    "npy": b"\x93NUMPY\x01\x00\x76\x00",
    "npz": b"PK\x03\x04",
    "parquet": b"PAR1",
    "arrow": b"ARROW1\0\0",
}


def save_start(folder: Path, kind: str | None) -> Path:
    path = folder / "start"
    path.write_bytes(STARTS.get(kind or "", b"1,2\n3,4\n"))
    return path


def write_forever(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("wb") as file:
        while True:
            file.write(b"\x80\0endless" * 1000)
