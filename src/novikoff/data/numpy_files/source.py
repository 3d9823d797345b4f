"""Arrays saved by NumPy (.npy, .npz) and SciPy (a CSR matrix in .npz). Nothing is unpickled."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Chunk, LabelArray
from novikoff.data.errors import check_features, data_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import is_remote
from novikoff.data.numpy_files.remote_array import RemoteArray
from novikoff.data.source import UNOPENED, InMemorySource, Opening, RandomAccessSource, SourceInfo
from novikoff.data.sparse import LARGEST_INDEX, CsrMatrix, Matrix, scipy_sparse
from novikoff.data.text.labels import label_array

_CSR_KEYS = frozenset({"data", "indices", "indptr", "shape"})
_KEYS = _CSR_KEYS | {"X", "y", "format"}
_REAL = "biuf"
_ZIP = b"PK\x03\x04"
_NPY = b"\x93NUMPY"


class NpySource(RandomAccessSource):
    """A two-dimensional .npy array, mapped into memory so that only the rows in use are loaded.

    Its last column holds the labels unless `target` names another one.
    """

    def __init__(
        self,
        given: Input,
        *,
        target: str | int | None = None,
        features: int | None = None,
        labelled: bool = True,
        opening: Opening = UNOPENED,
    ) -> None:
        paths = (given.path,) if given.replayable else ()
        super().__init__(SourceInfo(given.name, "npy", paths), opening)
        array = _mapped(given)
        self._array = _checked_table(self.name, "the array", array)
        self.rows, width = self._array.shape
        self._target = _column(self.name, target, width) if labelled else None
        check_features(self.name, width - labelled, features)

    def _block(self, start: int, stop: int) -> Chunk:
        block = self._array[start:stop]
        if self._target is None:
            return Chunk(_floats(self.name, "the features", block, start), None, None)
        y = label_array(self.name, block[:, self._target], start)
        X = _without_column(block, self._target)
        return Chunk(_floats(self.name, "the features", X, start), y, None)

    @property
    def bytes(self) -> int:
        """How much the array takes."""
        return int(self.rows * self._array.shape[1] * self._array.dtype.itemsize)


def _without_column(block: NDArray[Any], place: int) -> NDArray[np.float64]:
    """All columns but one, copied once."""
    kept = np.empty((block.shape[0], block.shape[1] - 1))
    with np.errstate(all="ignore"):
        kept[:, :place] = block[:, :place]
        kept[:, place:] = block[:, place + 1 :]
    return kept


def npz_source(
    given: Input,
    *,
    features: int | None = None,
    labelled: bool = True,
    opening: Opening = UNOPENED,
) -> InMemorySource:
    """The arrays X and y of an .npz file, or SciPy's CSR layout with y beside it."""
    name = given.name
    arrays = _members(given)
    if "X" in arrays:
        X: Matrix = _floats(name, "X", _checked_table(name, "X", arrays["X"]), 0)
    elif arrays.keys() >= _CSR_KEYS:
        X = _checked_csr(name, arrays)
    else:
        raise data_error(
            name,
            None,
            f"found the arrays {sorted(arrays)}, expected X and y, or "
            "SciPy's CSR layout (data, indices, indptr, shape) and y: save it so",
        )
    check_features(name, X.shape[1], features)
    y = _checked_labels(name, arrays, X.shape[0]) if labelled else None
    return InMemorySource(SourceInfo(name, "npz"), X, y, opening)


def _mapped(given: Input) -> Any:
    """The array of an .npy file, with one answer to every way in which bytes can fail to be one."""
    if given.first_bytes().startswith(_ZIP):
        raise data_error(
            given.name, None, "it is an .npz archive, expected one .npy array: pass format='npz'"
        )
    try:
        if is_remote(given.path):
            return RemoteArray(given)
        if given.replayable:
            # A plain array over the mapping: memmap's own class would follow every slice of it.
            return np.asarray(np.lib.format.open_memmap(given.path, mode="r"))
        with given.seekable() as pipe:
            return np.asarray(np.lib.format.read_array(pipe, allow_pickle=False))
    except Exception as problem:
        raise _damaged(given.name, problem) from problem


