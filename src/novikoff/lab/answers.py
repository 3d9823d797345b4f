"""How each question is answered; these run in threads, several at a time."""

import functools
from collections.abc import Callable
from threading import Lock
from typing import Any

from novikoff.errors import ParameterError
from novikoff.lab.runs import UPDATES

DRAWING = Lock()  # Matplotlib's settings belong to the whole process


def told(address: str, charts: bool) -> dict[str, Any]:
    """Everything about a state."""
    from novikoff.lab import told

    return told.told(address, charts=charts)


def points(text: str, x: str | None, y: str | None, target: str | None) -> dict[str, Any]:
    """The points of a CSV text."""
    from novikoff.lab.pasted import pasted

    return pasted(text, x, y, target)


def capacity(N: int, P: int, trials: int, seed: int) -> dict[str, Any]:
    """How many of so many labellings separate."""
    from novikoff.lab import capacity

    return capacity.tried(N, P, trials, seed)


def table(address: str) -> bytes:
    """Every update of a run, as CSV."""
    from novikoff.lab import told

    return told.table(address).encode()


def offline(address: str) -> bytes:
    """The run as a page of its own."""
    from novikoff.lab import told
    from novikoff.lab.offline import offline_page

    found = told.told(address)
    if found.get("film") is None:
        why = "tab: found 'capacity', expected plane or winnow: it has no run"
        raise ParameterError(found.get("problem") or why)
    return offline_page(found).encode()


def still(address: str, kind: str) -> bytes:
    """The plane at the address's step, as a picture."""
    from novikoff.lab.still import still_of
    from novikoff.lab.written import read_whole

    steps = [part[5:] for part in address.split("&") if part.startswith("step=")]
    step = read_whole("step", steps[0], 0, UPDATES) if steps else 0
    with DRAWING:
        return still_of(address, step, kind)


def warm() -> None:
    """Load and compile what answers need, so that the first of them take no longer than others."""
    from novikoff.lab import assets
    from novikoff.lab.settings import RULES

    states = [f"rule={rule}" for rule in RULES]
    states += ["order=shuffle", "tab=winnow", "tab=capacity&trials=1"]
    work: list[Callable[[], Any]] = [assets.bokeh, assets.page]
    work += [functools.partial(told, state, False) for state in states]
    for each in work:
        each()
