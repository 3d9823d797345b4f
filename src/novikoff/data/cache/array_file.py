"""The arrays of a cache: .npy files that grow at their end while written, and are mapped after."""

import mmap
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.cache.manifest import DamagedCacheError, Shape

Array = NDArray[Any]

#: Bytes before the numbers: room for any shape, and numbers that begin where a cache line does.
HEADER = 128
PIECE = 2**18  # numbers looked at or rewritten at a time


def header(kind: Any, shape: Shape) -> bytes:
    """What a .npy file of version 1.0 begins with, filled up with blanks."""
    described = f"{{'descr': {np.dtype(kind).str!r}, 'fortran_order': False, 'shape': {shape}, }}"
    start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
    return (start + described.encode()).ljust(HEADER - 1) + b"\n"


class ArrayFile:
    """An array that is written a part at a time; its header last, when its shape is known."""

    def __init__(self, folder: Path, name: str, kind: Any) -> None:
        self._path = folder / f"{name}.npy"
        self.kind = np.dtype(kind)
        self.shape: Shape = (0,)
        # Without a buffer: parts are long, and there is nothing left to write when it is closed.
        self._file: Any = self._path.open("wb", buffering=0)
        self._write(bytes(HEADER))

    def append(self, part: Array) -> None:
        """Write some more of it, in the type that it has."""
        self._write(np.ascontiguousarray(part, self.kind))
        self.shape = (self.shape[0] + part.shape[0], *part.shape[1:])

    def convert_dtype(self, kind: Any, through: Callable[[Array], Array] | None = None) -> None:
        """Give it another type from its first number on, having passed each number `through`."""
        new = self._path.with_suffix(".new")
        with self._path.open("rb") as old:
            old.seek(HEADER)
            self._file.close()
            self._file = new.open("wb", buffering=0)
            self._write(bytes(HEADER))
            while (part := np.fromfile(old, self.kind, PIECE)).size:
                self._write((part if through is None else through(part)).astype(kind))
        new.replace(self._path)
        self.kind = np.dtype(kind)

    def finish(self) -> None:
        """Write the header; when this returns, the disk has all of it."""
        self._file.seek(0)
        self._write(header(self.kind, self.shape))
        os.fsync(self._file.fileno())
        self.close()

    def remove(self) -> None:
        """Be gone."""
        self.close()
        self._path.unlink()

    def close(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.close()

    def _write(self, content: bytes | Array) -> None:
        left = np.frombuffer(content, np.uint8).data if len(content) else memoryview(b"")
        while left:
            left = left[self._file.write(left) :]


class MappedArray:
    """An array on disk: what is looked at is loaded, and can be let go of again."""

    def __init__(self, folder: int, name: str, kind: Any, shape: Shape) -> None:
        file = f"{name}.npy"
        size = HEADER + int(np.prod(shape, dtype=object)) * np.dtype(kind).itemsize
        descriptor = _opened(folder, file)
        try:
            if os.pread(descriptor, HEADER, 0) != header(kind, shape):
                raise DamagedCacheError(f"{file} is not the array that about.json describes")
            if os.fstat(descriptor).st_size != size:
                raise DamagedCacheError(f"{file} is too short or too long")
            self._map = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
        except (OSError, OverflowError) as problem:
            raise DamagedCacheError(f"{file}: {problem}") from None
        finally:
            os.close(descriptor)
        self.array: Array = np.frombuffer(self._map, kind, offset=HEADER).reshape(shape)
        self._forgotten = 0

    def release(self, count: int) -> None:
        """The first so many numbers may leave memory; looked at again, they are loaded again."""
        stop = (HEADER + count * self.array.itemsize) // mmap.PAGESIZE * mmap.PAGESIZE
        if stop < self._forgotten:  # a new pass
            self._forgotten = 0
        if stop > self._forgotten:
            self._map.madvise(mmap.MADV_DONTNEED, self._forgotten, stop - self._forgotten)
            self._forgotten = stop


def _opened(folder: int, file: str) -> int:
    """A regular file that lies in the folder itself: no link, and nothing that could be waited
    for.
    """
    try:
        mode = os.stat(file, dir_fd=folder, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            raise DamagedCacheError(f"{file} is not a regular file")
        return os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as problem:
        raise DamagedCacheError(f"{file}: {problem.strerror}") from None


def read_text(folder: int, file: str) -> str:
    """The text of a file in the folder."""
    with os.fdopen(_opened(folder, file), "rb") as opened:
        try:
            return opened.read().decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise DamagedCacheError(f"{file}: {problem}") from None
