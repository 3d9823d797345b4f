"""Which worker is the home of which shard, while workers come, go and run short of memory."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from distributed import Client, Future

from novikoff.cluster.site import Part
from novikoff.cluster.waiting import address, reached, refuse_lost, scheduler_lost
from novikoff.errors import ClusterError

TURN = 0.2  # seconds between two looks at who is there, while nothing is answered
LOOK = 1.0  # seconds between two questions to the scheduler about its workers
ADVICE = "cut the data into more shards, or give the workers more memory"


class Homes:
    """The homes of parts.

    `of` is the worker of each part that has one, `workers` those that are there, with their status;
    `moved` counts the parts that lost their home to a fault. glance: called while workers or data
    are waited for, with how many parts are ready. left: called with a part that leaves its home.
    """

    def __init__(
        self,
        client: Client,
        patience: float,
        glance: Callable[[int], None],
        left: Callable[[int], None],
    ) -> None:
        self.client, self.patience, self.glance, self.left = client, patience, glance, left
        self.of: dict[int, str] = {}
        self.workers: dict[str, str] = {}
        self.moved = 0
        self._scheduler: str | None = None  # which one it is: another knows nothing of ours
        self._there: set[int] = set()  # parts whose rows were with the worker already
        self._looked = -1e9
        self._short: dict[str, float] = {}  # workers that are short of memory, and since when

    def settle(self, parts: Mapping[int, Part]) -> None:
        """A home for each of these parts; a worker that came late takes its share. Not to be called
        while questions are under way, for that may move any part.
        """
        self.await_workers()
        for k in [k for k, home in self.of.items() if home not in self.workers]:
            self.lose(k)
        self._level()
        self.house({k: part for k, part in parts.items() if k not in self.of})

    def lose(self, k: int) -> None:
        """A part has no home any more, for a fault."""
        self._leave(k)
        self.moved += 1

    def gone(self, homes: set[str]) -> set[str]:
        """Those of some homes that are lost, or paused for want of memory for too long."""
        self.look()
        gone = homes - set(self.workers)
        now = time.monotonic()
        for worker, status in self.workers.items():
            if status != "paused":
                self._short.pop(worker, None)
            elif worker in homes and now - self._short.setdefault(worker, now) > self.patience:
                gone.add(worker)
        if gone and gone >= set(self.workers) and self.workers:
            raise ClusterError(f"every worker has been short of memory for a while: {ADVICE}")
        return gone

    def look(self, now: bool = False) -> None:
        """See who is there; not too often, unless it must be now."""
        if not now and time.monotonic() - self._looked < LOOK:
            return
        refuse_lost(self.client)
        self._looked = time.monotonic()
        with reached(self.client):
            # Not client.scheduler_info: what that returns may be another answer, without workers.
            info = self.client.sync(self.client.scheduler.identity, n_workers=-1)
        self._scheduler = self._scheduler or info["id"]
        if info["id"] != self._scheduler:
            raise scheduler_lost(self.client)
        found = info["workers"]
        self.workers = {worker: each.get("status", "running") for worker, each in found.items()}

    def await_workers(self) -> None:
        """Until there is one, for as long as patience lasts."""
        until = time.monotonic() + self.patience
        self.look(now=not self.workers)
        while not self.workers:
            if time.monotonic() > until:
                raise ClusterError(
                    f"the cluster at {address(self.client)} has had no worker for"
                    f" {self.patience:.0f} s: start one with `dask worker ADDRESS`"
                )
            self.glance(0)
            time.sleep(TURN)
            self.look()

    def _await_data(self, futures: Sequence[Future]) -> None:
        """Partitions are computed first, for a part is at home where its rows are."""
        while any(future.status == "pending" for future in futures):
            self.await_workers()
            self.glance(sum(future.done() for future in futures))
            time.sleep(TURN)

    def house(self, parts: Mapping[int, Part]) -> None:
        """A home for parts without one: the worker that has the fewest; for rows that are with a
        worker, that one.
        """
        self.await_workers()
        self._await_data([part.data for part in parts.values() if part.data is not None])
        counts = Counter(self.of.values())
        ready = self._ready()
        holders = self._holders([part.data for part in parts.values() if part.data is not None])
        for k, part in parts.items():
            there = set() if part.data is None else holders.get(part.data.key, set()) & set(ready)
            home = min(there or ready, key=lambda worker: (counts[worker], worker))
            self.of[k] = home
            counts[home] += 1
            if there:
                self._there.add(k)

    def _level(self) -> None:
        """No worker has two parts more than another that could take one, and would not have to
        fetch its rows from the first.
        """
        while self.of and (ready := self._ready()):
            counts = Counter(dict.fromkeys(ready, 0))
            counts.update(self.of.values())
            least = min(ready, key=lambda worker: (counts[worker], worker))
            many = {worker for worker, count in counts.items() if count - counts[least] > 1}
            free = [k for k, home in self.of.items() if home in many and k not in self._there]
            if not free:
                return
            k = max(free, key=lambda k: (counts[self.of[k]], self.of[k], k))
            self._leave(k)
            self.of[k] = least

    def _leave(self, k: int) -> None:
        self.of.pop(k, None)
        self._there.discard(k)
        self.left(k)

    def _holders(self, futures: Sequence[Future]) -> dict[Any, set[str]]:
        """Which workers have the partitions, by their keys."""
        if not futures:
            return {}
        with reached(self.client):
            return {key: set(found) for key, found in self.client.who_has(futures).items()}

    def _ready(self) -> list[str]:
        """The workers that take tasks; all of them, if none says that it does."""
        running = sorted(w for w, status in self.workers.items() if status == "running")
        return running or sorted(self.workers)
