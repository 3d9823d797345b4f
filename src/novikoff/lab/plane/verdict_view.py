"""The verdict for points in the plane: the line and its band, or the conflict and its hulls.

The band of a separator with margin gamma is where |w . x + b| / |(w, b)| < gamma; from the line it
reaches gamma * |(w, b)| / |w| to either side. Without a bias that is gamma itself. At length 1 the
margin is an angle's, and no band of the plane shows it.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.lab.plane.number_text import truncated
from novikoff.lab.plane.plane_margin import plane_margin
from novikoff.lab.state.page_state import Plane
from novikoff.lab.state.row_orders import PlaneRows, rows_of
from novikoff.lab.state.url_values import Point
from novikoff.learning.learner import norm
from novikoff.number_text import count
from novikoff.report.charts.conflict import multiplier_text
from novikoff.report.charts.geometry import conflict_hulls
from novikoff.report.model import array
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import INSEPARABLE, QUASI, SEPARABLE, Verdict
from novikoff.verdict.signed import LabelPair, Signed, UserInput, dot

NO_POINTS, ONE_CLASS = "no points", "one class"
TOUCH = 1e-6  # of the margin: at length 1, where distances are not rational
BESIDE = 8  # characters of a multiplier that stands beside its point
SHORT = 24  # characters of a fraction that a person still reads
FIGURES = "margin γ", "radius D", "bound (D/γ)²"


class PlaneVerdict(NamedTuple):
    """The verdict on rows as a rule sees them, and on the same with the bias the other way round.

    Both are None without points, and where one class leaves nothing to separate.
    """

    outcome: str
    verdict: Verdict | None
    other: Verdict | None


def judge(state: Plane) -> PlaneVerdict:
    """Decide exactly, with and without a bias."""
    settings, labels = state.settings, {point.label for point in state.points}
    if not labels:
        return PlaneVerdict(NO_POINTS, None, None)
    alone = settings.rule == "one-sided" and labels == {1}  # all on one side of the origin?
    if len(labels) < 2 and not alone:
        return PlaneVerdict(ONE_CLASS, None, None)
    rows = rows_of(state.points)
    verdict = _verdict(rows, settings.bias, settings.unit)
    other = None if alone else _verdict(rows, not settings.bias, settings.unit)
    return PlaneVerdict(verdict.outcome, verdict, other)


def _verdict(rows: PlaneRows, bias: bool, unit: bool) -> Verdict:
    """What `nk.check` says, which takes no rows of one class."""
    given, signs = UserInput.of(*rows), rows.y.astype(np.int8)
    return Judge(Signed.from_signs(given, signs, LabelPair(-1, 1), bias, "binary", unit)).run()


def as_json(state: Plane, judged: PlaneVerdict) -> dict[str, Any]:
    """What the page draws of a verdict."""
    verdict, line = judged.verdict, None
    if verdict is not None and verdict.weights is not None:
        line = [*verdict.weights.tolist(), float(verdict.intercept or 0.0)]
    banded = verdict if verdict is not None and verdict.outcome == SEPARABLE else None
    conflict = [] if verdict is None else verdict.conflict
    lifted = banded is not None and banded.signed.bias
    return {
        "outcome": judged.outcome,
        "sentence": sentence(state, judged),
        "brief": brief(judged),
        "line": line,
        "reach": None if banded is None else band_half_width(banded),
        "gamma": None if banded is None else gamma(banded),
        "lifted": lifted,
        "unlifted": plane_margin(state.points) if lifted and not state.settings.unit else None,
        "nearest": [] if banded is None else nearest(banded),
        "conflict": [_share(row, share) for row, share in conflict],
        **_hulls(state.points, verdict),
    }


def _share(row: int, share: Fraction) -> dict[str, Any]:
    """A row of a conflict with its multiplier, and what fits beside a point in the plane."""
    text = multiplier_text(share)
    short = text if len(text) <= BESIDE else f"≈ {float(share):.2g}"
    return {"row": row, "multiplier": text, "short": short}


def band_half_width(verdict: Verdict) -> float | None:
    """Half the width of the band in the plane; None at unit length."""
    signed, weights = verdict.signed, verdict.weights
    if signed.unit_length or weights is None:
        return None
    lifted = np.append(weights, verdict.intercept or 0.0)
    return verdict.margin.lower * norm(lifted) / norm(weights)


def nearest(verdict: Verdict) -> list[int]:
    """The rows at the edge of the band: with the least signed score z . w, exactly.

    At length 1 it is the least z . w / |z|, but for rounding.
    """
    assert verdict.exact_weights is not None  # there is a band
    signed, tops = verdict.signed, verdict.exact_weights.numerators
    rows = [signed.row(i) for i in range(signed.count)]
    scores = [Fraction(dot(row, tops), row.denominator) for row in rows]
    if not signed.unit_length:
        least = min(scores)
        return [i for i, score in enumerate(scores) if score == least]
    squares = [
        float(Fraction(sum(value * value for value in row.values), row.denominator**2))
        for row in rows
    ]
    highest = max(scores)  # on a scale that doubles can hold
    margins = array([float(score / highest) for score in scores]) / np.sqrt(array(squares))
    touching: list[int] = np.flatnonzero(margins <= (1.0 + TOUCH) * margins.min()).tolist()
    return touching


def _hulls(points: tuple[Point, ...], verdict: Verdict | None) -> dict[str, Any]:
    """The hulls of a conflict's rows, and a point that they all hold (see `conflict_hulls`)."""
    if verdict is None or not verdict.conflict:
        return {"hulls": [], "meet": None, "mirrored": False}
    ours, around_origin = [points[row] for row, _ in verdict.conflict], not verdict.signed.bias
    X, y = rows_of(ours)
    places = array([mirrored(point) for point in ours]) if around_origin else X
    shares = [share for _, share in verdict.conflict]
    hulls, meeting = conflict_hulls(places, y > 0, shares, around_origin)
    return {
        "hulls": [corners.tolist() for corners in hulls],
        "meet": meeting.tolist(),
        "mirrored": around_origin,
    }


