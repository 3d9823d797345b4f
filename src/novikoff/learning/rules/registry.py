"""Every rule by the name that the command line, the estimators and model files use.

Each builder's keyword arguments are the rule's parameters as people write them ("tie" by its name,
theta=None for "the number of variables"); the estimators pass theirs on.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from novikoff.errors import ParameterError
from novikoff.learning import rules
from novikoff.learning.rules.protocol import Rule, require, tie_named


def perceptron(eta: float = 1.0, tie: str = "mistake") -> Rule:
    return rules.Perceptron(float(eta), tie_named(tie))


def averaged(eta: float = 1.0, tie: str = "mistake") -> Rule:
    return rules.Averaged(perceptron(eta, tie))


def voted(eta: float = 1.0, tie: str = "mistake") -> Rule:
    return rules.Voted(float(eta), tie_named(tie))


def margin(eta: float = 1.0, margin: float = 1.0, tie: str = "mistake") -> Rule:
    return rules.MarginPerceptron(float(eta), float(margin), tie_named(tie))


def passive_aggressive(C: float = 1.0, variant: str = "PA-I", tie: str = "mistake") -> Rule:
    require(0.0 < C < math.inf, f"C must be a number above 0, not {C}")
    caps = {"PA": (math.inf, 0.0), "PA-I": (float(C), 0.0), "PA-II": (math.inf, 0.5 / C)}
    require(variant in caps, f"variant must be PA, PA-I or PA-II, not {variant!r}")
    return rules.PassiveAggressive(*caps[variant], tie_named(tie))


def second_order(a: float = 1.0, tie: str = "mistake") -> Rule:
    return rules.SecondOrder(float(a), tie_named(tie))


def multiclass(
    eta: float = 1.0, averaged: bool = False, variant: str = "perceptron", C: float = 1.0
) -> Rule:
    known = "perceptron", "PA", "PA-I", "PA-II"
    require(variant in known, f"variant must be {', '.join(known)}, not {variant!r}")
    plain = variant == "perceptron"
    inner = perceptron(eta) if plain else passive_aggressive(C, variant)
    return rules.Multiclass(rules.Averaged(inner) if averaged else inner)


def one_sided() -> Rule:
    return rules.Perceptron()


def winnow(
    alpha: float = 2.0,
    theta: float | None = None,
    complement: bool = False,
    binarize: float | None = 0.0,
) -> Rule:
    kind = rules.ComplementWinnow if complement else rules.Winnow
    for name, value in (("theta", theta), ("binarize", binarize)):
        known = value is None or math.isfinite(value)
        require(known, f"{name} must be None or a finite number, not {value}")
    require(
        not binarize or binarize > 0.0,
        f"binarize is {binarize}; it must not be below 0: what a sparse row leaves out is 0",
    )
    threshold = math.nan if theta is None else float(theta)
    return kind(float(alpha), threshold, float(binarize or 0.0), strict=binarize is None)


def balanced_winnow(eta: float = 0.1, tie: str = "mistake") -> Rule:
    return rules.BalancedWinnow(float(eta), tie_named(tie))


class Entry(NamedTuple):
    """A rule's names, builder and habits.

    proof: the rule whose convergence proof holds for it, which a trace can follow.
    """

    estimator: str
    build: Callable[..., Rule]
    about: str
    proof: str | None = None
    bias: bool = True  # whether rows may be lifted
    starts_anywhere: bool = False  # whether `init` may be other than zeros
    unit_length: bool = False  # whether rows are scaled by default

    def parameters(self) -> dict[str, Any]:
        """The rule's own parameters with their defaults."""
        return {p.name: p.default for p in inspect.signature(self.build).parameters.values()}


CATALOGUE = {
    "perceptron": Entry(
        "Perceptron",
        perceptron,
        "Rosenblatt's, in every dialect",
        "perceptron",
        starts_anywhere=True,
    ),
    "one-sided": Entry(
        "OneSidedPerceptron",
        one_sided,
        "positive rows only, unit length",
        "perceptron",
        bias=False,
        unit_length=True,
    ),
    "averaged": Entry(
        "AveragedPerceptron",
        averaged,
        "predicts with the mean weights",
        "perceptron",
        starts_anywhere=True,
    ),
    "voted": Entry(
        "VotedPerceptron", voted, "all past weights vote", "perceptron", starts_anywhere=True
    ),
    "margin": Entry(
        "MarginPerceptron",
        margin,
        "moves until every row has room",
        "perceptron",
        starts_anywhere=True,
    ),
    "passive-aggressive": Entry(
        "PassiveAggressive",
        passive_aggressive,
        "PA, PA-I and PA-II",
        "passive-aggressive",
        starts_anywhere=True,
    ),
    "multiclass": Entry(
        "MulticlassPerceptron",
        multiclass,
        "compares all classes at once (Kesler)",
        starts_anywhere=True,
    ),
    "second-order": Entry("SecondOrderPerceptron", second_order, "whitens by its past mistakes"),
    "winnow": Entry(
        "Winnow", winnow, "disjunctions of few of many Boolean variables", "winnow", bias=False
    ),
    "balanced-winnow": Entry(
        "BalancedWinnow", balanced_winnow, "multiplicative, weights of any sign"
    ),
}


def lookup(name: str) -> Entry:
    """The entry called `name`."""
    if name not in CATALOGUE:
        raise ParameterError(f"there is no rule {name!r}; the rules are {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def name_of(rule: Rule) -> str | None:
    """The name of the entry that builds rules of this class; None if there is none."""
    if isinstance(rule, rules.ComplementWinnow):
        return "winnow"
    if isinstance(rule, rules.Multiclass):
        return "multiclass"
    same = (name for name in CATALOGUE if _classes(CATALOGUE[name].build()) == _classes(rule))
    return next(same, None)


def _classes(rule: Rule) -> tuple[type, type]:
    """A rule's class, and that of the rule inside it."""
    return type(rule), type(getattr(rule, "inner", None))


def build(name: str, parameters: dict[str, Any]) -> Rule:
    """The rule, from as many of its parameters as are given."""
    chosen = lookup(name)
    unknown = sorted(set(parameters) - set(chosen.parameters()))
    if unknown:
        raise ParameterError(
            f"the rule {name!r} has no parameter {unknown[0]!r};"
            f" it has {', '.join(chosen.parameters()) or 'none'}"
        )
    try:
        rule = chosen.build(**parameters)
    except OverflowError:
        raise ParameterError(
            f"the rule {name!r} has a parameter that is too large for a double"
        ) from None
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"the rule {name!r} cannot be made of {parameters}: {error}") from None
    rules.protocol.validate(rule)
    return rule
