"""The compiled reader of tables as text: regular rows at speed, and a stop at whatever is not.

A row is regular if it has the right number of fields, its numbers are plain decimals that are known
to the last bit, and its words have no quotes inside, no odd blanks at their ends and no control
characters. Quotes around a field are fine as long as what is inside needs no second look. The
careful way (`records`) takes the other rows, and gives the same for these.
"""

from typing import Any

import numpy as np

from novikoff.data.text.csv.categories import NUMBER, WORD
from novikoff.data.text.number_kernel import USUAL_BYTES, byte, scan_number, scan_usual
from novikoff.jit import compile_loop, inline, subroutine

#: The delimiter for runs of blanks: a byte that no text has.
ANY_BLANKS = 0

_TAB, _LF, _CR, _SPACE, _QUOTE = 9, 10, 13, 32, 34
#: UTF-8 of blanks beyond ASCII: 0xC2 and 0x85 or 0xA0, or one of these and then one of those.
_TWO_BYTES = 0xC2
_THREE_BYTES = (0xE1, 0xE2, 0xE3)
_SECOND_BYTES = (0x80, 0x81, 0x9A)


def _parse_rows(
    text: Any,
    at: int,
    delimiter: int,
    roles: Any,
    numbers: Any,
    starts: Any,
    stops: Any,
    lines: Any,
    row: int,
    line: int,
) -> tuple[int, int, int]:
    """Read rows from the line that begins at `at`, the next of which is number `row`.

    Writes the numbers of a row, where its words are in the text, and its line. Gives where it
    stopped (the end, or the beginning of a line that is not regular), and the next row and line.
    """
    stop, width = len(text), len(roles)
    while at < stop:
        after = _after_blank_line(text, at, stop, delimiter)
        if after >= 0:
            at = after
            line += 1
            continue
        field, column, number, word = at, 0, 0, 0
        while column < width:
            done, field = _usual_numbers(
                text, field, delimiter, roles, column, numbers, row, number
            )
            column += done
            number += done
            last = column == width - 1
            if roles[column] == NUMBER:
                value, field = _number(text, field, stop, delimiter, last)
                if field < 0:
                    return at, row, line
                numbers[row, number] = value
                number += 1
            else:
                start, end, field = _word(text, field, stop, delimiter, last)
                if field < 0 or (width == 1 and start == end):
                    return at, row, line
                if roles[column] == WORD:
                    starts[word, row], stops[word, row] = start, end
                    word += 1
            column += 1
        lines[row] = line
        at = field
        row += 1
        line += 1
    return at, row, line


@inline
def _usual_numbers(
    text: Any,
    at: int,
    delimiter: int,
    roles: Any,
    column: int,
    numbers: Any,
    row: int,
    number: int,
) -> tuple[int, int]:
    """Read usual numbers with nothing but a delimiter between them, from a column on.

    That is most of most tables: hence a loop that is small enough for the registers. Gives how
    many there are, at least one column being left to the others, and where the next begins.
    """
    done = 0
    if delimiter == ANY_BLANKS:
        return done, at
    left = len(roles) - 1 - column
    while (
        done < left and roles[np.uint64(column + done)] == NUMBER and at + USUAL_BYTES <= len(text)
    ):
        value, end = scan_usual(text, at)
        if end < 0 or byte(text, end) != delimiter:
            break
        numbers[row, np.uint64(number + done)] = value
        done += 1
        at = end + 1
    return done, at


@inline
def _after_blank_line(text: Any, at: int, stop: int, delimiter: int) -> int:
    """Where the next line begins if this one is blank, else -1."""
    if byte(text, at) > _SPACE:
        return -1
    return _after_line(text, _skip_blanks(text, at, stop, delimiter), stop)


@inline
def _after_line(text: Any, at: int, stop: int) -> int:
    """Where the next line begins if this one ends at `at`, else -1."""
    if at >= stop:
        return stop
    if byte(text, at) == _LF:
        return at + 1
    if byte(text, at) == _CR and at + 1 < stop and byte(text, at + 1) == _LF:
        return at + 2
    return -1


