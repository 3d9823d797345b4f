"""The capacity tab: random labellings, each decided for certain, beside Cover's curve.

The draws are those of `nk.cover.capacity_curve`: the one of a number depends on (seed, N, P) and
that number alone, so what was drawn once is kept, and drawing on only adds to it.
"""

import functools
import itertools
from collections import OrderedDict
from threading import Lock
from typing import Any

from novikoff import cover_count
from novikoff.errors import ParameterError
from novikoff.lab.film.charts import chart_json
from novikoff.lab.limits import DRAWN
from novikoff.lab.plane.bokeh_figures import empty_source
from novikoff.lab.state.page_state import RANGES, CapacityTabState, address, as_strings
from novikoff.lab.state.row_orders import rows_of
from novikoff.lab.state.url_values import Point, write_points
from novikoff.number_text import rounded_down, rounded_up
from novikoff.report.charts import capacity as pictures
from novikoff.report.model import LIGHT, Mark, PointSeries, array, number
from novikoff.report.render.bokeh import Plot, Style, bokeh_figure
from novikoff.theory.cover.capacity import interval, trial
from novikoff.verdict import check
from novikoff.verdict.result import SEPARABLE

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
FEW = 20  # labellings, which are decided in a fraction of a second
FARTHEST = 4.0  # P / N up to where the curve is drawn, if P is not beyond

Drawn = tuple[int, int, int]  # N, P, seed


class TrialCache:
    """What was drawn: for each (N, P, seed) a byte for each labelling, 1 where it is separable.

    Those that were asked for longest ago are forgotten. Threads may draw the same ones at the same
    time; they find the same.
    """

    def __init__(self, most: int = DRAWN) -> None:
        self.most = most
        self.lock = Lock()
        self.found: OrderedDict[Drawn, bytes] = OrderedDict()

    def results(self, N: int, P: int, seed: int, trials: int) -> bytes:
        """The first so many labellings."""
        name = N, P, seed
        with self.lock:
            known = self.found.get(name, b"")
        if len(known) < trials:
            known += bytes(trial(N, P, seed, k) for k in range(len(known), trials))
        with self.lock:
            if len(known) > len(self.found.get(name, b"")):
                self.found[name] = known
            if name in self.found:
                self.found.move_to_end(name)
            while len(self.found) > self.most:
                self.found.popitem(last=False)
        return known[:trials]


TRIALS = TrialCache()


def capacity_page_data(state: CapacityTabState) -> dict[str, Any]:
    """All of the tab."""
    N, P = state.N, state.P
    farthest = FARTHEST if P <= FARTHEST * N else 1.3 * P / N
    return {
        "address": address(state),
        "tab": "capacity",
        "state": as_strings(state),
        "limits": {name: list(RANGES["capacity"][name]) for name in ("N", "P", "trials", "seed")},
        "curve": _curve(N),
        "half": 2 * N,
        "square": square_labellings(),
        "now": run_trials(N, P, state.trials, state.seed),
        "chart": chart(N, farthest),
    }


def first_capacity_data(state: CapacityTabState) -> dict[str, Any]:
    """What the tab shows at first: the labellings only where they are few, and no figure."""
    few = state.trials <= FEW
    now = run_trials(state.N, state.P, state.trials if few else 0, state.seed)
    return {
        "tab": "capacity",
        "state": as_strings(state),
        "curve": _curve(state.N),
        "picture": pictures.cover_curves([state.N], None),
        "now": now | {"sentence": now["sentence"] if few else ""},
    }


def _curve(N: int) -> dict[str, list[float]]:
    """Cover's share for each number of points."""
    places = range(1, int(FARTHEST) * N + 1)
    return {
        "ratio": [p / N for p in places],
        "P": list(places),
        "share": [cover_count.fraction(p, N) for p in places],
    }


