"""A cluster to work on: one that is there already, or workers of our own on this machine."""

import asyncio
import contextlib
import http.client
import importlib
import importlib.util
import json
import logging
import signal
import threading
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

from novikoff.errors import ClusterError, ParameterError
from novikoff.sources.blocks import processors

PATIENCE = 10.0  # seconds to wait for a scheduler
SILENT = logging.CRITICAL + 1
TALKERS = ("distributed", "tornado", "asyncio", "bokeh")
#: Of these all workers and the scheduler need what the client has: the first so many numbers of it.
ALIKE = {"novikoff": 3, "python": 2, "distributed": 2, "dask": 2, "numpy": 1}


class Connection(NamedTuple):
    """A client of a cluster, where its dashboard is, if it has one, and how many workers it had at
    the start.
    """

    client: Any
    dashboard: str | None
    workers: int


@contextlib.contextmanager
def connected(address: str, patience: float | None = None) -> Iterator[Connection]:
    """A client of the cluster whose scheduler is at this address.

    address: such as tcp://10.0.0.1:8786, or the path of a scheduler's file (--scheduler-file of
    Dask's own commands), which ends in .json.
    """
    distributed = _distributed()
    scheduler = _scheduler(address)
    patience = PATIENCE if patience is None else patience
    with _quiet(), contextlib.ExitStack() as stack:
        try:
            _reach(scheduler, patience)  # a client that reaches nobody cannot be closed in peace
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
                client = distributed.Client(scheduler, timeout=patience, set_as_default=False)
            stack.enter_context(_closing(client))
        except (OSError, TimeoutError):
            raise ClusterError(
                f"no scheduler answers at {address} within {patience:g} s: start one with"
                " `dask scheduler`, or give the address it prints"
            ) from None
        except (ValueError, TypeError, KeyError, ImportError, OverflowError) as problem:
            raise ClusterError(f"{address}: no address of a scheduler: {problem}") from None
        workers = _refuse_other_versions(client, address)
        yield Connection(client, _dashboard(client), workers)


@contextlib.contextmanager
def started(workers: int) -> Iterator[Connection]:
    """A cluster of so many processes on this machine, which end with the block."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ParameterError(f"workers must be a whole number above 0, not {workers!r}")
    distributed = _distributed()
    resource_tracker.ensure_running()  # which lets signals through again, once it has started
    with _quiet(), contextlib.ExitStack() as stack:
        with _uninterrupted():  # else Ctrl-C could leave processes behind that nobody knows of
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=max(1, processors() // workers),
                processes=True,
                host="127.0.0.1",
                silence_logs=SILENT,
                dashboard_address="127.0.0.1:0",
                memory_limit="auto",
            )
            stack.enter_context(_closing(cluster))
            client = distributed.Client(cluster, timeout=PATIENCE, set_as_default=False)
            stack.enter_context(_closing(client))
        dashboard = _dashboard(client) if importlib.util.find_spec("bokeh") else None
        yield Connection(client, dashboard, workers)


def silence() -> None:
    """Have Dask say nothing until this process ends: for commands, whose standard error is theirs.

    It talks even while Python shuts down, when what was made quiet for a while is so no longer.
    """
    _distributed()
    for name in TALKERS:
        logging.getLogger(name).setLevel(SILENT)


def needed() -> None:
    """Say so if Dask is not there."""
    _distributed()


def _distributed() -> Any:
    try:
        importlib.import_module("psutil")
        return importlib.import_module("distributed")
    except ModuleNotFoundError as problem:
        raise ClusterError(
            f"a cluster needs Dask, and {problem.name} is not installed: run"
            " pip install 'novikoff[cluster]'"
        ) from None


def _scheduler(address: str) -> str:
    """Its address, which may be in a file."""
    if not address.endswith(".json"):
        return address
    if not Path(address).is_file():
        raise ClusterError(f"{address}: there is no such scheduler file")
    try:
        return str(json.loads(Path(address).read_text())["address"])
    except (ValueError, KeyError, TypeError):
        raise ClusterError(f"{address}: this is no scheduler file of Dask") from None


def _reach(scheduler: str, patience: float) -> None:
    """Shake hands, in a loop of its own: notebooks have one running."""
    comm, security = importlib.import_module("distributed.comm"), _distributed().Security()

    async def greet() -> None:
        link = await comm.connect(
            scheduler, timeout=patience, **security.get_connection_args("client")
        )
        await link.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, greet()).result()


def _dashboard(client: Any) -> str | None:
    """Its address. A scheduler names one even if it serves none; one that is beyond our reach may
    be within that of a browser.
    """
    found = str(client.dashboard_link)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(found, timeout=1.0):
            return found
    except (urllib.error.HTTPError, http.client.HTTPException, ValueError):
        return None
    except OSError:
        return found


def _refuse_other_versions(client: Any, address: str) -> int:
    """Answers are the same everywhere only if the programs are; and pickles must be readable.

    Returns how many workers there are.
    """
    found = client.get_versions(packages=["novikoff"])
    ours = _versions(found["client"])
    others = {f"the worker {worker}": each for worker, each in found["workers"].items()}
    for who, each in [("the scheduler", found["scheduler"]), *others.items()]:
        theirs = {} if each is None else _versions(each)
        for package, parts in ALIKE.items():
            have = theirs.get(package)
            if package == "novikoff" and have is None:
                raise ClusterError(
                    f"{who} of {address} has no novikoff: install it with its extra `cluster` there"
                )
            need = ours[package]
            if have is not None and have.split(".")[:parts] != need.split(".")[:parts]:
                raise ClusterError(
                    f"{who} of {address} has {package} {have}, and here it is {need}: install the"
                    " same version on both"
                )
    return len(others)


def _versions(found: Any) -> dict[str, str]:
    host = dict(found["host"])
    packages = {name: str(version) for name, version in found["packages"].items() if version}
    return packages | {"python": str(host["python"])}


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dask says nothing on standard error: what matters is told as an error of ours."""
    loggers = [logging.getLogger(name) for name in TALKERS]
    some: list[Any] = [each for logger in loggers for each in (logger, *logger.handlers)]
    levels = [(each, each.level) for each in some]
    for each in some:
        each.setLevel(SILENT)
    try:
        yield
    finally:
        for each, level in levels:
            each.setLevel(level)


@contextlib.contextmanager
def _closing(what: Any) -> Iterator[None]:
    try:
        yield
    finally:
        with _uninterrupted(), contextlib.suppress(OSError, RuntimeError, TimeoutError):
            what.close()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until the end of the block.

    Processes that are started in it, and by threads that are, never see a Ctrl-C of the terminal:
    it is for us to end them.
    """
    came: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        handlers[signal.SIGTERM] = signal.signal(
            signal.SIGTERM, lambda number, _: came.append(number)
        )
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in came[:1]:
            signal.raise_signal(number)
