"""The lines of a run's proof, as templates that the numbers of a step are put into.

In a template {NAME} stands for the column NAME of the film at the step, {k} for the number of the
update and {k-1} for the one before. z = y x̂ is the signed row, x̂ as the learner sees it.
"""

from typing import NamedTuple

from novikoff.lab.film.ending_text import winnow_formula
from novikoff.lab.film.run import FilmRun
from novikoff.lab.film.run_text import setting, shown
from novikoff.lab.plane.number_text import digits
from novikoff.report.charts.epochs import bound_text
from novikoff.report.model import number


class ProofLine(NamedTuple):
    """An inequality: what it is called, in letters, with numbers, and why it holds."""

    name: str
    statement: str
    filled: str
    why: str


#: Lines that only rows have which are separable.
NEED_A_SEPARATOR = {
    "towards w*",
    "the angle",
    "the end",
    "the numerator",
    "the cosine",
    "closer to u",
    "what mistakes take",
    "promotions",
}


def lines_of(run: FilmRun) -> list[ProofLine]:
    """Those that hold for this run; of rows that are not separable only some are left."""
    if not run.steps:
        return []
    lines = PROOFS.get(run.trace.rule, _of_perceptron)(run)
    whole = run.separable and (run.trace.rule != "winnow" or run.trace.bound is not None)
    return [line for line in lines if whole or line.name not in NEED_A_SEPARATOR]


def _of_perceptron(run: FilmRun) -> list[ProofLine]:
    """See `theory.trace.theorems.constants`; β is the margin that the rule seeks, or 0."""
    beta: float = getattr(run.core, "margin", 0.0)
    name, limit = ("β", f"β = {shown(beta)}") if beta else ("0", "0")
    update = ProofLine(
        "the update",
        f"z·w_{{k−1}} ≤ {name}",
        f"z·w_{{k-1}} = {{score}} ≤ {limit}{_rounded(run)}",
        f"The weights move only where the signed score is not above {'the margin ' * bool(beta)}"
        f"{name}.",
    )
    more = _length(run, beta), *_envelopes(run), _angle(run, beta), _ceiling(run)
    return [update, _towards(run), *more]


def _towards(run: FilmRun) -> ProofLine:
    start = "w_0·w* + " if run.trace.start.any() else ""
    return ProofLine(
        "towards w*",
        f"w_k·w* ≥ {start}kηa",
        f"w_{{k}}·w* = {{target_product}} ≥ {{target_floor}} = {start}{{k}}·ηa",
        "Each update adds ηz·w*, and no row has z·w* below a: w* separates them with the"
        f" margin γ = a/‖w*‖ = {_gamma(run)}.",
    )


def _length(run: FilmRun, beta: float) -> ProofLine:
    start = "‖w_0‖² + " if run.trace.start.any() else ""
    step, middle = ("(η²D² + 2ηβ)", "z·w ≤ β") if beta else ("η²D²", "z·w ≤ 0")
    return ProofLine(
        "the length",
        f"‖w_k‖² ≤ {start}k{step}",
        f"‖w_{{k}}‖² = {{squared_norm}} ≤ {{norm_cap}} = {start}{{k}}·{step}",
        f"‖w + ηz‖² = ‖w‖² + 2ηz·w + η²‖z‖², where {middle} and ‖z‖ ≤ D ="
        f" {digits(run.trace.radius)}.",
    )


def _angle(run: FilmRun, beta: float) -> ProofLine:
    floor, filled = "the floor of w_k·w* over ‖w*‖ and the root of the cap", ""
    if not run.trace.start.any() and not beta:
        floor, filled = "√k·γ/D", " = √{k}·γ/D"
    return ProofLine(
        "the angle",
        f"cos(w*, w_k) ≥ {floor}",
        f"cos(w*, w_{{k}}) = {{cosine}} ≥ {{cosine_floor}}{filled}",
        "The lines on w* and on the length, one over the other; and no cosine is above 1.",
    )


