"""Bytes of a file, a pipe or standard input, and the lines of text in them."""

import hashlib
import io
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from novikoff.errors import DataError
from novikoff.sources import blocks
from novikoff.sources.base import data_error
from novikoff.sources.packing import (
    MAGIC_BYTES,
    DamagedError,
    Unpacked,
    packing_of,
    packing_told,
)

STANDARD_INPUT = "-"
#: A row of ten million numbers still fits; a disk image without a newline does not.
LONGEST_LINE = 2**28

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ENDS = 2**16  # bytes at either end of a file that its identity depends on


class Input:
    """Where the bytes are. A regular file is opened anew for each pass, a pipe has only one.

    `packing` says how they are compressed: gzip, bzip2, zstd or None; what is read is unpacked.
    What `peek` reads from a pipe is kept and comes first in the pass that follows, so that a
    format or a header can be guessed there too. A file that is not the same at the end of a pass,
    or in a later one, is refused.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._kept: list[bytes] = []
        self._spent = False
        with _complaints(self.name):
            self._stream = _pipe(path)
            if self._stream is None:
                with Path(path).open("rb") as file:
                    self._known = _state(file)
                    self.packing = packing_of(file.read(MAGIC_BYTES))
                    told = packing_told(path)
                    if told is not None and self.packing is None:
                        raise DamagedError(f"damaged {told} data: they do not begin as such do")
            else:
                self.packing = packing_of(self._stream.peek(MAGIC_BYTES)[:MAGIC_BYTES])
                if self.packing is not None:
                    self._stream = _buffered(self._stream, self.packing, close=False)

    @property
    def replayable(self) -> bool:
        """Whether a second pass is possible."""
        return self._stream is None

    @property
    def size(self) -> int | None:
        """How many bytes the file has, compressed if it is; None for a pipe."""
        return None if self._stream is not None else self._known[0]

    def identity(self) -> dict[str, Any]:
        """What tells this file from another, or from itself after a change."""
        with _complaints(self.name), Path(self.path).open("rb") as file:
            ends = hashlib.sha256(file.read(_ENDS))
            file.seek(max(0, self._known[0] - _ENDS))
            ends.update(file.read(_ENDS))
            self._refuse_changed(file)
        size, modified = self._known
        return {"size": size, "modified": modified, "ends": ends.hexdigest()}

    def first_bytes(self) -> bytes:
        """The first line, undecoded: enough to know binary formats by."""
        return next(self._raw(keep=True), b"")

    def peek(self) -> Iterator[str]:
        """Lines from the start, as far as the caller cares to look; this spends nothing."""
        return self._decoded(self._raw(keep=True))

    def lines(self) -> Iterator[str]:
        """One pass over all lines, without their line ends."""
        return self._decoded(self._pass())

    def seekable(self) -> BinaryIO:
        """An open file to read out of order, for formats that need to. A pipe is read whole."""
        return self._open() if self.replayable else io.BytesIO(b"".join(self._pass()))

    def blocks(
        self, number: int = 0, offset: int = 0, *, quoted: bool = False
    ) -> Iterator[blocks.Block]:
        """One pass over whole lines, many at a time, from a place where a line begins.

        number: which file this is, among several. quoted: line ends inside of double quotes end no
        line.
        """
        with _complaints(self.name):
            found: Iterator[tuple[int, Any]]
            if self._stream is None and self.packing is None:
                found = self._from_file(offset, quoted)
            else:
                found = self._from_stream(offset, quoted)
            for begin, text in found:
                if begin == 0:
                    text, begin = self._checked_start(text)
                yield blocks.Block(self.name, number, begin, np.frombuffer(text, np.uint8))

    def ready(self) -> bool:
        """Whether a pipe has something to read without waiting; or may have."""
        if self._stream is None or self.packing is not None:
            return True
        try:
            return bool(select.select([self._stream], [], [], 0)[0])
        except (OSError, ValueError):  # not from the system: it is in memory
            return True

    def _from_file(self, offset: int, quoted: bool) -> Iterator[tuple[int, memoryview]]:
        """Blocks without a copy of the rest of a line: that is read again."""
        with Path(self.path).open("rb") as file:
            self._refuse_changed(file)
            size = blocks.BLOCK_BYTES
            while buffer := os.pread(file.fileno(), size, offset):
                last = offset + len(buffer) >= self._known[0]
                cut = len(buffer) if last else _cut(buffer, quoted)
                if cut == 0:
                    size = self._longer(size, offset)
                    continue
                yield offset, memoryview(buffer)[:cut]
                offset, size = offset + cut, blocks.BLOCK_BYTES
            self._refuse_changed(file)

    def _from_stream(self, offset: int, quoted: bool) -> Iterator[tuple[int, bytes]]:
        begin, rest, size = 0, b"", blocks.BLOCK_BYTES
        for piece in self._pieces():
            if begin + len(rest) + len(piece) <= offset:  # that much was read before
                begin += len(rest) + len(piece)
                rest = b""
                continue
            rest += piece
            if begin < offset:
                begin, rest = offset, rest[offset - begin :]
            prompt = self._stream is not None and self.packing is None
            if len(rest) < size and not prompt:
                continue
            cut = _cut(rest, quoted)
            if cut == 0:
                size = self._longer(size, begin) if len(rest) >= size else size
                continue
            yield begin, rest[:cut]
            begin, rest, size = begin + cut, rest[cut:], blocks.BLOCK_BYTES
        if rest:
            yield begin, rest

    def _pieces(self) -> Iterator[bytes]:
        if self._stream is None:
            with self._open() as file:
                self._refuse_changed(file)
                yield from iter(partial(file.read, blocks.BLOCK_BYTES), b"")
                self._refuse_changed(file)
            return
        self._spend()
        if self._kept:
            yield b"".join(self._kept)
        yield from iter(partial(self._stream.read1, blocks.BLOCK_BYTES), b"")
        self._close()

    def _longer(self, size: int, offset: int) -> int:
        if size > LONGEST_LINE:
            raise data_error(
                self.name,
                None,
                f"the line at byte {offset} is longer than {LONGEST_LINE} bytes, "
                "expected rows of text: is this a binary file, or is a quote never closed?",
            )
        return 2 * size

    def _checked_start(self, text: Any) -> tuple[Any, int]:
        first = bytes(text[: len(_BOM)])
        self._refuse_other_encodings(first)
        return (text[len(_BOM) :], len(_BOM)) if first == _BOM else (text, 0)

    def _spend(self) -> None:
        if self._spent:
            raise data_error(
                self.name, None, "it is a pipe and can be read only once: save it to a file first"
            )
        self._spent = not self.replayable

    def _close(self) -> None:
        if self._stream is not None and self.path != STANDARD_INPUT:
            self._stream.close()

    def _pass(self) -> Iterator[bytes]:
        self._spend()
        yield from self._raw(keep=False)
        self._close()

    def _raw(self, *, keep: bool) -> Iterator[bytes]:
        """Lines as bytes, at most a little longer than the longest line allowed."""
        yield from self._kept
        with _complaints(self.name), self._file() as file:
            for raw in iter(partial(file.readline, LONGEST_LINE + 1), b""):
                if keep and not self.replayable:
                    self._kept.append(raw)
                yield raw
            if self.replayable:
                self._refuse_changed(file)

    def _file(self) -> AbstractContextManager[BinaryIO]:
        """The file, closed after the pass; a pipe stays open, for the next look at it."""
        return self._open() if self._stream is None else nullcontext(cast(BinaryIO, self._stream))

    def _open(self) -> BinaryIO:
        file = Path(self.path).open("rb")  # noqa: SIM115  (the caller closes it)
        return file if self.packing is None else _buffered(file, self.packing, close=True)

    def _refuse_changed(self, file: BinaryIO) -> None:
        """The file must be what it was when it was first looked at."""
        state = _state(file) if self.packing is None else _state_at(self.path)
        if state != self._known:
            raise data_error(
                self.name,
                None,
                "it changed while it was being read: wait until nothing writes to it, or read a"
                " copy",
            )

    def _decoded(self, raws: Iterator[bytes]) -> Iterator[str]:
        for number, raw in enumerate(raws, 1):
            yield self._decode(raw, number)

    def _decode(self, raw: bytes, line: int) -> str:
        if len(raw) > LONGEST_LINE:
            raise data_error(
                self.name,
                line,
                f"the line is longer than {LONGEST_LINE} bytes, "
                "expected a row of text: is this a binary file?",
            )
        if line == 1:
            self._refuse_other_encodings(raw)
            raw = raw.removeprefix(_BOM)
        try:
            return as_text(raw)
        except NotTextError as problem:
            raise data_error(self.name, line, str(problem), problem.column) from None

    def _refuse_other_encodings(self, raw: bytes) -> None:
        if raw.startswith(_UTF16):
            raise data_error(
                self.name, 1, "the text is UTF-16, expected UTF-8: save the file as UTF-8"
            )


class NotTextError(ValueError):
    """A line that is no text, and the column where it shows."""

    def __init__(self, column: int, problem: str) -> None:
        super().__init__(problem)
        self.column = column


def as_text(raw: bytes) -> str:
    """A line of UTF-8, without its line end."""
    if b"\0" in raw:
        raise NotTextError(
            _characters(raw[: raw.index(b"\0")]) + 1,
            "found a NUL byte ('\\x00'), expected text: this "
            "looks like a binary file; say its format if it is .npy or .npz",
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise NotTextError(
            _characters(raw[: problem.start]) + 1,
            f"byte {raw[problem.start]:#04x} is not UTF-8, expected UTF-8 text: save the file as"
            " UTF-8",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def _characters(raw: bytes) -> int:
    return len(raw.decode("utf-8", "replace"))


def _cut(buffer: bytes, quoted: bool) -> int:
    """Where the last whole line ends; 0 if there is none."""
    cut = buffer.rfind(b"\n") + 1
    if not quoted or b'"' not in buffer:
        return cut
    inside = buffer.count(b'"', 0, cut) % 2
    while inside and cut:
        before = buffer.rfind(b"\n", 0, buffer.rfind(b'"', 0, cut)) + 1  # not line by line
        inside = (inside + buffer.count(b'"', before, cut)) % 2
        cut = before
    return cut


def _pipe(path: str) -> io.BufferedReader | None:
    """The open stream if the path is no regular file that can be opened again and again."""
    if path == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise data_error("standard input", None, "there is none: give the path of a file")
        return cast(
            io.BufferedReader, stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        )
    mode = Path(path).stat().st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)):
        return None
    return Path(path).open("rb")


def _buffered(file: Any, kind: str, *, close: bool) -> io.BufferedReader:
    return io.BufferedReader(Unpacked(file, kind, close=close), blocks.BLOCK_BYTES)


def _state(file: BinaryIO) -> tuple[int, int]:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


def _state_at(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns


@contextmanager
def _complaints(name: str) -> Iterator[None]:
    """Turn what the system and gzip say about a file into sentences."""
    try:
        yield
    except DataError:
        raise
    except DamagedError as problem:
        raise data_error(name, None, f"{problem}: fetch or compress it again") from None
    except FileNotFoundError:
        raise data_error(
            name, None, "no such file: check the path, or use example:NAME for built-in data"
        ) from None
    except IsADirectoryError:
        raise data_error(
            name, None, "it is a directory, expected a file: name one file in it"
        ) from None
    except PermissionError:
        raise data_error(
            name, None, "no permission to read it: change its permissions or copy it"
        ) from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise data_error(name, None, f"cannot be read ({reason}): check the path") from None
