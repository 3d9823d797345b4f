"""`--html`: a run as a page that steps back and forth through it, offline."""

import dataclasses
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from novikoff.cli import reporting

if TYPE_CHECKING:
    from novikoff.tracing import Trace

WIDTH = 80
HtmlOption = Annotated[
    Path | None,
    reporting.option(
        "FILE.html",
        "Write a page to this file that steps back and forth through the run, offline.",
    ),
]


def write(
    html: Path, found: "Trace", estimator: Any, again: Callable[[int], "Trace"], data: str
) -> list[str]:
    """Write the page; what it does not show, for a person.

    again: the same run once more, up to so many updates, where the table that was kept of a long
    one has not each of the first.
    """
    from novikoff.lab.offline import offline_page
    from novikoff.lab.runs import UPDATES, Run
    from novikoff.lab.traced import told_of_trace
    from novikoff.models import replace

    if found.thinned:
        found = dataclasses.replace(found, table=again(UPDATES).table)
    told = told_of_trace(Run.of(found, estimator), data)
    # the name of a file need not be UTF-8, and the page may say it
    replace(html, offline_page(told).encode(errors="backslashreplace"))
    film = told["film"]
    return [] if film["complete"] else textwrap.wrap(film["end"]["sentence"], WIDTH)


def as_json(html: Path | None) -> dict[str, str | None]:
    """What scripts read."""
    return {"html": None if html is None else str(html)}


def told(html: Path | None, left_out: list[str]) -> list[str]:
    """For a person."""
    return [] if html is None else [f"Film: {html}; open it in a browser.", *left_out]
