"""A map over a stream of items on several threads, with the results in order."""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from novikoff.data.files.malloc import keep_freed_memory

Item = TypeVar("Item")
Result = TypeVar("Result")


_limit: int | None = None


@contextlib.contextmanager
def on_threads(number: int | None) -> Generator[None]:
    """Let this process work on so many threads meanwhile; None: on one for each processor."""
    global _limit
    before, _limit = _limit, number
    try:
        yield
    finally:
        _limit = before


def processors() -> int:
    """How many threads are to work at once: as many as there are processors that this process may
    use, unless `on_threads` names another number.
    """
    if _limit is not None:
        return _limit
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def map_in_order(
    items: Iterator[Item],
    work: Callable[[Item], Result],
    threads: int,
    ready: Callable[[], bool] | None = None,
) -> Iterator[Result]:
    """Call work(item) on several threads, a few items ahead; results come in the items' order.

    Items are taken in a thread of their own, so that a file is read while rows are learned from.
    With `ready`, they are taken here instead: a pipe is read ahead only while it says that it has
    something, so that what came through it does not have to wait for what comes next.
    """
    keep_freed_memory()
    most = threads + 2
    with ThreadPoolExecutor(threads) as pool:
        if ready is None:
            futures = _ahead(items, work, pool, most)
        else:
            futures = _while_ready(items, work, pool, most, ready)
        with contextlib.closing(futures):
            for future in futures:
                yield future.result()


def _while_ready(
    items: Iterator[Item],
    work: Callable[[Item], Result],
    pool: ThreadPoolExecutor,
    most: int,
    ready: Callable[[], bool],
) -> Generator["Future[Result]"]:
    waiting: list[Future[Result]] = []
    for item in items:
        waiting.append(pool.submit(work, item))
        while waiting and (len(waiting) >= most or not ready()):
            yield waiting.pop(0)
    yield from waiting


def _ahead(
    items: Iterator[Item], work: Callable[[Item], Result], pool: ThreadPoolExecutor, most: int
) -> Generator["Future[Result]"]:
    def read() -> "Future[Result] | None":
        """Take the next item; None if there is none."""
        return next((pool.submit(work, item) for item in items), None)

    reader = ThreadPoolExecutor(1, "novikoff-reader")
    try:
        waiting = deque(reader.submit(read) for _ in range(most))
        while (future := waiting.popleft().result()) is not None:
            waiting.append(reader.submit(read))
            yield future
    finally:
        reader.shutdown(cancel_futures=True)
