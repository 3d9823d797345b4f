"""Signed rows in memory: how they are gone through, and how few of them are taken."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.rows import CsrRows, Rows, as_csr, features_of, make_rows
from novikoff.scan import HUGE, TINY, Places, Scan, Vector, fingerprints_in_parts
from novikoff.signed.base import Result, SignedRows, State
from novikoff.signed.given import Given
from novikoff.signed.integers import IntegerRow, unit_factor
from novikoff.signed.labels import LabelPair, refuse_family, signs_and_none, signs_and_pair
from novikoff.sources.sparse import scipy_sparse

LENGTH_BITS = 256
LARGEST_EXPONENT = 1023


class Signed(SignedRows):
    """Signed rows in memory; they may be a piece of others, see `verdict.joined`.

    exact: None, or the exact entries where `rows` holds them rounded; an array of Fractions in the
    shape of `rows.values`. start: how many rows come before these, where they are only some of all.
    kept: by where they end, windows that begin in these rows and end after them, with the rows that
    had to be brought from later pieces: see `verdict.asked.through`.
    """

    start = 0
    lines: npt.NDArray[np.int64] | None

    def __init__(
        self,
        rows: Rows,
        signs: npt.NDArray[np.int8],
        labels: LabelPair | None,
        *,
        family: str = "binary",
        unit_length: bool = False,
        exact: npt.NDArray[Any] | None = None,
    ) -> None:
        super().__init__(signs, labels, family, unit_length)
        self.rows, self.exact = rows, exact
        self.kept: dict[int, Signed] = {}

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        fit_intercept: bool = True,
        unit_length: bool = False,
        family: str = "binary",
        positive: Any = None,
    ) -> "Signed":
        """From what users have: arrays, sparse matrices, frames or a source.

        positive: the label to tell from all the others, where there are more than two.
        """
        refuse_family(family, unit_length, positive)
        given = Given.of(X, y)
        signs, labels = (
            signs_and_none(given.y) if family == "poisson" else signs_and_pair(given.y, positive)
        )
        return cls.made(given, signs, labels, fit_intercept, family, unit_length)

    @classmethod
    def made(
        cls,
        given: Given,
        signs: npt.NDArray[np.int8],
        labels: LabelPair | None,
        bias: bool,
        family: str,
        unit_length: bool,
    ) -> "Signed":
        """From rows whose signs are known."""
        rows = make_rows(given.matrix, bool(bias), False)
        signed = cls(rows, signs, labels, family=family, unit_length=unit_length, exact=given.exact)
        signed.lines, signed.feature_names = given.lines, given.names
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
    def to_unit(self) -> Vector:
        squares = self.scan.squares
        with np.errstate(divide="ignore"):
            scales = 1.0 / np.sqrt(squares)
        for i in np.flatnonzero(~((squares > TINY) & (squares < HUGE))).tolist():
            factor = unit_factor(self.row(i), LENGTH_BITS + LARGEST_EXPONENT)
            scales[i] = float(min(factor, Fraction(2) ** LARGEST_EXPONENT))
        return scales

    # Going through rows: here they are one piece

    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        return [function(self, *args)]

    def spread(
        self, function: Callable[..., Result], places: Places, *args: Any, beside: Any = None
    ) -> list[Result]:
        some = (places,) if beside is None else (places, beside)
        return [function(self, *some, *args)]

    def chain(
        self, function: Callable[..., tuple[State, Result]], state: State, *args: Any
    ) -> tuple[State, list[Result]]:
        state, result = function(self, state, *args)
        return state, [result]

    def windows(
        self,
        function: Callable[..., tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Any]],
        *args: Any,
    ) -> tuple[State, list[Result]]:
        results = []
        for window, task in tasks:
            state, result = function(self.part(window), state, task, *args)
            results.append(result)
        return state, results

    def part(self, window: slice) -> "Signed":
        """Consecutive rows, not copied, with the squares that are known."""
        rows = self.rows
        if isinstance(rows, CsrRows):
            rows = rows._replace(starts=rows.starts[window.start : window.stop + 1])
        else:
            rows = rows._replace(values=rows.values[window])
        signs = self.signs[window]
        part = Signed(rows, signs, self.labels, family=self.family, unit_length=self.unit_length)
        part.scan = Scan(rows, signs, survey=False)
        part.scan.squares = self.scan.squares[window]
        return part

    # Few rows

    def bring(self, places: Sequence[int]) -> None:
        """They are at hand."""

    def integers(self, places: Iterable[int]) -> list[IntegerRow]:
        return [self.row(i) for i in places]

    def row(self, i: int) -> IntegerRow:
        columns, numbers = self.entries(i)
        ratios = [number.as_integer_ratio() for number in numbers]
        denominator = math.lcm(*(ratio[1] for ratio in ratios)) if ratios else 1
        sign = int(self.signs[i])
        values = [sign * top * (denominator // bottom) for top, bottom in ratios]
        if self.bias:
            columns, values = [*columns, self.features], [*values, sign * denominator]
        return IntegerRow(columns, values, denominator)

    def entries(self, i: int) -> tuple[list[int], list[Any]]:
        place: Any = i
        columns: Any = range(self.features)
        if isinstance(self.rows, CsrRows):
            place = slice(int(self.rows.starts[i]), int(self.rows.starts[i + 1]))
            columns = self.rows.columns[place].tolist()
        numbers = (self.rows.values if self.exact is None else self.exact)[place].tolist()
        kept = [(column, number) for column, number in zip(columns, numbers, strict=True) if number]
        return [column for column, _ in kept], [number for _, number in kept]

    def dense(self, rows: Places) -> npt.NDArray[np.float64]:
        out = np.zeros((len(rows), self.dim))
        if isinstance(self.rows, CsrRows):
            for k, i in enumerate(rows):
                place = slice(int(self.rows.starts[i]), int(self.rows.starts[i + 1]))
                out[k, self.rows.columns[place]] = self.rows.values[place]
        else:
            out[:, : self.features] = self.rows.values[rows]
        if self.bias:
            out[:, -1] = 1.0
        out *= self.signs[rows][:, None]
        return out

    def sparse(self, rows: Places) -> Any:
        sparse = scipy_sparse()
        if isinstance(self.rows, CsrRows):
            matrix = as_csr(self.rows)[rows].astype(np.float64)
        else:
            matrix = sparse.csr_array(np.asarray(self.rows.values[rows], np.float64))
        if self.bias:
            ones = sparse.csr_array(np.ones((len(rows), 1)))
            matrix = sparse.hstack([matrix, ones], format="csr")
        return sparse.diags_array(self.signs[rows].astype(np.float64)) @ matrix

    def contents(self, places: Places) -> list[Any]:
        return [self._content(i) for i in places.tolist()]

    def _content(self, i: int) -> Any:
        if self.exact is None and not isinstance(self.rows, CsrRows):
            return (self.rows.values[i].astype(np.float64) + 0.0).tobytes()  # -0.0 is 0.0
        columns, numbers = self.entries(i)
        if self.exact is None:
            return np.array(columns, np.int64).tobytes() + np.array(numbers, np.float64).tobytes()
        return tuple(columns), tuple(map(Fraction, numbers))
