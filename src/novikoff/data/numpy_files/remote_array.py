"""An .npy array that is elsewhere: its rows are fetched as they are asked for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.files.inputs import Input
from novikoff.data.numpy_files.npy_header import read_header

_AHEAD = 2**22  # bytes of rows that are fetched together where they are gone through


class RemoteArray:
    """What of an array is needed here: its type, its shape and some of its rows at a time."""

    def __init__(self, given: Input) -> None:
        self._given = given
        with given.seekable() as file:
            head = read_header(file, given.size or 0)
        self.shape, self._by_column, self.dtype, self._begin = head
        self._first, self._held = 0, np.empty((0, *self.shape[1:]), self.dtype)

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        start, stop, end = rows.start, rows.stop, self._first + len(self._held)
        if not self._first <= start <= stop <= end:
            width, until = self.shape[1] * self.dtype.itemsize, stop
            if self._first < start <= end:  # the next rows: more of them will be wanted
                until = min(max(stop, start + _AHEAD // max(width, 1)), self.shape[0])
            self._first, self._held = start, self._fetch(start, until)
        return self._held[start - self._first : stop - self._first]

    def _fetch(self, start: int, stop: int) -> NDArray[Any]:
        """Some rows: one range of bytes, or one for each column if the columns lie together."""
        rows, columns = self.shape
        with self._given.ranges() as file:
            if not self._by_column:
                spans = [(start * columns, (stop - start) * columns)]
            else:
                spans = [(column * rows + start, stop - start) for column in range(columns)]
            each = self.dtype.itemsize
            found = [file.read(size * each, self._begin + at * each) for at, size in spans]
        values = np.frombuffer(b"".join(found), self.dtype)
        if self._by_column:
            return values.reshape(columns, stop - start).T
        return values.reshape(stop - start, columns)
