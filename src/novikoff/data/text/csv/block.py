"""The rows of one block of a table: regular ones by compiled code, the others with care."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from secrets import randbits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Exact
from novikoff.data.errors import BadRowError, LineError
from novikoff.data.files.blocks import Bytes, delimiter_byte
from novikoff.data.files.utf8 import decode_line
from novikoff.data.text import labels
from novikoff.data.text.block_parser import BlockParser, RowSelection, StrictBudget
from novikoff.data.text.csv.categories import NUMBER, WORD, TableColumns, TableFeatures, Values
from novikoff.data.text.csv.header import TableHeader
from novikoff.data.text.csv.records import (
    BLANKS,
    SHOWN_LINE,
    Record,
    bad_field,
    records,
    width_error,
)
from novikoff.data.text.tokens import NotANumberError, exact, is_missing, number, reads_as_float

Ints = NDArray[np.int64]

LAST_OF_ASCII = 0x7F
_SMALL_TABLE = 2**14
_budget = StrictBudget(4_000_000.0)  # twice as much to compile as a loop
_SEED = np.uint64(randbits(63))


class CsvOptions(NamedTuple):
    """How to read a block."""

    layout: TableHeader
    columns: TableColumns
    decimal: bool
    skip: bool


class CsvBlock(NamedTuple):
    """Rows of a block, and what was left out of it."""

    numbers: NDArray[np.float64]
    exact: Exact | None
    labels: labels.LabelPart | None
    values: Values | None
    lines: Ints  # counted from 0
    line_ends: int
    skipped: list[BadRowError]

    @property
    def rows(self) -> int:
        return len(self.lines)


def parse_block(text: Bytes, header: int, options: CsvOptions, features: TableFeatures) -> CsvBlock:
    """The rows of a block that begins with so many lines of a header."""
    return _CsvParser(text, header, options, features).parse()


class _CsvParser(BlockParser[CsvBlock]):
    """The rows found so far: numbers, and where their words are in the text."""

    def __init__(
        self, text: Bytes, header: int, options: CsvOptions, features: TableFeatures
    ) -> None:
        super().__init__(text, skip=options.skip)
        self._options, self._features = options, features
        self._line_ends = int(np.count_nonzero(text == ord("\n")))
        width, columns = options.layout.width, options.columns
        most = min(self._line_ends, len(text) // width) + 1  # a field takes a byte or a delimiter
        self._roles = np.array(columns.roles, dtype=np.int64)
        words = columns.roles.count(WORD)
        self._numbers = np.empty((most, columns.roles.count(NUMBER)))
        self._exact: list[list[Fraction]] = []
        self._starts, self._stops = (np.empty((words, most), dtype=np.int64) for _ in range(2))
        self._lines = np.empty(most, dtype=np.int64)
        self._more = bytearray()  # words that are not in the text as they are
        self._line, self._strict_rows = header, 1
        for _ in range(header):
            self.at = self.raw.index(b"\n", self.at) + 1
        self._delimiter = self._quick_delimiter()

    def _quick_delimiter(self) -> int | None:
        """What compiled code is to be column; None if this is not for it."""
        delimiter = self._options.layout.delimiter
        if self._options.decimal or not delimiter.isascii() or _budget.suffices(self.text):
            return None
        if self.text.max(initial=0) > LAST_OF_ASCII:
            try:
                self.raw.decode("utf-8")
            except UnicodeDecodeError:
                return None
        return 0 if delimiter == BLANKS else ord(delimiter)

    def _parse_fast(self) -> None:
        from novikoff.data.text.csv.kernel import parse_rows

        if self._delimiter is not None:
            arrays = (self._roles, self._numbers, self._starts, self._stops, self._lines)
            self.at, self.rows, self._line = parse_rows(
                self.text, self.at, self._delimiter, *arrays, self.rows, self._line
            )

    def _parse_strict(self) -> None:
        layout = self._options.layout
        found = _Records(self.text, self.raw, self.at, self._line)
        for _ in range(self._strict_rows):
            try:
                record = found.next_record(layout.delimiter, layout.width)
                if record is not None:
                    self._take(record)
            except BadRowError as bad:
                self._leave_out(bad)
        self.at, self._line = found.at, found.line
        self._strict_rows *= 2  # where one row is odd, others may be

    def _take(self, record: Record) -> None:
        layout, roles = self._options.layout, self._options.columns.roles
        if len(record.fields) != layout.width:
            raise width_error(record, layout.delimiter, layout.width)
        numbers, words, exactly = [], [], []
        for place, (field, role) in enumerate(zip(record.fields, roles, strict=True)):
            if role == WORD:
                words.append(field.strip().encode())
            elif role == NUMBER:
                try:
                    numbers.append(number(field))
                    if self._options.decimal:
                        exactly.append(exact(field))
                except NotANumberError as problem:
                    hint = self._hint(place, field)
                    problem_there = f"{layout.column(place)}: {problem}{hint}"
                    raise record.bad(place, layout.delimiter, problem_there) from None
        self._numbers[self.rows] = numbers
        for k, word in enumerate(words):
            self._starts[k, self.rows] = len(self.text) + len(self._more)
            self._more += word
            self._stops[k, self.rows] = len(self.text) + len(self._more)
        self._exact.append(exactly)
        self._lines[self.rows] = record.line
        self.rows += 1

    def _hint(self, place: int, field: str) -> str:
        """A word among numbers may be a category."""
        if is_missing(field) or reads_as_float(field):
            return ""
        names = self._options.layout.names
        column = place if names is None else names[place]
        return f"; if the column's values are categories, pass categorical=[{column!r}]"

    def _collect(self, selection: RowSelection) -> CsvBlock:
        exactly = None
        if self._options.decimal:
            exactly = np.empty((self.rows, self._numbers.shape[1]), dtype=object)
            if self.rows:  # NumPy takes no empty list for no rows
                exactly[:] = self._exact
            exactly = exactly[selection]
        return CsvBlock(
            self._numbers[selection],
            exactly,
            self._labels(selection),
            self._values(selection),
            self._lines[selection],
            self._line_ends,
            self.skipped,
        )

    @cached_property
    def _words(self) -> Bytes:
        """The text, and after it the words that are not in it as they are."""
        if not self._more:
            return self.text
        return np.concatenate((self.text, np.frombuffer(bytes(self._more), np.uint8)))

    def _labels(self, selection: RowSelection) -> labels.LabelPart | None:
        columns = self._options.columns
        if columns.target is None:
            return None
        word = columns.roles[: columns.target].count(WORD)
        return labels.parse_labels(
            self._words, self._starts[word, selection], self._stops[word, selection]
        )

    def _values(self, selection: RowSelection) -> Values | None:
        columns = self._options.columns
        if not columns.categorical:
            return None
        words = [columns.roles[:place].count(WORD) for place in columns.categorical]
        return factorize(
            self._words, self._starts[words][:, selection], self._stops[words][:, selection]
        )

    def _unusable(self, parsed: CsvBlock) -> Iterator[tuple[int, BadRowError]]:
        bad: dict[int, tuple[int, str]] = {}  # the column, and what is wrong
        values, columns = parsed.values, self._options.columns
        if values is not None:
            for code, (column, word) in enumerate(zip(values.columns, values.words, strict=True)):
                if (problem := self._features.error_for(column, word)) is not None:
                    for row in np.flatnonzero(values.codes[:, column] == code).tolist():
                        bad.setdefault(row, (columns.categorical[column], problem))
        if parsed.labels is not None and columns.target is not None:
            for row, problem in parsed.labels.bad:
                bad.setdefault(row, (columns.target, problem))
        return ((row, self._bad_word(row, *bad[row])) for row in sorted(bad))

    def _bad_word(self, row: int, place: int, problem: str) -> BadRowError:
        layout, line = self._options.layout, int(self._lines[row])
        after = int(self._lines[row + 1]) if row + 1 < self.rows else len(self._split)
        texts = [
            each.decode("utf-8", "replace").removesuffix("\r") for each in self._split[line:after]
        ]
        problem = f"{layout.column(place)}: {problem}"
        return bad_field(line, texts, place, layout.delimiter, problem)

    @cached_property
    def _split(self) -> list[bytes]:
        return self.raw.split(b"\n")


class _Records:
    """Records of a text one by one; `at` and `line` are where the next begins.

    They end where a text may be cut into blocks, whatever is wrong with them: so rows that are left
    out leave the same rows, be blocks long or short.
    """

    def __init__(self, text: Bytes, raw: bytes, at: int, line: int) -> None:
        self._text, self._raw, self.at, self.line = text, raw, at, line
        self._quotes = b'"' in raw

    def next_record(self, delimiter: str, width: int) -> Record | None:
        """The next record; None if it is blank, and at the end. Raises a BadRowError."""
        if self.at >= len(self._raw):
            return None
        end, first = self._end(delimiter), self.line
        stop = end if end > 0 else len(self._raw)
        lines = self._raw[self.at : stop].removesuffix(b"\n").split(b"\n")
        closed = end >= 0
        if closed:
            self.at, self.line = stop, first + len(lines)
        else:  # a quote that is never closed costs its line only
            self.at, self.line = min(self.at + len(lines[0]) + 1, stop), first + 1
        texts = (
            (line, _decode(raw, line, strict=closed or line == first))
            for line, raw in enumerate(lines, first)
        )
        return next(records(texts, delimiter, width), None)

    def _end(self, delimiter: str) -> int:
        """Where the next record ends; 0 if it has no line end, -1 if a quote is not closed."""
        if not self._quotes:
            return self._raw.find(b"\n", self.at) + 1
        from novikoff.data.files.quote_kernel import record_end  # Numba is slow to import

        return int(record_end(self._text, self.at, delimiter_byte(delimiter)))


def _decode(raw: bytes, line: int, *, strict: bool) -> str:
    try:
        return decode_line(raw) if strict else raw.decode("utf-8", "replace")
    except LineError as problem:
        shown = raw[:SHOWN_LINE].decode("utf-8", "replace").rstrip("\r\n")
        raise BadRowError(line, problem.column, str(problem), shown) from None


def factorize(text: Bytes, starts: Ints, stops: Ints) -> Values:
    """The different words of each column, in the order in which they come row by row."""
    from novikoff.data.text.csv import kernel

    starts, stops = np.ascontiguousarray(starts), np.ascontiguousarray(stops)
    columns, rows = starts.shape
    codes = np.empty((rows, columns), dtype=np.int32)
    size, found = _SMALL_TABLE, -1
    while found < 0:
        table, firsts = np.full(size, -1, dtype=np.int32), np.empty(size // 2, dtype=np.int64)
        found = kernel.find_values(text, starts, stops, _SEED, table, firsts, codes)
        size *= 4
    first = firsts[:found]
    places = first % columns, first // columns
    begin, end = starts[places].tolist(), stops[places].tolist()
    words = [text[a:b].tobytes().decode("utf-8") for a, b in zip(begin, end, strict=True)]
    return Values(places[0].tolist(), words, codes)
