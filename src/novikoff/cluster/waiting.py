"""What a client waits for, and what it does when its scheduler is gone."""

import contextlib
import queue
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import dask
from distributed import Client, Future

from novikoff.errors import ClusterError

LARGE_GRAPH = "distributed.admin.large-graph-warning-threshold"


class Waiting:
    """Futures that are waited for; those that are left at the end are taken back."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._futures: set[Future] = set()
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def submit(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        home: str | None = None,
        kept: bool = False,
    ) -> Future:
        """Have a worker do something; `kept` for what only others wait for."""
        with reached(self.client), dask.config.set({LARGE_GRAPH: "1 TiB"}):
            future = self.client.submit(
                function,
                *args,
                key=f"novikoff-{name}-{uuid.uuid4().hex}",
                workers=None if home is None else [home],
                allow_other_workers=False,
            )
        if not kept:
            self._futures.add(future)
            future.add_done_callback(self._done.put)
        return future

    def turn(self, seconds: float) -> Iterator[Future]:
        """Those that have ended, after so many seconds at most."""
        refuse_lost(self.client)
        with contextlib.suppress(queue.Empty):
            found = [self._done.get(timeout=seconds)]
            while not self._done.empty():
                found.append(self._done.get())
            for future in found:
                if future in self._futures:
                    self._futures.remove(future)
                    yield future

    def take_back(self, future: Future) -> None:
        """Wait for it no longer."""
        self._futures.discard(future)
        with reached(self.client):
            self.client.cancel([future])

    def __enter__(self) -> "Waiting":
        return self

    def __exit__(self, *problem: object) -> None:
        if self._futures and self.client.status == "running":
            with contextlib.suppress(Exception):  # what matters is told already
                self.client.cancel(list(self._futures))


def address(client: Client) -> str:
    """Where the scheduler is, for messages."""
    return str(getattr(client.scheduler, "address", "?")) if client.scheduler else "?"


def refuse_lost(client: Client) -> None:
    """Without its scheduler a client can do nothing."""
    if client.status != "running":
        raise scheduler_lost(client)


@contextlib.contextmanager
def reached(client: Client) -> Iterator[None]:
    """What the network says about a scheduler that is gone becomes one sentence."""
    try:
        yield
    except (OSError, TimeoutError) as problem:
        raise scheduler_lost(client) from problem
    except RuntimeError as problem:
        if client.status != "running":
            raise scheduler_lost(client) from problem
        raise


def scheduler_lost(client: Client) -> ClusterError:
    """What to say then."""
    return ClusterError(
        f"the scheduler at {address(client)} is gone: start it and its workers again; a run that"
        " keeps a checkpoint can be resumed"
    )
