"""Pages and pictures become files, whole or not at all."""

import importlib
from pathlib import Path

from novikoff import __version__
from novikoff.errors import ParameterError
from novikoff.models import replace
from novikoff.report.picture import Page

PAGE, PICTURES = (".html", ".htm"), (".png", ".svg")
MODULES = {"Bokeh": "bokeh.embed", "Matplotlib": "matplotlib.figure"}
NEEDED = {"--report": ("Bokeh", "Matplotlib"), "--html": ("Bokeh",), "--plot": ("Matplotlib",)}


def require(option: str, path: Path) -> None:
    """Refuse what cannot be written, before any work is done: see `write_page`, `write_picture`."""
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
        _require(option, name, MODULES[name])


def _require(option: str, name: str, module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        raise ParameterError(
            f"{option} needs {name}, which cannot be loaded ({error}):"
            " pip install 'novikoff[report]'"
        ) from None


def write_page(page: Page, path: Path) -> None:
    """The page as one HTML file that needs nothing else. Needs Bokeh and Matplotlib."""
    from novikoff.report.html import html

    # the name of a file need not be UTF-8, and the page may say it
    replace(path, html(page, __version__).encode(errors="backslashreplace"))


def write_picture(page: Page, path: Path) -> None:
    """The page's first picture, the one that says most, as PNG or SVG. Needs Matplotlib."""
    from novikoff.report.still import still

    replace(path, still(page.pictures[0], path.suffix.lower().removeprefix(".")))
