"""What the lab's server keeps between two questions has bounds."""

import gc
import importlib
import inspect
import pkgutil

from bokeh.model import Model
from matplotlib.figure import Figure

from novikoff import lab
from novikoff.lab.page_data import page_data
from novikoff.lab.plane_image import plane_file
from novikoff.lab.server.handler import Handler
from tests.helpers.lab_server import Web
from tests.helpers.waits import wait_until

STATES = [
    *(f"points=n0,0p1,{k}p2,0.5&eta={k}" for k in range(1, 5)),
    *(f"tab=capacity&N={k}&P=4&trials=1" for k in range(1, 5)),
    *(f"tab=winnow&n=6&seed={k}" for k in range(1, 5)),
]


def drawn():
    """How many parts of figures are in memory."""
    gc.collect()
    return sum(isinstance(each, Model | Figure) for each in gc.get_objects())


def test_no_figure_outlives_its_answer():
    for number, state in enumerate([*STATES, *STATES]):
        if number == len(STATES):
            before = drawn()
        page_data(state.replace("seed=", "seed=1").replace("trials=1", f"trials={1 + number}"))
        if "points" in state:
            plane_file(state, kind="svg")
    assert drawn() == before


def test_caches_have_bounds():
    found = {}
    for module in pkgutil.walk_packages(lab.__path__, "novikoff.lab."):
        for name, each in vars(importlib.import_module(module.name)).items():
            cached = hasattr(each, "cache_parameters") and each.__module__ == module.name
            if cached and inspect.signature(each).parameters:
                found[name] = each.cache_parameters()["maxsize"]
    assert found
    assert all(most is not None and most <= 256 for most in found.values()), found


def test_whoever_leaves_in_the_middle_of_a_question_is_forgotten(lab_server):
    half = b"POST /scene HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
    for _ in range(20):
        Web(lab_server).raw(half)
    wait_until(lambda: not requests(), "forgetting all requests")


def requests():
    """The requests in memory."""
    gc.collect()
    return [each for each in gc.get_objects() if isinstance(each, Handler)]
