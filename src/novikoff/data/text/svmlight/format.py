"""Sparse rows as text: `label index:value index:value # comment` (SVMlight, LIBSVM)."""

from collections.abc import Mapping
from typing import Any

from novikoff.data.chunk import Chunk
from novikoff.data.errors import RereadError, data_error
from novikoff.data.files.blocks import Block
from novikoff.data.sparse import csr
from novikoff.data.text.format import TextFormat
from novikoff.data.text.labels import Labels
from novikoff.data.text.svmlight.block import SvmlightBlock, SvmlightOptions, parse_block
from novikoff.errors import DataError


class SvmlightFormat(TextFormat[SvmlightBlock]):
    """SVMlight's text, and the indices that a pass has found so far.

    The format does not say whether its first index is 0 or 1. Unless told by `zero_based`, an
    index 0 in the first block means 0, otherwise 1: what is found out to be wrong later is an error
    that a second pass mends. `index_base` is what was told or found, None before the first pair.

    A chunk is as wide as the largest index so far demands, or as `features` says.
    """

    name = "svmlight"

    def __init__(
        self,
        *,
        zero_based: bool | None = None,
        decimal: bool = False,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        skip: bool = False,
    ) -> None:
        self._features, self._options = features, SvmlightOptions(labelled, decimal, skip)
        self._given_base = None if zero_based is None else 1 - zero_based
        self.index_base: int | None = self._given_base
        self.zero_found = False  # whether an index 0 has come
        self._labels, self._width = Labels(word_labels), 0

    def parse(self, block: Block) -> SvmlightBlock:
        return parse_block(block.text, self._options)

    def chunk(self, parsed: SvmlightBlock, name: str, line: int) -> Chunk:
        lines = parsed.lines + (line + 1)
        if parsed.indices.size:
            self._settle(parsed, name, line)
        X = csr(parsed.starts, parsed.indices, parsed.values, self._features or self._width)
        y = self._labels.take(parsed.labels, lines, name) if self._options.labelled else None
        return Chunk(X, y, lines, parsed.exact)

    def _settle(self, parsed: SvmlightBlock, name: str, line: int) -> None:
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

    def _zero(self, parsed: SvmlightBlock, name: str, line: int) -> DataError:
        _, below, column = parsed.find(lambda index: index == 0)
        if self._given_base is not None:
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
        return RereadError(str(late), late.spot, zero_based=True)

    def _beyond(self, parsed: SvmlightBlock, name: str, line: int, most: int) -> DataError:
        index, below, column = parsed.find(lambda index: index > most)
        return data_error(
            name,
            line + below + 1,
            f"found index '{index}', expected at most {most} for {self._features} features counted"
            f" from {self.index_base}: raise features, or drop that feature",
            column,
        )

    def start_over(self) -> None:
        """Forget also the width; the first index is the same."""
        super().start_over()
        self._width = 0

    def state_dict(self) -> dict[str, Any]:
        """The first index, the width, the kind of labels."""
        return {
            "index_base": self.index_base,
            "zero_found": self.zero_found,
            "width": self._width,
            "words": self._labels.words,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.index_base, self._width = state["index_base"], int(state["width"])
        self.zero_found = bool(state["zero_found"])
        self._labels.restore(state["words"])

    def no_rows(self, skipped: int) -> str:
        return "no rows: the file is empty or all comments, expected lines such as '+1 3:0.5 7:1'"

    def no_features(self) -> str | None:
        if self._width:
            return None
        return "no row has a feature, expected lines such as '+1 3:0.5 7:1': check the format"

    @property
    def index_options(self) -> dict[str, Any]:
        """Whether another file's indices count from 0 too."""
        return {} if self.index_base is None else {"zero_based": self.index_base == 0}

    @property
    def lowest_index(self) -> int | None:
        """0 if there is an index 0, else 1; None if it was told."""
        return None if self._given_base is not None else 1 - self.zero_found

    def notes(self) -> list[str]:
        """Where the indices start, if it was found out.

        It may have been told only because an earlier pass had found a 0, so that is said anyway.
        """
        if self.index_base == 0 and self.zero_found:
            return ["indices count from 0: an index 0 was found"]
        if self.index_base == 1 and self._given_base is None:
            return ["indices count from 1: no index 0 was found"]
        return []
