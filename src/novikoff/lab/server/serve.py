"""The server's life: from a free port to a signal.

It keeps nobody's state. Whoever cannot be answered is told why, and the server goes on.
"""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable

from threadpoolctl import threadpool_limits
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from novikoff.errors import NovikoffError
from novikoff.jit import compile_at_once
from novikoff.lab import assets, limits
from novikoff.lab.page_data import page_data
from novikoff.lab.server.request_pool import RequestPool
from novikoff.lab.server.routes import application, state_query
from novikoff.lab.state.settings import RULES
from novikoff.network.addresses import hosts, no_listener, url

SETTINGS = {
    "max_header_size": limits.HEADERS,
    "max_body_size": limits.READ,
    "body_timeout": limits.BODY_SECONDS,
    "idle_connection_timeout": limits.IDLE_SECONDS,
}

Ready = Callable[[str, Callable[[], None]], None]


def serve(host: str, port: int, ready: Ready, first: str = "") -> None:
    """Serve until SIGINT or SIGTERM (in the main thread), or until told to stop.

    host: a name or address of this machine; port: 0 for any that is free. ready: called once the
    server answers without delay, with its URL and what stops it, from any thread. first: the
    address that will be asked for first. A ParameterError says why the server cannot be had.
    """
    with threadpool_limits(1):  # for matrices so small, more threads only wait for each other
        asyncio.run(_serve(host, port, ready, first))


async def _serve(host: str, port: int, ready: Ready, first: str) -> None:
    sockets = _bind(host, port)
    pool = RequestPool()
    server = HTTPServer(application(pool, hosts(host)), **SETTINGS)
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    try:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, over.set)
    except (NotImplementedError, ValueError, RuntimeError):
        pass  # Windows, or not the main thread: KeyboardInterrupt, or `ready`'s caller, ends it

    def stop() -> None:
        loop.call_soon_threadsafe(over.set)

    ended = asyncio.ensure_future(over.wait())
    try:
        server.add_sockets(sockets)
        warm = asyncio.ensure_future(_warm(pool, first))
        await asyncio.wait({warm, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not over.is_set():
            ready(url(host, sockets[0].getsockname()[1]), stop)
        await ended
    finally:
        server.stop()
        await server.close_all_connections()
        pool.close()


async def _warm(pool: RequestPool, first: str) -> None:
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(pool.pool, _compile)
    asked = state_query(first)
    with contextlib.suppress(NovikoffError):  # whoever asks again is told
        await pool.ask(asked.name, asked.work)


def _compile() -> None:
    """Load and compile what answers need, so that the first of them take no longer than others."""
    compile_at_once()
    assets.bokeh()
    assets.page()
    states = [f"rule={rule}" for rule in RULES]
    for state in [*states, "order=shuffle", "tab=winnow", "tab=capacity&trials=1"]:
        page_data(state, charts=False)


def _bind(host: str, port: int) -> list[socket.socket]:
    try:
        return bind_sockets(port, host)
    except OSError as error:
        raise no_listener(host, port, error) from None
