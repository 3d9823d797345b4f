"""Text in blocks of whole lines."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Bytes in a block: enough to hide what a call costs, few enough for what is made of them to be in
#: the cache when it is learned from.
BLOCK_BYTES = 2**21

Bytes = NDArray[np.uint8]


class Block(NamedTuple):
    """Whole lines of one file."""

    name: str  # the file's, for messages
    file: int  # its number among several
    offset: int  # of the first byte, in the file as it is when unpacked
    text: Bytes  # it ends in a line end, but perhaps where the file ends
    header: int = 0  # how many of its first lines are no rows


def last_record_end(buffer: bytes | bytearray, quoted: str) -> int:
    """Where the last whole line ends, or the last whole record of fields; 0 if there is none.

    quoted: the delimiter of fields that may be in double quotes, with line ends inside.
    """
    if not quoted or b'"' not in buffer:
        return buffer.rfind(b"\n") + 1
    from novikoff.data.files.quote_kernel import last_end  # Numba is slow to import

    return int(last_end(np.frombuffer(buffer, np.uint8), delimiter_byte(quoted)))


def delimiter_byte(delimiter: str) -> int:
    """The byte that records are taken apart by.

    Of a delimiter beyond ASCII, the last: no other character has it after the same bytes.
    """
    return delimiter.encode()[-1]
