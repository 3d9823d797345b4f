"""What becomes of the coefficients of an unpenalised fit, logistic or Poisson.

The likelihood grows for ever along every direction b with z . b >= 0 on all rows, unless z . b = 0
on all. With O the rows that lie on every such hyperplane:

    c . b is finite          iff  c is in the row space of O
    c . b is unidentified    iff  c is not in the row space of all rows
    c . b diverges           otherwise; to +infinity for certain iff no direction has c . b < 0,

which is one more verdict: whether the other rows, with -c as a row among them, are separable.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from novikoff.errors import ParameterError
from novikoff.figures import Rational
from novikoff.signed import EXACT_INTEGERS, IntegerRow, SignedRows, as_fraction, dot
from novikoff.verdict.faces import Split
from novikoff.verdict.joined import with_one_more
from novikoff.verdict.nearest import Places
from novikoff.verdict.points import WIDE, Geometry
from novikoff.verdict.result import Coefficient
from novikoff.verdict.search import Face, Search
from novikoff.verdict.span import Span

INTERCEPT = "intercept"


class Fate:
    """Judges coefficients of one data set, given how its rows split."""

    def __init__(self, signed: SignedRows, split: Split, worth: Places) -> None:
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
        stacked = with_one_more(self.signed, direction, sign)
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
