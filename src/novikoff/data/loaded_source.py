"""A source in memory."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from novikoff.data.chunk import Chunk, LabelArray
from novikoff.data.formula.factors import Factor
from novikoff.data.loader import cached_if_large
from novikoff.data.source import Opening, Source
from novikoff.data.sparse import Matrix
from novikoff.data.text.csv.categories import levels_of
from novikoff.data.text.csv.identifiers import identifiers
from novikoff.data.text.tokens import shown
from novikoff.errors import DataError


class LoadedSource(Source):
    """A source that was read once and is kept in memory, or mapped from its cache.

    aside: columns that are no features, by their names; `aside` has their values, which are words
    where the column has words. factors: those of a formula, which have no column for a reference.
    """

    def __init__(self, source: Source, aside: Sequence[str] = ()) -> None:
        categories = source.info.categories  # a cache has names only
        source = cached_if_large(source)
        self.chunk, names = source.read(), source.feature_names
        self.aside: dict[str, LabelArray] = {}
        self.factors: Sequence[Factor] = ()
        if aside:
            levels = levels_of(categories, names or ())
            self.aside = _columns(source, self.chunk, names or [], levels, aside)
            gone = {k for each in aside for k in levels.get(each, {}).values()}
            kept = [k for k, name in enumerate(names or ()) if name not in aside and k not in gone]
            self.chunk, names = _narrowed(self.chunk, kept), [(names or [])[k] for k in kept]
            categories = tuple(each for each in categories if each not in aside)
        info = source.info._replace(paths=(), feature_names=names, categories=categories)
        super().__init__(
            info, Opening(options=source.opening.options, cache=False)
        )  # it needs none
        self.found = source.found
        self._lines, self._source = self.chunk.lines, source
        if len(self.files) > 1:  # a line alone would not say of which file it is
            chunk = self.chunk
            self.chunk = Chunk(chunk.X, chunk.y, None, chunk.exact, weights=chunk.weights)
        self.by_number = self.chunk.lines is None  # whether rows are named by their numbers

    @property
    def features(self) -> int:
        return int(self.chunk.X.shape[1])

    @property
    def levels(self) -> dict[str, dict[str, int]]:
        """The columns of words: their values, and the feature of each."""
        return levels_of(self.info.categories, self.feature_names or ())

    @cached_property
    def identifiers(self) -> list[str]:
        """The columns that look like names of rows."""
        levels = {each.name: each.levels for each in self.factors} | self.levels
        return identifiers(self.chunk.X, self.feature_names or (), levels)

    @property
    def labels(self) -> LabelArray:
        """All labels, which must be there."""
        if self.chunk.y is None:
            raise DataError(f"{self.name}: the rows have no labels")
        return self.chunk.y

    def label(self, row: int) -> Any:
        """The label of a row."""
        return self.labels[row]

    @property
    def index_options(self) -> dict[str, Any]:
        """The options of the source itself."""
        return self._source.index_options

    def notes(self) -> list[str]:
        """The notes of the source itself."""
        return self._source.notes()

    @property
    def spelled(self) -> str:
        """What to name it by in a command: its files, if they are few enough to read."""
        paths = self._source.paths
        return self.name if len(paths) < 2 else " ".join(paths) if len(paths) < 5 else "DATA"

    def where(self, row: int) -> str:
        """The place of a row for a person: its line, and its file if there are several."""
        if self._lines is None:
            return f"row {row}"
        line = f"line {int(self._lines[row])}"
        if len(self.files) < 2:
            return line
        name = [name for name, first in self.files if first <= row][-1]
        return f"row {row}, {name} {line}"

    def read(self) -> Chunk:
        """All rows at once."""
        return self.chunk

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """All rows in one chunk: they are in memory."""
        yield self.chunk


def _columns(
    source: Source,
    chunk: Chunk,
    names: Sequence[str],
    levels: Mapping[str, Mapping[str, int]],
    wanted: Sequence[str],
) -> dict[str, LabelArray]:
    """The values of these columns."""
    found: dict[str, LabelArray] = {}
    for column in wanted:
        if column == source.target_name:
            raise DataError(f"{source.name}: {shown(column)} is the column of labels already")
        if names.count(column) == 1 and chunk.exact is not None:
            found[column] = chunk.exact[:, names.index(column)]  # only tables of numbers have such
        elif names.count(column) == 1:
            found[column] = _dense(chunk.X, [names.index(column)])[:, 0]
        elif column in levels:
            words, places = np.array([*levels[column]]), [*levels[column].values()]
            found[column] = words[_dense(chunk.X, places).argmax(axis=1)]
        else:
            raise _no_column(source, names, levels, column)
    return found


def _dense(X: Matrix, places: Sequence[int]) -> Any:
    return X[:, places] if isinstance(X, np.ndarray) else X[:, places].toarray()


def _narrowed(chunk: Chunk, kept: Sequence[int]) -> Chunk:
    """The rows with these columns only."""
    exact = None if chunk.exact is None else chunk.exact[:, kept]
    return Chunk(chunk.X[:, kept], chunk.y, chunk.lines, exact, chunk.end, chunk.weights)


def _no_column(
    source: Source, names: Sequence[str], levels: Mapping[str, object], column: str
) -> DataError:
    known = dict.fromkeys([name for name in names if "=" not in name] + [*levels])
    if not known:
        return DataError(f"{source.name}: no column {shown(column)}: the rows carry no names")
    if list(names).count(column) > 1:
        return DataError(f"{source.name}: several columns are called {shown(column)}")
    close = get_close_matches(column, [*known], 1, cutoff=0.5)
    some = ", ".join(map(shown, [*known][:8])) + ", ..." * (len(known) > 8)
    hint = f"did you mean {shown(close[0])}?" if close else f"there are {some}"
    return DataError(f"{source.name}: no column {shown(column)}: {hint}")
