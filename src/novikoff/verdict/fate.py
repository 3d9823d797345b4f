"""What becomes of the coefficients of an unpenalised fit, logistic or Poisson.

The likelihood grows for ever along every direction b with z . b >= 0 on all rows, unless z . b = 0
on all. With O the rows that lie on every such hyperplane:

    c . b is finite          iff  c is in the row space of O
    c . b is unidentified    iff  c is not in the row space of all rows
    c . b diverges           otherwise; to +infinity for certain iff no direction has c . b < 0,

which is one more verdict: whether the other rows, with -c as a row among them, are separable.
"""

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from novikoff.errors import ParameterError
from novikoff.figures import Rational
from novikoff.rows import CsrRows, as_csr, make_rows
from novikoff.signed import EXACT_INTEGERS, IntegerRow, Signed, as_fraction, dot
from novikoff.verdict.faces import Split
from novikoff.verdict.nearest import Places
from novikoff.verdict.points import WIDE, Geometry
from novikoff.verdict.result import Coefficient
from novikoff.verdict.search import Face, Search
from novikoff.verdict.span import Span

INTERCEPT = "intercept"


class Fate:
    """Judges coefficients of one data set, given how its rows split."""

    def __init__(self, signed: Signed, split: Split, worth: Places) -> None:
        self.signed, self.split, self._worth = signed, split, worth

    @cached_property
    def coefficients(self) -> list[Coefficient]:
        """Every coefficient, the intercept last."""
        names = self.signed.feature_names or [f"column {j}" for j in range(self.signed.features)]
        names = [*names, INTERCEPT] if self.signed.bias else names
        return [self._judge(IntegerRow([j], [1], 1), name) for j, name in enumerate(names)]

    @cached_property
    def rank(self) -> int | None:
        """The rank of all rows; None with too many columns to say."""
        return None if self.signed.dim > WIDE else len(self._all.basis)

    def contrast(self, weights: Any, name: str) -> Coefficient:
        """A combination of coefficients."""
        values = list(np.asarray(weights, object).reshape(-1))
        if len(values) != self.signed.dim:
            raise ParameterError(
                f"a contrast needs {self.signed.dim} weights, one for each coefficient, the"
                f" intercept last; there are {len(values)}"
            )
        parts = [as_fraction(value, (0, j)) for j, value in enumerate(values)]
        bottom = math.lcm(*(part.denominator for part in parts))
        whole = {j: int(part * bottom) for j, part in enumerate(parts) if part}
        if not whole or max(map(abs, whole.values())) > EXACT_INTEGERS:
            raise ParameterError(
                f"the contrast {name} has no weight other than 0, or weights whose ratios need"
                " more than 53 bits"
            )
        return self._judge(IntegerRow([*whole], [*whole.values()], 1), name)

    def _judge(self, direction: IntegerRow, name: str) -> Coefficient:
        if not self._all.holds(direction):
            return Coefficient(name, "unidentified", None)
        if self.split.separator is None or self._boundary.holds(direction):
            return Coefficient(name, "finite", None)
        return Coefficient(name, "diverges", self._sign(direction, self.split.separator))

    def _sign(self, direction: IntegerRow, separator: Rational) -> str:
        along = dot(direction, separator.numerators)
        if along == 0:  # inside the cone of directions, and not constant on it
            return "either"
        if self._possible(direction, -1 if along > 0 else 1):
            return "either"
        return "+" if along > 0 else "-"

    def _possible(self, direction: IntegerRow, sign: int) -> bool:
        """Whether some direction of divergence has this sign."""
        stacked = self._stacked(direction, sign)
        last = stacked.count - 1
        search = Search(stacked)
        search.worth = np.append(self._worth, last)
        face = Face(self.split.on_all, np.append(self.split.within, False))
        geometry = Geometry.level(search.scan.maxima)
        found = search.suggest(search.points(geometry, face), face)
        settled = search.settle(geometry, face, found.rows, found.multipliers)
        return settled.weights is not None

    @cached_property
    def _boundary(self) -> Span:
        """The span of the rows on the boundary."""
        return Span(Search(self.signed), self.split.on_all)

    @cached_property
    def _all(self) -> Span:
        """The span of all rows."""
        if self.signed.dim > WIDE:
            raise ParameterError(
                f"coefficients are not judged beyond {WIDE:,} columns: there are"
                f" {self.signed.features:,}"
            )
        span = Span(Search(self.signed), self.split.on_all)
        span.cover(np.ones(self.signed.count, np.bool_))
        return span

    @cached_property
    def _room(self) -> Any:
        """The rows with the bias written out and room for one more, which need not end in a 1."""
        ones = np.ones((self.signed.count, 1)) if self.signed.bias else None
        rows = self.signed.rows
        if isinstance(rows, CsrRows):
            matrix = as_csr(rows)
            return matrix if ones is None else scipy.sparse.hstack([matrix, ones], format="csr")
        room = np.ones((self.signed.count + 1, self.signed.dim))
        room[:-1, : self.signed.features] = rows.values
        return room

    def _stacked(self, direction: IntegerRow, sign: int) -> Signed:
        """The rows, and one more."""
        line = np.zeros((1, self.signed.dim))
        line[0, direction.columns] = [sign * value for value in direction.values]
        if isinstance(self._room, np.ndarray):
            matrix = self._room
            matrix[-1] = line
        else:
            matrix = scipy.sparse.vstack([self._room, line], format="csr")
        held = self.signed.exact
        if held is not None:
            held = self._exact_room(line, matrix)
        signs = np.append(self.signed.signs, np.int8(1))
        return Signed(make_rows(matrix, False, False), signs, None, exact=held)

    def _exact_room(self, line: Any, matrix: Any) -> Any:
        """The exact entries of the stacked rows, in the shape that their doubles have."""
        held: Any = self.signed.exact
        out = np.empty(matrix.shape if isinstance(matrix, np.ndarray) else matrix.nnz, object)
        if isinstance(matrix, np.ndarray):
            out[:-1, : self.signed.features] = held
            out[:-1, self.signed.features :] = Fraction(1)
            out[-1] = [Fraction(value) for value in line[0].tolist()]
            return out
        rows: Any = self.signed.rows
        starts = as_csr(rows).indptr
        for i in range(self.signed.count):
            start = int(matrix.indptr[i])
            part = held[int(starts[i]) : int(starts[i + 1])]
            out[start : start + len(part)] = part
            out[start + len(part) : int(matrix.indptr[i + 1])] = Fraction(1)
        start = int(matrix.indptr[-2])
        out[start:] = [Fraction(value) for value in matrix.data[start:].tolist()]
        return out