def _members(given: Input) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file that mean something here."""
    if given.first_bytes().startswith(_NPY):
        raise data_error(
            given.name, None, "it is one .npy array, expected an .npz archive: pass format='npy'"
        )
    try:
        # Opened here, because np.load would leave a damaged archive open.
        with given.seekable() as file, np.load(file, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files if key in _KEYS}
    except Exception as problem:
        raise _damaged(given.name, problem) from problem


def _damaged(name: str, problem: Exception) -> Exception:
    reason = str(problem).partition("\n")[0][:120] or type(problem).__name__
    return data_error(
        name,
        None,
        f"not a whole .npy or .npz file of numbers ({reason}): save it "
        "again with numpy.save or numpy.savez",
    )


def _checked_table(name: str, what: str, array: Any) -> Any:
    if len(array.shape) != 2:
        raise data_error(
            name, None, f"{what} has {len(array.shape)} dimensions, expected 2: rows and columns"
        )
    if array.dtype.kind not in _REAL:
        raise data_error(
            name, None, f"{what} has type {array.dtype}, expected real numbers: convert it first"
        )
    if array.shape[0] == 0:
        raise data_error(name, None, f"{what} has no rows, expected at least one")
    return array


def _floats(name: str, what: str, array: NDArray[Any], first_row: int) -> NDArray[np.float64]:
    """The numbers as float64 in C order, all of them finite."""
    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0].tolist()
        raise data_error(
            name,
            None,
            f"{what}, row {first_row + row}, column {column} (counting "
            f"from 0): found {values[row, column]}, expected a finite number: fill it "
            "in or drop the row",
        )
    return values


def _column(name: str, target: str | int | None, width: int) -> int:
    try:
        place = -1 if target is None else int(target)
    except ValueError:
        raise data_error(
            name,
            None,
            f"no column {target!r}: an array has no names, expected the "
            "target's place as a number, counted from 0",
        ) from None
    if width and not -width <= place < width:
        raise data_error(
            name,
            None,
            f"no column {place}, expected a target from 0 to {width - 1}, "
            "or a negative one counted from the end",
        )
    return place % max(width, 1)


def _checked_labels(name: str, arrays: Mapping[str, NDArray[Any]], rows: int) -> LabelArray:
    if "y" not in arrays:
        raise data_error(
            name, None, "no array y, expected the labels: save them as y, or pass labelled=False"
        )
    y = np.asarray(arrays["y"])
    if y.shape != (rows,):
        raise data_error(name, None, f"y has shape {y.shape}, expected ({rows},): one label a row")
    return label_array(name, y)


def _checked_csr(name: str, arrays: Mapping[str, NDArray[Any]]) -> CsrMatrix:
    """The CSR matrix, made canonical. SciPy trusts these arrays, and would read wild memory."""
    # SciPy saves CSC and BSR matrices under the same names, and says which in "format".
    stored = arrays["format"].tolist() if "format" in arrays else b"csr"
    if stored not in (b"csr", "csr"):
        raise _bad_csr(name, f"its format is {stored!r}")
    data, indices, starts = (np.asarray(arrays[key]) for key in ("data", "indices", "indptr"))
    rows, columns = _csr_shape(name, arrays["shape"])
    kinds = (data.dtype.kind in _REAL, indices.dtype.kind in "iu", starts.dtype.kind in "iu")
    if not all(kinds) or not data.ndim == indices.ndim == starts.ndim == 1:
        raise _bad_csr(name, "data, indices and indptr must be plain lists of numbers")
    if len(starts) != rows + 1 or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise _bad_csr(name, f"indptr must have {rows + 1} entries that start at 0 and never fall")
    if not int(starts[-1]) == len(data) == len(indices):
        raise _bad_csr(
            name,
            f"indptr ends at {starts[-1]}, but there are {len(indices)} indices "
            f"and {len(data)} values",
        )
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < columns:
        raise _bad_csr(name, f"indices must be from 0 to {columns - 1}")
    kind = np.int32 if len(data) <= LARGEST_INDEX else np.int64
    values = _floats(name, "data", data.reshape(-1, 1), 0)[:, 0]
    parts = (values.copy(), indices.astype(kind), starts.astype(kind))
    matrix: CsrMatrix = scipy_sparse().csr_array(parts, shape=(rows, columns))
    matrix.sum_duplicates()
    _floats(name, "summed data", matrix.data.reshape(-1, 1), 0)
    return matrix


def _csr_shape(name: str, shape: NDArray[Any]) -> tuple[int, int]:
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise _bad_csr(name, "shape must be two whole numbers")
    rows, columns = (int(size) for size in shape)
    if not (1 <= rows <= LARGEST_INDEX and 0 <= columns <= LARGEST_INDEX):
        raise _bad_csr(name, f"shape ({rows}, {columns}) is out of range")
    return rows, columns


def _bad_csr(name: str, problem: str) -> Exception:
    return data_error(
        name,
        None,
        f"not a CSR matrix: {problem}; save it with scipy.sparse.csr_array and numpy.savez",
    )
