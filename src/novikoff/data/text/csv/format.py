"""Tables as text: CSV, TSV and columns lined up with blanks. Features are numbers or categories."""

from collections.abc import Mapping, Sequence
from typing import Any

from novikoff.data.chunk import Chunk
from novikoff.data.errors import file_error
from novikoff.data.files.blocks import Block
from novikoff.data.files.inputs import Input
from novikoff.data.text.csv.block import CsvBlock, CsvOptions, parse_block
from novikoff.data.text.csv.categories import (
    ColumnChoice,
    TableFeatures,
    find_columns,
    known_columns,
    looks_like_word,
)
from novikoff.data.text.csv.header import (
    TableHeader,
    find_layout,
    refuse_other_layout,
    target_place,
)
from novikoff.data.text.format import TextFormat
from novikoff.data.text.labels import Labels


class CsvFormat(TextFormat[CsvBlock]):
    """Text tables of one layout, and the values of categories that a pass has found so far.

    source: what messages call the files together. names: the features of a model; then its columns
    are read as it knows them, and a value of a category that it does not know is a bad row.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        source: str,
        kind: str = "csv",
        delimiter: str | None = None,
        header: bool | None = None,
        target: str | int | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        categorical: Sequence[str | int] | None = None,
        columns: Sequence[str | int] | None = None,
        drop: Sequence[str | int] | None = None,
        names: Sequence[str] | None = None,
        skip: bool = False,
    ) -> None:
        self.name = kind
        delimiter = "\t" if kind == "tsv" else delimiter
        self._layouts = _layouts(inputs, delimiter, header)
        layout = self._layouts[0]
        self.quoted = layout.delimiter
        place = None
        if labelled:
            known = known_columns(names or (), layout.names or ())
            place = target_place(source, layout.names, layout.width, target, known)
        first_words = [
            k < len(layout.first) and looks_like_word(layout.first[k]) for k in range(layout.width)
        ]
        choice = ColumnChoice(categorical, columns, drop)
        found = find_columns(source, layout.names, first_words, place, choice, names)
        if decimal and found.categorical:
            words = layout.column(found.categorical[0])
            raise file_error(
                source,
                f"decimal=True is for tables of numbers, but {words} holds categories: leave that"
                " column or decimal=True out",
            )
        self.target_name = None if place is None or layout.names is None else layout.names[place]
        self._options = CsvOptions(layout, found, decimal, skip)
        self._features = TableFeatures(source, found, names, features)
        self.categories = tuple(self._features.categories)
        self._labels = Labels(word_labels)

    def parse(self, block: Block) -> CsvBlock:
        return parse_block(block.text, block.header, self._options, self._features)

    def chunk(self, parsed: CsvBlock, name: str, line: int) -> Chunk:
        lines, y = parsed.lines + (line + 1), None
        if parsed.labels is not None:
            y = self._labels.take(parsed.labels, lines, name)
        X = self._features.matrix(parsed.numbers, parsed.values)
        return Chunk(X, y, lines, parsed.exact)

    def state_dict(self) -> dict[str, Any]:
        """The kind of labels, and the values of categories in order."""
        return {"words": self._labels.words, "values": self._features.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._labels.restore(state["words"])
        self._features.load_state_dict(state["values"])

    def no_rows(self, skipped: int) -> str:
        if skipped:
            return f"no rows are left: all {skipped} are bad, expected at least one good row"
        return "no rows after the header, expected at least one"

    def header_lines(self, file: int) -> int:
        return self._layouts[file].header

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns; None where there is no header and no category."""
        nameless = self._layouts[0].names is None and not self.categories
        return None if nameless else self._features.names

    def notes(self) -> list[str]:
        """Which columns are categories."""
        return self._features.notes()


def _layouts(
    inputs: Sequence[Input], delimiter: str | None, header: bool | None
) -> list[TableHeader]:
    """The layout of each file, all of them alike."""
    layouts = [find_layout(given, delimiter=delimiter, header=header) for given in inputs]
    for given, layout in zip(inputs[1:], layouts[1:], strict=True):
        refuse_other_layout(given, layout, inputs[0], layouts[0])
    return layouts
