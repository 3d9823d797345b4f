"""Tables in files of columns: Parquet and Arrow."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import DataError
from novikoff.sources.arrow_files import NUMBERS, OTHER, WORDS, Batch, ColumnFile, damaged
from novikoff.sources.arrow_rows import BatchRows
from novikoff.sources.base import (
    START,
    Chunk,
    LabelArray,
    Place,
    Source,
    check_features,
    checked_rows,
    data_error,
)
from novikoff.sources.blocks import in_order, processors
from novikoff.sources.categories import (
    NUMBER,
    UNUSED,
    Categories,
    Values,
    find_columns,
    known_columns,
    one_hot,
)
from novikoff.sources.inputs import Input
from novikoff.sources.layout import check_same_names, target_place
from novikoff.sources.sparse import joined
from novikoff.sources.text import called

#: Bytes of numbers in a chunk: they are in the cache when they are put into rows and learned from.
_CHUNK_BYTES = 2**21
_FEWEST_ROWS = 256


class _Part(NamedTuple):
    """Rows made of a batch, before it is known which values came before."""

    file: int
    end: int  # the rows of the file up to here
    numbers: NDArray[np.float64]
    y: LabelArray | None
    values: Values | None


class ArrowSource(Source):
    """Rows of one or several Parquet or Arrow files with the same columns.

    Numbers and booleans are features, text is categorical; nothing may be missing. names: the
    features of a model, as for text tables.
    """

    #: Where a pass ends, if not with the last file; and whether there may be rows beyond that.
    ends: Place | None = None
    partial = False

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        kind: str = "parquet",
        target: str | int | None = None,
        features: int | None = None,
        labelled: bool = True,
        categorical: Sequence[str | int] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.name, self.format = called(inputs), kind
        if all(given.replayable for given in inputs):
            self.paths = tuple(given.path for given in inputs)
        self._files = [ColumnFile(given, kind) for given in inputs]
        first = self._files[0]
        for other in self._files[1:]:
            _refuse_other_columns(other, first)
        place = None
        if not first.names:
            raise data_error(self.name, None, "no columns, expected numbers and a label")
        if labelled:
            known = known_columns(names or (), first.names)
            place = target_place(self.name, first.names, len(first.names), target, known)
        words = [kind == WORDS for kind in first.kinds]
        self._columns = find_columns(self.name, first.names, words, place, categorical, names)
        self._refuse_types()
        self._known, self._width_asked = names, features
        self.target_name = None if place is None else first.names[place]
        if not self._columns.categorical:
            check_features(self.name, len(self._columns.numbers), features)
        width = max(1, len(self._columns.numbers) + len(self._columns.categorical))
        self._each = max(_FEWEST_ROWS, _CHUNK_BYTES // (8 * width))
        self._begin_names()
        self._fresh()

    def _refuse_types(self) -> None:
        for file in self._files:
            for place, (kind, role) in enumerate(zip(file.kinds, self._columns.roles, strict=True)):
                numeric = role == NUMBER and place != self._columns.target
                if role != UNUSED and (kind == OTHER or (numeric and kind != NUMBERS)):
                    wanted = "numbers" if kind == WORDS else "numbers, booleans or text"
                    raise data_error(
                        file.name,
                        None,
                        f"{file.called(place)} has the type {file.types[place]}, expected"
                        f" {wanted}: convert or drop it",
                    )

    def _fresh(self) -> None:
        # Values of categories stay known: it is the same data, and a learner is as wide as all.
        self.files, self._rows = [], 0

    def _begin_names(self) -> None:
        columns = self._columns
        self.feature_names = [columns.names[place] for place in columns.numbers]
        self._categories = None
        if columns.categorical:
            names = [columns.names[place] for place in columns.categorical]
            self._categories = Categories(self.name, names, self.feature_names, self._known)
            self.categories = names
            self.feature_names += self._categories.names

    def chunks(self, rows: int | None = None, start: Place = START) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` rows at a time.

        start: where to go on, with the number of rows for the offset; `remember` must have been
        called with what was known there.
        """
        whole = start == START
        if whole:
            self._fresh()
            start = self.begins
        each = self._each if rows is None else min(self._each, checked_rows(rows))
        found = False
        for part in in_order(self._batches(each, start), self._rows_of, processors()):
            found = True
            yield self._chunk(part)
        if not found and whole and not self.partial:
            raise data_error(self.name, None, "no rows, expected at least one")

    def groups(self) -> list[list[int]]:
        """How many rows the row groups or record batches of each file have."""
        return [file.groups() for file in self._files]

    def read(self) -> Chunk:
        """All rows at once, in memory."""
        return joined(list(self.chunks()))

    def _batches(self, rows: int, start: Place) -> Iterator[tuple[int, Batch]]:
        for number, file in enumerate(self._files):
            if number >= start.file:
                begin = start if number == start.file else START
                stop = self.ends.offset if self.ends and number == self.ends.file else None
                for batch in file.batches(rows, begin.offset, stop, begin.line):
                    yield number, batch

    def _rows_of(self, item: tuple[int, Batch]) -> _Part:
        """The rows of a batch; several threads call this at the same time."""
        number, batch = item
        file = self._files[number]
        try:
            return self._converted(number, BatchRows(file, batch))
        except DataError:
            raise
        except Exception as problem:
            raise damaged(file.name, self.format, problem) from None

    def _converted(self, number: int, batch: BatchRows) -> _Part:
        columns = self._columns
        numbers = batch.numbers(columns.numbers)
        y = None if columns.target is None else batch.labels(columns.target)
        values = None
        if self._categories is not None:
            values = batch.values(columns.categorical, self._categories)
        return _Part(number, batch.end, numbers, y, values)

    def _chunk(self, part: _Part) -> Chunk:
        while len(self.files) <= part.file:
            self.files = [*self.files, (self._files[len(self.files)].name, self._rows)]
        self._rows += len(part.numbers)
        end = Place(part.file, part.end)
        if self._categories is None or part.values is None:
            return Chunk(part.numbers, part.y, None, None, end)
        features = self._categories.take(part.values)
        X = one_hot(part.numbers, part.values.codes, features, self._width(self._categories))
        return Chunk(X, part.y, None, None, end)

    def _width(self, categories: Categories) -> int:
        """How wide rows are now; names grow with them."""
        names = self.feature_names
        assert names is not None
        names += categories.names[len(names) - len(self._columns.numbers) :]
        if self._width_asked is None:
            return categories.width
        if categories.width > self._width_asked:
            check_features(self.name, categories.width, self._width_asked)
        return self._width_asked

    def memory(self) -> dict[str, Any]:
        """Which files a pass came to, at which rows, and the values of categories in order."""
        values = [] if self._categories is None else self._categories.memory()
        return {"rows": self._rows, "files": [list(each) for each in self.files], "values": values}

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        self._begin_names()
        self._rows = int(memory["rows"])
        self.files = [(str(name), int(row)) for name, row in memory["files"]]
        if self._categories is not None:
            self._categories.remember(memory["values"])
            self._width(self._categories)

    def remarks(self) -> list[str]:
        """Which columns are categories, and which were left out."""
        found = super().remarks()
        if self._categories is not None:
            found.append(self._categories.remark())
        if any(len(file.places) < file.width for file in self._files):
            found.append("The index that pandas saved as a column is left out.")
        return found


def _refuse_other_columns(file: ColumnFile, first: ColumnFile) -> None:
    check_same_names(file.name, file.names, first.name, first.names)
    for place, (kind, expected) in enumerate(zip(file.kinds, first.kinds, strict=True)):
        if kind != expected:
            raise data_error(
                file.name,
                None,
                f"{file.called(place)} has the type {file.types[place]}, expected"
                f" {first.types[place]} as in {first.name}: files that are read together must have"
                " the same columns",
            )
