"""The table of a run: whole if the run is short, thinned if it is long; and files of tables."""

import contextlib
import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.files import atomic_open

Table = dict[str, Any]


class ThinnedTable:
    """Keeps at most so many updates: each one, or each 2nd, 4th, ... and the last."""

    def __init__(self, room: int) -> None:
        self._room, self._each = room - 1, 1  # the last is kept in any case
        self._parts: list[Table] = []
        self._kept = 0  # updates in them: a run can have as many parts as epochs
        self._last: Table = {}

    @property
    def thinned(self) -> bool:
        return self._each > 1

    def add(self, table: Table) -> None:
        """Keep what there is room for."""
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
        parts = self._parts
        ends = [part["update"][-1] for part in parts if len(part["update"])]
        if ends[-1:] != self._last["update"].tolist():
            parts = [*parts, self._last]
        return {name: np.concatenate([part[name] for part in parts]) for name in self._last}


class TableWriter:
    """Writes tables to one file, piece by piece: see `open_table`."""

    def __init__(self, file: IO[Any], is_csv: bool) -> None:
        self._file, self._csv = file, is_csv
        self._writer: Any = None

    def write(self, table: Table) -> None:
        """Write a piece."""
        if self._csv:
            if self._writer is None:
                self._writer = csv.writer(self._file, lineterminator="\n")
                self._writer.writerow(table)
            self._writer.writerows(csv_lines(table))
            return
        import pyarrow
        from pyarrow import parquet

        arrays = pyarrow.table({name: np.asarray(column) for name, column in table.items()})
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, arrays.schema)
        self._writer.write_table(arrays)

    def close(self) -> None:
        """Write what a format has at its end."""
        if not self._csv and self._writer is not None:
            self._writer.close()


@contextlib.contextmanager
def open_table(path: str | os.PathLike[str]) -> Iterator[TableWriter]:
    """Open a new file of tables, which is there whole at the end, or not at all."""
    target = Path(path).resolve()
    require_writable(target)
    is_csv = target.suffix.lower() == ".csv"
    with atomic_open(target, text=is_csv, name=target.name, error=ParameterError) as file:
        writer = TableWriter(file, is_csv)
        try:
            yield writer
        except BaseException:
            with contextlib.suppress(Exception):  # what cannot be written is thrown away
                writer.close()
            raise
        writer.close()


def csv_lines(table: Table) -> Iterator[tuple[Any, ...]]:
    """A table line by line, as CSV has it: yes and no are 1 and 0."""
    columns = (np.asarray(column) for column in table.values())
    numbers = (column.astype(np.int64) if column.dtype == bool else column for column in columns)
    return zip(*(column.tolist() for column in numbers), strict=True)


def require_writable(path: Path) -> None:
    """Refuse a kind of file, or a folder, that cannot be written; called before training."""
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


def split_table(table: Table, size: int = 2**16) -> Iterator[Table]:
    """A table in parts of at most so many lines."""
    total = len(table["update"])
    for start in range(0, max(1, total), size):  # of an empty table its columns
        yield {name: column[start : start + size] for name, column in table.items()}
