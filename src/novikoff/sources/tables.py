"""Tables as text: CSV, TSV and columns lined up with blanks. Features are numbers or categories."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from novikoff.sources.base import Chunk, Place, check_features, data_error
from novikoff.sources.blocks import Block
from novikoff.sources.categories import (
    Categories,
    find_columns,
    known_columns,
    looks_like_word,
    one_hot,
)
from novikoff.sources.inputs import Input
from novikoff.sources.labels import Labels
from novikoff.sources.layout import Layout, find_layout, refuse_other_layout, target_place
from novikoff.sources.table_rows import Table, TableRows, read_rows
from novikoff.sources.text import TextSource

_LINE_FEED = ord("\n")


class TableSource(TextSource):
    """Rows of one or several text tables; `layout` says what was told or found out about them.

    names: the features of a model; then its columns are read as it knows them, and a value of a
    category that it does not know is a bad row.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        kind: str = "csv",
        delimiter: str | None = None,
        header: bool | None = None,
        target: str | int | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        categorical: Sequence[str | int] | None = None,
        names: Sequence[str] | None = None,
        skip: bool = False,
        skipped_to: str | None = None,
    ) -> None:
        super().__init__(inputs, skip=skip, skipped_to=skipped_to)
        self.format = kind
        delimiter = "\t" if kind == "tsv" else delimiter
        self._layouts = _layouts(self.inputs, delimiter, header)
        self.layout = layout = self._layouts[0]
        self.quoted = layout.delimiter
        place = None
        if labelled:
            known = known_columns(names or (), layout.names or ())
            place = target_place(self.name, layout.names, layout.width, target, known)
        first_words = [
            k < len(layout.first) and looks_like_word(layout.first[k]) for k in range(layout.width)
        ]
        columns = find_columns(self.name, layout.names, first_words, place, categorical, names)
        self._table = Table(layout, columns, decimal, skip)
        self._known, self._features, self._word_labels = names, features, word_labels
        self.target_name = None if place is None or layout.names is None else layout.names[place]
        if not columns.categorical:
            check_features(self.name, len(columns.numbers), features)
        elif decimal:
            words = layout.column(columns.categorical[0])
            raise data_error(
                self.name,
                None,
                f"decimal=True is for tables of numbers, but {words} holds categories: leave that"
                " column or decimal=True out",
            )
        self._heads: dict[tuple[int, int], int] = {}
        self._begin_names()
        self._fresh()

    def header_lines(self, file: int) -> int:
        """How many lines come before the rows of a file."""
        return self._layouts[file].header

    def _fresh(self) -> None:
        # Values of categories stay known: it is the same data, and a learner is as wide as all.
        self._labels = Labels(self.name, self._word_labels)

    def _begin_names(self) -> None:
        layout, columns = self.layout, self._table.columns
        names = [columns.names[place] for place in columns.numbers]
        self._categories = None
        if columns.categorical:
            called = [columns.names[place] for place in columns.categorical]
            self._categories = Categories(self.name, called, names, self._known)
            self.categories = called
            names += self._categories.names
        nameless = layout.names is None and self._categories is None
        self.feature_names = None if nameless else names

    def _blocks(self, start: Place) -> Iterator[Block]:
        """The blocks, for each of which it is noted how many lines of it are a header's."""
        left = {number: layout.header for number, layout in enumerate(self._layouts)}
        if start.offset:
            left[start.file] = 0
        for block in super()._blocks(start):
            if left[block.file]:
                ends = int(np.count_nonzero(block.text == _LINE_FEED))
                here = min(left[block.file], ends)
                self._heads[block.file, block.offset] = here
                left[block.file] -= here
            yield block

    def _parse(self, block: Block) -> TableRows:
        header = self._heads.get((block.file, block.offset), 0)
        return read_rows(block.text, header, self._table, self._categories)

    def _chunk(self, parsed: TableRows, file: int, line: int) -> Chunk:
        lines = parsed.lines + (line + 1)
        y = None
        if parsed.labels is not None:
            y = self._labels.take(parsed.labels, lines, self.inputs[file].name)
        if self._categories is None or parsed.values is None:
            return Chunk(parsed.numbers, y, lines, parsed.exact)
        features = self._categories.take(parsed.values)
        X = one_hot(parsed.numbers, parsed.values.codes, features, self._width())
        return Chunk(X, y, lines)

    def _width(self) -> int:
        """How wide rows are now; names grow with them."""
        categories, names = self._categories, self.feature_names
        assert categories is not None
        assert names is not None
        names += categories.names[len(names) - len(self._table.columns.numbers) :]
        if self._features is None:
            return categories.width
        if categories.width > self._features:
            check_features(self.name, categories.width, self._features)
        return self._features

    def _no_rows(self) -> str:
        if self.skipped:
            return f"no rows are left: all {self.skipped} are bad, expected at least one good row"
        return "no rows after the header, expected at least one"

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far: also the values of its categories, in order."""
        values = [] if self._categories is None else self._categories.memory()
        return {**super().memory(), "words": self._labels.words, "values": values}

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        super().remember(memory)
        self._word_labels = self._word_labels or bool(memory["words"])
        self._fresh()
        self._labels.words = memory["words"]
        self._begin_names()
        if self._categories is not None:
            self._categories.remember(memory["values"])
            self._width()

    def remarks(self) -> list[str]:
        """Which columns are categories."""
        found = super().remarks()
        return found if self._categories is None else [*found, self._categories.remark()]


def _layouts(inputs: Sequence[Input], delimiter: str | None, header: bool | None) -> list[Layout]:
    """The layout of each file, all of them alike."""
    layouts = [find_layout(given, delimiter=delimiter, header=header) for given in inputs]
    for given, layout in zip(inputs[1:], layouts[1:], strict=True):
        refuse_other_layout(given, layout, inputs[0], layouts[0])
    return layouts
