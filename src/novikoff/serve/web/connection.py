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


class JoinedWrites:
    """A transport that sends together what is written at once: an answer's head and body."""

    most = 2**14  # bytes of a part that waits for others

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport, self.loop = transport, loop
        self.parts: list[bytes] = []

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
        self.flush()
        self.transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


class Connection(H11Protocol):
    """A connection that ends where its client neither asks nor reads."""

    most = 1000  # connections
    seconds = 30.0  # for the head of a request to come, and for an answer to be taken

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        joined = JoinedWrites(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(joined)  # type: ignore[arg-type]
        self.seen: tuple[object, int] | None = None
        self.watch: asyncio.TimerHandle | None = None
        if len(self.connections) > self.most:
            self.transport.write(BUSY)
            self.transport.close()
            return
        self.watch = self.loop.call_later(self.seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.watch is not None:
            self.watch.cancel()
        super().connection_lost(exc)

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
