"""Rows as matrices: dense arrays, and canonical CSR matrices (sorted columns, none twice)."""

import importlib
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

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
