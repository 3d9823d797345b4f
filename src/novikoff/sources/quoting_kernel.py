"""Where the last whole record of a table's text ends, if its fields may be quoted."""

from typing import Any

import numpy as np

from novikoff.generic import compile_loop

_LF, _QUOTE, _SPACE, _TAB = 10, 34, 32, 9


def _last_end(text: Any, delimiter: int) -> int:
    """The place after the last line end that is not inside of quotes; 0 if there is none.

    The text begins with a record. A quote opens a field where it is the field's first character,
    and closes it where it is not doubled; elsewhere it is a character like others, as in RFC 4180
    and Python's csv module. With blanks for delimiters, a field begins after any of them.
    """
    end, inside, begins, at, size = 0, False, True, 0, text.shape[0]
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
            end, begins = at + 1, True
        elif byte == _QUOTE and begins:
            inside, begins = True, False
        else:
            begins = byte == delimiter or (blanks and byte == _TAB)
        at += 1
    return end


last_end = compile_loop(_last_end, threads=True)
