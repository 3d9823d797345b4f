"""An address of the service: what is asked there, what is answered, and who may ask."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from novikoff.serve.web.tokens import Right

Handle = Callable[[Request], Awaitable[Response]]


class Address(NamedTuple):
    """A route. takes, gives: types of its messages. batches: whether it takes lines of them.

    by_model: whether it is also at /models/NAME, for one of several models. query: what may stand
    behind a question mark. status: that of a request which went well.
    """

    method: str
    path: str
    handle: Handle
    words: str
    right: Right = Right.PREDICT
    takes: type | None = None
    gives: type | None = None
    kind: str = "application/json"
    by_model: bool = False
    batches: bool = False
    query: Mapping[str, str] = MappingProxyType({})
    status: HTTPStatus = HTTPStatus.OK

    @property
    def paths(self) -> list[str]:
        return [self.path, *([f"/models/{{name}}{self.path}"] if self.by_model else [])]
