"""Points as exact integers: what of them depends on what, and in which directions they lie.

Nothing that is counted here changes when a row is multiplied by a positive number, or a column
measured in another unit. So each column is divided by the largest number of which all its entries
are multiples, and each row likewise: small integers, of which nothing is lost.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from novikoff.data import Source
from novikoff.data.user_types import RowsLike
from novikoff.errors import DataError
from novikoff.verdict.exact import rank as ranks
from novikoff.verdict.signed import Signed, UserInput

Lines = list[list[int]]  # rows of equal length
Indices = npt.NDArray[np.int64]
Circuit = dict[int, int]  # places of rows and multipliers with which their sum is zero


class IntegerPoints(NamedTuple):
    """Rows, lifted by a 1 if the hyperplanes may miss the origin, in the columns that they use."""

    lines: Lines
    dim: int  # of the space, unused columns included
    rows: Indices  # which rows of all
    total: int  # how many there are in all


def points_of(X: RowsLike, affine: bool = False, most: int | None = None) -> IntegerPoints:
    """From arrays, sparse matrices, frames or a source, exactly. Labels, if any, are ignored.

    most: entries in all; of more, rows are taken at random.
    """
    given = _as_input(X)
    count = int(given.matrix.shape[0])
    signed = Signed.from_signs(given, np.ones(count, np.int8), None, affine, "binary", False)
    signed.scan  # noqa: B018  (it refuses numbers that are not finite)
    rows = np.arange(count)
    if most is not None and count * signed.dim > most:
        rows = np.sort(np.random.default_rng(0).permutation(count)[: max(1, most // signed.dim)])
    return IntegerPoints(_lines(signed, rows), signed.dim, rows, count)


def _as_input(X: Any) -> UserInput:
    if not isinstance(X, Source):
        return UserInput.of(X, np.zeros(_height(X)))
    chunk = X.read()
    given = UserInput.of(chunk.X, np.zeros(_height(chunk.X)))
    exact = getattr(chunk, "exact", None)
    return given if exact is None else given._replace(exact=exact)


def _height(X: Any) -> int:
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        raise DataError("X is not a matrix: rows of numbers are needed") from None


def _lines(signed: Signed, places: Indices) -> Lines:
    rows = [signed.row(i) for i in places.tolist()]
    tops, bottoms = [0] * signed.dim, [1] * signed.dim
    for row in rows:  # entries are multiples of tops / bottoms of their column
        for column, value in zip(row.columns, row.values, strict=True):
            common = math.gcd(value, row.denominator)
            tops[column] = math.gcd(tops[column], value // common)
            bottoms[column] = math.lcm(bottoms[column], row.denominator // common)
    place = {column: k for k, column in enumerate(j for j, top in enumerate(tops) if top)}
    lines = []
    for row in rows:
        line = [0] * len(place)
        for column, value in zip(row.columns, row.values, strict=True):
            unit = row.denominator * tops[column]
            line[place[column]] = value * bottoms[column] // unit
        common = math.gcd(*line) or 1
        lines.append([value // common for value in line])
    return lines


class Directions(NamedTuple):
    """Rows that are not zero, each taken once with all its multiples.

    Row i of the points is sign[i] times a positive multiple of line place[i].
    """

    lines: Lines
    place: Indices
    sign: npt.NDArray[np.int8]


def directions_of(lines: Lines) -> Directions:
    """The directions of rows without common factors, none of them zero, as they first appear."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    kept: Lines = []
    places, signs = [], []
    for line in lines:
        turn = 1 if next(value for value in line if value) > 0 else -1
        key = tuple(turn * value for value in line)
        if key not in found:
            found[key] = len(kept), turn
            kept.append(line)
        place, first = found[key]
        places.append(place)
        signs.append(turn * first)
    return Directions(kept, np.array(places, np.int64), np.array(signs, np.int8))


def enough_columns(lines: Lines) -> Lines:
    """The rows in as many columns as their rank, of which the others are combinations.

    Scores on those can be had on these alone, so that the same labellings are realised.
    """
    chosen = ranks.pivots(ranks.modulo(lines))
    if len(chosen) == len(lines[0]) or len(chosen) != ranks.rank_of(lines):
        return lines
    return [[line[j] for j in chosen] for line in lines]


def circuit(lines: Lines) -> Circuit | None:
    """A dependence of the rows: multipliers of some of them, none zero, with sum zero, without
    any one of which the others are independent. None if all the rows are independent.

    The first row that depends on those before it, as the combination of independent ones that it
    is. Over the integers: this is what decides.
    """
    reduced, unit, rank = fmpz_mat(lines).transpose().rref()
    if rank == len(lines):
        return None
    bound = ranks.leading(reduced, rank)
    free = next(k for k in range(len(lines)) if k not in bound)
    found = {k: -int(reduced[i, free]) for i, k in enumerate(bound) if int(reduced[i, free])}
    return found | {free: int(unit)}
