"""The threads that compiled code runs on, which releases Python's lock."""

import concurrent.futures
import functools
import os
from collections.abc import Callable
from typing import Any

from novikoff.data.files.parallel import processors
from novikoff.errors import ParameterError


def thread_count(n_jobs: int | None) -> int:
    """How many threads n_jobs asks for: one if it is None, as many as there are cores if -1."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise ParameterError(f"n_jobs must be None, -1 or a whole number above 0, not {n_jobs!r}")
    return processors() if n_jobs == -1 else n_jobs


@functools.cache
def pool(threads: int) -> concurrent.futures.ThreadPoolExecutor:
    """So many threads, for as long as the process lives."""
    return concurrent.futures.ThreadPoolExecutor(threads, "novikoff")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=pool.cache_clear)  # threads do not survive a fork


def run_all(function: Callable[..., Any], arguments: list[tuple[Any, ...]], threads: int) -> None:
    """Call the function with each of the arguments, several at a time."""
    if threads < 2 or len(arguments) < 2:
        for each in arguments:
            function(*each)
    else:
        futures = [pool(threads).submit(function, *each) for each in arguments]
        concurrent.futures.wait(futures)
        for future in futures:
            future.result()
