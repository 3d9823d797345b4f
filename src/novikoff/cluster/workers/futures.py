"""Futures whose results are awaited, and errors that name a lost scheduler."""

import asyncio
import concurrent.futures
import contextlib
import queue
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import dask
from distributed import CancelledError, Client, Future

from novikoff.errors import ClusterError

LARGE_GRAPH = "distributed.admin.large-graph-warning-threshold"


class LostResultError(Exception):
    """A result that was lost with its worker."""


def submit(
    client: Client,
    name: str,
    function: Callable[..., object],
    *args: object,
    worker: str | None = None,
) -> Future:
    """Run function(*args) on a worker: on this one only, if it is named."""
    with explain_lost_scheduler(client), dask.config.set({LARGE_GRAPH: "1 TiB"}):
        return client.submit(
            function,
            *args,
            key=f"novikoff-{name}-{uuid.uuid4().hex}",
            workers=None if worker is None else [worker],
            allow_other_workers=False,
        )


class PendingFutures:
    """Futures whose results are on their way here; on exit those still pending are cancelled.

    A future is fetched as soon as its task has ended, and Dask fetches what ends at the same time
    together. If its worker is lost first, and the task may run nowhere else, it stays pending for
    ever: it is for the caller to notice that, and to cancel it.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._results: dict[Future, concurrent.futures.Future[Any]] = {}
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def add(self, future: Future) -> None:
        """Fetch the result of a future when it is there."""
        fetch = self.client.gather(future, asynchronous=True)
        result = asyncio.run_coroutine_threadsafe(fetch, self.client.loop.asyncio_loop)
        self._results[future] = result
        result.add_done_callback(lambda _: self._done.put(future))

    def wait(self, seconds: float) -> list[Future]:
        """Return the futures that are done: as soon as there is one, or none after this time."""
        require_scheduler(self.client)
        done = []
        with contextlib.suppress(queue.Empty):
            done.append(self._done.get(timeout=seconds))
            while True:
                done.append(self._done.get_nowait())
        return [future for future in done if future in self._results]  # others were cancelled

    def result(self, future: Future) -> Any:
        """Return the result of a future that is done, or raise what its task raised."""
        result = self._results.pop(future)
        if future.status == "error":
            problem = future.exception()
            assert problem is not None
            raise problem.with_traceback(future.traceback())
        try:
            with explain_lost_scheduler(self.client):
                return result.result()
        except (CancelledError, asyncio.CancelledError):
            require_scheduler(self.client)
            raise LostResultError from None

    def cancel(self, future: Future) -> None:
        """Stop waiting for a future; its task is dropped unless it has begun."""
        del self._results[future]
        with explain_lost_scheduler(self.client):
            self.client.cancel([future])

    def __enter__(self) -> "PendingFutures":
        return self

    def __exit__(self, *problem: object) -> None:
        if self._results and self.client.status == "running":
            with contextlib.suppress(Exception):  # what matters is raised already
                self.client.cancel(list(self._results))


def scheduler_address(client: Client) -> str:
    """The address of the scheduler, for messages."""
    return str(getattr(client.scheduler, "address", "?")) if client.scheduler else "?"


def require_scheduler(client: Client) -> None:
    """Raise an error if the client has lost its scheduler."""
    if client.status != "running":
        raise lost_scheduler_error(client)


@contextlib.contextmanager
def explain_lost_scheduler(client: Client) -> Iterator[None]:
    """Turn network errors of a lost scheduler into one that says so."""
    try:
        yield
    except (OSError, TimeoutError) as problem:
        raise lost_scheduler_error(client) from problem
    except RuntimeError as problem:
        if client.status != "running":
            raise lost_scheduler_error(client) from problem
        raise


def lost_scheduler_error(client: Client) -> ClusterError:
    """The error for a scheduler that is gone."""
    return ClusterError(
        f"the scheduler at {scheduler_address(client)} is gone: start it and its workers again;"
        " a run that keeps a checkpoint can be resumed"
    )
