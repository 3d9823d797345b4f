"""What a browser loads: the page, put together from its parts, its scripts and styles."""

import functools
import gzip
import json
from html import escape
from importlib.resources import files
from typing import Any

from isal import igzip

from novikoff import __version__
from novikoff.report.bokeh_figures import scripts
from novikoff.report.picture import DARK, LIGHT

KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
NIGHT = "@media screen and (prefers-color-scheme: dark)"


def packed(data: bytes) -> bytes:
    """Compressed, as answers are kept and sent; equal data become equal bytes."""
    return bytes(igzip.compress(data, compresslevel=2, mtime=0))


def unpacked(answer: bytes) -> bytes:
    """What was packed."""
    return gzip.decompress(answer)


def own(name: str) -> str:
    """A part of the page, as it is in the folder `page`."""
    return (files("novikoff.lab") / "page" / name).read_text(encoding="utf-8")


def element(name: str, told: Any) -> str:
    """Data in a page, for its scripts; no text in them can end the element."""
    text = json.dumps(told, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def colours() -> str:
    """The palette of `report.picture`: as styles, by the screen's scheme, and for scripts as a
    dark colour for each light one.
    """
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in palette.items())
        for palette in (LIGHT, DARK)
    )
    styles = f"<style>:root {{ {light} }}\n{NIGHT} {{ :root {{ {dark} }} }}</style>\n"
    return styles + element("dark", {LIGHT[name]: DARK[name] for name in LIGHT})


@functools.cache
def figures() -> str:
    """The empty figures, for scripts to fill."""
    from novikoff.lab.figures import figures

    return "".join(element(name, item) for name, item in figures().items())


def page() -> bytes:
    """The whole page, with what can be chosen on it."""
    from novikoff.lab.told import choices

    text = own("lab.html")
    for marker, part in (
        ("colours", colours()),
        ("player", own("player.html")),
        ("capacity", own("capacity.html")),
        ("figures", figures()),
        ("choices", element("choices", choices())),
        ("version", escape(__version__)),
    ):
        text = text.replace(f"<!-- {marker} -->", part)
    return text.encode()


def asset(name: str) -> tuple[str, bytes] | None:
    """The kind of one of the page's files and the file, packed; None if there is no such.

    It is looked for among the files that there are, so that no name leads elsewhere.
    """
    known = {each.name for each in (files("novikoff.lab") / "page").iterdir()}
    kind = KINDS.get(name.rpartition(".")[2])
    return (kind, packed(own(name).encode())) if kind and name in known else None


@functools.cache
def bokeh() -> bytes:
    """Bokeh's own script, packed."""
    return packed(scripts().encode())
