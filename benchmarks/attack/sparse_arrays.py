"""Sparse rows as callers may pass them, made past SciPy's own checks: well formed or not."""

import contextlib
import random
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.attack.dense_arrays import Input, base_rows

KINDS = (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix, sp.coo_array, sp.coo_matrix)
OTHERS = (sp.lil_array, sp.dok_array, sp.dia_array, sp.bsr_array)
INDEX_TYPES = ("int64", "uint32", "uint64", "int16", "int8", ">i4", "float64", "bool")
#: Not bool: whether what is true twice is 1 or 2 depends on who adds it up.
DATA_TYPES = ("float32", "int64", "float16", "longdouble", ">f8", "complex128", "object")


def sparse_input(rng: random.Random) -> Input:
    """A sparse matrix, changed in one to three ways."""
    X = base_rows(rng)
    if rng.random() < 0.05:
        kind = rng.choice(OTHERS)
        return Input(kind(X), X, kind.__name__)
    matrix = rng.choice(KINDS)(X)
    change = change_coordinates if matrix.format == "coo" else change_compressed
    names = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        with contextlib.suppress(ValueError, OverflowError):  # such a change does not go with
            names.append(change(rng, matrix))  # those before it: read-only, say, or unsigned
    return Input(matrix, meaning(matrix), " and ".join([type(matrix).__name__, *names]))


def change_compressed(rng: random.Random, matrix: Any) -> str:
    """Change a CSR or CSC matrix in its place; what was done."""
    changes = (change_lengths, change_indptr, change_indices, change_types, change_shape, lie)
    return rng.choice(changes)(rng, matrix)


def change_lengths(rng: random.Random, matrix: Any) -> str:
    """One of the three arrays shorter or longer than the others say."""
    match rng.randrange(5):
        case 0:
            matrix.data = matrix.data[:-1]
            return "shorter data"
        case 1:
            matrix.data = np.append(matrix.data, 7.0)
            return "longer data"
        case 2:
            matrix.indices = matrix.indices[: rng.randrange(len(matrix.indices) + 1)]
            return "shorter indices"
        case 3:
            matrix.indptr = matrix.indptr[:-1]
            return "shorter indptr"
    matrix.indptr = np.append(matrix.indptr, matrix.indptr[-1] + rng.choice([0, 1]))
    return "longer indptr"


def change_indptr(rng: random.Random, matrix: Any) -> str:
    """Rows that end before they begin, or beyond all entries."""
    indptr = matrix.indptr
    if rng.random() < 0.2:
        matrix.indptr = indptr[::-1].copy()
        return "decreasing indptr"
    k = rng.randrange(len(indptr))
    indptr[k] = rng.choice([-1, 0, indptr[-1] + 1, 2**30, -(2**31), 2**31 - 1])
    return f"indptr[{k}] = {indptr[k]}"


def change_indices(rng: random.Random, matrix: Any) -> str:
    """Columns out of range, twice, or in another order."""
    indices = matrix.indices
    if rng.random() < 0.3:
        matrix.indices = indices[::-1].copy()
        return "indices backwards"
    k = rng.randrange(len(indices)) if len(indices) else 0
    width = matrix.shape[1] if matrix.format == "csr" else matrix.shape[0]
    indices[k : k + 1] = rng.choice([-1, width, width + 1, 2**30, -(2**31), 2**31 - 1, 0, 0])
    return f"indices[{k}] = {indices[k : k + 1]}"


def change_types(rng: random.Random, matrix: Any) -> str:
    """Numbers of another type, in steps, or that cannot be written to."""
    match rng.randrange(5):
        case 0:
            name = rng.choice(INDEX_TYPES)
            matrix.indices = matrix.indices.astype(name)
            if rng.random() < 0.7:
                matrix.indptr = matrix.indptr.astype(name)
            return f"indices of {name}"
        case 1:
            matrix.indices = np.repeat(matrix.indices, 2)[::2]
            matrix.data = np.repeat(matrix.data, 2)[::2]
            return "strided"
        case 2:
            matrix.indices = matrix.indices.reshape(-1, 1)
            return "indices of two dimensions"
        case 3:
            for part in (matrix.data, matrix.indices, matrix.indptr):
                part.flags.writeable = False
            return "read-only"
    return _change_data(rng, matrix)


