"""Signed rows: labelled rows made ready for a verdict, with their entries as exact numbers.

    z = sign * (x, 1)     with a bias; sign = +1 for the positive label, -1 for the negative one
    z = sign * x          without

A double is taken as exactly the rational number it is; rows may also be given as Fractions and
Decimals. For counts (`family="poisson"`) a row with count 0 has the sign -1, and one with a count
above 0 is pinned: whatever direction a fit diverges in, its score stays as it is.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError, ParameterError
from novikoff.rows import CsrRows, Rows, features_of, length, make_rows
from novikoff.scan import Scan
from novikoff.sources import Source
from novikoff.sources.arrays import as_labels, as_matrix, encode, refuse_mismatch
from novikoff.sources.settling import settled

FAMILIES = ("binary", "poisson")
EXACT_INTEGERS = 2**53
COUNTS = (int, float, Decimal, Fraction)


class LabelPair(NamedTuple):
    """The two labels; `negative` is None where it is every label but the positive one."""

    negative: Any
    positive: Any


class IntegerRow(NamedTuple):
    """A signed, lifted row z as integers: z[column] = value / denominator, 0 elsewhere."""

    columns: list[int]
    values: list[int]
    denominator: int


class Given(NamedTuple):
    """Rows and labels as users have them, all in one form."""

    matrix: Any  # see `sources.arrays.as_matrix`
    y: Any  # as many labels as there are rows
    exact: npt.NDArray[Any] | None
    lines: npt.NDArray[np.int64] | None
    names: list[str] | None

    @classmethod
    def of(cls, X: Any, y: Any = None) -> "Given":
        """From arrays, sparse matrices, frames or a source; DataError says what cannot be used."""
        names = lines = exact = None
        if isinstance(X, Source):
            if y is not None:
                raise ParameterError("a source brings its own labels: leave y out")
            source = settled(X)
            chunk = source.read()
            names = source.feature_names
            X, y, lines = chunk.X, chunk.y, chunk.lines
            exact = getattr(chunk, "exact", None)
        elif hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
        if y is None:
            raise DataError("there are no labels: pass y, one label for each row")
        if exact is None:
            X, exact = _exactly(X)
        matrix = as_matrix(X)
        if matrix.shape[1] < 1:
            raise DataError(f"X has 0 feature(s) (shape {matrix.shape}); at least 1 is needed")
        refuse_mismatch(matrix.shape[0], np.shape(y)[0] if np.ndim(y) else 0)
        return cls(matrix, y, exact, lines, names)


class Signed:
    """Signed rows and where they came from.

    exact: None, or the exact entries where `rows` holds them rounded; an array of Fractions in the
    shape of `rows.values`. lines: the line of each row in its file, where it came from one.
    """

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
        self.rows, self.signs, self.labels = rows, signs, labels
        self.family, self.unit_length, self.exact = family, unit_length, exact
        self.pinned = signs > 0 if family == "poisson" else np.zeros(len(signs), np.bool_)
        self.lines: npt.NDArray[np.int64] | None = None
        self.feature_names: list[str] | None = None

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
        if family not in FAMILIES:
            raise ParameterError(f"family must be one of {', '.join(FAMILIES)}, not {family!r}")
        if family == "poisson" and (unit_length or positive is not None):
            raise ParameterError("counts have no unit length and no positive label")
        given = Given.of(X, y)
        signs, labels = _counts(given.y) if family == "poisson" else _signs(given.y, positive)
        return cls.made(given, signs, labels, fit_intercept, family, unit_length)

    @classmethod
    def made(
        cls,
        given: "Given",
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
    def count(self) -> int:
        return int(length(self.rows))

    @property
    def features(self) -> int:
        return features_of(self.rows)

    @property
    def bias(self) -> bool:
        return self.rows.bias

    @property
    def dim(self) -> int:
        """The coordinates of a lifted row."""
        return self.features + self.bias

    @cached_property
    def scan(self) -> Scan:
        """Passes over these rows."""
        return Scan(self.rows, self.signs, rounded=self.exact is not None)

    def row(self, i: int) -> IntegerRow:
        """Row i, exactly."""
        columns, numbers = self.entries(i)
        ratios = [number.as_integer_ratio() for number in numbers]
        denominator = math.lcm(*(ratio[1] for ratio in ratios)) if ratios else 1
        sign = int(self.signs[i])
        values = [sign * top * (denominator // bottom) for top, bottom in ratios]
        if self.bias:
            columns, values = [*columns, self.features], [*values, sign * denominator]
        return IntegerRow(columns, values, denominator)

    def entries(self, i: int) -> tuple[list[int], list[Any]]:
        """The columns and exact values of row i that are not zero, unsigned and without bias."""
        place: Any = i
        columns: Any = range(self.features)
        if isinstance(self.rows, CsrRows):
            place = slice(int(self.rows.starts[i]), int(self.rows.starts[i + 1]))
            columns = self.rows.columns[place].tolist()
        numbers = (self.rows.values if self.exact is None else self.exact)[place].tolist()
        kept = [(column, number) for column, number in zip(columns, numbers, strict=True) if number]
        return [column for column, _ in kept], [number for _, number in kept]

    def dense(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Some signed, lifted rows as doubles."""
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


