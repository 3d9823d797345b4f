"""A block of Vowpal Wabbit's text as arrays: regular lines by the kernel, others one by one."""

import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sources import labels
from novikoff.sources.base import BadRowError
from novikoff.sources.naming import Fresh, Known, hash_of
from novikoff.sources.text import lines_of
from novikoff.sources.vw_line import Feature, read_line, refuse_sum

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

_SPACE, _TAB, _NEWLINE = map(ord, " \t\n")


class Asked(NamedTuple):
    """How to read a block."""

    labelled: bool
    known: Known  # the names of the dictionary, or the hashes that were counted
    closed: bool = False  # whether features whose names are not known are left out
    bits: int | None = None  # of the hash, if columns are numbered by one
    counting: bool = False  # whether hashes that are not known count


class Parsed(NamedTuple):
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
    fresh: Fresh
    left_out: int

    def row_of(self, new: int) -> int:
        """The row that a new name is in."""
        entry = int(np.argmax(self.columns == -1 - new))
        return int(np.searchsorted(self.starts, entry, side="right")) - 1

    def order(self) -> int:
        """Put entries in the order of their columns; so many remain in the rows that have some."""
        from novikoff.sources.ordering_kernel import BUCKETS, order

        pending = int(np.diff(self.starts)[self.lengths < 0].sum())
        scratch = _kept("scratch", (3, pending), np.int64)
        held = _kept("held", (pending,), np.float64)
        rows = (self.starts, self.columns, self.values, self.lengths)
        return int(order(*rows, scratch, held, np.empty(BUCKETS, np.int64)))

    def ordered(self) -> tuple[Ints, Any, NDArray[np.float64]]:
        """Starts, columns and values, when all columns are known."""
        from novikoff.sources.ordering_kernel import close_up

        size = self.order()
        if size < len(self.columns):
            close_up(self.starts, self.columns, self.values, self.lengths)
        return self.starts, self.columns[:size], self.values[:size]


def parsed_block(text: Bytes, asked: Asked, *, skip: bool) -> Parsed:
    """The rows of some whole lines. Raises a BadRowError, or, with `skip`, lists them."""
    line_ends = int(np.count_nonzero(text == _NEWLINE))
    if len(text) and text[-1] != _NEWLINE:
        text = np.frombuffer(text.tobytes() + b"\n", np.uint8)
    reading = _Reading(text, asked, rows=line_ends + 1, skip=skip)
    for until in _doubtful(text):
        reading.quickly(until)
        if until < len(text):
            reading.carefully()
    return reading.parsed(line_ends)


def _doubtful(text: Bytes) -> Iterator[int]:
    """Where lines begin that are not UTF-8; at last, where the text ends."""
    try:
        if text.max(initial=0) >= 128:
            text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        at = 0
        for line in lines_of(text):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                yield at
            at += len(line) + 1
    yield len(text)


