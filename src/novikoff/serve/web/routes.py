"""The routes of the service, and what is answered at each."""

import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from html import escape
from http import HTTPStatus
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from novikoff.serve import messages, snapshots
from novikoff.serve.served_model import ServiceError
from novikoff.serve.service import DEFAULT, Answer, Service
from novikoff.serve.settings import RateLimit
from novikoff.serve.web import metrics, openapi
from novikoff.serve.web.body import content_type, read_body, read_lines
from novikoff.serve.web.guard import Guard, problem, refusal, require
from novikoff.serve.web.metrics import Metrics
from novikoff.serve.web.tokens import Right, Tokens

JSON, NDJSON = "application/json", "application/x-ndjson"
STYLE = "body { font: 1rem/1.45 system-ui, sans-serif; margin: 2rem } td, th { padding: .2rem 1rem;"
STYLE += " text-align: left; vertical-align: top }"

Handle = Callable[[Request], Awaitable[Response]]


class Address(NamedTuple):
    """A route: what it takes and gives, and what a token must be allowed to do."""

    method: str
    path: str
    handle: Handle
    words: str
    right: Right = Right.PREDICT
    takes: Any = None
    gives: Any = None
    kind: str = JSON
    by_model: bool = False
    batches: bool = False

    @property
    def paths(self) -> list[str]:
        return [self.path, *([f"/models/{{name}}{self.path}"] if self.by_model else [])]


class Routes:
    """The handlers of one service."""

    def __init__(self, service: Service, counts: Metrics) -> None:
        self.service, self.limits, self.metrics = service, service.limits, counts
        self.rate = RateLimit(service.limits.rate)
        named: dict[str, Any] = {"by_model": True, "batches": True}
        row = messages.PredictRequest, messages.PredictAnswer
        label = messages.RevealRequest, messages.RevealAnswer
        both = messages.LearnRequest, messages.LearnAnswer
        learn, manage, free = Right.LEARN, Right.MANAGE, Right.NOTHING
        self.addresses = [
            self._rows("/predict", "Predict the label of a row.", Right.PREDICT, row, named),
            self._rows("/reveal", "Reveal the label of a prediction.", learn, label, named),
            self._rows("/learn", "Learn from a row and its label.", learn, both, named),
            Address("GET", "/state", self.state, "Counts and the bound.", by_model=True),
            Address(
                "GET",
                "/model",
                self.model,
                "The model file.",
                kind="application/octet-stream",
                by_model=True,
            ),  # fmt: skip
            Address("POST", "/snapshot", self.snapshot, "Take a snapshot.", manage, by_model=True),
            Address(
                "POST",
                "/compact",
                self.compact,
                "Forget the rows learned from.",
                manage,
                by_model=True,
            ),  # fmt: skip
            Address("GET", "/models", self.models, "The names of the models."),
            Address("POST", "/models", self.add, "Add a model.", manage, messages.ModelRequest),
            Address("GET", "/metrics", self.counts, "Counts for Prometheus.", kind="text/plain"),
            Address("GET", "/healthz", self.health, "Whether it runs.", free),
            Address("GET", "/readyz", self.ready, "Whether labels can be taken.", free),
            Address("GET", "/openapi.json", self.description, "This description.", free),
            Address("GET", "/docs", self.docs, "The same for people.", free, kind="text/html"),
            Address("GET", "/", self.page, "The state of all models.", kind="text/html"),
        ]

    def _rows(self, path: str, words: str, right: Right, pair: Any, more: Any) -> Address:
        act = getattr(self.service, path[1:])

        async def handle(request: Request) -> Response:
            return await self.rows(request, path[1:], pair[0], act)

        return Address("POST", path, handle, words, right, *pair, **more)

    def routes(self) -> list[Route]:
        """All of it for Starlette."""
        found = [
            Route(path, _allowed(each), methods=[each.method])
            for each in self.addresses
            for path in each.paths
        ]
        return [*found, Route("/page.css", _style)]

    # rows

    async def rows(self, request: Request, what: str, kind: Any, act: Any) -> Response:
        """One row, or a batch of them, line by line."""
        name = request.path_params.get("name", DEFAULT)
        self.service.model(name)
        match content_type(request):
            case "application/json":
                value = messages.parse_json(await read_body(request, self.limits))
                self._take_rate(request, 1)
                (answer,) = await act(name, [messages.parse(kind, value, self.limits)])
                self.metrics.rows[what] += 1
                if isinstance(answer, ServiceError):
                    raise answer
                return JSONResponse(answer)
            case "application/x-ndjson":
                request.scope["streamed"] = True

                async def several(found: Sequence[Any]) -> list[Answer]:
                    return await _act(act, name, found)

                lines = self._answers(request, what, kind, several)
                return StreamingResponse(lines, media_type=NDJSON)
        why = f"expected a body of type {JSON}, or {NDJSON} with a row on each line"
        raise ServiceError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, why)

    async def _answers(
        self, request: Request, what: str, kind: Any, act: Any
    ) -> AsyncIterator[str]:
        number = 0
        try:
            async for lines in read_lines(request, self.limits):
                self._take_rate(request, len(lines))
                parsed = [self._parsed(kind, line) for line in lines]
                good = [each for each in parsed if not isinstance(each, ServiceError)]
                answers = iter(await act(good) if good else [])
                self.metrics.rows[what] += len(lines)
                text = []
                for number, each in enumerate(parsed, number + 1):
                    found = each if isinstance(each, ServiceError) else next(answers)
                    refused = isinstance(found, ServiceError)
                    text.append(_text(problem(found, line=number) if refused else found))
                yield "".join(text)
        except ServiceError as error:  # the rest of the batch was neither read nor learned
            yield _text(problem(error, line=number + 1, ended=True))

    def _parsed(self, kind: Any, line: bytes) -> Any:
        try:
            return messages.parse(kind, messages.parse_json(line), self.limits)
        except ServiceError as error:
            return error

    def _take_rate(self, request: Request, rows: int) -> None:
        wait = self.rate.wait(request.client.host if request.client else "", rows)
        if wait:
            why = f"more than {self.limits.rate:g} rows a second; wait {wait:.1f} seconds"
            error = ServiceError(HTTPStatus.TOO_MANY_REQUESTS, why)
            error.wait = math.ceil(wait)  # type: ignore[attr-defined]
            raise error

    # models

    def _named(self, request: Request) -> Any:
        return self.service.model(request.path_params.get("name", DEFAULT))

    async def state(self, request: Request) -> Response:
        model, text = self._named(request), request.query_params.get("margin")
        try:
            margin = None if text is None else float(text)
        except ValueError:
            margin = math.nan
        if margin is not None and not 0.0 < margin < math.inf:
            raise ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, "margin: expected a number above 0")
        key = model.record.key
        more = {
            "pending": self.service.view.pending(key),
            "expired": self.service.view.expired(key),
            "behind": self.service.behind,
            "learning": self.service.problem or "on",
            "durability": self.service.settings.durability,
        }
        return JSONResponse(model.state(margin) | more)

    async def model(self, request: Request) -> Response:
        content = self.service.model_bytes(self._named(request))
        return Response(content, media_type="application/octet-stream")

    async def snapshot(self, request: Request) -> Response:
        model = self._named(request)
        if not model.is_fitted:
            raise ServiceError(HTTPStatus.CONFLICT, "the model has learned nothing yet")
        seq, _, _ = await snapshots.take_snapshot(self.service, model)
        return JSONResponse({"seq": seq})

    async def compact(self, request: Request) -> Response:
        base = await snapshots.compact(self.service, self._named(request).name)
        return JSONResponse({"base": base})

    async def models(self, request: Request) -> Response:
        return JSONResponse({"models": [*self.service.models]})

    async def add(self, request: Request) -> Response:
        if content_type(request) != JSON:
            raise ServiceError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected a body of type {JSON}")
        value = messages.parse_json(await read_body(request, self.limits))
        wanted = messages.parse(messages.ModelRequest, value, self.limits)
        model = await self.service.add_model(wanted)
        return JSONResponse(model.state(), HTTPStatus.CREATED)

    # what is seen

    async def counts(self, request: Request) -> Response:
        return Response(self.metrics.text(self.service), media_type=metrics.KIND)

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        if self.service.problem or self.service.commits.defect:
            why = f"labels cannot be taken: {self.service.problem or 'restart the service'}"
            raise ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, why)
        return JSONResponse({"status": "ok"})

    async def description(self, request: Request) -> Response:
        return JSONResponse(openapi.description(self.addresses))

    async def docs(self, request: Request) -> Response:
        return HTMLResponse(openapi.page(self.addresses))

    async def page(self, request: Request) -> Response:
        tables = []
        for name, model in self.service.models.items():
            facts = model.state() | {"largest weights": model.details()["weights"]}
            cells = (
                f"<tr><th>{escape(key)}<td>{escape(json.dumps(value))}"
                for key, value in facts.items()
            )
            tables.append(f"<h2>{escape(name)}</h2><table>{''.join(cells)}</table>")
        return HTMLResponse(
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh"'
            ' content="5"><title>novikoff serve</title><link rel="stylesheet" href="/page.css">'
            f'<h1>novikoff serve</h1><p><a href="/docs">routes</a></p>{"".join(tables)}</html>'
        )


