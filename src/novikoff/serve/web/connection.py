"""Connections that cannot be held for nothing: Uvicorn's, with limits of number and time."""

import asyncio
import json
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

FULL = json.dumps({"problem": "too many connections; try again in a moment", "status": 503})
BUSY = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    f"Connection: close\r\nContent-Length: {len(FULL)}\r\n\r\n{FULL}"
).encode()
LINGER_SECONDS = 2.0  # for a client that is still sending to see why it is refused


class JoinedWrites:
    """A transport that sends together what is written at once: an answer's head and body."""

    most = 2**14  # bytes of a part that waits for others

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport, self.loop = transport, loop
        self.parts: list[bytes] = []
        self.lingers, self.closing = True, False

    def write(self, data: bytes) -> None:
        if not self.parts:
            self.loop.call_soon(self.flush)
        self.parts.append(data)
        if len(data) > self.most or len(self.parts) > 8:
            self.flush()

    def flush(self) -> None:
        if self.parts:
            parts, self.parts = self.parts, []
            self.transport.write(b"".join(parts))

    def close(self) -> None:
        """Close in a moment: what comes until then is dropped, or it would void the answer."""
        self.flush()
        if not self.lingers or self.is_closing() or not self.transport.can_write_eof():
            self.transport.close()
            return
        self.closing = True
        self.transport.write_eof()
        self.transport.resume_reading()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def is_closing(self) -> bool:
        return self.closing or self.transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


class HttpConnection(H11Protocol):
    """A connection that ends where its client neither asks nor reads."""

    most = 1000  # connections
    seconds = 30.0  # for the head of a request to come, and for an answer to be taken

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        joined = JoinedWrites(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(joined)  # type: ignore[arg-type]
        self.seen: tuple[object, int] | None = None
        self.watch: asyncio.TimerHandle | None = None
        if len(self.connections) > 2 * self.most:
            self.transport.abort()
            return
        if len(self.connections) > self.most:
            self.transport.write(BUSY)
            self.transport.close()
            return
        self.watch = self.loop.call_later(self.seconds, self._look)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.watch is not None:
            self.watch.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        self.transport.lingers = False  # type: ignore[attr-defined]
        super().shutdown()

    def _look(self) -> None:
        """Close the connection if nothing has moved since the last look."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        idle = cycle is None or cycle.response_complete
        now = (cycle, self.transport.get_write_buffer_size())
        if cycle is None or (now == self.seen and (idle or now[1])):
            self.transport.abort()
            return
        self.seen = now
        self.watch = self.loop.call_later(self.seconds, self._look)