def dot(row: IntegerRow, numerators: list[int]) -> int:
    """The row times its denominator, times a vector of integers."""
    return sum(value * numerators[column] for column, value in zip(*row[:2], strict=True))


def _exactly(X: Any) -> tuple[Any, npt.NDArray[Any] | None]:
    """X as doubles, and the exact entries where some of them are not doubles."""
    if hasattr(X, "tocsr"):
        return _exactly_sparse(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DataError(f"X is not a matrix: {error}") from None
    if array.dtype.kind in "cmM":
        raise DataError(f"X holds {array.dtype.name} entries; rows are of real numbers")
    if array is not X and array.dtype.kind == "f" and array.size and _beyond(array):
        array = _unrounded(X)  # integers among floats became floats
    wide = array.dtype.kind in "iu" and array.size and _beyond(array)
    if not wide and array.dtype.kind != "O" and array.dtype != np.longdouble:
        return X, None
    if array.ndim != 2 or all(isinstance(each, float) for each in array.flat):
        return X, None
    exact = np.empty(array.shape, object)
    for place, number in np.ndenumerate(array):
        exact[place] = as_fraction(number, place)
    try:
        return exact.astype(np.float64), exact
    except OverflowError:
        raise DataError("X has a number too large for a double; scale its column") from None


def _exactly_sparse(X: Any) -> tuple[Any, npt.NDArray[Any] | None]:
    if X.dtype.kind not in "iu" or not X.nnz or not _beyond(X.tocsr().data):
        return X, None
    matrix = X.tocsr().copy()
    matrix.sum_duplicates()
    exact = np.empty(matrix.nnz, object)
    exact[:] = [Fraction(value) for value in matrix.data.tolist()]
    return matrix.astype(np.float64), exact


def _unrounded(X: Any) -> npt.NDArray[Any]:
    """The entries as they were given, of a frame or nested lists."""
    return np.asarray(X.astype(object) if hasattr(X, "astype") else X, object)


def _beyond(numbers: npt.NDArray[Any]) -> bool:
    """Whether some are so large that integers are no longer doubles. (A NaN is not.)"""
    return bool(numbers.max() >= EXACT_INTEGERS or numbers.min() <= -EXACT_INTEGERS)


def as_fraction(number: Any, place: tuple[int, ...]) -> Fraction:
    """A number of any exact kind, as a Fraction."""
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > 5000:
        raise DataError(f"X has {number} in row {place[0]}, column {place[1]}: too far from 1")
    if isinstance(number, str | bytes):  # "1/2" is no number of any table
        raise DataError(f"X has the text {number!r} in row {place[0]}, column {place[1]}")
    try:
        if isinstance(number, np.longdouble):  # whose .item() is itself
            return Fraction(*number.as_integer_ratio())
        return Fraction(number.item() if isinstance(number, np.generic) else number)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"X has {number!r} in row {place[0]}, column {place[1]}; a finite number is needed"
        ) from None


def _signs(y: Any, positive: Any) -> tuple[npt.NDArray[np.int8], LabelPair]:
    classes, codes = encode(y)
    labels: LabelPair | None
    if positive is not None:
        chosen = [k for k, label in enumerate(classes.tolist()) if label == positive]
        if not chosen:
            raise DataError(f"no row has the label {positive!r}; there are {_listed(classes)}")
        labels = LabelPair(None, classes.tolist()[chosen[0]])
        if len(classes) == 2:
            labels = LabelPair(classes.tolist()[1 - chosen[0]], labels.positive)
        signs = np.where(codes == chosen[0], 1, -1).astype(np.int8)
    else:
        if len(classes) > 2:
            raise DataError(
                f"y has {len(classes):,} labels ({_listed(classes)}); a verdict is about two."
                " Name the one to tell from the others (positive=..., --positive ...)"
            )
        labels = LabelPair(*classes.tolist()) if len(classes) == 2 else None
        signs = np.where(codes == 1, 1, -1).astype(np.int8)
    if len(classes) < 2 or labels is None:
        raise DataError(
            f"all {len(codes):,} rows have the label {classes[0]}; a separator needs two"
        )
    return signs, labels


def _counts(y: Any) -> tuple[npt.NDArray[np.int8], None]:
    given = as_labels(y)
    numeric = given.dtype.kind in "biuf" or all(isinstance(each, COUNTS) for each in given.flat)
    if not numeric:
        raise DataError('with family="poisson" y must be counts, that is, numbers')
    counts = given.astype(np.float64)
    bad = np.flatnonzero(~((counts >= 0.0) & (counts < np.inf)))
    if bad.size:
        raise DataError(
            f'row {bad[0]} has the count {counts[bad[0]]}; with family="poisson" counts are finite'
            " and not negative"
        )
    if not counts.any():
        raise DataError("every count is 0: no fit has a finite intercept, nothing else to decide")
    return np.where(counts > 0.0, 1, -1).astype(np.int8), None


def _listed(classes: npt.NDArray[Any]) -> str:
    shown = [str(label) for label in classes[:5].tolist()]
    return ", ".join(shown) + (", ..." if len(classes) > 5 else "")


def chunked(rows: npt.NDArray[np.int64], size: int) -> Iterator[npt.NDArray[np.int64]]:
    """Row numbers, at most `size` of them at a time."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
