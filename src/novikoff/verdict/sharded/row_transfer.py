"""Single rows of several pieces, sent and assembled in one layout."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.sparse import csr
from novikoff.learning.rows import CsrRows, longest
from novikoff.verdict.signed import Indices, Signed
from novikoff.verdict.signed.user_input import ExactArray


class RowRecord(NamedTuple):
    """One unsigned row: all its values, or those of its columns; and its exact values, if any."""

    values: npt.NDArray[Any]
    columns: npt.NDArray[np.int64] | None
    exact: ExactArray | None


class RowLayout(NamedTuple):
    """The layout of rows in pieces. entries: of the longest row, without the bias."""

    features: int
    bias: bool
    sparse: bool
    entries: int
    rational: bool = False

    @classmethod
    def of(cls, signed: Signed) -> "RowLayout":
        """The layout of rows in memory."""
        sparse = isinstance(signed.rows, CsrRows)
        return cls(signed.features, signed.bias, sparse, longest(signed.rows), signed.rational)


def row_records(signed: Signed, rows: Indices, bias: bool) -> list[RowRecord]:
    """These rows, with their bias as a column where `bias` does not imply it."""
    return [_row_record(signed, i, signed.bias and not bias) for i in rows.tolist()]


def _row_record(signed: Signed, i: int, lifted: bool) -> RowRecord:
    rows, columns, where = signed.rows, None, signed.stored(i)
    if isinstance(rows, CsrRows):
        columns = rows.columns[where].astype(np.int64)
    values = rows.values[where]
    exact = None if signed.exact is None else signed.exact[where]
    if lifted:
        values = np.append(values, 1.0)
        columns = None if columns is None else np.append(columns, signed.features)
        exact = None if exact is None else np.append(exact, 1)
    return RowRecord(np.array(values), columns, exact)


def to_matrix(rows: list[RowRecord], layout: RowLayout) -> Any:
    """The rows as a matrix of the layout."""
    if not layout.sparse:
        full = [row.values for row in rows]
        return np.stack(full) if full else np.empty((0, layout.features))
    columns = [np.empty(0, np.int64), *(row.columns for row in rows if row.columns is not None)]
    starts = np.cumsum([0, *(row.values.size for row in rows)])
    values = np.concatenate([np.empty(0), *(row.values for row in rows)])
    return csr(starts, np.concatenate(columns), values, layout.features)


def exact_entries(rows: list[RowRecord], layout: RowLayout) -> ExactArray | None:
    """The exact entries in the shape of the matrix, where the rows are rational."""
    if not layout.rational:
        return None
    parts = [row.values.astype(object) if row.exact is None else row.exact for row in rows]
    return np.concatenate(parts) if layout.sparse else np.stack(parts)