def run_trials(N: int, P: int, trials: int, seed: int) -> dict[str, Any]:
    """So many labellings, decided: how many are separable, and what that says of all labellings."""
    given = {"N": N, "P": P, "trials": trials, "seed": seed}
    for name, value in given.items():
        least, most = RANGES["capacity"][name]
        if not least <= value <= most:
            raise ParameterError(f"{name}: found {value}, expected {least:,} to {most:,}")
    results = TRIALS.results(N, P, seed, trials)
    good = sum(results)
    lower, upper = interval(good, trials) if trials else (0.0, 1.0)
    return given | {
        "address": address(CapacityTabState(**given)),
        "ratio": P / N,
        "separable": good,
        "results": "".join(map(str, results)),
        "fraction": good / trials if trials else None,
        "lower": lower,
        "upper": upper,
        "cover": cover_count.fraction(P, N),
        "sentence": _sentence(N, P, good, trials, (lower, upper)),
        "count": count_text(P, N),
        "meaning": pictures.capacity_text(P, N),
    }


def count_text(P: int, N: int) -> str:
    """C(P, N), with its formula and its number."""
    named, number = f"C({P}, {N})", cover_count.magnitude(P, N).text
    last = f" + … + ({P - 1} choose {min(N, P) - 1})" if min(N, P) > 1 else ""
    return f"{named} = 2·[({P - 1} choose 0){last}] = {number} of 2^{P} labellings"


@functools.cache
def square_labellings() -> list[dict[str, Any]]:
    """The 16 labellings of the corners of a square: of one class all are on one side of a line far
    away; the others are decided.
    """
    found = []
    for labels in itertools.product((-1, 1), repeat=len(SQUARE)):
        points = tuple(Point(*corner, label) for corner, label in zip(SQUARE, labels, strict=True))
        realised = len({*labels}) < 2 or check(*rows_of(points)).outcome == SEPARABLE
        corners = [list(point) for point in points]
        found.append({"points": write_points(points), "corners": corners, "realised": realised})
    return found


def _sentence(N: int, P: int, good: int, trials: int, between: tuple[float, float]) -> str:
    cover = cover_count.fraction(P, N)
    share = "1: every labelling is separable" if P <= N else number(cover, 3)
    if not trials:
        return f"Nothing drawn yet. Cover's value is {share}."
    low, high = rounded_down(between[0]), rounded_up(between[1])
    contains = "contains" if between[0] <= cover <= between[1] else "misses"
    return (
        f"{good:,} of {trials:,} random labellings {'is' if good == 1 else 'are'} separable:"
        f" {number(good / trials, 3)}. The 95 % interval from {low} to {high} {contains}"
        f" Cover's value, {share}."
    )


@functools.lru_cache(maxsize=64)
def chart(N: int, farthest: float) -> dict[str, Any]:
    """Cover's curve for N, and on it places for what was drawn: the sources "now" and "visited",
    with columns x, y, lower, upper and label.
    """
    picture = pictures.cover_curves([N], None, farthest)
    nothing = array([])
    now, before = "drawn, with 95 % confidence", "drawn before, at other P"
    drawn: list[Mark] = [
        PointSeries(nothing, nothing, now, "red", "circle", 13.0, "outlined"),
        PointSeries(nothing, nothing, before, "red", "circle", 9.0, "hollow"),
    ]
    plot = bokeh_figure(picture)
    _add_place(plot, "visited", 9, {"fill_color": None, "line_color": LIGHT["red"]})
    _add_place(plot, "now", 15, {"fill_color": LIGHT["red"], "line_color": LIGHT["ink"]})
    return chart_json(f"cover-{N}-{farthest:g}", picture, plot, drawn)


def _add_place(plot: Plot, name: str, size: int, look: Style) -> None:
    from bokeh.models import HoverTool

    source = empty_source(name, "x", "y", "lower", "upper", "label")
    ends = {"x0": "x", "x1": "x", "y0": "lower", "y1": "upper"}
    plot.segment(source=source, line_color=LIGHT["red"], line_width=2, **ends)
    where: Style = {"x": "x", "y": "y", "size": size, "line_width": 2}
    points = plot.scatter(source=source, marker="circle", **where, **look)
    plot.add_tools(HoverTool(renderers=[points], tooltips="@label", visible=False))
