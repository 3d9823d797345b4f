"""Sparse rows as text: `label index:value index:value # comment` (SVMlight, LIBSVM)."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from novikoff.sources.base import CHUNK_ROWS, Chunk, Source, checked_rows, data_error
from novikoff.sources.inputs import Input
from novikoff.sources.labels import Labels
from novikoff.sources.pairs import Line, Pairs, joined, parse
from novikoff.sources.sparse import Ints, column_order, csr, first_repeat
from novikoff.sources.tokens import shown


class SvmlightSource(Source):
    """Rows of an SVMlight file.

    The format does not say whether its first index is 0 or 1. Unless told by `zero_based`, an
    index 0 anywhere means 0, otherwise 1: `read` looks at the whole file, `chunks` at the first
    chunk. `index_base` is what was told or found, None before the first row was read.
    """

    format = "svmlight"

    def __init__(
        self,
        given: Input,
        *,
        zero_based: bool | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
    ) -> None:
        self.name, self.replayable = given.name, given.replayable
        self._input, self._features, self._labelled = given, features, labelled
        self._decimal = decimal
        self._told = None if zero_based is None else 1 - zero_based
        self.index_base: int | None = self._told

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[Chunk]:
        """Go through the rows once; a chunk is as wide as the largest index so far demands."""
        labels, width = Labels(self.name), 0
        for pairs in self._batches(checked_rows(rows)):
            if self.index_base is None:
                self.index_base = _detected_base(pairs)
            chunk = self._chunk(pairs, labels, width)
            width = chunk.X.shape[1]
            yield chunk
        self._refuse_no_features(width)

    def read(self) -> Chunk:
        """All rows at once."""
        pairs = joined(list(self._batches(CHUNK_ROWS)))
        self.index_base = _detected_base(pairs) if self._told is None else self._told
        chunk = self._chunk(pairs, Labels(self.name), 0)
        self._refuse_no_features(chunk.X.shape[1])
        return chunk

    def _batches(self, rows: int) -> Iterator[Pairs]:
        """Rows as they are written, without comments and blank lines."""
        numbered = (
            Line(number, text)
            for number, line in enumerate(self._input.lines(), 1)
            if (text := line.partition("#")[0].strip())
        )
        empty = True
        while batch := list(islice(numbered, rows)):
            empty = False
            yield parse(self.name, batch, self._labelled, self._decimal)
        if empty:
            raise data_error(
                self.name,
                None,
                "no rows: the file is empty or all comments, expected lines such as '+1 3:0.5 7:1'",
            )

    def _chunk(self, pairs: Pairs, labels: Labels, width: int) -> Chunk:
        """The rows as a matrix at least `width` columns wide, and their labels."""
        base = self.index_base or 0
        if base and (pairs.indices == 0).any():
            raise data_error(self.name, _line_of(pairs, 0), self._zero_in_one_based())
        order = column_order(pairs.starts, pairs.indices)
        columns = pairs.indices[order] - base
        width = self._checked_width(pairs, columns, width)
        X = csr(pairs.starts, columns, pairs.values[order], width)
        y = labels.convert(pairs.labels, pairs.lines) if self._labelled else None
        return Chunk(X, y, pairs.lines, None if pairs.exact is None else pairs.exact[order])

    def _checked_width(self, pairs: Pairs, columns: Ints, width: int) -> int:
        """How many columns it takes; none may come twice, or be beyond those asked for."""
        base = self.index_base or 0
        if repeat := first_repeat(pairs.starts, columns):
            row, column = repeat
            raise data_error(
                self.name,
                int(pairs.lines[row]),
                f"index {shown(str(column + base))} "
                "appears twice in this row, expected each index once: drop one of "
                "them, or add the two values",
            )
        width = max(width, int(columns.max(initial=-1)) + 1)
        if self._features is not None and width > self._features:
            self._refuse_index(pairs, self._features - 1 + base)
        return self._features or width

    def _zero_in_one_based(self) -> str:
        if self._told is None:
            return (
                "found index '0', but no row before it had one, so indices were taken to start"
                " at 1, expected an index from 1 on: pass zero_based=True"
            )
        return (
            "found index '0', expected an index from 1 on: pass zero_based=True, or leave "
            "zero_based=False out"
        )

    def _refuse_index(self, pairs: Pairs, largest: int) -> None:
        index = int(pairs.indices[pairs.indices > largest][0])
        raise data_error(
            self.name,
            _line_of(pairs, index),
            f"found index '{index}', expected at "
            f"most {largest} for {self._features} features counted from "
            f"{self.index_base}: raise features, or drop that feature",
        )

    def _refuse_no_features(self, width: int) -> None:
        if width == 0:
            raise data_error(
                self.name,
                None,
                "no row has a feature, expected lines such as '+1 3:0.5 7:1': check the format",
            )


def _detected_base(pairs: Pairs) -> int:
    return 0 if (pairs.indices == 0).any() else 1


def _line_of(pairs: Pairs, index: int) -> int:
    """The line of the first row that has the index."""
    place = int(np.flatnonzero(pairs.indices == index)[0])
    row = int(np.searchsorted(pairs.starts, place, side="right")) - 1
    return int(pairs.lines[row])
