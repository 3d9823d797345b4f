"""Arrays and frames as they come from users, made fit for the loop with as few copies as can be.

Dense: C-ordered float32 or float64 is used where it lies. Sparse: CSR with sorted unique columns
likewise. Anything else (other orders and formats, integers, booleans, frames) is converted once.
"""

import functools
import math
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.sparse import CsrMatrix, Matrix, refuse_damaged
from novikoff.errors import DataError
from novikoff.number_text import listed

MOST_CLASSES = 2**16
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
#: The class number of each row.
Codes = npt.NDArray[np.uint16]
#: All labels, in sorted order.
Classes = npt.NDArray[Any]


def as_matrix(X: Any) -> Matrix:
    """X as a C-ordered float matrix or a CSR matrix of floats; X itself where it is one already."""
    refuse_unreadable(X)
    if hasattr(X, "tocsr"):
        return _as_csr(X)
    try:
        array = np.asarray(X)
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"X holds something that is not a number: {error}") from None
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension(s), 2 are needed (rows x features); a single row is"
            " X.reshape(1, -1), a single feature X.reshape(-1, 1)"
        )
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))


def _as_csr(X: Any) -> CsrMatrix:
    matrix: CsrMatrix = X.tocsr()
    if matrix is not X:
        refuse_damaged(matrix)
    if matrix.data.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if {matrix.indices.dtype, matrix.indptr.dtype} not in ({INT32}, {INT64}):
        wide = matrix.copy()
        wide.indices, wide.indptr = (a.astype(np.int64) for a in (matrix.indices, matrix.indptr))
        matrix = wide
    arrays = matrix.data, matrix.indices, matrix.indptr
    if not all(array.flags.c_contiguous for array in arrays):  # every other entry of another array
        matrix = matrix.copy()
        matrix.data = np.ascontiguousarray(matrix.data)
        matrix.indices = np.ascontiguousarray(matrix.indices)
        matrix.indptr = np.ascontiguousarray(matrix.indptr)
    return matrix


def refuse_unreadable(X: Any) -> None:
    """Refuse rows that NumPy, SciPy or scikit-learn would take for something else.

    To be called before they are converted: sparse matrices whose arrays contradict each other (see
    `sparse.refuse_damaged`), and masked arrays, whose masked values would be used.
    """
    if hasattr(X, "tocsr"):
        refuse_damaged(X)
    elif masked := first_masked(X):
        row, *column = masked
        place = f"row {row}" + "".join(f", column {j}" for j in column)
        raise DataError(f"X is masked in {place}: fill the value in, or drop the row")


def refuse_too_wide(features: int, bytes_each: int) -> None:
    """Refuse sparse rows of so many features that all memory of this machine is not enough.

    A line of twenty bytes may name the highest of columns, and whoever uses more memory than there
    is may be killed by the system without a word.
    """
    if features * bytes_each > _memory():
        raise DataError(
            f"the rows have {features:,} features, for which this machine has too little memory:"
            " number the features without gaps, or hash them to fewer"
        )


@functools.cache
def _memory() -> float:
    """The bytes of memory that this machine has, where its system tells."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def refuse_masked_row(x: Any) -> None:
    """Refuse a masked array of one dimension, whose masked values would be used."""
    if masked := first_masked(x):
        raise DataError(f"the row is masked in column {masked[0]}: fill the value in")


def first_masked(values: Any) -> list[int]:
    """Where an array has its first masked value; nowhere if it has none."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return []
    place: list[int] = np.argwhere(np.atleast_1d(np.ma.getmaskarray(values)))[0].tolist()
    return place


def as_labels(y: Any) -> npt.NDArray[Any]:
    """y as one label for each row, finite where they are numbers."""
    labels = np.asarray(unmasked_labels(y))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y has {labels.ndim} dimensions; one label for each row is needed")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        bad = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise DataError(f"y has {labels[bad]} as the label of row {bad}")
    return labels


def unmasked_labels(y: Any) -> Any:
    """y, unless it has a masked label, which would be used."""
    if masked := first_masked(y):
        raise DataError(f"y is masked in row {masked[0]}: every row needs its label")
    return y


def encode(y: Any, classes: Any = None) -> tuple[npt.NDArray[Any], Codes]:
    """The label values in sorted order, and for each row the number of its own."""
    labels = as_labels(y)
    if classes is not None:
        return classes, _codes(labels, np.asarray(classes))
    try:
        return _two_numbers(labels) or (np.unique(labels), _codes(labels, np.unique(labels)))
    except TypeError:
        raise DataError("y mixes labels that cannot be sorted, such as numbers and text") from None


def _two_numbers(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes] | None:
    """The answer if the labels are exactly two numbers: the usual case, without a sort."""
    if labels.dtype.kind not in "biuf" or labels.size == 0:
        return None
    low, high = labels.min(), labels.max()
    upper = labels == high
    if low == high or not (upper | (labels == low)).all():
        return None
    return np.array([low, high], labels.dtype), upper.astype(np.uint16)


def _codes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"y has {len(classes):,} different values; at most {MOST_CLASSES:,} classes can be"
            " learned. Is it a number to predict rather than a class?"
        )
    codes: Codes
    if len(classes) == 2:
        codes = (labels == classes[1]).astype(np.uint16)
        known = (codes == 1) | (labels == classes[0])
    else:
        codes = np.searchsorted(classes, labels).clip(0, max(len(classes) - 1, 0)).astype(np.uint16)
        known = classes[codes] == labels if len(classes) else np.zeros(len(labels), bool)
    if not known.all():
        bad = int(np.flatnonzero(~known)[0])
        odd, known_labels = labels[bad : bad + 1].tolist()[0], listed(classes.tolist())
        raise DataError(
            f"row {bad} has the label {odd!r}, which is none of the classes {known_labels}"
        )
    return codes


def are_measurements(classes: Classes) -> bool:
    """Whether labels are plainly numbers to predict: more than two, and some with a fraction."""
    fractional = classes.dtype.kind == "f" and bool((classes != np.rint(classes)).any())
    return len(classes) > 2 and fractional


def refuse_mismatch(rows: int, labels: int) -> None:
    """As many labels as rows, and at least one."""
    if rows != labels:
        raise DataError(
            f"X has {rows} row(s) but y has {labels} label(s); each row needs one label"
        )
    if rows == 0:
        raise DataError("there are no rows: X is empty")
