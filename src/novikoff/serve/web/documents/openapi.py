"""The description of the routes (OpenAPI 3.1), generated from them."""

from collections.abc import Iterable
from typing import Any

from novikoff.serve.messages import Problem, schema
from novikoff.serve.web.address import Address
from novikoff.serve.web.tokens import Right
from novikoff.version import __version__

PROBLEM = schema(Problem)


def description(addresses: Iterable[Address]) -> dict[str, Any]:
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


def _operation(address: Address, path: str) -> dict[str, Any]:
    answer = {"type": "object"} if address.gives is None else schema(address.gives)
    refused = {"description": "Why not.", "content": {"application/json": {"schema": PROBLEM}}}
    lines = ["application/x-ndjson"] if address.batches else []
    content = {kind: {"schema": answer} for kind in (address.kind, *lines)}
    found: dict[str, Any] = {
        "summary": address.words,
        "responses": {
            str(int(address.status)): {"description": "Done.", "content": content},
            "default": refused,
        },
    }
    if address.takes is not None:
        body = {"schema": schema(address.takes)}
        kinds = ["application/json", *lines]
        found["requestBody"] = {"required": True, "content": dict.fromkeys(kinds, body)}
    named = [("name", "path", "Which of the models.")] if "{name}" in path else []
    asked = [(name, "query", words) for name, words in address.query.items()]
    if named or asked:
        found["parameters"] = [_parameter(*each) for each in (*named, *asked)]
    if address.right != Right.NOTHING:
        found["security"] = [{"token": []}]
    return found


def _parameter(name: str, place: str, words: str) -> dict[str, Any]:
    found = {"name": name, "in": place, "description": words, "schema": {"type": "string"}}
    return found | ({"required": True} if place == "path" else {})
