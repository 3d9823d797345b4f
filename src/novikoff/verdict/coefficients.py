"""Which coefficients of an unpenalised fit, logistic or Poisson, are finite, and which diverge.

The likelihood increases without bound along every direction b with z . b >= 0 on all rows, unless
z . b = 0 on all. With O the boundary, the rows that lie on every such hyperplane:

    c . b is finite          iff  c is in the row space of O
    c . b is unidentified    iff  c is not in the row space of all rows
    c . b diverges           otherwise; to +infinity for certain iff no direction has c . b < 0,

which is one more verdict: whether the other rows, with -c as a row among them, are separable.
Where columns depend on each other, coefficients are those of a model without the aliased columns:
see `aliases`.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import ParameterError
from novikoff.verdict.aliases import Aliases
from novikoff.verdict.exact.row_space import RowSpace
from novikoff.verdict.program.split import Split
from novikoff.verdict.scan import Indices
from novikoff.verdict.search.points import WIDE, ColumnScaling
from novikoff.verdict.search.search import Face, Search
from novikoff.verdict.search.span import Span
from novikoff.verdict.sharded.rows import with_extra_rows
from novikoff.verdict.signed import (
    EXACT_INTEGERS,
    INTERCEPT,
    IntegerRow,
    SignedRows,
    as_fraction,
    dot,
)
from novikoff.verdict.strict_cone import StrictCone


class Coefficient(NamedTuple):
    """Whether one coefficient of an unpenalised fit (logistic, or Poisson) is finite.

    status: "finite"; "diverges"; "reference": its column is that of a factor's reference level,
    with which the others are compared; "aliased": its column depends on columns before it, and is
    left out of the model; or "unidentified": the rows do not determine it at all.
    sign: where it diverges, "+" or "-" if every direction of divergence agrees, else "either";
    None otherwise.
    """

    name: str
    status: str
    sign: str | None


def coefficient_names(names: Sequence[str] | None, features: int, *, bias: bool) -> list[str]:
    """The names of coefficients, the intercept last; columns without names go by their places."""
    return [*(names or (f"column {j}" for j in range(features))), *[INTERCEPT] * bias]


class CoefficientAnalysis:
    """The coefficients of one data set, given how its rows split."""

    def __init__(self, signed: SignedRows, split: Split, candidates: Indices) -> None:
        self.signed, self.split, self._candidates = signed, split, candidates

    @cached_property
    def names(self) -> list[str]:
        """The names of the coefficients, the intercept last."""
        return coefficient_names(
            self.signed.feature_names, self.signed.features, bias=self.signed.bias
        )

    @cached_property
    def coefficients(self) -> list[Coefficient]:
        """Every coefficient, the intercept last."""
        return [self._coefficient(j, name) for j, name in enumerate(self.names)]

    def _coefficient(self, j: int, name: str) -> Coefficient:
        depends = self.aliases.columns.get(j)
        if depends is None:
            return self.classify(IntegerRow([j], [1], 1), name)
        if not depends:  # a column of zeros
            return Coefficient(name, "unidentified", None)
        status = "reference" if j in self.signed.references else "aliased"
        return Coefficient(name, status, None)

    @property
    def aliased(self) -> dict[str, dict[str, Fraction]]:
        """The columns on which each aliased one depends, with their factors."""
        return {
            self.names[j]: {self.names[k]: factor for k, factor in depends.items()}
            for j, depends in sorted(self.aliases.columns.items())
            if depends and j not in self.signed.references
        }

    @cached_property
    def aliases(self) -> Aliases:
        """The columns that depend on those before them."""
        return self.aliases_of(self._all_rows)

    def aliases_of(self, span: Span | RowSpace) -> Aliases:
        """The same for the rows of a span only: the intercept's column is before all others, and
        those of reference levels are after them.
        """
        if self.signed.bias:
            first = [self.signed.features]
        else:  # in a cone each class may have its own
            ends = (INTERCEPT, f": {INTERCEPT}")
            cone = self.signed.cone is not None
            first = [j for j, name in enumerate(self.names) if cone and name.endswith(ends)]
        return Aliases(span.null_vectors(), first, self.signed.references)

    @cached_property
    def rank(self) -> int | None:
        """The rank of all rows; None with too many columns to compute it."""
        if not self.split.lists_all and self.signed.dim > WIDE:
            return None
        return self._all_rows.rank

    def contrast(self, weights: Any, name: str) -> Coefficient:
        """A combination of coefficients, with a weight for each."""
        return self.classify(self.integer_weights(weights, name), name)

    def integer_weights(self, weights: Any, name: str) -> IntegerRow:
        """A weight for each coefficient as integers, over a denominator."""
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
        return IntegerRow([*whole], [*whole.values()], bottom)

    def identified(self, weights: IntegerRow) -> IntegerRow | None:
        """The contrast in the model without aliased columns, in terms of all columns and up to a
        positive factor; None if the rows do not determine it.
        """
        if set(weights.columns).isdisjoint(self.aliases.columns):
            return self.aliases.contrast(weights)
        return weights if self._all_rows.contains(weights) else None

    def classify(self, weights: IntegerRow, name: str) -> Coefficient:
        """What becomes of a contrast."""
        direction = self.identified(weights)
        if direction is None:
            return Coefficient(name, "unidentified", None)
        if self.split.separator is None or self.boundary.contains(direction):
            return Coefficient(name, "finite", None)
        if self.split.lists_all:
            return Coefficient(name, "diverges", self._cone.signs(direction))
        along = dot(direction, self.split.separator.numerators)
        if along == 0:  # inside the cone of directions, and not constant on it
            return Coefficient(name, "diverges", "either")
        if self._can_have_sign(weights, -1 if along > 0 else 1):
            return Coefficient(name, "diverges", "either")
        return Coefficient(name, "diverges", "+" if along > 0 else "-")

    def _can_have_sign(self, weights: IntegerRow, sign: int) -> bool:
        """Whether some direction of divergence without aliased columns has this sign."""
        without = [IntegerRow([j], [1], 1) for j in self.aliases.columns]
        row = IntegerRow(weights.columns, [sign * value for value in weights.values], 1)
        stacked = with_extra_rows(self.signed, [*without, row])
        last = stacked.count - 1
        search = Search(stacked)
        search.candidates = np.append(self._candidates, last)
        held = [*range(self.signed.count, last)]
        on_boundary = np.append(self.split.on_boundary, np.arange(len(held) + 1) < len(held))
        face = Face([*self.split.basis, *held], on_boundary)
        scaling = ColumnScaling.equalized(search.scan.maxima)
        found = search.suggest(search.points(scaling, face), face)
        solved = search.solve_exactly(scaling, face, found.rows, found.multipliers)
        return solved.weights is not None

    @cached_property
    def _cone(self) -> StrictCone:
        """The directions of divergence, where a linear program found the split."""
        assert isinstance(self.boundary, RowSpace)
        strict = np.flatnonzero(~self.split.on_boundary).tolist()
        return StrictCone(self.boundary, map(self.signed.row, strict))

    @cached_property
    def boundary(self) -> Span | RowSpace:
        """The span of the boundary."""
        if self.split.lists_all:
            rows = np.flatnonzero(self.split.on_boundary)
            return RowSpace(self.signed, rows, self.split.elimination)
        return Span(Search(self.signed), self.split.basis)

    @cached_property
    def _all_rows(self) -> Span | RowSpace:
        """The span of all rows."""
        if self.split.lists_all:
            return RowSpace(self.signed, np.arange(self.signed.count))
        if self.signed.dim > WIDE:
            raise ParameterError(
                f"coefficients are not judged beyond {WIDE:,} columns: there are"
                f" {self.signed.features:,}"
            )
        span = Span(Search(self.signed), self.split.basis)
        span.extend_to(np.ones(self.signed.count, np.bool_))
        return span
