"""The list of the bad rows that a pass leaves out: a file of JSON lines."""

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self, TextIO

from novikoff.data.errors import BadRowError
from novikoff.errors import DataError

_KEYS = {"file", "line", "column", "problem", "text"}
SkippedRow = dict[str, Any]  # one line of the list


def refuse_side_file(path: str, data: Sequence[str]) -> None:
    """Refuse a path for the list where there is something else than such a list."""
    target = Path(path)
    if not target.exists():
        return
    if any(Path(each).exists() and target.samefile(each) for each in data):
        raise DataError(f"{path}: that is the data, not a place for the skipped rows")
    if not target.is_file() or not _is_list(target):
        raise DataError(
            f"{path}: it is there already and lists no skipped rows; choose another name with"
            " skipped_to (--skipped-to)"
        )


def _is_list(target: Path) -> bool:
    try:
        with target.open(encoding="utf-8") as file:
            line = file.readline(2**20)
        return not line or json.loads(line).keys() == _KEYS
    except (OSError, ValueError, AttributeError):
        return False


def skipped_row(bad: BadRowError, name: str, line: int) -> SkippedRow:
    """The entry of a bad row; line: the number of lines before its block."""
    return {
        "file": name,
        "line": line + bad.line + 1,
        "column": bad.column,
        "problem": bad.problem,
        "text": bad.text,
    }


def write_list(path: str, rows: Sequence[SkippedRow]) -> None:
    """Write the list of rows that others have left out; no file if there are none."""
    try:
        Path(path).unlink(missing_ok=True)
        if rows:
            text = "".join(json.dumps(row) + "\n" for row in rows)
            Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise _write_error(path, problem) from None


class SkippedRowsFile:
    """The list, written as bad rows come. There is no file without a line.

    known: the number of lines to keep, for a pass that is resumed; others are dropped.
    """

    def __init__(self, path: str | None, known: int = 0) -> None:
        self._path, self._known = path, known
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        if self._path is not None:
            try:
                self._begin(Path(self._path))
            except OSError as problem:
                raise _write_error(self._path, problem) from None
        return self

    def _begin(self, target: Path) -> None:
        if not self._known:
            target.unlink(missing_ok=True)
            return
        size = 0
        with target.open("rb") as file:
            for line in itertools.islice(file, self._known):
                size += len(line)
        os.truncate(target, size)

    def write(self, bad: BadRowError, name: str, line: int) -> None:
        """List a bad row; line: the number of lines before its block."""
        if self._path is None:
            return
        entry = skipped_row(bad, name, line)
        try:
            if self._file is None:  # line by line, so that a checkpoint finds all of them there
                self._file = Path(self._path).open("a", buffering=1, encoding="utf-8")  # noqa: SIM115
            self._file.write(json.dumps(entry) + "\n")
        except OSError as problem:
            raise _write_error(self._path, problem) from None

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _write_error(path: str | None, problem: OSError) -> DataError:
    return DataError(f"{path}: the skipped rows cannot be listed: {problem.strerror}")
