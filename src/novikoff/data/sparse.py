"""Rows as matrices: dense arrays, and canonical CSR matrices (sorted columns, none twice)."""

import importlib
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from novikoff.errors import DataError

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.signedinteger[Any]]


class CsrMatrix(Protocol):
    """What is used of SciPy's csr_array, which has no types of its own."""

    shape: tuple[int, int]
    data: Floats
    indices: Ints
    indptr: Ints
    has_canonical_format: bool

    def __getitem__(self, key: Any) -> "CsrMatrix": ...

    def copy(self) -> "CsrMatrix": ...

    def astype(self, dtype: npt.DTypeLike) -> "CsrMatrix": ...

    def toarray(self) -> Floats: ...

    def tocsr(self) -> "CsrMatrix": ...

    def sum_duplicates(self) -> None: ...

    def resize(self, rows: int, columns: int) -> None: ...


#: Rows of floats: an array in C order, or a canonical CSR matrix.
Matrix: TypeAlias = Floats | CsrMatrix

#: The widest data accepted: column numbers must fit the 32-bit indices of a CSR matrix.
LARGEST_INDEX = 2**31 - 1


def scipy_sparse() -> Any:
    """SciPy's sparse module, imported where it is needed only: it costs a third of a second."""
    return importlib.import_module("scipy.sparse")


def csr(starts: Ints, columns: Ints, values: Floats, width: int) -> CsrMatrix:
    """Make a CSR matrix of sorted columns without repeats."""
    kind = np.int32 if len(values) <= LARGEST_INDEX else np.int64
    parts = values, columns.astype(kind, copy=False), starts.astype(kind, copy=False)
    matrix: CsrMatrix = scipy_sparse().csr_array(parts, shape=(len(starts) - 1, width))
    matrix.has_canonical_format = True
    return matrix


def csr_view(starts: Ints, columns: Ints, values: Floats, width: int) -> CsrMatrix:
    """Make a CSR matrix over these very arrays, which `csr` would look through or copy."""
    matrix: CsrMatrix = scipy_sparse().csr_array((len(starts) - 1, width))
    matrix.data, matrix.indices, matrix.indptr = values, columns, starts
    matrix.has_canonical_format = True
    return matrix


_PART = 2**20


def refuse_damaged(matrix: Any) -> None:
    """Refuse a sparse matrix whose arrays contradict each other: compiled code trusts them.

    Where rows (or columns) begin is looked at for every row. Column numbers of CSR are looked at by
    whoever reads the rows, all in one pass; those of other formats here, before SciPy converts.
    """
    if not scipy_sparse().issparse(matrix):
        return  # another library's, which SciPy's own is made from first
    problem = None
    if len(matrix.shape) != 2:
        raise DataError(f"X has {len(matrix.shape)} dimension(s), 2 are needed (rows x features)")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"X holds {matrix.dtype.name} entries; rows are of real numbers")
    if matrix.format in ("csr", "csc", "bsr"):
        problem = _compressed_problem(matrix)
    elif matrix.format == "coo":
        problem = _coordinate_problem(matrix)
    if problem is not None:
        raise DataError(f"X is a damaged {matrix.format.upper()} matrix: {problem}")


def _compressed_problem(matrix: Any) -> str | None:
    dimensions = 3 if matrix.format == "bsr" else 1
    if matrix.data.ndim != dimensions:
        return f"its values have {matrix.data.ndim} dimension(s), not {dimensions}"
    block = matrix.data.shape[1:] or (1, 1)
    lines, width = (n // size for n, size in zip(matrix.shape, block, strict=True))
    if matrix.format == "csc":
        lines, width = width, lines
    starts, indices, data = matrix.indptr, matrix.indices, matrix.data
    if not all(each.ndim == 1 and each.dtype.kind in "iu" for each in (starts, indices)):
        return "its indptr and indices are not lists of whole numbers"
    if len(starts) != lines + 1:
        return f"its indptr has {len(starts)} entries; its shape {matrix.shape} needs {lines + 1}"
    if len(indices) != len(data):
        return f"it has {len(indices)} indices, but {len(data)} values"
    if starts[0] != 0 or not _ascends(starts):
        return "its indptr does not ascend from 0"
    if starts[-1] > len(data):
        return f"its indptr ends at {starts[-1]}, but there are {len(data)} values"
    return None if matrix.format == "csr" else _index_problem(indices, width)


def _coordinate_problem(matrix: Any) -> str | None:
    rows, columns = matrix.row, matrix.col
    if not len(rows) == len(columns) == len(matrix.data):
        return f"it has {len(rows)} rows and {len(columns)} columns of {len(matrix.data)} values"
    if not all(each.ndim == 1 and each.dtype.kind in "iu" for each in (rows, columns)):
        return "its rows and columns are not lists of whole numbers"
    return _index_problem(rows, matrix.shape[0]) or _index_problem(columns, matrix.shape[1])


def _index_problem(indices: Ints, width: int) -> str | None:
    bad = indices[(indices < 0) | (indices >= width)]
    return f"it has an index {bad[0]}, outside 0..{width - 1}" if len(bad) else None


def _ascends(starts: Ints) -> bool:
    """Part by part: with very many rows, an array of their number is not nothing."""
    parts = (starts[k : k + _PART + 1] for k in range(0, len(starts), _PART))
    return not any((part[1:] < part[:-1]).any() for part in parts)