async def _act(act: Any, name: str, requests: Sequence[Any]) -> list[Answer]:
    try:
        found: list[Answer] = await act(name, requests)
    except ServiceError as error:  # a disk that is full refuses all of them
        return [error] * len(requests)
    return found


def _text(answer: Any) -> str:
    return json.dumps(answer, separators=(",", ":")) + "\n"


def _allowed(address: Address) -> Handle:
    async def handle(request: Request) -> Response:
        if address.right:
            require(request.scope, address.right)
        return await address.handle(request)

    return handle


async def _style(request: Request) -> Response:
    return Response(STYLE, media_type="text/css")


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, ServiceError):
        return refusal(error)
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing here; /docs lists the routes", 405: "use another method"}
    why = words.get(error.status_code, str(error.detail))
    return refusal(ServiceError(HTTPStatus(error.status_code), why))


async def _defect(request: Request, error: Exception) -> Response:
    why = "this is a defect of novikoff, not of the request; the service's log says more"
    return refusal(ServiceError(HTTPStatus.INTERNAL_SERVER_ERROR, why))


def application(service: Service, tokens: Tokens, hosts: frozenset[str] | None) -> Starlette:
    """The whole as an ASGI application."""
    counts = Metrics()
    guard = Middleware(Guard, tokens, hosts, counts, service.settings.log_requests)
    handlers: Any = {ServiceError: _refused, HTTPException: _refused, Exception: _defect}
    return Starlette(
        routes=Routes(service, counts).routes(), middleware=[guard], exception_handlers=handlers
    )
