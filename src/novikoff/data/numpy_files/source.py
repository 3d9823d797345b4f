"""Arrays saved by NumPy (.npy, .npz) and SciPy (a CSR matrix in .npz). Nothing is unpickled."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Chunk
from novikoff.data.errors import check_features, file_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import is_remote
from novikoff.data.numpy_files.archive import NpzArchive
from novikoff.data.numpy_files.npy_header import NpyHeader, read_header
from novikoff.data.numpy_files.remote_array import RemoteArray
from novikoff.data.source import UNOPENED, InMemorySource, Opening, RandomAccessSource, SourceInfo
from novikoff.data.sparse import LARGEST_INDEX, CsrMatrix, Matrix, scipy_sparse
from novikoff.data.text.labels import check_label_type, label_array
from novikoff.errors import DataError

_CSR_KEYS = frozenset({"data", "indices", "indptr", "shape"})
_KEYS = _CSR_KEYS | {"X", "y", "format"}
_REAL = "biuf"
_ZIP = b"PK\x03\x04"
_NPY = b"\x93NUMPY"
_LONGEST_FORMAT = 40  # bytes


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
        array = _map_array(given)
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
    if given.first_bytes().startswith(_NPY):
        raise file_error(name, "it is one .npy array, expected an .npz archive: pass format='npy'")
    with _explain_damage(name), given.seekable(_ZIP) as file:
        archive = NpzArchive(file, _KEYS)
        # What headers tell comes first: little may unpack to more than there is memory.
        rows, columns = _checked_shape(name, archive)
        check_features(name, columns, features)
        if labelled:
            _check_labels(name, archive.headers.get("y"), rows)
        if "X" in archive.headers:
            X: Matrix = _floats(name, "X", archive.read("X"), 0)
        else:
            X = _read_csr(name, archive, rows, columns)
        y = label_array(name, archive.read("y")) if labelled else None
    return InMemorySource(SourceInfo(name, "npz"), X, y, opening)


def _checked_shape(name: str, archive: NpzArchive) -> tuple[int, int]:
    """The number of rows and columns."""
    found = archive.headers
    if "X" in found:
        rows, columns = _checked_table(name, "X", found["X"]).shape
        return rows, columns
    if found.keys() >= _CSR_KEYS:
        return _csr_shape(name, archive)
    raise file_error(
        name,
        f"found the arrays {sorted(found)}, expected X and y, or "
        "SciPy's CSR layout (data, indices, indptr, shape) and y: save it so",
    )


def _map_array(given: Input) -> Any:
    """The array of an .npy file, with one answer to every way in which bytes can fail to be one."""
    if given.first_bytes().startswith(_ZIP):
        raise file_error(
            given.name, "it is an .npz archive, expected one .npy array: pass format='npz'"
        )
    with _explain_damage(given.name):
        if is_remote(given.path):
            return RemoteArray(given)
        with given.seekable(_NPY) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            read_header(file, size)
            if given.replayable:
                # A plain array over the mapping: memmap's own class would follow every slice of it.
                return np.asarray(np.lib.format.open_memmap(given.path, mode="r"))
            file.seek(0)
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


@contextlib.contextmanager
def _explain_damage(name: str) -> Iterator[None]:
    """Turn whatever NumPy and zipfile say about bytes into one sentence."""
    try:
        yield
    except DataError:
        raise
    except MemoryError as problem:
        raise file_error(
            name, f"it does not fit into memory ({problem}): save it as .npy, which is mapped"
        ) from None
    except Exception as problem:
        reason = str(problem).partition("\n")[0][:120] or type(problem).__name__
        raise file_error(
            name,
            f"not a whole .npy or .npz file of numbers ({reason}): save it "
            "again with numpy.save or numpy.savez",
        ) from problem


def _checked_table(name: str, what: str, array: Any) -> Any:
    if len(array.shape) != 2:
        raise file_error(
            name, f"{what} has {len(array.shape)} dimensions, expected 2: rows and columns"
        )
    if array.dtype.kind not in _REAL:
        raise file_error(
            name, f"{what} has type {array.dtype}, expected real numbers: convert it first"
        )
    if array.shape[0] == 0:
        raise file_error(name, f"{what} has no rows, expected at least one")
    return array


def _floats(name: str, what: str, array: NDArray[Any], first_row: int) -> NDArray[np.float64]:
    """The numbers as float64 in C order, all of them finite."""
    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0].tolist()
        raise file_error(
            name,
            f"{what}, row {first_row + row}, column {column} (counting "
            f"from 0): found {values[row, column]}, expected a finite number: fill it "
            "in or drop the row",
        )
    return values


def _column(name: str, target: str | int | None, width: int) -> int:
    try:
        place = -1 if target is None else int(target)
    except ValueError:
        raise file_error(
            name,
            f"no column {target!r}: an array has no names, expected the "
            "target's place as a number, counted from 0",
        ) from None
    if width and not -width <= place < width:
        raise file_error(
            name,
            f"no column {place}, expected a target from 0 to {width - 1}, "
            "or a negative one counted from the end",
        )
    return place % max(width, 1)


def _check_labels(name: str, y: NpyHeader | None, rows: int) -> None:
    if y is None:
        raise file_error(
            name, "no array y, expected the labels: save them as y, or pass labelled=False"
        )
    if y.shape != (rows,):
        raise file_error(name, f"y has shape {y.shape}, expected ({rows},): one label a row")
    check_label_type(name, y.dtype)


def _read_csr(name: str, archive: NpzArchive, rows: int, columns: int) -> CsrMatrix:
    """The CSR matrix, made canonical. SciPy trusts these arrays, and would read wild memory."""
    data, indices, indptr = (archive.headers[key] for key in ("data", "indices", "indptr"))
    kinds = (data.dtype.kind in _REAL, indices.dtype.kind in "iu", indptr.dtype.kind in "iu")
    if not all(kinds) or not len(data.shape) == len(indices.shape) == len(indptr.shape) == 1:
        raise _bad_csr(name, "data, indices and indptr must be plain lists of numbers")
    starts = archive.read("indptr") if indptr.shape == (rows + 1,) else None
    if starts is None or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise _bad_csr(name, f"indptr must have {rows + 1} entries that start at 0 and never fall")
    if not (int(starts[-1]),) == data.shape == indices.shape:
        raise _bad_csr(
            name,
            f"indptr ends at {starts[-1]}, but there are {indices.shape[0]} indices "
            f"and {data.shape[0]} values",
        )
    places = archive.read("indices")
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < columns:
        raise _bad_csr(name, f"indices must be from 0 to {columns - 1}")
    kind = np.int32 if len(places) <= LARGEST_INDEX else np.int64
    values = _floats(name, "data", archive.read("data").reshape(-1, 1), 0)[:, 0]
    parts = (values, places.astype(kind), starts.astype(kind))
    matrix: CsrMatrix = scipy_sparse().csr_array(parts, shape=(rows, columns))
    matrix.sum_duplicates()
    _floats(name, "summed data", matrix.data.reshape(-1, 1), 0)
    return matrix


def _csr_shape(name: str, archive: NpzArchive) -> tuple[int, int]:
    # SciPy saves CSC and BSR matrices under the same names, and says which in "format".
    known = archive.headers.get("format")
    if known is not None:
        short = known.shape == () and known.dtype.itemsize <= _LONGEST_FORMAT
        stored = archive.read("format").tolist() if short else known.dtype
        if stored not in (b"csr", "csr"):
            raise _bad_csr(name, f"its format is {stored!r}")
    shape = archive.headers["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise _bad_csr(name, "shape must be two whole numbers")
    rows, columns = (int(size) for size in archive.read("shape"))
    if not (1 <= rows <= LARGEST_INDEX and 0 <= columns <= LARGEST_INDEX):
        raise _bad_csr(name, f"shape ({rows}, {columns}) is out of range")
    return rows, columns


def _bad_csr(name: str, problem: str) -> Exception:
    return file_error(
        name, f"not a CSR matrix: {problem}; save it with scipy.sparse.csr_array and numpy.savez"
    )
