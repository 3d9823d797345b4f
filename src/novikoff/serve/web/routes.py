"""The routes of the service, and what is answered at each."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable
from http import HTTPStatus
from typing import TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from novikoff.serve import messages, snapshots
from novikoff.serve.journal import JournalError
from novikoff.serve.json_text import ServiceError, parse_json
from novikoff.serve.messages import Message
from novikoff.serve.served_model import ServedModel
from novikoff.serve.service import DEFAULT, Service
from novikoff.serve.settings import RateLimit
from novikoff.serve.web.address import Address, Handle
from novikoff.serve.web.body import content_type, read_body
from novikoff.serve.web.documents import metrics, openapi, pages
from novikoff.serve.web.documents.metrics import Metrics
from novikoff.serve.web.guard import Guard, defect, refusal, require
from novikoff.serve.web.rows import JSON, Act, LineResponse, RowHandler
from novikoff.serve.web.single_rows import SingleRows
from novikoff.serve.web.tokens import Right, Tokens

BYTES, EVENTS = "application/octet-stream", "text/event-stream"
WATCHERS, EVENT_SECONDS = 50, 1.0  # who may follow the events at a time, and how often they come
Pair = tuple[type, type]  # what is taken, and what is given


class Routes:
    """The handlers of one service."""

    def __init__(self, service: Service, counts: Metrics) -> None:
        self.service, self.limits, self.metrics = service, service.limits, counts
        self.rate = RateLimit(service.limits.rate)
        self.watchers = 0
        self.addresses = [*self._of_rows(), *self._of_models(), *self._of_the_service()]

    def _of_rows(self) -> list[Address]:
        service = self.service
        decision = messages.PredictRequest, messages.PredictAnswer
        label = messages.RevealRequest, messages.RevealAnswer
        both = messages.LearnRequest, messages.LearnAnswer
        predict = self._handler("predict", decision[0], service.predict)
        reveal = self._handler("reveal", label[0], service.reveal)
        learn = self._handler("learn", both[0], service.learn)

        def lines(path: str, handle: Handle, words: str, right: Right, pair: Pair) -> Address:
            found = Address("POST", path, handle, words, right, *pair)
            return found._replace(by_model=True, batches=True)

        return [
            lines("/predict", predict, "Predict the label of a row.", Right.PREDICT, decision),
            lines("/reveal", reveal, "Reveal the label of a prediction.", Right.LEARN, label),
            lines("/learn", learn, "Learn from a row and its label.", Right.LEARN, both),
        ]

    def _of_models(self) -> list[Address]:
        forget, may, wanted = "Forget the rows learned from.", Right.MANAGE, messages.ModelRequest
        state = Address("GET", "/state", self.state, "Counts and the bound.", by_model=True)
        state = state._replace(query={"margin": "what the bound assumes, if not the ceiling"})
        events = state._replace(path="/events", handle=self.events, kind=EVENTS)
        return [
            state,
            events._replace(words="The same and more, by server-sent events."),
            Address("GET", "/model", self.model, "The model file.", kind=BYTES, by_model=True),
            Address("POST", "/snapshot", self.snapshot, "Take a snapshot.", may, by_model=True),
            Address("POST", "/compact", self.compact, forget, may, by_model=True),
            Address("GET", "/models", self.models, "The names of the models."),
            Address(
                "POST", "/models", self.add, "Add a model.", may, wanted, status=HTTPStatus.CREATED
            ),
        ]

    def _of_the_service(self) -> list[Address]:
        free = Right.NOTHING
        return [
            Address("GET", "/metrics", self.counts, "Counts for Prometheus.", kind="text/plain"),
            Address("GET", "/healthz", self.health, "Whether it runs.", free),
            Address("GET", "/readyz", self.ready, "Whether labels can be taken.", free),
            Address("GET", "/openapi.json", self.description, "This description.", free),
            Address("GET", "/docs", self.docs, "The same for people.", free, kind="text/html"),
            Address("GET", "/", self.page, "The live page.", free, kind="text/html"),
        ]

    def _handler(self, what: str, kind: type[Message], act: Act[Message]) -> RowHandler[Message]:
        def count(name: str, host: str, rows: int) -> None:
            self.service.model(name)  # refuses a model that is not there, before its rows are read
            wait = self.rate.wait(host, rows)
            if wait:
                why = f"more than {self.limits.rate:g} rows a second; wait {wait:.1f} seconds"
                raise ServiceError(HTTPStatus.TOO_MANY_REQUESTS, why, math.ceil(wait))
            self.metrics.rows[what] += rows

        return RowHandler(kind, act, self.limits, count)

    def routes(self) -> list[Route]:
        """All of it for Starlette."""
        found = [
            Route(path, _allowed(each), methods=[each.method])
            for each in self.addresses
            for path in each.paths
        ]
        return [*found, Route("/page/{name}", _asset)]

    # models

    def _named(self, request: Request) -> ServedModel:
        return self.service.model(request.path_params.get("name", DEFAULT))

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.service.state(self._named(request), _margin(request)))

    async def events(self, request: Request) -> Response:
        name, margin = self._named(request).name, _margin(request)
        if self.watchers >= WATCHERS:
            why = f"{WATCHERS} others watch already; ask /state, or try again later"
            raise ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, why)
        request.scope["streamed"] = True
        return LineResponse(self._watch(request, name, margin), EVENTS)

    async def _watch(self, request: Request, name: str, margin: float | None) -> AsyncIterator[str]:
        """What there is to see of a model, each second in which it is something new."""
        self.watchers += 1
        last = ""
        try:
            while not (self.service.ending or await request.is_disconnected()):
                text = json.dumps(self._view(self.service.model(name), margin))
                yield ": nothing new\n\n" if text == last else f"data: {text}\n\n"
                last = text
                await asyncio.sleep(EVENT_SECONDS)
        finally:
            self.watchers -= 1

    def _view(self, model: ServedModel, margin: float | None) -> dict[str, object]:
        latency = {"half": self.metrics.quantile(0.5), "most": self.metrics.quantile(0.99)}
        others = {"latency": latency, "models": [*self.service.models]}
        return self.service.state(model, margin) | model.details() | others

    async def model(self, request: Request) -> Response:
        return Response(self.service.model_bytes(self._named(request)), media_type=BYTES)

    async def snapshot(self, request: Request) -> Response:
        model = self._named(request)
        if not model.is_fitted:
            raise ServiceError(HTTPStatus.CONFLICT, "the model has learned nothing yet")
        seq, _, _ = await _written(snapshots.take_snapshot(self.service, model))
        return JSONResponse({"seq": seq})

    async def compact(self, request: Request) -> Response:
        base = await _written(snapshots.compact(self.service, self._named(request).name))
        return JSONResponse({"base": base})

    async def models(self, request: Request) -> Response:
        return JSONResponse({"models": [*self.service.models]})

    async def add(self, request: Request) -> Response:
        if content_type(request) != JSON:
            raise ServiceError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected a body of type {JSON}")
        value = parse_json(await read_body(request, self.limits))
        wanted = messages.parse(messages.ModelRequest, value, self.limits)
        model = await self.service.add_model(wanted)
        return JSONResponse(self.service.state(model), HTTPStatus.CREATED)

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
        return HTMLResponse(pages.route_page(self.addresses))

    async def page(self, request: Request) -> Response:
        return HTMLResponse(pages.own("live.html"))


def _margin(request: Request) -> float | None:
    """The margin that a bound is asked for, if one is."""
    text = request.query_params.get("margin")
    try:
        margin = None if text is None else float(text)
    except ValueError:
        margin = math.nan
    if margin is not None and not 0.0 < margin < math.inf:
        raise ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, "margin: expected a number above 0")
    return margin


def _allowed(address: Address) -> Handle:
    async def handle(request: Request) -> Response:
        if address.right:
            require(request.scope, address.right)
        return await address.handle(request)

    return handle


Found = TypeVar("Found")


async def _written(work: Awaitable[Found]) -> Found:
    try:
        return await work
    except (JournalError, OSError) as error:
        raise ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None


async def _asset(request: Request) -> Response:
    if (found := pages.assets().get(request.path_params["name"])) is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return Response(found[0], media_type=found[1])


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, ServiceError):
        return refusal(error)
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing here; /docs lists the routes", 405: "use another method"}
    why = words.get(error.status_code, str(error.detail))
    return refusal(ServiceError(HTTPStatus(error.status_code), why))


async def _defect(request: Request, error: Exception) -> Response:
    return refusal(defect())


def application(
    service: Service, tokens: Tokens, hosts: frozenset[str] | None
) -> tuple[Guard, SingleRows]:
    """The whole as an ASGI application, and what answers most requests for a row without it."""
    counts = Metrics()
    routes = Routes(service, counts)
    handlers = {ServiceError: _refused, HTTPException: _refused, Exception: _defect}
    app = Starlette(routes=routes.routes(), exception_handlers=handlers)
    guard = Guard(app, tokens, hosts, counts, service.settings.log_requests)
    rows = {
        each.path: (each.handle, each.right)
        for each in routes.addresses
        if isinstance(each.handle, RowHandler)
    }
    return guard, SingleRows(guard, rows, service.limits.body)
