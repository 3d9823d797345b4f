"""Labels that are numbers, out of bytes, in compiled code."""

from typing import Any

from novikoff.data.text.number_kernel import MINUS, PLUS, ZERO, scan_number
from novikoff.jit import compile_loop

_MOST_DIGITS = 18  # as many as always fit into 64 bits beside a sign


def _scan_labels(
    text: Any, starts: Any, stops: Any, floats: Any, integers: Any
) -> tuple[bool, bool]:
    """Whether text[starts[i]:stops[i]] are all numbers, and whether all are short and whole.

    floats[i] is what float() makes of it, integers[i] what int() does, if all are.
    """
    whole = True
    for i in range(len(starts)):
        floats[i], end, known = scan_number(text, starts[i], len(text))
        if not known or end != stops[i]:
            return False, False
        at = starts[i]
        negative = text[at] == MINUS
        if negative or text[at] == PLUS:
            at += 1
        whole &= end - at <= _MOST_DIGITS
        number = 0
        while whole and at < end:
            digit = int(text[at]) - ZERO
            whole = 0 <= digit <= 9
            number = 10 * number + digit
            at += 1
        integers[i] = -number if negative else number
    return True, whole


scan_labels = compile_loop(_scan_labels, threads=True)
