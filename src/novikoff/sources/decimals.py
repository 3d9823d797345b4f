"""Many numbers out of one run of text at a time, equal to float(token) in every bit.

A decimal m / 10^k with m <= 2^53 and k <= 22 needs no more than one division: m and 10^k are
floats without error, and a division rounds correctly, as float() does (Clinger, "How to read
floating point numbers accurately", 1990). NumPy does that for thousands of tokens together, four
times faster than one by one. Longer numbers, exponents and all that is odd is left to float().
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.base import Exact
from novikoff.sources.tokens import NotANumberError, exact, number, plain

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_EXACT_INTEGERS = 2**53
_POWERS = np.array([float(f"1e{k}") for k in range(23)])
#: 18 digits never overflow 64 bits; a sign and a point make 20 characters.
_MOST_DIGITS = 18
_LONGEST = 20
#: Tokens handled together, so that the temporary arrays stay in the cache.
_BLOCK = 2**15


class BadTokenError(NotANumberError):
    """A token is not a number; `place` is its place among those asked for."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place


class Tokens(NamedTuple):
    """A run of text cut at its separators; `values` holds where `known` says so."""

    raw: bytes
    starts: Ints
    ends: Ints
    values: Floats
    known: NDArray[np.bool_]

    def word(self, place: int) -> str:
        """One token as text."""
        return self.raw[self.starts[place] : self.ends[place]].decode("utf-8")


def tokens(raw: bytes, separator: bytes) -> Tokens:
    """The tokens of UTF-8 text in which the one byte `separator` stands after each of them."""
    codes = np.frombuffer(raw + separator * _LONGEST, np.uint8)
    ends = np.flatnonzero(codes[: len(raw)] == separator[0])
    starts = np.concatenate(([0], ends[:-1] + 1))[: len(ends)]
    if separator != b" ":  # "1, 2, 3": people put a blank after the comma
        starts += codes[starts] == ord(" ")
    values = np.empty(len(ends))
    known = np.empty(len(ends), dtype=np.bool_)
    for first in range(0, len(ends), _BLOCK):
        part = slice(first, first + _BLOCK)
        values[part], known[part] = _block(codes, starts[part], ends[part] - starts[part])
    return Tokens(raw, starts, ends, values, known)


def numbers(found: Tokens, wanted: Ints) -> Floats:
    """The tokens at the places `wanted`, each of which must be a finite number."""
    values = found.values[wanted]
    hard = np.flatnonzero(~found.known[wanted])
    words = [found.word(place) for place in wanted[hard]]
    if plain("".join(words)):
        try:
            values[hard] = np.fromiter(map(float, words), np.float64, len(words))
        except ValueError:
            pass  # the loop below finds out which, and says why
        else:
            if np.isfinite(values[hard]).all():
                return values
    for place, word in zip(hard, words, strict=True):
        try:
            values[place] = number(word)
        except NotANumberError as problem:
            raise BadTokenError(int(place), str(problem)) from None
    return values


def fractions(found: Tokens, wanted: Ints) -> Exact:
    """The tokens at the places `wanted`, each exactly as it is written."""
    values: dict[str, Fraction] = {}  # real data repeat themselves
    exactly = np.empty(len(wanted), dtype=object)
    for k, place in enumerate(wanted.tolist()):
        word = found.word(place)
        if word not in values:
            try:
                values[word] = exact(word)
            except NotANumberError as problem:
                raise BadTokenError(k, str(problem)) from None
        exactly[k] = values[word]
    return exactly


def joined_exact(parts: Sequence[Exact | None]) -> Exact | None:
    """The exact numbers of several runs of rows, if they were asked for."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known else None


def _block(
    codes: NDArray[np.uint8], starts: Ints, lengths: Ints
) -> tuple[Floats, NDArray[np.bool_]]:
    """The values of some tokens, and which of them are plain decimals of a size to be exact."""
    span = int(min(max(lengths.max(), 1), _LONGEST))
    # One row for each place in a token, so that a step works on neighbours in memory.
    text = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(codes, span)[starts].T)
    inside = np.arange(span)[:, None] < lengths
    digits = text - np.uint8(ord("0"))  # what is no digit wraps around, to 10 or more
    is_digit = (digits < 10) & inside
    is_point = (text == ord(".")) & inside
    negative = text[0] == ord("-")
    mantissa = np.zeros(len(starts), dtype=np.int64)
    for digit, counts in zip(digits, is_digit, strict=True):
        mantissa = np.where(counts, mantissa * 10 + digit, mantissa)
    n_digits, n_points = (marks.sum(axis=0, dtype=np.int64) for marks in (is_digit, is_point))
    scale = np.where(n_points > 0, lengths - 1 - is_point.argmax(axis=0), 0)
    signs = negative | (text[0] == ord("+"))
    known = (n_digits + n_points + signs == lengths) & (n_digits > 0) & (n_points <= 1)
    known &= (n_digits <= _MOST_DIGITS) & (mantissa <= _EXACT_INTEGERS)
    values = mantissa / _POWERS[np.where(known, scale, 0)]
    return np.where(negative, -values, values), known
