"""How rows split into those on every hyperplane in question, the boundary, and the others."""

from fractions import Fraction
from typing import NamedTuple

from novikoff.verdict.exact.elimination import Elimination
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.scan import Mask


class Split(NamedTuple):
    """Which rows are on the boundary, and the witnesses for both parts.

    separator: z . w > 0 on the rows off the boundary, = 0 on those on it; None if all are on it.
    spanning: multipliers of boundary rows, positive and summing to zero, that span the boundary.
    basis: independent boundary rows that span it. complement: a basis of its orthogonal complement;
    None where `spanning` lists every boundary row, or they span everything. lists_all: whether
    `spanning` lists every boundary row but pinned ones, so that nothing needs to be said of a span:
    then a linear program found the split. elimination: of `basis`, if the program was of all rows.
    """

    on_boundary: Mask
    separator: Rational | None
    conflict: list[tuple[int, Fraction]]
    spanning: dict[int, Fraction]
    basis: list[int]
    complement: list[Rational] | None
    lists_all: bool = False
    elimination: Elimination | None = None
