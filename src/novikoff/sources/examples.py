"""Built-in data by name: `example:xor`, `example:separable?rows=1000&margin=0.1`."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from novikoff.errors import DataError
from novikoff.sources import collected, generated
from novikoff.sources.base import HeldSource, check_features
from novikoff.sources.tokens import NotANumberError, number, shown

PREFIX = "example:"
_NO_PARAMETERS: Mapping[str, int | float] = MappingProxyType({})


class Example(NamedTuple):
    """One entry of the list of built-in data.

    `parameters` gives the defaults; `separable` says whether some hyperplane (with a bias)
    separates the classes, as theory or an exact check of this very data tells.
    """

    name: str
    description: str
    separable: bool
    build: Callable[..., generated.Data]
    parameters: Mapping[str, int | float] = _NO_PARAMETERS


_LISTED = (
    Example(
        "and",
        "two bits, positive where both are 1",
        True,
        partial(generated.truth_table, "a and b", (False, False, False, True)),
    ),
    Example(
        "or",
        "two bits, positive where either is 1",
        True,
        partial(generated.truth_table, "a or b", (False, True, True, True)),
    ),
    Example(
        "xor",
        "two bits, positive where they differ: the classic that no line separates",
        False,
        partial(generated.truth_table, "a xor b", (False, True, True, False)),
    ),
    Example(
        "iris-setosa",
        "150 irises, 4 measurements: setosa against the others",
        True,
        partial(collected.iris, "setosa"),
    ),
    Example(
        "iris-versicolor",
        "150 irises, 4 measurements: versicolor against the others",
        False,
        partial(collected.iris, "versicolor"),
    ),
    Example("wdbc", "569 tumours, 30 measurements: malignant against benign", True, collected.wdbc),
    Example(
        "digits-8",
        "1797 handwritten digits, 64 pixels: eights against the rest",
        False,
        collected.digits_8,
    ),
    Example(
        "disjunction",
        "random bits, positive where any of a few literals holds (for Winnow)",
        True,
        generated.disjunction,
        {"rows": 500, "features": 50, "relevant": 5, "negated": 0, "seed": 0},
    ),
    Example(
        "separable",
        "random rows of the unit ball around a separator through the origin",
        True,
        generated.separable,
        {"rows": 1000, "features": 20, "margin": 0.1, "seed": 0},
    ),
    Example(
        "tight",
        "orthonormal rows: without a bias the mistake bound is met exactly",
        True,
        generated.tight,
        {"features": 8},
    ),
)

#: Every example by its name, in the order to list them.
EXAMPLES: Mapping[str, Example] = MappingProxyType({entry.name: entry for entry in _LISTED})


class ExampleSource(HeldSource):
    """The rows of a built-in example; `example` is its entry in the list."""

    def __init__(self, text: str, *, features: int | None = None, labelled: bool = True) -> None:
        name, _, query = text.removeprefix(PREFIX).partition("?")
        self.example = _named(name)
        parameters = _parameters(self.example, query)
        try:
            data = self.example.build(**parameters)
        except DataError as problem:
            raise DataError(f"{text}: {problem}") from None
        super().__init__(text, "example", data.X, data.y if labelled else None)
        check_features(text, data.X.shape[1], features)
        self.feature_names = data.feature_names
        self.target_name = data.target_name if labelled else None


def _named(name: str) -> Example:
    if name in EXAMPLES:
        return EXAMPLES[name]
    raise DataError(f"{PREFIX}{name}: no example is called {shown(name)}, {_hint(name, EXAMPLES)}")


def _parameters(example: Example, query: str) -> dict[str, int | float]:
    """The values in `rows=10&seed=1`, as the types of their defaults."""
    values: dict[str, int | float] = {}
    for item in query.split("&") if query else ():
        key, equals, text = item.partition("=")
        where = f"{PREFIX}{example.name}"
        if key not in example.parameters:
            hint = _hint(key, example.parameters) if example.parameters else "it has none"
            raise DataError(f"{where}: no parameter is called {shown(key)}, {hint}")
        if not equals or key in values:
            raise DataError(
                f"{where}: found {shown(item)}, expected each parameter once, as in "
                f"'{key}={example.parameters[key]}'"
            )
        values[key] = _value(where, key, text, example.parameters[key])
    return values


def _value(where: str, key: str, text: str, default: int | float) -> int | float:
    if isinstance(default, int):
        if text.isascii() and text.isdigit() and len(text) <= 18:
            return int(text)
        raise DataError(
            f"{where}: {key}: found {shown(text)}, expected a whole number from 0 on, "
            f"as in '{key}={default}'"
        )
    try:
        return number(text)
    except NotANumberError as problem:
        raise DataError(f"{where}: {key}: {problem}") from None


def _hint(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name.lower(), known, 1, cutoff=0.5)
    nearest = f"; did you mean {shown(close[0])}?" if close else ""
    return f"expected one of: {', '.join(known)}{nearest}"
