"""The list of built-in data."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from novikoff.data.examples import bundled, synthetic

_NO_PARAMETERS: Mapping[str, int | float] = MappingProxyType({})


class Example(NamedTuple):
    """One entry of the list of built-in data.

    `parameters` gives the defaults; `separable` says whether some hyperplane (with a bias)
    separates the classes, as theory or an exact check of this very data tells.
    """

    name: str
    description: str
    separable: bool
    build: Callable[..., synthetic.SyntheticRows]
    parameters: Mapping[str, int | float] = _NO_PARAMETERS


_LISTED = (
    Example(
        "and",
        "two bits, positive where both are 1",
        True,
        partial(synthetic.truth_table, "a and b", (False, False, False, True)),
    ),
    Example(
        "or",
        "two bits, positive where either is 1",
        True,
        partial(synthetic.truth_table, "a or b", (False, True, True, True)),
    ),
    Example(
        "xor",
        "two bits, positive where they differ: the classic that no line separates",
        False,
        partial(synthetic.truth_table, "a xor b", (False, True, True, False)),
    ),
    Example(
        "iris-setosa",
        "150 irises, 4 measurements: setosa against the others",
        True,
        partial(bundled.iris, "setosa"),
    ),
    Example(
        "iris-versicolor",
        "150 irises, 4 measurements: versicolor against the others",
        False,
        partial(bundled.iris, "versicolor"),
    ),
    Example("wdbc", "569 tumours, 30 measurements: malignant against benign", True, bundled.wdbc),
    Example(
        "digits-8",
        "1797 handwritten digits, 64 pixels: eights against the rest",
        False,
        bundled.digits_8,
    ),
    Example(
        "disjunction",
        "random bits, positive where any of a few literals holds (for Winnow)",
        True,
        synthetic.disjunction,
        {"rows": 500, "features": 50, "relevant": 5, "negated": 0, "seed": 0},
    ),
    Example(
        "separable",
        "random rows of the unit ball around a separator through the origin",
        True,
        synthetic.separable,
        {"rows": 1000, "features": 20, "margin": 0.1, "seed": 0},
    ),
    Example(
        "tight",
        "orthonormal rows: without a bias the mistake bound is met exactly",
        True,
        synthetic.tight,
        {"features": 8},
    ),
)

#: Every example by its name, in the order to list them.
EXAMPLES: Mapping[str, Example] = MappingProxyType({entry.name: entry for entry in _LISTED})
