"""Numbers out of bytes in compiled code, equal to float(token) in every bit.

A decimal is w * 10^q with a whole number w; `nearest` finds the double next to it where w has up to
19 digits. Of more digits, the doubles next to the first 19 and to those plus one are mostly the
same; else it is left to float().

Digits are taken eight at a time, as one word of 64 bits, so that the length of a number is a shift
and not a branch that the processor has to guess.
"""

from typing import Any

import numpy as np

from novikoff.data.text.decimal_to_double import exact_quotient, nearest_double
from novikoff.data.text.word_intrinsics import trailing_zeros
from novikoff.jit import inline, subroutine

# 2^63 takes 19 digits, and any 19 digits fit into 64 bits.
MOST_DIGITS = 19
#: What scan_usual may look at: a sign, seven digits, a point and three words.
USUAL_BYTES = 33
_LARGEST_EXPONENT = 10**16  # further out than the digits of any text could make up for

PLUS, MINUS, POINT, ZERO = ord("+"), ord("-"), ord("."), ord("0")
SMALL_E, LARGE_E = ord("e"), ord("E")

# Typed constants: a plain integer beside a uint64 would make a float of both.
_0, _1, _3, _8, _9, _10, _16 = (np.uint64(number) for number in (0, 1, 3, 8, 9, 10, 16))
_24, _32, _40, _48, _56, _63 = (np.uint64(number) for number in (24, 32, 40, 48, 56, 63))

# One word of eight bytes.
_ZEROS = np.uint64(0x3030303030303030)
_BELOW_TOP = np.uint64(0x7F7F7F7F7F7F7F7F)
_TO_TOP = np.uint64(0x7676767676767676)  # 10 + 0x76 = 0x80
_TOPS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x000000FF000000FF)
_HUNDREDS = np.uint64(0x000F424000000064)  # 10^6 << 32 | 100
_UNITS = np.uint64(0x0000271000000001)  # 10^4 << 32 | 1

_TENS = np.array([10**k for k in range(20)], dtype=np.uint64)


@inline
def byte(text: Any, at: int) -> Any:
    """One byte. An unsigned index never counts from the end: to ask that takes a sixth longer."""
    return text[np.uint64(at)]


@inline
def eight_bytes(text: Any, at: int, stop: int) -> np.uint64:
    """The bytes from `at` as one word, the first in its lowest bits; NUL where there are none."""
    if at + 8 <= stop:
        return (  # one load, to the compiler
            np.uint64(byte(text, at))
            | np.uint64(byte(text, at + 1)) << _8
            | np.uint64(byte(text, at + 2)) << _16
            | np.uint64(byte(text, at + 3)) << _24
            | np.uint64(byte(text, at + 4)) << _32
            | np.uint64(byte(text, at + 5)) << _40
            | np.uint64(byte(text, at + 6)) << _48
            | np.uint64(byte(text, at + 7)) << _56
        )
    return _last_bytes(text, at, stop)


@subroutine()
def _last_bytes(text: Any, at: int, stop: int) -> np.uint64:
    word = _0
    for k in range(stop - at):
        word |= np.uint64(byte(text, at + k)) << np.uint64(8 * k)
    return word


@inline
def eight_digits(word: np.uint64) -> tuple[np.uint64, Any]:
    """The number that the first bytes of a word write, and how many of them are digits."""
    digits = word ^ _ZEROS  # 0 to 9 where there is a digit, else 10 or more
    others = ((digits & _BELOW_TOP) + _TO_TOP | digits) & _TOPS
    if others == _0:
        return _eight(digits), 8
    count = trailing_zeros(others) >> _3
    # To the end of the word, with zeros before them; in two steps, for a shift by 64 is none.
    aligned = digits << (_56 - (count << _3)) << _8
    return _eight(aligned), np.int64(count)


@inline
def _eight(digits: np.uint64) -> np.uint64:
    """Eight digits as a number: neighbours are joined to pairs, pairs to fours, fours to all."""
    pairs = digits * _10 + (digits >> _8)
    high, low = (pairs & _PAIRS) * _HUNDREDS, (pairs >> _16 & _PAIRS) * _UNITS
    return (high + low) >> _32


@inline
def scan_digits(text: Any, at: int, stop: int, number: np.uint64) -> tuple[np.uint64, int]:
    """Take up the digits from `at` after those that `number` has already; also where they end.

    The number is right as long as it has at most 19 digits, leading zeros aside.
    """
    value, count = eight_digits(eight_bytes(text, at, stop))
    number = number * _TENS[np.uint64(count)] + value
    at += count
    while count == 8:
        value, count = eight_digits(eight_bytes(text, at, stop))
        number = number * _TENS[np.uint64(count)] + value
        at += count
    return number, at


@inline
def scan_number(text: Any, start: int, stop: int) -> tuple[float, int, bool]:
    """The number that begins at `start`: its value, where it ends, and whether the value is known.

    Takes the longest run of [+-]digits[.digits][e[+-]digits] (also `.5` and `5.`), and looks at no
    byte from `stop` on: let that be the end of all text, not of the token, for speed.

    known: the value is float(token), finite, for token = text[start:end]. Otherwise nothing is
    claimed about the token, which ends where no character of a number comes next; ask float().
    """
    if start + USUAL_BYTES <= stop:
        value, end = scan_usual(text, start)
        if end >= 0 and not _is_e(byte(text, end)):
            return value, end, True
    return _scan_any(text, start, stop)


