"""Columns that depend on those before them: aliased, as R calls them.

A vector v with z . v = 0 on all rows makes one column a combination of others. Taken in order, a
column is aliased if it is a combination of columns before it; the others are a basis. With the
coefficients of aliased columns set to 0 the rest are identified: the coefficient of a basis column
j is then the combination c . b of all coefficients with

    c = e_j + sum of factor(a, j) e_a over the aliased columns a,

where column a = sum of factor(a, j) column j. It does not change along any such v.
"""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from novikoff.verdict.signed import IntegerRow

Combination = Mapping[int, Fraction]  # factors by columns


class Aliases:
    """The aliased columns, given vectors that span all v with z . v = 0.

    first, last: the columns that come before all others, such as that of the intercept, and after
    them, such as those of reference levels.
    """

    def __init__(
        self,
        vectors: Iterable[Mapping[int, int]],
        first: Iterable[int] = (),
        last: Iterable[int] = (),
    ) -> None:
        ranks = {**dict.fromkeys(last, 1), **dict.fromkeys(first, -1)}
        self._order = lambda column: (ranks.get(column, 0), column)
        echelon: dict[int, dict[int, Fraction]] = {}
        for vector in vectors:
            rest = {column: Fraction(value) for column, value in vector.items() if value}
            while rest and (end := max(rest, key=self._order)) in echelon:
                _subtract(rest, rest[end], echelon[end])
            if rest:
                echelon[end] = {column: value / rest[end] for column, value in rest.items()}
        #: Each aliased column as a combination of basis columns.
        self.columns: dict[int, Combination] = {}
        for end in sorted(echelon, key=self._order):
            left = echelon[end]
            for column in [each for each in left if each in self.columns]:
                factor = left.pop(column)
                _subtract(left, -factor, self.columns[column])
            self.columns[end] = {
                column: -left[column] for column in sorted(left, key=self._order) if column != end
            }

    def contrast(self, weights: IntegerRow) -> IntegerRow:
        """The contrast of basis columns in the model without the aliased ones, in terms of all
        columns, without a common factor.
        """
        known = dict(zip(weights.columns, weights.values, strict=True))
        total = {column: Fraction(value) for column, value in known.items()}
        for aliased, combination in self.columns.items():
            value = sum((each * known.get(j, 0) for j, each in combination.items()), Fraction(0))
            if value:
                total[aliased] = value
        bottom = math.lcm(*(value.denominator for value in total.values()))
        values = [int(value * bottom) for value in total.values()]
        common = math.gcd(*values) or 1
        return IntegerRow([*total], [value // common for value in values], 1)


def _subtract(vector: dict[int, Fraction], factor: Fraction, other: Combination) -> None:
    """Subtract a multiple of another vector; zeros are left out."""
    for column, value in other.items():
        left = vector.get(column, Fraction(0)) - factor * value
        if left:
            vector[column] = left
        else:
            vector.pop(column, None)
