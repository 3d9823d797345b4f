"""A partition of a Dask collection as rows and labels; what is unusable is refused by its row.

This runs on workers. Frames go through the reader of Arrow files, so that a column means what it
means there: numbers and booleans are features, words are categories.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.chunk import LabelArray
from novikoff.data.errors import data_error
from novikoff.data.matrices import as_matrix
from novikoff.data.sparse import Matrix, csr
from novikoff.data.text.labels import label_array
from novikoff.data.text.tokens import shown
from novikoff.data.user_types import ArrayRows
from novikoff.errors import DataError

EXACT = 2**53  # whole numbers below are doubles


class PartitionInfo(NamedTuple):
    """A partition: its name for messages, and the number of its first row if that is known."""

    name: str
    kind: str
    number: int
    first: int | None = None

    def row_error(self, row: int, problem: str) -> DataError:
        """The error about a row of the partition."""
        whole = "" if self.first is None else f", row {self.first + row} of all"
        return data_error(self.name, None, f"row {row} (counting from 0{whole}): {problem}")


class PartitionRows(NamedTuple):
    """The rows of a partition, checked."""

    X: Matrix
    y: LabelArray | None
    names: list[str] | None = None
    notes: tuple[str, ...] = ()


def array_rows(
    partition: PartitionInfo, X: ArrayRows, y: npt.ArrayLike | None = None
) -> PartitionRows:
    """The rows of a block of an array, dense or sparse, and their labels."""
    matrix = _finite_matrix(partition, X)
    if y is None:
        return PartitionRows(matrix, None)
    labels = _label_array(partition, np.ravel(np.asarray(y)))
    return _with_labels(partition, PartitionRows(matrix, None), labels)


def bag_rows(partition: PartitionInfo, pairs: Iterable[object]) -> PartitionRows:
    """The rows of pairs of a row and its label."""
    rows, labels = [], []
    for k, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            problem = f"found {_short_repr(pair)}, expected a pair (row, label)"
            raise partition.row_error(k, problem)
        rows.append(pair[0])
        labels.append(pair[1])
    named = {isinstance(row, Mapping) for row in rows}
    if len(named) > 1:
        raise DataError(f"{partition.name}: some rows are mappings and some are sequences")
    y = _label_array(partition, np.array([*labels, None], object)[:-1])
    if named == {True}:
        X, names = _matrix_of_mappings(partition, rows)
        return PartitionRows(X, y, names)
    return PartitionRows(_matrix_of_sequences(partition, rows), y)


def frame_rows(
    partition: PartitionInfo,
    frame: Any,
    y: npt.ArrayLike | None = None,
    *,
    names: list[str],
    target: int | None,
    categorical: Sequence[int],
) -> PartitionRows:
    """The rows of a pandas frame; its labels are in the column at `target`, or y."""
    import pyarrow

    from novikoff.data.columnar.file import ColumnBatch
    from novikoff.data.columnar.source import ColumnarSource

    if list(map(str, frame.columns)) != names:
        raise DataError(
            f"{partition.name}: its columns are {', '.join(map(str, frame.columns))}, and those of"
            f" the dataframe {', '.join(names)}"
        )
    if not len(frame):
        return PartitionRows(np.empty((0, 0)), np.empty(0, np.int64))
    labels = None if y is None else _label_array(partition, np.asarray(y, dtype=object))
    try:
        batch = pyarrow.RecordBatch.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError) as problem:
        raise DataError(f"{partition.name}: {' '.join(map(str, problem.args))}") from None
    source = ColumnarSource(
        [ColumnBatch(partition.name, batch)],
        target=target,
        labelled=target is not None,
        categorical=list(categorical) or None,
    )
    chunk = source.read()
    rows = PartitionRows(chunk.X, chunk.y, source.feature_names, tuple(source.notes()))
    return rows if labels is None else _with_labels(partition, rows, labels)


def _with_labels(partition: PartitionInfo, rows: PartitionRows, y: LabelArray) -> PartitionRows:
    """The rows with these labels, of which there must be as many."""
    count = rows.X.shape[0]
    if count != len(y):
        raise DataError(
            f"{partition.name}: it has {count} row(s) but {len(y)} label(s): cut X and y in the"
            " same way"
        )
    return rows._replace(y=y)


def _finite_matrix(partition: PartitionInfo, X: Any) -> Matrix:
    """The rows as a matrix, all of whose values must be finite."""
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        row, column = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        problem = f"column {column}: the value is missing (masked): fill it in"
        raise partition.row_error(row, problem)
    kind = getattr(X, "dtype", np.dtype(object))
    entries = getattr(X, "data", X) if hasattr(X, "tocsr") else X
    whole = kind.kind in "iu" and np.size(entries) > 0
    beyond = whole and max(int(entries.max()), -int(entries.min())) >= EXACT
    if beyond or kind.kind == "O" or (kind.kind == "f" and kind.itemsize > 8):
        raise DataError(
            f"{partition.name}: X has the type {kind} and numbers that are no doubles: convert them"
            " with X.astype(float), if what is rounded off does not matter"
        )
    try:
        matrix = as_matrix(X)
    except DataError as error:
        raise DataError(f"{partition.name}: {error}") from None
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    with np.errstate(all="ignore"):
        finite = np.isfinite(values.sum())  # not so if a value is not; it may overflow, though
    bad = np.empty((0, 0)) if finite else np.argwhere(~np.isfinite(values))
    if not len(bad):
        return matrix
    if isinstance(matrix, np.ndarray):
        row, column = bad[0].tolist()
        value = matrix[row, column]
    else:
        (entry,) = bad[0].tolist()
        row = int(np.searchsorted(matrix.indptr, entry, "right")) - 1
        column, value = int(matrix.indices[entry]), matrix.data[entry]
    problem = f"column {column}: the value is {value}: fill it in or drop the row"
    raise partition.row_error(row, problem)


def _label_array(partition: PartitionInfo, labels: npt.NDArray[Any]) -> LabelArray:
    """Labels as int64, float64 or text; as text, if some are numbers and some are words."""
    if labels.dtype.kind == "O":
        for k, label in enumerate(labels):
            missing = label is None or (isinstance(label, float) and label != label)
            if missing or not isinstance(label, Real | str):
                problem = f"the label is {_short_repr(label)}, expected a number or a word"
                raise partition.row_error(k, problem)
        some = labels.tolist()
        texts = any(isinstance(label, str) for label in some)
        labels = np.array([str(label) for label in some] if texts else some)
        if not labels.size:
            labels = labels.astype(np.int64)
    return label_array(partition.name, labels)


def _matrix_of_mappings(
    partition: PartitionInfo, rows: Sequence[Mapping[object, object]]
) -> tuple[Matrix, list[str]]:
    """The matrix of rows with named features, numbered as they first come, and the names."""
    places: dict[str, int] = {}
    starts, columns, values = [0], list[int](), list[float]()
    for k, row in enumerate(rows):
        entries = []
        for name, value in row.items():
            if not isinstance(name, str):
                raise partition.row_error(k, f"the name {_short_repr(name)} is not text")
            number = _number(partition, k, f"{shown(name)} is", value)
            entries.append((places.setdefault(name, len(places)), number))
        entries.sort()
        columns += [column for column, _ in entries]
        values += [value for _, value in entries]
        starts.append(len(columns))
    X = csr(np.array(starts), np.array(columns, np.int64), np.array(values, float), len(places))
    return X, list(places)


def _matrix_of_sequences(partition: PartitionInfo, rows: Sequence[Any]) -> Matrix:
    if not rows:
        return np.empty((0, 0))
    for k, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__"):
            problem = f"found {_short_repr(row)}, expected a mapping or a sequence of numbers"
            raise partition.row_error(k, problem)
        if len(row) != len(rows[0]):
            problem = f"it has {len(row)} values, and row 0 has {len(rows[0])}"
            raise partition.row_error(k, problem)
    matrix = np.empty((len(rows), len(rows[0])))
    for (k, row), out in zip(enumerate(rows), matrix, strict=True):
        out[:] = [_number(partition, k, f"value {j} is", v) for j, v in zip(itertools.count(), row)]
    return matrix


def _number(partition: PartitionInfo, row: int, what: str, value: object) -> float:
    if not isinstance(value, Real | np.bool_) or not np.isfinite(number := float(value)):
        raise partition.row_error(row, f"{what} {_short_repr(value)}, expected a finite number")
    return number


def _short_repr(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