@inline
def _skip_blanks(text: Any, at: int, stop: int, delimiter: int) -> int:
    while (
        at < stop
        and (byte(text, at) == _SPACE or byte(text, at) == _TAB)
        and byte(text, at) != delimiter
    ):
        at += 1
    return at


@subroutine()
def _next_field(text: Any, at: int, stop: int, delimiter: int, last: bool) -> int:
    """Where the next field, or after the last one the next line, begins; -1 if none does here."""
    after = _skip_blanks(text, at, stop, delimiter)
    if last:
        return _after_line(text, after, stop)
    if delimiter != ANY_BLANKS:
        return after + 1 if after < stop and byte(text, after) == delimiter else -1
    if after == at or _after_line(text, after, stop) >= 0:
        return -1
    return after


@inline
def _number(text: Any, at: int, stop: int, delimiter: int, last: bool) -> tuple[float, int]:
    """The number in the field that begins at `at`, and where the next begins: -1 if it is odd."""
    quoted = at < stop and byte(text, at) == _QUOTE
    at = at + 1 if quoted else _skip_blanks(text, at, stop, delimiter)
    value, at, known = scan_number(text, at, stop)
    if not known or (quoted and (at >= stop or byte(text, at) != _QUOTE)):
        return 0.0, -1
    if quoted:
        return value, _after_quote(text, at + 1, stop, delimiter, last)
    return value, _next_field(text, at, stop, delimiter, last)


@inline
def _after_quote(text: Any, at: int, stop: int, delimiter: int, last: bool) -> int:
    """As _next_field, after a closing quote: nothing may stand between it and the delimiter."""
    blank = at < stop and (byte(text, at) == _SPACE or byte(text, at) == _TAB)
    if blank and delimiter != ANY_BLANKS and byte(text, at) != delimiter:
        return -1
    return _next_field(text, at, stop, delimiter, last)


@inline
def _word(text: Any, at: int, stop: int, delimiter: int, last: bool) -> tuple[int, int, int]:
    """From where to where the word goes in the field that begins at `at`, and where the next does.

    That is -1 if the field is odd.
    """
    if delimiter == ANY_BLANKS:
        at = _skip_blanks(text, at, stop, delimiter)
    if at < stop and byte(text, at) == _QUOTE:
        start = at + 1
        # What ends a field without quotes is part of one with quotes, unless blanks do.
        end = _word_end(text, start, stop, delimiter, delimiter == ANY_BLANKS)
        if end >= stop or byte(text, end) != _QUOTE:
            return 0, 0, -1
        after = _after_quote(text, end + 1, stop, delimiter, last)
    else:
        start, end = at, _word_end(text, at, stop, delimiter, True)
        after = _next_field(text, end, stop, delimiter, last)
    while start < end and (byte(text, start) == _SPACE or byte(text, start) == _TAB):
        start += 1
    while end > start and (byte(text, end - 1) == _SPACE or byte(text, end - 1) == _TAB):
        end -= 1
    return start, end, (-1 if _odd_ends(text, start, end) else after)


@inline
def _word_end(text: Any, at: int, stop: int, delimiter: int, delimited: bool) -> int:
    """Where a quote or a control character comes next, or, if it counts, a delimiter."""
    if delimiter == ANY_BLANKS:
        while at < stop and byte(text, at) > _SPACE and byte(text, at) != _QUOTE:
            if byte(text, at) == _TWO_BYTES or byte(text, at) in _THREE_BYTES:  # perhaps a blank
                return at
            at += 1
        return at
    while at < stop and byte(text, at) != _QUOTE:
        if (byte(text, at) == delimiter and delimited) or (
            byte(text, at) < _SPACE and byte(text, at) != _TAB
        ):
            return at
        at += 1
    return at


