"""Mistake bounds side by side, and the envelopes of the fixed increment."""

from collections.abc import Sequence

import numpy as np

from novikoff.errors import ParameterError
from novikoff.report.model import Figure, Line, Mark, PointSeries, ReferenceLine, array, number
from novikoff.theory.bounds.hypotheses import Bound
from novikoff.theory.bounds.increment import FixedIncrement

PLACES = 200  # of a curve
BEYOND = 1.15  # times k_max, where the curves end


def bounds_figure(bounds: Sequence[Bound]) -> Figure:
    """The bounds that hold, each at its number of mistakes, on a logarithmic axis."""
    held = [(each, each.value) for each in bounds if each.value is not None]
    if not held:
        raise ParameterError("none of these bounds holds, so there is nothing to draw")
    values = [max(1, value) for _, value in held]
    heights = array(range(len(held), 0, -1))
    hover = {
        "bound": [f"{each.name}: at most {value:,}" for each, value in held],
        "of": [each.learner for each, _ in held],
    }
    names = [f"{each.name}: {value:,}" for each, value in held]
    points = PointSeries(
        array(values), heights, "at most so many mistakes", "blue", "circle", 11.0, "bare", hover,
        names,
    )  # fmt: skip
    refused = len(bounds) - len(held)
    left_out = f" {refused} more do not apply to these rows." if refused else ""
    return Figure(
        "How many mistakes each theorem allows",
        "mistakes at most",
        "",
        [points],
        "Each bound is on the mistakes of its own learner: they are not rivals." + left_out,
        f"Points at {', '.join(names)}.",
        log_x=True,
        bare_y=True,
        frame=((0.7, 10.0 * max(values)), (0.3, len(held) + 0.9)),
    )


def increment_figure(found: FixedIncrement) -> Figure:
    """A k^2 and B k, which meet at k_max: between them is room for |w_k - w_0|^2."""
    if not 0.0 < found.k_max < 1e300:
        raise ParameterError("k_max is 0 or too large: the envelopes have nothing between them")
    k = np.linspace(0.0, BEYOND * found.k_max, PLACES)
    marks: list[Mark] = [
        Line(k, found.B * k, "B k: no run is above", "red"),
        Line(k, found.A * k**2, "A k²: no run is below", "green"),
        ReferenceLine(found.k_max, f"k_max = {number(found.k_max)}", "ink", upright=True),
    ]
    return Figure(
        "The envelopes of the fixed increment",
        "k, updates made",
        "‖w_k − w_0‖²",
        marks,
        "A run is between the two curves at each update; beyond k_max there is no room for one.",
        f"A line and a parabola from 0 that meet at k = {number(found.k_max)}.",
    )
