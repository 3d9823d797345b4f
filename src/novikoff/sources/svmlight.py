"""Sparse rows as text: `label index:value index:value # comment` (SVMlight, LIBSVM)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from novikoff.errors import DataError
from novikoff.sources.base import START, Chunk, LateError, Place, data_error
from novikoff.sources.blocks import Block
from novikoff.sources.inputs import Input
from novikoff.sources.labels import Labels
from novikoff.sources.pairs import Pairs, parse
from novikoff.sources.sparse import csr
from novikoff.sources.text import TextSource


class SvmlightSource(TextSource):
    """Rows of SVMlight files.

    The format does not say whether its first index is 0 or 1. Unless told by `zero_based`, an
    index 0 in the first block means 0, otherwise 1: what is found out to be wrong later is an error
    that a second pass mends. `index_base` is what was told or found, None before the first pair.

    A chunk is as wide as the largest index so far demands, or as `features` says.
    """

    format = "svmlight"

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        zero_based: bool | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        skip: bool = False,
        skipped_to: str | None = None,
    ) -> None:
        super().__init__(inputs, skip=skip, skipped_to=skipped_to)
        self._features, self._labelled, self._decimal = features, labelled, decimal
        self._word_labels = word_labels
        self._told = None if zero_based is None else 1 - zero_based
        self.index_base: int | None = self._told
        self.zero_found = False  # whether an index 0 has come
        self._fresh()

    def _fresh(self) -> None:
        # The first index stays known: it is the same data.
        self._labels, self._width = Labels(self.name, self._word_labels), 0

    def _no_rows(self) -> str:
        return "no rows: the file is empty or all comments, expected lines such as '+1 3:0.5 7:1'"

    def _parse(self, block: Block) -> Pairs:
        return parse(block.text, labelled=self._labelled, decimal=self._decimal, skip=self.skip)

    def chunks(self, rows: int | None = None, start: Place = START) -> Iterator[Chunk]:
        """Go through the rows once; a chunk is as wide as the largest index so far demands."""
        yield from super().chunks(rows, start)
        if self._width == 0 and not self.partial:
            raise data_error(
                self.name,
                None,
                "no row has a feature, expected lines such as '+1 3:0.5 7:1': check the format",
            )

    def _chunk(self, parsed: Pairs, file: int, line: int) -> Chunk:
        name, lines = self.inputs[file].name, parsed.lines + (line + 1)
        if parsed.indices.size:
            self._settle(parsed, name, line)
        X = csr(parsed.starts, parsed.indices, parsed.values, self._features or self._width)
        y = self._labels.take(parsed.labels, lines, name) if self._labelled else None
        return Chunk(X, y, lines, parsed.exact)

    def _settle(self, parsed: Pairs, name: str, line: int) -> None:
        """Count the indices from 0, and see how many columns they take."""
        indices = parsed.indices
        smallest, largest = int(indices.min()), int(indices.max())
        self.zero_found = self.zero_found or smallest == 0
        if self.index_base is None:
            self.index_base = 0 if smallest == 0 else 1
        base = self.index_base
        if smallest < base:
            raise self._zero(parsed, name, line)
        if self._features is not None and largest - base >= self._features:
            raise self._beyond(parsed, name, line, self._features - 1 + base)
        self._width = max(self._width, largest - base + 1)
        indices -= base

    def _zero(self, parsed: Pairs, name: str, line: int) -> DataError:
        _, below, column = parsed.find(lambda index: index == 0)
        if self._told is not None:
            problem = (
                "found index '0', expected an index from 1 on: pass zero_based=True, or leave"
                " zero_based=False out"
            )
            return data_error(name, line + below + 1, problem, column)
        problem = (
            "found index '0', but no row before it had one, so indices were taken to start at 1,"
            " expected an index from 1 on: pass zero_based=True"
        )
        late = data_error(name, line + below + 1, problem, column)
        return LateError(str(late), late.spot, zero_based=True)

    def _beyond(self, parsed: Pairs, name: str, line: int, most: int) -> DataError:
        index, below, column = parsed.find(lambda index: index > most)
        return data_error(
            name,
            line + below + 1,
            f"found index '{index}', expected at most {most} for {self._features} features counted"
            f" from {self.index_base}: raise features, or drop that feature",
            column,
        )

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far: the first index, the width, the kind of labels."""
        return super().memory() | {
            "index_base": self.index_base,
            "zero_found": self.zero_found,
            "width": self._width,
            "words": self._labels.words,
        }

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        super().remember(memory)
        self.index_base, self._width = memory["index_base"], int(memory["width"])
        self.zero_found = bool(memory["zero_found"])
        self._word_labels = self._word_labels or bool(memory["words"])
        self._labels = Labels(self.name, self._word_labels)
        self._labels.words = memory["words"]

    @property
    def numbering(self) -> dict[str, Any]:
        """Whether another file's indices count from 0 too."""
        return {} if self.index_base is None else {"zero_based": self.index_base == 0}

    def remarks(self) -> list[str]:
        """Where the indices start, if it was found out.

        It may have been told only because an earlier pass had found a 0, so that is said anyway.
        """
        remarks = super().remarks()
        if self.index_base == 0 and self.zero_found:
            remarks.append("indices count from 0: an index 0 was found")
        elif self.index_base == 1 and self._told is None:
            remarks.append("indices count from 1: no index 0 was found")
        return remarks
