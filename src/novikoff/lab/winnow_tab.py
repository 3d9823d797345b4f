"""Winnow on rows of Boolean variables whose label is the OR of some of them.

Which variables are relevant, and the rows, follow from the seed. A variable is 1 as often as makes
half of the rows positive, (1 - p)^r = 1/2, so that neither class is rare however large r is.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import Order
from novikoff.errors import ParameterError
from novikoff.lab.film.film import film_of
from novikoff.lab.film.run import UPDATES, FilmRun
from novikoff.lab.state.page_state import WINNOW_ORDERS, WinnowTabState, address, as_strings
from novikoff.learning.estimators import Winnow as Estimator
from novikoff.theory.trace import trace

ABOUT = (
    "A row is labelled +1 where one of its relevant variables is 1; the learner is not told which"
    " are relevant. It predicts +1 where the weights of the variables that are 1 sum to the"
    " threshold n or more, and a mistake doubles or halves those weights."
)
CUBE = 8  # variables of which a film can have every row

Bits = npt.NDArray[np.int64]


class WinnowSample(NamedTuple):
    """Which variables are relevant, the rows, and +1 for each that has one of those, else -1."""

    relevant: npt.NDArray[np.int64]
    X: Bits
    y: npt.NDArray[np.int64]


def winnow_page_data(state: WinnowTabState, charts: bool = True) -> dict[str, Any]:
    """All that the page shows; see `page_data.page_data`."""
    rows = winnow_sample(state)
    fields: dict[str, Any] = {
        "address": address(state),
        "tab": "winnow",
        "state": as_strings(state),
        "title": f"Winnow: the OR of {len(rows.relevant)} of {state.n} variables",
        "about": ABOUT,
        "relevant": rows.relevant.tolist(),
        "names": [f"x{j + 1}" for j in range(state.n)],
        "threshold": float(state.n),
        "rows": rows.X.tolist(),
        "labels": rows.y.tolist(),
        "film": None,
        "problem": None,
    }
    try:
        return fields | {"film": film_of(winnow_run(state, rows), charts=charts)}
    except ParameterError as problem:
        return fields | {"problem": str(problem)}


def winnow_run(state: WinnowTabState, sample: WinnowSample) -> FilmRun:
    """The run that the film shows; a ParameterError says why there is none."""
    relevant, X, y = sample
    if len(np.unique(y)) < 2:
        which = "positive" if y[0] > 0 else "negative"
        raise ParameterError(
            f"Every row drawn is {which}, and there is nothing to tell apart: take more rows, or"
            " another seed."
        )
    numbers = np.argsort(y, kind="stable") if state.order == "sorted" else np.arange(len(y))
    order: Order = "shuffle" if state.order == "shuffle" else "given"
    learner = Estimator(max_epochs=UPDATES + 1, order=order, random_state=state.seed)
    rows, target = X[numbers].astype(np.float64), relevant.tolist()
    run = trace(rows, y[numbers], learner, target, max_updates=UPDATES)
    return FilmRun.from_trace(run, learner, numbers, WINNOW_ORDERS[state.order])


def winnow_sample(state: WinnowTabState) -> WinnowSample:
    """So many random rows, or with 0 the whole cube."""
    random = np.random.default_rng(state.seed)
    relevant = np.sort(random.permutation(state.n)[: state.relevant])
    X = _random(state, random) if state.rows else _cube(state)
    return WinnowSample(relevant, X, np.where(X[:, relevant].any(axis=1), 1, -1))


def _random(state: WinnowTabState, random: np.random.Generator) -> Bits:
    share = 1.0 - 0.5 ** (1.0 / state.relevant)
    X: Bits = (random.random((state.rows, state.n)) < share).astype(np.int64)
    return X


def _cube(state: WinnowTabState) -> Bits:
    if state.n > CUBE:
        raise ParameterError(
            f"rows: found 0, which means every row of the cube, but n={state.n} variables have"
            f" 2^{state.n} of them: take at most n={CUBE}, or a number of rows"
        )
    return np.array([*itertools.product((0, 1), repeat=state.n)], np.int64)
