"""Which worker holds which shard, while workers join, leave and run short of memory."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from distributed import Client, Future

from novikoff.cluster.data.shard import ShardRef
from novikoff.cluster.workers.futures import (
    explain_lost_scheduler,
    lost_scheduler_error,
    require_scheduler,
    scheduler_address,
)
from novikoff.errors import ClusterError

POLL = 0.2  # seconds between two checks of the workers, while no result comes
REFRESH = 1.0  # seconds between two requests to the scheduler for its workers
ADVICE = "cut the data into more shards, or give the workers more memory"


class ShardPlacement:
    """The worker of each shard.

    worker_of: the worker of every shard that has one. workers: those of the cluster, with their
    status. moved: how many times a shard lost its worker to a fault. on_wait: called with the
    number of shards that are ready, while workers or partitions are awaited. on_release: called
    with a shard that its worker no longer holds.
    """

    def __init__(
        self,
        client: Client,
        patience: float,
        on_wait: Callable[[int], None],
        on_release: Callable[[int], object],
    ) -> None:
        self.client, self.patience = client, patience
        self.on_wait, self.on_release = on_wait, on_release
        self.worker_of: dict[int, str] = {}
        self.workers: dict[str, str] = {}
        self.moved = 0
        self._scheduler: str | None = None  # its identity: another one knows none of our futures
        self._local: set[int] = set()  # shards whose partition was on their worker already
        self._refreshed = -1e9
        self._paused_since: dict[str, float] = {}

    def assign(self, shards: Mapping[int, ShardRef]) -> None:
        """Place all of these shards, and rebalance, so that a worker that joined gets its share.

        This may move any shard: not to be called while requests are under way.
        """
        self.await_workers()
        for k in [k for k, worker in self.worker_of.items() if worker not in self.workers]:
            self.mark_lost(k)
        self._rebalance()
        self.place({k: shard for k, shard in shards.items() if k not in self.worker_of})

    def mark_lost(self, k: int) -> None:
        """Take a shard from its worker after a fault."""
        self._release(k)
        self.moved += 1

    def unavailable(self, workers: set[str]) -> set[str]:
        """Those of the workers that are lost, or were paused for lack of memory for too long."""
        self.refresh()
        found = workers - set(self.workers)
        now = time.monotonic()
        for worker, status in self.workers.items():
            if status != "paused":
                self._paused_since.pop(worker, None)
            elif worker in workers:
                since = self._paused_since.setdefault(worker, now)
                found |= {worker} if now - since > self.patience else set()
        if found and found >= set(self.workers) and self.workers:
            raise ClusterError(f"every worker has been short of memory for a while: {ADVICE}")
        return found

    def refresh(self, now: bool = False) -> None:
        """Ask the scheduler for its workers, unless that was done a moment ago."""
        if not now and time.monotonic() - self._refreshed < REFRESH:
            return
        require_scheduler(self.client)
        self._refreshed = time.monotonic()
        with explain_lost_scheduler(self.client):
            # Not client.scheduler_info: what that returns may be another answer, without workers.
            info = self.client.sync(self.client.scheduler.identity, n_workers=-1)
        self._scheduler = self._scheduler or info["id"]
        if info["id"] != self._scheduler:
            raise lost_scheduler_error(self.client)
        found = info["workers"]
        self.workers = {worker: each.get("status", "running") for worker, each in found.items()}

    def await_workers(self) -> None:
        """Wait for a first worker, as long as `patience` allows."""
        until = time.monotonic() + self.patience
        self.refresh(now=not self.workers)
        while not self.workers:
            if time.monotonic() > until:
                raise ClusterError(
                    f"the cluster at {scheduler_address(self.client)} has had no worker for"
                    f" {self.patience:.0f} s: start one with `dask worker ADDRESS`"
                )
            self.on_wait(0)
            time.sleep(POLL)
            self.refresh()

    def place(self, shards: Mapping[int, ShardRef]) -> None:
        """Give each of these shards a worker: one that has its partition, else the one with the
        fewest shards.
        """
        self.await_workers()
        partitions = [shard.data for shard in shards.values() if shard.data is not None]
        self._await_partitions(partitions)
        counts = Counter(self.worker_of.values())
        running, holders = self._running(), self._holders(partitions)
        for k, shard in shards.items():
            local = set() if shard.data is None else holders.get(shard.data.key, set())
            local &= set(running)
            worker = min(local or running, key=lambda worker: (counts[worker], worker))
            self.worker_of[k] = worker
            counts[worker] += 1
            if local:
                self._local.add(k)

    def _await_partitions(self, futures: Sequence[Future]) -> None:
        """Wait until they are computed: only then is it known which worker has them."""
        while any(future.status == "pending" for future in futures):
            self.await_workers()
            self.on_wait(sum(future.done() for future in futures))
            time.sleep(POLL)

    def _rebalance(self) -> None:
        """Move shards until the counts of running workers differ by at most one; shards whose
        partition is on their worker stay.
        """
        while self.worker_of and (running := self._running()):
            counts = Counter(dict.fromkeys(running, 0))
            counts.update(self.worker_of.values())
            least = min(running, key=lambda worker: (counts[worker], worker))
            full = {worker for worker, count in counts.items() if count - counts[least] > 1}
            movable = [k for k, w in self.worker_of.items() if w in full and k not in self._local]
            if not movable:
                return
            k = max(movable, key=lambda k: (counts[self.worker_of[k]], self.worker_of[k], k))
            self._release(k)
            self.worker_of[k] = least

    def _release(self, k: int) -> None:
        self.worker_of.pop(k, None)
        self._local.discard(k)
        self.on_release(k)

    def _holders(self, futures: Sequence[Future]) -> dict[str, set[str]]:
        """The workers that have each partition, by its key."""
        if not futures:
            return {}
        with explain_lost_scheduler(self.client):
            return {key: set(workers) for key, workers in self.client.who_has(futures).items()}

    def _running(self) -> list[str]:
        """The workers that accept tasks; all of them, if none is known to."""
        running = sorted(w for w, status in self.workers.items() if status == "running")
        return running or sorted(self.workers)
