"""Connections to a cluster: one that is running, or local workers started for one command."""

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
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from novikoff.data.files.parallel import processors
from novikoff.errors import ClusterError, ParameterError

if TYPE_CHECKING:
    from distributed import Client

CONNECT_TIMEOUT = 10.0  # seconds to wait for a scheduler
SILENT = logging.CRITICAL + 1
LOGGERS = ("distributed", "tornado", "asyncio", "bokeh")
#: How many numbers of each version must be the same on the client, the scheduler and all workers.
COMPARED_VERSIONS = {"novikoff": 3, "python": 2, "distributed": 2, "dask": 2, "numpy": 1}


class Connection(NamedTuple):
    """A client of a cluster, the address of its dashboard, if it has one, and the number of
    workers at the start.
    """

    client: "Client"
    dashboard: str | None
    workers: int


class _Closable(Protocol):
    def close(self) -> object: ...


@contextlib.contextmanager
def connect_to_cluster(address: str, timeout: float | None = None) -> Iterator[Connection]:
    """Connect to the cluster whose scheduler is at this address.

    address: such as tcp://10.0.0.1:8786, or the path of a scheduler's file (--scheduler-file of
    Dask's own commands), which ends in .json.
    """
    distributed = require_dask()
    scheduler = _scheduler_address(address)
    timeout = CONNECT_TIMEOUT if timeout is None else timeout
    with _muted_logging(), contextlib.ExitStack() as stack:
        try:
            _shake_hands(scheduler, timeout)  # a client that reaches nobody cannot be closed well
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
                client = distributed.Client(scheduler, timeout=timeout, set_as_default=False)
            stack.enter_context(_closing(client))
        except (OSError, TimeoutError):
            raise ClusterError(
                f"no scheduler answers at {address} within {timeout:g} s: start one with"
                " `dask scheduler`, or give the address it prints"
            ) from None
        except (ValueError, TypeError, KeyError, ImportError, OverflowError) as problem:
            raise ClusterError(f"{address}: no address of a scheduler: {problem}") from None
        workers = _require_same_versions(client, address)
        yield Connection(client, _dashboard(client), workers)


@contextlib.contextmanager
def start_local_cluster(workers: int) -> Iterator[Connection]:
    """Start a cluster of this many processes on this machine; they end with the block."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ParameterError(f"workers must be a whole number above 0, not {workers!r}")
    distributed = require_dask()
    resource_tracker.ensure_running()  # which lets signals through again, once it has started
    with _muted_logging(), contextlib.ExitStack() as stack:
        with _signals_deferred():  # else Ctrl-C could leave processes behind that nobody knows of
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
            client = distributed.Client(cluster, timeout=CONNECT_TIMEOUT, set_as_default=False)
            stack.enter_context(_closing(client))
        dashboard = _dashboard(client) if importlib.util.find_spec("bokeh") else None
        yield Connection(client, dashboard, workers)


def mute_dask_logging() -> None:
    """Mute Dask until this process ends: for commands, whose standard error is their own.

    Dask logs even while Python shuts down, when a mute for a while has ended.
    """
    require_dask()
    for name in LOGGERS:
        logging.getLogger(name).setLevel(SILENT)


def require_dask() -> ModuleType:
    """The module `distributed`; an error if Dask is not installed."""
    try:
        importlib.import_module("psutil")
        return importlib.import_module("distributed")
    except ModuleNotFoundError as problem:
        raise ClusterError(
            f"a cluster needs Dask, and {problem.name} is not installed: run"
            " pip install 'novikoff[cluster]'"
        ) from None


def _scheduler_address(address: str) -> str:
    """The address of a scheduler, which may be in a file."""
    if not address.endswith(".json"):
        return address
    if not Path(address).is_file():
        raise ClusterError(f"{address}: there is no such scheduler file")
    try:
        return str(json.loads(Path(address).read_text())["address"])
    except (ValueError, KeyError, TypeError):
        raise ClusterError(f"{address}: this is no scheduler file of Dask") from None


def _shake_hands(scheduler: str, timeout: float) -> None:
    """Connect once, in an event loop of its own: notebooks have one running."""
    comm, security = importlib.import_module("distributed.comm"), require_dask().Security()

    async def connect() -> None:
        link = await comm.connect(
            scheduler, timeout=timeout, **security.get_connection_args("client")
        )
        await link.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, connect()).result()


def _dashboard(client: "Client") -> str | None:
    """The address of the dashboard. A scheduler names one even if it serves none; one that this
    process does not reach may still be reached by a browser.
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


def _require_same_versions(client: "Client", address: str) -> int:
    """Refuse workers with other versions: results are the same everywhere only if the programs
    are, and pickles must be readable. Returns the number of workers.
    """
    found = client.get_versions(packages=["novikoff"])
    ours = _versions(found["client"])
    others = {f"the worker {worker}": each for worker, each in found["workers"].items()}
    for who, each in [("the scheduler", found["scheduler"]), *others.items()]:
        theirs = {} if each is None else _versions(each)
        for package, parts in COMPARED_VERSIONS.items():
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


def _versions(found: dict[str, Any]) -> dict[str, str]:
    """The versions of Python and of packages, in an answer of `Client.get_versions`."""
    host = dict(found["host"])
    packages = {name: str(version) for name, version in found["packages"].items() if version}
    return packages | {"python": str(host["python"])}


@contextlib.contextmanager
def _muted_logging() -> Iterator[None]:
    """Mute Dask for a while: what matters is raised as an error of ours."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    some: list[logging.Logger | logging.Handler] = [*loggers]
    some += [handler for logger in loggers for handler in logger.handlers]
    levels = [(each, each.level) for each in some]
    for each in some:
        each.setLevel(SILENT)
    try:
        yield
    finally:
        for each, level in levels:
            each.setLevel(level)


@contextlib.contextmanager
def _closing(what: _Closable) -> Iterator[None]:
    try:
        yield
    finally:
        with _signals_deferred(), contextlib.suppress(OSError, RuntimeError, TimeoutError):
            what.close()


@contextlib.contextmanager
def _signals_deferred() -> Iterator[None]:
    """Defer Ctrl-C and SIGTERM to the end of the block.

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
