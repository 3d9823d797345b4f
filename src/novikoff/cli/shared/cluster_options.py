"""Options for a cluster, the connection that they describe, and the data its workers open."""

import contextlib
import enum
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from novikoff.cli.shared.data_options import DataOptions
from novikoff.cli.shared.options import panel
from novikoff.errors import DataError, ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.cluster.workers.connection import Connection
    from novikoff.cluster.workers.dataset import Dataset, OpenRequest
    from novikoff.data.source import Opening

cluster_option = panel("Cluster")


class Mixing(enum.StrEnum):
    UNIFORM = "uniform"
    MISTAKES = "mistakes"


ClusterOption = Annotated[
    str | None,
    cluster_option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on the Dask cluster whose scheduler is at this address, such as"
        " tcp://HOST:8786, or in this scheduler file (.json); its workers read the data.",
    ),
]
WorkersOption = Annotated[
    int | None,
    cluster_option(
        "--workers",
        metavar="N",
        min=1,
        help="Work on a cluster of this many processes on this machine.",
    ),
]


def _shards(default: str) -> Any:
    return cluster_option(
        "--shards",
        metavar="N",
        min=1,
        help="Cut the data into this many pieces, whatever the number of workers.",
        show_default=default,
    )


SIZE = "by the size of the data: 128 MB each"
ShardsOption = Annotated[int | None, _shards(SIZE)]
#: Where shards change no answer.
FreeShardsOption = Annotated[int | None, _shards(f"{SIZE}, and at least one for each worker")]
MixingOption = Annotated[
    Mixing | None,
    cluster_option(
        "--mixing",
        help="After each epoch the weights of all shards are averaged: uniform, or in proportion to"
        " their mistakes.",
        show_default="uniform",
    ),
]


INEXACT = "exact decimals are judged on one machine only; leave either out"
ROLES = "models with roles are judged in memory, on one machine; leave either out"
RANKED = "rows are ranked where all of them are; leave either out"
FITTED = "a limit fit has all rows in memory; leave either out"
UNDRAWN = "what is drawn are the rows, and they stay with the workers"
ONLY_HERE = (
    "it is on this machine, but a worker does not find it: use a shared folder or an address"
)


class RemoteData(NamedTuple):
    """Data that workers are to open, with the attributes of a `Source` that are known before."""

    cluster: "Cluster"
    unopened: "OpenRequest"
    paths: tuple[str, ...]  # of files that are on this machine too
    replayable: bool = True

    @property
    def opening(self) -> "Opening":
        """How the data are to be opened."""
        from novikoff.data.source import Opening

        return Opening(options=self.unopened.options)


class Cluster(NamedTuple):
    """The cluster that a command line describes: one that is there, or processes of its own."""

    address: str | None
    workers: int | None
    shards: int | None = None
    mixing: Mixing = Mixing.UNIFORM

    @property
    def starting(self) -> str:
        """What is done until there is a client, for the status line."""
        if self.workers is None:
            return f"connecting to {self.address}"
        return f"starting {count(self.workers, 'worker')}"

    def connect(self) -> contextlib.AbstractContextManager["Connection"]:
        """Connect to the cluster, or start it; it is left, or ended, with the block."""
        from novikoff.cluster.workers.connection import (
            connect_to_cluster,
            mute_dask_logging,
            start_local_cluster,
        )

        mute_dask_logging()
        if self.workers is not None:
            return start_local_cluster(self.workers)
        assert self.address is not None
        return connect_to_cluster(self.address)

    def source(self, data: list[str], reading: DataOptions) -> RemoteData:
        """Name the data for the workers; refuse before a start what is certain to be refused."""
        from novikoff.cluster.workers import connection

        connection.require_dask()
        from novikoff.cluster.workers.dataset import OpenRequest

        if "-" in data:
            raise ParameterError(
                f"standard input can be read by one process only, and {self.option} has several:"
                " save it to a file first"
            )
        if reading.cache is not None:
            raise ParameterError(
                f"--cache: with {self.option} each worker keeps its own shards, in memory or in its"
                " own folder; leave --cache out"
            )
        if self.workers is not None:
            here = reading.open(data)  # the same machine: what is wrong with it can be said now
            if not here.replayable:
                raise ParameterError(f"{here.name}: a pipe can be read by one process only")
        names = data if self.workers is not None else [_absolute(each) for each in data]
        options = reading.options(names)
        unopened = OpenRequest(names if len(names) > 1 else names[0], options)
        paths = _here(names)
        if options.get("skipped_to") is not None:
            from novikoff.data.files.skipped_rows import refuse_side_file

            refuse_side_file(options["skipped_to"], paths)
        return RemoteData(self, unopened, paths)

    @contextlib.contextmanager
    def explain_missing_files(self, source: RemoteData) -> Iterator[None]:
        """Say so in the error if workers do not find files that are here."""
        try:
            yield
        except DataError as problem:
            named = source.unopened.paths
            names = {*source.paths, *([named] if isinstance(named, str) else named)}
            for name in names if self.workers is None and source.paths else ():
                for missing in (f"{name}: no such file", f"{name}: no file matches this pattern"):
                    if str(problem).startswith(missing):
                        raise DataError(f"{missing}: {ONLY_HERE}") from None
            raise

    @property
    def option(self) -> str:
        """The option that asked for it."""
        return "--workers" if self.address is None else "--cluster"

    def refuse(self, options: Mapping[str, object], why: str) -> None:
        """Refuse options that do not go with a cluster."""
        for name, value in options.items():
            if value:
                raise ParameterError(f"{name} cannot be had with {self.option}: {why}")


def cluster_from_options(
    address: str | None, workers: int | None, shards: int | None, mixing: Mixing | None = None
) -> Cluster | None:
    """The cluster that options describe; None if they describe none."""
    if address is not None and workers is not None:
        raise ParameterError(
            "--cluster and --workers contradict each other: the one is a cluster that is there, the"
            " other one of this machine's own"
        )
    if address is None and workers is None:
        for name, value in {"--shards": shards, "--mixing": mixing}.items():
            if value is not None:
                raise ParameterError(f"{name} is for --cluster or --workers")
        return None
    return Cluster(address, workers, shards, mixing or Mixing.UNIFORM)


def _absolute(name: str) -> str:
    """The absolute path of a file that is here: workers run in any folder."""
    return os.path.abspath(name) if _here([name]) else name  # noqa: PTH100  (patterns too)


def _here(names: list[str]) -> tuple[str, ...]:
    """The files on this machine that names and patterns stand for."""
    from novikoff.data.files.patterns import expand_paths

    found = []
    for name in names:
        with contextlib.suppress(DataError, OSError, ValueError):
            found += [each for each in expand_paths(name) if Path(each).exists()]
    return tuple(found)


def list_skipped(data: "Dataset", path: str | None) -> None:
    """Write the list of rows that workers left out; no file if there are none."""
    if path is None:
        return
    from novikoff.data.files.skipped_rows import write_list

    write_list(path, [row for summary in data.summaries for row in summary.skipped_rows])
