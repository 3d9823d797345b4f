"""The life of the server: from a free port to a signal, after which nothing is lost."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from novikoff.errors import NovikoffError, ParameterError
from novikoff.network.addresses import LOOPBACK, bind, bracketed, is_loopback, url
from novikoff.serve import snapshots
from novikoff.serve.service import Service
from novikoff.serve.settings import Settings
from novikoff.serve.web.connection import Connection
from novikoff.serve.web.guard import log
from novikoff.serve.web.routes import application
from novikoff.serve.web.tokens import Tokens

GRACE_SECONDS = 10  # for requests under way when the server is to end
HEAD = 2**15  # bytes of a request's head

#: Called with the URL and with what stops the server.
Ready = Callable[[str, Callable[[], object]], None]


class Server(uvicorn.Server):
    """Uvicorn's server, which leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(
    settings: Settings, recipe: dict[str, Any] | None, origin: bytes | None, ready: Ready
) -> None:
    """Serve until SIGINT or SIGTERM, or until told to stop.

    ready: called once requests are answered, with the URL and what stops the server.
    """
    local = is_loopback(settings.host)
    if not local and settings.token_file is None:
        raise ParameterError(
            f"--host {settings.host}: others can reach it, so a --token-file is needed"
        )
    tokens = Tokens(settings.token_file)
    listener = bind(settings.host, settings.port)
    try:
        asyncio.run(_serve(settings, tokens, listener, recipe, origin, ready))
    finally:
        listener.close()


def allowed_hosts(settings: Settings) -> frozenset[str] | None:
    """What requests may call the service; None: anything."""
    own = LOOPBACK | {bracketed(settings.host)} if is_loopback(settings.host) else frozenset()
    return own | set(settings.hosts) or None


async def _serve(
    settings: Settings,
    tokens: Tokens,
    listener: socket.socket,
    recipe: dict[str, Any] | None,
    origin: bytes | None,
    ready: Ready,
) -> None:
    service = Service(settings)
    try:
        service.restore()
        service.ensure_default(recipe, origin)
        snapshots.remove_leftovers(service)
        await _run(settings, _server(settings, service, tokens), service, listener, ready)
        with contextlib.suppress(NovikoffError, OSError):  # the journal has it all anyway
            await snapshots.take_due_snapshots(service, 1)
    finally:
        await service.close()


def _server(settings: Settings, service: Service, tokens: Tokens) -> Server:
    limits = {"most": settings.limits.connections, "seconds": settings.limits.seconds}
    config = uvicorn.Config(
        application(service, tokens, allowed_hosts(settings)),
        http=type("LimitedConnection", (Connection,), limits),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=HEAD,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
    )
    return Server(config)


async def _run(
    settings: Settings, server: Server, service: Service, listener: socket.socket, ready: Ready
) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = service.ending = True

    with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
        for each in (signal.SIGINT, signal.SIGTERM):  # not in the main thread: `stop` ends it
            loop.add_signal_handler(each, stop)
    tending = asyncio.ensure_future(snapshots.tend(service))
    serving = asyncio.ensure_future(server.serve([listener]))
    try:
        port = listener.getsockname()[1]
        while not (server.started or serving.done()):
            await asyncio.sleep(0.01)
        scheme = "https" if settings.tls_certificate else "http"
        log("start", port=port, journal=str(settings.journal), models=[*service.models])
        ready(url(settings.host, port, scheme), lambda: loop.call_soon_threadsafe(stop))
        await serving
    finally:
        tending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tending
        log("stop")
