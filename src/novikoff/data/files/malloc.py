"""Settings of the C library's allocator."""

import ctypes
import sys
from functools import cache

#: The largest block that GNU's malloc may be told to keep, and how much it keeps of freed ones:
#: what it would choose itself after it gave such a block back once.
_LARGEST_KEPT = 2**25
_KEPT = 2 * _LARGEST_KEPT
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them


@cache
def keep_freed_memory() -> None:
    """Have the allocator keep the memory of a chunk for the next one.

    GNU's malloc gives large blocks back to the system at once, and taking them again costs more
    than filling them: a pass over Parquet took twice as long. It learns better by itself, but not
    where MALLOC_TRIM_THRESHOLD_ is set, as it is in Dask's workers: there a pass over text took
    twice as long. Other C libraries are left alone.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
        mallopt(_TRIM_THRESHOLD, _KEPT)
