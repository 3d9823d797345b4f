"""A map over a stream of items on several threads, with the results in order."""

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from novikoff.data.files.malloc import keep_freed_memory

Item = TypeVar("Item")
Result = TypeVar("Result")


def processors() -> int:
    """The number of processors that this process may use."""
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
    waiting: queue.Queue[Future[Result] | None] = queue.Queue(most)
    stopped = threading.Event()

    def put(future: "Future[Result] | None") -> bool:
        """Wait for room in the queue; False if nobody takes from it any more."""
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                waiting.put(future, timeout=0.1)
                return True
        return False

    def feed() -> None:
        try:
            for item in items:
                if not put(pool.submit(work, item)):
                    return
        except BaseException as problem:
            failed: Future[Result] = Future()
            failed.set_exception(problem)
            put(failed)
        put(None)

    feeder = threading.Thread(target=feed, name="novikoff-reader", daemon=True)
    feeder.start()
    try:
        while (future := waiting.get()) is not None:
            yield future
    finally:
        stopped.set()
        feeder.join()