def _envelopes(run: FilmRun) -> list[ProofLine]:
    """A k^2 <= |w_k - w_0|^2 <= B k, or what is left of it, and the bound where they cross."""
    trace = run.trace
    away = "‖w_k − w_0‖²" if trace.start.any() else "‖w_k‖²"
    filled = f"{away.replace('_k', '_{k}')} = {{squared_distance}} ≤ {{upper}} = B·{{k}}"
    above = f"no update adds more than B = {number(trace.B or 0.0)}"
    if not run.separable:
        line = ProofLine("the envelope", f"{away} ≤ B·k", filled, f"To {away} {above}.")
        return [line] if trace.start.any() else []  # from zeros the line above says the same
    lower = number(trace.A or 0.0)
    return [
        ProofLine(
            "the envelopes",
            f"A·k² ≤ {away} ≤ B·k",
            f"A·{{k}}² = {{lower}} ≤ {filled}",
            f"(w_k − w_0)·w* ≥ kηa, so the distance is at least kηγ: A = (ηγ)² = {lower}; and"
            f" {above}.",
        ),
        ProofLine(
            "the end",
            "k ≤ B/A",
            f"{{k}} ≤ ⌊B/A⌋ = {bound_text(trace.bound or 0)}",
            "A·k² cannot be above B·k.",
        ),
    ]


def _ceiling(run: FilmRun, amount: str = "kη") -> ProofLine:
    known = f"γ = {_gamma(run)}" if run.separable else "γ"
    away = "‖w_k − w_0‖" if run.trace.start.any() else "‖w_k‖"
    return ProofLine(
        "the ceiling",
        f"γ ≤ {away}/({amount}), the least so far",
        f"{known} ≤ {{ceiling}}",
        f"{amount}·γ ≤ (w_k − w_0)·u ≤ ‖w_k − w_0‖ for every separator u of length 1: none has a"
        " margin above this.",
    )


def _of_note(run: FilmRun) -> list[ProofLine]:
    """The one-sided rule, in the letters of its lecture note: N over D, after t updates."""
    return [
        ProofLine(
            "the update",
            "w·x ≤ 0",
            f"w_{{k-1}}·x = {{score}} ≤ 0{_rounded(run)}",
            "A row with w·x ≤ 0 is added to the weights.",
        ),
        ProofLine(
            "the numerator",
            "N ≥ t·g",
            "N = w_{k}·w* = {target_product} ≥ {target_floor} = {k}·g",
            f"Every row has w*·x ≥ g = {_gamma(run)}, the gap: N grows by at least g.",
        ),
        ProofLine(
            "the denominator",
            "D² ≤ t",
            "D² = ‖w_{k}‖² = {squared_norm} ≤ {norm_cap} = {k}",
            "‖w + x‖² = ‖w‖² + 2w·x + ‖x‖², where w·x ≤ 0 and ‖x‖ = 1: D² grows by at most 1.",
        ),
        ProofLine(
            "the cosine",
            "N/D ≥ √t·g",
            "N/D = {cosine} ≥ {cosine_floor} = √{k}·g",
            "N ≥ t·g over D ≤ √t; and no cosine is above 1.",
        ),
        ProofLine(
            "the end",
            "t ≤ 1/g²",
            f"t = {{k}} ≤ ⌊1/g²⌋ = {bound_text(run.trace.bound or 0)}",
            "√t·g cannot be above 1.",
        ),
        _ceiling(run, "t"),
    ]


def _of_aggression(run: FilmRun) -> list[ProofLine]:
    """See `theory.trace.theorems.passive_aggressive`."""
    first = "‖w_0‖² + " if run.trace.start.any() else ""
    return [
        ProofLine(
            "the update",
            "ℓ = 1 − z·w_{k−1} > 0",
            "ℓ = 1 − z·w_{k-1} = {loss} > 0",
            "The weights move wherever the loss ℓ is above 0, also where the side is right.",
        ),
        *_approach(run),
        ProofLine(
            "the length",
            f"‖w_k‖² ≤ {first}Στ(2 − ℓ)",
            f"‖w_{{k}}‖² = {{squared_norm}} ≤ {{norm_cap}} = {first}Στ(2 − ℓ)",
            "‖w + τz‖² = ‖w‖² + 2τz·w + τ²‖z‖², where z·w = 1 − ℓ and τ‖z‖² ≤ ℓ.",
        ),
        _ceiling(run, "Στ"),
    ]


