"""Bytes of a file, a pipe or standard input, and the lines of text in them."""

import hashlib
import io
import itertools
import select
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from novikoff.errors import DataError
from novikoff.sources import blocks
from novikoff.sources.addresses import (
    LITTLE,
    Ranges,
    State,
    file_name,
    is_remote,
    is_stream,
    place_of,
)
from novikoff.sources.base import Source, data_error
from novikoff.sources.lines import NotTextError, as_text
from novikoff.sources.packing import (
    MAGIC_BYTES,
    DamagedError,
    Unpacked,
    packing_of,
    packing_told,
    unpacked,
)

STANDARD_INPUT = "-"
#: A row of ten million numbers still fits; a disk image without a newline does not.
LONGEST_LINE = 2**28

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ENDS = 2**16  # bytes at either end of a file that its identity depends on


class Input:
    """Where the bytes are. A file is opened anew for each pass, a pipe has only one.

    `packing` says how they are compressed: gzip, bzip2, zstd or None; what is read is unpacked.
    What `peek` reads from a pipe is kept and comes first in the pass that follows, so that a
    format or a header can be guessed there too. A file that is not the same at the end of a pass,
    or in a later one, is refused. `torn` says that the last part of a file that was read ends
    inside of a field in quotes.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._place = place_of(path)
        self._kept: list[bytes] = []
        self._spent = self.torn = False
        self._begins, self._expected = b"", cast(tuple[int, str] | None, None)
        with complaints(self.name):
            self._stream = _pipe(path)
            if self._stream is None:
                with self._place.ranges(LITTLE) as file:
                    self._known: State = file.state()
                    self.packing = packing_of(file.read(MAGIC_BYTES, 0))
                    told = packing_told(file_name(path))
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
        size, modified = self._known
        with complaints(self.name):
            if is_remote(self.path) and modified:  # which is better than its ends, and not fetched
                self._refuse_replaced()
                return {"size": size, "modified": modified}
            with self._place.ranges(LITTLE) as file:
                ends = hashlib.sha256(file.read(_ENDS, 0))
                ends.update(file.read(_ENDS, max(0, size - _ENDS)))
                self._refuse_changed(file)
        return {"size": size, "modified": modified, "ends": ends.hexdigest()}

    def first_bytes(self) -> bytes:
        """The first line, undecoded: enough to know binary formats by."""
        return next(self._raw(keep=True), b"")

    def head(self, lines: int) -> int:
        """How many bytes the first so many lines have."""
        return sum(map(len, itertools.islice(self._raw(keep=True), lines)))

    def peek(self) -> Iterator[str]:
        """Lines from the start, as far as the caller cares to look; this spends nothing."""
        return self._decoded(self._raw(keep=True))

    def lines(self) -> Iterator[str]:
        """One pass over all lines, without their line ends."""
        return self._decoded(self._pass())

    def seekable(self) -> BinaryIO:
        """An open file to read out of order, for formats that need to. A pipe is read whole."""
        return self._open() if self.replayable else io.BytesIO(b"".join(self._pass()))

    @contextmanager
    def ranges(self) -> Iterator[Ranges]:
        """The file as it is, compressed if it is, to look at a few places of it."""
        with complaints(self.name), self._place.ranges(LITTLE) as file:
            self._refuse_changed(file)
            yield file
            self._refuse_changed(file)

    def blocks(
        self, number: int = 0, offset: int = 0, *, quoted: str = "", stop: int | None = None
    ) -> Iterator[blocks.Block]:
        """One pass over whole lines, many at a time, from a place where a line begins.

        number: which file this is, among several. quoted: the delimiter of fields that may be in
        double quotes; line ends inside of those end no line. stop: where a line begins before which
        the pass is to end, in a file that is not compressed.
        """
        self.torn = False
        with complaints(self.name):
            found: Iterator[tuple[int, Any]]
            if self._stream is None and self.packing is None:
                found = self._from_file(offset, quoted, stop)
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

    def _from_file(
        self, offset: int, quoted: str, stop: int | None
    ) -> Iterator[tuple[int, memoryview]]:
        """Blocks without a copy of the rest of a line: that is read again."""
        with self._place.ranges() as file:
            self._refuse_changed(file)
            size, end = blocks.BLOCK_BYTES, self._known[0] if stop is None else stop
            while buffer := file.read(size if stop is None else min(size, stop - offset), offset):
                last = offset + len(buffer) >= end
                if len(buffer) < size and not last:
                    self._refuse_changed(file)
                if last and stop is not None:
                    self.torn = _cut(buffer, quoted) < len(buffer)
                cut = len(buffer) if last else _cut(buffer, quoted)
                if cut == 0:
                    self._refuse_endless(size, offset)
                    size *= 2
                    continue
                yield offset, memoryview(buffer)[:cut]
                offset, size = offset + cut, blocks.BLOCK_BYTES
            self._refuse_changed(file)

    def _from_stream(self, offset: int, quoted: str) -> Iterator[tuple[int, memoryview]]:
        """Blocks put together from pieces: a pipe's as soon as they have a line end."""
        prompt = self._stream is not None and self.packing is None
        enough = 0 if prompt else blocks.BLOCK_BYTES
        begin, held, total, needed = offset, list[bytes](), 0, enough
        for piece in self._from_place(offset):
            held.append(piece)
            total += len(piece)
            if b"\n" not in piece or total < needed:
                self._refuse_endless(total, begin)
                continue
            text = b"".join(held)
            cut = _cut(text, quoted)
            if cut:
                yield begin, memoryview(text)[:cut]
            held, total = [text[cut:]], len(text) - cut
            begin, needed = begin + cut, enough if cut else 2 * total
        if total:
            yield begin, memoryview(b"".join(held))

    def _from_place(self, offset: int) -> Iterator[bytes]:
        """The pieces after so many bytes, which were read before."""
        for piece in self._pieces():
            self._note(piece)
            if offset < len(piece):
                yield piece[offset:] if offset else piece
            offset = max(0, offset - len(piece))

    def beginning(self) -> tuple[int, str]:
        """What tells a stream from another: how many of its first bytes were read, and a digest."""
        return len(self._begins), hashlib.sha256(self._begins).hexdigest()

    def expect(self, size: int, digest: str) -> None:
        """The stream must begin as another one did."""
        self._expected = size, digest

    def _note(self, piece: bytes) -> None:
        if len(self._begins) < _ENDS:
            self._begins += piece[: _ENDS - len(self._begins)]
        if self._expected is not None and len(self._begins) >= self._expected[0]:
            size, digest = self._expected
            if hashlib.sha256(self._begins[:size]).hexdigest() != digest:
                raise data_error(
                    self.name, None, "this is not the stream that the checkpoint was made from"
                )
            self._expected = None

    def _pieces(self) -> Iterator[bytes]:
        if self._stream is None:
            assert self.packing is not None  # other files are read where they lie
            with self._place.open() as file:
                self._refuse_replaced()
                yield from unpacked(file, self.packing)
            self._refuse_replaced()
            return
        self._spend()
        if self._kept:
            yield b"".join(self._kept)
        yield from iter(partial(self._stream.read1, blocks.BLOCK_BYTES), b"")
        self._close()

    def _refuse_endless(self, size: int, offset: int) -> None:
        if size >= LONGEST_LINE:
            raise data_error(
                self.name,
                None,
                f"the line at byte {offset} is longer than {LONGEST_LINE} bytes, "
                "expected rows of text: is this a binary file, or is a quote never closed?",
            )

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
        with complaints(self.name), self._file() as file:
            for raw in iter(partial(file.readline, LONGEST_LINE + 1), b""):
                if keep and not self.replayable:
                    self._kept.append(raw)
                yield raw
            if self.replayable:
                self._refuse_replaced()

    def _file(self) -> AbstractContextManager[BinaryIO]:
        """The file, closed after the pass; a pipe stays open, for the next look at it."""
        return self._open() if self._stream is None else nullcontext(cast(BinaryIO, self._stream))

    def _open(self) -> BinaryIO:
        file = self._place.open()
        return file if self.packing is None else _buffered(file, self.packing, close=True)

    def _refuse_changed(self, file: Ranges) -> None:
        """The file must be what it was when it was first looked at."""
        if file.state() != self._known:
            raise self._changed()

    def _refuse_replaced(self) -> None:
        if self._place.state() != self._known:
            raise self._changed()

    def _changed(self) -> DataError:
        return data_error(
            self.name,
            None,
            "it changed while it was being read: wait until nothing writes to it, or read a copy",
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


def _cut(buffer: bytes, quoted: str) -> int:
    """Where the last whole line ends, or the last whole record of fields; 0 if there is none."""
    if not quoted or b'"' not in buffer:
        return buffer.rfind(b"\n") + 1
    from novikoff.sources.quoting_kernel import last_end  # Numba is slow to import

    # Of a delimiter beyond ASCII the last byte: no other character has it after the same bytes.
    return int(last_end(np.frombuffer(buffer, np.uint8), quoted.encode()[-1]))


def _pipe(path: str) -> io.BufferedReader | None:
    """The open stream if the path is no regular file that can be opened again and again."""
    if path == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise data_error("standard input", None, "there is none: give the path of a file")
        return cast(
            io.BufferedReader, stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        )
    return Path(path).open("rb") if is_stream(path) else None


def _buffered(file: Any, kind: str, *, close: bool) -> io.BufferedReader:
    return io.BufferedReader(Unpacked(file, kind, close=close), blocks.BLOCK_BYTES)


@contextmanager
def complaints(name: str) -> Iterator[None]:
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


def identity_of(source: Source) -> dict[str, Any]:
    """What data are known by: their files as they are, and how they are read."""
    files = [Input(path).identity() for path in source.paths if not Path(path).is_dir()]
    asked = {name: value for name, value in source.asked.items() if name != "skipped_to"}
    return {"name": None if files else source.name, "files": files, "asked": asked}
