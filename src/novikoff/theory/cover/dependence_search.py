"""The search for dependent rows modulo a prime, compiled: see `position`.

Subsets of N - 2 rows are gone through in lexicographic order. For the first k rows of a subset,
N - k vectors orthogonal to them are kept; the next row r leaves one fewer:

    b_i <- (b_p . r) b_i - (b_i . r) b_p       for all i but p, where b_p . r is not 0

From one subset to the next mostly the last rows change, so these vectors are kept for the last few.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.jit import compile_small, subroutine
from novikoff.verdict.exact.rank import random_prime

Residues = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]

PAUSED, FINISHED, SUSPECT, LOST = 0, 1, 2, 3
LAST = 8  # chosen rows for each of which vectors are kept
BITS = 31  # of the prime: a product has 62
FULL = np.uint64(2**63)
NOTHING, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class DependenceSearch(NamedTuple):
    """Where the search is.

    LOST: the chosen rows are dependent modulo the prime. SUSPECT: they are not, but with one or two
    of those after them.
    """

    residues: Residues
    prime: int
    chosen: Indices
    head: Residues  # room for the vectors of all but the last `LAST` chosen rows
    last: Residues  # the vectors of those, and of each row more
    known: Indices  # for how many chosen rows they are right; whether these are done with

    @classmethod
    def of(cls, lines: list[list[int]], chosen: Indices | None = None) -> "DependenceSearch":
        """From rows of integers, at the first subset or at another one."""
        dim, prime = len(lines[0]), random_prime(BITS)
        residues = np.array([[value % prime for value in line] for line in lines], np.uint64)
        first = np.arange(dim - 2) if chosen is None else chosen
        few = min(LAST, dim - 2)
        head = np.empty((dim, dim), np.uint64)
        last = np.empty((few + 1, few + 2, dim), np.uint64)
        return cls(residues, prime, first, head, last, np.array([-1, 0]))

    def run(self, budget: int) -> tuple[int, int, int]:
        """Go on until about `budget` numbers were multiplied, or something is found.

        How it ended, how many subsets were settled, and how many numbers it took.
        """
        room = self.chosen, self.head, self.last, self.known
        found = _run(self.residues, np.uint64(self.prime), *room, budget)
        status, examined, work = map(int, found)
        return status, examined, work

    def suspects(self) -> list[int]:
        """The rows after the chosen ones that may depend on them, alone or in pairs.

        Equal slopes are equal modulo the prime too; but a row without a slope there may have any.
        """
        first = int(self.chosen[-1]) + 1
        scratch = np.empty((3, len(self.residues)), np.uint64)
        vectors = self.last[-1, 0], self.last[-1, 1]
        slopes = slopes_of(self.residues[first:], *vectors, np.uint64(self.prime), scratch)
        if slopes.max() > np.uint64(self.prime):
            return [*range(first, len(self.residues))]
        _, group, sizes = np.unique(slopes, return_inverse=True, return_counts=True)
        return [first + int(k) for k in np.flatnonzero(sizes[group] > 1)]


def _run_work(
    rows: Residues,
    prime: Any,
    chosen: Indices,
    head: Residues,
    last: Residues,
    known: Indices,
    budget: int,
) -> float:
    """The steps of plain Python: ten for a product, of all subsets or as many as there may be."""
    subsets = math.comb(len(rows), len(chosen))
    return 10.0 * min(budget, subsets * rows.size + head.size * len(chosen))


@compile_small(_run_work)
def _run(
    rows: Residues,
    prime: Any,
    chosen: Indices,
    head: Residues,
    last: Residues,
    known: Indices,
    budget: int,
) -> tuple[int, int, int]:
    examined, work = 0, 0
    scratch = np.empty((3, rows.shape[0]), np.uint64)
    while work < budget:
        if known[1]:
            if not _advance(chosen, rows.shape[0], known):
                return FINISHED, examined, work
            known[1] = 0
        if not _prepare(rows, prime, chosen, head, last, known):
            return LOST, examined, work
        first = chosen[-1] + 1
        left = rows.shape[0] - first
        slopes = np.sort(_slopes(rows[first:], last[-1, 0], last[-1, 1], prime, scratch))
        known[1] = 1
        work += (left + chosen.shape[0]) * rows.shape[1]
        examined += left * (left - 1) // 2
        if slopes[-1] > prime or (slopes[1:] == slopes[:-1]).any():
            return SUSPECT, examined, work
    return PAUSED, examined, work


@subroutine(allocates=True)
def _advance(chosen: Indices, rows: int, known: Indices) -> bool:
    """The next subset after which two rows are left; False if there is none."""
    size = chosen.shape[0]
    for k in range(size - 1, -1, -1):
        if chosen[k] < rows - 2 - (size - k):
            chosen[k] += 1
            for later in range(k + 1, size):
                chosen[later] = chosen[later - 1] + 1
            known[0] = min(known[0], k)
            return True
    return False


@subroutine(allocates=True)
def _prepare(
    rows: Residues, prime: Any, chosen: Indices, head: Residues, last: Residues, known: Indices
) -> bool:
    """The vectors that are orthogonal to the chosen rows; False if those are dependent."""
    dim, few = rows.shape[1], last.shape[0] - 1
    before = chosen.shape[0] - few
    if known[0] < before:
        known[0] = 0
        head[:] = NOTHING
        for i in range(dim):
            head[i, i] = ONE
        while known[0] < before:
            k = known[0]
            if not _extend(head[: dim - k], head, rows[chosen[k]], prime):
                return False
            known[0] = k + 1
        for i in range(few + 2):  # one by one: a slice takes two seconds to compile
            for j in range(dim):
                last[0, i, j] = head[i, j]
    while known[0] < chosen.shape[0]:
        k = known[0]
        at = k - before
        if not _extend(last[at, : dim - k], last[at + 1], rows[chosen[k]], prime):
            return False
        known[0] = k + 1
    return True


@subroutine(allocates=True)
def _extend(vectors: Residues, out: Residues, row: Residues, prime: Any) -> bool:
    """One vector fewer, orthogonal to the row as well; False if all of them are. `out` may be
    where they are.
    """
    size, dim = vectors.shape
    for i in range(size):
        if _dot(vectors[i], row, prime) != NOTHING:
            for j in range(dim):  # the one that goes comes last
                spare = vectors[i, j]
                vectors[i, j], vectors[size - 1, j] = vectors[size - 1, j], spare
            break
    height = _dot(vectors[size - 1], row, prime)
    if height == NOTHING:
        return False
    for i in range(size - 1):
        factor = prime - _dot(vectors[i], row, prime)
        for j in range(dim):
            part = height * vectors[i, j] + factor * vectors[size - 1, j]
            out[i, j] = part % prime
    return True


@subroutine(allocates=True)
def _slopes(rows: Residues, u: Residues, v: Residues, prime: Any, scratch: Residues) -> Any:
    """(x . u) / (x . v) for each row x; `prime` where x . v = 0, and one more where both are."""
    slopes, heights, products = scratch[0], scratch[1], scratch[2]
    total, size = ONE, rows.shape[0]
    for i in range(size):
        slopes[i], heights[i] = _dot(rows[i], u, prime), _dot(rows[i], v, prime)
        products[i] = total
        if heights[i] != NOTHING:
            total = total * heights[i] % prime
    # one inverse serves all heights, from the last to the first (Montgomery)
    inverse = _power(total, prime - TWO, prime)
    for i in range(size - 1, -1, -1):
        if heights[i] == NOTHING:
            slopes[i] = prime if slopes[i] != NOTHING else prime + ONE
            continue
        slopes[i] = slopes[i] * (inverse * products[i] % prime) % prime
        inverse = inverse * heights[i] % prime
    return slopes[:size]


slopes_of = compile_small(lambda rows, *_: 10.0 * rows.size)(_slopes)


@subroutine(allocates=True)
def _dot(a: Residues, b: Residues, prime: Any) -> Any:
    total: Any = NOTHING
    for j in range(a.shape[0]):
        total += a[j] * b[j]
        if total >= FULL:
            total %= prime
    return total % prime


@subroutine(allocates=True)
def _power(base: Any, exponent: Any, prime: Any) -> Any:
    result = ONE
    while exponent > NOTHING:
        if exponent & ONE:
            result = result * base % prime
        base = base * base % prime
        exponent >>= ONE
    return result
