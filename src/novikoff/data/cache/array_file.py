"""The arrays of a cache: .npy files that grow at their end while written, and are mapped after."""

import mmap
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.cache.checksums import BLOCK, DIGITS, BlockChecksums, checksum
from novikoff.data.cache.manifest import DamagedCacheError, Shape

Array = NDArray[Any]

#: Bytes before the numbers: room for any shape, and numbers that begin where a cache line does.
HEADER = 128
PIECE = 2**18  # numbers looked at or rewritten at a time
_LONGEST_TEXT = 2**30  # bytes


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
        self._begin(self._path)

    def _begin(self, path: Path) -> None:
        # Without a buffer: parts are long, and there is nothing left to write when it is closed.
        self._file: Any = path.open("wb", buffering=0)
        self._write(bytes(HEADER))
        self.checksums = BlockChecksums()

    def append(self, part: Array) -> None:
        """Write some more of it, in the type that it has."""
        self._append(np.ascontiguousarray(part, self.kind))
        self.shape = (self.shape[0] + part.shape[0], *part.shape[1:])

    def _append(self, numbers: Array) -> None:
        self._write(numbers)
        self.checksums.update(_bytes(numbers))

    def convert_dtype(self, kind: Any, through: Callable[[Array], Array] | None = None) -> None:
        """Give it another type from its first number on, having passed each number `through`."""
        new = self._path.with_suffix(".new")
        with self._path.open("rb") as old:
            old.seek(HEADER)
            self._file.close()
            self._begin(new)
            while (part := np.fromfile(old, self.kind, PIECE)).size:
                self._append((part if through is None else through(part)).astype(kind))
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
        left = _bytes(content)
        while left:
            left = left[self._file.write(left) :]


def _bytes(content: bytes | Array) -> memoryview:
    return np.frombuffer(content, np.uint8).data if len(content) else memoryview(b"")


class MappedArray:
    """An array on disk: what is looked at is loaded, and can be let go of again.

    checksums: of its blocks, as `BlockChecksums` has them; None: it has none.
    """

    def __init__(
        self, folder: int, name: str, kind: Any, shape: Shape, checksums: str | None
    ) -> None:
        self._file = file = f"{name}.npy"
        size = HEADER + int(np.prod(shape, dtype=object)) * np.dtype(kind).itemsize
        descriptor = _open_in_folder(folder, file)
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
        self._checksums = checksums
        self._verified = np.zeros(-(-self.array.nbytes // BLOCK), bool)

    def verify(self, start: int, stop: int, *, drop: bool = False) -> Iterator[tuple[int, int]]:
        """Hold some of the numbers against their checksums, a block at a time, each block once.

        Yields the numbers of a block, from where to where, for other checks: it counts as verified
        when they are done. drop: whether it may leave memory then. Raises a DamagedCacheError.
        """
        each = BLOCK // self.array.itemsize
        blocks = slice(start // each, -(-stop // each))
        for block in (np.flatnonzero(~self._verified[blocks]) + blocks.start).tolist():
            first, last = block * each, min((block + 1) * each, self.array.size)
            begin, end = (HEADER + place * self.array.itemsize for place in (first, last))
            if self._checksums is not None:
                with memoryview(self._map) as mapped, mapped[begin:end] as part:
                    found = checksum(part)
                if found != self._checksums[block * DIGITS : (block + 1) * DIGITS]:
                    raise DamagedCacheError(
                        f"{self._file}, bytes {begin:,} to {end:,}: their checksum is another"
                    )
            yield first, last
            self._verified[block] = True
            if drop:
                self._drop(begin, end)

    def _drop(self, begin: int, end: int) -> None:
        """Let the whole pages between two bytes leave memory, and the page that the first is on."""
        begin, end = (place // mmap.PAGESIZE * mmap.PAGESIZE for place in (begin, end))
        if end > begin:
            self._map.madvise(mmap.MADV_DONTNEED, begin, end - begin)

    def release(self, count: int) -> None:
        """The first so many numbers may leave memory; looked at again, they are loaded again."""
        stop = HEADER + count * self.array.itemsize
        self._drop(self._forgotten if stop >= self._forgotten else 0, stop)  # or in a new pass
        self._forgotten = stop


def _open_in_folder(folder: int, file: str) -> int:
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
    with os.fdopen(_open_in_folder(folder, file), "rb") as opened:
        if os.fstat(opened.fileno()).st_size > _LONGEST_TEXT:
            raise DamagedCacheError(f"{file} is longer than any that was written")
        try:
            return opened.read(_LONGEST_TEXT).decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise DamagedCacheError(f"{file}: {problem}") from None
