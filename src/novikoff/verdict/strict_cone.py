"""Directions in which a fit diverges, seen modulo the boundary's span: which signs can c . b have?

There the rows of the boundary are zero, and the others are few different ones, in small groups
that share no coordinate with each other. Each group has a cone of directions of its own,
and the cone of all is their product. So c . b can be positive if and only if its part
in some group can. In a group of one coordinate the sign is plain; in a larger one it is a small
verdict, exactly: whether the group's rows and c itself are separable.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from novikoff.learning.rows import make_rows
from novikoff.verdict.exact.row_space import Coordinates, RowSpace
from novikoff.verdict.search.points import ColumnScaling
from novikoff.verdict.search.search import ALL_ROWS, Search
from novikoff.verdict.signed import IntegerRow, Signed

Line = tuple[tuple[int, int], ...]  # coordinates of a row, over their common factor


class StrictCone:
    """The rows off the boundary modulo its span."""

    def __init__(self, space: RowSpace, rows: Iterable[IntegerRow]) -> None:
        self._space = space
        self._groups: dict[int, list[Line]] = {}
        self._parents: dict[int, int] = {}
        lines = {_line(space.coordinates(row)) for row in rows}
        for line in sorted(lines):
            for k, _ in line:
                self._parents[self._root(k)] = self._root(line[0][0])
        for line in sorted(lines):
            self._groups.setdefault(self._root(line[0][0]), []).append(line)

    def signs(self, direction: IntegerRow) -> str:
        """ "+" or "-" if c . b has that sign or is 0 in every direction b, else "either"."""
        parts: dict[int, dict[int, int]] = {}
        for k, value in self._space.coordinates(direction).items():
            if k not in self._parents:
                return "either"  # no row says anything of it
            parts.setdefault(self._root(k), {})[k] = value
        above = any(self._can_be_positive(group, part) for group, part in parts.items())
        below = any(
            self._can_be_positive(group, {k: -value for k, value in part.items()})
            for group, part in parts.items()
        )
        return "either" if above and below else "+" if above else "-"

    def _root(self, k: int) -> int:
        while self._parents.setdefault(k, k) != k:
            k = self._parents[k]
        return k

    def _can_be_positive(self, group: int, part: Coordinates) -> bool:
        lines = [dict(line) for line in self._groups[group]]
        columns = sorted({k for line in lines for k in line})
        if len(columns) == 1:
            return part[columns[0]] * lines[0][columns[0]] > 0
        return _separable([[line.get(k, 0) for k in columns] for line in (*lines, part)])


def _line(coordinates: Coordinates) -> Line:
    common = math.gcd(*coordinates.values())
    return tuple(sorted((k, value // common) for k, value in coordinates.items()))


def _separable(rows: list[list[int]]) -> bool:
    """Whether some w has row . w > 0 for all rows."""
    exact = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        unit = Fraction(1, 1 << max(map(abs, row)).bit_length())  # within the range of doubles
        exact[i] = [unit * value for value in row]
    matrix = make_rows(exact.astype(np.float64), False, False)
    signed = Signed(matrix, np.ones(len(rows), np.int8), None, exact=exact)
    search = Search(signed)
    scaling = ColumnScaling.equalized(search.scan.maxima)
    found = search.suggest(search.points(scaling, ALL_ROWS), ALL_ROWS)
    solved = search.solve_exactly(scaling, ALL_ROWS, found.rows, found.multipliers)
    return solved.weights is not None
