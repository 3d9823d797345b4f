"""Several arrays on disk as one."""

from collections.abc import Iterator, Sequence

from novikoff.data.chunk import Chunk
from novikoff.data.errors import file_error
from novikoff.data.source import Opening, RandomAccessSource, Source, SourceInfo, joint_name


class ConcatenatedSource(Source):
    """Arrays of one width and one layout, one after another."""

    def __init__(self, sources: Sequence[RandomAccessSource], opening: Opening) -> None:
        paths = tuple(path for source in sources for path in source.paths)
        info = SourceInfo(joint_name([each.name for each in sources]), sources[0].format, paths)
        super().__init__(info, opening)
        self.sources = list(sources)
        starts = [sum(each.rows for each in sources[:k]) for k in range(len(sources))]
        self.found.files = list(zip((each.name for each in sources), starts, strict=True))

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        first: Chunk | None = None
        for source in self.sources:
            for chunk in source.chunks(rows):
                first = first or chunk
                _refuse_other(source.name, chunk, self.sources[0].name, first)
                yield chunk


def refuse_other_width(sources: Sequence[RandomAccessSource]) -> None:
    """Arrays that are read as one must have the same columns; of each one row is looked at."""
    first = sources[0].slice(0, 1)
    for source in sources[1:]:
        _refuse_other(source.name, source.slice(0, 1), sources[0].name, first)


def _refuse_other(name: str, chunk: Chunk, first_name: str, first: Chunk) -> None:
    width, kind = first.X.shape[1], type(first.X)
    if (chunk.X.shape[1], type(chunk.X)) != (width, kind):
        raise file_error(
            name,
            f"the number of feature columns is {chunk.X.shape[1]}, expected {width} as in"
            f" {first_name}, and all files dense or all sparse",
        )