class _Reading:
    """What has been read of a block."""

    def __init__(self, text: Bytes, asked: Asked, *, rows: int, skip: bool) -> None:
        from novikoff.sources import vw_kernel as kernel

        # Every feature has a blank before it.
        entries = int(np.count_nonzero(text == _SPACE) + np.count_nonzero(text == _TAB))
        self._text, self._asked, self._skip = text, asked, skip
        self._mask = 0 if asked.bits is None else 2**asked.bits - 1
        self._how = kernel.How(asked.labelled, asked.closed, np.uint64(self._mask), asked.counting)
        self._skipped: list[BadRowError] = []
        self._raw: bytes | None = None
        self._out = kernel.Out(
            _kept("label starts", (rows,), np.int64),
            _kept("label stops", (rows,), np.int64),
            _kept("lines", (rows,), np.int64),
            _kept("starts", (rows + 1,), np.int64),
            _kept("columns", (entries,), np.int32),
            _kept("values", (entries,), np.float64),
            _kept("hashes", (entries,), np.uint64),
            _kept("offsets", (entries + 1,), np.int64),
            _kept("letters", (len(text),), np.uint8),
            np.zeros(kernel.COUNTERS, np.int64),
            kernel.Names(
                _kept("row hashes", (entries,), np.uint64),
                _kept("row slots", (entries,), np.uint64),
                _kept("spans", (entries, 6), np.int64),
            ),
        )
        self._out.starts[0] = self._out.offsets[0] = 0

    def quickly(self, until: int) -> None:
        """Read up to there, where a line begins or the text ends."""
        from novikoff.sources import vw_kernel as kernel

        while True:
            why = kernel.parse(self._text, until, self._how, self._asked.known, self._out)
            if why == kernel.DONE:
                return
            if why == kernel.ODD:
                self.carefully()
            else:
                self._more_letters(len(self._out.letters))

    def carefully(self) -> None:
        """Read the next line."""
        from novikoff.sources.vw_kernel import AT, LINE

        cursor = self._out.cursor
        at, number = int(cursor[AT]), int(cursor[LINE])
        if self._raw is None:
            self._raw = self._text.tobytes()
        end = self._raw.find(b"\n", at)
        line = self._raw[at:end]
        try:
            row = read_line(line, number, labelled=self._asked.labelled)
            if row is not None:
                self._check_sums(line, number, row.features)
                self._take(row.features)
                self._end_row(at + row.start, at + row.stop)
        except BadRowError as bad:
            if not self._skip:
                raise
            self._skipped.append(bad)
        cursor[AT], cursor[LINE] = end + 1, number + 1

    def _check_sums(self, line: bytes, number: int, features: list[Feature]) -> None:
        sums: dict[bytes | int, float] = {}
        for feature in features:
            key = hash_of(feature.name) & self._mask if self._mask else feature.name
            sums[key] = sums.get(key, 0.0) + feature.value
            if not np.isfinite(sums[key]):
                refuse_sum(line, number, feature)

    def _take(self, features: list[Feature]) -> None:
        from novikoff.sources.naming_kernel import look_up
        from novikoff.sources.vw_kernel import ENTRIES, LEFT_OUT

        out, asked = self._out, self._asked
        for feature in features:
            hashed = hash_of(feature.name)
            name = np.frombuffer(feature.name, np.uint8)
            found = look_up(asked.known, np.uint64(hashed), name)
            column = hashed & self._mask if self._mask else found
            if found < 0 and asked.closed:
                out.cursor[LEFT_OUT] += 1
                continue
            if found < 0 and not self._mask:
                column = self._new(hashed, name)
            elif found < 0 and asked.counting:
                self._new(hashed, name[:0])
            entry = out.cursor[ENTRIES]
            out.columns[entry], out.values[entry] = column, feature.value
            out.cursor[ENTRIES] += 1

    def _new(self, hashed: int, name: Bytes) -> int:
        """List a new name, and give its column for the time being."""
        from novikoff.sources.vw_kernel import FRESH, LETTERS

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
        from novikoff.sources.vw_kernel import ENTRIES, LINE, ROWS

        out = self._out
        row = out.cursor[ROWS]
        out.label_starts[row], out.label_stops[row] = label_start, label_stop
        out.lines[row], out.starts[row + 1] = out.cursor[LINE], out.cursor[ENTRIES]
        out.cursor[ROWS] += 1

    def parsed(self, line_ends: int) -> Parsed:
        """All that was read."""
        from novikoff.sources.vw_kernel import ENTRIES, FRESH, LEFT_OUT, LETTERS, ROWS

        out = self._out
        rows, entries, new = (int(out.cursor[k]) for k in (ROWS, ENTRIES, FRESH))
        # What remains is copied: these arrays are for the next block.
        lines, label_starts, label_stops = (
            each[:rows].copy() for each in (out.lines, out.label_starts, out.label_stops)
        )
        found = Parsed(
            rows,
            line_ends,
            self._skipped,
            labels.parsed(self._text, label_starts, label_stops) if self._how.labelled else None,
            lines,
            out.starts[: rows + 1].copy(),
            out.columns[:entries].copy(),
            out.values[:entries].copy(),
            np.full(rows, -1, np.int64),
            Fresh(
                out.hashes[:new].copy(),
                out.letters[: out.cursor[LETTERS]].copy(),
                out.offsets[: new + 1].copy(),
            ),
            int(out.cursor[LEFT_OUT]),
        )
        found.order()
        return found


_threads = threading.local()
_MOST_KEPT = 2**22  # numbers, which an ordinary block has fewer than


def _kept(name: str, shape: tuple[int, ...], kind: Any) -> Any:
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
