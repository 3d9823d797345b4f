"""Where questions are answered: in threads, equal ones once, and none that nobody waits for.

Everything but the work itself happens on the event loop, so that there is nothing to lock.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from novikoff.lab.limits import KEPT, WAITING

WORKERS = 4

Work = Callable[[], bytes]


class BusyError(Exception):
    """More questions are open than can be answered soon."""


@dataclass
class PendingRequest:
    """A question that is being answered, and for how many."""

    work: Future[bytes]
    answer: asyncio.Future[bytes]
    waiting: int = 0


class RequestPool:
    """Answers questions, which are equal if their names are; some answers are kept."""

    def __init__(self, workers: int = WORKERS, waiting: int = WAITING, kept: int = KEPT) -> None:
        self.pool = ThreadPoolExecutor(workers, "lab")
        self.open: dict[Hashable, PendingRequest] = {}
        self.kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self.size = 0  # bytes of the answers kept, and of their names
        self.most_open, self.most_kept = waiting, kept

    async def ask(self, name: Hashable, work: Work, *, keep: bool = True) -> bytes:
        """What `work` returns, or raises; BusyError if too many questions are open.

        Whoever is no longer interested cancels the call. A question that nobody waits for is
        dropped if it has not been begun.
        """
        if name in self.kept:
            self.kept.move_to_end(name)
            return self.kept[name]
        asked = self.open.get(name) or self._begin(name, work, keep)
        asked.waiting += 1
        try:
            return await asyncio.shield(asked.answer)
        finally:
            asked.waiting -= 1
            if not asked.waiting and asked.work.cancel():
                self.open.pop(name, None)

    def _begin(self, name: Hashable, work: Work, keep: bool) -> PendingRequest:
        if len(self.open) >= self.most_open:
            raise BusyError
        begun = self.pool.submit(work)
        asked = self.open[name] = PendingRequest(begun, asyncio.wrap_future(begun))
        asked.answer.add_done_callback(lambda answer: self._end(name, answer, keep))
        return asked

    def _end(self, name: Hashable, answer: asyncio.Future[bytes], keep: bool) -> None:
        if answer.cancelled():  # and so dropped already; the name may be in use again
            return
        del self.open[name]
        if answer.exception() is not None or not keep:
            return
        self.kept[name] = answer.result()
        self.size += _size(name, answer.result())
        while self.size > self.most_kept:
            self.size -= _size(*self.kept.popitem(last=False))

    def close(self) -> None:
        """Begin nothing more; what has been begun ends by itself."""
        self.pool.shutdown(wait=False, cancel_futures=True)


def _size(name: Hashable, answer: bytes) -> int:
    return len(repr(name)) + len(answer)
