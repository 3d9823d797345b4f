"""What can be asked of the server: each address, and what it answers."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from novikoff.lab import answers, assets
from novikoff.lab.handler import JSON, LONG, Handler, Lab, RefusalError
from novikoff.lab.limits import BODY
from novikoff.sources.tokens import shown

WORDS = {str: "text", str | None: "text or null", int: "a whole number", bool: "true or false"}


class Page(Handler):
    """The page itself. Its address is for its scripts, so it is the same for all."""

    caching = "no-cache"

    def get(self) -> None:
        self.send("text/html; charset=utf-8", assets.packed(assets.page()))

    head = get


class Asset(Handler):
    """A script or style of the page."""

    caching = "no-cache"

    def get(self, name: str) -> None:
        found = assets.asset(name)
        if found is None:
            raise RefusalError(HTTPStatus.NOT_FOUND, "the page has no such script or style")
        self.send(*found)

    head = get


class Bokeh(Handler):
    """Bokeh's own script."""

    caching = "no-cache"

    def get(self) -> None:
        self.send(assets.KINDS["js"], assets.bokeh())

    head = get


class Asked(NamedTuple):
    """A question: equal ones have one name. keep: whether its answer is worth keeping."""

    name: tuple[Any, ...]
    answer: Callable[[], Any]
    keep: bool = True

    def work(self) -> bytes:
        """The answer as JSON, packed; a number that JSON has no word for would be a defect."""
        text = json.dumps(self.answer(), allow_nan=False, separators=(",", ":"))
        return assets.packed(text.encode())


class Question(Handler, ABC):
    """What the page's scripts ask: one JSON object for another.

    Only as application/json, which no page from elsewhere can send without being let.
    """

    async def post(self) -> None:
        asked = self.question(self.given())
        self.send(JSON, await self.asked(asked.name, asked.work, keep=asked.keep))

    @abstractmethod
    def question(self, given: dict[str, Any]) -> Asked:
        """What is asked with an object."""

    def given(self) -> dict[str, Any]:
        """The object that was sent."""
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise RefusalError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected {JSON}")
        if self.received > BODY:
            raise RefusalError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, LONG)
        try:
            found = json.loads(self.body.decode())
        except RecursionError:
            raise RefusalError(HTTPStatus.BAD_REQUEST, "the JSON is nested too deeply") from None
        except ValueError as error:  # an undecodable byte too
            raise RefusalError(HTTPStatus.BAD_REQUEST, f"not JSON in UTF-8: {error}") from None
        if not isinstance(found, dict):
            raise RefusalError(HTTPStatus.BAD_REQUEST, "expected a JSON object")
        return found


def of_state(address: str, charts: bool = True) -> Asked:
    """What is there to show."""
    return Asked(("told", address, charts), partial(answers.told, address, charts))


class Told(Question):
    """Everything about a state; without its charts, it comes sooner."""

    def question(self, given: dict[str, Any]) -> Asked:
        address, charts = _fields(given, {"address": str, "charts": bool}, charts=True)
        return of_state(address, charts)


class Points(Question):
    """The points of a CSV text."""

    def question(self, given: dict[str, Any]) -> Asked:
        kinds = {"text": str, "x": str | None, "y": str | None, "target": str | None}
        words = _fields(given, kinds, x=None, y=None, target=None)
        return Asked(("points", *words), partial(answers.points, *words), keep=False)


class Capacity(Question):
    """How many of so many random labellings separate."""

    def question(self, given: dict[str, Any]) -> Asked:
        numbers = _fields(given, dict.fromkeys(("N", "P", "trials", "seed"), int))
        return Asked(("capacity", *numbers), partial(answers.capacity, *numbers))


class File(NamedTuple):
    """A file to keep, and how it is made from an address."""

    name: str
    kind: str
    work: Callable[[str], bytes]


FILES = (
    File("run.csv", "text/csv; charset=utf-8", answers.table),
    File("run.html", "text/html; charset=utf-8", answers.offline),
    File("plane.svg", "image/svg+xml", partial(answers.still, kind="svg")),
    File("plane.png", "image/png", partial(answers.still, kind="png")),
)


class Download(Handler):
    """A file about the state that is asked with."""

    async def get(self, name: str) -> None:
        file = next(each for each in FILES if each.name == name)
        address = self.request.query
        answer = await self.asked((name, address), lambda: assets.packed(file.work(address)))
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.send(file.kind, answer)


class Unknown(Handler):
    """Anything else."""

    def prepare(self) -> None:
        super().prepare()
        raise RefusalError(HTTPStatus.NOT_FOUND, "there is nothing here; the lab is at /")


def routes(lab: Lab) -> list[tuple[str, type[Handler], dict[str, Any]]]:
    """Every address and who answers there; the last takes what is left."""
    handlers: list[tuple[str, type[Handler]]] = [
        ("/", Page),
        ("/page/(.*)", Asset),
        ("/static/js/bokeh.min.js", Bokeh),
        ("/told", Told),
        ("/points", Points),
        ("/capacity", Capacity),
        (f"/({'|'.join(re.escape(file.name) for file in FILES)})", Download),
        (".*", Unknown),
    ]
    return [(path, handler, {"lab": lab}) for path, handler in handlers]


def _fields(given: dict[str, Any], kinds: dict[str, Any], **defaults: Any) -> list[Any]:
    """The values of an object that must have these keys and no others."""
    values = defaults | given
    if values.keys() != kinds.keys():
        found, expected = (", ".join(each) or "none" for each in (given, kinds))
        why = f"found the keys {shown(found)}, expected {expected}"
        raise RefusalError(HTTPStatus.BAD_REQUEST, why)
    for name, kind in kinds.items():
        value = values[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            why = f"{name}: expected {WORDS[kind]}, found {shown(str(value))}"
            raise RefusalError(HTTPStatus.BAD_REQUEST, why)
    return [values[name] for name in kinds]
