"""The lines of an SVMlight block as arrays, in compiled code.

The loop takes every line that is regular, whatever its blanks, comments and numbers look like, and
stops before a line with anything in it that it does not fully understand: that one is read by the
careful way of `pairs`, and the loop is called again for the lines after it.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.data.sparse import LARGEST_INDEX
from novikoff.data.text.number_kernel import byte, eight_bytes, eight_digits, scan_number
from novikoff.jit import compile_loop, inline, subroutine

_TAB, _LINE_FEED, _RETURN, _BLANK, _HASH, _COLON = (ord(mark) for mark in "\t\n\r #:")
_NOT_ASCII = 0x80
_QID = np.uint64(int.from_bytes(b"qid:", "little"))
_FOUR_BYTES = np.uint64(2**32 - 1)
_SHORT = 100  # pairs; up to there they are sorted by insertion


class SvmlightOutput(NamedTuple):
    """Where the rows go: pair k is columns[k]: values[k]; row i has those from starts[i] on."""

    starts: Any
    columns: Any
    values: Any
    lines: Any
    label_starts: Any
    label_stops: Any


class Cursor(NamedTuple):
    """How far it came: all lines before `at` are done; plain: and they are nothing but ASCII."""

    at: int = 0
    line: int = 0
    rows: int = 0
    pairs: int = 0
    plain: bool = True


def _scan_rows(text: Any, scan: Cursor, into: SvmlightOutput, labelled: bool) -> Cursor:
    """Take lines from scan.at on, up to the end of the text or to a line that is out of order.

    The text ends in a line end, and there every run of other characters ends at the latest.
    """
    at, line, rows, pairs, plain = scan
    while at < len(text):
        begin = _past_blanks(text, at)
        end, simple, good = _past_token(text, begin, _COLON)
        bare = byte(text, end) == _COLON  # a pair where the label should be
        if not good or (bare and labelled):
            break
        start = begin if bare else end
        after, count, ordered, simple_too, good = _scan_pairs(text, start, pairs, into)
        if not good or not (ordered or _sort(into.columns, into.values, pairs, count)):
            break
        if bare or end > begin:
            into.starts[rows] = pairs
            into.lines[rows] = line
            into.label_starts[rows] = begin
            into.label_stops[rows] = start
            rows += 1
        at, line, pairs = after + 1, line + 1, count
        plain &= simple and simple_too
    into.starts[rows] = pairs
    return Cursor(at, line, rows, pairs, plain)


@inline
def _scan_pairs(
    text: Any, at: int, pairs: int, into: SvmlightOutput
) -> tuple[int, int, bool, bool, bool]:
    """The rest of a line, from behind its label.

    Returns where its line feed is, the number of pairs then, whether their columns ascend, whether
    all is ASCII, and whether all is good; if not, nothing else of it counts.
    """
    before: Any = np.int64(-1)
    ordered, plain = True, True
    while True:
        at = _past_blanks(text, at)
        word = eight_bytes(text, at, len(text))
        number, count = eight_digits(word)
        if count == 0:
            if word & _FOUR_BYTES != _QID:
                at, simple, good = _past_comment(text, at)
                return at, pairs, ordered, plain and simple, good
            at, simple, good = _past_token(text, at, _HASH)
            plain &= simple
            if good:
                continue
            return at, pairs, ordered, plain, False
        index, at = np.int64(number), at + count
        while count == 8 and index <= LARGEST_INDEX:  # it may go on
            number, count = eight_digits(eight_bytes(text, at, len(text)))
            index, at = index * 10**count + np.int64(number), at + count
        if index > LARGEST_INDEX or byte(text, at) != _COLON:
            return at, pairs, ordered, plain, False
        value, at, known = scan_number(text, at + 1, len(text))
        if not known or not _ends_token(byte(text, at)):
            return at, pairs, ordered, plain, False
        into.columns[np.uint64(pairs)], into.values[np.uint64(pairs)] = index, value
        pairs += 1
        ordered &= bool(index > before)
        before = index


@inline
def _past_blanks(text: Any, at: int) -> int:
    while byte(text, at) == _BLANK or byte(text, at) == _TAB or byte(text, at) == _RETURN:
        at += 1
    return at


@inline
def _ends_token(character: int) -> bool:
    return character in (_BLANK, _LINE_FEED, _TAB, _RETURN, _HASH)


@inline
def _past_token(text: Any, at: int, mark: int) -> tuple[int, bool, bool]:
    """Where a token ends, at a `mark` too; whether it is ASCII, and free of odd characters.

    Odd are those below the blank: Python takes some of them for blanks.
    """
    plain, good = True, True
    while byte(text, at) != mark and not _ends_token(byte(text, at)):
        plain &= byte(text, at) < _NOT_ASCII
        good &= byte(text, at) > _BLANK
        at += 1
    return at, plain, good


@inline
def _past_comment(text: Any, at: int) -> tuple[int, bool, bool]:
    """Where a line ends that is over or goes on with a comment; as for tokens. Else it is bad."""
    plain, good = True, byte(text, at) == _HASH or byte(text, at) == _LINE_FEED
    while good and byte(text, at) != _LINE_FEED:
        plain &= byte(text, at) < _NOT_ASCII
        good = byte(text, at) != 0
        at += 1
    return at, plain, good


@subroutine()
def _sort(columns: Any, values: Any, first: int, stop: int) -> bool:
    """Put the pairs of a row into the order of their columns; whether no column comes twice."""
    if stop - first <= _SHORT:
        _insert(columns, values, first, stop)
    else:
        _heap(columns, values, first, stop - first)
    once = True
    for k in range(first + 1, stop):
        once &= columns[k] != columns[k - 1]
    return once


@inline
def _insert(columns: Any, values: Any, first: int, stop: int) -> None:
    """Pair after pair to its place among those before it: the fastest while they are few."""
    for k in range(first + 1, stop):
        column, value, to = columns[k], values[k], k
        while to > first and columns[to - 1] > column:
            columns[to], values[to] = columns[to - 1], values[to - 1]
            to -= 1
        columns[to], values[to] = column, value


@inline
def _heap(columns: Any, values: Any, first: int, count: int) -> None:
    """The largest to the end, again and again: no memory, and no time out of proportion."""
    for k in range(count // 2 - 1, -1, -1):
        _sift(columns, values, first, k, count)
    for last in range(count - 1, 0, -1):
        a, b = first, first + last
        columns[a], columns[b] = columns[b], columns[a]
        values[a], values[b] = values[b], values[a]
        _sift(columns, values, first, 0, last)


@inline
def _sift(columns: Any, values: Any, first: int, k: int, count: int) -> None:
    """Let pair k sink in the heap until those below it have smaller columns."""
    column, value = columns[first + k], values[first + k]
    while 2 * k + 1 < count:
        below = 2 * k + 1
        if below + 1 < count and columns[first + below] < columns[first + below + 1]:
            below += 1
        if columns[first + below] <= column:
            break
        columns[first + k], values[first + k] = columns[first + below], values[first + below]
        k = below
    columns[first + k], values[first + k] = column, value


scan_rows = compile_loop(_scan_rows, threads=True)