@inline
def scan_usual(text: Any, start: int) -> tuple[float, int]:
    """The number if it is [-]digits[.digits], not too many, and where they end; else -1 for that.

    An exponent may come there, so look. As many bytes as USUAL_BYTES must follow.
    """
    negative = byte(text, start) == MINUS  # no branch on the sign, which cannot be guessed
    at = start + negative
    if byte(text, at + 1) == POINT:  # as most often, and soon known
        number, whole = np.uint64(byte(text, at)) - np.uint64(ZERO), 1
        known = number <= _9
    else:
        number, whole = eight_digits(eight_bytes(text, at, at + 8))
        known = 0 < whole < 8
    if not known:
        return 0.0, -1
    at += whole
    if byte(text, at) == POINT:
        value, count = _with_fraction(text, at + 1, number, whole)
        if count < 0:
            return 0.0, -1
        at += 1 + count
    else:
        value = np.float64(np.int64(number))
    stored = np.float64(value).view(np.uint64) | np.uint64(negative) << _63
    return np.uint64(stored).view(np.float64), at


@inline
def _with_fraction(text: Any, at: int, number: np.uint64, whole: int) -> tuple[float, Any]:
    """A number of so many digits with those after its point, and how many these are.

    That is -1 if all of them are more than 64 bits always hold.
    """
    more, count = eight_digits(eight_bytes(text, at, at + 8))
    number = number * _TENS[np.uint64(count)] + more
    if count < 8:  # 14 digits at most
        return exact_quotient(number, count), count
    more, last = eight_digits(eight_bytes(text, at + 8, at + 16))
    number = number * _TENS[np.uint64(last)] + more
    count += last
    if last == 8:
        more, last = eight_digits(eight_bytes(text, at + 16, at + 24))
        number = number * _TENS[np.uint64(last)] + more
        count += last
    if whole + count > MOST_DIGITS:
        return 0.0, -1
    value, _ = nearest_double(number, -count)
    return value, count


@subroutine()
def _scan_any(text: Any, start: int, stop: int) -> tuple[float, int, bool]:
    """As scan_number, for numbers of any kind."""
    at, sign = start, 1.0
    if at < stop:
        negative = byte(text, at) == MINUS
        sign -= 2.0 * negative
        at += negative | (byte(text, at) == PLUS)
    first = at
    number, at = scan_digits(text, at, stop, _0)
    count, exponent = at - first, 0
    if at < stop and byte(text, at) == POINT:
        whole = at + 1
        number, at = scan_digits(text, whole, stop, number)
        count += at - whole
        exponent = whole - at
    if count == 0:
        return 0.0, _run_end(text, at, stop), False
    last = at
    if at < stop and _is_e(byte(text, at)):
        power, at = _scan_exponent(text, at, stop)
        if at < 0:
            return 0.0, _run_end(text, last, stop), False
        exponent += power
    exact = True
    if count > MOST_DIGITS:
        number, dropped, exact = _leading_digits(text, first, last)
        exponent += dropped
    value, known = nearest_double(number, exponent)
    if not exact and known:
        above, known = nearest_double(number + _1, exponent)
        known &= value == above
    if not known:
        return 0.0, _run_end(text, at, stop), False
    return sign * value, at, True


@inline
def _is_e(character: int) -> bool:
    return character in (SMALL_E, LARGE_E)


@inline
def _is_digit(character: int) -> bool:
    return ZERO <= character <= ZERO + 9


@inline
def _scan_exponent(text: Any, at: int, stop: int) -> tuple[Any, int]:
    """The power of ten that stands after the `e` at `at`, and where it ends: -1 if it is none."""
    at += 1
    negative = False
    if at < stop and (byte(text, at) == MINUS or byte(text, at) == PLUS):
        negative = byte(text, at) == MINUS
        at += 1
    first, power = at, np.int64(0)
    while at < stop and _is_digit(byte(text, at)):
        if power < _LARGEST_EXPONENT:
            power = power * 10 + (np.int64(byte(text, at)) - ZERO)
        at += 1
    return (-power if negative else power), (at if at > first else -1)


@inline
def _run_end(text: Any, at: int, stop: int) -> int:
    """Where the characters that numbers are written with end."""
    while at < stop and (
        _is_digit(byte(text, at))
        or byte(text, at) == POINT
        or byte(text, at) == MINUS
        or byte(text, at) == PLUS
        or byte(text, at) == SMALL_E
        or byte(text, at) == LARGE_E
    ):
        at += 1
    return at


@subroutine()
def _leading_digits(text: Any, at: int, last: int) -> tuple[np.uint64, int, bool]:
    """As many digits as fit, perhaps with a point among them.

    Also how many more there are, and whether those are all zeros.
    """
    dropped, number, kept, exact = 0, _0, 0, True
    while at < last:
        if byte(text, at) != POINT:
            digit = np.uint64(byte(text, at)) - np.uint64(ZERO)
            if kept < MOST_DIGITS:
                number = number * _10 + digit
                kept += number != _0  # leading zeros do not count
            else:
                dropped += 1
                exact &= digit == _0
        at += 1
    return number, dropped, exact