def mirrored(point: Point) -> tuple[float, float]:
    """The signed row y * x."""
    return point.label * point.x + 0.0, point.label * point.y + 0.0


def sentence(state: Plane, judged: PlaneVerdict) -> str:
    """The verdict in words."""
    verdict = judged.verdict
    if judged.outcome == NO_POINTS:
        return "There are no points yet."
    if verdict is None:
        return "All points are of one class: there is nothing to separate yet."
    line = "line" if state.settings.bias else "line through the origin"
    if verdict.outcome == SEPARABLE:
        assert verdict.mistake_bound is not None
        return (
            f"Separable: a {line} puts every point strictly on its correct side. γ ="
            f" {gamma(verdict)}"
            f" and D = {radius(verdict)}, so however the points are ordered, a perceptron"
            f" started at zero makes at most (D/γ)² ="
            f" {count(verdict.mistake_bound, 'mistake')}."
        )
    if verdict.outcome == QUASI:
        return f"Not strictly separable: {_held(verdict, line)} (quasi-separable)."
    assert verdict.outcome == INSEPARABLE, "no time limit was set"
    return f"Not separable: no {line} puts every point on its correct side, {_why(verdict)}."


def brief(judged: PlaneVerdict) -> str:
    """The verdict in a line, for a screen that is seen from afar."""
    verdict = judged.verdict
    if verdict is None:
        return "No points yet" if judged.outcome == NO_POINTS else "One class only"
    if verdict.outcome == SEPARABLE:
        return f"Separable: γ = {gamma(verdict)}, D = {radius(verdict)}"
    many = len(verdict.conflict)
    marked = "the marked point rules" if many == 1 else f"the {many} marked points rule"
    return f"Not {'strictly ' * (verdict.outcome == QUASI)}separable: {marked} it out"


def _held(verdict: Verdict, line: str) -> str:
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    held = verdict.rows - strict
    others = "the other one lies" if held == 1 else f"the other {held} lie"
    return (
        f"a {line} can put {strict} of the {verdict.rows} points strictly on their correct sides,"
        f" but then {others} on it, whichever {line} you choose, {_why(verdict)}"
    )


def _why(verdict: Verdict) -> str:
    many = len(verdict.conflict)
    if many == 1:
        return "because the marked point is the origin itself, which every such line contains"
    if verdict.signed.bias:
        return (
            "because the convex hulls of the two classes' marked points intersect"
            f" ({many} points in all)"
        )
    return (
        f"because the hull of the {many} marked points, those of the class −1 mirrored at the"
        " origin, contains the origin"
    )


def figures(judged: PlaneVerdict) -> list[dict[str, str]]:
    """γ, D and the bound of the rows lifted to (x, 1), and of the rows x themselves."""
    if judged.verdict is None:
        return []
    columns = [_column(judged.verdict), _column(judged.other)]
    if not judged.verdict.signed.bias:
        columns.reverse()
    lines = [
        {"name": name, "lifted": lifted, "unlifted": unlifted}
        for name, lifted, unlifted in zip(FIGURES, *columns, strict=True)
    ]
    exact = squared(judged.verdict)
    if exact:
        lines[0]["exact"] = exact
    return lines


def _column(verdict: Verdict | None) -> tuple[str, str, str]:
    if verdict is None:
        return ("the rule has no bias",) * 3
    if verdict.outcome == SEPARABLE:
        return gamma(verdict), radius(verdict), f"{verdict.mistake_bound:,}"
    through = "" if verdict.signed.bias else " through the origin"
    return f"none: not separable{through}", radius(verdict), "none"


def gamma(verdict: Verdict) -> str:
    """The margin, its digits cut."""
    return truncated(verdict.margin.lower, verdict.margin.upper, verdict.margin.squared)


def radius(verdict: Verdict) -> str:
    """The longest row, its digits cut."""
    square = verdict.radius_squared
    return truncated(root(square, up=False), root(square, up=True), square)


def squared(verdict: Verdict) -> str:
    """γ² as a fraction; nothing where it is not known, or too long to read."""
    square = verdict.margin.squared
    if verdict.outcome != SEPARABLE or square is None or len(str(square)) > SHORT:
        return ""
    return f"γ² = {square}"
