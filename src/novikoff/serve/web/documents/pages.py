"""Pages for people: the live page, and the routes as /openapi.json has them."""

import functools
import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any

from novikoff.report.render.html import colour_styles, screen_style
from novikoff.serve.messages import schema
from novikoff.serve.web.address import Address
from novikoff.serve.web.tokens import Right

SCRIPT, STYLE = "text/javascript", "text/css"
#: What a curious reader may send, by the route.
EXAMPLES = {
    "/predict": {"features": {"free": 1, "money": 2}, "id": "mail-1"},
    "/reveal": {"id": "mail-1", "label": 1},
    "/learn": {"features": {"hello": 1}, "label": -1},
    "/models": {"name": "mail", "rule": "averaged", "classes": ["ham", "spam"]},
}


def own(name: str) -> str:
    """The text of one of the pages' files."""
    return (files("novikoff.serve.web.documents") / "page" / name).read_text(encoding="utf-8")


@functools.cache
def assets() -> dict[str, tuple[str, str]]:
    """What the pages load: texts and their media types, by name."""
    style = f"{colour_styles()}\n{screen_style()}\n{own('live.css')}"
    scripts = {name: (own(name), SCRIPT) for name in ("chart.js", "live.js")}
    return scripts | {"style.css": (style, STYLE)}


def route_page(addresses: Iterable[Address]) -> str:
    """The routes: what each takes and gives, and what a request may look like."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Routes of novikoff serve</title>
<link rel="stylesheet" href="page/style.css">
</head>
<body>
<header class="bar"><h1>novikoff <span class="soft">serve: routes</span></h1>
<nav class="actions"><a href=".">Live page</a><a href="openapi.json">OpenAPI</a></nav></header>
<main class="routes">
<p>Refusals are {{"problem": "why, and what to do", "status": 422}}. Where the service has a token
file, send the header <code>Authorization: Bearer TOKEN</code>.</p>
{"".join(map(_route, addresses))}
</main>
</body>
</html>
"""


def _route(address: Address) -> str:
    facts = [] if address.right is Right.NOTHING else [f"needs a token that may {_may(address)}"]
    facts += ["a batch as NDJSON: a row on each line"] if address.batches else []
    facts += [f"for one of several models: {escape(address.paths[-1])}"] if address.by_model else []
    facts += [f"?{name}: {escape(words)}" for name, words in address.query.items()]
    shown = " open" if address.path == "/predict" else ""
    hint = f'<p class="hint">{"; ".join(facts)}</p>' if facts else ""
    takes = "" if address.takes is None else _table("Takes", address.takes)
    takes += _example(address)
    gives = "" if address.gives is None else _table("Gives", address.gives)
    return (
        f'<details class="card"{shown}><summary><b>{address.method}</b> {escape(address.path)}'
        f' <span class="soft">{escape(address.words)}</span></summary>'
        f"{hint}{takes}{gives}</details>\n"
    )


def _may(address: Address) -> str:
    return address.right.name.lower()


def _table(title: str, kind: type) -> str:
    found = schema(kind)
    rows = "".join(
        f"<tr><th><code>{name}</code><td>{_type(field)}<td>{_default(name, field, found)}</tr>"
        for name, field in found["properties"].items()
    )
    return f"<h3>{title}: {escape(found['description'])}</h3><table>{rows}</table>"


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    inner = field.get("items", field.get("additionalProperties"))
    return f"{field['type']} of ({_type(inner)})" if inner else str(field["type"])


def _default(name: str, field: dict[str, Any], found: dict[str, Any]) -> str:
    if name in found["required"]:
        return ""
    return f"default {escape(json.dumps(field['default']))}" if "default" in field else "optional"


def _example(address: Address) -> str:
    if address.takes is None or address.path not in EXAMPLES:
        return ""
    return f"<pre>{escape(json.dumps(EXAMPLES[address.path]))}</pre>"
