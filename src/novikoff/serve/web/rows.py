"""Rows over HTTP: one as JSON, or a batch of them line by line, answered while it is read."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Generic

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from novikoff.serve.json_text import Row, ServiceError, dump, parse_row, parse_rows, tried
from novikoff.serve.messages import Message, parse
from novikoff.serve.service import DEFAULT, Answer, Texts
from novikoff.serve.settings import Limits
from novikoff.serve.web.body import content_type, read_body, read_lines
from novikoff.serve.web.guard import problem

JSON, NDJSON = "application/json", "application/x-ndjson"
_BETWEEN = '},{"'  # answers in a list

Act = Callable[[str, Sequence[Message], Texts], Awaitable[list[Answer]]]
#: Refuses rows for a model that is not there, or that come too fast from a host; counts the others.
Count = Callable[[str, str, int], None]


class RowHandler(Generic[Message]):
    """What answers rows of one kind. act: what the service does with some of them."""

    def __init__(self, kind: type[Message], act: Act[Message], limits: Limits, count: Count):
        self.kind, self.act, self.limits, self.count = kind, act, limits, count

    async def __call__(self, request: Request) -> Response:
        name = request.path_params.get("name", DEFAULT)
        match content_type(request):
            case "application/json":
                body = await read_body(request, self.limits)
                answer = await self.one(body, name, _host(request))
                return Response(dump(answer), media_type=JSON)
            case "application/x-ndjson":
                request.scope["streamed"] = True
                return LineResponse(self._batch(request, name))
        why = f"expected a body of type {JSON}, or {NDJSON} with a row on each line"
        raise ServiceError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, why)

    async def one(self, body: bytes, name: str, host: str) -> Answer:
        """The answer to one row; refusals are raised."""
        value, text = parse_row(body)
        self.count(name, host, 1)
        (answer,) = await self.act(name, [parse(self.kind, value, self.limits)], [text])
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    async def _batch(self, request: Request, name: str) -> AsyncIterator[str]:
        done, host = 0, _host(request)
        try:
            async for lines in read_lines(request, self.limits):
                self.count(name, host, len(lines))
                answers = await self._answers(name, lines)
                yield _lines(answers, done + 1)
                done += len(lines)
        except ServiceError as error:  # the rest of the batch was neither read nor learned
            yield dump(problem(error, line=done + 1, ended=True)) + "\n"

    async def _answers(self, name: str, lines: list[bytes]) -> list[Answer]:
        parsed = [self._message(each) for each in parse_rows(lines)]
        good = [each for each in parsed if not isinstance(each, ServiceError)]
        try:
            found = iter(await self.act(name, *zip(*good, strict=True)) if good else [])
        except ServiceError as error:  # a disk that is full refuses all of them
            found = iter([error] * len(good))
        return [each if isinstance(each, ServiceError) else next(found) for each in parsed]

    def _message(self, row: Row | ServiceError) -> tuple[Message, str | None] | ServiceError:
        if isinstance(row, ServiceError):
            return row
        found = tried(parse, self.kind, row[0], self.limits)
        return found if isinstance(found, ServiceError) else (found, row[1])


def _host(request: Request) -> str:
    return request.client.host if request.client else ""


class LineResponse(Response):
    """Texts that are sent as they are made, while lines of the request are still read.

    Starlette's own would read the request itself meanwhile, to see whether the client has left.
    """

    def __init__(self, lines: AsyncIterator[str], media_type: str = NDJSON) -> None:
        self.lines, self.status_code, self.background = lines, HTTPStatus.OK, None
        self.media_type = media_type
        self.init_headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        with contextlib.suppress(ClientDisconnect):
            await send(head)
            async for line in self.lines:
                await send({"type": "http.response.body", "body": line.encode(), "more_body": True})
            await send({"type": "http.response.body", "body": b""})


def _lines(answers: Sequence[Answer], start: int) -> str:
    """Answers to the lines of a batch from this one on, each a line."""
    found = [
        problem(each, line=number) if isinstance(each, ServiceError) else each
        for number, each in enumerate(answers, start)
    ]
    text = dump(found)[1:-1]
    if text.count(_BETWEEN) == len(found) - 1:  # else some text in them has it too
        return text.replace(_BETWEEN, '}\n{"') + "\n"
    return "".join(f"{dump(each)}\n" for each in found)
