"""What all requests have in common: who may ask, how it is answered, in which words refused.

A refusal is a sentence: as {"problem": ...} where a script asks (POST), as plain text where a
person follows a link (GET). What is our own fault is said so, and told in full on standard error.
"""

import asyncio
import hashlib
import json
import sys
import traceback
from collections.abc import Callable, Hashable
from http import HTTPStatus
from typing import Any, NamedTuple

from tornado.web import Finish, HTTPError, RequestHandler, stream_request_body

from novikoff.errors import NovikoffError
from novikoff.lab import assets
from novikoff.lab.desk import BusyError, Desk
from novikoff.lab.limits import BODY

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
LONG = f"a question may have {BODY:,} bytes at most"


class RefusalError(Exception):
    """A request that is not answered: its status, and why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Lab(NamedTuple):
    """What handlers share. hosts: what the server may be called; None: anything."""

    desk: Desk
    hosts: frozenset[str] | None


@stream_request_body  # to read no more of a body than is allowed
class Handler(RequestHandler):
    """One request."""

    caching = "no-store"

    def initialize(self, lab: Lab) -> None:
        self.lab = lab
        self.body, self.received = bytearray(), 0
        self.waiting: asyncio.Future[bytes] | None = None
        self.left = False

    def set_default_headers(self) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", self.caching)

    def prepare(self) -> None:
        hosts = self.lab.hosts
        if hosts is not None and called(self.request.host) not in hosts:
            # or a page from elsewhere, whose name is made to point here, could ask and read answers
            raise RefusalError(HTTPStatus.FORBIDDEN, f"ask for {' or '.join(sorted(hosts))}")

    def data_received(self, chunk: bytes) -> None:
        self.received += len(chunk)
        if self.received <= BODY:
            self.body += chunk

    def on_connection_close(self) -> None:
        self.left = True
        if self.waiting is not None:
            self.waiting.cancel()

    async def asked(self, name: Hashable, work: Callable[[], bytes], *, keep: bool = True) -> bytes:
        """The answer to a question, for as long as somebody waits for it."""
        self.waiting = asyncio.ensure_future(self.lab.desk.ask(name, work, keep=keep))
        try:
            return await self.waiting
        except asyncio.CancelledError:
            if self.left:
                raise Finish from None
            raise

    def send(self, kind: str, answer: bytes) -> None:
        """A packed answer, as the browser takes it."""
        self.set_header("Content-Type", kind)
        self.set_header("Vary", "Accept-Encoding")
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
        else:
            answer = assets.unpacked(answer)
        self.finish(answer)

    def compute_etag(self) -> str | None:
        """What a browser may keep is named by its bytes."""
        if self.caching == "no-store":
            return None
        return f'"{hashlib.sha256(b"".join(self._write_buffer)).hexdigest()[:32]}"'

    def log_exception(self, *error: Any) -> None:
        """Only what is our fault is worth a line; what others sent is their business."""
        if refusal(error[1])[0] == HTTPStatus.INTERNAL_SERVER_ERROR:
            traceback.print_exception(error[1], file=sys.stderr)

    def write_error(self, status_code: int, **named: Any) -> None:
        status, why = refusal(named["exc_info"][1])
        self.set_status(status)
        self.set_header("Cache-Control", "no-store")
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.set_header("Retry-After", "2")
        self.refuse(why)

    def refuse(self, why: str) -> None:
        """Say why: to a person, who follows links, or to a script."""
        if self.request.method in ("GET", "HEAD"):
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish(f"{why}\n")
        else:
            self.set_header("Content-Type", JSON)
            self.finish(json.dumps({"problem": why}))


def refusal(error: BaseException) -> tuple[int, str]:
    """The status and the sentence that an error becomes."""
    match error:
        case RefusalError():
            return error.status, error.why
        case NovikoffError():
            return HTTPStatus.BAD_REQUEST, str(error)
        case OverflowError():
            return HTTPStatus.BAD_REQUEST, f"a number is too large for this: {error}"
        case BusyError():
            return HTTPStatus.SERVICE_UNAVAILABLE, BUSY
        case HTTPError() if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            return error.status_code, "this address does not take such requests"
        case HTTPError():
            return error.status_code, HTTPStatus(error.status_code).phrase.lower()
    return HTTPStatus.INTERNAL_SERVER_ERROR, DEFECT


def called(host: str) -> str:
    """A Host header without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
