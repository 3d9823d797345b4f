"""Arrays and frames as they come from users, made fit for the loop with as little copying as can be.

Dense: C-ordered float32 or float64 is used where it lies. Sparse: CSR with sorted unique columns
likewise. Anything else (other orders and formats, integers, booleans, frames) is converted once.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError

MOST_CLASSES = 2**16
Codes = npt.NDArray[np.uint16]


def as_matrix(X: Any) -> Any:
    """X as a C-ordered float matrix or a canonical CSR matrix; X itself where it is one already."""
    if hasattr(X, "tocsr"):
        return _as_csr(X)
    try:
        array = np.asarray(X)
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X holds something that is not a number: {error}") from None
    if array.ndim != 2:
        raise DataError(
            f"X has {array.ndim} dimension(s), 2 are needed (rows x features); a single row is"
            " X.reshape(1, -1), a single feature X.reshape(-1, 1)"
        )
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))


def _as_csr(X: Any) -> Any:
    matrix = X.tocsr()
    if matrix.data.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if matrix.indices.dtype != matrix.indptr.dtype:
        wide = matrix.copy()
        wide.indices, wide.indptr = (a.astype(np.int64) for a in (matrix.indices, matrix.indptr))
        matrix = wide
    _refuse_broken(matrix)
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is X else matrix
        matrix.sum_duplicates()
    return matrix


def _refuse_broken(matrix: Any) -> None:
    """The loop trusts column numbers; one outside the matrix would read memory that is not ours."""
    starts, columns, features = matrix.indptr, matrix.indices, matrix.shape[1]
    if starts[0] != 0 or starts[-1] > len(columns) or (np.diff(starts) < 0).any():
        raise DataError("X is a damaged CSR matrix: its indptr does not ascend from 0")
    used = columns[: starts[-1]]
    if used.size and (used.min() < 0 or used.max() >= features):
        bad = int(np.flatnonzero((used < 0) | (used >= features))[0])
        row = int(np.searchsorted(starts, bad, side="right")) - 1
        raise DataError(
            f"X is a damaged CSR matrix: row {row} has column {used[bad]}, outside 0..{features - 1}"
        )


def encode(y: Any, classes: Any = None) -> tuple[npt.NDArray[Any], Codes]:
    """The label values in sorted order, and for each row the number of its own."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise DataError(f"y has {labels.ndim} dimensions; one label for each row is needed")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        bad = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise DataError(f"y has {labels[bad]} as the label of row {bad}")
    if classes is None:
        found = _two_values(labels)
        classes = np.unique(labels) if found is None else found
    return classes, _codes(labels, np.asarray(classes))


def _two_values(labels: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """The values if there are exactly two numbers: the usual case, without a sort."""
    if labels.dtype.kind not in "biuf" or labels.size == 0:
        return None
    low, high = labels.min(), labels.max()
    two = low != high and bool(((labels == low) | (labels == high)).all())
    return np.array([low, high], labels.dtype) if two else None


def _codes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"y has {len(classes):,} different values; at most {MOST_CLASSES:,} classes can be learned."
            " Is it a number to predict rather than a class?"
        )
    if len(classes) == 2:
        codes = (labels == classes[1]).astype(np.uint16)
        known = (codes == 1) | (labels == classes[0])
    else:
        codes = np.searchsorted(classes, labels).clip(0, max(len(classes) - 1, 0)).astype(np.uint16)
        known = classes[codes] == labels if len(classes) else np.zeros(len(labels), bool)
    if not known.all():
        bad = int(np.flatnonzero(~known)[0])
        raise DataError(
            f"row {bad} has the label {labels[bad]!r}, which is none of the classes {list(classes)}"
        )
    return codes


def refuse_mismatch(rows: int, labels: int) -> None:
    """As many labels as rows, and at least one."""
    if rows != labels:
        raise DataError(
            f"X has {rows} row(s) but y has {labels} label(s); each row needs one label"
        )
    if rows == 0:
        raise DataError("there are no rows: X is empty")
