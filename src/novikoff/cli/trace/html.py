"""`--html`: a run as a page that steps back and forth through it, offline."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from novikoff.cli.shared import report_options
from novikoff.cli.shared.text import wrap
from novikoff.files import atomic_write

if TYPE_CHECKING:
    from novikoff.learning.spec import TrainingSpec
    from novikoff.theory.trace import Trace

HtmlOption = Annotated[
    Path | None,
    report_options.option(
        "FILE.html",
        "Write a page to this file that steps back and forth through the run, offline.",
    ),
]


def write(
    html: Path, found: "Trace", spec: "TrainingSpec", again: Callable[[int], "Trace"], data: str
) -> list[str]:
    """Write the page, and say in words what it does not show.

    again(most): the same run once more, up to `most` updates, for a long run whose table does not
    hold each of the first.
    """
    from novikoff.lab.film.run import UPDATES, FilmRun
    from novikoff.lab.offline_page import offline_page
    from novikoff.lab.trace_page_data import trace_page_data
    from novikoff.learning.estimators.by_rule import estimator_from_spec

    if found.thinned:
        found = dataclasses.replace(found, table=again(UPDATES).table)
    data = data if data.startswith("example:") else Path(data).name
    scene = trace_page_data(FilmRun.from_trace(found, estimator_from_spec(spec)), data)
    # the name of a file need not be UTF-8, and the page may say it
    atomic_write(html, offline_page(scene).encode(errors="backslashreplace"))
    film = scene["film"]
    return [] if film["complete"] else wrap(film["end"]["sentence"], hyphens=True, long_words=True)


def as_json(html: Path | None) -> dict[str, str | None]:
    """The keys that scripts rely on."""
    return {"html": None if html is None else str(html)}


def lines(html: Path | None, left_out: list[str]) -> list[str]:
    """Where the page is and what it leaves out, for a person."""
    return [] if html is None else [f"Film: {html}; open it in a browser.", *left_out]
