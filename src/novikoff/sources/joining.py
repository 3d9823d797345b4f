"""Several arrays on disk as one."""

from collections.abc import Iterator, Sequence

from novikoff.sources.base import BlockSource, Chunk, Source, data_error
from novikoff.sources.sparse import joined


def joined_source(sources: Sequence[BlockSource]) -> Source:
    """The rows of each, one source after another."""
    return sources[0] if len(sources) == 1 else JoinedSource(sources)


class JoinedSource(Source):
    """Arrays of one width and one layout, one after another."""

    def __init__(self, sources: Sequence[BlockSource]) -> None:
        first, more = sources[0], len(sources) - 1
        self.name = f"{first.name} and {more} more file{'s' * (more > 1)}"
        self.format = first.format
        self.paths = tuple(path for source in sources for path in source.paths)
        self.sources = list(sources)
        starts = [sum(each.rows for each in sources[:k]) for k in range(len(sources))]
        self.files = list(zip((each.name for each in sources), starts, strict=True))

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """Go through the rows once, in order, at most `rows` of them at a time."""
        first: Chunk | None = None
        for source in self.sources:
            for chunk in source.chunks(rows):
                first = first or chunk
                _refuse_other(source.name, chunk, self.sources[0].name, first)
                yield chunk

    def read(self) -> Chunk:
        """All rows at once, in memory."""
        return joined(list(self.chunks()))


def refuse_other_width(sources: Sequence[BlockSource]) -> None:
    """Arrays that are read as one must have the same columns; of each one row is looked at."""
    first = sources[0].between(0, 1)
    for source in sources[1:]:
        _refuse_other(source.name, source.between(0, 1), sources[0].name, first)


def _refuse_other(name: str, chunk: Chunk, first_name: str, first: Chunk) -> None:
    width, kind = first.X.shape[1], type(first.X)
    if (chunk.X.shape[1], type(chunk.X)) != (width, kind):
        raise data_error(
            name,
            None,
            f"the number of feature columns is {chunk.X.shape[1]}, expected {width} as in"
            f" {first_name}, and all files dense or all sparse",
        )
