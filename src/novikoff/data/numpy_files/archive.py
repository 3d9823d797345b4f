"""An .npz archive: the headers of its arrays at once, and an array when it is asked for."""

import contextlib
import zipfile
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from novikoff.data.numpy_files.npy_header import NpyHeader, read_header

#: So many bytes at most, deflate makes of one.
_DEFLATED = 1032


class NpzArchive:
    """Those of the arrays in a zip file that have one of these names.

    So arrays can be refused by their headers, whatever else the archive would unpack to.
    """

    def __init__(self, file: BinaryIO, names: Collection[str]) -> None:
        self._zip = zipfile.ZipFile(file)
        self._size = file.seek(0, 2)
        stored = frozenset(self._zip.namelist())
        self.headers = {name: self._header(name) for name in names if f"{name}.npy" in stored}

    @contextlib.contextmanager
    def _member(self, name: str) -> Iterator[tuple[Any, int]]:
        """The open file of an array, and its size."""
        info = self._zip.getinfo(f"{name}.npy")
        packed = min(info.compress_size, self._size)
        if info.compress_type == zipfile.ZIP_DEFLATED and info.file_size > _DEFLATED * packed:
            raise ValueError(f"{packed} bytes cannot hold the {info.file_size} of {name}")
        with self._zip.open(info) as file:
            yield file, info.file_size

    def _header(self, name: str) -> NpyHeader:
        with self._member(name) as (file, size):
            return read_header(file, size)

    def read(self, name: str) -> NDArray[Any]:
        """All numbers of an array."""
        with self._member(name) as (file, _):
            array = np.lib.format.read_array(file, allow_pickle=False)
            file.read()  # at its end, the checksum is compared
        return np.asarray(array)
