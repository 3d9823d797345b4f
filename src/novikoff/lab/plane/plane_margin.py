"""The largest margin in the plane itself, beside γ, which is that of the lifted rows (x, 1)."""

from typing import Any

import numpy as np

from novikoff.lab.plane.number_text import truncated
from novikoff.lab.state.row_orders import rows_of
from novikoff.lab.state.url_values import Point
from novikoff.learning.learner import norm
from novikoff.report.charts.geometry import hull
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import SEPARABLE
from novikoff.verdict.signed import LabelPair, Signed, UserInput


def plane_margin(points: tuple[Point, ...]) -> dict[str, Any] | None:
    """The line in the middle between the hulls of two classes; None where they meet, or nearly.

    line: (w, b) with |w| = 1. reach: half the distance of the hulls, so that no point is nearer to
    the line. The shortest of all differences between a point of the one hull and a point of the
    other is the point of smallest norm of the differences of their corners.
    """
    X, y = rows_of(points)
    negative, positive = hull(X[y < 0]), hull(X[y > 0])
    differences = (positive[:, None] - negative).reshape(-1, 2)
    signs = np.ones(len(differences), np.int8)
    given = UserInput.of(differences, signs)
    signed = Signed.from_signs(given, signs, LabelPair(-1, 1), False, "binary", False)
    verdict = Judge(signed).run()
    if verdict.outcome != SEPARABLE or verdict.weights is None:
        return None
    w, margin = verdict.weights / norm(verdict.weights), verdict.margin
    b = -((positive @ w).min() + (negative @ w).max()) / 2.0
    square = None if margin.squared is None else margin.squared / 4
    return {
        "line": [*w.tolist(), float(b)],
        "reach": margin.lower / 2.0,
        "text": truncated(margin.lower / 2.0, margin.upper / 2.0, square),
    }
