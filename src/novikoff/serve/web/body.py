"""The bodies of requests: read within limits of size and time, whole or line by line."""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

from starlette.requests import ClientDisconnect, Request

from novikoff.serve.served_model import ServiceError
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
                raise _too_long(f"the body has more than {limits.body:,} bytes", limits)
            parts.append(part)
    return b"".join(parts)


async def read_lines(request: Request, limits: Limits) -> AsyncIterator[list[bytes]]:
    """The lines of a batch as they come, some at a time; blank ones are left out."""
    rest, stream = b"", request.stream()
    while True:
        async with _deadline(limits.seconds, "the next line"):
            try:
                part = await anext(stream)
            except StopAsyncIteration:
                break
        *lines, rest = (rest + part).split(b"\n")
        if max(map(len, (rest, *lines))) > limits.body:
            raise _too_long(f"a line has more than {limits.body:,} bytes", limits)
        whole = [line for line in lines if line.strip()]
        for start in range(0, len(whole), ROWS):
            yield whole[start : start + ROWS]
    if rest.strip():
        yield [rest]


def _too_long(what: str, limits: Limits) -> ServiceError:
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


__all__ = ["ClientDisconnect", "content_type", "read_body", "read_lines"]
