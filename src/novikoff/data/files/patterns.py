"""Expansion of file patterns."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from novikoff.data.files import storage
from novikoff.errors import DataError

ABOUT = "about.json"  # the manifest of a cache
OURS = (".nkcache", ".skipped.jsonl")  # written beside data, and no part of them
Named = str | os.PathLike[str]


def expand_paths(path: Named | Sequence[Named]) -> list[str]:
    """The files to read, in the order of the list, or for a pattern of their names."""
    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not given:
        raise DataError("the list of files is empty: name at least one")
    found = [each for one in given for each in _matching(os.fsdecode(one))]
    if len(found) > 1 and "-" in found:
        raise DataError("standard input can only be read by itself, not with other files")
    return found


def _matching(path: str) -> list[str]:
    if not path:
        raise DataError("the path is empty: name a file, '-' for standard input, or example:NAME")
    if storage.is_remote(path):
        found = storage.matching_addresses(path)
    elif not glob.has_magic(path) or path.startswith("example:") or os.path.lexists(path):
        return [path]
    else:
        found = glob.glob(path)  # noqa: PTH207  (a pattern may begin with a slash)
    matching = sorted(each for each in found if not each.endswith(OURS))
    if not matching:
        raise DataError(f"{path}: no file matches this pattern")
    return matching


def is_cache(path: str) -> bool:
    """Whether the path is a folder with a cache in it."""
    try:
        return not storage.is_remote(path) and Path(path, ABOUT).is_file()
    except (OSError, ValueError):  # a name that no file can have; reading it says so
        return False
