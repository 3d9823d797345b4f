"""A cluster that `check` and `verify` ask about rows which stay with its workers."""

import contextlib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from novikoff.cli.shared.cluster_options import RemoteData
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cluster.workers.connection import Connection
from novikoff.cluster.workers.shard_client import ShardClient
from novikoff.data import Source
from novikoff.data import open as open_source
from novikoff.data.shards import TooManyShardsError, cut

Answer = TypeVar("Answer")


class ClusterSession(NamedTuple):
    """A connection to a cluster, the data that its workers open, and the progress shown."""

    source: RemoteData
    connection: Connection
    progress: SearchProgress

    def with_best_shard_count(self, ask: Callable[[int | None], Answer]) -> Answer:
        """Call ask(shards). Shards change no answer, so each worker gets one, if the data can be
        cut that often.
        """
        cluster = self.source.cluster
        with cluster.explain_missing_files(self.source):
            shards, workers = cluster.shards, self.connection.workers
            more = None
            if shards is None and workers > 1:
                client = ShardClient(self.connection.client, [], self.progress.glance)
                more = client.run_on_any_worker(more_shards, *self.source.unopened, workers)
            if more is None:
                return ask(shards)
            try:
                return ask(more)
            except TooManyShardsError:
                # With line ends in quotes, there are fewer places to cut at than it seemed.
                self.progress.shards = 0
                return ask(None)


@contextlib.contextmanager
def session(source: RemoteData, progress: SearchProgress) -> Iterator[ClusterSession]:
    """Connect to the cluster of some data, and say where its dashboard is."""
    progress.begin(source.cluster.starting)
    with source.cluster.connect() as connection:
        progress.status.welcome(connection.dashboard)
        yield ClusterSession(source, connection, progress)


def more_shards(paths: str | list[str], options: dict[str, Any], workers: int) -> int | None:
    """One shard for each worker, or as many as there can be; None if the size of the data suggests
    no fewer. Called on a worker, which sees the data.
    """
    source = open_source(paths, **options)
    by_size = len(cut(source))
    if by_size >= workers:
        return None
    if not _too_many(source, workers):
        return workers
    between = range(by_size + 1, workers)
    found = bisect_left(between, True, key=lambda shards: _too_many(source, shards))
    return by_size + found if found else None


def _too_many(source: Source, shards: int) -> bool:
    try:
        cut(source, shards)
    except TooManyShardsError:
        return True
    return False
