"""A block of Vowpal Wabbit's text as arrays: regular lines by the kernel, others one by one."""

import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.errors import BadRowError
from novikoff.data.files.blocks import Bytes
from novikoff.data.text import labels
from novikoff.data.text.block_parser import BlockParser, RowSelection, with_line_end
from novikoff.data.text.vw.feature_index import IndexSnapshot, NewNames, hash_of
from novikoff.data.text.vw.line import Feature, VwRow, parse_line, refuse_sum

Ints = NDArray[np.int64]

_SPACE, _TAB, _NEWLINE = map(ord, " \t\n")


class VwOptions(NamedTuple):
    """How to read a block."""

    labelled: bool
    known: IndexSnapshot  # the names of the dictionary, or the hashes that were counted
    closed: bool = False  # whether features whose names are not known are left out
    mask: np.uint64 = np.uint64(0)  # columns are hash & mask; 0: by the dictionary
    counting: bool = False  # whether hashes that are not known are listed
    weightless: bool = False  # whether rows of importance 0 are kept


class VwBlock(NamedTuple):
    """What a block holds. A feature of the k-th new name has the column -1 - k until it has one."""

    rows: int
    line_ends: int
    skipped: list[BadRowError]
    labels: labels.LabelPart | None
    lines: Ints  # from 0 in the block
    starts: Ints  # row i has the entries from starts[i] up to starts[i + 1]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    lengths: Ints  # of the rows whose columns are in order, or -1
    fresh: NewNames
    left_out: int
    weights: NDArray[np.float64] | None = None  # None: all are 1
    weightless: int = 0  # rows of importance 0, which were left out

    def row_of(self, new: int) -> int:
        """The row that a new name is in."""
        entry = int(np.argmax(self.columns == -1 - new))
        return int(np.searchsorted(self.starts, entry, side="right")) - 1

    def order(self) -> int:
        """Put entries in the order of their columns; so many remain in the rows that have some."""
        from novikoff.data.text.vw.sort_kernel import BUCKETS, order

        pending = int(np.diff(self.starts)[self.lengths < 0].sum())
        scratch = thread_buffer("scratch", (3, pending), np.int64)
        held = thread_buffer("held", (pending,), np.float64)
        rows = (self.starts, self.columns, self.values, self.lengths)
        return int(order(*rows, scratch, held, np.empty(BUCKETS, np.int64)))

    def ordered(self) -> tuple[Ints, Any, NDArray[np.float64]]:
        """Starts, columns and values, when all columns are known."""
        from novikoff.data.text.vw.sort_kernel import close_up

        size = self.order()
        if size < len(self.columns):
            close_up(self.starts, self.columns, self.values, self.lengths)
        return self.starts, self.columns[:size], self.values[:size]


def parse_block(text: Bytes, options: VwOptions, *, skip: bool) -> VwBlock:
    """The rows of some whole lines. Raises a BadRowError, or, with `skip`, lists them."""
    return _VwParser(text, options, skip=skip).parse()


def _undecodable_lines(text: Bytes) -> Iterator[int]:
    """Where lines begin that are not UTF-8; at last, where the text ends."""
    try:
        if text.max(initial=0) >= 128:
            text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        at = 0
        for line in text.tobytes().split(b"\n")[:-1]:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                yield at
            at += len(line) + 1
    yield len(text)


