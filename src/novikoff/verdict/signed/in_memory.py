"""Signed rows in memory."""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import as_labels
from novikoff.data.sparse import scipy_sparse
from novikoff.data.user_types import Label
from novikoff.learning.rows import CsrRows, Rows, as_csr, features_of, make_rows, matrix_of
from novikoff.verdict.scan import (
    HUGE,
    TINY,
    Indices,
    Mask,
    Scan,
    Signs,
    Vector,
    fingerprints_in_parts,
)
from novikoff.verdict.signed.base import Args, Item, Result, SignedRows, State, Task
from novikoff.verdict.signed.cone import Cone
from novikoff.verdict.signed.integer_row import IntegerRow, Number, unit_factor
from novikoff.verdict.signed.labels import LabelPair, count_signs, label_signs, refuse_family
from novikoff.verdict.signed.user_input import ExactArray, UserInput

LENGTH_BITS = 256
LARGEST_EXPONENT = 1023


class Signed(SignedRows):
    """Signed rows in memory; they may be a piece of others, see `verdict.sharded`.

    exact: None, or the exact entries where `rows` holds them rounded; an array of Fractions in the
    shape of `rows.values`. start: how many rows come before these, where they are a part of all.
    extended_windows: by their ends, windows that begin in these rows and end in later pieces, with
    the rows fetched from there: see `sharded.remote_calls.apply_windows`.
    """

    start = 0
    counts: Vector | None = None  # what signs are made of, where they are not of labels
    lines: npt.NDArray[np.int64] | None

    def __init__(
        self,
        rows: Rows,
        signs: Signs,
        labels: LabelPair | None,
        *,
        family: str = "binary",
        unit_length: bool = False,
        exact: ExactArray | None = None,
        pinned: Mask | None = None,
    ) -> None:
        super().__init__(signs, labels, family, unit_length, pinned)
        self.rows, self.exact = rows, exact
        self.extended_windows: dict[int, Signed] = {}

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        family: str = "binary",
        positive: Label | None = None,
    ) -> "Signed":
        """Make signed rows of arrays, sparse matrices, frames or a source.

        positive: the label to tell from all the others, where there are more than two.
        """
        refuse_family(family, unit_length, positive)
        given = UserInput.of(X, y)
        return cls.of_input(given, family, fit_intercept, unit_length, positive)

    @classmethod
    def of_input(
        cls, given: UserInput, family: str, bias: bool, unit_length: bool, positive: Label | None
    ) -> "Signed":
        """Make signed rows of rows with two labels, or with counts."""
        if family == "poisson":
            signs, labels = count_signs(given.y, bias), None
        else:
            signs, labels = label_signs(given.y, positive)
        signed = cls.from_signs(given, signs, labels, bias, family, unit_length)
        signed.counts = as_labels(given.y).astype(np.float64) if family == "poisson" else None
        return signed

    @classmethod
    def from_signs(
        cls,
        given: UserInput,
        signs: Signs,
        labels: LabelPair | None,
        bias: bool,
        family: str,
        unit_length: bool,
    ) -> "Signed":
        """Make signed rows of rows whose signs are known."""
        rows = make_rows(given.matrix, bool(bias), False)
        signed = cls(rows, signs, labels, family=family, unit_length=unit_length, exact=given.exact)
        signed.lines, signed.feature_names = given.lines, given.names
        return signed

    @classmethod
    def from_cone(cls, cone: Cone) -> "Signed":
        """Make signed rows of the rows of a cone."""
        table = cone.table
        signed = cls(
            make_rows(cone.matrix, cone.bias, False),
            cone.signs,
            table.labels if isinstance(table.labels, LabelPair) else None,
            family=table.family,
            unit_length=table.unit_length,
            exact=cone.exact,
            pinned=cone.held,
        )
        lines = table.given.lines
        signed.lines = None if lines is None else lines[cone.owners]
        signed.feature_names, signed.cone = cone.names, cone
        return signed

    @property
    def features(self) -> int:
        return features_of(self.rows)

    @property
    def bias(self) -> bool:
        return self.rows.bias

    @cached_property
    def scan(self) -> Scan:
        rounded = self.exact is not None
        return Scan(self.rows, self.signs, rounded, survey=self.survey, start=self.start)

    @property
    def rational(self) -> bool:
        return self.exact is not None

    def as_rational(self, rational: bool) -> bool:
        if rational and self.exact is None:
            self.exact = self.rows.values.astype(object)
        elif self.exact is not None and not rational:
            if not np.asarray(self.exact == self.rows.values).all():
                return False
            self.exact = None
        return True

    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        return fingerprints_in_parts(self.rows)

    @cached_property
    def inverse_lengths(self) -> Vector:
        squares = self.scan.squares
        with np.errstate(divide="ignore"):
            scales = 1.0 / np.sqrt(squares)
        for i in np.flatnonzero(~((squares > TINY) & (squares < HUGE))).tolist():
            factor = unit_factor(self.row(i), LENGTH_BITS + LARGEST_EXPONENT)
            scales[i] = float(min(factor, Fraction(2) ** LARGEST_EXPONENT))
        return scales

    # Iteration: here there is one piece

    def map_pieces(
        self, function: Callable[["Signed", *Args], Result], *args: *Args
    ) -> list[Result]:
        return [function(self, *args)]

    def map_subset(
        self, function: Callable[["Signed", Indices, *Args], Result], rows: Indices, *args: *Args
    ) -> list[Result]:
        return [function(self, rows, *args)]

    def map_paired(
        self,
        function: Callable[["Signed", Indices, Sequence[Item]], Result],
        rows: Indices,
        items: Sequence[Item],
    ) -> list[Result]:
        return [function(self, rows, items)]

    def fold_pieces(
        self,
        function: Callable[["Signed", State, *Args], tuple[State, Result]],
        state: State,
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        state, result = function(self, state, *args)
        return state, [result]

    def fold_windows(
        self,
        function: Callable[["Signed", State, Task, *Args], tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Task]],
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        results = []
        for window, task in tasks:
            state, result = function(self.part(window), state, task, *args)
            results.append(result)
        return state, results

    def part(self, window: slice) -> "Signed":
        """Consecutive rows, not copied, with the squares already computed."""
        rows = self.rows
        if isinstance(rows, CsrRows):
            rows = rows._replace(starts=rows.starts[window.start : window.stop + 1])
        else:
            rows = rows._replace(values=rows.values[window])
        signs = self.signs[window]
        part = Signed(
            rows,
            signs,
            self.labels,
            family=self.family,
            unit_length=self.unit_length,
            pinned=self.pinned[window],
        )
        part.scan = Scan(rows, signs, survey=False)
        part.scan.squares = self.scan.squares[window]
        return part

    def subset(self, rows: Indices) -> "Signed":
        exact = self.exact
        if exact is not None and isinstance(self.rows, CsrRows):
            parts = [exact[self.stored(i)] for i in rows.tolist()]
            exact = np.concatenate([exact[:0], *parts])
        elif exact is not None:
            exact = exact[rows]
        part = Signed(
            make_rows(matrix_of(self.rows)[rows], self.bias, False),
            self.signs[rows],
            self.labels,
            family=self.family,
            unit_length=self.unit_length,
            exact=exact,
            pinned=self.pinned[rows],
        )
        part.lines = None if self.lines is None else self.lines[rows]
        part.feature_names = self.feature_names
        return part

    # Single rows

    def prefetch(self, rows: Sequence[int]) -> None:
        """Do nothing: they are in memory."""

    def integers(self, rows: Iterable[int]) -> list[IntegerRow]:
        return [self.row(i) for i in rows]

    def row(self, i: int) -> IntegerRow:
        columns, numbers = self.entries(i)
        ratios = [number.as_integer_ratio() for number in numbers]
        denominator = math.lcm(*(ratio[1] for ratio in ratios)) if ratios else 1
        sign = int(self.signs[i])
        values = [sign * top * (denominator // bottom) for top, bottom in ratios]
        if self.bias:
            columns, values = [*columns, self.features], [*values, sign * denominator]
        return IntegerRow(columns, values, denominator)

    def entries(self, i: int) -> tuple[list[int], list[Number]]:
        columns: Sequence[int] = range(self.features)
        if isinstance(self.rows, CsrRows):
            columns = self.rows.columns[self.stored(i)].tolist()
        numbers = (self.rows.values if self.exact is None else self.exact)[self.stored(i)].tolist()
        kept = [(column, number) for column, number in zip(columns, numbers, strict=True) if number]
        return [column for column, _ in kept], [number for _, number in kept]

    def stored(self, i: int) -> int | slice:
        """Where the values of row i are in `rows.values`."""
        if isinstance(self.rows, CsrRows):
            return slice(int(self.rows.starts[i]), int(self.rows.starts[i + 1]))
        return i

    def dense(self, rows: Indices) -> Vector:
        out = np.zeros((len(rows), self.dim))
        if isinstance(self.rows, CsrRows):
            for k, i in enumerate(rows):
                where = self.stored(i)
                out[k, self.rows.columns[where]] = self.rows.values[where]
        else:
            out[:, : self.features] = self.rows.values[rows]
        if self.bias:
            out[:, -1] = 1.0
        out *= self.signs[rows][:, None]
        return out

    def sparse(self, rows: Indices) -> Any:
        sparse = scipy_sparse()
        if isinstance(self.rows, CsrRows):
            matrix = as_csr(self.rows)[rows].astype(np.float64)
        else:
            matrix = sparse.csr_array(np.asarray(self.rows.values[rows], np.float64))
        if self.bias:
            ones = sparse.csr_array(np.ones((len(rows), 1)))
            matrix = sparse.hstack([matrix, ones], format="csr")
        return sparse.diags_array(self.signs[rows].astype(np.float64)) @ matrix

    def in_one_place(self) -> "Signed":
        return self

    def row_keys(self, rows: Indices) -> Sequence[Hashable]:
        return [self._row_key(i) for i in rows.tolist()]

    def _row_key(self, i: int) -> Hashable:
        if self.exact is None and not isinstance(self.rows, CsrRows):
            values: Vector = self.rows.values[i].astype(np.float64) + 0.0  # -0.0 is 0.0
            return values.tobytes()
        columns, numbers = self.entries(i)
        if self.exact is None:
            return np.array(columns, np.int64).tobytes() + np.array(numbers, np.float64).tobytes()
        return tuple(columns), tuple(Fraction(number) for number in numbers)
