"""Group commit: many requests wait for one commit, and each is acted upon after it.

While one commit is under way, what comes in is collected for the next; and as long as every look
at the sockets brings more, a commit waits for it.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from novikoff.serve.journal.journal import Journal, JournalError
from novikoff.serve.journal.operations import Operation, Outcome

MOST = 1000  # operations in a commit, so that nobody waits long for others

#: What is done once operations are on the disk, in their order; what it returns is their answer.
Act = Callable[[Operation, Outcome], Any]
Waiting = tuple[Sequence[Operation], asyncio.Future[list[Any]]]


class GroupCommit:
    """Commits of one journal, one after another.

    inline: commit in the event loop itself, where that waits for no disk and for nobody else.
    """

    def __init__(self, journal: Journal, act: Act, *, inline: bool) -> None:
        self.journal, self.act, self.inline = journal, act, inline
        self.thread = ThreadPoolExecutor(1, "journal")
        self.waiting: list[Waiting] = []
        self.busy = False
        self.looked_at = 0  # how many waited when the sockets were last looked at
        self.commits = self.operations = 0
        self.defect: Exception | None = None

    async def submit(self, operations: Sequence[Operation]) -> list[Any]:
        """What became of the operations; JournalError if they could not be written."""
        if self.defect is not None:
            raise JournalError(
                "a defect of novikoff stopped learning; a restart replays the journal"
            )
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[Any]] = loop.create_future()
        self.waiting.append((operations, answer))
        if not self.busy:
            self.busy = True
            loop.call_soon(self._commit)
        return await answer

    def _commit(self) -> None:
        if self.looked_at < len(self.waiting) < MOST:
            self.looked_at = len(self.waiting)
            asyncio.get_running_loop().call_soon(self._commit)
            return
        number = size = self.looked_at = 0
        for operations, _ in self.waiting:
            if number and size + len(operations) > MOST:
                break
            number, size = number + 1, size + len(operations)
        batch, self.waiting = self.waiting[:number], self.waiting[number:]
        everything = [each for operations, _ in batch for each in operations]
        if self.inline:
            self._end(batch, self._written(everything))
            return
        loop = asyncio.get_running_loop()
        written = loop.run_in_executor(self.thread, self._written, everything)
        written.add_done_callback(lambda done: self._end(batch, done.result()))

    def _written(self, operations: Sequence[Operation]) -> list[Outcome] | Exception:
        try:
            return self.journal.commit(operations)
        except Exception as error:  # each who waits is told
            return error

    def _end(self, batch: list[Waiting], outcomes: list[Outcome] | Exception) -> None:
        self.commits += 1
        start = 0
        for operations, answer in batch:
            stop = start + len(operations)
            try:
                if isinstance(outcomes, Exception):
                    raise outcomes
                pairs = zip(operations, outcomes[start:stop], strict=True)
                found = [self.act(operation, outcome) for operation, outcome in pairs]
                self.operations += len(operations)
                if not answer.done():  # of who has left, nothing is taken back
                    answer.set_result(found)
            except Exception as error:
                if not isinstance(error, JournalError):  # it is on the disk, but was not applied:
                    self.defect = error  # only a restart helps
                if not answer.done():
                    answer.set_exception(error)
            start = stop
        self.busy = bool(self.waiting)
        if self.busy:  # also after a failure: the disk may have room again
            asyncio.get_running_loop().call_soon(self._commit)

    async def close(self) -> None:
        """Commit what waits, and end the thread."""
        while self.busy:
            await asyncio.sleep(0.001)
        self.thread.shutdown()