class _VwParser(BlockParser[VwBlock]):
    def __init__(self, text: Bytes, options: VwOptions, *, skip: bool) -> None:
        from novikoff.data.text.vw import kernel

        super().__init__(with_line_end(text), skip=skip)
        self._options = options
        self._line_ends = int(np.count_nonzero(text == _NEWLINE))
        self._undecodable = _undecodable_lines(self.text)
        self._until = next(self._undecodable)
        self._mask = int(options.mask)
        rows = self._line_ends + 1
        # Every feature has a blank before it.
        entries = int(np.count_nonzero(text == _SPACE) + np.count_nonzero(text == _TAB))
        self._out = kernel.VwOutput(
            thread_buffer("label starts", (rows,), np.int64),
            thread_buffer("label stops", (rows,), np.int64),
            thread_buffer("lines", (rows,), np.int64),
            thread_buffer("weights", (rows,), np.float64),
            thread_buffer("starts", (rows + 1,), np.int64),
            thread_buffer("columns", (entries,), np.int32),
            thread_buffer("values", (entries,), np.float64),
            thread_buffer("hashes", (entries,), np.uint64),
            thread_buffer("offsets", (entries + 1,), np.int64),
            thread_buffer("letters", (len(self.text),), np.uint8),
            np.zeros(kernel.COUNTERS, np.int64),
            kernel.Names(
                thread_buffer("row hashes", (entries,), np.uint64),
                thread_buffer("row slots", (entries,), np.uint64),
                thread_buffer("spans", (entries, 6), np.int64),
            ),
        )
        self._out.starts[0] = self._out.offsets[0] = 0

    def _parse_fast(self) -> None:
        from novikoff.data.text.vw import kernel

        if self._until < self.at:
            self._until = next(self._undecodable)
        why = kernel.FULL
        while why == kernel.FULL:
            why = kernel.parse(self.text, self._until, self._options, self._out)
            if why == kernel.FULL:
                self._more_letters(len(self._out.letters))
        self.at = int(self._out.cursor[kernel.AT])

    def _parse_strict(self) -> None:
        from novikoff.data.text.vw.kernel import AT, LINE

        cursor = self._out.cursor
        at, number = self.at, int(cursor[LINE])
        line = self.line_at(at)
        self.at += len(line) + 1
        try:
            row = parse_line(line, number, labelled=self._options.labelled)
            if row is not None:
                self._check_sums(line, number, row.features)
                self._take_row(row, at)
        except BadRowError as bad:
            self._leave_out(bad)
        cursor[AT], cursor[LINE] = self.at, number + 1

    def _take_row(self, row: VwRow, at: int) -> None:
        from novikoff.data.text.vw.kernel import ROWS, WEIGHTLESS

        if row.weight == 0.0 and not self._options.weightless:
            self._out.cursor[WEIGHTLESS] += 1
            return
        self._take(row.features)
        self._out.weights[self._out.cursor[ROWS]] = row.weight
        self._end_row(at + row.start, at + row.stop)

    def _check_sums(self, line: bytes, number: int, features: list[Feature]) -> None:
        sums: dict[bytes | int, float] = {}
        for feature in features:
            key = hash_of(feature.name) & self._mask if self._mask else feature.name
            sums[key] = sums.get(key, 0.0) + feature.value
            if not np.isfinite(sums[key]):
                refuse_sum(line, number, feature)

    def _take(self, features: list[Feature]) -> None:
        from novikoff.data.text.vw.feature_index_kernel import look_up
        from novikoff.data.text.vw.kernel import ENTRIES, LEFT_OUT

        out, options = self._out, self._options
        for feature in features:
            hashed = hash_of(feature.name)
            name = np.frombuffer(feature.name, np.uint8)
            found = look_up(options.known, np.uint64(hashed), name)
            column = hashed & self._mask if self._mask else found
            if found < 0 and options.closed:
                out.cursor[LEFT_OUT] += 1
                continue
            if found < 0 and not self._mask:
                column = self._new(hashed, name)
            elif found < 0 and options.counting:
                self._new(hashed, name[:0])
            entry = out.cursor[ENTRIES]
            out.columns[entry], out.values[entry] = column, feature.value
            out.cursor[ENTRIES] += 1

    def _new(self, hashed: int, name: Bytes) -> int:
        """List a new name, and give its column for the time being."""
        from novikoff.data.text.vw.kernel import FRESH, LETTERS

        cursor = self._out.cursor
        new, at = int(cursor[FRESH]), int(cursor[LETTERS])
        if at + len(name) > len(self._out.letters):
            self._more_letters(len(self._out.letters) + len(name))
        self._out.letters[at : at + len(name)] = name
        self._out.hashes[new], self._out.offsets[new + 1] = hashed, at + len(name)
        cursor[FRESH], cursor[LETTERS] = new + 1, at + len(name)
        return -1 - new

    def _more_letters(self, size: int) -> None:
        letters = np.concatenate((self._out.letters, np.empty(size, np.uint8)))
        self._out = self._out._replace(letters=letters)

    def _end_row(self, label_start: int, label_stop: int) -> None:
        from novikoff.data.text.vw.kernel import ENTRIES, LINE, ROWS

        out = self._out
        row = out.cursor[ROWS]
        out.label_starts[row], out.label_stops[row] = label_start, label_stop
        out.lines[row], out.starts[row + 1] = out.cursor[LINE], out.cursor[ENTRIES]
        out.cursor[ROWS] += 1

    def _collect(self, selection: RowSelection) -> VwBlock:
        """All rows: labels were checked with their lines."""
        from novikoff.data.text.vw.kernel import (
            ENTRIES,
            FRESH,
            LEFT_OUT,
            LETTERS,
            ROWS,
            WEIGHTLESS,
        )

        out = self._out
        rows, entries, new = (int(out.cursor[k]) for k in (ROWS, ENTRIES, FRESH))
        # What remains is copied: these arrays are for the next block.
        lines, label_starts, label_stops = (
            each[:rows].copy() for each in (out.lines, out.label_starts, out.label_stops)
        )
        found = VwBlock(
            rows,
            self._line_ends,
            self.skipped,
            labels.parse_labels(self.text, label_starts, label_stops)
            if self._options.labelled
            else None,
            lines,
            out.starts[: rows + 1].copy(),
            out.columns[:entries].copy(),
            out.values[:entries].copy(),
            np.full(rows, -1, np.int64),
            NewNames(
                out.hashes[:new].copy(),
                out.letters[: out.cursor[LETTERS]].copy(),
                out.offsets[: new + 1].copy(),
            ),
            int(out.cursor[LEFT_OUT]),
            None if (out.weights[:rows] == 1.0).all() else out.weights[:rows].copy(),
            int(out.cursor[WEIGHTLESS]),
        )
        found.order()
        return found


_threads = threading.local()
_MOST_KEPT = 2**22  # numbers, which an ordinary block has fewer than


def thread_buffer(name: str, shape: tuple[int, ...], kind: Any) -> Any:
    """An array to write into, the same for one block of a thread after another.

    New memory for each block took the system a seventh of the time.
    """
    kept: dict[str, Any] = _threads.__dict__.setdefault("kept", {})
    size = int(np.prod(shape))
    if size > _MOST_KEPT:
        return np.empty(shape, kind)
    if name not in kept or kept[name].size < size:
        kept[name] = np.empty(size + size // 4, kind)
    return kept[name][:size].reshape(shape)
