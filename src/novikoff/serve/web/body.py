"""The bodies of requests: read within limits of size and time, whole or line by line."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

from starlette.requests import Request

from novikoff.serve.json_text import ServiceError
from novikoff.serve.settings import Limits

ROWS = 500  # of a batch that are answered together


def content_type(request: Request) -> str:
    """The media type of a body, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(request: Request, limits: Limits) -> bytes:
    """The whole body."""
    parts, size = [], 0
    async with _deadline(limits.seconds, "the body"):
        async for part in request.stream():
            size += len(part)
            if size > limits.body:
                raise _too_long(f"the body has more than {limits.body:,} bytes")
            parts.append(part)
    return b"".join(parts)


async def read_lines(request: Request, limits: Limits) -> AsyncIterator[list[bytes]]:
    """The lines of a batch as they come, some at a time; blank ones are left out."""
    parts: list[bytes] = []  # of a line that has not come whole
    size, stream = 0, request.stream()
    missing = int(request.headers.get("content-length", -1))  # below 0: nobody knows how much
    while True:
        async with _deadline(limits.seconds, "the next line"):
            try:
                part = await anext(stream)
            except StopAsyncIteration:
                break
        missing -= len(part)
        if not missing:  # the last line needs no end
            part += b"\n"
        size += len(part)
        parts.append(part)
        lines = []
        if b"\n" in part:
            *lines, rest = b"".join(parts).split(b"\n")
            parts, size = [rest], len(rest)
        if max(size, *map(len, lines), 0) > limits.body:
            raise _too_long(f"a line has more than {limits.body:,} bytes")
        whole = [line for line in lines if line.strip()]
        for start in range(0, len(whole), ROWS):
            yield whole[start : start + ROWS]
    if last := b"".join(parts).strip():
        yield [last]


def _too_long(what: str) -> ServiceError:
    why = f"{what}; send less at once, a line for each row"
    return ServiceError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)


class _deadline:  # noqa: N801
    """A block that may take so many seconds; a client that is slower is told so."""

    def __init__(self, seconds: float, what: str) -> None:
        self.timeout, self.seconds, self.what = asyncio.timeout(seconds), seconds, what

    async def __aenter__(self) -> None:
        await self.timeout.__aenter__()

    async def __aexit__(self, *error: object) -> None:
        try:
            await self.timeout.__aexit__(*error)  # type: ignore[arg-type]
        except TimeoutError:
            why = f"{self.what} did not come within {self.seconds:g} seconds"
            raise ServiceError(HTTPStatus.REQUEST_TIMEOUT, why) from None
