"""A source in memory."""

from collections.abc import Iterator
from typing import Any

from novikoff.data.chunk import Chunk, LabelArray
from novikoff.data.loader import cached_if_large
from novikoff.data.source import Opening, Source
from novikoff.data.text.csv.categories import levels_of
from novikoff.errors import DataError


class LoadedSource(Source):
    """A source that was read once and is kept in memory, or mapped from its cache."""

    def __init__(self, source: Source) -> None:
        categories = source.info.categories  # a cache has names only
        source = cached_if_large(source)
        self.chunk = source.read()
        info = source.info._replace(
            paths=(), feature_names=source.feature_names, categories=categories
        )
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