@inline
def _odd_ends(text: Any, start: int, end: int) -> bool:
    """Whether the word may begin or end with a blank that is not ASCII."""
    if end - start < 2 or (byte(text, start) < 128 and byte(text, end - 1) < 128):
        return False
    if byte(text, start) == _TWO_BYTES or byte(text, end - 2) == _TWO_BYTES:
        return True
    if end - start < 3:
        return False
    begins = byte(text, start) in _THREE_BYTES and byte(text, start + 1) in _SECOND_BYTES
    ends = byte(text, end - 3) in _THREE_BYTES and byte(text, end - 2) in _SECOND_BYTES
    return begins or ends


def _find_values(
    text: Any, starts: Any, stops: Any, seed: np.uint64, table: Any, firsts: Any, codes: Any
) -> int:
    """Number the different words of each column, in the order in which they come row by row.

    table: places for the numbers of words, all -1, as many as a power of two. firsts: where (row
    times columns plus column) each comes first. codes: for every row and column the number of its
    word. Returns how many there are; -1 if the table, of which half may be used, is too small.
    """
    columns, rows = starts.shape
    mask, found = np.uint64(len(table) - 1), 0
    for row in range(rows):
        for column in range(columns):
            start, stop = starts[column, row], stops[column, row]
            place = _hash(text, start, stop, seed + np.uint64(column)) & mask
            while True:
                code = table[place]
                if code < 0:
                    if 2 * found >= len(table):
                        return -1
                    table[place] = code = found
                    firsts[found] = row * columns + column
                    found += 1
                    break
                first = firsts[code] // columns
                ours = firsts[code] % columns == column
                if ours and _same(text, start, stop, starts[column, first], stops[column, first]):
                    break
                place = (place + np.uint64(1)) & mask
            codes[row, column] = code
    return found


def _find_values_in_dict(
    text: Any, starts: Any, stops: Any, seed: Any, table: Any, firsts: Any, codes: Any
) -> int:
    """The same with a dict."""
    raw, known = text.tobytes(), dict[tuple[int, bytes], int]()
    for row, places in enumerate(zip(starts.T.tolist(), stops.T.tolist(), strict=True)):
        for column, (start, stop) in enumerate(zip(*places, strict=True)):
            word = column, raw[start:stop]
            if word not in known:
                if 2 * len(known) >= len(table):
                    return -1
                firsts[len(known)] = row * len(codes[row]) + column
                known[word] = len(known)
            codes[row, column] = known[word]
    return len(known)


_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_HIGH_HALF = np.uint64(32)


@inline
def _hash(text: Any, start: int, stop: int, seed: np.uint64) -> np.uint64:
    """A number for a word that nobody can foresee who does not know the seed."""
    code = seed * _MULTIPLIER
    for at in range(start, stop):
        code = (code ^ np.uint64(text[at])) * _MULTIPLIER
        code ^= code >> _HIGH_HALF
    return code


@inline
def _same(text: Any, start: int, stop: int, other: int, end: int) -> bool:
    """Whether two words are the same."""
    if stop - start != end - other:
        return False
    at = start
    while at < stop and text[at] == text[other + at - start]:
        at += 1
    return at == stop


def _fill_rows(numbers: Any, codes: Any, features: Any, columns: Any, entries: Any) -> None:
    """Write the entries of rows that have numbers, and then a 1 for each of their values.

    features: the column of each value; in a row they are put in order as they are written.
    """
    rows, first = numbers.shape
    for row in range(rows):
        for k in range(first):
            columns[row, k], entries[row, k] = k, numbers[row, k]
        for k in range(codes.shape[1]):
            feature, at = features[codes[row, k]], first + k
            while at > first and columns[row, at - 1] > feature:
                columns[row, at] = columns[row, at - 1]
                at -= 1
            columns[row, at] = feature
            entries[row, first + k] = 1.0


parse_rows = compile_loop(_parse_rows, threads=True)
find_values = compile_loop(
    _find_values,
    plain=_find_values_in_dict,
    work=lambda text, starts, *_: 10 * starts.size + len(text) / 1000,
    threads=True,
)
fill_rows = compile_loop(
    _fill_rows, work=lambda numbers, codes, *_: 5 * numbers.size + 20 * codes.size, threads=True
)
