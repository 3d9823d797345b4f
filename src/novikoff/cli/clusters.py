"""Options for a cluster, and how a command comes by one and by its data."""

import contextlib
import enum
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from novikoff.cli.reading import Reading
from novikoff.errors import DataError, ParameterError

PANEL = "Cluster"


class Mixing(enum.StrEnum):
    UNIFORM = "uniform"
    MISTAKES = "mistakes"


ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on the Dask cluster whose scheduler is at this address, such as"
        " tcp://HOST:8786, or in this scheduler file (.json); its workers read the data.",
        rich_help_panel=PANEL,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Work on a cluster of so many processes on this machine.",
        rich_help_panel=PANEL,
    ),
]


def _shards(default: str) -> Any:
    return typer.Option(
        "--shards",
        metavar="N",
        min=1,
        help="Cut the data into so many pieces, whatever the number of workers.",
        show_default=default,
        rich_help_panel=PANEL,
    )


SIZE = "by the size of the data: 128 MB each"
ShardsOption = Annotated[int | None, _shards(SIZE)]
#: Where shards change no answer.
FreeShardsOption = Annotated[int | None, _shards(f"{SIZE}, and at least one for each worker")]
MixingOption = Annotated[
    Mixing | None,
    typer.Option(
        "--mixing",
        help="After each epoch the weights of all shards are averaged: uniform, or in proportion to"
        " their mistakes.",
        show_default="uniform",
        rich_help_panel=PANEL,
    ),
]


UNDRAWN = "what is drawn are the rows, and they stay with the workers"
ONLY_HERE = (
    "it is on this machine, but a worker does not find it: use a shared folder or an address"
)


class Distant(NamedTuple):
    """Data that workers are to open; as much of a source as is known before."""

    unopened: Any
    paths: tuple[str, ...]  # of files that are on this machine too
    asked: Mapping[str, Any]
    replayable: bool = True


class Cluster(NamedTuple):
    """What a command line says about a cluster: one that is there, or processes of its own."""

    address: str | None
    workers: int | None
    shards: int | None = None
    mixing: Mixing = Mixing.UNIFORM

    @property
    def starting(self) -> str:
        """What is done before there is a client."""
        if self.workers is None:
            return f"connecting to {self.address}"
        return f"starting {self.workers:,} worker{'s' * (self.workers != 1)}"

    @contextlib.contextmanager
    def joined(self) -> Iterator[Any]:
        """Its client, and what else is known of it: see `local.Connection`."""
        from novikoff.cluster.local import connected, silence, started

        silence()
        if self.workers is not None:
            opened = started(self.workers)
        else:
            assert self.address is not None
            opened = connected(self.address)
        with opened as found:
            yield found

    def source(self, data: list[str], reading: Reading) -> Distant:
        """The data, by their names. What is certain to be refused is refused before a start."""
        from novikoff.cluster import local

        local.needed()
        from novikoff.cluster.data import Unopened

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
        unopened = Unopened(names if len(names) > 1 else names[0], options)
        paths = _here(names)
        if options.get("skipped_to") is not None:
            from novikoff.sources.skipping import refuse_side_file

            refuse_side_file(options["skipped_to"], paths)
        return Distant(unopened, paths, options)

    @contextlib.contextmanager
    def explained(self, source: Distant) -> Iterator[None]:
        """Say so if workers do not find files that are here."""
        try:
            yield
        except DataError as problem:
            names = source.unopened.paths
            names = {*source.paths, *([names] if isinstance(names, str) else names)}
            for name in names if self.workers is None and source.paths else ():
                for missing in (f"{name}: no such file", f"{name}: no file matches this pattern"):
                    if str(problem).startswith(missing):
                        raise DataError(f"{missing}: {ONLY_HERE}") from None
            raise

    @property
    def option(self) -> str:
        """How it was asked for."""
        return "--workers" if self.address is None else "--cluster"

    def refuse(self, options: Mapping[str, Any], why: str) -> None:
        """Refuse what was asked for besides."""
        for name, value in options.items():
            if value:
                raise ParameterError(f"{name} cannot be had with {self.option}: {why}")


def chosen(
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


def refuse_decimal(spread: Cluster, decimal: bool) -> None:
    """Their products take Python's own numbers, row by row."""
    why = "exact decimals are judged on one machine only; leave either out"
    spread.refuse({"--decimal": decimal}, why)


def _absolute(name: str) -> str:
    """A file that is here is most likely there under the same path; workers run in any folder."""
    return os.path.abspath(name) if _here([name]) else name  # noqa: PTH100  (patterns too)


def _here(names: list[str]) -> tuple[str, ...]:
    """The files on this machine that names mean."""
    from novikoff.sources.paths import found_paths

    found = []
    for name in names:
        with contextlib.suppress(DataError, OSError, ValueError):
            found += [each for each in found_paths(name) if Path(each).exists()]
    return tuple(found)


def list_skipped(data: Any, path: str | None) -> None:
    """The rows that workers left out, in the file for them; there is none if there are none."""
    if path is None:
        return
    from novikoff.sources.skipping import write_list

    write_list(path, [row for found in data.founds for row in found.listed])
