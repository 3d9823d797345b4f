"""Exact products of many rows with vectors of integers, at the speed of matrix products.

Rows are cut into slices of a few bits, vectors into digits of as few, so that a sum of products of
slices and digits stays below 2^53: floating point computes it exactly, in any order.

    x[j] = 2^c[j] * (S1[j] / 2^h + S2[j] / 4^h + ...)       c from the column's largest entry
    v[j] * 2^(c[j] - low) = D0[j] + D1[j] * 2^h + ...       |S| <= 2^h, |D| <= 2^(h - 1)
    |S . D| <= entries * 2^(2 h - 1) <= 2^53

Rows with bits too far apart for a few slices, and rows that are not doubles, go one by one through
Python's integers. Rows in several pieces are multiplied where they are: what is put together are
signs, or the smallest of each piece.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse

from novikoff.rows import CsrRows, as_csr, longest
from novikoff.signed import IntegerRow, Signed, SignedRows, chunked, dot

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SLICES = 8  # of a row at most
AT_ONCE = 2**21  # numbers in a block
FEW = 32  # rows, for which no matrix product is worth it
BETWEEN_LOOKS = 2**16  # rows between two looks at whether it is worth going on
MOST_ROOM = 40  # bits of a sum that are not the rows' own


class Digits(NamedTuple):
    """Integers, in digits of `bits` bits: sum of digits[..., m] * 2^(bits * m), times 2^exponent.

    All digits are in 0..2^bits but the last, which carries the sign.
    """

    digits: Ints
    bits: int
    exponent: int

    def signs(self) -> npt.NDArray[np.int8]:
        """-1, 0 or 1 for each."""
        positive = self.digits.any(axis=-1)
        return np.where(self.digits[..., -1] < 0, -1, positive).astype(np.int8)

    def smallest(self) -> Fraction:
        """The smallest of them."""
        left = self.digits.reshape(-1, self.digits.shape[-1])
        for m in range(left.shape[1] - 1, -1, -1):
            left = left[left[:, m] == left[:, m].min()]
        total = 0
        for digit in reversed(left[0].tolist()):
            total = (total << self.bits) + digit
        return Fraction(total) * Fraction(2) ** self.exponent


def outside(signed: SignedRows, rows: Places, vectors: list[list[int]]) -> Mask:
    """Which of the rows are not orthogonal to all of the vectors of integers; rows ascend."""
    return np.concatenate([np.empty(0, np.bool_), *signed.spread(_outside, rows, vectors)])


def first_outside(signed: SignedRows, rows: Places, vectors: list[list[int]]) -> int | None:
    """The first of the rows that is not orthogonal to all of the vectors; rows ascend."""
    found = [i for i in signed.spread(_first_outside, rows, vectors) if i is not None]
    return min(found, default=None)


def _outside(signed: Signed, rows: Places, vectors: list[list[int]]) -> Mask:
    return np.asarray(signs(signed, rows, vectors).any(axis=1))


def _first_outside(signed: Signed, rows: Places, vectors: list[list[int]]) -> int | None:
    for some in chunked(rows, BETWEEN_LOOKS):
        odd = _outside(signed, some, vectors)
        if odd.any():
            return signed.start + int(some[np.argmax(odd)])
    return None


def signs(signed: Signed, rows: Places, vectors: list[list[int]]) -> npt.NDArray[np.int8]:
    """The sign of z . v, for each of the rows in memory and each of the vectors of integers."""
    out = np.empty((len(rows), len(vectors)), np.int8)
    start = 0
    for block, odd, digits in _products(signed, rows, vectors):
        part = out[start : start + len(block)]
        part[~odd] = digits.signs()
        for k in np.flatnonzero(odd):
            row = signed.row(int(block[k]))
            part[k] = [_sign(dot(row, vector)) for vector in vectors]
        start += len(block)
    return out


def smallest(signed: SignedRows, rows: Places, vector: list[int]) -> Fraction:
    """The smallest z . v of at least one row; rows ascend."""
    return min(signed.spread(_smallest, rows, vector))


def _smallest(signed: Signed, rows: Places, vector: list[int]) -> Fraction:
    def score(row: IntegerRow) -> Fraction:
        return Fraction(dot(row, vector), row.denominator)

    return _least(signed, _products(signed, rows, [vector]), score)


def worst(signed: SignedRows, rows: Places, vector: list[int]) -> int:
    """The row with the smallest z . v, of equal ones the first."""
    return min(signed.spread(_worst, rows, vector))[1]


def _worst(signed: Signed, rows: Places, vector: list[int]) -> tuple[Fraction, int]:
    exact = ((i, signed.row(i)) for i in rows.tolist())
    scores = ((Fraction(dot(row, vector), row.denominator), i) for i, row in exact)
    score, i = min(scores)
    return score, signed.start + i


def largest_square(signed: SignedRows, rows: Places) -> Fraction:
    """The largest |z|^2 of at least one row; rows ascend."""
    return max(signed.spread(_largest_square, rows))


def _largest_square(signed: Signed, rows: Places) -> Fraction:
    def below(row: IntegerRow) -> Fraction:
        return signed.bias - Fraction(sum(v * v for v in row.values), row.denominator**2)

    return signed.bias - _least(signed, _negated_squares(signed, rows), below)


def combined(signed: Signed, rows: Places, factors: list[int]) -> tuple[list[int], int] | None:
    """The sum of factor * z of rows in memory, as integers over a power of two; None where it is
    not worth it.

    It is for many rows and factors of few bits, so that sums over all rows stay below 2^53.
    """
    room = max(map(abs, factors)).bit_length() + len(rows).bit_length()
    if not _sliceable(signed, rows) or room > MOST_ROOM:
        return None
    bits, exponents = 53 - room, _exponents(signed, rows)
    numbers = np.array(factors, np.float64) * signed.signs[rows]
    sums, total, deep = np.zeros((SLICES, signed.features)), [0] * signed.dim, 1
    for block in chunked(np.arange(len(rows)), max(1, AT_ONCE // (1 + longest(signed.rows)))):
        slices, odd = _slices(_Block(signed, rows[block]), exponents, bits)
        if odd.any():
            return None
        deep = max(deep, len(slices))
        for k, part in enumerate(slices):
            sums[k] += part.T @ numbers[block]
    used = np.flatnonzero(sums.any(axis=0))
    low = min(int(exponents.min(initial=0)), 0) - deep * bits
    lines = sums[:deep, used].astype(np.int64).tolist()
    parts = lines[0]
    for line in lines[1:]:
        parts = [(high << bits) + more for high, more in zip(parts, line, strict=True)]
    shifts = (exponents[used] - deep * bits - low).tolist()
    for j, value, shift in zip(used.tolist(), parts, shifts, strict=True):
        total[j] = value << shift
    if signed.bias:
        total[-1] = int(numbers.sum()) << -low
    return total, 1 << -low


Blocks = Iterator[tuple[Places, npt.NDArray[np.bool_], Digits]]


def _least(signed: Signed, blocks: Blocks, number: Callable[[IntegerRow], Fraction]) -> Fraction:
    found = []
    for block, odd, digits in blocks:
        found += [number(signed.row(int(i))) for i in block[odd]]
        if not odd.all():
            found.append(digits.smallest())
    return min(found)


def _products(signed: Signed, rows: Places, vectors: list[list[int]]) -> Blocks:
    """Block by block: the rows, which of them are odd, and the products of the others."""
    if not _sliceable(signed, rows):
        yield rows, np.ones(len(rows), np.bool_), _nothing(len(vectors))
        return
    bits = (54 - longest(signed.rows).bit_length()) // 2
    exponents = _exponents(signed, rows)
    low = min(0, int(exponents.min(initial=0)))
    shifts = [*(exponents - low).tolist(), -low]  # the bias is a column of ones
    cut = _cut([[v << s for v, s in zip(each, shifts, strict=False)] for each in vectors], bits)
    count = len(cut) // len(vectors)
    for block in chunked(rows, max(1, AT_ONCE // (signed.features + len(cut)))):
        slices, odd = _slices(_Block(signed, block), exponents, bits)
        sums = np.zeros((len(block), len(vectors), len(slices) + count), np.int64)
        for k, part in enumerate(reversed(slices)):
            product = np.asarray(part @ cut[:, : signed.features].T)
            sums[:, :, k : k + count] += product.reshape(-1, len(vectors), count).astype(np.int64)
        if signed.bias:
            ones = cut[:, -1].reshape(len(vectors), count).astype(np.int64)
            sums[:, :, len(slices) - 1 : -1] += ones << bits
        sums *= signed.signs[block][:, None, None]
        yield block, odd, Digits(_carried(sums[~odd], bits), bits, low - len(slices) * bits)


def _negated_squares(signed: Signed, rows: Places) -> Blocks:
    """As `_products`, of -|x|^2, the bias aside: where it is least, |z|^2 is largest."""
    if not _sliceable(signed, rows):
        yield rows, np.ones(len(rows), np.bool_), _nothing(1)
        return
    bits = (53 - longest(signed.rows).bit_length()) // 2
    high = int(_exponents(signed, rows).max(initial=0))
    for block in chunked(rows, max(1, AT_ONCE // signed.features)):
        given = _Block(signed, block)
        slices, odd = _slices(given, np.full(signed.features, high), bits)
        sums = np.zeros((len(block), 1, 2 * len(slices) - 1), np.int64)
        for k, first in enumerate(reversed(slices)):
            for m, second in enumerate(reversed(slices)):
                total = np.asarray((first * second).sum(axis=1))
                sums[:, 0, k + m] -= total.astype(np.int64)
        yield block, odd, Digits(_carried(sums[~odd], bits), bits, 2 * (high - len(slices) * bits))


def _sliceable(signed: Signed, rows: Places) -> bool:
    return signed.exact is None and len(rows) > FEW


def _nothing(vectors: int) -> Digits:
    return Digits(np.zeros((0, vectors, 1), np.int64), 1, 0)


def _exponents(signed: Signed, rows: Places) -> Ints:
    """c[j] with |x[j]| < 2^c[j] in these rows, and 2^-c[j] a double."""
    if "maxima" in vars(signed.scan) or len(rows) > AT_ONCE // signed.dim:
        maxima = signed.scan.maxima[: signed.features]
    else:  # a pass over all rows would take longer than all the rest
        block = _Block(signed, rows)
        maxima = np.zeros(signed.features)
        if block.sparse is None:
            maxima = np.abs(block.values).max(axis=0, initial=0.0)
        else:
            np.maximum.at(maxima, block.sparse.indices, np.abs(block.values))
    return np.frexp(maxima)[1].clip(-1000).astype(np.int64)


class _Block:
    """Some rows: their values, in whatever layout they are in."""

    def __init__(self, signed: Signed, places: Places) -> None:
        self.sparse, self.count = None, len(places)
        if isinstance(signed.rows, CsrRows):
            self.sparse = as_csr(signed.rows)[places]
            values = self.sparse.data
        else:
            values = signed.rows.values[places]
        self.values: Doubles = values.astype(np.float64)

    def by_column(self, numbers: Doubles) -> Doubles:
        return numbers if self.sparse is None else numbers[self.sparse.indices]

    def matrix(self, values: Doubles) -> Any:
        if self.sparse is None:
            return values
        indices, starts = self.sparse.indices, self.sparse.indptr
        return scipy.sparse.csr_array((values, indices, starts), shape=self.sparse.shape)

    def rows_with(self, marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which rows have a marked entry."""
        if self.sparse is None:
            return np.asarray(marked.any(axis=1))
        found = np.zeros(self.count, np.bool_)
        found[np.searchsorted(self.sparse.indptr, np.flatnonzero(marked), "right") - 1] = True
        return found


