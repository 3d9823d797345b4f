"""Requests for one row that come whole and in the usual form: answered without a framework.

A client sends the same head again and again. It is read by h11 and checked by the guard once, and
then known; whatever is unusual is left to Uvicorn and Starlette, which answer it in the same words.
"""

import logging
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import h11
from starlette.responses import Response

from novikoff.serve.json_text import ServiceError, dump
from novikoff.serve.messages import NAME
from novikoff.serve.service import DEFAULT
from novikoff.serve.web.guard import HEADERS, Guard, defect, refusal
from novikoff.serve.web.rows import JSON, RowHandler
from novikoff.serve.web.tokens import Right

#: Names in a head that change how it is to be answered, or that something else looks at.
UNUSUAL = {b"connection", b"expect", b"transfer-encoding", b"upgrade"}
LONGEST, KNOWN_HEADS = 1024, 1000  # bytes of a head, and heads that are known
END = b"\r\n\r\n"
GOOD = b"".join(b"%s: %s\r\n" % each for each in [(b"content-type", JSON.encode()), *HEADERS])


class Head(NamedTuple):
    """The head of a request for one row. size: of its body."""

    path: str
    route: str
    handler: RowHandler[Any]
    name: str
    size: int


class Row(NamedTuple):
    """A request for one row, as far as it has come."""

    head: Head
    body: bytes

    @property
    def missing(self) -> int:
        """How many bytes are still to come; below 0 if another request follows."""
        return self.head.size - len(self.body)


class SingleRows:
    """What answers them. handlers: by their paths, each with the right that it asks for."""

    def __init__(
        self, guard: Guard, handlers: Mapping[str, tuple[RowHandler[Any], Right]], most: int
    ) -> None:
        self.guard, self.handlers, self.most = guard, handlers, most
        self.heads: dict[bytes, Head] = {}

    def row(self, data: bytes) -> Row | None:
        """The request that these bytes begin with; None: something else."""
        size = data.find(END, 0, LONGEST)
        if size < 0:
            return None
        text = data[:size]
        head = self.heads.get(text) or self._head(text)
        return None if head is None else Row(head, data[size + len(END) :])

    def _head(self, text: bytes) -> Head | None:
        if not text.startswith(b"POST "):
            return None
        link = h11.Connection(h11.SERVER)
        try:
            link.receive_data(text + END)
            request = link.next_event()
            found = self._usual(request) if isinstance(request, h11.Request) else None
        except (h11.RemoteProtocolError, ServiceError):  # whose words it is not for us to find
            return None
        if found is not None:
            if len(self.heads) >= KNOWN_HEADS:
                self.heads.clear()
            self.heads[text] = found
        return found

    def _usual(self, request: h11.Request) -> Head | None:
        headers = {bytes(name): bytes(value) for name, value in request.headers}
        path = request.target.decode()
        *model, last = path.removeprefix("/models/").rsplit("/", 1)
        name = "".join(model) if path.startswith("/models/") else DEFAULT
        handler, right = self.handlers.get(f"/{last}", (None, Right.MANAGE))
        size = int(headers.get(b"content-length", b"0"))
        if (
            handler is None
            or not NAME.fullmatch(name)
            or len(headers) < len(request.headers)
            or path not in (f"/{last}", f"/models/{name}/{last}")
            or request.http_version != b"1.1"
            or headers.get(b"content-type") != JSON.encode()
            or not UNUSUAL.isdisjoint(headers)
            or size > self.most
            or self.guard.right([(bytes(n), bytes(v)) for n, v in request.headers]) < right
        ):
            return None
        route = path if name == DEFAULT and path == f"/{last}" else f"/models/{{name}}/{last}"
        return Head(path, route, handler, name, size)

    async def answer(self, row: Row, host: str, date: bytes) -> tuple[bytes, bool]:
        """The bytes of an answer, and whether the connection may be used again.

        host: where the request comes from. date: headers that every answer has.
        """
        began, status, head = time.perf_counter(), HTTPStatus.OK, row.head
        try:
            content = dump(await head.handler.one(row.body, head.name, host)).encode()
            size = b"content-length: %d\r\n" % len(content)
            found, again = b"HTTP/1.1 200 OK\r\n" + date + size + GOOD + b"\r\n" + content, True
        except Exception as error:
            if not isinstance(error, ServiceError):
                logging.getLogger("uvicorn.error").exception("Exception in a request for a row")
                error = defect()
            status, response = error.status, refusal(error)
            found, again = _bytes(response, date), "connection" not in response.headers
        seconds = time.perf_counter() - began
        self.guard.count("POST", head.path, head.route, status, seconds, host)
        return found, again


def _bytes(response: Response, date: bytes) -> bytes:
    status = HTTPStatus(response.status_code)
    start = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() + date
    headers = b"".join(b"%s: %s\r\n" % each for each in [*response.raw_headers, *HEADERS])
    return start + headers + b"\r\n" + bytes(response.body)
