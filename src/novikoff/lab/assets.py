"""What a browser loads: the page, put together from its parts, its scripts and styles."""

import functools
import gzip
from html import escape
from importlib.resources import files

from isal import igzip

from novikoff import __version__
from novikoff.report.bokeh_figures import scripts
from novikoff.report.html import colours, dark, element

KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def packed(data: bytes) -> bytes:
    """Compressed, as answers are kept and sent; equal data become equal bytes."""
    return bytes(igzip.compress(data, compresslevel=2, mtime=0))


def unpacked(answer: bytes) -> bytes:
    """What was packed."""
    return gzip.decompress(answer)


def own(name: str) -> str:
    """A part of the page, as it is in the folder `page`."""
    return (files("novikoff.lab") / "page" / name).read_text(encoding="utf-8")


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
        ("colours", f"<style>{colours()}</style>\n{dark()}"),
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
