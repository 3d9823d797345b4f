"""The bytes of a file, a pipe or standard input, and the lines of text in them."""

import hashlib
import io
import itertools
import select
import sys
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from novikoff.data.errors import LineError, data_error, file_error
from novikoff.data.files import blocks
from novikoff.data.files.compression import (
    MAGIC_BYTES,
    DamagedError,
    DecompressedFile,
    compression_by_suffix,
    compression_of,
    decompress,
)
from novikoff.data.files.io_errors import explain_io_errors
from novikoff.data.files.storage import (
    LITTLE,
    FileState,
    Ranges,
    file_at,
    file_name,
    is_remote,
    is_stream,
)
from novikoff.data.files.stream_prefix import StreamPrefix
from novikoff.data.files.utf8 import decode_line
from novikoff.errors import DataError

STANDARD_INPUT = "-"
#: A row of ten million numbers still fits; a disk image without a newline does not.
LONGEST_LINE = 2**27

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_FIRST = 2**10  # bytes that a format is known by
_PIECE = 2**20  # bytes of a line that are read at a time while its end is looked for
_ENDS = 2**16  # bytes at either end of a file that its checksum is of


class Input:
    """A file, which is opened anew for each pass, or a pipe, which has only one.

    `compression` is gzip, bzip2, zstd or None; what is read is decompressed. What `peek` reads from
    a pipe is kept and comes first in the pass that follows, so that a format or a header can be
    guessed there too. A file that is not the same at the end of a pass, or in a later one, is
    refused. `ends_inside_quotes` says that the part of a file that was read last ends inside of a
    field in quotes.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._place = file_at(path)
        self._kept: list[bytes] = []
        self._spent = self.ends_inside_quotes = False
        self.prefix = StreamPrefix(self.name)
        with explain_io_errors(self.name):
            self._stream = _pipe(path)
            if self._stream is None:
                with self._place.ranges(LITTLE) as file:
                    self._known: FileState = file.state()
                    self.compression = compression_of(file.read(MAGIC_BYTES, 0))
                    suffix = compression_by_suffix(file_name(path))
                    if suffix is not None and self.compression is None:
                        raise DamagedError(f"damaged {suffix} data: they do not begin as such do")
            else:
                if path != STANDARD_INPUT:  # also where it is refused before its end
                    weakref.finalize(self, self._stream.close)
                self.compression = compression_of(self._stream.peek(MAGIC_BYTES)[:MAGIC_BYTES])
                if self.compression is not None:
                    pipe = cast(BinaryIO, self._stream)
                    self._stream = _decompressed_reader(pipe, self.compression, close=False)

    @property
    def replayable(self) -> bool:
        """Whether a second pass is possible."""
        return self._stream is None

    @property
    def size(self) -> int | None:
        """The size of the file as it is stored, in bytes; None for a pipe."""
        return None if self._stream is not None else self._known[0]

    def identity(self) -> dict[str, Any]:
        """Size, time of change and checksum: what tells the file from another, as JSON."""
        size, modified = self._known
        with explain_io_errors(self.name):
            if is_remote(self.path) and modified:  # which is better than its ends, and not fetched
                self._refuse_replaced()
                return {"size": size, "modified": modified}
            with self._place.ranges(LITTLE) as file:
                ends = hashlib.sha256(file.read(_ENDS, 0))
                ends.update(file.read(_ENDS, max(0, size - _ENDS)))
                self._refuse_changed(file)
        return {"size": size, "modified": modified, "ends": ends.hexdigest()}

    def first_bytes(self) -> bytes:
        """The first bytes: enough to know binary formats by."""
        with explain_io_errors(self.name), self._file() as file:
            if self.replayable:
                return file.read(_FIRST)
            if not self._kept and (first := file.readline(_FIRST)):
                self._kept.append(first)
            return self._kept[0] if self._kept else b""

    def first_lines_size(self, lines: int) -> int:
        """The number of bytes in the first lines."""
        return sum(map(len, itertools.islice(self._lines(), lines)))

    def peek(self) -> Iterator[str]:
        """Lines from the start, which a later pass gives again."""
        first = self.first_bytes().partition(b"\n")[0]
        if b"\0" in first:
            self._decode(first, 1)  # raises, where the line may be endless
        return (self._decode(raw, line) for line, raw in enumerate(self._lines(), 1))

    def seekable(self, *magic: bytes) -> BinaryIO:
        """Open the file to read it out of order. A pipe is read whole, if it begins like this.

        Raises a ValueError if it does not: who knows whether it ever ends.
        """
        if self.replayable:
            return self._open()
        if magic and not self.first_bytes().startswith(magic):
            raise ValueError("it does not begin as one does")
        self._mark_consumed()
        assert self._stream is not None
        with explain_io_errors(self.name):
            whole = io.BytesIO(b"".join((*self._kept, self._stream.read())))
        self._close()
        return whole

    @contextmanager
    def ranges(self) -> Iterator[Ranges]:
        """Open the file as it is stored, to look at a few places of it."""
        with explain_io_errors(self.name), self._place.ranges(LITTLE) as file:
            self._refuse_changed(file)
            yield file
            self._refuse_changed(file)

    def blocks(
        self, number: int = 0, offset: int = 0, *, quoted: str = "", stop: int | None = None
    ) -> Iterator[blocks.Block]:
        """Go through whole lines once, many at a time, from an offset where a line begins.

        number: of this file among several. quoted: the delimiter of fields that may be in double
        quotes; line ends inside of those end no line. stop: the offset of a line, in a file that is
        not compressed, before which the pass ends.
        """
        self.ends_inside_quotes = False
        with explain_io_errors(self.name):
            if self._stream is None and self.compression is None:
                found = self._from_file(offset, quoted, stop)
            else:
                found = self._from_stream(offset, quoted)
            for begin, text in found:
                if begin == 0:
                    text, begin = self._checked_start(text)
                yield blocks.Block(self.name, number, begin, np.frombuffer(text, np.uint8))

    def ready(self) -> bool:
        """Whether something can be read without waiting for the writer of a pipe, or may be."""
        if self._stream is None or self.compression is not None:
            return True
        try:
            return bool(select.select([self._stream], [], [], 0)[0])
        except (OSError, ValueError):  # not from the system: it is in memory
            return True

    def _from_file(
        self, offset: int, quoted: str, stop: int | None
    ) -> Iterator[tuple[int, memoryview]]:
        """Blocks, each in one read; the rest of a line at its end is read again."""
        with self._place.ranges() as file:
            self._refuse_changed(file)
            size, end = blocks.BLOCK_BYTES, self._known[0] if stop is None else stop
            while buffer := file.read(size if stop is None else min(size, stop - offset), offset):
                last = offset + len(buffer) >= end
                if len(buffer) < size and not last:
                    self._refuse_changed(file)
                if last and stop is not None:
                    self.ends_inside_quotes = blocks.last_record_end(buffer, quoted) < len(buffer)
                cut = len(buffer) if last else blocks.last_record_end(buffer, quoted)
                if cut == 0:
                    self._refuse_endless(size, offset)
                    size, buffer = 2 * size, b""  # no longer held while more is read
                    continue
                yield offset, memoryview(buffer)[:cut]
                offset, size = offset + cut, blocks.BLOCK_BYTES
            self._refuse_changed(file)

    def _from_stream(self, offset: int, quoted: str) -> Iterator[tuple[int, memoryview]]:
        """Blocks joined from pieces: of a pipe as soon as there is a line end."""
        prompt = self._stream is not None and self.compression is None
        enough = 0 if prompt else blocks.BLOCK_BYTES
        begin, held, needed = offset, bytearray(), enough
        for piece in self._from_place(offset):
            held += piece
            cut = 0
            if b"\n" in piece and len(held) >= needed:
                cut = blocks.last_record_end(held, quoted)
                needed = enough if cut else 2 * len(held)
            if not cut:
                self._refuse_endless(len(held), begin)
                continue
            yield begin, memoryview(held).toreadonly()[:cut]
            begin, held = begin + cut, held[cut:]
        if held:
            yield begin, memoryview(held).toreadonly()

    def _from_place(self, offset: int) -> Iterator[bytes]:
        """The pieces after the first `offset` bytes, which an earlier pass read."""
        for piece in self._pieces():
            self.prefix.extend(piece)
            if offset < len(piece):
                yield piece[offset:] if offset else piece
            offset = max(0, offset - len(piece))

    def _pieces(self) -> Iterator[bytes]:
        if self._stream is None:
            assert self.compression is not None  # other files are read where they lie
            with self._place.open() as file:
                self._refuse_replaced()
                yield from decompress(file, self.compression)
            self._refuse_replaced()
            return
        self._mark_consumed()
        if self._kept:
            yield b"".join(self._kept)
        yield from iter(partial(self._stream.read1, blocks.BLOCK_BYTES), b"")
        self._close()

    def _refuse_endless(self, size: int, offset: int) -> None:
        if size >= LONGEST_LINE:
            raise file_error(
                self.name,
                f"the line at byte {offset} is longer than {LONGEST_LINE} bytes, "
                "expected rows of text: is this a binary file, or is a quote never closed?",
            )

    def _checked_start(self, text: memoryview) -> tuple[memoryview, int]:
        first = bytes(text[: len(_BOM)])
        self._refuse_other_encodings(first)
        return (text[len(_BOM) :], len(_BOM)) if first == _BOM else (text, 0)

    def _mark_consumed(self) -> None:
        if self._spent:
            raise file_error(
                self.name, "it is a pipe and can be read only once: save it to a file first"
            )
        self._spent = not self.replayable

    def _close(self) -> None:
        if self._stream is not None and self.path != STANDARD_INPUT:
            self._stream.close()

    def _lines(self) -> Iterator[bytes]:
        """Lines from the start; those of a pipe are kept."""
        with explain_io_errors(self.name), self._file() as file:
            if self._kept and not self._kept[-1].endswith(b"\n"):  # only its first bytes
                self._kept[-1] = self._line(file, len(self._kept), self._kept[-1])
            yield from self._kept
            for number in itertools.count(len(self._kept) + 1):
                raw = self._line(file, number)
                if not raw:
                    break
                if not self.replayable:
                    self._kept.append(raw)
                yield raw
            if self.replayable:
                self._refuse_replaced()

    def _line(self, file: BinaryIO, number: int, begin: bytes = b"") -> bytes:
        """The rest of a line, after its beginning; put together only if it is not too long."""
        pieces, size = [begin], len(begin)
        while piece := file.readline(min(_PIECE, LONGEST_LINE + 1 - size)):
            pieces.append(piece)
            size += len(piece)
            if size > LONGEST_LINE:
                raise data_error(
                    self.name,
                    number,
                    f"the line is longer than {LONGEST_LINE} bytes, "
                    "expected a row of text: is this a binary file?",
                )
            if piece.endswith(b"\n"):
                break
        return b"".join(pieces)

    def _file(self) -> AbstractContextManager[BinaryIO]:
        """The file, closed after the pass; a pipe stays open, for the next look at it."""
        return self._open() if self._stream is None else nullcontext(cast(BinaryIO, self._stream))

    def _open(self) -> BinaryIO:
        file = self._place.open()
        return (
            file
            if self.compression is None
            else _decompressed_reader(file, self.compression, close=True)
        )

    def _refuse_changed(self, file: Ranges) -> None:
        """Refuse a file that is not what it was when it was first looked at."""
        if file.state() != self._known:
            raise self._change_error()

    def _refuse_replaced(self) -> None:
        if self._place.state() != self._known:
            raise self._change_error()

    def _change_error(self) -> DataError:
        return file_error(
            self.name,
            "it changed while it was being read: wait until nothing writes to it, or read a copy",
        )

    def _decode(self, raw: bytes, line: int) -> str:
        if line == 1:
            self._refuse_other_encodings(raw)
            raw = raw.removeprefix(_BOM)
        try:
            return decode_line(raw)
        except LineError as problem:
            raise data_error(self.name, line, str(problem), problem.column) from None

    def _refuse_other_encodings(self, raw: bytes) -> None:
        if raw.startswith(_UTF16):
            raise data_error(
                self.name, 1, "the text is UTF-16, expected UTF-8: save the file as UTF-8"
            )


def _pipe(path: str) -> io.BufferedReader | None:
    """Open a path that is no regular file; None if it can be opened again and again."""
    if path == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise file_error("standard input", "there is none: give the path of a file")
        return cast(
            io.BufferedReader, stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        )
    return Path(path).open("rb") if is_stream(path) else None


def _decompressed_reader(file: BinaryIO, kind: str, *, close: bool) -> io.BufferedReader:
    return io.BufferedReader(DecompressedFile(file, kind, close=close), blocks.BLOCK_BYTES)
