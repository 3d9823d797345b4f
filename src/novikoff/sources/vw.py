"""Vowpal Wabbit's text: rows of named features in namespaces.

    [label [importance [base]]] ['tag]|namespace[:scale] name[:value] name ... |namespace ...
    1 'zebra |animal:0.5 height:1.5 striped |place africa

A feature is called namespace^name, as Vowpal Wabbit's --audit prints it, or name alone in a
namespace without a name; `city:paris` is a feature city^paris of value 1. Its value is exactly
float(token), or scale * float(token) rounded once, and 1 or the scale where none is given. Values
of one name in one row are added in the order of their appearance. Features of value 0 are kept.
Names are told apart as they are printed, so that `|n a` and `| n^a` are one feature.

An importance other than 1 and a base other than 0 are refused: a rule that counts mistakes has no
place for them. So are labels with colons, names that are not UTF-8, a value or a scale that is no
finite number, and what Vowpal Wabbit would only warn of.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import ParameterError
from novikoff.sources import labels
from novikoff.sources.base import LARGEST_INDEX, START, Chunk, Place, data_error
from novikoff.sources.blocks import Block
from novikoff.sources.inputs import Input
from novikoff.sources.naming import Collisions, Table, checked_bits
from novikoff.sources.sparse import csr
from novikoff.sources.text import TextSource
from novikoff.sources.tokens import shown
from novikoff.sources.vw_block import Asked, Parsed, parsed_block


class VwSource(TextSource):
    """Rows of Vowpal Wabbit's text.

    hash_bits: number the features by a hash of their names (`naming.hash_of`), with 2^hash_bits
    columns in all, which no names are kept of; values that come to the same column of a row are
    added. names: the only features to read, in this order; others are left out and counted.
    Otherwise a dictionary numbers them in the order of their first appearance.

    labelled: if False, whatever is before the first bar of a line is dropped.
    """

    format = "vw"

    def __init__(
        self,
        inputs: Sequence[Input],
        *,
        features: int | None = None,
        labelled: bool = True,
        word_labels: bool = False,
        hash_bits: int | None = None,
        names: Sequence[str] | None = None,
        skip: bool = False,
        skipped_to: str | None = None,
    ) -> None:
        super().__init__(inputs, skip=skip, skipped_to=skipped_to)
        self._features, self._labelled, self._word_labels = features, labelled, word_labels
        self._bits = None if hash_bits is None else checked_bits(hash_bits)
        self._names = None if names is None else Table.of(names)
        self._check_width()
        self._table = Table() if self._names is None else self._names
        self._collisions = None if self._bits is None else Collisions(self._bits)
        self._fresh()

    def _check_width(self) -> None:
        if self._bits is not None and self._names is not None:
            raise ParameterError(
                "names and hash_bits contradict each other: a hash has no names; pass one of them"
            )
        width = None if self._names is None else len(self._names)
        width = width if self._bits is None else 2**self._bits
        if width is not None and self._features not in (None, width):
            raise ParameterError(
                f"found features={self._features}, expected {width}: there are so many"
                f" {'names' if self._bits is None else 'columns'}; leave features out"
            )

    def _fresh(self) -> None:
        # Names stay known: it is the same data, and a learner is as wide as all of them.
        self._labels = labels.Labels(self.name, words=self._word_labels)
        self._left_out = 0

    @property
    def feature_names(self) -> list[str] | None:  # type: ignore[override]
        """The names in the order of their columns, as far as they are known; None if hashed."""
        return self._table.names() if self._collisions is None else None

    def chunks(self, rows: int | None = None, start: Place = START) -> Iterator[Chunk]:
        """Go through the rows once; a chunk has as many columns as names are known so far."""
        width = 1
        for chunk in super().chunks(rows, start):
            width = chunk.X.shape[1]
            yield chunk
        if width == 0 and not self.partial:
            raise data_error(
                self.name, None, "no row has a feature, expected lines such as '1 | height:1.5'"
            )

    def _no_rows(self) -> str:
        return (
            "no rows: the file is empty or blank, expected lines such as '1 | height:1.5 striped'"
        )

    def _parse(self, block: Block) -> Parsed:
        return parsed_block(block.text, self._asked(), skip=self.skip)

    def _asked(self) -> Asked:
        """How to read a block that is come to now."""
        if self._collisions is None:
            return Asked(self._labelled, self._table.known(), closed=self._names is not None)
        counts = self._collisions
        return Asked(self._labelled, counts.known(), bits=self._bits, counting=counts.counting)

    def _chunk(self, parsed: Parsed, file: int, line: int) -> Chunk:
        lines = parsed.lines + (line + 1)
        self._left_out += parsed.left_out
        if self._collisions is not None:
            self._collisions.add(parsed.fresh.hashes)
            width = self._collisions.columns
        else:
            width = self._number(parsed, lines, self.inputs[file].name)
        X = csr(*parsed.ordered(), width)
        y = None
        if parsed.labels is not None:
            y = self._labels.take(parsed.labels, lines, self.inputs[file].name)
        return Chunk(X, y, lines)

    def _number(self, parsed: Parsed, lines: NDArray[np.int64], name: str) -> int:
        """Give columns to the new names; also how many columns there are now."""
        columns = self._table.add(parsed.fresh)
        if not len(columns):
            return self._features or len(self._table)
        most = self._features or LARGEST_INDEX
        if len(self._table) > most:
            first = int(np.argmax(columns >= most))
            self._table = Table()  # so that another pass comes to this again
            raise data_error(
                name,
                int(lines[parsed.row_of(first)]),
                f"found the name {shown(parsed.fresh.name(first))} after {most:,} different ones,"
                " expected no more: raise features, or pass hash_bits",
            )
        parsed.columns[parsed.columns < 0] = columns
        return self._features or len(self._table)

    @property
    def numbering(self) -> dict[str, Any]:
        """The hash that another file's names must go through too; a dictionary is its names."""
        return {} if self._bits is None else {"hash_bits": self._bits}

    def remarks(self) -> list[str]:
        """How many names share columns, or were left out."""
        found = super().remarks()
        if self._collisions is not None:
            found.append(self._collisions.remark())
        elif self._left_out:
            what = "feature was" if self._left_out == 1 else "features were"
            found.append(f"{self._left_out:,} {what} left out, whose names are not known")
        return found

    def memory(self) -> dict[str, Any]:
        """What a pass has found out so far: the names or what was counted of them, too."""
        memory = super().memory() | {"words": self._labels.words, "left_out": self._left_out}
        if self._collisions is not None:
            return memory | {"collisions": self._collisions.memory()}
        if self._names is None:
            return memory | {"names": "\n".join(self._table.names())}  # no name has a line end
        return memory

    def remember(self, memory: Mapping[str, Any]) -> None:
        """Take up what another pass had found out."""
        super().remember(memory)
        self._word_labels = self._word_labels or bool(memory["words"])
        self._fresh()
        self._labels.words, self._left_out = memory["words"], int(memory["left_out"])
        if self._collisions is not None:
            self._collisions.remember(memory["collisions"])
        elif self._names is None:
            self._table = Table.of(memory["names"].split("\n") if memory["names"] else [])
