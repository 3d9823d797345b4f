"""A run as a film: all that a page needs to step through it, as plain data.

A film is computed once, by the library, and only played by the page: step k shows weights[k], the
rows that would be mistakes for them, and line k - 1 of the columns, which are the trace's own.
"""

import math
import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.lab.film import ending_text, proof_lines, run_text
from novikoff.lab.film.charts import charts_of
from novikoff.lab.film.mistakes_by_step import mistakes_by_step, packed
from novikoff.lab.film.proof_picture import picture_columns, picture_of
from novikoff.lab.film.run import ENDLESS, NOTHING, UPDATES, FilmRun, Numbers, Places
from novikoff.lab.film.symbols import symbols_of
from novikoff.lab.state.row_orders import arrangement, rows_of
from novikoff.lab.state.settings import ORDERS, RunSettings, estimator
from novikoff.lab.state.url_values import Point
from novikoff.learning.rules import Averaged
from novikoff.number_text import count, rounded_up
from novikoff.report.model import shorten
from novikoff.report.row_info import RowInfo
from novikoff.theory.trace import Trace, trace
from novikoff.verdict.result import SEPARABLE, Verdict

ROWS, WIDE = 500, 100  # above so many rows or features it is not said which rows would be mistakes
SHOWN, SHOWN_OF_WINNOW = 20, 64  # weights that a film shows
DIGITS = 12  # significant ones of a column's numbers; rounding keeps the order of two sides
OWN = ("update", "epoch", "row", "label", "score", "mistake")  # columns of every film
LEFT_OUT = re.compile(r"weight_[0-9]+|intercept|.*_slack")  # of the columns of a trace
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def plane_run(settings: RunSettings, points: tuple[Point, ...], verdict: Verdict) -> FilmRun:
    """The run on points in the plane on which the verdict is known."""
    (X, y), numbers = rows_of(points), arrangement(settings, points).places
    most = UPDATES if verdict.outcome == SEPARABLE else ENDLESS
    learner = estimator(settings, max_epochs=most + 1)  # every epoch but the last has an update
    run = trace(X[numbers], y[numbers], learner, max_updates=most, stop_at_cycle=True)
    return FilmRun.from_trace(run, learner, numbers, ORDERS[settings.order], len(verdict.conflict))


def film_of(
    run: FilmRun, title: str = "", *, charts: bool = True, shown: "ShownWeights | None" = None
) -> dict[str, Any]:
    """The film of a run. charts: whether it has curves, which take most of the time. shown: its
    `weights_of`, where they are known.
    """
    trace, shown = run.trace, shown or weights_of(run)
    film = {
        "kind": kind_of(trace),
        "title": title or f"{run_text.TITLES[trace.rule]} on {count(trace.rows, 'row')}",
        "about": run_text.about(run) + _left_out(trace, shown),
        "steps": run.steps,
        "complete": run.converged or run.repeats or run.stuck,
        "columns": {name: to_json_list(column) for name, column in columns_of(run, shown).items()},
        "weights": shown.weights.tolist(),
        "names": [_name(trace, int(j)) for j in shown.coordinates],
        "wrong": None if shown.wrong is None else packed(run.as_given(shown.wrong)),
        "rows": trace.rows,
        "places": _places(run),
        "symbols": symbols_of(run),
        "order": run.order_words,
        "countdown": ending_text.countdown(run),
        "moved": run_text.moved(run),
        "picture": picture_of(run),
        "lines": [line._asdict() for line in proof_lines.lines_of(run)],
        "end": ending_text.end(run),
        "charts": charts_of(run) if charts else [],
    }
    if isinstance(run.rule, Averaged):
        film["averages"] = averages_of(run, shown.weights).tolist()
    return film


def kind_of(trace: Trace) -> str:
    """What a page draws: a plane, Winnow's bars, or the weights of rows of any width."""
    if trace.rule == "winnow":
        return "winnow"
    return "plane" if trace.features == 2 and trace.rows <= ROWS else "rows"


def columns_of(run: FilmRun, shown: "ShownWeights") -> dict[str, npt.NDArray[Any]]:
    """The trace's columns, and what a film says beside them."""
    table = run.trace.table
    kept = {name: table.get(name, NOTHING) for name in OWN}
    kept |= {name: table[name] for name in table if not LEFT_OUT.fullmatch(name)}
    mistake = kept["mistake"].astype(np.int64)
    kept = _as_shown(run, kept, shown) | picture_columns(run)
    if run.trace.rule == "winnow":  # the weights that the threshold is about: those of the row
        kept["row_sum"] = run.rule.theta + kept["label"] * kept["score"]
        kept["row_sum_after"] = kept["row_sum"] * run.rule.alpha ** kept["label"].astype(np.float64)
    return kept | {
        "row": run.as_numbered(kept["row"]),
        "mistake": mistake,
        "mistakes": np.cumsum(mistake),
        "passed": np.diff(run.rows_seen_before(), prepend=-1) - 1,
    }


