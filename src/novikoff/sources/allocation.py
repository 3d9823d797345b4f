"""Memory that is given back and taken again and again, chunk after chunk."""

from functools import cache

import numpy as np

#: Just below the largest block that the C library may be taught to keep.
_LARGEST_KEPT = 2**25 - 2**16


@cache
def keep_freed_memory() -> None:
    """Have the C library keep the memory of a chunk for the next one.

    GNU's malloc gives large blocks back to the system at once, and taking them again costs more
    than filling them: a pass over Parquet took twice as long. It learns from the largest block
    that was given back so far, so one that is large enough, and never touched, does it.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)
