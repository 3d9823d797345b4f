"""The rows of an SVMlight block: regular lines by `kernel`, others by `line`.

Both give the same numbers, those of float(token); `line` also gives the exact ones if asked to.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Exact
from novikoff.data.errors import BadRowError
from novikoff.data.files.blocks import Bytes
from novikoff.data.text import labels
from novikoff.data.text.block_parser import (
    BlockParser,
    RowSelection,
    StrictBudget,
    line_at,
    with_line_end,
)
from novikoff.data.text.svmlight.kernel import Cursor, SvmlightOutput, scan_rows
from novikoff.data.text.svmlight.line import SvmlightRow, first_index, parse_line

#: What Python takes for blanks besides those that the compiled loop knows.
_ODD_BLANKS = re.compile(r"[^\S\x00-\x7f]")

_budget = StrictBudget()


class SvmlightBlock(NamedTuple):
    """The rows of a block: row i has the pairs from starts[i] up to starts[i + 1], in order.

    Both are int32. lines: those of the rows, from 0 at the block's first; begins: some place in
    each of them.
    """

    text: Bytes
    labels: labels.LabelPart
    starts: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[np.float64]
    exact: Exact | None
    lines: NDArray[np.int64]
    begins: NDArray[np.int64]
    line_ends: int
    skipped: list[BadRowError]

    @property
    def rows(self) -> int:
        return len(self.lines)

    def find(self, wrong: Callable[[Any], Any]) -> tuple[int, int, int]:
        """The first index about which something is wrong, its line, and its column there."""
        pair = int(np.flatnonzero(wrong(self.indices))[0])
        row = int(np.searchsorted(self.starts, pair, side="right")) - 1
        index, column = first_index(line_at(self.text.tobytes(), int(self.begins[row])), wrong)
        return index, int(self.lines[row]), column


class SvmlightOptions(NamedTuple):
    """How to read a block."""

    labelled: bool = True
    decimal: bool = False
    skip: bool = False


def parse_block(text: Bytes, options: SvmlightOptions) -> SvmlightBlock:
    """The rows of whole lines.

    Raises a BadRowError at the first row that is bad, or, if they are to be skipped, lists them.
    """
    strict = options.decimal or _budget.suffices(text)
    parser = _SvmlightParser(text, options, fast=not strict)
    parser.run()
    if not parser.cursor.plain and not _plain(parser.text):
        parser = _SvmlightParser(text, options, fast=False)
        parser.run()
    return parser.result()


class _SvmlightParser(BlockParser[SvmlightBlock]):
    def __init__(self, text: Bytes, options: SvmlightOptions, *, fast: bool) -> None:
        super().__init__(with_line_end(text), skip=options.skip)
        self._options, self._fast = options, fast
        pairs, rows = (int(np.count_nonzero(self.text == ord(each))) for each in ":\n")  # at most
        self._line_ends = rows - (self.text is not text)
        self._output = SvmlightOutput(
            np.zeros(rows + 2, dtype=np.int32),
            np.empty(pairs, dtype=np.int32),
            np.empty(pairs),
            *(np.empty(rows, dtype=np.int64) for _ in range(3)),
        )
        self.cursor, self._exact = Cursor(), list[Fraction]()

    def _parse_fast(self) -> None:
        if self._fast:
            cursor = scan_rows(self.text, self.cursor, self._output, self._options.labelled)
            self.cursor, self.at, self.rows = cursor, cursor.at, cursor.rows

    def _parse_strict(self) -> None:
        cursor = self.cursor
        raw = self.line_at(cursor.at)
        self.at = cursor.at + len(raw) + 1
        self.cursor = cursor._replace(at=self.at, line=cursor.line + 1)
        labelled, decimal, _ = self._options
        try:
            row = parse_line(raw, cursor.line, labelled=labelled, decimal=decimal)
        except BadRowError as bad:
            self._leave_out(bad)
            return
        if row is not None:
            self._put(row, cursor)
            self.rows += 1
            pairs = cursor.pairs + len(row.values)
            self.cursor = self.cursor._replace(rows=self.rows, pairs=pairs)

    def _put(self, row: SvmlightRow, cursor: Cursor) -> None:
        output = self._output
        part = slice(cursor.pairs, cursor.pairs + len(row.values))
        output.columns[part], output.values[part] = row.indices, row.values
        self._exact += row.exact or []
        output.starts[cursor.rows : cursor.rows + 2] = part.start, part.stop
        output.lines[cursor.rows] = cursor.line
        output.label_starts[cursor.rows] = cursor.at + row.label[0]
        output.label_stops[cursor.rows] = cursor.at + row.label[1]

    def _collect(self, selection: RowSelection) -> SvmlightBlock:
        output = self._output
        begins, ends = output.label_starts[selection], output.label_stops[selection]
        starts, entries = _entries(output.starts[: self.rows + 1], selection)
        exact = np.array(self._exact, dtype=object)[entries] if self._options.decimal else None
        return SvmlightBlock(
            self.text,
            labels.parse_labels(self.text, begins, ends) if self._options.labelled else _NO_LABELS,
            starts,
            output.columns[entries],
            output.values[entries],
            exact,
            output.lines[selection],
            begins,
            self._line_ends,
            self.skipped,
        )

    def _unusable(self, parsed: SvmlightBlock) -> Iterator[tuple[int, BadRowError]]:
        for row, _ in parsed.labels.bad:
            raw, line = self.line_at(int(parsed.begins[row])), int(parsed.lines[row])
            try:
                parse_line(raw, line, labelled=True, decimal=self._options.decimal)
            except BadRowError as bad:
                yield row, bad


_NOWHERE = np.empty(0, dtype=np.int64)
_NO_LABELS = labels.LabelPart(np.empty(0, dtype=np.uint8), _NOWHERE, _NOWHERE, None)


def _entries(starts: NDArray[Any], selection: RowSelection) -> tuple[NDArray[Any], Any]:
    """Where the pairs of some rows start, and which pairs they are."""
    if isinstance(selection, slice):
        return starts, slice(0, int(starts[-1]))
    counts, chosen = np.diff(starts), np.zeros(len(starts) - 1, dtype=np.bool_)
    chosen[selection] = True
    some = np.zeros(len(selection) + 1, dtype=starts.dtype)
    np.cumsum(counts[selection], out=some[1:])
    return some, np.flatnonzero(np.repeat(chosen, counts))


def _plain(text: Bytes) -> bool:
    """Whether it is UTF-8, and Python takes nothing for a blank that the compiled loop does not."""
    try:
        return _ODD_BLANKS.search(text.tobytes().decode("utf-8")) is None
    except UnicodeDecodeError:
        return False
