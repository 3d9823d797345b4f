"""Tables as text: CSV, TSV and columns lined up with blanks. Features are numbers."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import DataError
from novikoff.sources.base import CHUNK_ROWS, Chunk, Exact, Lines, Source, checked_rows, data_error
from novikoff.sources.decimals import BadTokenError, fractions, joined_exact, numbers, tokens
from novikoff.sources.inputs import Input
from novikoff.sources.labels import Labels
from novikoff.sources.layout import find_layout
from novikoff.sources.records import Fields, field_batches
from novikoff.sources.tokens import is_missing, reads_as_float

_WORD_HINT = "; only the target column may hold words"


class _Batch(NamedTuple):
    X: NDArray[np.float64]
    exact: Exact | None
    labels: list[str]
    lines: Lines


class TableSource(Source):
    """Rows of a text table; `layout` says what was told or found out about its columns."""

    def __init__(
        self,
        given: Input,
        *,
        kind: str = "csv",
        delimiter: str | None = None,
        header: bool | None = None,
        target: str | int | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
    ) -> None:
        self.name, self.format, self.replayable = given.name, kind, given.replayable
        self._input, self._decimal = given, decimal
        self.layout = find_layout(
            given,
            delimiter="\t" if kind == "tsv" else delimiter,
            header=header,
            target=target,
            features=features,
            labelled=labelled,
        )
        names, place = self.layout.names, self.layout.target
        if names is not None:
            self.feature_names = [name for i, name in enumerate(names) if i != place]
            self.target_name = None if place is None else names[place]

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""
        labels = Labels(self.name)
        for batch in self._batches(checked_rows(rows)):
            yield self._chunk(batch, labels)

    def read(self) -> Chunk:
        """All rows at once."""
        batches = list(self._batches(CHUNK_ROWS))
        whole = _Batch(
            np.concatenate([batch.X for batch in batches]),
            joined_exact([batch.exact for batch in batches]),
            [label for batch in batches for label in batch.labels],
            np.concatenate([batch.lines for batch in batches]),
        )
        return self._chunk(whole, Labels(self.name))

    def _chunk(self, batch: _Batch, labels: Labels) -> Chunk:
        unlabelled = self.layout.target is None
        y = None if unlabelled else labels.convert(batch.labels, batch.lines)
        return Chunk(batch.X, y, batch.lines, batch.exact)

    def _batches(self, rows: int) -> Iterator[_Batch]:
        layout, lines = self.layout, enumerate(self._input.lines(), 1)
        numbered = (pair for pair in lines if pair[0] >= layout.first_line)
        for fields in field_batches(self.name, numbered, layout.delimiter, layout.width, rows):
            yield self._batch(fields)

    def _batch(self, fields: Fields) -> _Batch:
        width, target = self.layout.width, self.layout.target
        found = tokens(fields.raw, fields.separator)
        places = np.arange(len(found.ends)).reshape(-1, width)
        labels: list[str] = []
        if target is not None:
            labels = [found.word(place).strip() for place in places[:, target]]
            places = np.delete(places, target, axis=1)
        try:
            values = numbers(found, places.reshape(-1))
            exact = fractions(found, places.reshape(-1)) if self._decimal else None
        except BadTokenError as problem:
            row, column = divmod(problem.place, places.shape[1])
            place = int(places[row, column])
            raise self._bad_field(fields.lines[row], place, found.word(place), problem) from None
        return _Batch(
            values.reshape(places.shape),
            None if exact is None else exact.reshape(places.shape),
            labels,
            np.array(fields.lines, dtype=np.int64),
        )

    def _bad_field(self, line: int, place: int, token: str, problem: BadTokenError) -> DataError:
        column = self.layout.column(place % self.layout.width)
        hint = "" if is_missing(token) or reads_as_float(token) else _WORD_HINT
        return data_error(self.name, line, f"{column}: {problem}{hint}")
