"""The rows of one block of a table: regular ones by compiled code, the others with care."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from secrets import randbits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sources import labels
from novikoff.sources.base import BadRowError, Exact
from novikoff.sources.blocks import Bytes
from novikoff.sources.categories import NUMBER, WORD, Categories, Columns, Values
from novikoff.sources.layout import Layout
from novikoff.sources.lines import NotTextError, as_text
from novikoff.sources.records import BLANKS, SHOWN_LINE, Record, bad_field, ragged, records
from novikoff.sources.tokens import NotANumberError, exact, is_missing, number, reads_as_float

Ints = NDArray[np.int64]

_SMALL_TABLE = 2**14
_SEED = np.uint64(randbits(63))


class Table(NamedTuple):
    """What threads need to know of a table to read its blocks."""

    layout: Layout
    columns: Columns
    decimal: bool
    skip: bool


class TableRows(NamedTuple):
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
        """How many there are."""
        return len(self.lines)


def read_rows(text: Bytes, header: int, table: Table, categories: Categories | None) -> TableRows:
    """The rows of a block, in which so many lines of a header come first."""
    reader = _Reader(text, table)
    reader.read(header)
    return reader.checked(categories)


class _Reader:
    """The rows found so far: numbers, and where their words are in the text."""

    def __init__(self, text: Bytes, table: Table) -> None:
        from novikoff.sources.table_kernel import survey  # Numba is slow to import

        self._text, self._table = text, table
        self._line_ends, self._ascii = survey(text)
        width, columns = table.layout.width, table.columns
        most = min(self._line_ends, len(text) // width) + 1  # a field takes a byte or a delimiter
        self._roles = np.array(columns.roles, dtype=np.int64)
        words = columns.roles.count(WORD)
        self._numbers = np.empty((most, columns.roles.count(NUMBER)))
        self._exact: list[list[Fraction]] = []
        self._starts, self._stops = (np.empty((words, most), dtype=np.int64) for _ in range(2))
        self._lines = np.empty(most, dtype=np.int64)
        self._rows, self._skipped = 0, list[BadRowError]()
        self._refused: BadRowError | None = None  # the first bad row but for labels and values
        self._more = bytearray()  # words that are not in the text as they are

    def read(self, header: int) -> None:
        """Go through the text, after the header; not beyond a row that is to be refused."""
        try:
            self._read(header)
        except BadRowError as bad:
            self._refused = bad  # later: a label or value before it may be bad too

    def _read(self, header: int) -> None:
        at, line, most = 0, header, 1
        for _ in range(header):
            at = self._raw.index(b"\n", at) + 1
        delimiter = self._quick_delimiter()
        while at < len(self._text):
            if delimiter is not None:
                at, line = self._quickly(at, line, delimiter)
            if at < len(self._text):
                at, line = self._carefully(at, line, most)
                most *= 2  # where one row is odd, others may be

    def _quick_delimiter(self) -> int | None:
        """What compiled code is to be told; None if this is not for it."""
        delimiter = self._table.layout.delimiter
        if self._table.decimal or not delimiter.isascii():
            return None
        if not self._ascii:
            try:
                self._raw.decode("utf-8")
            except UnicodeDecodeError:
                return None
        return 0 if delimiter == BLANKS else ord(delimiter)

    def _quickly(self, at: int, line: int, delimiter: int) -> tuple[int, int]:
        from novikoff.sources.table_kernel import parse_rows

        arrays = (self._roles, self._numbers, self._starts, self._stops, self._lines)
        at, self._rows, line = parse_rows(self._text, at, delimiter, *arrays, self._rows, line)
        return at, line

    def _carefully(self, at: int, line: int, most: int) -> tuple[int, int]:
        layout = self._table.layout
        fed = _Lines(self._raw, at, line)
        found = records(fed, layout.delimiter, layout.width)
        for _ in range(most):
            try:
                record = next(found, None)
            except BadRowError as bad:
                self._leave_out(bad)
                fed.go_to(bad.line + 1)
                found = records(fed, layout.delimiter, layout.width)
                continue
            if record is None:
                break
            try:
                self._take(record)
            except BadRowError as bad:
                self._leave_out(bad)
        return fed.at, fed.line

    def _leave_out(self, bad: BadRowError) -> None:
        if not self._table.skip:
            raise bad
        bad.__context__ = None  # neither that nor the frames are worth their memory
        self._skipped.append(bad.with_traceback(None))

    def _take(self, record: Record) -> None:
        layout, roles = self._table.layout, self._table.columns.roles
        if len(record.fields) != layout.width:
            raise ragged(record, layout.delimiter, layout.width)
        numbers, words, exactly = [], [], []
        for place, (field, role) in enumerate(zip(record.fields, roles, strict=True)):
            if role == WORD:
                words.append(field.strip().encode())
            elif role == NUMBER:
                try:
                    numbers.append(number(field))
                    if self._table.decimal:
                        exactly.append(exact(field))
                except NotANumberError as problem:
                    hint = self._hint(place, field)
                    problem_there = f"{layout.column(place)}: {problem}{hint}"
                    raise record.bad(place, layout.delimiter, problem_there) from None
        self._numbers[self._rows] = numbers
        for k, word in enumerate(words):
            self._starts[k, self._rows] = len(self._text) + len(self._more)
            self._more += word
            self._stops[k, self._rows] = len(self._text) + len(self._more)
        self._exact.append(exactly)
        self._lines[self._rows] = record.line
        self._rows += 1

    def _hint(self, place: int, field: str) -> str:
        """A word among numbers may be a category."""
        if is_missing(field) or reads_as_float(field):
            return ""
        names = self._table.layout.names
        told = place if names is None else names[place]
        return f"; if the column's values are categories, pass categorical=[{told!r}]"

    def checked(self, categories: Categories | None) -> TableRows:
        """The rows, once their labels and values can be used; the first that cannot is refused."""
        text = self._text
        if self._more:
            text = np.concatenate((text, np.frombuffer(bytes(self._more), np.uint8)))
        kept: Ints | slice = slice(0, self._rows)
        while True:
            part, values = self._labels(text, kept), self._values(text, kept, categories)
            bad = self._bad(part, values, categories)
            if not bad:
                break
            places = np.arange(self._rows)[kept]
            for row in sorted(bad):
                self._leave_out(self._bad_word(int(places[row]), *bad[row]))
            kept = np.delete(places, list(bad))
        if self._refused is not None:
            raise self._refused
        exactly = None
        if self._table.decimal:
            exactly = np.empty((self._rows, self._numbers.shape[1]), dtype=object)
            exactly[:] = self._exact
            exactly = exactly[kept]
        return TableRows(
            self._numbers[kept],
            exactly,
            part,
            values,
            self._lines[kept],
            self._line_ends,
            sorted(self._skipped, key=lambda each: each.line),
        )

    def _labels(self, text: Bytes, kept: Ints | slice) -> labels.LabelPart | None:
        columns = self._table.columns
        if columns.target is None:
            return None
        word = columns.roles[: columns.target].count(WORD)
        return labels.parsed(text, self._starts[word, kept], self._stops[word, kept])

    def _values(
        self, text: Bytes, kept: Ints | slice, categories: Categories | None
    ) -> Values | None:
        if categories is None:
            return None
        columns = self._table.columns
        words = [columns.roles[:place].count(WORD) for place in columns.categorical]
        return find_values(text, self._starts[words][:, kept], self._stops[words][:, kept])

    def _bad(
        self, part: labels.LabelPart | None, values: Values | None, categories: Categories | None
    ) -> dict[int, tuple[int, str]]:
        """For each row that cannot be used, the column and what is wrong."""
        bad: dict[int, tuple[int, str]] = {}
        if values is not None and categories is not None:
            places = self._table.columns.categorical
            for code, (column, word) in enumerate(zip(values.columns, values.words, strict=True)):
                if (problem := categories.trouble(column, word)) is not None:
                    for row in np.flatnonzero(values.codes[:, column] == code).tolist():
                        bad.setdefault(row, (places[column], problem))
        target = self._table.columns.target
        if part is not None and target is not None:
            for row, problem in part.bad:
                bad.setdefault(row, (target, problem))
        return bad

    def _bad_word(self, row: int, place: int, problem: str) -> BadRowError:
        layout, line = self._table.layout, int(self._lines[row])
        after = int(self._lines[row + 1]) if row + 1 < self._rows else len(self._split)
        texts = [
            each.decode("utf-8", "replace").removesuffix("\r") for each in self._split[line:after]
        ]
        problem = f"{layout.column(place)}: {problem}"
        return bad_field(line, texts, place, layout.delimiter, problem)

    @cached_property
    def _raw(self) -> bytes:
        return self._text.tobytes()

    @cached_property
    def _split(self) -> list[bytes]:
        return self._raw.split(b"\n")


class _Lines:
    """Lines of a text one by one, with their numbers; `at` and `line` are those of the next."""

    def __init__(self, raw: bytes, at: int, line: int) -> None:
        self._raw, self.at, self.line = raw, at, line
        self._seen = {line: at}

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        if self.at >= len(self._raw):
            raise StopIteration
        end = self._raw.find(b"\n", self.at) + 1 or len(self._raw)
        raw, line = self._raw[self.at : end], self.line
        self.at, self.line = end, line + 1
        self._seen[self.line] = end
        try:
            return line, as_text(raw)
        except NotTextError as problem:
            shown = raw[:SHOWN_LINE].decode("utf-8", "replace").rstrip("\r\n")
            raise BadRowError(line, problem.column, str(problem), shown) from None

    def go_to(self, line: int) -> None:
        """Go back to a line that was seen."""
        self.at, self.line = self._seen[line], line


def find_values(text: Bytes, starts: Ints, stops: Ints) -> Values:
    """The different words of each column, in the order in which they come row by row."""
    from novikoff.sources import table_kernel

    starts, stops = np.ascontiguousarray(starts), np.ascontiguousarray(stops)
    columns, rows = starts.shape
    codes = np.empty((rows, columns), dtype=np.int32)
    size, found = _SMALL_TABLE, -1
    while found < 0:
        table, firsts = np.full(size, -1, dtype=np.int32), np.empty(size // 2, dtype=np.int64)
        found = table_kernel.find_values(text, starts, stops, _SEED, table, firsts, codes)
        size *= 4
    first = firsts[:found]
    places = first % columns, first // columns
    begin, end = starts[places].tolist(), stops[places].tolist()
    words = [text[a:b].tobytes().decode("utf-8") for a, b in zip(begin, end, strict=True)]
    return Values(places[0].tolist(), words, codes)
