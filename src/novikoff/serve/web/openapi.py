"""The description of the routes (OpenAPI 3.1), generated from them, and a page of it."""

from html import escape
from typing import Any

from novikoff.serve.messages import Problem, schema
from novikoff.serve.web.tokens import Right
from novikoff.version import __version__


def description(addresses: Any) -> dict[str, Any]:
    """All routes, what they take and what they answer."""
    paths: dict[str, Any] = {}
    for address in addresses:
        for path in address.paths:
            paths.setdefault(path, {})[address.method.lower()] = _operation(address, path)
    return {
        "openapi": "3.1.0",
        "info": {"title": "novikoff serve", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(address: Any, path: str) -> dict[str, Any]:
    answer = {"type": "object"} if address.gives is None else schema(address.gives)
    refused = {"description": "Why not.", "content": {"application/json": {"schema": PROBLEM}}}
    found: dict[str, Any] = {
        "summary": address.words,
        "responses": {
            "200": {"description": "Done.", "content": {address.kind: {"schema": answer}}},
            "default": refused,
        },
    }
    if address.takes is not None:
        body = {"schema": schema(address.takes)}
        kinds = ["application/json", *(["application/x-ndjson"] if address.batches else [])]
        found["requestBody"] = {"required": True, "content": dict.fromkeys(kinds, body)}
    if "{name}" in path:
        place = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
        found["parameters"] = [place]
    if address.right != Right.NOTHING:
        found["security"] = [{"token": []}]
    return found


PROBLEM = schema(Problem)


def page(addresses: Any) -> str:
    """The same for people."""
    rows = []
    for address in addresses:
        paths = "<br>".join(f"{address.method} {escape(path)}" for path in address.paths)
        fields = _fields(address.takes)
        rows.append(f"<tr><td>{paths}<td>{escape(address.words)}<td>{fields}</tr>")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>novikoff serve: routes</title>'
        '<link rel="stylesheet" href="/page.css"><main><h1>Routes</h1>'
        '<p>As OpenAPI: <a href="/openapi.json">/openapi.json</a>.</p>'
        f"<table><tr><th>route<th>what it does<th>takes</tr>{''.join(rows)}</table></main></html>"
    )


def _fields(kind: Any) -> str:
    if kind is None:
        return ""
    found = schema(kind)
    names = (name if name in found["required"] else f"{name}?" for name in found["properties"])
    return escape(", ".join(names))
