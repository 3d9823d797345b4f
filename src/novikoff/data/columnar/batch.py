"""Rows out of a batch of columns: numbers, labels and the values of categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import LabelArray
from novikoff.data.columnar.file import WORDS, Batch, ColumnTable, arrow
from novikoff.data.errors import file_error
from novikoff.data.text.csv.categories import TableFeatures, Values
from novikoff.data.text.labels import LONGEST_LABEL, label_array
from novikoff.data.text.tokens import shown
from novikoff.errors import DataError


class BatchRows:
    """A batch on its way to rows."""

    def __init__(self, file: ColumnTable, batch: Batch) -> None:
        self._file, self._batch = file, batch
        self._length = batch.columns.num_rows
        self.end = batch.first + self._length

    def _column(self, place: int) -> Any:
        column = self._batch.columns.column(self._file.places[place])
        words = self._file.kinds[place] == WORDS
        if words or not self._file.checked:
            column.validate(full=words)
        self._refuse_nulls(column, place)
        return column

    def _refuse_nulls(self, column: Any, place: int) -> None:
        if column.null_count:
            missing = int(column.is_null().to_numpy(zero_copy_only=False).argmax())
            raise self._bad(missing, place, "the value is missing (null)", "fill it in")

    def _bad(self, row: int, place: int, problem: str, remedy: str) -> DataError:
        return file_error(
            self._file.name,
            f"row {self._batch.first + row} (counting from 0), {self._file.called(place)}:"
            f" {problem}, expected a value: {remedy} or drop the row",
        )

    def _array(self, place: int) -> NDArray[Any]:
        column = self._column(place)
        if self._file.coded[place]:
            column = column.dictionary_decode()
            self._refuse_nulls(column, place)  # among the values of the dictionary
        array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return array

    def numbers(self, places: Sequence[int]) -> NDArray[np.float64]:
        """Columns as rows: float64 in C order, all finite."""
        columns = np.empty((len(places), self._length))
        with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused below
            for column, place in zip(columns, places, strict=True):
                column[:] = self._array(place)
            total = columns.sum()  # not finite if a value is not
        rows = np.ascontiguousarray(columns.T)  # faster than one column after another
        bad = [] if np.isfinite(total) else np.argwhere(~np.isfinite(rows))[:1].tolist()
        if bad:
            ((row, k),) = bad
            raise self._bad(row, places[k], f"the value is {rows[row, k]}", "replace it")
        return rows

    def labels(self, place: int) -> LabelArray:
        """The column of labels."""
        if self._file.kinds[place] == WORDS:
            codes, words = self._factorize(place)
            for code, word in enumerate(words):
                if not word or len(word) > LONGEST_LABEL:
                    row = int(np.flatnonzero(codes == code)[0])
                    found = "the label is missing ('')"
                    if word:
                        found = f"the label {shown(word)} has over {LONGEST_LABEL} characters"
                    raise self._bad(row, place, found, "shorten it" if word else "fill it in")
            return np.array(words, dtype=np.str_)[codes]
        array = self._array(place)
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise self._bad(row, place, f"the label is {array[row]}", "replace it")
        return label_array(self._file.name, array, self._batch.first)

    def values(self, places: Sequence[int], features: TableFeatures) -> Values:
        """The different values of categorical columns, in the order in which they come by row."""
        found: list[tuple[int, int, str, int]] = []
        codes = np.empty((self._length, len(places)), dtype=np.int32)
        for column, place in enumerate(places):
            coded, words = self._factorize(place)
            # Codes are given out as words come: a word is first where the largest so far rises.
            first = np.searchsorted(np.maximum.accumulate(coded), np.arange(len(words)))
            for code, word in enumerate(words):
                row = int(first[code])
                if (problem := features.error_for(column, word or "")) is not None:
                    raise file_error(
                        self._file.name,
                        f"row {self._batch.first + row} (counting from 0),"
                        f" {self._file.called(place)}: {problem}",
                    )
                found.append((row, column, word, code))
            codes[:, column] = coded
        found.sort()
        return _renumber(found, codes)

    def _factorize(self, place: int) -> tuple[NDArray[np.int32], list[str]]:
        """A column of words as numbers and the words they stand for, in the order they come in."""
        column, pyarrow = self._column(place), arrow()
        dictionary = None
        if pyarrow.types.is_dictionary(column.type):
            column, dictionary = column.indices, column.dictionary
        elif column.type != pyarrow.string():
            column = column.cast(pyarrow.string())
        coded = column.dictionary_encode()
        words = coded.dictionary if dictionary is None else dictionary.take(coded.dictionary)
        return coded.indices.to_numpy(), words.cast(pyarrow.string()).to_pylist()


def _renumber(found: list[tuple[int, int, str, int]], codes: NDArray[np.int32]) -> Values:
    """Values numbered over all columns instead of within each."""
    for column in range(codes.shape[1]):
        ours = [
            (code, number) for number, (_, place, _, code) in enumerate(found) if place == column
        ]
        numbers = np.empty(len(ours), dtype=np.int32)
        for code, number in ours:
            numbers[code] = number
        codes[:, column] = numbers[codes[:, column]]
    return Values([each[1] for each in found], [each[2] for each in found], codes)
