"""What the server tells a page: everything that its address means, computed by the library."""

import csv
import io
from typing import Any

import numpy as np

from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab.capacity_tab import capacity_page_data, first_capacity_data
from novikoff.lab.film.film import film_of, plane_run
from novikoff.lab.film.run import UPDATES, FilmRun
from novikoff.lab.limits import BODY
from novikoff.lab.plane import verdict_view as judging
from novikoff.lab.plane.verdict_view import NO_POINTS, PlaneVerdict, mirrored
from novikoff.lab.plane.viewport import frame_of
from novikoff.lab.state.dialects import DIALECTS
from novikoff.lab.state.page_state import (
    CapacityTabState,
    Plane,
    WinnowTabState,
    address,
    as_strings,
    parsed,
)
from novikoff.lab.state.presets import PRESETS
from novikoff.lab.state.row_orders import arrangement
from novikoff.lab.state.settings import ORDERS, RULES
from novikoff.lab.state.url_values import MOST_POINTS
from novikoff.lab.winnow_tab import winnow_page_data, winnow_run, winnow_sample
from novikoff.theory.trace.table import csv_lines
from novikoff.theory.trace.weights import weight_columns

NO_RUN = "tab: found 'capacity', expected plane or winnow: it has no run"


def page_data(text: str, charts: bool = True) -> dict[str, Any]:
    """All of a page, from its address; a NovikoffError says what is wrong with that.

    charts: whether the film has its curves, which take most of the time.
    """
    state = parsed(text)
    if isinstance(state, Plane):
        return plane_page_data(state, charts)
    if isinstance(state, WinnowTabState):
        return winnow_page_data(state, charts)
    return capacity_page_data(state)


def first_data(text: str) -> dict[str, Any]:
    """What an address shows at first: of all of a page, what takes little time."""
    state = parsed(text)
    if isinstance(state, Plane):
        return _titles(state) | points_and_verdict(state, judging.judge(state))
    if isinstance(state, WinnowTabState):
        return winnow_page_data(state, charts=False)
    return first_capacity_data(state)


def plane_page_data(state: Plane, charts: bool = True) -> dict[str, Any]:
    """The points, the verdict on them, and the run as a film."""
    judged, film, problem, note = judging.judge(state), None, None, ""
    try:
        film = film_of(_plane_run(state, judged), charts=charts)
        note = arrangement(state.settings, state.points).note
    except NovikoffError as error:
        problem = str(error)
    return {
        "address": address(state),
        "state": as_strings(state),
        **_titles(state),
        **points_and_verdict(state, judged),
        "names": state.names._asdict(),
        "arranged": note,
        "film": film,
        "problem": problem,
    }


def points_and_verdict(state: Plane, judged: PlaneVerdict) -> dict[str, Any]:
    """What the plane itself shows."""
    return {
        "tab": "plane",
        "points": [list(point) for point in state.points],
        "frame": _frame(state, judged),
        "verdict": judging.as_json(state, judged),
        "figures": judging.figures(judged),
    }


def _titles(state: Plane) -> dict[str, str]:
    """A preset's, whose remarks are about its own settings only."""
    if state.preset is None:
        return {"title": "Points of your own", "about": ""}
    preset = PRESETS[state.preset]
    return {
        "title": preset.title,
        "about": preset.about if state.settings == preset.settings else "",
    }


def _frame(state: Plane, judged: PlaneVerdict) -> list[list[float]]:
    """What of the plane to show: the points, and what is drawn of the verdict."""
    places = [point[:2] for point in state.points]
    if not state.settings.bias:
        places.append((0.0, 0.0))  # every line goes through it
        conflict = [] if judged.verdict is None else judged.verdict.conflict
        places += [mirrored(state.points[row]) for row, _ in conflict]
    return [list(side) for side in frame_of(places)]


def _plane_run(state: Plane, judged: PlaneVerdict) -> FilmRun:
    """The run on the points; a ParameterError says why there is none to show."""
    settings = state.settings
    if judged.outcome == NO_POINTS:
        raise ParameterError("There are no points: place some, or choose a preset.")
    if settings.rule == "one-sided" and any(point.label < 0 for point in state.points):
        raise ParameterError(
            "The one-sided rule knows positive rows only, and here are some of the class −1: take"
            " those out, or choose another rule."
        )
    if judged.verdict is None:
        raise ParameterError("All points are of one class: place some of the other, too.")
    stays = settings.tie == "keep" and settings.start == "zeros"
    if stays and settings.rule in ("perceptron", "averaged"):
        raise ParameterError(
            "From a start of zeros every score is 0, and this tie keeps the weights at a score of"
            " 0: nothing would ever move. Choose another start, or another tie."
        )
    return plane_run(settings, state.points, judged.verdict)


def table(text: str) -> str:
    """The run of an address as CSV: what `nk.trace(weights=True)` writes, rows by their numbers in
    the order given. A NovikoffError says why there is none.
    """
    state = parsed(text)
    if isinstance(state, CapacityTabState):
        raise ParameterError(NO_RUN)
    if isinstance(state, WinnowTabState):
        run = winnow_run(state, winnow_sample(state))
    else:
        run = _plane_run(state, judging.judge(state))
    if not run.steps:
        raise ParameterError("the run has no update: no row was ever a mistake")
    columns = run.trace.table | {"row": run.as_numbered(run.trace.table["row"])}
    columns |= weight_columns(np.vstack([*run.weights()])[1:], run.trace.bias)
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows([[*columns], *csv_lines(columns)])
    return lines.getvalue()


def choices() -> dict[str, Any]:
    """What there is to choose from, for the page's controls."""
    return {
        "presets": [
            {"name": name, "title": preset.title, "about": preset.about}
            for name, preset in PRESETS.items()
        ],
        "dialects": [
            {"name": name, "title": each.title, "about": each.about, "settings": each.as_strings()}
            for name, each in DIALECTS.items()
        ],
        "rules": [
            {"name": name, "title": rule.title, "about": rule.about, "uses": list(rule.uses)}
            for name, rule in RULES.items()
        ],
        "orders": [{"name": name, "about": about} for name, about in ORDERS.items()],
        "limits": {"points": MOST_POINTS, "updates": UPDATES, "bytes": BODY},
    }
