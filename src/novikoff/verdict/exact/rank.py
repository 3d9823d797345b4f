"""The rank of integer rows, proven: modulo a prime it can only be too small, and rows that depend
on others modulo the prime are shown to do so over the rationals.
"""

import random
from math import gcd
from typing import Any

from flint import fmpz, fmpz_mat, nmod_mat

PRIME = 2**61 - 1

Lines = list[list[int]]  # rows of equal length


def has_rank(lines: Lines, rank: int) -> bool:
    """Whether the rank is at least this."""
    if rank > min(len(lines), len(lines[0]) if lines else 0):
        return False
    return len(pivots(modulo(lines))) >= rank or rank_of(lines) >= rank


def rank_of(lines: Lines) -> int:
    """The rank over the rationals."""
    lines = _distinct_directions(lines)
    if not lines:
        return 0
    chosen = pivots(modulo(lines).transpose())
    if len(lines) - len(chosen) > len(lines[0]) - len(chosen):
        lines = [list(column) for column in zip(*lines, strict=True)]
        chosen = pivots(modulo(lines).transpose())
    if len(chosen) == len(lines) or _all_depend_on(lines, chosen):
        return len(chosen)
    return int(fmpz_mat(lines).rank())  # slow, and needed only for rows made to fit the prime


def _distinct_directions(lines: Lines) -> Lines:
    """The rows that are not zero, one of those that are multiples of each other."""
    found: dict[tuple[int, ...], None] = {}
    for line in lines:
        if common := gcd(*line):
            first = next(value for value in line if value)
            common = common if first > 0 else -common
            found[tuple(value // common for value in line)] = None
    return [list(line) for line in found]


def modulo(lines: Lines, prime: int = PRIME) -> nmod_mat:
    """The rows modulo a prime."""
    if not lines:
        return nmod_mat(0, 0, [], prime)
    residues = [value % prime for line in lines for value in line]
    return nmod_mat(len(lines), len(lines[0]), residues, prime)


def pivots(matrix: nmod_mat) -> list[int]:
    """The columns of a matrix modulo a prime that do not depend on those before them."""
    return leading(*matrix.rref())


def leading(reduced: fmpz_mat | nmod_mat, rank: int) -> list[int]:
    """The columns in which the rows of a matrix in reduced echelon form begin."""
    columns, j = [], 0
    for i in range(rank):
        while int(reduced[i, j]) == 0:
            j += 1
        columns.append(j)
    return columns


def solve(square: fmpz_mat, right: fmpz_mat) -> tuple[fmpz_mat, int]:
    """The solution of square * X = right over the rationals, as integers over one denominator;
    ZeroDivisionError if there is none.
    """
    solution: Any = square.solve(right)  # a matrix of rationals, which FLINT's types do not say
    tops, bottom = solution.numer_denom()
    return tops, int(bottom)


def random_prime(bits: int) -> int:
    """A prime of this many bits, drawn anew: no data can be made to fit it."""
    while True:
        candidate = random.SystemRandom().getrandbits(bits) | 1 << (bits - 1) | 1
        if fmpz(candidate).is_prime():
            return candidate


def _all_depend_on(lines: Lines, chosen: list[int]) -> bool:
    """Whether all the rows are combinations of the chosen ones, which are independent."""
    basis = [lines[i] for i in chosen]
    others = [line for i, line in enumerate(lines) if i not in set(chosen)]
    if not basis:
        return not others
    across = pivots(modulo(basis))
    square = fmpz_mat([[line[j] for line in basis] for j in across])
    right = fmpz_mat([[line[j] for line in others] for j in across])
    tops, bottom = solve(square, right)
    return bool(tops.transpose() * fmpz_mat(basis) == bottom * fmpz_mat(others))
