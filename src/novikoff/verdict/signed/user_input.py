"""Rows and labels as users pass them, and their entries as exact numbers."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data import Source
from novikoff.data.loader import cached_if_large
from novikoff.data.matrices import (
    as_matrix,
    refuse_mismatch,
    refuse_too_wide,
    refuse_unreadable,
    unmasked_labels,
)
from novikoff.data.user_types import RowsLike
from novikoff.errors import DataError, ParameterError

EXACT_INTEGERS = 2**53  # up to here every integer is a double
FEATURE_BYTES = 128  # of the scales, weights and coefficient of one feature

ExactArray = npt.NDArray[np.object_]


class UserInput(NamedTuple):
    """Rows and labels of any kind, in one form."""

    matrix: Any  # see `data.matrices.as_matrix`
    y: Any  # as many labels as there are rows
    exact: ExactArray | None
    lines: npt.NDArray[np.int64] | None
    names: list[str] | None

    def where(self, row: int) -> str:
        """What messages call a row: its line in a file, where that is known, or its number."""
        return f"row {row}" if self.lines is None else f"line {int(self.lines[row])}"

    @classmethod
    def of(cls, X: RowsLike, y: npt.ArrayLike | None = None) -> "UserInput":
        """Read arrays, sparse matrices, frames or a source; DataError says what cannot be used."""
        names = lines = exact = None
        if isinstance(X, Source):
            if y is not None:
                raise ParameterError("a source brings its own labels: leave y out")
            source = cached_if_large(X)
            chunk = source.read()
            names = source.feature_names
            X, y, lines = chunk.X, chunk.y, chunk.lines
            exact = getattr(chunk, "exact", None)
        elif hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
        if y is None:
            raise DataError("there are no labels: pass y, one label for each row")
        if exact is None:
            refuse_unreadable(X)
            X, exact = _exact_entries(X)
        matrix = as_matrix(X)
        if matrix.shape[1] < 1:
            raise DataError(f"X has 0 feature(s) (shape {matrix.shape}); at least 1 is needed")
        refuse_too_wide(matrix.shape[1], FEATURE_BYTES)
        refuse_mismatch(matrix.shape[0], np.shape(y)[0] if np.ndim(y) else 0)
        return cls(matrix, unmasked_labels(y), exact, lines, names)


def _exact_entries(X: Any) -> tuple[Any, ExactArray | None]:
    """X as doubles, and the exact entries where some of them are not doubles."""
    if hasattr(X, "tocsr"):
        return _exact_sparse_entries(X)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DataError(f"X is not a matrix: {error}") from None
    if array.dtype.kind in "cmM":
        raise DataError(f"X holds {array.dtype.name} entries; rows are of real numbers")
    if array is not X and array.dtype.kind == "f" and array.size and _exceeds_exact_integers(array):
        array = _as_objects(X)  # integers among floats became floats
    wide = array.dtype.kind in "iu" and array.size and _exceeds_exact_integers(array)
    if not wide and array.dtype.kind != "O" and array.dtype != np.longdouble:
        return X, None
    if array.ndim != 2 or all(isinstance(each, float) for each in array.flat):
        return X, None
    exact = np.empty(array.shape, object)
    for index, number in np.ndenumerate(array):
        exact[index] = as_fraction(number, index)
    try:
        return exact.astype(np.float64), exact
    except OverflowError:
        raise DataError("X has a number too large for a double; scale its column") from None


def _exact_sparse_entries(X: Any) -> tuple[Any, ExactArray | None]:
    if X.dtype.kind not in "iu" or not X.nnz or not _exceeds_exact_integers(X.tocsr().data):
        return X, None
    matrix = X.tocsr().copy()
    matrix.sum_duplicates()
    exact = np.empty(matrix.nnz, object)
    exact[:] = [Fraction(value) for value in matrix.data.tolist()]
    return matrix.astype(np.float64), exact


def _as_objects(X: Any) -> ExactArray:
    """The entries of a frame or nested lists, none of them converted."""
    return np.asarray(X.astype(object) if hasattr(X, "astype") else X, object)


def _exceeds_exact_integers(numbers: npt.NDArray[Any]) -> bool:
    """Whether some are so large that not every integer is a double. (A NaN is not.)"""
    return bool(numbers.max() >= EXACT_INTEGERS or numbers.min() <= -EXACT_INTEGERS)


def as_fraction(number: Any, index: tuple[int, ...]) -> Fraction:
    """A number of any exact kind, as a Fraction."""
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > 5000:
        raise DataError(f"X has {number} in row {index[0]}, column {index[1]}: too far from 1")
    if isinstance(number, str | bytes):  # "1/2" is no number of any table
        raise DataError(
            f"X has the text {number!r} in row {index[0]}, column {index[1]}, and rows are of"
            ' numbers; a formula reads columns of words: nk.check("y ~ .", data=frame)'
        )
    try:
        if isinstance(number, np.longdouble):  # whose .item() is itself
            return Fraction(*number.as_integer_ratio())
        return Fraction(number.item() if isinstance(number, np.generic) else number)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"X has {number!r} in row {index[0]}, column {index[1]}; a finite number is needed"
        ) from None
