"""Keeps each shard with a worker and asks all of them, whatever becomes of the workers.

Every shard has a home: the worker that holds its rows, as a `Site`. Questions about a shard go to
its home and nowhere else, so that rows stay where they were read, and Dask may not move them on its
own. (Rows of a Dask collection come there from where they were computed.) If the home is lost, or
stops for want of memory, the shard gets another one, which reads it anew, and its question is asked
again. What is asked must therefore depend on nothing but the shard and the arguments: then no fault
can change an answer, only delay it.
"""

import asyncio
import concurrent.futures
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from distributed import CancelledError, Client, Future, KilledWorker

from novikoff.cluster.homes import ADVICE, TURN, Homes
from novikoff.cluster.site import VERSION, Part, Site
from novikoff.cluster.waiting import Waiting, reached, refuse_lost
from novikoff.errors import ClusterError, DataError, NovikoffError, ParameterError

PATIENCE = 60.0  # seconds to wait for a first worker, or for one that is not short of memory
FAULTS = 3  # homes that one shard may lose while the same question is asked
LINKS = 16  # changes in a row, at most: the scheduler keeps every one of them
NUMBERS = itertools.count()  # for what is shared, so that no two things have the same


class Glance(NamedTuple):
    """How far a question is."""

    workers: int
    done: int  # answers that have come
    parts: int
    moved: int  # shards that lost their home to a fault since the crew began
    answer: Any = None  # the newest, and of which part
    part: int = -1


class Shared(NamedTuple):
    """What all parts on a worker share, such as the weights: it is sent once to each worker.

    number: which one it is, from NUMBERS. change: what makes it of the one with the number before,
    where that is shorter than `whole`: step(before, change). sizes: of whole and change, in bytes.
    """

    number: int
    whole: Any
    step: Callable[[Any, Any], Any] | None = None
    change: Any = None
    sizes: tuple[int, int] = 0, 0


Watch = Callable[[Glance], None]


