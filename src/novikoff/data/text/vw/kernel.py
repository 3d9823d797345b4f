"""Lines of Vowpal Wabbit's text in compiled code: all that is regular; `vw_line` does the rest.

The text ends in a line feed, which ends whatever it comes to: nothing else is checked for the end.
A line is taken whole or not at all: at one that is not understood, `parse` stops before it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.text.labels import LONGEST_LABEL
from novikoff.data.text.number_kernel import byte, scan_number
from novikoff.data.text.vw.block import VwOptions
from novikoff.data.text.vw.feature_index import LONGEST_NAME
from novikoff.data.text.vw.feature_index_kernel import (
    BASIS,
    HAT,
    Spans,
    find,
    first_slot,
    fnv,
    joined_length,
    mixed,
)
from novikoff.jit import compile_loop, inline, subroutine

#: Why `parse` stopped: at the end, at a line it leaves to others, or for want of room.
DONE, ODD, FULL = 0, 1, 2
#: What the cursor holds: the next line's place and number, and how many of each there are so far.
AT, LINE, ROWS, ENTRIES, FRESH, LETTERS, LEFT_OUT, WEIGHTLESS = range(8)
COUNTERS = 8

SPACE, TAB, COLON, BAR, RETURN, NEWLINE, QUOTE = map(ord, " \t:|\r\n'")
POINT, ZERO = map(ord, ".0")
SMALL_A, SMALL_F, SMALL_I, SMALL_N = map(ord, "afin")
#: A row whose numbers add up to less has no sum of some of them that is not finite.
_LARGE = 1e300

_ENDS_NAME = np.zeros(256, np.bool_)
_ENDS_NAME[[SPACE, TAB, COLON, BAR, RETURN, NEWLINE]] = True
_ENDS_VALUE = np.zeros(256, np.bool_)
_ENDS_VALUE[[SPACE, TAB, BAR, RETURN, NEWLINE]] = True
_BEGINS_NUMBER = np.zeros(256, np.bool_)
_BEGINS_NUMBER[[ord(each) for each in "+-.0123456789"]] = True


class Names(NamedTuple):
    """Those of one row."""

    hashes: NDArray[np.uint64]
    slots: NDArray[np.uint64]  # what is in the first slot of the table where it may be
    spans: NDArray[np.int64]  # of namespace, name and word


class VwOutput(NamedTuple):
    """Where the rows go. A feature of the k-th new name has the column -1 - k."""

    label_starts: NDArray[np.int64]
    label_stops: NDArray[np.int64]
    lines: NDArray[np.int64]
    weights: NDArray[np.float64]  # importances
    starts: NDArray[np.int64]  # row i has the entries from starts[i] up to starts[i + 1]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    hashes: NDArray[np.uint64]  # of new names
    offsets: NDArray[np.int64]
    letters: NDArray[np.uint8]
    cursor: NDArray[np.int64]
    names: Names


def _parse(text: Any, until: int, how: VwOptions, out: VwOutput) -> int:
    cursor = out.cursor
    while cursor[AT] < until:
        end = _blank(text, cursor[AT])
        if end < 0:
            label_start, label_stop, bar, weight = _head(text, cursor[AT], how.labelled)
            if bar < 0:
                return ODD
            count, end = _features(text, bar, out.values[cursor[ENTRIES] :], out.names)
            if end < 0:
                return ODD
            if weight == 0.0 and not how.weightless:
                cursor[WEIGHTLESS] += 1
            else:
                if not _take(text, count, how, out):
                    return FULL
                row = cursor[ROWS]
                out.label_starts[row], out.label_stops[row] = label_start, label_stop
                out.lines[row], out.starts[row + 1] = cursor[LINE], cursor[ENTRIES]
                out.weights[row] = weight
                cursor[ROWS] += 1
        cursor[AT] = end + 1
        cursor[LINE] += 1
    return DONE


@inline
def _blank(text: Any, at: int) -> int:
    """The line feed, if only blanks come before it; else -1."""
    while text[at] == SPACE or text[at] == TAB or text[at] == RETURN:
        at += 1
    return at if text[at] == NEWLINE else -1


@inline
def _features(text: Any, at: int, values: Any, names: Names) -> tuple[int, int]:
    """Where the names from the first bar on are, their hashes and values; how many there are,
    and the line feed; or -1 for that.

    Names are looked up only after that: then the loads from a large table need not wait for what
    the processor guesses wrongly about the text.
    """
    count, total = 0, 0.0
    prefix, prefix_stop, scale, begun = 0, 0, 1.0, BASIS
    while byte(text, at) != NEWLINE:
        here = byte(text, at)
        if here == BAR:
            prefix, prefix_stop, begun, scale, at = _namespace(text, at + 1)
        elif here == SPACE or here == TAB:  # noqa: SIM109  (quicker so)
            at += 1
        elif here == RETURN:
            at = _blank(text, at)
        else:
            start = at
            stop, state = _name(text, at, begun)
            value, state, word, word_stop, at = _value(text, stop, scale, state)
            total += abs(value)
            spans = (prefix, prefix_stop, start, stop, word, word_stop)
            if stop == start or joined_length(spans) > LONGEST_NAME or not total < _LARGE:
                return 0, -1
            values[count], names.hashes[count] = value, mixed(state)
            for k in range(6):
                names.spans[count, k] = spans[k]
            count += 1
        if at < 0:
            return 0, -1
    return count, at


@inline
def _value(
    text: Any, at: int, scale: float, state: np.uint64
) -> tuple[float, np.uint64, int, int, int]:
    """What comes after a name: its value, the hash, the span of a word, and where it ends or -1."""
    if byte(text, at) != COLON:
        return scale, state, at, at, at
    at += 1
    if _BEGINS_NUMBER[byte(text, at)]:
        value, end, sure = _number(text, at)
        if not sure or not _ENDS_VALUE[byte(text, end)]:
            end = -1
        return value * scale, state, at, at, end
    end, state = _word(text, at, fnv(state, HAT))
    return 1.0, state, at, max(end, at), end


@inline
def _take(text: Any, count: int, how: VwOptions, out: VwOutput) -> bool:
    """Give the features of a row their columns; False, and nothing done, if room is missing."""
    cursor = out.cursor
    first, entry, fresh, letters = cursor[ENTRIES], cursor[ENTRIES], cursor[FRESH], cursor[LETTERS]
    if how.mask == 0 or how.counting:
        for k in range(count):
            out.names.slots[k] = first_slot(how.known, out.names.hashes[k])
    for k in range(count):
        hashed = out.names.hashes[k]
        column: Any = np.int64(hashed & how.mask)
        if how.mask == 0 or how.counting:
            each = out.names.spans[k]
            spans = (each[0], each[1], each[2], each[3], each[4], each[5])
            found = find(how.known, hashed, out.names.slots[k], text, spans)
            if how.mask == 0:
                column = found
            if found < 0 and how.closed:
                continue
            if found < 0:
                if how.mask == 0:
                    size = joined_length(spans)
                    if letters + size > out.letters.size:
                        return False
                    _write(text, spans, out.letters, letters)
                    column, letters = -1 - fresh, letters + size
                out.hashes[fresh], out.offsets[fresh + 1] = hashed, letters
                fresh += 1
        out.columns[entry], out.values[entry] = column, out.values[first + k]
        entry += 1
    cursor[LEFT_OUT] += first + count - entry
    cursor[ENTRIES], cursor[FRESH], cursor[LETTERS] = entry, fresh, letters
    return True


@inline
def _head(text: Any, at: int, labelled: bool) -> tuple[int, int, int, float]:
    """Where the label is, the first bar: -1 if there is anything unusual before it, and the
    importance.
    """
    if not labelled:
        while text[at] != BAR:
            if text[at] == NEWLINE or text[at] == RETURN:
                return 0, 0, -1, 1.0
            at += 1
        return 0, 0, at, 1.0
    starts, stops, words, bar = _words(text, at)
    if bar < 0 or words == 0:
        return 0, 0, -1, 1.0
    tag = stops[0] == bar or text[starts[0]] == QUOTE
    others = words - tag - 1
    if not 0 <= others <= 2 or not _usual_label(text, starts[words - 1], stops[words - 1]):
        return 0, 0, -1, 1.0
    weight = 1.0
    if others > 0:
        start, stop = starts[words - 2], stops[words - 2]
        if not _BEGINS_NUMBER[text[start]]:
            return 0, 0, -1, 1.0
        weight, end, sure = _number(text, start)
        if not sure or end != stop or not 0.0 <= weight < np.inf:
            return 0, 0, -1, 1.0
    if others > 1 and not _is(text, starts[words - 3], stops[words - 3], ZERO):
        return 0, 0, -1, 1.0
    return starts[words - 1], stops[words - 1], bar, weight


@inline
def _words(text: Any, at: int) -> tuple[Any, Any, int, int]:
    """The last four words before the bar, the last one first; how many there are; the bar or -1."""
    starts, stops, words = (0, 0, 0, 0), (0, 0, 0, 0), 0
    while text[at] != BAR:
        if text[at] == SPACE:
            at += 1
            continue
        start = at
        while text[at] != SPACE and text[at] != BAR:
            if text[at] == NEWLINE or text[at] == RETURN or text[at] == TAB:
                return starts, stops, words, -1
            at += 1
        starts = (start, starts[0], starts[1], starts[2])
        stops = (at, stops[0], stops[1], stops[2])
        words += 1
    return starts, stops, words, at


@inline
def _is(text: Any, start: int, stop: int, digit: int) -> bool:
    """Whether a token is that digit, perhaps with a point and zeros; for another number, False."""
    if text[start] != digit or (stop > start + 1 and text[start + 1] != POINT):
        return False
    zeros = 0
    for k in range(start + 2, stop):
        zeros += text[k] == ZERO
    return zeros == max(stop - start - 2, 0)


@inline
def _usual_label(text: Any, start: int, stop: int) -> Any:
    """Whether a token certainly is a label: a number, or a word without strange characters."""
    if stop - start > LONGEST_LABEL or text[start] == QUOTE:
        return False
    if _BEGINS_NUMBER[text[start]]:
        return _short_number(text, start, stop)
    for k in range(start, stop):
        if text[k] == COLON or text[k] < SPACE:
            return False
    missing = stop - start == 2 and text[start] | 32 == SMALL_N and text[start + 1] | 32 == SMALL_A
    return not missing and not _not_finite(text, start, stop)


@inline
def _short_number(text: Any, start: int, stop: int) -> bool:
    """Whether a token is a number of a few digits, without an exponent."""
    digits, points = 0, 0
    for k in range(start, stop):
        digits += ZERO <= text[k] <= ZERO + 9
        points += text[k] == POINT
    signs = text[start] == ord("+") or text[start] == ord("-")
    return 0 < digits < 18 and points < 2 and digits + points + signs == stop - start


@inline
def _not_finite(text: Any, start: int, stop: int) -> Any:
    """Whether a token is nan or inf, in small or large letters, or may be infinity."""
    size = stop - start
    if size != 3 and size != 8:
        return False
    first, second, third = text[start] | 32, text[start + 1] | 32, text[start + 2] | 32
    if first == SMALL_N:
        return size == 3 and second == SMALL_A and third == SMALL_N
    return first == SMALL_I and second == SMALL_N and third == SMALL_F


@inline
def _namespace(text: Any, at: int) -> tuple[int, int, np.uint64, float, int]:
    """Where its name is, the hash begun with it, its scale, and where that ends, or -1."""
    start, scale = at, 1.0
    at, state = _name(text, at, BASIS)
    stop = at
    if stop - start > LONGEST_NAME:
        return 0, 0, BASIS, 1.0, -1
    if stop > start:
        state = fnv(state, HAT)
    if text[at] == COLON:
        scale, at, sure = _number(text, at + 1)
        if not sure or stop == start or not _ENDS_VALUE[text[at]]:
            return 0, 0, BASIS, 1.0, -1
    return start, stop, state, scale, at


@subroutine()  # not copied to where it is called: that took long to compile
def _number(text: Any, at: int) -> tuple[float, int, bool]:
    return scan_number(text, at, text.size)


@inline
def _name(text: Any, at: int, state: np.uint64) -> tuple[int, np.uint64]:
    """Where the name at `at` ends, and the hash with it."""
    here = byte(text, at)
    while not _ENDS_NAME[here]:
        state = fnv(state, here)
        at += 1
        here = byte(text, at)
    return at, state


@inline
def _word(text: Any, at: int, state: np.uint64) -> tuple[int, np.uint64]:
    """The same for a value that is a word: colons may be in it; -1 if it is none."""
    start, here = at, byte(text, at)
    while not _ENDS_VALUE[here]:
        state = fnv(state, here)
        at += 1
        here = byte(text, at)
    if at == start or here == BAR or _not_finite(text, start, at):
        at = -1
    return at, state


@inline
def _write(text: Any, spans: Spans, letters: Any, at: int) -> None:
    """Write a^b^c."""
    a, a_stop, b, b_stop, c, c_stop = spans
    for k in range(a, a_stop):
        letters[at + k - a] = text[k]
    at += a_stop - a
    if a < a_stop:
        letters[at] = HAT
        at += 1
    for k in range(b, b_stop):
        letters[at + k - b] = text[k]
    at += b_stop - b
    if c < c_stop:
        letters[at] = HAT
        for k in range(c, c_stop):
            letters[at + 1 + k - c] = text[k]


#: parse(text, until, how, out): take the lines up to there, and say why it stopped.
parse = compile_loop(_parse, threads=True)
