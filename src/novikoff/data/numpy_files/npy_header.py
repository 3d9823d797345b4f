"""The header of an .npy array, read before anything is allocated for what it promises."""

import math
from typing import Any, BinaryIO, NamedTuple

import numpy as np


class NpyHeader(NamedTuple):
    """What is known of an array before its numbers are read."""

    shape: tuple[int, ...]
    by_column: bool  # whether columns lie together, not rows
    dtype: np.dtype[Any]
    offset: int  # bytes before the numbers

    @property
    def end(self) -> int:
        """The bytes of the whole file."""
        return self.offset + math.prod(self.shape) * self.dtype.itemsize


def read_header(file: BinaryIO, size: int) -> NpyHeader:
    """Read the header of a file of so many bytes. Raises a ValueError if it is no array's."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    found = NpyHeader(*read(file), file.tell())
    if found.dtype.hasobject:
        raise ValueError("it holds Python objects")
    if any(side < 0 for side in found.shape):
        raise ValueError(f"its shape is {found.shape}")
    if size < found.end:
        raise ValueError(f"it ends too soon, after {size} of {found.end} bytes")
    return found
