"""The server's addresses, and what is answered at each."""

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from tornado.escape import utf8
from tornado.web import Application, HTTPError, StaticFileHandler

from novikoff.data.text.tokens import shown
from novikoff.lab import assets, capacity_tab, offline_page, page_data, plane_image
from novikoff.lab.first_paint import painted
from novikoff.lab.limits import BODY, LONGEST_NUMBER, SHORT_BODY
from novikoff.lab.server.handler import JSON, Handler, RefusalError
from novikoff.lab.server.request_pool import RequestPool
from novikoff.lab.state import csv_points

HTML = "text/html; charset=utf-8"
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "html": HTML}
WORDS = {str: "text", str | None: "text or null", int: "a whole number", bool: "true or false"}
EMPTY = inspect.Parameter.empty
LONG = f"a question may have {BODY:,} bytes at most"


class PageHandler(Handler):
    """The page itself, with what its address shows before the scripts run, which ask for all."""

    caching = "no-cache"

    async def get(self) -> None:
        address = self.request.query
        work = lambda: assets.packed(painted(assets.page().decode(), address).encode())  # noqa: E731
        self.send(HTML, await self.ask(("page", address), work))

    head = get


class AssetHandler(Handler, StaticFileHandler):
    """A script or style of the page, or the lesson, or the guide."""

    caching = "no-cache"

    def get_content_type(self) -> str:
        return KINDS[self.path.rpartition(".")[2]]


class BokehHandler(Handler):
    """Bokeh's own script."""

    caching = "no-cache"

    def get(self) -> None:
        self.send(KINDS["js"], assets.bokeh())

    head = get


class CachedQuery(NamedTuple):
    """A question: equal ones have one name. keep: whether its answer is worth keeping."""

    name: tuple[Any, ...]
    answer: Callable[[], dict[str, Any]]
    keep: bool = True

    def work(self) -> bytes:
        """The answer as JSON, packed; a number that JSON has no word for would be a defect."""
        text = json.dumps(self.answer(), allow_nan=False, separators=(",", ":"))
        return assets.packed(text.encode())


def state_query(address: str, charts: bool = True) -> CachedQuery:
    """Everything about a state; without its charts, it comes sooner."""
    answer = partial(page_data.page_data, address, charts=charts)
    return CachedQuery(("scene", address, charts), answer)


def points_query(
    text: str, x: str | None = None, y: str | None = None, target: str | None = None
) -> CachedQuery:
    """The points of a CSV text."""
    words = text, x, y, target
    return CachedQuery(("points", *words), partial(csv_points.pasted, *words), keep=False)


def capacity_query(N: int, P: int, trials: int, seed: int) -> CachedQuery:
    """How many of some random labellings are separable."""
    numbers = N, P, trials, seed
    return CachedQuery(("capacity", *numbers), partial(capacity_tab.run_trials, *numbers))


class QueryHandler(Handler):
    """A question of the page's scripts: one JSON object for another.

    Only as application/json, which no page from elsewhere can send without being let. The object's
    keys are the parameters of `query`.
    """

    def initialize(self, query: Callable[..., CachedQuery]) -> None:
        self.query = query

    async def post(self) -> None:
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise RefusalError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"expected {JSON}")
        if self.received > BODY:
            raise RefusalError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, LONG)
        if self.received <= SHORT_BODY:
            query = self._parse()
        else:
            query = await asyncio.to_thread(self._parse)  # nobody else waits for it
        self.send(JSON, await self.ask(query.name, query.work, keep=query.keep))

    def _parse(self) -> CachedQuery:
        try:
            return self.query(**_arguments(_json_object(self.body), self.query))
        except RecursionError:
            raise RefusalError(HTTPStatus.BAD_REQUEST, "the JSON is nested too deeply") from None


def _json_object(body: bytes | bytearray) -> dict[str, object]:
    try:
        value = json.loads(
            body.decode(),
            parse_int=lambda digits: int(_short_number(digits)),
            parse_float=lambda digits: float(_short_number(digits)),
        )
    except ValueError as error:  # an undecodable byte too
        raise RefusalError(HTTPStatus.BAD_REQUEST, f"not JSON in UTF-8: {error}") from None
    if not isinstance(value, dict):
        raise RefusalError(HTTPStatus.BAD_REQUEST, "expected a JSON object")
    return value


def _short_number(digits: str) -> str:
    """Refuse a long number before it is converted, which would take the square of its length."""
    if len(digits) > LONGEST_NUMBER:
        why = f"found a number of {len(digits):,} characters, expected at most {LONGEST_NUMBER}"
        raise RefusalError(HTTPStatus.BAD_REQUEST, why)
    return digits


def _arguments(given: dict[str, object], query: Callable[..., CachedQuery]) -> dict[str, object]:
    """The arguments of a query: an object that must have its keys, and values of their types."""
    parameters = inspect.signature(query).parameters
    defaults = {name: each.default for name, each in parameters.items() if each.default != EMPTY}
    values = defaults | given
    if values.keys() != parameters.keys():
        found, expected = (", ".join(each) or "none" for each in (given, parameters))
        why = f"found the keys {shown(found)}, expected {expected}"
        raise RefusalError(HTTPStatus.BAD_REQUEST, why)
    for name, each in parameters.items():
        value, kind = values[name], each.annotation
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            why = f"{name}: expected {WORDS[kind]}, found {shown(str(value))}"
            raise RefusalError(HTTPStatus.BAD_REQUEST, why)
    return values


class Download(NamedTuple):
    """A file to keep: its content type, and how it is made from an address."""

    kind: str
    make: Callable[[str], str | bytes]


DOWNLOADS = {
    "run.csv": Download("text/csv; charset=utf-8", page_data.table),
    "run.html": Download(HTML, offline_page.offline_run),
    "plane.svg": Download("image/svg+xml", partial(plane_image.plane_file, kind="svg")),
    "plane.png": Download("image/png", partial(plane_image.plane_file, kind="png")),
}


class DownloadHandler(Handler):
    """A file about the state that is asked with."""

    async def get(self, name: str) -> None:
        file, address = DOWNLOADS[name], self.request.query
        answer = await self.ask((name, address), lambda: assets.packed(utf8(file.make(address))))
        self.set_header("Content-Disposition", f'attachment; filename="{name}"')
        self.send(file.kind, answer)


class UnknownHandler(Handler):
    """Any other address."""

    def refuse(self) -> None:
        raise HTTPError(HTTPStatus.NOT_FOUND)

    get = head = post = put = patch = delete = options = refuse


def application(pool: RequestPool, hosts: frozenset[str] | None) -> Application:
    """The whole application. hosts: what the server may be called; None: anything."""
    return Application(
        [
            ("/", PageHandler),
            (
                r"/page/(\w+\.(?:js|css)|(?:lesson|guide)\.html)",
                AssetHandler,
                {"path": assets.FOLDER},
            ),
            ("/static/js/bokeh.min.js", BokehHandler),
            ("/scene", QueryHandler, {"query": state_query}),
            ("/points", QueryHandler, {"query": points_query}),
            ("/capacity", QueryHandler, {"query": capacity_query}),
            (f"/({'|'.join(map(re.escape, DOWNLOADS))})", DownloadHandler),
        ],
        default_handler_class=UnknownHandler,
        compress_response=True,
        static_hash_cache=False,  # a file that was edited is another
        log_function=lambda handler: None,  # no access log, for privacy
        pool=pool,
        hosts=hosts,
    )