class Crew:
    """The shards of one data set on the workers of one client.

    watch: called now and then while answers are waited for; what it raises ends the question, and
    what was asked and has not begun is taken back.
    """

    def __init__(
        self,
        client: Client,
        parts: Sequence[Part],
        watch: Watch | None = None,
        patience: float = PATIENCE,
    ) -> None:
        if not isinstance(client, Client):
            raise ParameterError(f"a client of Dask's is needed, not {type(client).__name__}")
        self.client, self.parts, self.watch = client, list(parts), watch
        self._homes = Homes(client, patience, self._waited, self._left)
        self._sites: dict[int, Future] = {}
        self._shared: dict[str, _Sent] = {}
        self._at = 0, 0  # how far the question is

    @property
    def moved(self) -> int:
        """How many parts lost their home to a fault."""
        return self._homes.moved

    def ask(
        self,
        function: Callable[..., Any],
        *args: Any,
        each: Sequence[Any] | None = None,
        shared: Shared | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Any]:
        """function(site, [shared,] [each[k],] *args) for every part k, answers in their order.

        only: the parts to ask, instead of all; `each` is still by the number of the part.
        """
        question = _Question(function, args, each, shared)
        asked = list(range(len(self.parts)) if only is None else only)
        self._at = 0, len(asked)
        self._homes.settle({k: self.parts[k] for k in asked})
        for worker in self._shared.keys() - self._homes.workers.keys():
            del self._shared[worker]
        with Waiting(self.client) as waiting:
            return self._answers(question, asked, waiting)

    def anywhere(self, function: Callable[..., Any], *args: Any) -> Any:
        """function(*args) on any worker: for what needs the data's place, but no shard."""
        self._homes.await_workers()
        with Waiting(self.client) as waiting:
            waiting.submit(function.__name__, function, *args)
            while True:
                for future in waiting.turn(TURN):
                    try:
                        return self._answer(future)
                    except _LostError:
                        waiting.submit(function.__name__, function, *args)
                self._homes.look()
                self._homes.await_workers()
                self._glance(0, 0)

    def close(self) -> None:
        """Let the workers forget the shards."""
        self._sites.clear()
        self._shared.clear()
        self._homes.of.clear()

    def _answers(self, question: "_Question", asked: Sequence[int], waiting: Waiting) -> list[Any]:
        answers: dict[int, Any] = {}
        faults: Counter[int] = Counter()
        refused: dict[int, DataError] = {}
        pending = dict(self._put(question, k, waiting) for k in asked)
        while pending:
            lost = []
            for future in waiting.turn(TURN):
                if (at := pending.pop(future, None)) is None:
                    continue  # it was taken back meanwhile
                try:
                    answers[at.part] = self._answer(future, at)
                except _LostError:
                    lost.append(at)
                    continue
                except DataError as problem:
                    refused[at.part] = problem
                    continue
                self._glance(len(answers), len(asked), answers[at.part], at.part)
            gone = self._homes.gone({at.home for at in pending.values()})
            # Of several parts that are refused the first is told, as if they were read in order.
            end = min(refused, default=len(self.parts))
            for future, at in list(pending.items()):
                if at.home in gone or at.part > end:
                    del pending[future]
                    waiting.take_back(future)
                    lost.append(at)
            for at in (at for at in lost if at.part < end):
                self._move(at, faults)
                pending |= [self._put(question, at.part, waiting)]
            self._glance(len(answers), len(asked))
        if refused:
            raise refused[min(refused)]
        return [answers[k] for k in asked]

    def _put(self, question: "_Question", k: int, waiting: Waiting) -> "tuple[Future, _At]":
        """Ask a part, at its home."""
        part = self.parts[k]
        if k not in self._homes.of:
            self._homes.house({k: part})
        home = self._homes.of[k]
        if k not in self._sites:
            self._sites[k] = waiting.submit(
                "open", Site, part.address, part.data, VERSION, home=home, kept=True
            )
        some = [self._sites[k]]
        if question.shared is not None:
            some.append(self._share(question.shared, home, waiting))
        if question.each is not None:
            some.append(question.each[k])
        name = question.function.__name__.strip("_")
        put = waiting.submit(name, question.function, *some, *question.args, home=home)
        return put, _At(k, home)

    def _share(self, shared: Shared, home: str, waiting: Waiting) -> Future:
        """What the parts there share: made from what they shared before, if it is there."""
        sent = self._shared.get(home)
        if sent is not None and sent.number == shared.number:
            return sent.future
        parts: tuple[Any, ...] = _itself, shared.whole
        links, room = 0, shared.sizes[0]
        if sent is not None and sent.leads_to(shared):
            parts, links = (shared.step, sent.future, shared.change), sent.links + 1
            room = sent.room - shared.sizes[1]
        future = waiting.submit("share", *parts, home=home, kept=True)
        self._shared[home] = _Sent(shared.number, future, links, room)
        return future

    def _answer(self, future: Future, at: "_At | None" = None) -> Any:
        """What a worker answered; _LostError if it is lost before it could be had."""
        where = "" if at is None else f" (shard {at.part + 1} of {len(self.parts)})"
        if future.status == "finished":
            return self._fetched(future, None if at is None else at.home)
        if future.status != "error":
            refuse_lost(self.client)
            raise _LostError
        problem = future.exception()
        if isinstance(problem, NovikoffError):
            raise problem
        if isinstance(problem, KilledWorker):
            raise ClusterError(_killed(where))
        if isinstance(problem, MemoryError):
            raise ClusterError(f"a worker has not enough memory{where}: {ADVICE}")
        if isinstance(problem, ModuleNotFoundError):
            raise ClusterError(
                f"a worker lacks {problem.name}: install novikoff with its extra `cluster` on"
                " every worker and on the scheduler"
            )
        if isinstance(problem, CancelledError):  # of data that somebody else has taken back
            raise ClusterError(f"rows that were on the cluster are no longer there{where}")
        assert problem is not None
        raise problem.with_traceback(future.traceback())

    def _fetched(self, future: Future, home: str | None) -> Any:
        """An answer that is ready, from its worker; which may be lost at that very moment, and then
        Dask itself would wait for ever for it to come back.
        """
        coroutine = self.client.gather(future, asynchronous=True)
        fetching = asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)
        try:
            while not fetching.done():
                concurrent.futures.wait([fetching], TURN)
                refuse_lost(self.client)
                self._homes.look()
                self._glance(*self._at)
                if home is not None and home not in self._homes.workers:
                    raise _LostError
            with reached(self.client):
                return fetching.result()
        except (CancelledError, asyncio.CancelledError):
            refuse_lost(self.client)
            raise _LostError from None
        finally:
            fetching.cancel()

    def _move(self, at: "_At", faults: Counter[int]) -> None:
        faults[at.part] += 1
        if faults[at.part] >= FAULTS:
            raise ClusterError(_killed(f" (shard {at.part + 1} of {len(self.parts)})"))
        self._shared.pop(at.home, None)
        self._homes.lose(at.part)
        self._homes.look(now=True)

    def _left(self, k: int) -> None:
        self._sites.pop(k, None)

    def _waited(self, done: int) -> None:
        self._glance(done, len(self.parts))

    def _glance(self, done: int, parts: int, answer: Any = None, part: int = -1) -> None:
        self._at = done, parts
        if self.watch is not None:
            self.watch(Glance(len(self._homes.workers), done, parts, self.moved, answer, part))


def _killed(where: str) -> str:
    return (
        f"{FAULTS} workers were lost one after another while they had the same work{where}; most"
        f" often they ran out of memory: {ADVICE}"
    )


class _LostError(Exception):
    """An answer that went with its worker."""


class _At(NamedTuple):
    """Where a part was asked: whatever becomes of its home, that is who does not answer."""

    part: int
    home: str


class _Sent(NamedTuple):
    """What the parts on a worker share."""

    number: int
    future: Future
    links: int  # changes since it was sent whole
    room: int  # bytes that further ones may have, so that all have no more than the whole

    def leads_to(self, shared: Shared) -> bool:
        """Whether it is shorter to make that of this."""
        near = self.number == shared.number - 1 and self.links < LINKS
        return near and shared.step is not None and shared.sizes[1] <= self.room


class _Question(NamedTuple):
    function: Callable[..., Any]
    args: tuple[Any, ...]
    each: Sequence[Any] | None
    shared: Shared | None


def _itself(value: Any) -> Any:
    return value
