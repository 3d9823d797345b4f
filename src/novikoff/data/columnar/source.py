"""Tables in files of columns: Parquet and Arrow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import START, Chunk, LabelArray, ReadPosition, checked_rows
from novikoff.data.columnar.batch import BatchRows
from novikoff.data.columnar.file import NUMBERS, OTHER, WORDS, Batch, ColumnTable, damaged
from novikoff.data.errors import file_error
from novikoff.data.files.parallel import map_in_order, processors
from novikoff.data.source import UNOPENED, Opening, Shard, Source, SourceInfo, joint_name
from novikoff.data.text.csv.categories import (
    NUMBER,
    UNUSED,
    ColumnChoice,
    TableFeatures,
    Values,
    find_columns,
    known_columns,
)
from novikoff.data.text.csv.header import check_same_names, target_place
from novikoff.errors import DataError

#: Bytes of numbers in a chunk: they are in the cache when they are put into rows and learned from.
_CHUNK_BYTES = 2**21
_FEWEST_ROWS = 256


class _BatchRows(NamedTuple):
    """Rows made of a batch, before it is known which values came before."""

    file: int
    end: int  # the rows of the file up to here
    numbers: NDArray[np.float64]
    y: LabelArray | None
    values: Values | None


class ColumnarSource(Source):
    """Rows of one or several tables of the same columns: Parquet, Arrow, or batches in memory.

    Numbers and booleans are features, text is categorical; nothing may be missing. names: the
    features of a model, as for text tables.
    """

    def __init__(
        self,
        tables: Sequence[ColumnTable],
        *,
        target: str | int | None = None,
        features: int | None = None,
        labelled: bool = True,
        categorical: Sequence[str | int] | None = None,
        columns: Sequence[str | int] | None = None,
        drop: Sequence[str | int] | None = None,
        names: Sequence[str] | None = None,
        opening: Opening = UNOPENED,
        shard: Shard | None = None,
    ) -> None:
        name = joint_name([each.name for each in tables]) if shard is None else shard.name
        self._tables, first = list(tables), tables[0]
        for other in tables[1:]:
            _refuse_other_columns(other, first)
        place = None
        if not first.names:
            raise file_error(name, "no columns, expected numbers and a label")
        if labelled:
            known = known_columns(names or (), first.names)
            place = target_place(name, first.names, len(first.names), target, known)
        words = [kind == WORDS for kind in first.kinds]
        choice = ColumnChoice(categorical, columns, drop)
        self._columns = find_columns(name, first.names, words, place, choice, names)
        self._refuse_types()
        self._features = TableFeatures(name, self._columns, names, features)
        width = max(1, len(self._columns.numbers) + len(self._columns.categorical))
        self._each = max(_FEWEST_ROWS, _CHUNK_BYTES // (8 * width))
        paths = tuple(each.path for each in tables if each.path is not None)
        info = SourceInfo(
            name,
            first.kind,
            paths if len(paths) == len(tables) else (),
            target_name=None if place is None else first.names[place],
            categories=tuple(self._features.categories),
        )
        super().__init__(info, opening, shard)
        self._start = START if shard is None else shard.start
        self._stop = None if shard is None else shard.stop

    def _refuse_types(self) -> None:
        roles = self._columns.roles
        for table in self._tables:
            for place, (kind, role) in enumerate(zip(table.kinds, roles, strict=True)):
                numeric = role == NUMBER and place != self._columns.target
                if role != UNUSED and (kind == OTHER or (numeric and kind != NUMBERS)):
                    wanted = "numbers" if kind == WORDS else "numbers, booleans or text"
                    raise file_error(
                        table.name,
                        f"{table.called(place)} has the type {table.types[place]}, expected"
                        f" {wanted}: convert or drop it",
                    )

    def chunks(self, rows: int | None = None, start: ReadPosition = START) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` rows at a time.

        start: where to go on, with the number of rows for the offset; `load_state_dict` must have
        been called with the state there.
        """
        whole = start == START
        if whole:
            # Values of categories stay known: it is the same data, and a learner is as wide as all.
            self.found.start_over()
            start = self._start
        each = self._each if rows is None else min(self._each, checked_rows(rows))
        found = False
        for part in map_in_order(self._batches(each, start), self._rows_of, processors()):
            found = True
            yield self._chunk(part)
        if not found and whole and not (self.shard and self.shard.partial):
            raise file_error(self.name, "no rows, expected at least one")

    def groups(self) -> list[list[int]]:
        """How many rows the row groups or record batches of each file have."""
        return [table.groups() for table in self._tables]

    def _batches(self, rows: int, start: ReadPosition) -> Iterator[tuple[int, Batch]]:
        for number, table in enumerate(self._tables):
            if number >= start.file:
                begin = start if number == start.file else START
                stop = self._stop.offset if self._stop and number == self._stop.file else None
                for batch in table.batches(rows, begin.offset, stop, begin.line):
                    yield number, batch

    def _rows_of(self, item: tuple[int, Batch]) -> _BatchRows:
        """The rows of a batch; several threads call this at the same time."""
        number, batch = item
        table = self._tables[number]
        try:
            return self._convert(number, BatchRows(table, batch))
        except DataError:
            raise
        except Exception as problem:
            raise damaged(table.name, table.kind, problem) from None

    def _convert(self, number: int, batch: BatchRows) -> _BatchRows:
        columns = self._columns
        numbers = batch.numbers(columns.numbers)
        y = None if columns.target is None else batch.labels(columns.target)
        values = None
        if columns.categorical:
            values = batch.values(columns.categorical, self._features)
        return _BatchRows(number, batch.end, numbers, y, values)

    def _chunk(self, part: _BatchRows) -> Chunk:
        names = [table.name for table in self._tables[self._start.file :]]
        self.found.enter_file(part.file - self._start.file, names)
        self.found.rows += len(part.numbers)
        X = self._features.matrix(part.numbers, part.values)
        return Chunk(X, part.y, None, None, ReadPosition(part.file, part.end))

    @property
    def feature_names(self) -> list[str]:
        return self._features.names

    def state_dict(self) -> dict[str, Any]:
        """Which files a pass came to, at which rows, and the values of categories in order."""
        return self.found.state_dict() | {"values": self._features.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.found.load_state_dict(state)
        self._features.load_state_dict(state["values"])

    def notes(self) -> list[str]:
        """Which columns are categories, and which were left out."""
        found = self._features.notes()
        if any(len(table.places) < table.width for table in self._tables):
            found.append("The index that pandas saved as a column is left out.")
        return found


def _refuse_other_columns(table: ColumnTable, first: ColumnTable) -> None:
    check_same_names(table.name, table.names, first.name, first.names)
    for place, (kind, expected) in enumerate(zip(table.kinds, first.kinds, strict=True)):
        if kind != expected:
            raise file_error(
                table.name,
                f"{table.called(place)} has the type {table.types[place]}, expected"
                f" {first.types[place]} as in {first.name}: files that are read together must have"
                " the same columns",
            )
