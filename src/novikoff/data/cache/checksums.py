"""Checksums of a cache's arrays: a CRC-32 for each block of their numbers, listed in the manifest.

ISA-L computes them (the package isal, which also decompresses), several times as fast as zlib.
"""

from isal.isal_zlib import crc32

#: Bytes that one checksum is of: few enough to look at a part, so many that the list stays short.
BLOCK = 2**20
#: Hexadecimal digits of one checksum.
DIGITS = 8


def checksum(block: memoryview) -> str:
    """The checksum of one block."""
    return f"{crc32(block):0{DIGITS}x}"


class BlockChecksums:
    """The checksums of bytes that come in parts of any size."""

    def __init__(self) -> None:
        self._whole: list[str] = []
        self._crc = self._size = 0  # of the last block, as far as it came

    def update(self, part: memoryview) -> None:
        """Add the next bytes."""
        while part:
            taken = part[: BLOCK - self._size]
            self._crc, self._size = crc32(taken, self._crc), self._size + len(taken)
            if self._size == BLOCK:
                self._whole.append(f"{self._crc:0{DIGITS}x}")
                self._crc = self._size = 0
            part = part[len(taken) :]

    def text(self) -> str:
        """The checksums of all blocks, one after another."""
        return "".join(self._whole) + (f"{self._crc:0{DIGITS}x}" if self._size else "")
