"""A partition of a Dask collection as rows and labels, with everything unusable refused by its row.

This runs on workers. Frames go through the reader of Arrow files, so that a column means what it
means there: numbers and booleans are features, words are categories.
"""

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import DataError
from novikoff.sources.arrays import as_matrix
from novikoff.sources.base import data_error
from novikoff.sources.labels import label_array
from novikoff.sources.sparse import csr
from novikoff.sources.tokens import shown

EXACT = 2**53  # whole numbers below are doubles


class Which(NamedTuple):
    """Which partition: what to call it, and the number of its first row if that is known."""

    name: str
    kind: str
    number: int
    first: int | None = None

    def bad(self, row: int, problem: str) -> DataError:
        """The complaint about a row of the partition."""
        whole = "" if self.first is None else f", row {self.first + row} of all"
        return data_error(self.name, None, f"row {row} (counting from 0{whole}): {problem}")


class Held(NamedTuple):
    """The rows of a partition, fit to be learned from."""

    X: Any
    y: Any
    names: list[str] | None = None
    remarks: tuple[str, ...] = ()


def of_array(which: Which, X: Any, y: Any = None) -> Held:
    """A block of an array, dense or sparse, and its labels."""
    if y is None:
        return Held(_finite(which, X), None)
    return _checked(which, Held(_finite(which, X), _labels(which, np.ravel(np.asarray(y)))))


def of_bag(which: Which, pairs: Any) -> Held:
    """Pairs of a row and its label."""
    rows, labels = [], []
    for k, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise which.bad(k, f"found {_seen(pair)}, expected a pair (row, label)")
        rows.append(pair[0])
        labels.append(pair[1])
    named = {isinstance(row, Mapping) for row in rows}
    if len(named) > 1:
        raise DataError(f"{which.name}: some rows are mappings and some are sequences")
    y = _labels(which, np.array([*labels, None], object)[:-1])
    if named == {True}:
        return Held(*_from_mappings(which, rows, y))
    return Held(_from_sequences(which, rows), y)


def of_frame(
    which: Which,
    frame: Any,
    y: Any = None,
    *,
    names: list[str],
    target: int | None,
    categorical: Sequence[int],
) -> Held:
    """A pandas frame; its labels are in the column at `target`, or by themselves."""
    import pyarrow

    from novikoff.sources.arrow import ArrowSource

    if list(map(str, frame.columns)) != names:
        raise DataError(
            f"{which.name}: its columns are {', '.join(map(str, frame.columns))}, and those of the"
            f" dataframe {', '.join(names)}"
        )
    if not len(frame):
        return Held(np.empty((0, 0)), np.empty(0, np.int64))
    labels = None if y is None else _labels(which, np.asarray(y, dtype=object))
    try:
        batch = pyarrow.RecordBatch.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError) as problem:
        raise DataError(f"{which.name}: {' '.join(map(str, problem.args))}") from None
    options = {"labelled": False} if target is None else {"target": target}
    given: Any = _InMemory(which.name, batch)
    source = ArrowSource([given], kind="arrow", categorical=list(categorical) or None, **options)
    chunk = source.read()
    held = Held(chunk.X, chunk.y, source.feature_names, tuple(source.remarks()))
    return held if labels is None else _checked(which, held._replace(y=labels))


class _InMemory:
    """A batch of columns as what came through a pipe."""

    replayable, path = False, ""

    def __init__(self, name: str, batch: Any) -> None:
        self.name, self._batch = name, batch

    @contextmanager
    def seekable(self) -> Iterator[Any]:
        import pyarrow.ipc

        content = io.BytesIO()
        with pyarrow.ipc.new_stream(content, self._batch.schema) as stream:
            stream.write_batch(self._batch)
        content.seek(0)
        yield content


def _checked(which: Which, held: Held) -> Held:
    rows, labels = held.X.shape[0], len(held.y)
    if rows != labels:
        raise DataError(
            f"{which.name}: it has {rows} row(s) but {labels} label(s): cut X and y in the same way"
        )
    return held


