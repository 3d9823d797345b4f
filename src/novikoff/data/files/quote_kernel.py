"""Where records of a table's text end, if its fields may be quoted."""

from typing import Any

import numpy as np

from novikoff.jit import compile_loop, inline

_LF, _QUOTE, _SPACE, _TAB = 10, 34, 32, 9


@inline
def _record_end(text: Any, at: int, delimiter: int) -> int:
    """The place after the line end of the record that begins at `at`.

    0 if it has no line end, -1 if it has none because a quote is not closed.

    A quote opens a field where it is the field's first character, and closes it where it is not
    doubled; elsewhere it is a character like others, as in RFC 4180 and Python's csv module. With
    blanks for delimiters, a field begins after any of them.
    """
    inside, begins, size = False, True, text.shape[0]
    blanks = delimiter == _SPACE
    while at < size:
        byte = text[np.uint64(at)]
        if inside:
            if byte == _QUOTE:
                if at + 1 < size and text[np.uint64(at + 1)] == _QUOTE:
                    at += 1
                else:
                    inside = False
        elif byte == _LF:
            return at + 1
        elif byte == _QUOTE and begins:
            inside, begins = True, False
        else:
            begins = byte == delimiter or (blanks and byte == _TAB)
        at += 1
    return -1 if inside else 0


def _last_end(text: Any, delimiter: int) -> int:
    """The place after the last record that ends; 0 if none does. The text begins with a record."""
    end, found = 0, _record_end(text, 0, delimiter)
    while found > 0:
        end, found = found, _record_end(text, found, delimiter)
    return end


def _ends(text: Any, delimiter: int, places: Any) -> int:
    """Write down the place after each record that ends; also how many there are."""
    count, found = 0, _record_end(text, 0, delimiter)
    while found > 0:
        places[count] = found
        count, found = count + 1, _record_end(text, found, delimiter)
    return count


def _work(text: Any, *_: Any) -> float:
    return 5.0 * len(text)


record_end = compile_loop(_record_end, work=_work, threads=True)
last_end = compile_loop(_last_end, work=_work, threads=True)
ends = compile_loop(_ends, work=_work, threads=True)
