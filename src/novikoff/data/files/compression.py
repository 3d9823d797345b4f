"""Decompression as bytes are read: gzip, bzip2 and zstd, known by their first bytes.

gzip is decompressed by ISA-L (the package isal): parsing beside it made zlib, which is twice as
slow, a quarter slower than alone. Both gzip and bzip2 are decompressed in large pieces, because the
standard library's own readers of files take 8 KB at a time; every member or stream of a file is
decompressed, and its checksum checked. zstd is read by PyArrow.
"""

import bz2
import io
from collections.abc import Callable, Generator, Iterator
from typing import Any, BinaryIO

from isal import isal_zlib
from isal.igzip_lib import IsalError

from novikoff.errors import DataError

PIECE = 2**20  # unpacked bytes at a time
_PACKED = 2**18  # compressed ones
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_BZIP2_BLOCKS = (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")  # pi, or nothing at all
MAGIC_BYTES = 10

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".zst": "zstd", ".zstd": "zstd"}


class DamagedError(Exception):
    """Compressed bytes that end too soon, or are wrong."""


def compression_of(first: bytes) -> str | None:
    """The compression of bytes that begin like this; None if there is none."""
    for magic, kind in _MAGIC.items():
        if first.startswith(magic):
            if kind == "bzip2" and first[4:10] not in _BZIP2_BLOCKS:
                return None  # text that begins with BZh
            return kind
    return None


def compression_by_suffix(path: str) -> str | None:
    """The compression that a file's name tells; None if it tells none."""
    return next((kind for suffix, kind in SUFFIXES.items() if path.lower().endswith(suffix)), None)


def without_suffix(path: str) -> str:
    """The name without the suffix of a compression."""
    for suffix in SUFFIXES:
        if path.lower().endswith(suffix):
            return path[: -len(suffix)]
    return path


def decompress(file: BinaryIO, kind: str) -> Iterator[bytes]:
    """The contents in pieces; `file` is at the start of the compressed bytes."""
    if kind == "zstd":
        return _zstd(file)
    if kind == "gzip":
        return _members(file, lambda: isal_zlib.decompressobj(31), kind)
    return _members(file, bz2.BZ2Decompressor, kind)


def _members(file: BinaryIO, new: Callable[[], Any], kind: str) -> Iterator[bytes]:
    packed = file.read(_PACKED)
    try:
        while True:
            packed = yield from _member(file, new(), packed, kind)
            while kind == "gzip" and packed and not packed.strip(b"\0"):
                packed = file.read(_PACKED)  # tapes are filled up with zeros
            if not packed:
                return
            if not _begins_as(kind, packed):
                raise DamagedError(
                    f"damaged {kind} data: other bytes come after them, {packed[:8]!r}"
                )
    except (IsalError, OSError, ValueError, EOFError) as problem:  # type: ignore[misc]
        if isinstance(problem, OSError) and problem.errno is not None:
            raise  # the file cannot be read
        raise DamagedError(f"damaged {kind} data: {problem}") from None


def _begins_as(kind: str, packed: bytes) -> bool:
    """Whether another member begins with these bytes, which may be very few."""
    magic = next(magic for magic, known in _MAGIC.items() if known == kind)
    return packed[: len(magic)] == magic[: len(packed)]


def _member(file: BinaryIO, member: Any, packed: bytes, kind: str) -> Generator[bytes, None, bytes]:
    """Yield the pieces of one member; return the bytes after it."""
    while not member.eof:
        if not packed and getattr(member, "needs_input", True):
            packed = file.read(_PACKED)
        more = bool(packed)
        piece = member.decompress(packed, PIECE)
        packed = getattr(member, "unconsumed_tail", b"")  # bzip2 keeps that itself
        if piece:
            yield piece
        elif not more and not member.eof:
            raise DamagedError(f"damaged {kind} data: they end too soon")
    return member.unused_data or file.read(_PACKED)


def _zstd(file: BinaryIO) -> Iterator[bytes]:
    try:
        import pyarrow
    except ImportError:
        raise DataError("zstd is read by PyArrow: run pip install pyarrow") from None
    try:
        with pyarrow.CompressedInputStream(pyarrow.PythonFile(file, "r"), "zstd") as stream:
            while piece := stream.read(PIECE):
                yield piece
    except (OSError, pyarrow.ArrowException) as problem:
        raise DamagedError(f"damaged zstd data: {problem}") from None


class DecompressedFile(io.RawIOBase):
    """The contents as a file that can be read once, from the start."""

    def __init__(self, file: BinaryIO, kind: str, *, close: bool) -> None:
        self._file, self._close = file, close
        self._pieces, self._left = decompress(file, kind), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def close(self) -> None:
        if self._close:
            self._file.close()
        super().close()
