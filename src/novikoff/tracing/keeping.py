"""Keeping a table: all of a short run, a thinned one of a long run; and writing all of either."""

import contextlib
import csv
import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from novikoff.errors import ParameterError

Table = dict[str, Any]


class Keeper:
    """Keeps at most so many updates: each one, or each 2nd, 4th, ... and the last."""

    def __init__(self, room: int) -> None:
        self._room, self._each = room - 1, 1  # the last is kept in any case
        self._parts: list[Table] = []
        self._kept = 0  # updates in them: a run can have as many parts as epochs
        self._last: Table = {}

    @property
    def thinned(self) -> bool:
        return self._each > 1

    def take(self, table: Table) -> None:
        """Keep what there is room for."""
        if not len(table["update"]):
            return
        self._last = {name: column[-1:] for name, column in table.items()}
        self._add(self._thin(table))
        while self._kept > self._room:
            self._each *= 2
            parts, self._parts, self._kept = self._parts, [], 0
            for part in parts:
                self._add(self._thin(part))

    def _add(self, part: Table) -> None:
        self._parts.append(part)
        self._kept += len(part["update"])

    def _thin(self, table: Table) -> Table:
        kept = (table["update"] - 1) % self._each == 0
        return table if kept.all() else {name: column[kept] for name, column in table.items()}

    def table(self) -> Table:
        """All that was kept."""
        if not self._parts:
            return {}
        parts = self._parts
        ends = [part["update"][-1] for part in parts if len(part["update"])]
        if not ends or ends[-1] != self._last["update"][0]:
            parts = [*parts, self._last]
        return {name: np.concatenate([part[name] for part in parts]) for name in self._last}


class Writer:
    """Writes tables to one file, piece by piece; it is there whole at the end, or not at all."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).resolve()
        refuse_path(self._path)
        self._csv = self._path.suffix.lower() == ".csv"
        self._made: Any = None
        self._file: Any = None

    def take(self, table: Table) -> None:
        """Write a piece."""
        if self._csv:
            if self._made is None:
                self._made = csv.writer(self._file, lineterminator="\n")
                self._made.writerow(table)
            self._made.writerows(lines(table))
            return
        import pyarrow
        from pyarrow import parquet

        arrays = pyarrow.table({name: np.asarray(column) for name, column in table.items()})
        if self._made is None:
            self._made = parquet.ParquetWriter(self._file, arrays.schema)
        self._made.write_table(arrays)

    def __enter__(self) -> Self:
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
        self._name = Path(name)
        if self._csv:
            self._file = os.fdopen(handle, "w", encoding="utf-8", newline="")
        else:
            self._file = os.fdopen(handle, "wb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._finish()
        except OSError as failed:
            error = failed
        finally:
            for each in (self._made, self._file):
                with contextlib.suppress(Exception):  # what cannot be written is thrown away
                    each.close()
            self._name.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ParameterError(
                f"{self._path.name}: cannot be written: {error.strerror or error}; nothing was"
                " changed"
            ) from None

    def _finish(self) -> None:
        """Everything is written: put the file where it belongs."""
        if not self._csv:
            if self._made is None:  # no update at all
                self.take({})
            self._made.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        self._name.chmod(0o666 & ~mask)
        self._name.replace(self._path)


def lines(table: Table) -> Iterator[tuple[Any, ...]]:
    """A table line by line, as CSV has it: yes and no are 1 and 0."""
    columns = (np.asarray(column) for column in table.values())
    numbers = (column.astype(np.int64) if column.dtype == bool else column for column in columns)
    return zip(*(column.tolist() for column in numbers), strict=True)


def refuse_path(path: Path) -> None:
    """Before anything is learned: a kind of file, or a folder, that cannot be written."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ParameterError(f"{path.name}: a trace is written as .csv or .parquet")
    if not path.parent.is_dir():
        raise ParameterError(f"{path.name}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise ParameterError(f"{path.name}: not a regular file; nothing was written")
    if path.suffix.lower() == ".parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise ParameterError(
                f"{path.name}: Parquet needs PyArrow: pip install pyarrow; or use .csv"
            ) from None


def pieces(table: Table, size: int = 2**16) -> Any:
    """A table in parts of at most so many lines."""
    total = len(next(iter(table.values()), ()))
    for start, stop in itertools.pairwise([*range(0, total, size), total]):
        yield {name: column[start:stop] for name, column in table.items()}
