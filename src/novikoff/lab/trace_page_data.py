"""What an offline page tells of any trace: a plane where there are two features, else bars."""

from typing import Any

import numpy as np

from novikoff.lab.film.film import ROWS, film_of, kind_of, weights_of
from novikoff.lab.film.run import FilmRun, Places
from novikoff.lab.film.run_text import TITLES
from novikoff.lab.page_data import points_and_verdict
from novikoff.lab.plane.number_text import digits
from novikoff.lab.plane.verdict_view import PlaneVerdict
from novikoff.lab.state.page_state import Plane
from novikoff.lab.state.settings import DEFAULTS, canonical
from novikoff.lab.state.url_values import Point
from novikoff.learning.rows import matrix_of
from novikoff.report.row_info import dense
from novikoff.theory.bounds.disjunctions import as_bits
from novikoff.verdict.judge import Judge
from novikoff.verdict.signed import Signed


def trace_page_data(run: FilmRun, data: str) -> dict[str, Any]:
    """All of a page. data: what the rows are called."""
    kind = kind_of(run.trace)
    title = f"{TITLES[run.trace.rule]} on {data}"
    if kind == "plane":
        fields = _plane(run, title)
    else:
        shown = weights_of(run)
        fields = {"tab": kind, "film": film_of(run, title, shown=shown)}
        more = _winnow(run, shown.coordinates) if kind == "winnow" else {"verdict": _verdict(run)}
        fields |= more
    return fields | {"title": title, "about": "", "problem": None}


def _plane(run: FilmRun, title: str) -> dict[str, Any]:
    """The same as `page_data` tells of points in an address."""
    trace = run.trace
    signed, rows = trace.signed, dense(matrix_of(trace.signed.rows))
    points = zip(*rows.T.tolist(), signed.signs.tolist(), strict=True)
    rule = "one-sided" if trace.rule == "one-sided" else DEFAULTS.rule
    settings = DEFAULTS._replace(rule=rule, bias=trace.bias, unit=trace.unit_length)
    state = Plane(None, tuple(Point(*point) for point in points), canonical(settings))
    verdict, other = Judge(signed).run(), None
    if rule != "one-sided":
        other = Judge(_with_other_bias(signed)).run()
    judged = PlaneVerdict(verdict.outcome, verdict, other)
    film = film_of(run._replace(conflict=len(verdict.conflict)), title)
    return points_and_verdict(state, judged) | {"film": film}


def _with_other_bias(signed: Signed) -> Signed:
    """The very rows of the trace, lifted if they were not and the other way round."""
    rows, options = signed.rows._replace(bias=not signed.bias), (signed.signs, signed.labels)
    return Signed(rows, *options, unit_length=signed.unit_length, exact=signed.exact)


def _verdict(run: FilmRun) -> dict[str, str]:
    """What the trace knows of its rows."""
    trace = run.trace
    if trace.target is None or trace.margin is None:
        return {
            "outcome": "inseparable",
            "sentence": "Not separable: no hyperplane puts every row strictly on its correct side.",
        }
    whose = "w* as given" if trace.target_from == "given" else "the separator w*"
    return {
        "outcome": "separable",
        "sentence": f"Separable: {whose} puts every row strictly on its correct side, with the"
        f" margin γ = {digits(trace.margin)}; no row is longer than D = {digits(trace.radius)}.",
    }


def _winnow(run: FilmRun, shown: Places) -> dict[str, Any]:
    """Which of the bars are relevant, and the rows' variables where they are few."""
    trace, rows, relevant = run.trace, None, None
    if trace.rows <= ROWS:
        bits = as_bits(trace.signed, run.rule.binarize)
        rows = dense(matrix_of(bits.rows))[:, shown].astype(np.int64).tolist()
    if trace.target is not None:
        relevant = np.flatnonzero(trace.target[shown]).tolist()
    return {
        "relevant": relevant,
        "rows": rows,
        "labels": trace.signed.signs.tolist() if rows is not None else None,
        "threshold": float(run.rule.theta),
    }
