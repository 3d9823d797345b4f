"""What the operating system and decompressors say about a file, as sentences."""

from collections.abc import Iterator
from contextlib import contextmanager

from novikoff.data.errors import file_error
from novikoff.data.files.compression import DamagedError
from novikoff.errors import DataError

_KNOWN = {
    FileNotFoundError: "no such file: check the path, or use example:NAME for built-in data",
    IsADirectoryError: "it is a directory, expected a file: name one file in it",
    PermissionError: "no permission to read it: change its permissions or copy it",
}


@contextmanager
def explain_io_errors(name: str) -> Iterator[None]:
    """Turn errors about reading a file into data errors."""
    try:
        yield
    except DataError:
        raise
    except DamagedError as problem:
        raise file_error(name, f"{problem}: fetch or compress it again") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        known = (words for kind, words in _KNOWN.items() if isinstance(problem, kind))
        raise file_error(name, next(known, f"cannot be read ({reason}): check the path")) from None
