"""A folder that is there whole or not at all: written beside its place, and then moved there.

Whoever writes holds a lock on the folder, which the system takes back however the process ends: so
what a killed one left behind can be told from what another is just writing.
"""

import contextlib
import errno
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from novikoff.data.cache.manifest import ARRAYS
from novikoff.data.files.patterns import ABOUT
from novikoff.files import LOCKS, open_folder
from novikoff.files import lock as take_lock

_NAMES = frozenset({ABOUT, *(f"{name}.npy" for name in ARRAYS)})
#: Another writer has put something at the place meanwhile, or taken it away.
_OVERTAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT)
_TRIES = 1000  # to replace what others replace at the same time


@contextlib.contextmanager
def new_folder(place: Path) -> Iterator[Path]:
    """A folder to write into, and to `install` at its place; left without that, it is removed."""
    remove_leftovers(place)
    folder, lock = _locked_folder(place)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        with contextlib.suppress(OSError):
            remove_leftovers(place)


def install(folder: Path, place: Path) -> None:
    """Move a folder to its place, and what was there before out of it, to be swept away."""
    _sync(folder)
    for _ in range(_TRIES):
        try:
            _move(folder, place)
        except OSError as problem:
            if problem.errno not in _OVERTAKEN or not folder.exists():
                raise
        else:
            _sync(place.parent)
            return
    raise OSError(errno.EBUSY, "others replace it again and again")


def _move(folder: Path, place: Path) -> None:
    """Move a folder to its place; what was there is moved aside, and back if that fails."""
    if not place.exists():
        folder.rename(place)
        return
    aside = _beside(place)
    place.rename(aside)
    try:
        folder.rename(place)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.rename(place)
        raise


def is_cache_folder(place: Path) -> bool:
    """Whether there is a folder with nothing in it but what a cache has: it may be replaced."""
    try:
        names = {entry.name for entry in os.scandir(place)}
    except FileNotFoundError:  # another writer has just moved it aside; or a link to nothing
        return not place.is_symlink()
    except OSError:
        return False
    return ABOUT in names and names <= _NAMES


def remove_leftovers(place: Path) -> None:
    """Remove what killed writers left beside the place, and what was replaced."""
    ours = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{16}}\.tmp")
    for entry in list(os.scandir(place.parent)):
        if not ours.fullmatch(entry.name):
            continue
        with contextlib.suppress(OSError):  # another has it, or swept it away just now
            lock = open_folder(entry.path)
            try:
                take_lock(lock)
                shutil.rmtree(entry.path, ignore_errors=True)
            finally:
                os.close(lock)


def _beside(place: Path) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp")


def _locked_folder(place: Path) -> tuple[Path, int]:
    """A new folder, and the lock on it: to be closed."""
    while True:
        folder = _beside(place)
        folder.mkdir()
        try:
            lock = open_folder(folder)
        except FileNotFoundError:  # swept away before it could be locked
            continue
        try:
            take_lock(lock)
        except BlockingIOError:  # just being swept away
            os.close(lock)
            continue
        except OSError:  # a file system without locks: nobody sweeps there
            return folder, lock
        if folder.exists():
            return folder, lock
        os.close(lock)


def _sync(folder: Path) -> None:
    if not LOCKS:
        return
    opened = open_folder(folder)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
