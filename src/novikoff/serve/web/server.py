"""The life of the server: from a free port to a signal, after which nothing is lost."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import uvicorn

from novikoff.errors import NovikoffError, ParameterError
from novikoff.network.addresses import LOOPBACK, bind, bracketed, is_loopback, url
from novikoff.serve import snapshots
from novikoff.serve.service import Service
from novikoff.serve.settings import ServiceSettings
from novikoff.serve.web.connection import HttpConnection
from novikoff.serve.web.guard import log, log_to_stderr
from novikoff.serve.web.readers import Readers
from novikoff.serve.web.routes import application
from novikoff.serve.web.tokens import Tokens

GRACE_SECONDS = 10  # for requests under way when the server is to end
HEAD = 2**15  # bytes of a request's head

#: Called with the URL, that of the readers, and with what stops the server.
Ready = Callable[[str, str | None, Callable[[], object]], None]


class Server(uvicorn.Server):
    """Uvicorn's server, which leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(
    settings: ServiceSettings, recipe: dict[str, Any] | None, origin: bytes | None, ready: Ready
) -> None:
    """Serve until SIGINT or SIGTERM, or until told to stop.

    ready: called once requests are answered, with the URLs and what stops the server.
    """
    local = is_loopback(settings.host)
    if not local and settings.token_file is None:
        raise ParameterError(
            f"--host {settings.host}: others can reach it, so a --token-file is needed"
        )
    tokens = Tokens(settings.token_file)
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(bind(settings.host, settings.port))
        readers = None
        if settings.readers:
            port = listener.getsockname()[1] + 1 if settings.port else 0
            port = port if settings.readers_port is None else settings.readers_port
            shared = stack.enter_context(bind(settings.host, port))
            readers = stack.enter_context(Readers(settings, shared, run_reader))
        asyncio.run(_learn(settings, tokens, listener, recipe, origin, readers, ready))


def run_reader(settings: ServiceSettings, listener: socket.socket) -> None:
    """A process that predicts, and ends when the one that learns has ended."""
    log_to_stderr()
    asyncio.run(_read(settings, Tokens(settings.token_file), listener))


def allowed_hosts(settings: ServiceSettings) -> frozenset[str] | None:
    """What requests may call the service; None: anything."""
    own = LOOPBACK | {bracketed(settings.host)} if is_loopback(settings.host) else frozenset()
    return own | set(settings.hosts) or None


async def _learn(
    settings: ServiceSettings,
    tokens: Tokens,
    listener: socket.socket,
    recipe: dict[str, Any] | None,
    origin: bytes | None,
    readers: Readers | None,
    ready: Ready,
) -> None:
    service = Service(settings)
    try:
        service.restore()
        service.ensure_default(recipe, origin)
        snapshots.remove_leftovers(service)
        others = [snapshots.tend(service), *([readers.tend()] if readers else [])]

        def announce(stop: Callable[[], object]) -> None:
            address = _url(settings, readers.listener) if readers else None
            ready(_url(settings, listener), address, stop)

        await _run(_server(settings, service, tokens), service, listener, others, announce)
        with contextlib.suppress(NovikoffError, OSError):  # the journal has it all anyway
            await snapshots.take_due_snapshots(service, 1)
    finally:
        await service.close()


async def _read(settings: ServiceSettings, tokens: Tokens, listener: socket.socket) -> None:
    service = Service(settings, reads_only=True)
    parent, server = os.getppid(), _server(settings, service, tokens)

    async def end_with_the_learner() -> None:
        while os.getppid() == parent:
            await asyncio.sleep(1.0)
        server.should_exit = service.ending = True

    try:
        service.restore()
        others = [snapshots.tend(service), end_with_the_learner()]
        await _run(server, service, listener, others, lambda _: None)
    finally:
        await service.close()


def _url(settings: ServiceSettings, listener: socket.socket) -> str:
    scheme = "https" if settings.tls_certificate else "http"
    return url(settings.host, listener.getsockname()[1], scheme)


def _server(settings: ServiceSettings, service: Service, tokens: Tokens) -> Server:
    app, rows = application(service, tokens, allowed_hosts(settings))
    facts = {
        "most": settings.limits.connections,
        "seconds": settings.limits.seconds,
        "rows": None if settings.proxies else rows,  # Uvicorn knows what a proxy's word means
    }
    config = uvicorn.Config(
        app,
        http=type("LimitedConnection", (HttpConnection,), facts),
        ws="none",
        lifespan="off",
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
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
    server: Server,
    service: Service,
    listener: socket.socket,
    others: list[Coroutine[Any, Any, None]],
    ready: Callable[[Callable[[], object]], None],
) -> None:
    """Answer requests until a signal comes, with others going on beside."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = service.ending = True

    with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
        for each in (signal.SIGINT, signal.SIGTERM):  # not in the main thread: `stop` ends it
            loop.add_signal_handler(each, stop)
    beside = [asyncio.ensure_future(each) for each in others]
    serving = asyncio.ensure_future(server.serve([listener]))
    try:
        while not (server.started or serving.done()):
            await asyncio.sleep(0.01)
        facts = {"reads_only": service.reads_only, "journal": str(service.settings.journal)}
        log("start", port=listener.getsockname()[1], **facts, models=[*service.models])
        ready(lambda: loop.call_soon_threadsafe(stop))
        await serving
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        log("stop")
