"""The order in which rows come: an arrangement of them, gone through again and again.

    given, shuffle   the rows as they are; "shuffle" is the estimator's own, anew in each epoch
    sorted           all of the class -1, then all of the class +1
    adversarial      the costliest arrangement that a search finds

The search runs the rule itself, from its start and with its step, until it has converged. It tries
the order given, the sorted one and some shuffles, and goes on from the costliest: one row is moved
to another place, and stays there unless the run makes fewer mistakes now. So it costs no less than
any of these; it is not the worst order there is, which would take far longer to find. The theorem's
bound holds for all of them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.lab.state.settings import RunSettings, estimator
from novikoff.lab.state.url_values import Point
from novikoff.learning.epochs import learn
from novikoff.learning.rows import make_rows
from novikoff.number_text import count, plural

Places = npt.NDArray[np.int64]

SHUFFLES, MOVES = 30, 120
ONE, ALL = 1000, 4000  # epochs of one run, and of the whole search
SEED = 0


class PlaneRows(NamedTuple):
    """Points as the library takes them."""

    X: npt.NDArray[np.float64]
    y: Places


def rows_of(points: Sequence[Point]) -> PlaneRows:
    """The points in the order given."""
    X = np.array([point[:2] for point in points], np.float64).reshape(-1, 2)
    return PlaneRows(X, np.array([point.label for point in points], np.int64))


class Arrangement(NamedTuple):
    """The numbers of the rows in the order of an epoch; for a search, a sentence on it."""

    places: Places
    note: str = ""


def arrangement(settings: RunSettings, points: tuple[Point, ...]) -> Arrangement:
    """The order in which an epoch goes through the points."""
    if settings.order == "adversarial" and points:
        return _search(settings, points)
    if settings.order == "sorted":
        return Arrangement(np.argsort([point.label for point in points], kind="stable"))
    return Arrangement(np.arange(len(points)))


@lru_cache(256)
def _search(settings: RunSettings, points: tuple[Point, ...]) -> Arrangement:
    return OrderSearch(settings, *rows_of(points)).arrangement()


class RunCost(NamedTuple):
    """What a run cost; more mistakes are worse, and then more updates."""

    mistakes: int
    updates: int
    converged: bool = True


class OrderSearch:
    """Looks for a costly arrangement; the same one each time."""

    def __init__(self, settings: RunSettings, X: npt.NDArray[np.float64], y: Places) -> None:
        self._X, self._y = X, y
        self._estimator, self._lift = estimator(settings, ONE), (settings.bias, settings.unit)
        self._left = ALL
        self.places = np.arange(len(y))
        self.given = self.worst = self._run(self.places)
        self.tried = 1
        self._seen = {self.places.tobytes()}

    def arrangement(self) -> Arrangement:
        """The costliest that is found, or the order given if that run has no end in sight."""
        if not self.given.converged:
            return Arrangement(
                self.places,
                f"No order was searched for: in the one given the run takes more than {ONE:,}"
                " epochs already, if it ends at all. The points come as they are listed.",
            )
        random = np.random.default_rng(SEED)
        self._try(np.argsort(self._y, kind="stable"))
        for _ in range(SHUFFLES):
            self._try(random.permutation(len(self._y)))
        for _ in range(MOVES):
            row, place = random.integers(len(self._y), size=2)
            self._try(np.insert(np.delete(self.places, row), place, self.places[row]))
        tried, mistakes = self.tried, self.worst.mistakes
        return Arrangement(
            self.places,
            f"Of {tried} {plural('order', tried)} tried, this costs the most:"
            f" {count(mistakes, 'mistake')}; the order given costs {self.given.mistakes:,}.",
        )

    def _try(self, places: Places) -> None:
        if self._left <= 0 or places.tobytes() in self._seen:
            return
        self._seen.add(places.tobytes())
        found = self._run(places)
        if not found.converged:  # whether it would have cost more is not known
            return
        self.tried += 1
        if found >= self.worst:
            self.worst, self.places = found, places

    def _run(self, places: Places) -> RunCost:
        """Learn from the rows in this order."""
        rows = make_rows(np.ascontiguousarray(self._X[places]), *self._lift)
        codes = (self._y[places] > 0).astype(np.uint16)
        learner = self._estimator._new_learner(2, np.array([-1, 1]))
        outcome = learn(learner, rows, codes, max_epochs=min(ONE, self._left))
        self._left -= outcome.epochs
        mistakes, updates = outcome.mistakes_per_epoch, outcome.updates_per_epoch
        return RunCost(sum(mistakes), sum(updates), outcome.converged)
