"""Files that are not there, not text or not whole; pipes; and options that make no sense."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from source_checks import Save, dense, same

import novikoff.sources as sources
from novikoff.errors import DataError
from novikoff.sources import inputs

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
        (gzip.compress(b"1,2\n", mtime=0), ":1: the data is compressed with gzip"),
        (b"1 1:2 # caf\xe9\n", ":1: byte 0xe9 at column 12 is not UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", ":1: found a NUL byte"),
        (bytes(range(128, 256)), ":1: byte 0x80 at column 1 is not UTF-8"),
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
        assert same(sources.open(save("v" + name, variant)).read(), expected)


def test_lines_come_without_their_ends(save: Save) -> None:
    given = inputs.Input(save("a", "one\r\n\r\ntwo\n three \r\rend"))
    assert list(given.lines()) == ["one", "", "two", " three \r\rend"]


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.svm", SVM), ("a.data", SVM)])
def test_gzip(save: Save, name: str, content: str) -> None:
    packed = gzip.compress(content.encode())
    plain = sources.open(save(name, content)).read()
    assert same(sources.open(save(name + ".gz", packed)).read(), plain)
    for damaged in (packed[:-9], packed[:12], packed[:-8] + bytes(8), b"not gzip at all"):
        with pytest.raises(DataError, match="damaged gzip data"):
            sources.open(save(name + ".gz", damaged)).read()


def test_gzip_is_for_text(save: Save) -> None:
    with pytest.raises(DataError, match="npy inside gzip, expected gzip around a text format"):
        sources.open(save("a.npy.gz", gzip.compress(b"")))


def test_a_line_without_end(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "LONGEST_LINE", 100)
    assert sources.open(save("a.svm", f"1 1:{'0' * 95}\n")).read().X.shape == (1, 1)
    for name in ("b.svm", "b.csv", "b.data"):
        with pytest.raises(DataError, match=r":1: the line is longer than 100 bytes"):
            sources.open(save(name, "1 1:" + "0" * 200)).read()


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
    assert same(source.read(), expected)
    with pytest.raises(DataError, match="standard input: it is a pipe and can be read only once"):
        source.read()


def test_standard_input_can_be_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    np.save(file, np.arange(6.0).reshape(2, 3))
    standard_input(monkeypatch, file.getvalue())
    assert sources.open("-").read().X.tolist() == [[0, 1], [3, 4]]


def test_complaints_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, "1 1:2\n1 1:x\n")
    with pytest.raises(DataError, match=r"^standard input:2: in '1:x'"):
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
        assert same(source.read(), source.read())
        assert [len(c.lines) for c in source.chunks(1)] == [len(c.lines) for c in source.chunks(1)]


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("a.csv", {"format": "zip"}, "unknown format 'zip', expected one of: csv, tsv"),
        ("a.csv", {"zero_based": True}, "zero_based=True is for svmlight, but this is read as csv"),
        ("a.svm", {"target": "y"}, "target='y' is for csv, tsv, npy, but this is read as svmlight"),
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