def _approach(run: FilmRun) -> list[ProofLine]:
    """How the weights come closer to u = w* / a, and what that allows."""
    rule = run.core
    square = f"D² + {setting(rule.slack)}" if rule.slack else "D²"
    least = f"1/({square})" if rule.slack else "1/D²"
    if rule.cap < float("inf"):
        least = f"min({setting(rule.cap)}, {least})"
    D = digits(run.trace.radius)
    return [
        ProofLine(
            "closer to u",
            "‖w_k − u‖² ≤ ‖w_0 − u‖² − Σd",
            "‖w_{k} − u‖² = {to_target} ≤ {to_target_cap} = ‖w_0 − u‖² − {drops}",
            "u = w*/a, so that z·u ≥ 1 for every row: an update takes at least d = τ(2ℓ − τ‖z‖²)"
            " off the squared distance.",
        ),
        ProofLine(
            "what mistakes take",
            "Σd ≥ m·c",
            "Σd = {drops} ≥ {drops_floor} = {mistakes}·c",
            f"A mistake has ℓ ≥ 1, and so d ≥ c = {least}, with D = {D}.",
        ),
        ProofLine(
            "the end",
            "m ≤ ‖w_0 − u‖²/c",
            f"m = {{mistakes}} ≤ ⌊‖w_0 − u‖²/c⌋ = {bound_text(run.trace.bound or 0)}",
            "More than the whole distance cannot be taken.",
        ),
        ProofLine(
            "the angle",
            "cos(w*, w_k) ≥ √(1 − c_k/‖u‖²), with c_k the cap of ‖w_k − u‖²",
            "cos(w*, w_{k}) = {cosine} ≥ {cosine_floor}",
            "What is near u points nearly where u does.",
        ),
    ]


def _of_winnow(run: FilmRun) -> list[ProofLine]:
    """See `theory.trace.theorems.winnow`."""
    trace, rule = run.trace, run.rule
    up, down = number(rule.alpha - 1.0), number(1.0 - 1.0 / rule.alpha)
    theta, n = number(rule.theta), trace.features
    relevant = int(trace.target.sum()) if trace.target is not None else 0
    return [
        ProofLine(
            "all weights together",
            "0 < Σw ≤ n + u(α − 1)θ − v(1 − 1/α)θ",
            f"0 < Σw = {{total_weight}} ≤ {{total_cap}} = {n} + {{promotions}}·{up}·{theta} −"
            f" {{demotions}}·{down}·{theta}",
            "A promotion adds α − 1 times what the row had, which was below θ; a demotion takes"
            " 1 − 1/α times what it had, which was not; and no weight is ever 0.",
        ),
        ProofLine(
            "promotions",
            "u ≤ r⌈log_α θ⌉",
            f"u = {{promotions}} ≤ {{promotion_cap}} = {relevant}·⌈log_α {theta}⌉",
            f"A promotion raises one of the {relevant} relevant weights, which was below θ, and"
            " nothing ever lowers one of them.",
        ),
        ProofLine(
            "the end",
            f"u + v ≤ {winnow_formula(run)}",
            f"u + v = {{k}} ≤ {bound_text(trace.bound or 0)}",
            "The promotions are bounded, and there is too little weight for many more demotions.",
        ),
    ]


PROOFS = {"one-sided": _of_note, "passive-aggressive": _of_aggression, "winnow": _of_winnow}


def _gamma(run: FilmRun) -> str:
    return digits(run.trace.margin or 0.0)


def _rounded(run: FilmRun) -> str:
    """Where the run's own rounding made a mistake of a row that is none."""
    return ", but for rounding" if run.trace.rounded else ""
