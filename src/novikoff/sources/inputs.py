"""Bytes of a file, a pipe or standard input, and the lines of text in them."""

import gzip
import io
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from novikoff.errors import DataError
from novikoff.sources.base import data_error

STANDARD_INPUT = "-"
#: A row of ten million numbers still fits; a disk image without a newline does not.
LONGEST_LINE = 2**28

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


class Input:
    """Where the bytes are. A regular file is opened anew for each pass, a pipe has only one.

    What `peek` reads from a pipe is kept and comes first in the pass that follows, so that a
    format or a header can be guessed there too.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._kept: list[bytes] = []
        self._spent = False
        with _complaints(self.name):
            self._stream = _pipe(path)
            if self._stream is None:
                _open(path).close()

    @property
    def replayable(self) -> bool:
        """Whether a second pass is possible."""
        return self._stream is None

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
        return _open(self.path) if self.replayable else io.BytesIO(b"".join(self._pass()))

    def _pass(self) -> Iterator[bytes]:
        if self._spent:
            raise data_error(
                self.name, None, "it is a pipe and can be read only once: save it to a file first"
            )
        self._spent = not self.replayable
        yield from self._raw(keep=False)
        if self._stream is not None and self.path != STANDARD_INPUT:
            self._stream.close()

    def _raw(self, *, keep: bool) -> Iterator[bytes]:
        """Lines as bytes, at most a little longer than the longest line allowed."""
        yield from self._kept
        with _complaints(self.name), self._file() as file:
            for raw in iter(partial(file.readline, LONGEST_LINE + 1), b""):
                if keep and not self.replayable:
                    self._kept.append(raw)
                yield raw

    def _file(self) -> AbstractContextManager[BinaryIO]:
        """The file, closed after the pass; a pipe stays open, for the next look at it."""
        return _open(self.path) if self._stream is None else nullcontext(self._stream)

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
        if b"\0" in raw:
            raise data_error(
                self.name,
                line,
                "found a NUL byte ('\\x00'), expected text: this "
                "looks like a binary file; say its format if it is .npy or .npz",
            )
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as problem:
            byte = raw[problem.start]
            raise data_error(
                self.name,
                line,
                f"byte {byte:#04x} at column {problem.start + 1} is "
                "not UTF-8, expected UTF-8 text: save the file as UTF-8",
            ) from None
        return text.removesuffix("\n").removesuffix("\r")

    def _refuse_other_encodings(self, raw: bytes) -> None:
        if raw.startswith(_UTF16):
            raise data_error(
                self.name, 1, "the text is UTF-16, expected UTF-8: save the file as UTF-8"
            )
        if raw.startswith(_GZIP):
            raise data_error(
                self.name,
                1,
                "the data is compressed with gzip, expected text: "
                "unpack it, or give the file a name that ends in .gz",
            )


def _pipe(path: str) -> BinaryIO | None:
    """The open stream if the path is no regular file that can be opened again and again."""
    if path == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise data_error("standard input", None, "there is none: give the path of a file")
        return cast(BinaryIO, stream)
    mode = Path(path).stat().st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)):
        return None
    return _open(path)


def _open(path: str) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if is_gzip(path) else Path(path).open("rb")


def is_gzip(path: str) -> bool:
    """Whether the name says that the file is compressed."""
    return path.lower().endswith(".gz")


@contextmanager
def _complaints(name: str) -> Iterator[None]:
    """Turn what the system and gzip say about a file into sentences."""
    try:
        yield
    except DataError:
        raise
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
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise data_error(
            name, None, f"damaged gzip data ({problem}): fetch or compress it again"
        ) from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise data_error(name, None, f"cannot be read ({reason}): check the path") from None
