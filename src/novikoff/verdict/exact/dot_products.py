"""Exact products of many rows with vectors of integers, at the speed of matrix products.

Rows are cut into slices of a few bits, vectors into digits of as few, so that a sum of products of
slices and digits stays below 2^53: floating point computes it exactly, in any order.

    x[j] = 2^c[j] * (S1[j] / 2^h + S2[j] / 4^h + ...)       c from the column's largest entry
    v[j] * 2^(c[j] - low) = D0[j] + D1[j] * 2^h + ...       |S| <= 2^h, |D| <= 2^(h - 1)
    |S . D| <= entries * 2^(2 h - 1) <= 2^53

Rows with bits too far apart for a few slices, and rows that are not doubles, are multiplied one by
one in Python's integers; they are called odd here. Rows in several pieces are multiplied where they
are: what is merged are signs, or the smallest product of each piece.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse

from novikoff.learning.rows import CsrRows, as_csr, longest
from novikoff.verdict.scan import Indices, Mask, Signs, Vector
from novikoff.verdict.signed import IntegerRow, Signed, SignedRows, chunked, dot

Ints = npt.NDArray[np.int64]

SLICES = 8  # of a row at most
BLOCK_SIZE = 2**21  # numbers
FEW = 32  # rows, for which a matrix product is not worthwhile
EARLY_EXIT = 2**16  # rows between two checks whether one was found
MOST_EXTRA_BITS = 40  # of a sum, beyond those of the rows


class Digits(NamedTuple):
    """Numbers in digits of `bits` bits: the sum of digits[..., m] * 2^(bits * m), times 2^exponent.

    All digits are in 0..2^bits but the last, which carries the sign.
    """

    digits: Ints
    bits: int
    exponent: int

    def signs(self) -> Signs:
        """-1, 0 or 1 for each number."""
        positive = self.digits.any(axis=-1)
        return np.where(self.digits[..., -1] < 0, -1, positive).astype(np.int8)

    def smallest(self) -> Fraction:
        """The smallest number."""
        left = self.digits.reshape(-1, self.digits.shape[-1])
        for m in range(left.shape[1] - 1, -1, -1):
            left = left[left[:, m] == left[:, m].min()]
        total = 0
        for digit in reversed(left[0].tolist()):
            total = (total << self.bits) + digit
        return Fraction(total) * Fraction(2) ** self.exponent


def not_orthogonal(signed: SignedRows, rows: Indices, vectors: list[list[int]]) -> Mask:
    """Which of the rows are not orthogonal to all of the vectors of integers; rows ascend."""
    found = signed.map_subset(_not_orthogonal, rows, vectors)
    return np.concatenate([np.empty(0, np.bool_), *found])


def first_not_orthogonal(signed: SignedRows, rows: Indices, vectors: list[list[int]]) -> int | None:
    """The first of the rows that is not orthogonal to all of the vectors; rows ascend."""
    found = [i for i in signed.map_subset(_first_not_orthogonal, rows, vectors) if i is not None]
    return min(found, default=None)


def _not_orthogonal(signed: Signed, rows: Indices, vectors: list[list[int]]) -> Mask:
    return np.asarray(signs(signed, rows, vectors).any(axis=1))


def _first_not_orthogonal(signed: Signed, rows: Indices, vectors: list[list[int]]) -> int | None:
    for some in chunked(rows, EARLY_EXIT):
        found = _not_orthogonal(signed, some, vectors)
        if found.any():
            return signed.start + int(some[np.argmax(found)])
    return None


def signs(signed: Signed, rows: Indices, vectors: list[list[int]]) -> Signs:
    """The sign of z . v, for each of these rows in memory and each of the vectors of integers."""
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


def smallest(signed: SignedRows, rows: Indices, vector: list[int]) -> Fraction:
    """The smallest z . v of these rows, at least one; rows ascend."""
    return min(signed.map_subset(_smallest, rows, vector))


def _smallest(signed: Signed, rows: Indices, vector: list[int]) -> Fraction:
    def score(row: IntegerRow) -> Fraction:
        return Fraction(dot(row, vector), row.denominator)

    return _least(signed, _products(signed, rows, [vector]), score)


def lowest_row(signed: SignedRows, rows: Indices, vector: list[int]) -> int:
    """The row with the smallest z . v; of equal ones the first."""
    return min(signed.map_subset(_lowest_row, rows, vector))[1]


def _lowest_row(signed: Signed, rows: Indices, vector: list[int]) -> tuple[Fraction, int]:
    exact = ((i, signed.row(i)) for i in rows.tolist())
    scores = ((Fraction(dot(row, vector), row.denominator), i) for i, row in exact)
    score, i = min(scores)
    return score, signed.start + i


def largest_square(signed: SignedRows, rows: Indices) -> Fraction:
    """The largest |z|^2 of these rows, at least one; rows ascend."""
    return max(signed.map_subset(_largest_square, rows))


def _largest_square(signed: Signed, rows: Indices) -> Fraction:
    def negated_square(row: IntegerRow) -> Fraction:
        return signed.bias - Fraction(sum(v * v for v in row.values), row.denominator**2)

    return signed.bias - _least(signed, _negated_squares(signed, rows), negated_square)


def sliced_sum(
    signed: Signed, rows: Indices, factors: Sequence[int]
) -> tuple[list[int], int] | None:
    """The sum of factor * z over rows in memory, as integers over a power of two; None where that
    is not worthwhile.

    It is for many rows and factors of few bits, so that sums over all rows stay below 2^53.
    """
    room = max(map(abs, factors)).bit_length() + len(rows).bit_length()
    if not _sliceable(signed, rows) or room > MOST_EXTRA_BITS:
        return None
    bits, exponents = 53 - room, _exponents(signed, rows)
    numbers = np.array(factors, np.float64) * signed.signs[rows]
    sums, total, deep = np.zeros((SLICES, signed.features)), [0] * signed.dim, 1
    for block in chunked(np.arange(len(rows)), max(1, BLOCK_SIZE // (1 + longest(signed.rows)))):
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


#: Rows, which of them are odd, and the products of the others.
Blocks = Iterator[tuple[Indices, Mask, Digits]]


def _least(signed: Signed, blocks: Blocks, number: Callable[[IntegerRow], Fraction]) -> Fraction:
    found = []
    for block, odd, digits in blocks:
        found += [number(signed.row(int(i))) for i in block[odd]]
        if not odd.all():
            found.append(digits.smallest())
    return min(found)


def _products(signed: Signed, rows: Indices, vectors: list[list[int]]) -> Blocks:
    """Yield the products of the rows with all vectors, block by block."""
    if not _sliceable(signed, rows):
        yield rows, np.ones(len(rows), np.bool_), _no_digits(len(vectors))
        return
    bits = (54 - longest(signed.rows).bit_length()) // 2
    exponents = _exponents(signed, rows)
    low = min(0, int(exponents.min(initial=0)))
    shifts = [*(exponents - low).tolist(), -low]  # the bias is a column of ones
    shifted = [[v << s for v, s in zip(each, shifts, strict=False)] for each in vectors]
    digits = _digits(shifted, bits)
    count = len(digits) // len(vectors)
    for block in chunked(rows, max(1, BLOCK_SIZE // (signed.features + len(digits)))):
        slices, odd = _slices(_Block(signed, block), exponents, bits)
        sums = np.zeros((len(block), len(vectors), len(slices) + count), np.int64)
        for k, part in enumerate(reversed(slices)):
            product = np.asarray(part @ digits[:, : signed.features].T)
            sums[:, :, k : k + count] += product.reshape(-1, len(vectors), count).astype(np.int64)
        if signed.bias:
            ones = digits[:, -1].reshape(len(vectors), count).astype(np.int64)
            sums[:, :, len(slices) - 1 : -1] += ones << bits
        sums *= signed.signs[block][:, None, None]
        yield block, odd, Digits(_carried(sums[~odd], bits), bits, low - len(slices) * bits)


def _negated_squares(signed: Signed, rows: Indices) -> Blocks:
    """As `_products`, of -|x|^2 without the bias: where it is least, |z|^2 is largest."""
    if not _sliceable(signed, rows):
        yield rows, np.ones(len(rows), np.bool_), _no_digits(1)
        return
    bits = (53 - longest(signed.rows).bit_length()) // 2
    high = int(_exponents(signed, rows).max(initial=0))
    for block in chunked(rows, max(1, BLOCK_SIZE // signed.features)):
        given = _Block(signed, block)
        slices, odd = _slices(given, np.full(signed.features, high), bits)
        sums = np.zeros((len(block), 1, 2 * len(slices) - 1), np.int64)
        for k, first in enumerate(reversed(slices)):
            for m, second in enumerate(reversed(slices)):
                total = np.asarray((first * second).sum(axis=1))
                sums[:, 0, k + m] -= total.astype(np.int64)
        yield block, odd, Digits(_carried(sums[~odd], bits), bits, 2 * (high - len(slices) * bits))


def _sliceable(signed: Signed, rows: Indices) -> bool:
    return signed.exact is None and len(rows) > FEW


def _no_digits(vectors: int) -> Digits:
    return Digits(np.zeros((0, vectors, 1), np.int64), 1, 0)


def _exponents(signed: Signed, rows: Indices) -> Ints:
    """c[j] with |x[j]| < 2^c[j] in these rows, and 2^-c[j] a double."""
    if "maxima" in vars(signed.scan) or len(rows) > BLOCK_SIZE // signed.dim:
        maxima = signed.scan.maxima[: signed.features]
    else:  # a scan of all rows would take longer than all the rest
        block = _Block(signed, rows)
        maxima = np.zeros(signed.features)
        if block.sparse is None:
            maxima = np.abs(block.values).max(axis=0, initial=0.0)
        else:
            np.maximum.at(maxima, block.sparse.indices, np.abs(block.values))
    return np.frexp(maxima)[1].clip(-1000).astype(np.int64)


class _Block:
    """The values of some rows, dense or sparse as the rows are."""

    def __init__(self, signed: Signed, rows: Indices) -> None:
        self.sparse, self.count = None, len(rows)
        if isinstance(signed.rows, CsrRows):
            self.sparse = as_csr(signed.rows)[rows]
            values = self.sparse.data
        else:
            values = signed.rows.values[rows]
        self.values: Vector = values.astype(np.float64)

    def by_column(self, numbers: Vector) -> Vector:
        """A number for each column, for each value."""
        return numbers if self.sparse is None else numbers[self.sparse.indices]

    def matrix(self, values: Vector) -> Any:
        """A matrix of the block's layout with other values."""
        if self.sparse is None:
            return values
        indices, starts = self.sparse.indices, self.sparse.indptr
        return scipy.sparse.csr_array((values, indices, starts), shape=self.sparse.shape)

    def rows_with(self, marked: Mask) -> Mask:
        """Which rows have a marked value."""
        if self.sparse is None:
            return np.asarray(marked.any(axis=1))
        found = np.zeros(self.count, np.bool_)
        found[np.searchsorted(self.sparse.indptr, np.flatnonzero(marked), "right") - 1] = True
        return found


def _slices(block: _Block, exponents: Ints, bits: int) -> tuple[list[Any], Mask]:
    """S1, S2, ... as matrices of the block's layout, and which rows have more bits: odd ones."""
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


def _digits(vectors: list[list[int]], bits: int) -> Vector:
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
