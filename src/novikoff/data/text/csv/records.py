"""Lines of a table as records of fields, with or without quotes: the careful way."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from novikoff.data.errors import BadRowError

#: This delimiter stands for any run of blanks, as in tables that are aligned for the eye.
BLANKS = " "
#: How much of a bad line is listed.
SHOWN_LINE = 200

_QUOTE = '"'
_LONG_LINE = 2**20  # characters


class Record(NamedTuple):
    """The fields of one row, the line it starts on, and the lines that it is made of."""

    line: int
    fields: list[str]
    texts: list[str]

    def bad(self, place: int, delimiter: str, problem: str) -> BadRowError:
        """A complaint about one of its fields, or about what comes after the last."""
        return bad_field(self.line, self.texts, place, delimiter, problem)


def bad_field(
    line: int, texts: Sequence[str], place: int, delimiter: str, problem: str
) -> BadRowError:
    """A complaint about a field of the record that these lines are."""
    places = field_places(texts, delimiter, place + 1)
    below, column = places[place] if place < len(places) else (0, len(texts[0]) + 1)
    return BadRowError(line + below, column, problem, _cut(texts[below]))


def records(
    numbered: Iterable[tuple[int, str]], delimiter: str, width: int | None = None
) -> Iterator[Record]:
    """Records by the rules of RFC 4180: quoted fields may hold delimiters, quotes and line ends.

    Takes no more lines than it needs for the next record. Raises a BadRowError where there is none.
    width: how many fields there should be; an endless line that has more is refused before they are
    all taken apart.
    """
    fed: list[tuple[int, str]] = []

    def feed() -> Iterator[str]:
        for line, text in numbered:
            if width is not None and len(text) > _LONG_LINE and not fed:
                _refuse_endless(line, text, delimiter, width)
            fed.append((line, text))
            yield (" ".join(text.split()) if delimiter == BLANKS else text) + "\n"

    reader = csv.reader(feed(), delimiter=delimiter, strict=True)
    while True:
        fed.clear()
        try:
            fields = next(reader, None)
        except csv.Error as problem:
            raise _no_record(fed, delimiter, problem) from None
        if fields is None:
            return
        if len(fields) > 1 or (fields and fields[0].strip()):
            yield Record(fed[0][0], fields, [text for _, text in fed])


def _no_record(fed: list[tuple[int, str]], delimiter: str, problem: csv.Error) -> BadRowError:
    line, text = fed[0]
    places = field_places([each for _, each in fed], delimiter)
    reason, (below, column) = str(problem), places[-1]
    if "new-line character" in reason:  # the rest is advice to programmers
        reason = "a carriage return inside the line"
        below, column = 0, text.find("\r") + 1
    return BadRowError(
        line + below,
        column or None,
        f"not a CSV record ({reason}), expected balanced quotes on lines that "
        "end in LF or CRLF: repair this line",
        _cut(fed[below][1]),
    )


def _refuse_endless(line: int, text: str, delimiter: str, width: int) -> None:
    places = field_places([text], delimiter, width + 1)
    if len(places) > width:
        raise BadRowError(line, places[-1][1], _other_width(f"over {width}", width), _cut(text))


def field_places(
    texts: Sequence[str], delimiter: str, most: int | None = None
) -> list[tuple[int, int]]:
    """Where the fields of a record begin: the line, counted from 0, and the character, from 1.

    Of what is no record, the fields up to the one that is wrong; at most so many.
    """
    if delimiter == BLANKS:
        words = islice(re.finditer(r"\S+", texts[0]), most)
        return [(0, word.start() + 1) for word in words] or [(0, 1)]
    line, at, places = 0, 0, [(0, 1)]
    while most is None or len(places) < most:
        text = texts[line]
        if text.startswith(_QUOTE, at):
            closed = _closing_quote(texts, line, at + 1)
            if closed is None:
                return places
            line, at = closed
            if at < len(texts[line]) and not texts[line].startswith(delimiter, at):
                return places
        else:
            found = text.find(delimiter, at)
            at = len(text) if found < 0 else found
        if at >= len(texts[line]):
            return places
        at += len(delimiter)
        places.append((line, at + 1))
    return places


def _closing_quote(texts: Sequence[str], line: int, at: int) -> tuple[int, int] | None:
    """The place after the quote that closes a field; None if it is never closed."""
    while line < len(texts):
        at = texts[line].find(_QUOTE, at)
        if at < 0:
            line, at = line + 1, 0
        elif texts[line].startswith(_QUOTE, at + 1):
            at += 2  # two of them stand for one
        else:
            return line, at + 1
    return None


def width_error(record: Record, delimiter: str, width: int) -> BadRowError:
    """The complaint about a record of another width."""
    found = len(record.fields)
    return record.bad(min(found, width), delimiter, _other_width(found, width))


def _other_width(found: int | str, width: int) -> str:
    return (
        f"the number of fields is {found}, expected {width} as in the first row: "
        "check the delimiters and quotes of this line"
    )


def _cut(text: str) -> str:
    return text[:SHOWN_LINE]
