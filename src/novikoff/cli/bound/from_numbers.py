"""Bounds from numbers alone; and the words and the JSON of any bound."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.cli.shared.text import finite, large_count, wrap
from novikoff.data.text.tokens import NotANumberError, exact
from novikoff.errors import ParameterError
from novikoff.number_text import plural, rounded_down, rounded_up
from novikoff.theory.bounds import formulas
from novikoff.theory.bounds.hypotheses import Bound, Hypothesis
from novikoff.verdict.exact.directed_rounding import above

INDENT = 13  # where the text beside a name begins
UNCHECKED = "not checked: there are no data"
SYMBOLS = {"gamma": "γ", "gamma_1": "γ₁", "Delta": "Δ", "eta": "η", "length": "|w_k − w_0|"}
AT_LEAST = {"gamma", "gamma_1", "g", "A"}  # rounded down: the more, the fewer mistakes
UNSAID = {"vacuous", "vector", "relevant"}

FROM_ZERO = "the perceptron from zero weights, with any step, in any order, however often"
LENGTH = "no row is longer than D"
MARGIN = "some unit vector u has y u·x ≥ γ on every row x with label y"


class Numbers(NamedTuple):
    """The numbers that a command line gives in place of data, as it writes them."""

    radius: str | None
    margin: str | None
    gap: str | None
    length: str | None
    relevant: int | None
    features: int | None
    alpha: float | None
    theta: float | None
    eta: str | None


def exact_number(option: str, text: str) -> Fraction:
    """Parse a decimal, or a quotient of two, exactly.

    >>> exact_number("--margin", "0.1"), exact_number("--margin", "1/3")
    (Fraction(1, 10), Fraction(1, 3))
    """
    top, slash, bottom = text.partition("/")
    try:
        divisor = exact(bottom) if slash else Fraction(1)
        if divisor == 0:
            raise NotANumberError("found a division by 0, expected a number")
        return exact(top) / divisor
    except NotANumberError as problem:
        raise ParameterError(f"{option} {text}: {problem}") from None


def refuse_beside_data(numbers: Numbers) -> None:
    """Refuse numbers beside data, where they are worked out; the step is for both."""
    for name, value in numbers._replace(eta=None)._asdict().items():
        if value is not None:
            raise ParameterError(f"--{name} is for numbers alone; with DATA it is computed")


def bounds_from_numbers(numbers: Numbers) -> list[Bound]:
    """Every bound that the numbers are enough for."""
    _require_companions(numbers)
    known = {
        name: exact_number(f"--{name}", text)
        for name, text in numbers._asdict().items()
        if isinstance(text, str)
    }
    found = []
    if "radius" in known:
        found.append(_novikoff(known["radius"], known["margin"]))
    if "length" in known:
        found.append(_after_length(known["length"], known["margin"], known.get("eta", Fraction(1))))
    if "margin" in known and not found:
        found.append(_unit_length(known["margin"]))
    if "gap" in known:
        found.append(_one_sided(known["gap"]))
    if numbers.relevant is not None and numbers.features is not None:
        found.append(_winnow(numbers.relevant, numbers.features, numbers.alpha, numbers.theta))
    return found


def _require_companions(numbers: Numbers) -> None:
    given = {name for name, value in numbers._asdict().items() if value is not None}
    needs = {
        "radius": "margin",
        "length": "margin",
        "eta": "length",
        "relevant": "features",
        "features": "relevant",
        "alpha": "relevant",
        "theta": "relevant",
    }
    if not given:
        raise ParameterError(
            "give DATA, or numbers such as --radius 1 --margin 0.1 (see: novikoff bound --help)"
        )
    for name, other in needs.items():
        if name in given and other not in given:
            raise ParameterError(f"--{name} needs --{other} beside it")


def _novikoff(radius: Fraction, margin: Fraction) -> Bound:
    real = formulas.novikoff(radius, margin)
    named = {"D": radius, "gamma": margin}
    return _bound("novikoff", real, "(D/γ)²", [LENGTH, MARGIN], named, FROM_ZERO)


def _unit_length(margin: Fraction) -> Bound:
    real = formulas.unit_length(margin)
    sentences = ["every row has the length 1", MARGIN]
    return _bound("unit-length", real, "1/γ²", sentences, {"gamma": margin}, FROM_ZERO)


def _one_sided(gap: Fraction) -> Bound:
    sentences = ["every row has the length 1", "some unit vector u has u·x ≥ g on every row x"]
    learner = "the one-sided perceptron, in any order, however often"
    return _bound("one-sided", formulas.one_sided(gap), "1/g²", sentences, {"g": gap}, learner)


def _after_length(length: Fraction, margin: Fraction, eta: Fraction) -> Bound:
    real = formulas.after_length(length, margin, eta)
    named = {"length": length, "gamma": margin, "eta": eta}
    learner = "a run of the perceptron that ended so far from its start"
    return _bound("after-length", real, "|w_k − w_0|/(ηγ)", [MARGIN], named, learner)


def _bound(
    name: str,
    real: Fraction | float,
    formula: str,
    sentences: list[str],
    figures: Mapping[str, Fraction | int],
    learner: str,
) -> Bound:
    hypotheses = [Hypothesis(each, None, UNCHECKED) for each in sentences]
    limit = above(real) if isinstance(real, Fraction) else real
    figures = dict(figures)
    return Bound(name, math.floor(real), formula, hypotheses, None, limit, figures, learner)


def _winnow(relevant: int, features: int, alpha: float | None, theta: float | None) -> Bound:
    factor = 2.0 if alpha is None else alpha
    real = formulas.winnow(relevant, features, alpha=factor, theta=theta)
    real = real * (1.0 + 2.0**-48)  # more than the formula can lose to rounding
    general = alpha is not None or theta is not None
    formula = "n/((1 − 1/α)θ) + (1 + α)r(1 + log_α θ)" if general else "2 + 3r(1 + lg n)"
    sentences = ["every entry is 0 or 1", "the label is the OR of r of the n variables"]
    learner = f"Winnow with alpha = {factor:g} and theta = {'n' if theta is None else f'{theta:g}'}"
    return _bound("winnow", real, formula, sentences, {"r": relevant, "n": features}, learner)


def format_bounds(bounds: list[Bound]) -> str:
    """Write each bound with what it rests on."""
    lines = []
    for each in bounds:
        assert each.value is not None  # from numbers no bound is refused
        mistakes = plural("mistake", each.value)
        lines.append(f"{each.name}: at most {large_count(each.value)} {mistakes}")
        lines += _beside("formula", formula_of(each))
        lines += _beside("of", each.learner)
        for k, hypothesis in enumerate(each.hypotheses):
            lines += _beside("and" if k else "if", hypothesis.sentence)
    return "\n".join(lines)


def _beside(name: str, text: str) -> list[str]:
    return wrap_formulas(text, f"  {name}".ljust(INDENT), " " * INDENT)


def wrap_formulas(text: str, first: str = "", rest: str = "") -> list[str]:
    """Break a text into lines; "D = 1" stays together."""
    whole = text.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    lines = wrap(whole, first, rest, long_words=True)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def formula_of(bound: Bound) -> str:
    """The formula of a bound, with its figures."""
    figures = [
        f"{SYMBOLS.get(name, name)} = {_figure(name, value)}"
        for name, value in bound.figures.items()
        if name not in UNSAID
    ]
    return ", ".join([bound.formula, *figures])


def _figure(name: str, value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    rounded: Callable[[float], str] = rounded_down if name in AT_LEAST else rounded_up
    if isinstance(value, Fraction):
        if max(abs(value.numerator), value.denominator) < 10**6:
            return str(value) if value.denominator == 1 else f"{float(value):g}"
        value = above(value)
    return rounded(value) if math.isfinite(value) else "∞"


def as_json(bound: Bound) -> dict[str, Any]:
    """The keys that scripts rely on."""
    return {
        "name": bound.name,
        "value": bound.value,
        "real": _plain(bound.real),
        "formula": bound.formula,
        "figures": {name: _plain(value) for name, value in bound.figures.items()},
        "learner": bound.learner,
        "hypotheses": [each._asdict() for each in bound.hypotheses],
        "refused": bound.refused,
    }


def _plain(value: Any) -> Any:
    """A figure as JSON can hold it."""
    if isinstance(value, Fraction):
        value = above(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    return finite(value) if isinstance(value, float) else value
