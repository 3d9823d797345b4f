"""What stands before all routes: who may ask, what is logged and counted, and the headers."""

import json
import logging
import sys
import time
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from novikoff.network.addresses import bracketed
from novikoff.serve.json_text import ServiceError
from novikoff.serve.web.documents.metrics import Metrics
from novikoff.serve.web.tokens import Right, Tokens

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
#: Of what browsers show; each header costs a row over HTTP some microseconds.
PAGE_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
]
LOG = logging.getLogger("novikoff.serve")


def log_to_stderr() -> None:
    """Write the log to standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    LOG.setLevel(logging.INFO)


def log(event: str, **facts: object) -> None:
    """Write a line of JSON to the log: whatever facts hold, it stays one line."""
    LOG.info(json.dumps({"time": round(time.time(), 3), "event": event, **facts}, default=str))


def problem(error: ServiceError, **more: object) -> dict[str, object]:
    """A refusal as JSON."""
    return {"problem": str(error), "status": int(error.status), **more}


def refusal(error: ServiceError) -> JSONResponse:
    """A refusal as an answer."""
    headers = {}
    if error.status in (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.REQUEST_TIMEOUT):
        headers["Connection"] = "close"  # the rest of the body is not read
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if error.status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers["Retry-After"] = str(error.wait)
    return JSONResponse(problem(error), error.status, headers)


def defect() -> ServiceError:
    """What is said of an error that nobody expected."""
    why = "this is a defect of novikoff, not of the request; the service's log says more"
    return ServiceError(HTTPStatus.INTERNAL_SERVER_ERROR, why)


class Guard:
    """Middleware: hosts, origins, tokens; the right of a request goes into its scope.

    hosts: names that requests may call the service by, None for any.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens,
        hosts: frozenset[str] | None,
        metrics: Metrics,
        log_requests: bool,
    ) -> None:
        self.app, self.tokens, self.hosts = app, tokens, hosts
        self.metrics, self.log_requests = metrics, log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        began, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] += HEADERS
                if (b"content-type", b"text/html; charset=utf-8") in message["headers"]:
                    message["headers"] += PAGE_HEADERS
            await send(message)

        try:
            try:
                scope["right"] = self.right(scope["headers"])
            except ServiceError as error:
                found = refusal(error)
                found.headers["Connection"] = "close"  # what follows may be hidden in this request
                await found(scope, receive, answer)
                return
            await self.app(scope, receive, answer)
        finally:
            route = None if scope.get("streamed") else getattr(scope.get("route"), "path", "other")
            client = (scope.get("client") or ("", 0))[0]
            took = time.perf_counter() - began
            self.count(scope["method"], scope["path"], route, status, took, client)

    def right(self, given: Iterable[tuple[bytes, bytes]]) -> Right:
        """What a request with these headers may; refuses it by other names than ours, of other
        pages, and of an ambiguous length.
        """
        headers: dict[bytes, bytes] = {}
        for name, value in given:
            if name in headers and name in (b"host", b"authorization", b"content-length"):
                raise ServiceError(HTTPStatus.BAD_REQUEST, f"the header {name.decode()} came twice")
            headers[name] = value
        if b"content-length" in headers and b"transfer-encoding" in headers:
            why = "Content-Length and Transfer-Encoding contradict each other; send one of them"
            raise ServiceError(HTTPStatus.BAD_REQUEST, why)
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts is not None and _host_name(host) not in self.hosts:
            known = " or ".join(sorted(self.hosts))
            raise ServiceError(
                HTTPStatus.FORBIDDEN, f"ask for {known}, or start it with --allow-host"
            )
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower().partition("://")[2] != host:
            raise ServiceError(HTTPStatus.FORBIDDEN, "requests of other pages are not answered")
        return self.tokens.right(headers.get(b"authorization"))

    def count(
        self, method: str, path: str, route: str | None, status: int, seconds: float, client: str
    ) -> None:
        """Count a request, unless it has no route, and log it if asked to."""
        if route is not None:
            self.metrics.add(route, status, seconds)
        if self.log_requests:
            facts = {"method": method, "path": path, "status": status, "client": client}
            log("request", **facts, ms=round(seconds * 1000, 3))


def _host_name(host: str) -> str | None:
    """The name or address without the port, as in a URL; None if it is neither."""
    if not all(letter.isalnum() or letter in "-._:[]" for letter in host):
        return None
    try:
        return bracketed(urlsplit(f"//{host}").hostname or "") or None
    except ValueError:
        return None


def require(scope: Scope, right: Right) -> None:
    """Refuse a request whose token may less."""
    found: Right = scope["right"]
    if found >= right:
        return
    if found == Right.NOTHING:
        why = "an access token is needed: send the header Authorization: Bearer TOKEN"
        raise ServiceError(HTTPStatus.UNAUTHORIZED, why)
    why = f"this needs a token that may {right.name.lower()}, from the service's --token-file"
    raise ServiceError(HTTPStatus.FORBIDDEN, why)
