"""How to learn: a rule and its settings, as an address has them, and the estimator they mean.

What a rule does not use has one value only, so that two addresses of the same run are the same.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.text.tokens import shown
from novikoff.errors import ParameterError
from novikoff.lab.state.url_values import parse_int, read_number, write_number
from novikoff.learning import estimators
from novikoff.learning.estimators.base import BaseLearner
from novikoff.learning.rules import registry
from novikoff.learning.rules.protocol import TIES

Start = str | tuple[float, ...]  # "zeros", "random", or the weights, the intercept last
Value = Start | float | int | bool

VARIANTS = ("PA", "PA-I", "PA-II")
#: The orders of the rows, in words.
ORDERS = {
    "given": "in the order of the list",
    "shuffle": "shuffled anew in each epoch, by the seed",
    "sorted": "all points of the class −1 first, then all of +1",
    "adversarial": "the costliest arrangement that a search finds; there may be worse ones",
}
STARTS = ("zeros", "random")
MOST_SEED = 2**31 - 1


class RunSettings(NamedTuple):
    """A rule with all that is set about it, in the order of an address."""

    rule: str = "perceptron"
    eta: float = 1.0
    margin: float = 1.0
    C: float = 1.0
    variant: str = "PA-I"
    start: Start = "zeros"
    seed: int = 0
    tie: str = "mistake"
    bias: bool = True
    unit: bool = False
    order: str = "given"


DEFAULTS = RunSettings()


class RuleSetting(NamedTuple):
    """What the lab says of a rule, and what can be set about it; `fixed` is what it brings."""

    title: str
    about: str
    uses: tuple[str, ...]
    fixed: Mapping[str, Any] = MappingProxyType({})


COMMON = ("start", "seed", "tie", "bias", "unit", "order")
RULES = {
    "perceptron": RuleSetting(
        "Perceptron",
        "Adds η·y·x̂ to the weights on every mistake.",
        ("eta", *COMMON),
    ),
    "one-sided": RuleSetting(
        "One-sided perceptron",
        "Positive rows only, at length 1, from zeros, without a bias: a row with w·x ≤ 0 is added.",
        ("seed", "order"),
        MappingProxyType({"bias": False, "unit": True}),
    ),
    "averaged": RuleSetting(
        "Averaged perceptron",
        "Learns as the perceptron does, mistake for mistake, and predicts with the mean of all its"
        " weights.",
        ("eta", *COMMON),
    ),
    "margin": RuleSetting(
        "Perceptron with margin",
        "Adds η·y·x̂ wherever the signed score is not above a margin, right or wrong.",
        ("eta", "margin", *COMMON),
    ),
    "passive-aggressive": RuleSetting(
        "Passive-aggressive",
        "Moves just far enough to give the row a signed score of 1, by at most C (PA-I), or softly"
        " (PA-II).",
        ("C", "variant", *COMMON),
    ),
}


def read_setting(name: str, text: str) -> Any:
    """The value of one setting; a ParameterError names what was found and what is expected."""
    return _READERS[name](name, text)


def _one_of(*names: str) -> Callable[[str, str], str]:
    def read(key: str, text: str) -> str:
        if text not in names:
            listed = f"{', '.join(names[:-1])} or {names[-1]}"
            raise ParameterError(f"{key}: found {shown(text)}, expected {listed}")
        return text

    return read


def _yes(key: str, text: str) -> bool:
    return _one_of("yes", "no")(key, text) == "yes"


def _positive(key: str, text: str, zero: bool = False) -> float:
    """A number above 0, or 0 itself where that is allowed."""
    value = read_number(key, text)
    if value < 0.0 or (value == 0.0 and not zero):
        expected = "0 or a number above it" if zero else "a number above 0"
        raise ParameterError(f"{key}: found {shown(text)}, expected {expected}")
    return value


def _start(key: str, text: str) -> Start:
    if text in STARTS:
        return text
    parts = text.split(",")
    if len(parts) not in (2, 3):
        raise ParameterError(
            f"{key}: found {shown(text)}, expected zeros, random, or weights with commas between,"
            " the intercept last, such as 3,-1,0.5"
        )
    return tuple(read_number(key, part) for part in parts)


_READERS: dict[str, Callable[[str, str], Value]] = {
    "rule": _one_of(*RULES),
    "eta": _positive,
    "margin": partial(_positive, zero=True),
    "C": _positive,
    "variant": _one_of(*VARIANTS),
    "start": _start,
    "seed": partial(parse_int, least=0, most=MOST_SEED),
    "tie": _one_of(*TIES),
    "bias": _yes,
    "unit": _yes,
    "order": _one_of(*ORDERS),
}


def canonical(settings: RunSettings) -> RunSettings:
    """The same run, with one value for all that its rule does not use.

    A start of one's own has a number for each coordinate: a missing intercept is 0, and one that
    nothing takes is left out.
    """
    rule = RULES[settings.rule]
    used = {name: getattr(settings, name) for name in rule.uses}
    found = DEFAULTS._replace(rule=settings.rule, **rule.fixed)._replace(**used)
    if isinstance(found.start, tuple):
        start = (*found.start, 0.0)[: 2 + found.bias]
        found = found._replace(start=start if any(start) else "zeros")
    if found.start != "random" and found.order != "shuffle":
        found = found._replace(seed=DEFAULTS.seed)
    if found.variant == "PA":
        found = found._replace(C=DEFAULTS.C)
    return found


def write_setting(value: Value) -> str:
    """A value as an address has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(write_number, value))
    return write_number(value) if isinstance(value, float) else str(value)


def as_text(settings: RunSettings) -> dict[str, str]:
    """Every setting as an address has it."""
    return {name: write_setting(value) for name, value in settings._asdict().items()}


#: What the estimators call a setting.
_PARAMETERS = {
    "start": "init",
    "seed": "random_state",
    "bias": "fit_intercept",
    "unit": "unit_length",
}


def estimator(settings: RunSettings, max_epochs: int) -> BaseLearner:
    """The estimator that these settings mean, not fitted.

    Its order is "shuffle", or "given": rows in an order of the lab's own (`row_orders`) are
    given to it so.
    """
    values = settings._asdict()
    rule = values.pop("rule")
    values["order"] = "shuffle" if settings.order == "shuffle" else "given"
    if isinstance(settings.start, tuple):
        values["start"] = np.array(settings.start)
    maker: type[BaseLearner] = getattr(estimators, registry.lookup(rule).estimator)
    known = maker().get_params()
    named = {_PARAMETERS.get(name, name): value for name, value in values.items()}
    taken = {name: value for name, value in named.items() if name in known}
    if "stop" in known:
        taken["stop"] = "budget"  # the film itself sees where a run repeats itself
    return maker(**taken, max_epochs=max_epochs)
