"""The capacity of a perceptron, by experiment: random labellings, each decided for certain."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from novikoff import notebook
from novikoff.cover_count import fraction, require_integer
from novikoff.errors import ParameterError
from novikoff.learning.rows import make_rows
from novikoff.theory.cover.quick_check import separable
from novikoff.verdict.signed import Signed

CONFIDENCE = 0.95
RATIOS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
TRIALS = 200

Watch = Callable[[int, int], None]


class Capacity(NamedTuple):
    """Of so many labellings of P points in N dimensions, how many are separable.

    N: dimensions.
    P: points.
    ratio: P / N.
    trials: labellings tried.
    separable: how many of them a hyperplane through the origin separates.
    fraction: separable / trials.
    lower: of the 95 % confidence interval of Clopper and Pearson for the share of all labellings.
    upper: the other end of it.
    cover: that share by Cover's theorem, C(P, N) / 2^P.

    >>> import novikoff as nk
    >>> point = nk.cover.capacity_curve(5, ratios=[1.0], trials=20)[0]
    >>> point.P, point.fraction, point.cover
    (5, 1.0, 1.0)
    """

    N: int
    P: int
    ratio: float
    trials: int
    separable: int
    fraction: float
    lower: float
    upper: float
    cover: float

    def _repr_html_(self) -> str:
        return CapacityCurve([self])._repr_html_()

    def plot(self, *, backend: str | None = None) -> object:
        """The share tried, on Cover's curve; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)


class CapacityCurve(list[Capacity]):
    """The shares of separable labellings for several ratios P / N."""

    def _repr_html_(self) -> str:
        lines = [
            (each.N, each.P, f"{each.ratio:.3g}", f"{each.separable:,} of {each.trials:,}",
             f"{each.lower:.3f} to {each.upper:.3f}", each.cover)
            for each in self
        ]  # fmt: skip
        columns = ["N", "P", "P / N", "separable", "95 % confidence", "Cover: C(P, N) / 2^P"]
        return notebook.table_html("Labellings tried, each decided exactly", columns, lines)

    def plot(self, *, backend: str | None = None) -> object:
        """The shares tried, and Cover's curve; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)


def capacity_curve(
    N: int,
    ratios: Iterable[float] = RATIOS,
    trials: int = TRIALS,
    seed: int = 0,
    *,
    watch: Watch | None = None,
) -> CapacityCurve:
    """How often a hyperplane through the origin separates P random points with random labels.

    For each ratio P / N, beside what Cover's theorem says: 1 up to P = N, one half at P = 2 N, next
    to nothing beyond, and the more sharply the larger N is. The points are Gaussian, and so in
    general position with probability 1. Each trial is a draw of its own from (seed, N, P, its
    number), so that it does not depend on which others are made.

    N: dimensions.
    ratios: P / N, for each point of the curve.
    trials: labellings to decide for each.
    seed: the same seed repeats the same draws.
    watch: called with the numbers of trials done, and of all.

    >>> import novikoff as nk
    >>> curve = nk.cover.capacity_curve(5, [1, 2], 20)
    >>> [(at.P, at.cover, at.lower < at.cover <= at.upper) for at in curve]
    [(5, 1.0, True), (10, 0.5, True)]
    """
    N, trials, seed = (
        require_integer("N", N, 1),
        require_integer("trials", trials, 1),
        require_integer("seed", seed, 0),
    )
    sizes = [_points(ratio, N) for ratio in ratios]
    found = CapacityCurve()
    for k, P in enumerate(sizes):
        good = 0
        with threadpool_limits(1):  # for matrices so small, more only wait for each other
            for number in range(trials):
                good += trial(N, P, seed, number)
                if watch is not None:
                    watch(k * trials + number + 1, len(sizes) * trials)
        lower, upper = interval(good, trials)
        found.append(
            Capacity(N, P, P / N, trials, good, good / trials, lower, upper, fraction(P, N))
        )
    return found


def trial(N: int, P: int, seed: int, number: int) -> bool:
    """Whether a hyperplane through the origin separates the labelling of that number, counted from
    0, of P points in N dimensions: those that `capacity_curve` tries.
    """
    return separable(_draw_labelling(N, P, seed, number))


def _draw_labelling(N: int, P: int, seed: int, trial: int) -> Signed:
    rng = np.random.default_rng([seed, N, P, trial])
    points = rng.standard_normal((P, N))
    labels = rng.integers(0, 2, P, np.int8) * np.int8(2) - np.int8(1)
    return Signed(make_rows(points, False, False), labels, None)


def interval(good: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's: it holds the true share at least so often, whatever that is.

    >>> [round(bound, 3) for bound in interval(0, 10)]
    [0.0, 0.308]
    """
    from scipy.stats import beta  # here: it takes its time to load

    tail = (1.0 - confidence) / 2.0
    lower = float(beta.ppf(tail, good, trials - good + 1)) if good else 0.0
    upper = float(beta.ppf(1.0 - tail, good + 1, trials - good)) if good < trials else 1.0
    return lower, upper


def _points(ratio: Any, N: int) -> int:
    """The number of points that comes nearest to a ratio."""
    try:
        wanted = float(ratio) * N
    except (TypeError, ValueError):
        raise ParameterError(f"a ratio P / N must be a number, not {ratio!r}") from None
    if not 0.0 < wanted < math.inf or round(wanted) < 1:
        raise ParameterError(f"with N = {N}, a ratio P / N of {ratio} leaves no points")
    return round(wanted)
