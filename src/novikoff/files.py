"""Files that appear whole or not at all: written beside their destination, then moved there."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from novikoff.errors import NovikoffError, WriteError

if sys.platform != "win32":
    import fcntl

#: Whether the system has locks that end with their process, and folders that can be opened. Where
#: it has not, two writers of one file at the same time are not noticed.
LOCKS = sys.platform != "win32"


def atomic_write(
    path: str | os.PathLike[str],
    content: bytes,
    *,
    exclusive: bool = False,
    error: type[NovikoffError] = WriteError,
) -> None:
    """Write a file so that it is there whole, or what was there before is: see `atomic_open`."""
    with atomic_open(path, exclusive=exclusive, error=error) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_open(
    path: str | os.PathLike[str],
    *,
    text: bool = False,
    name: str | None = None,
    exclusive: bool = False,
    error: type[NovikoffError] = WriteError,
) -> Iterator[IO[Any]]:
    """Open a new file, which replaces what is at `path` if the block ends without an exception.

    text: for UTF-8, with line ends as they are written; otherwise for bytes. name: of the file in
    messages, unless its path. exclusive: for a file that is written over and over. All writers
    share one scratch file and lock it, so that what a killed one left is written over by the next,
    and a second one at the same time is refused. error: what to raise where writing fails.
    """
    target = Path(path).resolve()  # through a link, not over it
    name = str(path) if name is None else name
    if target.exists() and not target.is_file():
        raise error(f"{name}: not a regular file; nothing was written")
    try:
        handle, scratch = _locked_scratch(target) if exclusive else _unique_scratch(target)
        try:
            with _opened(handle, text) as file:
                file.truncate()
                yield file
                file.flush()
                move_into_place(scratch, target)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
    except BlockingIOError:
        raise error(f"{name}: another process is writing it; choose another name") from None
    except OSError as problem:
        reason = problem.strerror or problem
        raise error(f"{name}: cannot be written: {reason}; nothing was changed") from None


def move_into_place(scratch: Path, target: Path) -> None:
    """Replace `target` by a finished file beside it, once that is safely on the disk."""
    with scratch.open("rb") as file:
        os.fsync(file.fileno())
    scratch.chmod(_mode(target))
    scratch.replace(target)


def _opened(handle: int, text: bool) -> IO[Any]:
    if text:
        return os.fdopen(handle, "w", encoding="utf-8", newline="")
    return os.fdopen(handle, "wb")


def _unique_scratch(target: Path) -> tuple[int, Path]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    return handle, Path(name)


def _locked_scratch(target: Path) -> tuple[int, Path]:
    """A file beside the target that is this process's as long as it is open."""
    scratch = target.with_name(f".{target.name}.part")
    while True:
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            lock(handle)
            if scratch.exists() and os.path.samestat(os.fstat(handle), scratch.stat()):
                return handle, scratch
        except OSError:
            os.close(handle)
            raise
        os.close(handle)  # between opening and locking it, another process moved it into place


def lock(handle: int) -> None:
    """Take the lock of an open file or folder; BlockingIOError if another process has it."""
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_folder(folder: str | os.PathLike[str]) -> int:
    """A handle of a folder, to lock it by and to have it written to the disk."""
    return os.open(folder if LOCKS else os.devnull, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))


def _mode(target: Path) -> int:
    """The permissions that a file has, or that an ordinary new one would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
