"""Files by their addresses: paths of this machine, and whatever fsspec reaches (s3://, http://).

Both kinds have the same interface: the state of a file, which tells whether it has changed, its
bytes as an open file, and its bytes by ranges. fsspec is imported for an address with "://"
only; what it needs for a protocol (s3fs, gcsfs, aiohttp) must be installed where the data are read.
"""

import glob
import importlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from novikoff.errors import DataError

#: A file's size in bytes, and a time or a tag that is another one after a change.
FileState: TypeAlias = tuple[int, int | str]

#: Bytes fetched beyond those asked for: for a look at a few places, or for a whole pass.
LITTLE, MUCH = 2**16, 2**22

_MARK, _CHAIN = "://", "::"
#: Keys of a file system's information that change with the file.
_TELLING = ("mtime", "modified", "LastModified", "last_modified", "Last-Modified", "updated",
            "ETag", "etag", "Content-MD5", "Digest", "checksum", "md5Hash", "generation",
            "VersionId", "CRC", "date_time")  # fmt: skip
_CREATED = "created"  # tells it too where files are not written into, but for paths of a machine


class LocalFile:
    """A file of this machine."""

    def __init__(self, path: str) -> None:
        self.path = path

    def state(self) -> FileState:
        """The present state of the file of this name."""
        return _state(Path(self.path).stat())

    def open(self) -> BinaryIO:
        """Open the file; the caller closes it."""
        return Path(self.path).open("rb")

    @contextmanager
    def ranges(self, block: int = MUCH) -> Iterator["Ranges"]:
        """Open the file to read it by ranges."""
        with Path(self.path).open("rb") as file:
            yield _LocalRanges(file)


class _LocalRanges:
    """An open file, read by ranges."""

    def __init__(self, file: BinaryIO) -> None:
        self._number = file.fileno()

    def read(self, size: int, offset: int) -> bytes:
        """The bytes from `offset` on; fewer than `size` only where the file ends."""
        return os.pread(self._number, size, offset)

    def state(self) -> FileState:
        """The present state of the file."""
        return _state(os.fstat(self._number))


def _state(found: os.stat_result) -> FileState:
    return found.st_size, found.st_mtime_ns


class RemoteFile:
    """A file that fsspec reaches."""

    def __init__(self, address: str) -> None:
        self.path = address

    @cached_property
    def _file_system(self) -> tuple[Any, str]:
        return _system(self.path)

    def state(self) -> FileState:
        """The present state of the file, as far as its file system tells."""
        with _sentences(self.path):
            system, path = self._file_system
            system.invalidate_cache(path)
            info = system.info(path)
        if info.get("type") == "directory":
            raise IsADirectoryError(self.path)
        if info.get("size") is None:
            raise OSError("it is not said how large it is; save it to a file first")
        known = [f"{key}={info[key]}" for key in _TELLING if info.get(key) is not None]
        if not known and info.get(_CREATED) is not None:
            known = [f"{_CREATED}={info[_CREATED]}"]
        return int(info["size"]), " ".join(known)

    def open(self, block: int = LITTLE) -> BinaryIO:
        """Open the file; the caller closes it. block: bytes fetched beyond those asked for."""
        with _sentences(self.path):
            system, path = self._file_system
            file = system.open(path, "rb", block_size=block)
        # The readers of fsspec lack some of what files do, such as lines of a limited length.
        return cast(BinaryIO, io.BufferedReader(_Raw(self.path, file), LITTLE))

    @contextmanager
    def ranges(self, block: int = MUCH) -> Iterator["Ranges"]:
        """Open the file to read it by ranges. block: bytes fetched beyond those asked for."""
        with self.open(block) as file:
            yield _RemoteRanges(self, file)


class _RemoteRanges:
    """Keeps the bytes that were read last, for ranges that overlap them."""

    def __init__(self, remote: RemoteFile, file: BinaryIO) -> None:
        self._remote, self._file = remote, file
        self._begin, self._held = 0, b""

    def read(self, size: int, offset: int) -> bytes:
        end = self._begin + len(self._held)
        if self._begin <= offset and offset + size <= end:
            return self._held[offset - self._begin : offset - self._begin + size]
        kept = b""
        if self._begin <= offset <= end:
            kept = self._held[offset - self._begin :]
        else:
            self._file.seek(offset)
        self._begin, self._held = offset, kept + self._file.read(size - len(kept))
        return self._held

    def state(self) -> FileState:
        return self._remote.state()


Ranges: TypeAlias = _LocalRanges | _RemoteRanges


class _Raw(io.RawIOBase):
    """A file of fsspec as one of Python's own, with the errors that readers of files expect."""

    def __init__(self, address: str, file: Any) -> None:
        self._address, self._file = address, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _sentences(self._address):
            found = self._file.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _sentences(self._address):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def file_at(path: str) -> LocalFile | RemoteFile:
    """The file of a path or an address."""
    return RemoteFile(path) if is_remote(path) else LocalFile(path)


def is_remote(path: str) -> bool:
    """Whether it is an address for fsspec: s3://bucket/a.csv, zip://a.csv::https://host/b.zip."""
    return _MARK in path


def size_of(path: str) -> int:
    """The size of a file in bytes."""
    return file_at(path).state()[0]


def is_stream(path: str) -> bool:
    """Whether it is standard input, a pipe or a device: nothing that can be read again."""
    if path == "-" or is_remote(path):
        return path == "-"
    mode = Path(path).stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def file_name(path: str) -> str:
    """The part of an address that has the file's own name, with its suffix."""
    if not is_remote(path):
        return path
    link = next(link for link in path.split(_CHAIN) if _MARK in link)
    return link.partition("?")[0] if link.startswith("http") else link


def matching_addresses(address: str) -> list[str]:
    """The addresses that a pattern matches, in the order of their names; itself if it is none.

    A question mark in http://... is none, and in a chain of addresses nothing is.
    """
    if not glob.has_magic(address) or address.startswith("http") or _CHAIN in address:
        return [address]
    try:
        with _sentences(address):
            system, path = _system(address)
            if system.exists(path):
                return [address]
            return sorted(system.unstrip_protocol(each) for each in system.glob(path))
    except (OSError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"{address}: cannot be looked through ({problem})") from None


def _system(address: str) -> tuple[Any, str]:
    """The file system of an address, and what the file is called there."""
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise DataError(
            f"{address}: addresses with :// are read by fsspec, which is not installed: run pip"
            " install fsspec, or give the path of a file"
        ) from None
    system, path = core.url_to_fs(address)
    return system, str(path)


@contextmanager
def _sentences(address: str) -> Iterator[None]:
    """Turn whatever a protocol's package raises into errors that readers of files expect."""
    try:
        yield
    except (OSError, ValueError):  # a DataError is a ValueError
        raise
    except ImportError as problem:
        raise DataError(
            f"{address}: its protocol needs a package that is not installed ({problem}): install"
            " it wherever the data are read"
        ) from None
    except Exception as problem:
        raise OSError(f"{type(problem).__name__}: {problem}") from None
