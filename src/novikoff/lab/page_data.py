"""What the server tells a page: everything that its address means, computed by the library."""

from typing import Any

from novikoff.errors import NovikoffError, ParameterError
from novikoff.lab.capacity_tab import told_of_capacity
from novikoff.lab.film.csv_table import as_csv
from novikoff.lab.film.film import film_of_plane, run_of_plane
from novikoff.lab.film.run import UPDATES, FilmRun
from novikoff.lab.limits import BODY
from novikoff.lab.plane import verdict_view as judging
from novikoff.lab.plane.verdict_view import NO_POINTS, ONE_CLASS, PlaneVerdict, mirrored, rows_of
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
from novikoff.lab.winnow_tab import run_of_winnow, told_of_winnow


def page_data(text: str, charts: bool = True) -> dict[str, Any]:
    """All of a page, from its address; a NovikoffError says what is wrong with that.

    charts: whether the film has its curves, which take most of the time.
    """
    state = parsed(text)
    if isinstance(state, Plane):
        return told_of_plane(state, charts)
    if isinstance(state, WinnowTabState):
        return told_of_winnow(state, charts)
    return told_of_capacity(state)


def told_of_plane(state: Plane, charts: bool = True) -> dict[str, Any]:
    """The points, the verdict on them, and the run as a film."""
    found = judging.judge(state)
    problem, film = _problem(state, found), None
    if problem is None and found.verdict is not None:
        try:
            rows = rows_of(state.points)
            film = film_of_plane(state.settings, *rows, found.verdict, charts=charts)
        except NovikoffError as error:
            problem = str(error)
    return {
        "address": address(state),
        "tab": "plane",
        "state": as_strings(state),
        **_titles(state),
        "points": [list(point) for point in state.points],
        "frame": frame(state, found),
        "arranged": "" if problem else arrangement(state.settings, *rows_of(state.points)).note,
        "verdict": judging.as_json(state, found),
        "figures": judging.figures(found),
        "film": film,
        "problem": problem,
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


def frame(state: Plane, found: PlaneVerdict) -> list[list[float]]:
    """What of the plane to show: the points, and what is drawn of the verdict."""
    places = [point[:2] for point in state.points]
    if not state.settings.bias:
        places.append((0.0, 0.0))  # every line goes through it
        conflict = [] if found.verdict is None else found.verdict.conflict
        places += [mirrored(state.points[row]) for row, _ in conflict]
    return [list(side) for side in frame_of(places)]


def _problem(state: Plane, found: PlaneVerdict) -> str | None:
    """Why there is no run to show."""
    settings = state.settings
    one_sided = settings.rule == "one-sided"
    if found.outcome == NO_POINTS:
        return "There are no points: place some, or choose a preset."
    if one_sided and any(point.label < 0 for point in state.points):
        return (
            "The one-sided rule knows positive rows only, and here are some of the class −1: take"
            " those out, or choose another rule."
        )
    if found.outcome == ONE_CLASS:
        return "All points are of one class: place some of the other, too."
    stays = settings.tie == "keep" and settings.start == "zeros"
    if stays and settings.rule in ("perceptron", "averaged"):
        return (
            "From a start of zeros every score is 0, and this tie keeps the weights at a score of"
            " 0: nothing would ever move. Choose another start, or another tie."
        )
    return None


def table(text: str) -> str:
    """The run of an address as CSV."""
    return as_csv(run(text))


def run(text: str) -> FilmRun:
    """The run of an address; a NovikoffError says why there is none."""
    state = parsed(text)
    if isinstance(state, CapacityTabState):
        raise ParameterError("tab: found 'capacity', expected plane or winnow: it has no run")
    if isinstance(state, WinnowTabState):
        return run_of_winnow(state)
    found = judging.judge(state)
    problem = _problem(state, found)
    if problem is not None or found.verdict is None:
        raise ParameterError(problem or "there is no run")
    return run_of_plane(state.settings, *rows_of(state.points), found.verdict)


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