def _as_shown(
    run: FilmRun, kept: dict[str, npt.NDArray[Any]], shown: "ShownWeights"
) -> dict[str, npt.NDArray[Any]]:
    """Columns beside which the page shows the weights themselves, or that it rounds as they come.

    What a trace sums up in doubles is right within its allowance, which from a far start is more
    than the weights' own digits. A ceiling is rounded up, so that it is none too low as it stands.
    """
    trace, out = run.trace, dict(kept)
    if "squared_norm" in kept and shown.squares is not None:
        if not trace.exact:
            out["squared_norm"] = shown.squares
            if shown.cosines is not None:
                out["cosine"] = shown.cosines
        if "cosine" in kept:  # weights of zero have none
            out["cosine"] = np.where(out["squared_norm"] > 0.0, out["cosine"], np.nan)
    if "ceiling" in kept:
        heights = (float(rounded_up(height, 4)) for height in kept["ceiling"].tolist())
        out["ceiling"] = np.array([*heights])
    return out


def to_json_list(column: npt.NDArray[Any]) -> list[Any]:
    """Numbers as JSON has them: what is not finite is None."""
    values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return values
    rounded = (float(f"{value:.{DIGITS}g}") for value in values)
    return [value if math.isfinite(value) else None for value in rounded]


class ShownWeights(NamedTuple):
    """The weights that a film shows, a line for each step, whose they are, and which rows would be
    mistakes at each step, where that is said.
    """

    coordinates: Places
    weights: Numbers
    wrong: npt.NDArray[np.bool_] | None
    squares: Numbers | None = None  # of the lengths of all weights after each update
    cosines: Numbers | None = None  # of their angles with the target


def weights_of(run: FilmRun) -> ShownWeights:
    """All weights, or of many those that came farthest from their start."""
    trace = run.trace
    count, room = len(trace.start), SHOWN_OF_WINNOW if trace.rule == "winnow" else SHOWN
    if trace.features <= WIDE:
        weights = np.vstack([*run.weights()])
        mistakes = mistakes_by_step(trace.signed, run.rule, weights) if trace.rows <= ROWS else None
        chosen = _farthest(np.abs(weights - weights[0]).max(axis=0), room)
        return ShownWeights(
            chosen, weights[:, chosen], mistakes, *_measured(weights[1:], trace.target)
        )
    ways = np.zeros(count)
    for part in run.weights():
        np.maximum(ways, np.abs(part - trace.start).max(axis=0), out=ways)
    chosen = _farthest(ways, room)
    return ShownWeights(chosen, np.vstack([part[:, chosen] for part in run.weights()]), None)


def _measured(weights: Numbers, target: Numbers | None) -> tuple[Numbers, Numbers | None]:
    """|w|^2 and cos(w, w*) of each line; what has no angle is not a number."""
    squares = np.einsum("kj,kj->k", weights, weights)
    if target is None:
        return squares, None
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = weights @ target / (np.sqrt(squares) * np.linalg.norm(target))
    return squares, np.clip(cosines, -1.0, 1.0)


def _farthest(ways: Numbers, room: int) -> Places:
    """The coordinates that came farthest, in order."""
    return np.sort(np.argsort(-ways, kind="stable")[:room])


def averages_of(run: FilmRun, weights: Numbers) -> Numbers:
    """The mean of all weights so far (see `learning.rules.averaged`): after each update, and at the
    end for the last step of a run that ended: with that the rule predicts.
    """
    times = run.rows_seen_before()
    moments = np.cumsum(np.diff(weights, axis=0) * times[:, None], axis=0)
    seen = (times + 1).astype(np.float64)
    if run.converged:
        seen[-1:] = run.trace.epochs * run.trace.rows
    return np.vstack([weights[:1], weights[1:] - moments / seen[:, None]])


def _left_out(trace: Trace, shown: ShownWeights) -> str:
    """What the film does not show."""
    text, count = "", len(trace.start)
    if len(shown.coordinates) < count:
        few = len(shown.coordinates)
        text += f" Of {count:,} weights it shows the {few} that came farthest from their start."
    if shown.wrong is None:
        text += (
            f" Which rows would be mistakes at a step is said of at most {ROWS} rows and {WIDE}"
            " features."
        )
    if trace.features == 2 and trace.rows > ROWS:
        text += f" The plane is drawn with at most {ROWS} points."
    return text


def _name(trace: Trace, j: int) -> str:
    names = trace.signed.feature_names
    if j == trace.features:
        return "b" if names is None else "intercept"
    if names is not None:
        return shorten(names[j])
    letter = "x" if trace.rule == "winnow" else "w"
    return f"{letter}{str(j + 1).translate(SUBSCRIPTS)}"


def _places(run: FilmRun) -> dict[int, str] | list[str] | None:
    """What to call the rows, where they have lines in a file: of many, those that moved it."""
    trace = run.trace
    if trace.signed.lines is None:
        return None
    examples = RowInfo.of(trace.signed)
    if trace.rows <= ROWS:
        return [examples.row_name(i) for i in range(trace.rows)]
    return {int(i): examples.row_name(int(i)) for i in np.unique(trace.table.get("row", NOTHING))}
