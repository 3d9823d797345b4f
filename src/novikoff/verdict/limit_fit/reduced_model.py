"""The model in the limit: without what separates, and with some contrasts of coefficients held.

Holding contrasts c leaves fewer directions, those of the cone with c . d = 0, so that other rows
are on the boundary: they are found by the same exact search, with each c as a row that is held.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.coefficients import CoefficientAnalysis
from novikoff.verdict.exact.row_space import RowSpace
from novikoff.verdict.limit_fit.likelihoods import (
    Boundary,
    Choice,
    Likelihood,
    Matrix,
    likelihood,
)
from novikoff.verdict.limit_fit.maximum import Maximum, maximize
from novikoff.verdict.program.program_split import suits_program
from novikoff.verdict.program.split import Split
from novikoff.verdict.scan import Indices, Vector
from novikoff.verdict.search.facial_reduction import FacialReduction
from novikoff.verdict.search.search import Search
from novikoff.verdict.search.span import Span
from novikoff.verdict.sharded.rows import with_extra_rows
from novikoff.verdict.signed import IntegerRow, Signed

NEAR = 1e-12  # how small a column may be beside what it has in common with others


class Contrast(NamedTuple):
    """A combination of coefficients: row . b / factor in the model without aliased columns."""

    name: str
    row: IntegerRow
    factor: float


class ReducedModel:
    """A model on the boundary that is left while some contrasts are held.

    columns: independent columns of the design there; a fit has 0 for the others, and any contrast
    that the boundary determines is the same with all such. basis: combinations of them in which the
    rows are orthogonal, so that neither a unit nor an origin of a column matters to the search.
    """

    def __init__(
        self, analysis: CoefficientAnalysis, choice: Choice, held: Sequence[Contrast] = ()
    ) -> None:
        signed = analysis.signed
        assert isinstance(signed, Signed)
        split, span = analysis.split, analysis.boundary
        if held:
            split, span = _held(analysis, held)
        aliased = analysis.aliases_of(span).columns
        self.columns: Indices = np.array(
            [j for j in range(signed.dim) if j not in aliased], np.int64
        )
        on = split.on_boundary[: signed.count]
        direction = None if split.separator is None else split.separator.numerators
        width = max(1, len(self.columns))
        self.boundary = Boundary(signed, on, direction, self.columns, np.eye(width))
        self.basis = np.eye(width)
        if len(self.columns):
            self.basis = _basis(self.boundary.entries(), self.rows(held))
        self.boundary = self.boundary._replace(basis=self.basis)
        self.likelihood: Likelihood = likelihood(self.boundary, choice)
        self._held = self.rows(held)

    def rows(self, contrasts: Sequence[Contrast]) -> Matrix:
        """The contrasts in the basis."""
        found = np.zeros((len(contrasts), max(1, len(self.columns))))
        place = {int(j): k for k, j in enumerate(self.columns)}
        for line, contrast in zip(found, contrasts, strict=True):
            for j, value in zip(contrast.row.columns, contrast.row.values, strict=True):
                if j in place:
                    line[place[j]] = value / contrast.factor
        return found @ self.basis

    def maximum(self, values: Sequence[float] = (), start: Vector | None = None) -> Maximum:
        """The highest likelihood where the held contrasts have these values.

        start: where to begin, with the same or other values.
        """
        none = not len(self.columns)
        held = np.eye(1) if none else self._held
        starts = [self._start()] if start is None else [start, self._start()]
        if len(values):
            starts = [self._moved(each, held, values) for each in starts]
        return maximize(self.likelihood, max(starts, key=self.likelihood.loglike), held)

    def _moved(self, start: Vector, held: Matrix, values: Sequence[float]) -> Vector:
        """The nearest point to one where the held contrasts have these values; thresholds keep
        their distances, if they can.
        """
        gaps = getattr(self.likelihood, "gaps", held[:0])
        for rows in (np.concatenate([held, gaps]), held):
            wanted = np.append(np.asarray(values) - held @ start, np.zeros(len(rows) - len(held)))
            start = start + np.linalg.pinv(rows) @ wanted
        return start

    def _start(self) -> Vector:
        """Zeros, but for thresholds, which must be in order: there 1, 2, ..."""
        signed, zeros = self.boundary.signed, np.zeros(max(1, len(self.columns)))
        if signed.family != "cumulative" or not self.boundary.on.any() or not len(self.columns):
            return zeros
        assert signed.cone is not None
        thresholds = signed.dim - signed.cone.table.features
        ordered = np.append(np.arange(1.0, thresholds + 1), np.zeros(signed.dim - thresholds))
        z = self.boundary.signed_rows()
        wanted = signed.sparse(self.boundary.cone_rows) @ ordered
        system = np.concatenate([z, self._held])
        found: Vector = np.linalg.lstsq(
            system, np.append(wanted, np.zeros(len(self._held))), rcond=None
        )[0]
        return found


def _basis(rows: Matrix, held: Matrix) -> Matrix:
    """Combinations of columns that are orthogonal in these rows, with entries of about 1."""
    scales = np.abs(rows).max(axis=0, initial=0.0)
    scales[scales == 0.0] = 1.0  # a column that only what is held determines
    held = held / scales
    size = np.sqrt(max(1, len(rows)))
    held *= size / np.maximum(np.linalg.norm(held, axis=1, keepdims=True), NEAR)
    triangle = np.linalg.qr(np.concatenate([rows / scales, held]), mode="r")
    steps = np.abs(np.diag(triangle))
    if steps.min() < NEAR * steps.max():
        raise DataError(
            "the reduced model's columns nearly depend on each other, beyond what doubles can"
            " tell: centre them, or leave one out"
        )
    found: Matrix = np.linalg.inv(triangle) / scales[:, None] * size
    return found


def _held(analysis: CoefficientAnalysis, held: Sequence[Contrast]) -> tuple[Split, Span | RowSpace]:
    """The split, and the span of its boundary, where contrasts are held."""
    signed = with_extra_rows(analysis.signed, [each.row for each in held])
    signed.pinned = np.append(analysis.signed.pinned, np.ones(len(held), np.bool_))
    search = Search(signed)
    split: Split | None = search.split_by_program([]) if suits_program(signed) else None
    split = split or FacialReduction(search).split([])
    return split, CoefficientAnalysis(signed, split, search.candidates).boundary
