"""Connections that cannot be held for nothing: Uvicorn's, with limits of number and time."""

import asyncio
import json
from typing import Any, cast

import h11
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from novikoff.serve.web.single_rows import Row, SingleRows

FULL = json.dumps({"problem": "too many connections; try again in a moment", "status": 503})
BUSY = (
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    f"Connection: close\r\nContent-Length: {len(FULL)}\r\n\r\n{FULL}"
).encode()
PATIENCE_SECONDS = 0.5  # for the body of a row
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

    def write_through(self, data: bytes) -> None:
        self.flush()
        self.transport.write(data)

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
    rows: SingleRows | None = None  # what answers requests for a row without an application

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        joined = JoinedWrites(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(joined)  # type: ignore[arg-type]
        self.seen: tuple[object, int, int] | None = None
        self.answering: asyncio.Task[None] | None = None  # a request for a row
        self.held, self.answered, self.last, self.ending = b"", 0, 0.0, False
        self.watch: asyncio.TimerHandle | None = None
        self.waiting: asyncio.TimerHandle | None = None
        if len(self.connections) > 2 * self.most:
            self.transport.abort()
            return
        if len(self.connections) > self.most:
            self.transport.write(BUSY)
            self.transport.close()
            return
        self.watch = self.loop.call_later(self.seconds, self._look)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.answering is not None:  # one after another
            self.held += data
            if len(self.held) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            return
        data, self.held = self.held + data, b""
        row = self.rows.row(data) if self.rows is not None and self._is_between() else None
        if row is None or row.missing < 0 or len(data) > HIGH_WATER_LIMIT:
            self._leave(data)
        elif row.missing:  # many clients send head and body one after the other
            self.held = data
            if self.waiting is None:
                self.waiting = self.loop.call_later(PATIENCE_SECONDS, self._leave)
        else:
            self._stop_waiting()
            self.answering = self.loop.create_task(self._answer(row))

    def _leave(self, data: bytes | None = None) -> None:
        """Leave what came to Uvicorn, which also knows what to do with a slow body."""
        self._stop_waiting()
        data, self.held = self.held if data is None else data, b""
        super().data_received(data)

    def _stop_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def _is_between(self) -> bool:
        """Whether h11 has seen all requests to their ends, and nothing of another."""
        link = self.conn
        idle = link.our_state is h11.IDLE and link.their_state is h11.IDLE
        return idle and not link.trailing_data[0]

    async def _answer(self, row: Row) -> None:
        """Answer a request for a row, and go on with what came meanwhile."""
        assert self.rows is not None
        host = self.client[0] if self.client else ""
        found, again = await self.rows.answer(row, host, self._default_headers())
        if self.flow.write_paused:
            await self.flow.drain()
        self.answering, data, self.held = None, self.held, b""
        self.answered += 1
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.transport.write_through(found)  # type: ignore[attr-defined]
        if self.ending or not again:
            self.transport.close()
            return
        self.last = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._end_when_idle(self.timeout_keep_alive)
        self.flow.resume_reading()
        if data:
            self.data_received(data)

    def _default_headers(self) -> bytes:
        return b"".join(b"%s: %s\r\n" % each for each in self.server_state.default_headers)

    def _end_when_idle(self, seconds: float) -> None:
        end = self.timeout_keep_alive_handler
        self.timeout_keep_alive_task = self.loop.call_later(seconds, end)

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection, unless a row was asked for since the timer was set."""
        rest = self.last + self.timeout_keep_alive - self.loop.time()
        if self.answering is not None or rest > 0.0:
            self._end_when_idle(max(rest, 1.0))
        else:
            super().timeout_keep_alive_handler()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.watch is not None:
            self.watch.cancel()
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        self.transport.lingers = False  # type: ignore[attr-defined]
        if self.answering is None:
            super().shutdown()
        self.ending = True

    def _look(self) -> None:
        """Close the connection if nothing has moved since the last look."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        idle = self.answering is None and (cycle is None or cycle.response_complete)
        now = (cycle, self.answered, self.transport.get_write_buffer_size())
        silent = idle and cycle is None and not self.answered
        if silent or (now == self.seen and (idle or now[2])):
            self.transport.abort()
            return
        self.seen = now
        self.watch = self.loop.call_later(self.seconds, self._look)
