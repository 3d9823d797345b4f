"""The files that a browser loads: the page, put together from its parts, and Bokeh's script."""

import functools
from html import escape
from importlib.resources import files
from pathlib import Path

from isal import igzip

from novikoff.report.render.bokeh import bokeh_script
from novikoff.report.render.html import colour_styles, dark_colours, json_element, screen_style
from novikoff.version import __version__

FOLDER = str(files("novikoff.lab") / "page")  # of the page's parts, scripts and styles


def packed(data: bytes) -> bytes:
    """Compress data, as answers are kept and sent; equal data become equal bytes."""
    return bytes(igzip.compress(data, compresslevel=2, mtime=0))


def own(name: str) -> str:
    """The text of one of the page's files."""
    return Path(FOLDER, name).read_text(encoding="utf-8")


@functools.cache
def figures() -> str:
    """The empty figures, for scripts to fill."""
    from novikoff.lab.plane.bokeh_figures import figures

    return "".join(json_element(name, item) for name, item in figures().items())


def page() -> bytes:
    """The whole page, with what can be chosen on it."""
    from novikoff.lab.page_data import choices

    text = own("lab.html")
    for marker, part in (
        ("colours", f"<style>{colour_styles()}\n{screen_style()}</style>\n{dark_colours()}"),
        ("player", own("player.html")),
        ("capacity", own("capacity.html")),
        ("figures", figures()),
        ("choices", json_element("choices", choices())),
        ("version", escape(__version__)),
    ):
        text = text.replace(f"<!-- {marker} -->", part)
    return text.encode()


@functools.cache
def bokeh() -> bytes:
    """Bokeh's own script, packed."""
    return packed(bokeh_script().encode())