def _slices(block: _Block, exponents: Ints, bits: int) -> tuple[list[Any], npt.NDArray[np.bool_]]:
    """S1, S2, ... as matrices of the block's layout; and which rows have still more bits."""
    left = block.values * block.by_column(np.ldexp(1.0, -exponents))
    lost = (left == 0.0) & (block.values != 0.0)
    slices: list[Any] = []
    while not slices or (len(slices) < SLICES and left.any()):
        scale = 2.0 ** (bits * (len(slices) + 1))
        part = np.rint(left * scale)
        left -= part * (1.0 / scale)  # exact: what is left are the lowest bits of what there was
        slices.append(block.matrix(part))
    # an entry so small that the first line rounded it is left over here, or was lost
    return slices, block.rows_with(lost | (left != 0.0))


def _cut(vectors: list[list[int]], bits: int) -> Doubles:
    """The digits of vectors: row k * count + m has digit m of vector k, in -2^(bits-1) and up."""
    size = max((abs(v).bit_length() for vector in vectors for v in vector), default=0)
    count = (size + 1) // bits + 1
    half = 1 << (bits - 1)
    halves = sum(half << (bits * m) for m in range(count))  # makes all digits positive
    long = -(-bits * count // 8)
    powers = 2.0 ** np.arange(bits)
    parts = []
    for vector in vectors:
        content = b"".join((v + halves).to_bytes(long, "little") for v in vector)
        table = np.frombuffer(content, np.uint8).reshape(len(vector), long)
        single = np.unpackbits(table, axis=1, count=bits * count, bitorder="little")
        parts.append((single.reshape(len(vector), count, bits) @ powers).T - half)
    return np.concatenate(parts)


def _carried(sums: Ints, bits: int) -> Ints:
    """The same numbers with all digits but the last in 0..2^bits: then they compare by digits."""
    out = np.empty((*sums.shape[:-1], sums.shape[-1] + 1), np.int64)
    carry = np.zeros(sums.shape[:-1], np.int64)
    for m in range(sums.shape[-1]):
        total = sums[..., m] + carry
        out[..., m], carry = total & ((1 << bits) - 1), total >> bits
    out[..., -1] = carry
    return out


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