def change_shape(rng: random.Random, matrix: Any) -> str:
    """Another shape than the arrays have."""
    rows, columns = matrix.shape
    matrix._shape = rng.choice(
        [(rows + 1, columns), (rows - 1, columns), (rows, columns + 3), (rows, columns - 1),
         (2**40, columns), (rows, 2**40), (rows, 0), (-1, columns)]
    )  # fmt: skip
    return f"the shape {matrix._shape}"


def lie(rng: random.Random, matrix: Any) -> str:
    """Entries in any order, which are said to be sorted."""
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    order = rng.sample(range(len(matrix.indices)), len(matrix.indices))
    matrix.indices = matrix.indices[order]
    return "shuffled, and said to be sorted"


def change_coordinates(rng: random.Random, matrix: Any) -> str:
    """Change a COO matrix in its place; what was done."""
    row, col = (np.array(each) for each in matrix.coords)
    match rng.randrange(5):
        case 0 if len(row):
            axis = rng.randrange(2)
            (row, col)[axis][rng.randrange(len(row))] = rng.choice([-1, 100, 2**30, -(2**31)])
            matrix.coords = (row, col)
            return "a coordinate out of range"
        case 1:
            matrix.coords = (row[:-1], col)
            return "shorter rows"
        case 2:
            matrix.coords = tuple(np.append(each, each[:1]) for each in (row, col))
            matrix.data = np.append(matrix.data, matrix.data[:1])
            matrix.has_canonical_format = rng.random() < 0.3
            return "an entry twice"
        case 3:
            name = rng.choice(INDEX_TYPES)
            matrix.coords = (row.astype(name), col.astype(name))
            return f"coordinates of {name}"
    return _change_data(rng, matrix)


def _change_data(rng: random.Random, matrix: Any) -> str:
    if rng.random() < 0.3 and len(matrix.data):
        matrix.data[rng.randrange(len(matrix.data))] = rng.choice([np.nan, np.inf, -np.inf])
        return "not finite"
    name = rng.choice(DATA_TYPES)
    matrix.data = matrix.data.astype(name)
    return f"data of {name}"


def meaning(matrix: Any) -> np.ndarray | None:
    """The rows that a matrix describes, entry by entry; None where it contradicts itself.

    Generously: indices may be of any type that holds whole numbers, and SciPy lets there be more
    entries than the rows have.
    """
    data, (rows, columns) = np.asarray(matrix.data), matrix.shape
    if data.dtype.kind not in "fiubO" or not (0 < rows < 10**4 and 0 < columns < 10**4):
        return None
    coordinates = matrix.coords if matrix.format == "coo" else _coordinates(matrix)
    if coordinates is None or any(not _whole(each) for each in coordinates):
        return None
    entries, data = [np.asarray(each).ravel().tolist() for each in coordinates], data.tolist()
    if len(entries[0]) != len(entries[1]) or len(data) < len(entries[0]):
        return None
    found = np.zeros((rows, columns))
    for i, j, value in zip(*entries, data, strict=False):
        inside = 0 <= i < rows and 0 <= j < columns
        if not inside or isinstance(value, complex) or not np.isfinite(value):
            return None
        found[int(i), int(j)] += float(value)
    return found


def _coordinates(matrix: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """The row and the column of each entry of a CSR or CSC matrix."""
    indptr = np.asarray(matrix.indptr)
    length = matrix.shape[0] if matrix.format == "csr" else matrix.shape[1]
    if not _whole(indptr) or indptr.shape != (length + 1,):
        return None
    lengths = np.diff(indptr.astype(np.int64))
    if indptr[0] != 0 or (lengths < 0).any() or indptr[-1] > len(matrix.indices):
        return None
    major = np.repeat(np.arange(length), lengths)
    minor = np.asarray(matrix.indices).ravel()[: len(major)]
    return (major, minor) if matrix.format == "csr" else (minor, major)


def _whole(indices: np.ndarray) -> bool:
    return bool((indices.astype(np.int64) == indices).all())
