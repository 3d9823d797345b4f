"""`novikoff lab`: the page where a run is stepped through."""

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Annotated

import typer

from novikoff.errors import ParameterError


def lab(
    what: Annotated[
        str,
        typer.Argument(
            metavar="PRESET|ADDRESS",
            help="What to show first: a preset, such as xor, or what follows the ? in a page's"
            " address.",
            show_default=False,
        ),
    ] = "",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to serve at; 0 for any free one.")
    ] = 5006,
    host: Annotated[
        str,
        typer.Option(
            help="An address of this machine to serve at; 0.0.0.0 for all of them, so that others"
            " can open the page too."
        ),
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Watch the theorem happen: a page to place points, step through a run and see its proof.

    Serves the page, to this machine alone unless told otherwise, until Ctrl-C. Nothing is loaded
    from anywhere else. Needs Bokeh: pip install 'novikoff[report]'.

    Examples: novikoff lab, novikoff lab xor, novikoff lab 'preset=xor&rule=margin'
    """
    _require()
    from rich.console import Console

    from novikoff.lab.server.serve import serve
    from novikoff.lab.state.page_state import address, parsed
    from novikoff.network.addresses import is_loopback

    first = address(parsed(what if "=" in what or not what else f"preset={what}"))
    if not is_loopback(host):
        warning = "others can reach this server, and use this machine's time"
        typer.echo(f"novikoff: --host {host}: {warning}", err=True)

    status = Console(stderr=True).status("getting ready; the first time takes half a minute")

    def ready(url: str, _: Callable[[], None]) -> None:
        status.stop()
        page = f"{url}?{first}" if first else url
        typer.echo(f"The lab is at {page}\nCtrl-C ends it.")
        sys.stdout.flush()
        if browser:  # in a thread of its own: some browsers are waited for until they are closed
            threading.Thread(target=_open, args=[page], daemon=True).start()

    with status if sys.stderr.isatty() else contextlib.nullcontext():
        serve(host, port, ready, first)
    sys.stdout.flush()
    os._exit(0)  # an answer that was begun may take seconds more, and nobody waits for it


def _open(page: str) -> None:
    import webbrowser

    if not webbrowser.open(page):
        typer.echo("No browser was found: open this address in one.")


def _require() -> None:
    for module in ("bokeh.embed", "matplotlib.figure"):
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise ParameterError(
                f"the lab needs Bokeh and Matplotlib, which cannot be loaded ({error}):"
                " pip install 'novikoff[report]'"
            ) from None
