"""The double nearest to w * 10^q, in compiled code.

w <= 10^15 and |q| <= 22    one product or quotient of two doubles without error, which rounds
                            as float() does (Clinger, "How to read floating point numbers
                            accurately", 1990)
w < 2^64                    the leading bits of w * 5^q, out of a table of 128 bits for every
                            power (Lemire, "Number parsing at a gigabyte per second", 2021; that
                            these bits always suffice: Mushtak and Lemire, "Fast number parsing
                            without fallback", 2023)
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.data.text.word_intrinsics import leading_zeros, times
from novikoff.jit import inline, subroutine

SMALLEST_POWER, LARGEST_POWER = -342, 308

# Typed constants: a plain integer beside a uint64 would make a float of both.
_0, _1, _3, _9, _52, _63 = (np.uint64(number) for number in (0, 1, 3, 9, 52, 63))
_FIRST_BIT = np.uint64(2**52)
_EXACT_INTEGERS = np.uint64(2**53)
# Below 2^53, but no 16 digits: which side of it those are on, a processor could not guess.
_FEW_DIGITS = np.uint64(10**15)
_PRECISION = np.uint64(2**9 - 1)  # the bits of a product below the 55 that matter

_EXACT_TENS = np.array([float(f"1e{k}") for k in range(23)])


def _fives() -> NDArray[np.uint64]:
    """The leading 128 bits of 5^q in two words: rounded up where q is from -27 to -1, else down."""
    words = []
    for q in range(SMALLEST_POWER, LARGEST_POWER + 1):
        power = 5 ** abs(q)
        if q < 0:
            power = 2 ** (power.bit_length() + 127) // power + (q >= -27)
        shift = power.bit_length() - 128
        power = power >> shift if shift > 0 else power << -shift
        words.append((power >> 64, power & (2**64 - 1)))
    return np.array(words, dtype=np.uint64)


_FIVES = _fives()


@inline
def nearest_double(number: np.uint64, exponent: int) -> tuple[float, bool]:
    """number * 10^exponent, correctly rounded, and whether it is known to be: not if infinite."""
    if number <= _FEW_DIGITS and -22 <= exponent <= 22:
        if exponent <= 0:
            return exact_quotient(number, -exponent), True
        return np.float64(np.int64(number)) * _EXACT_TENS[np.uint64(exponent)], True
    return _by_table(number, exponent)


@inline
def exact_quotient(number: np.uint64, digits: int) -> float:
    """number / 10^digits, correctly rounded, for a number up to 2^53 and at most 22 digits."""
    exact = np.float64(np.int64(number))  # processors convert signed numbers
    return np.float64(exact / _EXACT_TENS[np.uint64(digits)])


@subroutine()
def _by_table(number: np.uint64, power: int) -> tuple[float, bool]:
    """Lemire's way. The significand has 52 bits besides the first, which is not stored."""
    if number == _0 or power < SMALLEST_POWER:
        return 0.0, True
    if power > LARGEST_POWER:
        return 0.0, False
    zeros = leading_zeros(number)
    high, low = _product(number << zeros, power)
    upper = high >> _63
    shift = upper + _9
    bits = high >> shift  # 54 of them: one too many, to round by
    binary = ((217706 * power) >> 16) + 63 + np.int64(upper) - np.int64(zeros) + 1023
    if binary <= 0:
        return _subnormal(bits, -binary), True
    # Just between two doubles, it goes to the even one; only there can no bit be missing.
    between = low <= _1 and -4 <= power <= 23 and bits & _3 == _1
    if between and bits << shift == high:
        bits -= _1
    bits = (bits + (bits & _1)) >> _1
    if bits >= _EXACT_INTEGERS:
        bits, binary = _FIRST_BIT, binary + 1
    if binary >= 2047:
        return 0.0, False
    stored = bits - _FIRST_BIT | np.uint64(binary) << _52
    return np.uint64(stored).view(np.float64), True


@inline
def _subnormal(bits: np.uint64, below: np.int64) -> float:
    """A double whose leading bits are zeros: those are fewer, and none is between two doubles."""
    if below + 1 >= 64:
        return 0.0
    bits >>= np.uint64(below + 1)
    stored = (bits + (bits & _1)) >> _1  # if it grew to 2^52, that is the smallest normal double
    return np.uint64(stored).view(np.float64)


@inline
def _product(number: np.uint64, power: int) -> tuple[np.uint64, np.uint64]:
    """The leading 128 bits of number * 5^power, as many of them right as are needed."""
    row = power - SMALLEST_POWER
    high, low = times(number, _FIVES[row, 0])
    if high & _PRECISION == _PRECISION:  # a carry from further below might matter
        more, _ = times(number, _FIVES[row, 1])
        low += more
        if more > low:
            high += _1
    return high, low
