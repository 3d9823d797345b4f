"""Pages for people: the state of all models, and the routes."""

import json
from collections.abc import Iterable
from html import escape

from novikoff.serve.messages import schema
from novikoff.serve.served_model import ServedModel
from novikoff.serve.web.address import Address

STYLE = (
    "body { font: 1rem/1.45 system-ui, sans-serif; margin: 2rem }"
    " td, th { padding: .2rem 1rem; text-align: left; vertical-align: top }"
)


def state_page(models: Iterable[ServedModel]) -> str:
    """All counts of all models, anew every five seconds."""
    tables = []
    for model in models:
        facts = model.state() | {"largest weights": model.details()["weights"]}
        cells = (f"<tr><th>{escape(k)}<td>{escape(json.dumps(v))}" for k, v in facts.items())
        tables.append(f"<h2>{escape(model.name)}</h2><table>{''.join(cells)}</table>")
    routes = '<p><a href="/docs">routes</a></p>'
    refresh = '<meta http-equiv="refresh" content="5">'
    return _page("novikoff serve", routes + "".join(tables), refresh)


def route_page(addresses: Iterable[Address]) -> str:
    """The routes, as /openapi.json has them."""
    rows = []
    for address in addresses:
        paths = "<br>".join(f"{address.method} {escape(path)}" for path in address.paths)
        fields = _fields(address.takes)
        rows.append(f"<tr><td>{paths}<td>{escape(address.words)}<td>{fields}</tr>")
    link = '<p>As OpenAPI: <a href="/openapi.json">/openapi.json</a>.</p>'
    table = f"<table><tr><th>route<th>what it does<th>takes</tr>{''.join(rows)}</table>"
    return _page("Routes of novikoff serve", link + table)


def _page(title: str, content: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<title>{title}</title>'
        f'<link rel="stylesheet" href="/page.css"><main><h1>{title}</h1>{content}</main></html>'
    )


def _fields(kind: type | None) -> str:
    if kind is None:
        return ""
    found = schema(kind)
    names = (name if name in found["required"] else f"{name}?" for name in found["properties"])
    return escape(", ".join(names))
