"""Few rows of several pieces, put together in one form."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.rows import CsrRows, longest
from novikoff.signed import Places, Signed
from novikoff.sources.sparse import csr


class Line(NamedTuple):
    """One row as it is, unsigned: all its values, or those of some columns; exactly, if known."""

    values: npt.NDArray[Any]
    columns: npt.NDArray[np.int64] | None
    exact: npt.NDArray[Any] | None


class Form(NamedTuple):
    """What rows in pieces are like. entries: of the longest row, without the bias."""

    features: int
    bias: bool
    sparse: bool
    entries: int
    rational: bool = False

    @classmethod
    def of(cls, signed: Signed) -> "Form":
        """What these rows in memory are like."""
        sparse = isinstance(signed.rows, CsrRows)
        return cls(signed.features, signed.bias, sparse, longest(signed.rows), signed.rational)


def lines_of(signed: Signed, places: Places, bias: bool) -> list[Line]:
    """Some rows, with the bias written out where it is not to be understood."""
    return [_line_of(signed, i, signed.bias and not bias) for i in places.tolist()]


def _line_of(signed: Signed, i: int, lifted: bool) -> Line:
    rows, columns = signed.rows, None
    place: Any = i
    if isinstance(rows, CsrRows):
        place = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
        columns = rows.columns[place].astype(np.int64)
    values = rows.values[place]
    exact = None if signed.exact is None else signed.exact[place]
    if lifted:
        values = np.append(values, 1.0)
        columns = None if columns is None else np.append(columns, signed.features)
        exact = None if exact is None else np.append(exact, 1)
    return Line(np.array(values), columns, exact)


def matrix_of(lines: list[Line], form: Form) -> Any:
    if not form.sparse:
        full = [line.values for line in lines]
        return np.stack(full) if full else np.empty((0, form.features))
    columns = [np.empty(0, np.int64), *(line.columns for line in lines if line.columns is not None)]
    starts = np.cumsum([0, *(line.values.size for line in lines)])
    values = np.concatenate([np.empty(0), *(line.values for line in lines)])
    return csr(starts, np.concatenate(columns), values, form.features)


def exact_of(lines: list[Line], form: Form) -> npt.NDArray[Any] | None:
    """The exact entries in the shape of the matrix, where the rows are rational."""
    if not form.rational:
        return None
    parts = [line.values.astype(object) if line.exact is None else line.exact for line in lines]
    return np.concatenate(parts) if form.sparse else np.stack(parts)
