"""Vowpal Wabbit's text: rows of named features in namespaces.

    [label [importance [base]]] ['tag]|namespace[:scale] name[:value] name ... |namespace ...
    1 'zebra |animal:0.5 height:1.5 striped |place africa

A feature is called namespace^name, as Vowpal Wabbit's --audit prints it, or name alone in a
namespace without a name; `city:paris` is a feature city^paris of value 1. Its value is exactly
float(token), or scale * float(token) rounded once, and 1 or the scale where none is given. Values
of one name in one row are added in the order of their appearance. Features of value 0 are kept.
Names are told apart as they are printed, so that `|n a` and `| n^a` are one feature.

An importance is the weight of the row: learning sees the row multiplied by it, and a row of
importance 0 is left out, unless rows are read to be predicted. A base other than 0 is refused: a
rule that counts mistakes has no place for it. So are labels with colons, names that are not UTF-8,
a value or a scale that is no finite number, and what Vowpal Wabbit would only warn of.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Chunk
from novikoff.data.errors import data_error
from novikoff.data.files.blocks import Block
from novikoff.data.sparse import LARGEST_INDEX, csr
from novikoff.data.text.format import TextFormat
from novikoff.data.text.labels import Labels
from novikoff.data.text.tokens import shown
from novikoff.data.text.vw.block import VwBlock, VwOptions, parse_block
from novikoff.data.text.vw.feature_index import Collisions, FeatureIndex, checked_bits
from novikoff.errors import ParameterError
from novikoff.number_text import count


class VwFormat(TextFormat[VwBlock]):
    """Vowpal Wabbit's text, and the names that a pass has found so far.

    hash_bits: number the features by a hash of their names (`feature_index.hash_of`), with
    2^hash_bits columns in all, which no names are kept of; values that come to the same column of a
    row are added. names: the only features to read, in this order; others are left out and counted.
    Otherwise a dictionary numbers them in the order of their first appearance.

    labelled: if False, whatever is before the first bar of a line is dropped. weightless: whether
    rows of importance 0 are kept, with that weight.
    """

    name = "vw"

    def __init__(
        self,
        *,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        hash_bits: int | None = None,
        names: Sequence[str] | None = None,
        skip: bool = False,
        weightless: bool = False,
    ) -> None:
        self._weightless = weightless
        self._features, self._labelled, self._skip = features, labelled, skip
        self._bits = None if hash_bits is None else checked_bits(hash_bits)
        self._closed = names is not None
        self._index = FeatureIndex() if names is None else FeatureIndex.of(names)
        self._check_width()
        self._collisions = None if self._bits is None else Collisions(self._bits)
        self._labels, self._left_out = Labels(word_labels), 0
        self._weighted, self._dropped = False, 0  # what was found of importances

    def _check_width(self) -> None:
        if self._bits is not None and self._closed:
            raise ParameterError(
                "names and hash_bits contradict each other: a hash has no names; pass one of them"
            )
        width = len(self._index) if self._closed else None
        width = width if self._bits is None else 2**self._bits
        if width is not None and self._features not in (None, width):
            raise ParameterError(
                f"found features={self._features}, expected {width}: there are so many"
                f" {'names' if self._bits is None else 'columns'}; leave features out"
            )

    def parse(self, block: Block) -> VwBlock:
        """The rows of a block, with the columns of the names that are known by now."""
        if self._collisions is None:
            options = VwOptions(self._labelled, self._index.known(), closed=self._closed)
        else:
            known, counting = self._collisions.known(), self._collisions.counting
            mask = np.uint64(self._collisions.columns - 1)
            options = VwOptions(self._labelled, known, mask=mask, counting=counting)
        options = options._replace(weightless=self._weightless)
        return parse_block(block.text, options, skip=self._skip)

    def count(self, parsed: VwBlock) -> None:
        """Count features whose names are not known, and rows of importance 0."""
        self._left_out += parsed.left_out
        self._weighted |= parsed.weights is not None
        self._dropped += parsed.weightless

    def chunk(self, parsed: VwBlock, name: str, line: int) -> Chunk:
        """The rows as a chunk, as wide as there are names so far."""
        lines, y = parsed.lines + (line + 1), None
        if self._collisions is not None:
            self._collisions.add(parsed.fresh.hashes)
        else:
            self._number(parsed, lines, name)
        X = csr(*parsed.ordered(), self._width)
        if parsed.labels is not None:
            y = self._labels.take(parsed.labels, lines, name)
        return Chunk(X, y, lines, weights=parsed.weights)

    def _number(self, parsed: VwBlock, lines: NDArray[np.int64], name: str) -> None:
        """Give columns to the new names."""
        columns = self._index.add(parsed.fresh)
        if not len(columns):
            return
        most = self._features or LARGEST_INDEX
        if len(self._index) > most:
            first = int(np.argmax(columns >= most))
            self._index = FeatureIndex()  # so that another pass comes to this again
            raise data_error(
                name,
                int(lines[parsed.row_of(first)]),
                f"found the name {shown(parsed.fresh.name(first))} after {most:,} different ones,"
                " expected no more: raise features, or pass hash_bits",
            )
        parsed.columns[parsed.columns < 0] = columns

    @property
    def _width(self) -> int:
        """How many columns there are now."""
        if self._collisions is not None:
            return self._collisions.columns
        return self._features or len(self._index)

    def start_over(self) -> None:
        """Forget also how many features were left out."""
        super().start_over()
        self._left_out = self._dropped = 0
        self._weighted = False

    def state_dict(self) -> dict[str, Any]:
        """The kind of labels, and the names or what was counted of them."""
        state = {"words": self._labels.words, "left_out": self._left_out}
        state |= {"weighted": self._weighted, "weightless": self._dropped}
        if self._collisions is not None:
            return state | {"collisions": self._collisions.state_dict()}
        if not self._closed:
            return state | {"names": "\n".join(self._index.names())}  # no name has a line end
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._labels.restore(state["words"])
        self._left_out = int(state["left_out"])
        self._weighted = bool(state.get("weighted", False))  # earlier checkpoints have no weights
        self._dropped = int(state.get("weightless", 0))
        if self._collisions is not None:
            self._collisions.load_state_dict(state["collisions"])
        elif not self._closed:
            self._index = FeatureIndex.of(state["names"].split("\n") if state["names"] else [])

    def no_rows(self, skipped: int) -> str:
        return (
            "no rows: the file is empty or blank, expected lines such as '1 | height:1.5 striped'"
        )

    def no_features(self) -> str | None:
        if self._width:
            return None
        return "no row has a feature, expected lines such as '1 | height:1.5'"

    @property
    def feature_names(self) -> list[str] | None:
        """The names in the order of their columns, as far as they are known; None if hashed."""
        return self._index.names() if self._collisions is None else None

    @property
    def index_options(self) -> dict[str, Any]:
        """The hash that another file's names must go through too; a dictionary is its names."""
        return {} if self._bits is None else {"hash_bits": self._bits}

    def notes(self) -> list[str]:
        """How many names share columns, or were left out; and what importances did."""
        notes = []
        if self._collisions is not None:
            notes.append(self._collisions.note())
        elif self._left_out:
            what = "feature was" if self._left_out == 1 else "features were"
            notes.append(f"{self._left_out:,} {what} left out, whose names are not known")
        if self._weighted:
            notes.append(
                "rows have importances: learning sees each row multiplied by its own, and a verdict"
                " does not depend on them"
            )
        if self._dropped:
            notes.append(f"{count(self._dropped, 'row')} of importance 0 left out")
        return notes
