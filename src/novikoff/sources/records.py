"""Lines of a table as records of fields, with or without quotes."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from novikoff.sources.base import data_error

#: This delimiter stands for any run of blanks, as in tables that are aligned for the eye.
BLANKS = " "
#: Stands after unquoted fields. No field can hold it: text with a NUL byte is refused.
_NUL = b"\0"


class Record(NamedTuple):
    """The fields of one row, and the line it starts on."""

    line: int
    fields: list[str]


class Fields(NamedTuple):
    """Some rows of one width: their fields one after the other, `separator` after each."""

    raw: bytes
    separator: bytes
    lines: list[int]


def records(name: str, numbered: Iterable[tuple[int, str]], delimiter: str) -> Iterator[Record]:
    """Records by the rules of RFC 4180: quoted fields may hold delimiters, quotes and line ends."""
    fed: list[int] = []

    def feed() -> Iterator[str]:
        for line, text in numbered:
            fed.append(line)
            yield (" ".join(text.split()) if delimiter == BLANKS else text) + "\n"

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    while True:
        fed.clear()
        try:
            fields = next(reader, None)
        except csv.Error as problem:
            raise data_error(
                name,
                fed[0] if fed else None,
                f"not a CSV record ({_reason(problem)}), expected balanced quotes on lines that "
                "end in LF or CRLF: repair this line",
            ) from None
        if fields is None:
            return
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield Record(fed[0], fields)


def _reason(problem: csv.Error) -> str:
    """What the csv module found, without its advice to programmers."""
    text = str(problem)
    return "a carriage return inside the line" if "new-line character" in text else text


def field_batches(
    name: str, numbered: Iterable[tuple[int, str]], delimiter: str, width: int, rows: int
) -> Iterator[Fields]:
    """At most `rows` rows at a time, each checked to have `width` fields.

    Splitting many lines at once is much faster than the csv module, and right as long as no line
    has a quote. A quoted field can go on over any number of lines, so from the first quote on the
    csv module reads the rest.
    """
    remaining = iter(numbered)
    while batch := list(islice(remaining, rows)):
        if not delimiter.isascii() or any('"' in text or "\r" in text for _, text in batch):
            yield from _quoted(name, chain(batch, remaining), delimiter, width, rows)
            return
        if filled := [pair for pair in batch if not _blank(pair[1], delimiter)]:
            yield _split(name, filled, delimiter, width)


def _blank(text: str, delimiter: str) -> bool:
    """Whether the line is no row at all. One of tabs alone is a row of a TSV, with all missing."""
    return not text.strip() and (delimiter == BLANKS or delimiter not in text)


def _split(name: str, batch: Sequence[tuple[int, str]], delimiter: str, width: int) -> Fields:
    lines = [line for line, _ in batch]
    if delimiter == BLANKS:
        texts = [BLANKS.join(text.split()) for _, text in batch]
    else:
        texts = [text for _, text in batch]
    for line, text in zip(lines, texts, strict=True):
        if text.count(delimiter) != width - 1:
            raise _ragged(name, line, text.count(delimiter) + 1, width)
    return Fields((delimiter.join(texts) + delimiter).encode(), delimiter.encode(), lines)


def _quoted(
    name: str, numbered: Iterable[tuple[int, str]], delimiter: str, width: int, rows: int
) -> Iterator[Fields]:
    found = records(name, numbered, delimiter)
    while batch := list(islice(found, rows)):
        for record in batch:
            if len(record.fields) != width:
                raise _ragged(name, record.line, len(record.fields), width)
        flat = "\0".join(chain.from_iterable(record.fields for record in batch))
        yield Fields(flat.encode() + _NUL, _NUL, [record.line for record in batch])


def _ragged(name: str, line: int, found: int, width: int) -> Exception:
    return data_error(
        name,
        line,
        f"the number of fields is {found}, expected {width} as in the first row: "
        "check the delimiters and quotes of this line",
    )
