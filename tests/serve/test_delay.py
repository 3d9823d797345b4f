"""What the convergence theorem still promises when labels come late."""

import asyncio

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.messages import PredictRequest, RevealRequest
from novikoff.serve.recipes import make_recipe
from novikoff.serve.served_model import bound_at_served_mistakes
from novikoff.serve.service import Service
from novikoff.serve.settings import ServiceSettings

DIRECTION = np.array([0.6, 0.8])
RECIPE = make_recipe("perceptron", {}, [-1, 1], bias=False)

#: Rows of whole numbers off the line, with labels that DIRECTION gives, and orders of labels.
rows = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5)).filter(lambda x: 3 * x[0] + 4 * x[1]),
    min_size=1,
    max_size=40,
)
choices = st.lists(st.integers(0, 10**6), min_size=120, max_size=120)


def label(x):
    return 1 if 3 * x[0] + 4 * x[1] > 0 else -1


def served(folder, points, picks):
    """The state of a service that predicts and is told labels in an order of the picks' own."""

    async def run():
        service = Service(ServiceSettings(journal=folder, durability="normal"))
        try:
            service.restore()
            service.ensure_default(RECIPE, None)
            waiting, coming = [], list(points)
            for pick in picks:
                if coming and (pick % 2 or not waiting):
                    x = coming.pop()
                    (answer,) = await service.predict("default", [PredictRequest([*map(float, x)])])
                    waiting.append((answer["id"], label(x)))
                elif waiting:
                    known = RevealRequest(*waiting.pop(pick // 2 % len(waiting)))
                    await service.reveal("default", [known])
            return service.models["default"].state(margin=margin_of(points))
        finally:
            await service.close()

    return asyncio.run(run())


def margin_of(points):
    return min(abs(np.dot(x, DIRECTION)) for x in points)


@given(rows, choices)
def test_served_mistakes_stay_within_the_bound_for_late_labels(tmp_path_factory, points, picks):
    state = served(tmp_path_factory.mktemp("delay"), points, picks)
    if state["seen"]:
        radius, margin = max(np.hypot(*x) for x in points), margin_of(points)
        once = (radius / margin) ** 2 * (1 + 1e-9)
        assert state["updates"] <= once  # whatever the delay
        most = state["delay"]["most_out"]
        assert state["mistakes"] <= most * state["updates"] <= most * once
        assert state["mistakes"] <= state["updates"] + state["delay"]["late"]
        assert state["bound"]["updates"] <= once
        assert state["mistakes"] <= state["bound"]["mistakes"] * (1 + 1e-9)


def test_the_bound_for_late_labels_is_met_and_moves_alone_do_not_bound_mistakes(tmp_path):
    """Ten predictions for one row, then their labels: ten mistakes, though D = margin = 1, and the
    weights moved once between any prediction and its label.
    """
    picks = [1] * 10 + [0] * 10
    state = served(tmp_path, [(3, 4)] * 10, picks)
    assert (state["mistakes"], state["updates"], state["delay"]["most_out"]) == (10, 1, 10)
    assert state["delay"]["largest"] == 1
    assert state["mistakes"] == state["bound"]["mistakes"] == 10
    assert state["bound"]["at_served_mistakes"] == 3.0 * state["bound"]["updates"] == 3.0


@given(rows, choices)
def test_a_learner_that_moves_at_served_mistakes(points, picks):
    """mistakes <= (1 + 2 tau) (D/margin)^2, with tau the largest number of moves between a
    prediction and its label, or even their mean over the mistakes.
    """
    weights, waiting, coming, moves, delays = np.zeros(2), [], list(points), 0, []
    for pick in picks:
        if coming and (pick % 2 or not waiting):
            x = np.array(coming.pop(), float)
            waiting.append((x * label(x), float(x @ weights) * label(x), moves))
        elif waiting:
            z, score, before = waiting.pop(pick // 2 % len(waiting))
            if score <= 0.0:
                delays.append(moves - before)
                weights, moves = weights + z, moves + 1
    once = (max(np.hypot(*x) for x in points) / margin_of(points)) ** 2 * (1 + 1e-9)
    assert moves <= bound_at_served_mistakes(once, max(delays, default=0))
    assert not delays or moves <= bound_at_served_mistakes(once, np.mean(delays))
