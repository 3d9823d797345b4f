"""Compiled code reads numbers as float() does, bit for bit, or says that it does not know."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.text import decimal_to_double
from novikoff.data.text.decimal_to_double import LARGEST_POWER, SMALLEST_POWER
from novikoff.data.text.number_kernel import scan_number
from novikoff.data.text.word_intrinsics import times
from novikoff.jit import numba
from tests.data.test_tokens import AWKWARD, DECIMALS, NOT_NUMBERS
from tests.helpers.chunks import bits
from tests.helpers.examples import examples

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
CHARACTERS = re.compile(rb"[-+.0-9eE]*")
#: Doubles of every exponent, the subnormal ones too.
ANY_DOUBLE = st.integers(0, 2**64 - 1).map(lambda n: float(np.uint64(n).view(np.float64)))
DOUBLES = ANY_DOUBLE.filter(np.isfinite)
FORMATS = st.sampled_from(["{!r}", "{:.16e}", "{:.17E}", "{:.18e}", "{:.24e}", "{:.6g}"])


@numba().njit
def _each(text, starts, stop, values, ends, known):  # type: ignore[no-untyped-def]
    for i in range(len(starts)):
        values[i], ends[i], known[i] = scan_number(text, starts[i], stop)


@numba().njit
def _times(a, b):  # type: ignore[no-untyped-def]
    return times(a, b)


def scanned(raw: bytes, starts: list[int], stop: int | None = None) -> list[tuple]:
    """(value, end, known) for the numbers that begin at some places."""
    values, ends = np.empty(len(starts)), np.empty(len(starts), dtype=np.int64)
    known = np.empty(len(starts), dtype=np.bool_)
    at = np.array(starts, dtype=np.int64)
    _each(np.frombuffer(raw, np.uint8), at, len(raw) if stop is None else stop, values, ends, known)
    return list(zip(values.tolist(), ends.tolist(), known.tolist(), strict=True))


def check(words: list[str], *, always: bool = True) -> None:
    """Each word alone and among others: it is known if it is finite, and then it is float(word)."""
    raw = "".join(f"{word}:" for word in words).encode()
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    starts = [int(end) - len(word) for end, word in zip(ends, words, strict=True)]
    for word, end, found in zip(words, ends, scanned(raw, starts), strict=True):
        assert found[1] == end
        if found[2]:
            assert bits(found[0]) == bits(float(word)), word
        assert found[2] is np.isfinite(float(word)).item() or not (always or found[2])
        ((value, stop, known),) = scanned(word.encode(), [0])
        assert (bits(value), stop, known) == (bits(found[0]), len(word), found[2])


@examples(100)
@given(st.lists(st.builds(str.format, FORMATS, DOUBLES), min_size=1, max_size=50))
def test_doubles_as_programs_write_them(words: list[str]) -> None:
    check(words)


@given(st.lists(DECIMALS, min_size=1, max_size=50))
def test_decimals_of_any_length(words: list[str]) -> None:
    check(words, always=False)


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 10**19 - 1), st.integers(-360, 320)), min_size=1))
def test_nineteen_digits_are_always_enough(parts: list[tuple[int, int]]) -> None:
    check([f"{digits}e{power}" for digits, power in parts])


@examples(100)
@given(st.lists(st.tuples(DOUBLES, st.integers(17, 30)), min_size=1, max_size=20))
def test_just_beside_the_middle_of_two_doubles(parts: list[tuple[float, int]]) -> None:
    words = []
    for x, digits in parts:
        middle = (Fraction(abs(x)) + Fraction(float(np.nextafter(abs(x), 0)))) / 2
        if middle:
            power = len(str(int(middle))) if middle >= 1 else -len(str(int(1 / middle)))
            scaled = middle * Fraction(10) ** (digits - power)
            words += [f"{int(scaled) + step}e{power - digits}" for step in (-1, 0, 1, 2)]
    check(words or ["0"], always=False)


@pytest.mark.parametrize("below", [0, 1, 8])
def test_the_middle_itself_goes_to_the_even_double(below: int) -> None:
    odd = [2 * (2**53 - 1 - k) + 1 for k in range(200)]  # 54 bits: one too many
    words = [str(number << below) for number in odd]
    words += [f"{25 * number}e-2" for number in odd] + [f"{number * 5}e-1" for number in odd]
    words += [f"{int(word) + step}" for word in words[:50] for step in (-1, 1)]
    check(words)


def test_digits_make_up_for_the_exponent_however_many() -> None:
    zeros = "0" * 1_300_000
    check([f"0.{zeros}125e1300001", f"25{zeros}e-1300001", f"25{zeros}e-99999999999999999999"])


def test_powers_of_ten() -> None:
    check([f"{digit}e{power}" for digit in (1, 5, 9) for power in range(-345, 320)])
    check(["1e-99999999999999999999", "0e99999999999999", "1e99999999999999999999999"])
    check(["4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324"])
    check(["2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308"])


@pytest.mark.parametrize("word", [*AWKWARD, "0" * 50 + ".5", "0." + "0" * 50 + "5", "1" + "0" * 50])
def test_awkward_numbers(word: str) -> None:
    check([word])


@pytest.mark.parametrize("word", NOT_NUMBERS)
def test_what_is_no_number_is_not_known(word: str) -> None:
    raw = word.encode()
    ((_, end, known),) = scanned(raw, [0])
    assert not (known and end == len(raw))
    if not known:
        assert end == CHARACTERS.match(raw).end()


@examples(500)
@given(
    raw=st.binary(max_size=30) | st.text("0123456789.eE+-x: ", max_size=30).map(str.encode),
    start=st.integers(0, 30),
    stop=st.integers(0, 30),
)
def test_any_bytes(raw: bytes, start: int, stop: int) -> None:
    stop = min(stop, len(raw))
    start = min(start, stop)
    ((value, end, known),) = scanned(raw, [start], stop)
    assert start <= end <= stop
    match = NUMBER.match(raw, start, stop)
    if known:
        assert end == match.end()
        assert bits(value) == bits(float(match[0]))
    else:
        assert end == CHARACTERS.match(raw, start, stop).end()


@pytest.mark.parametrize("word", [*AWKWARD, "1e400", "x", "1e", "1" * 19 + "." + "1" * 19])
def test_plain_python_gives_the_same(word: str) -> None:
    raw = np.frombuffer(word.encode(), np.uint8)
    with np.errstate(over="ignore"):  # words of 64 bits are meant to wrap around
        value, end, known = scan_number(raw, 0, len(raw))
    assert [(bits(value), int(end), bool(known))] == [
        (bits(v), e, k) for v, e, k in scanned(word.encode(), [0])
    ]


@pytest.mark.parametrize("whole", range(1, 10))
@pytest.mark.parametrize("sign", ["", "-", "+"])
def test_as_many_digits_before_and_after_the_point_as_you_like(whole: int, sign: str) -> None:
    digits = "98765432109876543210987654321"
    words = [f"{sign}{digits[:whole]}.{digits[whole : whole + k]}" for k in range(21)]
    words += [f"{sign}{digits[:whole]}", f"{sign}0{digits[:whole]}"]
    words += [f"{word}e{power}" for word in words for power in (-7, 12)]
    check(words)
    check([word.replace("9", "0") for word in words])


@examples(100)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_products_of_words(a: int, b: int) -> None:
    for multiply in (_times, times):
        high, low = multiply(np.uint64(a), np.uint64(b))
        assert (int(high) << 64) + int(low) == a * b


def test_the_table_holds_the_leading_bits_of_every_power() -> None:
    for row, power in enumerate(range(SMALLEST_POWER, LARGEST_POWER + 1)):
        high, low = (int(word) for word in decimal_to_double._FIVES[row])
        assert high >> 63 == 1
        # scaled to 128 bits before the point
        exact = Fraction(5) ** power
        size = exact.numerator.bit_length() - exact.denominator.bit_length()
        exact *= Fraction(2) ** (127 - size)
        exact *= 2 if exact < 2**127 else 1
        assert 2**127 <= exact < 2**128
        above = (high << 64) + low - exact
        assert 0 <= above <= 1 if -27 <= power < 0 else -1 < above <= 0
