"""A film in words: what runs in it, and what an update does."""

from typing import Any

from novikoff.lab.film.run import FilmRun
from novikoff.lab.state.settings import RULES
from novikoff.learning.rules import PassiveAggressive
from novikoff.learning.rules.protocol import TIES

#: The rules that can be traced, by the titles that the page has for them.
TITLES = {name: rule.title for name, rule in RULES.items()}
TITLES |= {"voted": "Voted perceptron", "winnow": "Winnow"}
AT_ZERO = {
    "mistake": "a score of exactly 0 is a mistake",
    "positive": "a score of exactly 0 means +1",
    "negative": "a score of exactly 0 means −1",
    "keep": "a score of exactly 0 is never a mistake",
}


def setting(value: float) -> str:
    """A parameter as it was given.

    >>> setting(1.0), setting(0.1)
    ('1', '0.1')
    """
    return f"{value:.12g}"


def shown(value: float) -> str:
    """A number as the page rounds those of a step: two sides rounded alike keep their order.

    >>> shown(1.0), shown(0.99997), shown(0.99994), shown(12345.6)
    ('1', '1', '0.9999', '12,346')
    """
    if value == int(value):
        return f"{int(value):,}"
    whole = len(str(int(abs(value))))
    return f"{value:,.0f}" if whole > 4 else f"{value:.4g}"


def about(run: FilmRun) -> str:
    """The rule, its settings, the start, the rows and their order, in a sentence."""
    parts = [TITLES[run.trace.rule], *_settings(run), f"starting at {_start(run)}"]
    if run.trace.rule not in ("winnow", "one-sided"):
        parts.append(AT_ZERO[next(name for name, tie in TIES.items() if tie == run.core.tie)])
    parts.append(f"{_rows(run)}, {run.order_words}")
    return "; ".join(parts) + "."


def _settings(run: FilmRun) -> list[str]:
    rule: Any = run.core
    match run.trace.rule:
        case "winnow":
            return [f"α = {setting(rule.alpha)}, θ = {setting(rule.theta)}"]
        case "one-sided":
            return []
        case "margin":
            return [f"η = {setting(rule.eta)}, β = {setting(rule.margin)}"]
        case "passive-aggressive":
            return [_passive(rule)]
    return [f"η = {setting(rule.eta)}"]


def _passive(rule: PassiveAggressive) -> str:
    if rule.slack:
        return f"PA-II with C = {setting(0.5 / rule.slack)}"
    return "PA" if rule.cap == float("inf") else f"PA-I with C = {setting(rule.cap)}"


def _start(run: FilmRun) -> str:
    start = run.trace.start
    if run.trace.rule == "winnow":
        return "ones"
    if not start.any():
        return "zeros"
    few = ", ".join(f"{each:.4g}" for each in start[:3])
    return f"({few}, ...)" if len(start) > 3 else f"({few})"


def _rows(run: FilmRun) -> str:
    trace = run.trace
    lift = "rows lifted to (x, 1)" if trace.bias else "rows"
    return f"{lift}, at length 1" if trace.unit_length else lift


def moved(run: FilmRun) -> str:
    """What an update does: a template, see `proof_lines`."""
    rule = run.core
    match run.trace.rule:
        case "winnow":
            alpha = setting(rule.alpha)
            up, down = f"multiplied by {alpha}", f"divided by {alpha}"
            if rule.alpha == 2.0:
                up, down = "doubled", "halved"
            return (
                f"each w of a variable that is 1 in the row is {up} for the label +1, {down} for"
                " −1; here the label is {label}"
            )
        case "one-sided":
            return "w_{k} = w_{k-1} + x"
        case "passive-aggressive":
            return f"w_{{k}} = w_{{k-1}} + τ·y·x̂ with y = {{label}}, τ = {{step}} = {_tau(rule)}"
    return f"w_{{k}} = w_{{k-1}} + η·y·x̂ with η = {setting(rule.eta)}, y = {{label}}"


def _tau(rule: PassiveAggressive) -> str:
    """See `learning.rules.passive_aggressive`."""
    if rule.slack:
        return f"(1 − z·w)/(‖x̂‖² + {setting(rule.slack)})"
    least = "(1 − z·w)/‖x̂‖²"
    return least if rule.cap == float("inf") else f"min({setting(rule.cap)}, {least})"
