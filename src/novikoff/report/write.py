"""Write pages and figures to files, whole or not at all."""

import importlib
from pathlib import Path

from novikoff.errors import ParameterError
from novikoff.files import atomic_write
from novikoff.report.model import Page
from novikoff.version import __version__

PAGE, PICTURES = (".html", ".htm"), (".png", ".svg")
MODULES = {"Bokeh": "bokeh.embed", "Matplotlib": "matplotlib.figure"}
NEEDED = {"--report": ("Bokeh", "Matplotlib"), "--html": ("Bokeh",), "--plot": ("Matplotlib",)}


def require_writable(option: str, path: Path) -> None:
    """Raise if a page or a figure could not be written there, before any work is done."""
    known = PICTURES if option == "--plot" else PAGE
    if path.suffix.lower() not in known:
        expected = " or ".join(known if option == "--plot" else (known[0],))
        raise ParameterError(f"{option} {path}: expected a name that ends in {expected}")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"{option} {path}: there is no folder {folder}")
    if path.is_dir():
        raise ParameterError(f"{option} {path}: that is a folder; choose another name")
    for name in NEEDED[option]:
        _require_module(option, name, MODULES[name])


def _require_module(option: str, name: str, module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ParameterError(
            f"{option} needs {name}, which cannot be loaded ({error}):"
            " pip install 'novikoff[report]'"
        ) from None


def write_page(page: Page, path: Path) -> None:
    """Write a page as one self-contained HTML file. Needs Bokeh and Matplotlib."""
    from novikoff.report.render.html import page_html

    # the name of a file need not be UTF-8, and the page may say it
    atomic_write(path, page_html(page, __version__).encode(errors="backslashreplace"))


def write_picture(page: Page, path: Path) -> None:
    """Write the page's first figure as PNG or SVG. Needs Matplotlib."""
    from novikoff.report.render.matplotlib import render_file

    atomic_write(path, render_file(page.pictures[0], path.suffix.lower().removeprefix(".")))
