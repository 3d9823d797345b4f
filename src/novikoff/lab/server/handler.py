"""The base of all request handlers: who may ask, how an answer is sent, and how one is refused.

A refusal is a sentence: as {"problem": ...} where a script asks (POST), as plain text where a
person follows a link (GET). A defect of the server is said to be one, with its traceback on
standard error only.
"""

import asyncio
import gzip
import json
import sys
import traceback
from collections.abc import Callable, Hashable
from http import HTTPStatus
from types import TracebackType
from typing import Any

from tornado.web import Finish, HTTPError, RequestHandler, stream_request_body

from novikoff.errors import NovikoffError
from novikoff.lab.limits import BODY
from novikoff.lab.server.request_pool import BusyError, RequestPool

JSON = "application/json"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Server": "novikoff",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
DEFECT = "this is a defect of novikoff, not of what was asked; the server's terminal says more"
BUSY = "too many questions at a time; try again in a moment"


class RefusalError(Exception):
    """A request that is not answered: its status, and why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


@stream_request_body  # so that no more of a body is kept, or parsed, than is allowed
class Handler(RequestHandler):
    """One request. The application's settings have the `pool`, and the `hosts` it answers to."""

    caching = "no-store"
    pending: asyncio.Future[bytes] | None = None
    left = False  # whether the client has gone

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", self.caching)

    def prepare(self) -> None:
        self.body, self.received = bytearray(), 0
        hosts: frozenset[str] | None = self.settings["hosts"]
        if hosts is not None and self.request.host_name not in hosts:
            # or a page from elsewhere, whose name is made to point here, could ask and read answers
            raise RefusalError(HTTPStatus.FORBIDDEN, f"ask for {' or '.join(sorted(hosts))}")

    def data_received(self, chunk: bytes) -> None:
        self.received += len(chunk)
        if self.received <= BODY:
            self.body += chunk

    def on_connection_close(self) -> None:
        super().on_connection_close()  # no more of the body comes: nothing must wait for it
        self.left = True
        if self.pending is not None:
            self.pending.cancel()

    async def ask(self, name: Hashable, work: Callable[[], bytes], *, keep: bool = True) -> bytes:
        """The answer to a question, given up when the client goes; see `RequestPool.ask`."""
        if self.left:
            raise Finish
        pool: RequestPool = self.settings["pool"]
        self.pending = asyncio.ensure_future(pool.ask(name, work, keep=keep))
        try:
            return await self.pending
        except asyncio.CancelledError:
            if self.left:
                raise Finish from None
            raise

    def send(self, kind: str, answer: bytes) -> None:
        """Send an answer that is compressed already: once, and not by the event loop."""
        self.set_header("Content-Type", kind)
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
        else:
            answer = gzip.decompress(answer)
        self.finish(answer)

    def log_exception(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Print defects of the server only."""
        if refusal(error)[0] == HTTPStatus.INTERNAL_SERVER_ERROR:
            traceback.print_exception(error, file=sys.stderr)

    def write_error(self, status_code: int, **named: Any) -> None:
        """Say why: as text to a person, who follows links, or as JSON to a script."""
        status, why = refusal(named["exc_info"][1])
        self.set_status(status)
        self.set_header("Cache-Control", "no-store")
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.set_header("Retry-After", "2")
        unknown = self.request.method not in self.SUPPORTED_METHODS
        if unknown or status == HTTPStatus.FORBIDDEN:  # said before the body is read, if ever
            self.set_header("Connection", "close")
        if self.request.method in ("GET", "HEAD"):
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish(f"{why}\n")
        else:
            self.set_header("Content-Type", JSON)
            self.finish(json.dumps({"problem": why}))


def refusal(error: BaseException | None) -> tuple[int, str]:
    """The status and the sentence for an error."""
    match error:
        case RefusalError():
            return error.status, error.why
        case NovikoffError():
            return HTTPStatus.BAD_REQUEST, str(error)
        case OverflowError():
            return HTTPStatus.BAD_REQUEST, f"a number is too large for this: {error}"
        case BusyError():
            return HTTPStatus.SERVICE_UNAVAILABLE, BUSY
        case HTTPError(status_code=HTTPStatus.METHOD_NOT_ALLOWED):
            return error.status_code, "this address does not take such requests"
        case HTTPError(status_code=HTTPStatus.NOT_FOUND):
            return error.status_code, "there is nothing here; the lab is at /"
        case HTTPError():
            return error.status_code, HTTPStatus(error.status_code).phrase.lower()
    return HTTPStatus.INTERNAL_SERVER_ERROR, DEFECT