def _finite(which: Which, X: Any) -> Any:
    """The rows as a matrix, with all values there."""
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        row, column = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        raise which.bad(row, f"column {column}: the value is missing (masked): fill it in")
    kind = getattr(X, "dtype", np.dtype(object))
    entries = getattr(X, "data", X) if hasattr(X, "tocsr") else X
    beyond = kind.kind in "iu" and np.size(entries) and _largest(entries) >= EXACT
    if beyond or kind.kind == "O" or (kind.kind == "f" and kind.itemsize > 8):
        raise DataError(
            f"{which.name}: X has the type {kind} and numbers that are no doubles: convert them"
            " with X.astype(float), if what is rounded off does not matter"
        )
    try:
        matrix = as_matrix(X)
    except DataError as problem:
        raise DataError(f"{which.name}: {problem}") from None
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    with np.errstate(all="ignore"):
        whole = np.isfinite(values.sum())  # not so if a value is not; it may overflow, though
    bad = np.empty((0, 0)) if whole else np.argwhere(~np.isfinite(values))
    if not len(bad):
        return matrix
    if isinstance(matrix, np.ndarray):
        row, column = bad[0].tolist()
        value = matrix[row, column]
    else:
        (entry,) = bad[0].tolist()
        row = int(np.searchsorted(matrix.indptr, entry, "right")) - 1
        column, value = int(matrix.indices[entry]), matrix.data[entry]
    raise which.bad(row, f"column {column}: the value is {value}: fill it in or drop the row")


def _largest(whole: Any) -> int:
    return max(int(whole.max()), -int(whole.min()))


def _labels(which: Which, labels: Any) -> Any:
    """int64, float64 or text; of what mixes numbers and words, the words."""
    if labels.dtype.kind == "O":
        for k, label in enumerate(labels):
            missing = label is None or (isinstance(label, float) and label != label)
            if missing or not isinstance(label, Real | str):
                raise which.bad(k, f"the label is {_seen(label)}, expected a number or a word")
        some = labels.tolist()
        texts = any(isinstance(label, str) for label in some)
        labels = np.array([str(label) for label in some] if texts else some)
        if not labels.size:
            labels = labels.astype(np.int64)
    return label_array(which.name, labels)


def _from_mappings(which: Which, rows: list[Any], y: Any) -> tuple[Any, Any, list[str]]:
    """Rows with names, numbered as they first come."""
    places: dict[str, int] = {}
    starts, columns, values = [0], list[int](), list[float]()
    for k, row in enumerate(rows):
        entries = []
        for name, value in row.items():
            if not isinstance(name, str):
                raise which.bad(k, f"the name {_seen(name)} is not text")
            number = _number(which, k, f"{shown(name)} is", value)
            entries.append((places.setdefault(name, len(places)), number))
        entries.sort()
        columns += [column for column, _ in entries]
        values += [value for _, value in entries]
        starts.append(len(columns))
    X = csr(np.array(starts), np.array(columns, np.int64), np.array(values, float), len(places))
    return X, y, list(places)


def _from_sequences(which: Which, rows: list[Any]) -> Any:
    if not rows:
        return np.empty((0, 0))
    for k, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__"):
            raise which.bad(k, f"found {_seen(row)}, expected a mapping or a sequence of numbers")
        if len(row) != len(rows[0]):
            raise which.bad(k, f"it has {len(row)} values, and row 0 has {len(rows[0])}")
    matrix = np.empty((len(rows), len(rows[0])))
    for (k, row), out in zip(enumerate(rows), matrix, strict=True):
        out[:] = [_number(which, k, f"value {j} is", v) for j, v in zip(itertools.count(), row)]
    return matrix


def _number(which: Which, row: int, what: str, value: Any) -> float:
    if not isinstance(value, Real | np.bool_) or not np.isfinite(number := float(value)):
        raise which.bad(row, f"{what} {_seen(value)}, expected a finite number")
    return number


def _seen(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
