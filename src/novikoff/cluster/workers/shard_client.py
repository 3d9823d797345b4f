"""Calls functions on shards that workers hold, and retries what is lost with a worker.

Every shard is on one worker, which keeps its rows (`WorkerShard`). Requests about a shard go to
that worker and nowhere else, so that rows stay where they were read, and Dask may not move them on
its own. (Rows of a Dask collection come from the worker that computed them.) If the worker is lost,
or stops for lack of memory, the shard is placed on another one, which reads it anew, and its
request is sent again. A response must therefore depend on nothing but the shard and the arguments:
then no fault can change it, only delay it. docs/architecture.md says why Dask's own retries would
not do.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from distributed import CancelledError, Client, Future, KilledWorker

from novikoff.cluster.data.shard import VERSION, ShardRef, WorkerShard
from novikoff.cluster.workers.futures import (
    LostResultError,
    PendingFutures,
    lost_scheduler_error,
    submit,
)
from novikoff.cluster.workers.placement import ADVICE, POLL, ShardPlacement
from novikoff.errors import ClusterError, DataError, ParameterError

PATIENCE = 60.0  # seconds to wait for a first worker, or for one that is not short of memory
MAX_LOSSES = 3  # workers that one shard may lose during one request
MAX_DELTAS = 16  # since a broadcast was sent whole: the scheduler keeps every one of them
BROADCAST_VERSIONS = itertools.count()  # so that no two broadcasts have the same

T = TypeVar("T")


class CallProgress(NamedTuple):
    """How far a call on shards is."""

    workers: int
    done: int  # responses that have come
    shards: int  # that were asked
    moved: int  # times that a shard has lost its worker so far
    response: object = None  # the newest, and of which shard
    shard: int = -1

    @property
    def parts(self) -> int:
        """The same as `shards`, by its older name."""
        return self.shards


CallWatch = Callable[[CallProgress], None]


class Broadcast(NamedTuple):
    """A value for all shards, such as the weights: it is sent once to each worker.

    version: one of BROADCAST_VERSIONS. apply_delta: makes the value of the one that has the version
    before and of `delta`, where that is shorter.
    """

    version: int
    value: object
    apply_delta: Callable[[Any, Any], object] | None = None
    delta: object = None
    value_bytes: int = 0
    delta_bytes: int = 0


class ShardClient:
    """The shards of one data set on the workers of one Dask client.

    watch: called now and then while responses are awaited; what it raises ends the call, and
    requests that have not begun are cancelled.
    """

    def __init__(
        self,
        client: Client,
        shards: Sequence[ShardRef],
        watch: CallWatch | None = None,
        patience: float = PATIENCE,
    ) -> None:
        if not isinstance(client, Client):
            raise ParameterError(f"a client of Dask's is needed, not {type(client).__name__}")
        self.client, self.shards, self.watch = client, list(shards), watch
        self._worker_shards: dict[int, Future] = {}
        self._placement = ShardPlacement(
            client,
            patience,
            on_wait=lambda done: self._report(done, len(self.shards)),
            on_release=lambda k: self._worker_shards.pop(k, None),
        )
        self._broadcasts: dict[str, _SentBroadcast] = {}  # the last one, by worker

    @property
    def moved(self) -> int:
        """How many times a shard lost its worker to a fault."""
        return self._placement.moved

    def map_shards(
        self,
        function: Callable[..., T],
        *args: object,
        each: Sequence[object] | None = None,
        broadcast: Broadcast | None = None,
        only: Sequence[int] | None = None,
    ) -> list[T]:
        """Call function(shard, [broadcast.value,] [each[k],] *args) on every shard k, where it is.

        only: the numbers of the shards to call it on, instead of all; the responses are in their
        order. Of several shards that raise a DataError, the first one's is raised.
        """
        request = _Request(function, args, each, broadcast)
        numbers = list(range(len(self.shards)) if only is None else only)
        self._placement.assign({k: self.shards[k] for k in numbers})
        for worker in self._broadcasts.keys() - self._placement.workers.keys():
            del self._broadcasts[worker]
        with PendingFutures(self.client) as pending:
            return self._collect(request, numbers, pending)

    def run_on_any_worker(self, function: Callable[..., T], *args: object) -> T:
        """Call function(*args) on any worker: for what needs the files, but no shard."""
        self._placement.await_workers()
        with PendingFutures(self.client) as pending:
            # It may run anywhere, so that Dask itself runs it again if its worker is lost.
            pending.add(submit(self.client, function.__name__, function, *args))
            while not (done := pending.wait(POLL)):
                self._placement.refresh()
                self._placement.await_workers()
                self._report(0, 0)
            try:
                result: T = self._response(pending, done[0], "")
            except LostResultError:  # without a lost worker: the scheduler is another one
                raise lost_scheduler_error(self.client) from None
            return result

    def close(self) -> None:
        """Let the workers forget the shards."""
        self._worker_shards.clear()
        self._broadcasts.clear()
        self._placement.worker_of.clear()

    def _collect(
        self, request: "_Request", numbers: Sequence[int], pending: PendingFutures
    ) -> list[Any]:
        responses: dict[int, Any] = {}
        errors: dict[int, DataError] = {}
        losses: Counter[int] = Counter()
        sent = dict(self._send(request, k, pending) for k in numbers)
        while sent:
            lost = []
            for future in pending.wait(POLL):
                to = sent.pop(future)
                try:
                    responses[to.shard] = self._response(pending, future, self._name(to.shard))
                except LostResultError:
                    lost.append(to)
                except DataError as error:
                    errors[to.shard] = error
                else:
                    self._report(len(responses), len(numbers), responses[to.shard], to.shard)
            # Of several errors the first shard's is raised, as if shards were read in order.
            first_error = min(errors, default=len(self.shards))
            unavailable = self._placement.unavailable({to.worker for to in sent.values()})
            for future, to in list(sent.items()):
                if to.worker in unavailable or to.shard > first_error:
                    del sent[future]
                    pending.cancel(future)
                    lost.append(to)
            for to in (to for to in lost if to.shard < first_error):
                self._move(to, losses)
                sent |= [self._send(request, to.shard, pending)]
            self._report(len(responses), len(numbers))
        if errors:
            raise errors[min(errors)]
        return [responses[k] for k in numbers]

    def _send(
        self, request: "_Request", k: int, pending: PendingFutures
    ) -> "tuple[Future, _Destination]":
        """Send a request to the worker of a shard."""
        shard = self.shards[k]
        if k not in self._placement.worker_of:
            self._placement.place({k: shard})
        worker = self._placement.worker_of[k]
        if k not in self._worker_shards:
            arguments = shard.address, shard.data, VERSION
            self._worker_shards[k] = submit(
                self.client, "open", WorkerShard, *arguments, worker=worker
            )
        args: list[object] = [self._worker_shards[k]]
        if request.broadcast is not None:
            args.append(self._broadcast(request.broadcast, worker))
        if request.each is not None:
            args.append(request.each[k])
        name = request.function.__name__.strip("_")
        args += request.args
        future = submit(self.client, name, request.function, *args, worker=worker)
        pending.add(future)
        return future, _Destination(k, worker)

    def _broadcast(self, broadcast: Broadcast, worker: str) -> Future:
        """The value on a worker: made of the one before, if that is there and it is shorter."""
        last = self._broadcasts.get(worker)
        if last is not None and last.version == broadcast.version:
            return last.future
        make: Callable[..., object] = _identity
        args: tuple[object, ...] = (broadcast.value,)
        deltas, room = 0, broadcast.value_bytes
        if last is not None and broadcast.apply_delta is not None and last.leads_to(broadcast):
            make, args = broadcast.apply_delta, (last.future, broadcast.delta)
            deltas, room = last.deltas + 1, last.room - broadcast.delta_bytes
        future = submit(self.client, "share", make, *args, worker=worker)
        self._broadcasts[worker] = _SentBroadcast(broadcast.version, future, deltas, room)
        return future

    def _response(self, pending: PendingFutures, future: Future, where: str) -> Any:
        """The result of a request; its errors as ours, if they are about the worker."""
        try:
            return pending.result(future)
        except KilledWorker:
            problem = _killed(where)
        except MemoryError:
            problem = f"a worker has not enough memory{where}: {ADVICE}"
        except ModuleNotFoundError as missing:
            problem = (
                f"a worker lacks {missing.name}: install novikoff with its extra `cluster` on"
                " every worker and on the scheduler"
            )
        except CancelledError:  # of data that somebody else has cancelled
            problem = f"rows that were on the cluster are no longer there{where}"
        raise ClusterError(problem)

    def _move(self, lost: "_Destination", losses: Counter[int]) -> None:
        """Have a shard placed anew, unless it has lost too many workers."""
        losses[lost.shard] += 1
        if losses[lost.shard] >= MAX_LOSSES:
            raise ClusterError(_killed(self._name(lost.shard)))
        self._broadcasts.pop(lost.worker, None)
        self._placement.mark_lost(lost.shard)
        self._placement.refresh(now=True)

    def _name(self, k: int) -> str:
        return f" (shard {k + 1} of {len(self.shards)})"

    def _report(self, done: int, shards: int, response: object = None, shard: int = -1) -> None:
        if self.watch is not None:
            workers = len(self._placement.workers)
            self.watch(CallProgress(workers, done, shards, self.moved, response, shard))


def _killed(where: str) -> str:
    return (
        f"{MAX_LOSSES} workers were lost one after another while they had the same work{where};"
        f" most often they ran out of memory: {ADVICE}"
    )


class _Destination(NamedTuple):
    """The shard and the worker that a request was sent to. The shard may have moved since."""

    shard: int
    worker: str


class _SentBroadcast(NamedTuple):
    """The last broadcast that a worker has."""

    version: int
    future: Future
    deltas: int  # since it was sent whole
    room: int  # bytes that further deltas may have, so that all have no more than the whole

    def leads_to(self, broadcast: Broadcast) -> bool:
        """Whether its value and a delta are enough, and shorter."""
        next_one = self.version == broadcast.version - 1 and self.deltas < MAX_DELTAS
        return next_one and broadcast.delta_bytes <= self.room


class _Request(NamedTuple):
    """The arguments of `map_shards`."""

    function: Callable[..., object]
    args: tuple[object, ...]
    each: Sequence[object] | None
    broadcast: Broadcast | None


def _identity(value: T) -> T:
    return value
