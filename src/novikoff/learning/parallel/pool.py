"""The threads that compiled code runs on, which releases Python's lock."""

import concurrent.futures
import functools
from collections.abc import Callable
from typing import Any


@functools.cache
def pool(threads: int) -> concurrent.futures.ThreadPoolExecutor:
    """So many threads, for as long as the process lives."""
    return concurrent.futures.ThreadPoolExecutor(threads, "novikoff")


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
