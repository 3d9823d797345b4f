"""How a run ends, and how many mistakes are left to it."""

from typing import Any

from novikoff.lab.film.run import FilmRun
from novikoff.lab.plane.number_text import digits
from novikoff.learning.epochs import StopReason
from novikoff.number_text import count
from novikoff.report.charts.epochs import bound_text

#: Rules whose weights are known to stay bounded on rows that are not separable (Block and Levin).
BOUNDED = ("perceptron", "one-sided", "averaged", "voted")
#: Rules whose theorem counts updates, right predictions among them.
UPDATING = ("margin",)


def end(run: FilmRun) -> dict[str, Any]:
    """The last thing that a film says."""
    if run.converged:
        texts = _converged_text(run)
    elif run.repeats:
        texts = _cycle_text(run)
    elif run.stuck:
        texts = _stuck_text(run)
    elif run.steps < run.trace.updates:
        texts = _cut_text(run)
    else:
        texts = _open_end_text(run)
    cycle = run.trace.cycle
    return {
        "sentence": texts[0],
        "because": texts[1],
        "converged": run.converged,
        "cycle": cycle._asdict() if run.repeats and cycle is not None else None,
    }


def _converged_text(run: FilmRun) -> tuple[str, str]:
    clean = run.trace.because.removeprefix("a full epoch passed ")
    if run.steps:
        sentence = f"Converged: after {count(run.steps, 'update')} a full epoch passed {clean}."
    else:
        sentence = f"Converged at the start: a full epoch passed {clean}, and nothing moved."
    if run.separable:
        return sentence, _theorem_text(run)
    return sentence, (
        "No weights put every row strictly on its correct side; these leave some on the boundary"
        " itself, which counts as right by the tie chosen."
    )


def _cycle_text(run: FilmRun) -> tuple[str, str]:
    cycle = run.trace.cycle
    assert cycle is not None, "asked for a cycle that is not there"
    before = f"after update {cycle.first:,}" if cycle.first else "of the start"
    again, one = (
        f"{count(cycle.length, 'update')} in {count(cycle.epochs, 'epoch')}",
        cycle.length == 1,
    )
    return (
        f"The run goes round for ever: after update {cycle.first + cycle.length:,} the weights are"
        f" again those {before}, and the same {again} come{'s' * one} again and again.",
        _by_rounding(run) if run.separable else _inseparable_text(run),
    )


def _by_rounding(run: FilmRun) -> str:
    """Why a run on separable rows goes round."""
    theorem = _theorem_text(run).replace("The theorem", "the theorem")
    return (
        f"The rows are separable, and in exact arithmetic the run would end: {theorem} But rows"
        " times the step are too small beside these weights: rounding takes away what they add. The"
        " lines of the proof are those of exact arithmetic."
    )


def _stuck_text(run: FilmRun) -> tuple[str, str]:
    moved = f"after {count(run.steps, 'update')} nothing moves" if run.steps else "nothing moves"
    return (
        f"The run never ends: {moved}, and every epoch has a mistake.",
        "A row of zeros has a score of 0 whatever the weights are, and cannot move them.",
    )


def _cut_text(run: FilmRun) -> tuple[str, str]:
    """The trace is longer than the film."""
    trace = run.trace
    how = "converged" if trace.converged else "was stopped"
    return (
        f"The film ends here: it shows the first {run.steps:,} updates of {trace.updates:,}, after"
        f" which the run {how}.",
        _theorem_text(run),
    )


def _open_end_text(run: FilmRun) -> tuple[str, str]:
    trace = run.trace
    if run.endless:
        return (
            "In exact arithmetic the run never ends: these are its first"
            f" {count(run.steps, 'update')}.",
            _inseparable_text(run),
        )
    full = trace.because == StopReason.UPDATES.value
    why = "the film has no room for more" if full else trace.because
    return (
        f"The film ends here, and the run does not: after {count(run.steps, 'update')} {why}.",
        _theorem_text(run),
    )


def _theorem_text(run: FilmRun) -> str:
    """What the theorem says about the end."""
    if not run.separable:
        return _inseparable_text(run)
    bound = run.trace.bound
    if bound is None:
        return "The rows are separable; no bound is known for this run."
    return f"The theorem allows {_allowed(run)}."


def _inseparable_text(run: FilmRun) -> str:
    """Why no theorem ends the run, and what is still known of it."""
    if run.trace.rule == "winnow":
        return "The label is not an OR of variables: the theorem says nothing of this run."
    sentence = "The rows are not separable: no weights put every one on its correct side"
    if run.conflict:
        sentence += (
            f", and {count(run.conflict, 'row')} alone rule{'s' * (run.conflict == 1)} it out"
        )
    stay = " The weights stay bounded, however long it goes on."
    return f"{sentence}.{stay if run.trace.rule in BOUNDED else ''}"


def _allowed(run: FilmRun) -> str:
    bound, noun = run.trace.bound or 0, noun_of(run)
    noun = noun.removesuffix("s") if bound == 1 else noun
    return f"at most {bound_text(bound)} {noun}, in any order of the rows"


def noun_of(run: FilmRun) -> str:
    """What the theorem counts."""
    return "updates" if run.trace.rule in UPDATING else "mistakes"


def countdown(run: FilmRun) -> dict[str, Any]:
    """How many mistakes, or updates, the theorem allows, and why."""
    noun = noun_of(run)
    return {
        "noun": noun,
        "column": "update" if noun == "updates" else "mistakes",
        "bound": run.trace.bound,
        "why": _why(run),
    }


def winnow_formula(run: FilmRun) -> str:
    """Winnow's bound in letters: with α = 2 and θ = n it is that of its lecture note."""
    if run.rule.alpha == 2.0 and run.rule.theta == run.trace.features:
        return "2 + 3r(1 + lg n)"
    return "n/((1 − 1/α)θ) + (1 + α)r(1 + log_α θ)"


def _why(run: FilmRun) -> str:
    trace, rule = run.trace, run.core
    if trace.bound is None:
        if trace.rule == "winnow":
            return "The label is not an OR of variables, so the theorem gives no bound."
        return f"The rows are not separable: nothing bounds the {noun_of(run)} of pass after pass."
    if trace.rule == "winnow":
        relevant = 0 if trace.target is None else int(trace.target.sum())
        return (
            f"{winnow_formula(run)}, as the label is the OR of r = {relevant} of"
            f" n = {trace.features} variables: {_allowed(run)}."
        )
    gamma, D = digits(trace.margin or 0.0), digits(trace.radius)
    figures = f"γ = {gamma} and D = {D}"
    allowed = _allowed(run)
    match trace.rule:
        case "one-sided":
            return f"1/g² with the gap g = {gamma}: {allowed}."
        case "passive-aggressive":
            return f"‖w_0 − u‖²/c, see the proof, with {figures}: {allowed}."
        case _ if trace.start.any():
            return f"B/A, from this start, with {figures}: {allowed}."
        case "margin":
            return f"(D² + 2β/η)/γ² with {figures}, β/η = {rule.margin / rule.eta:.4g}: {allowed}."
    return f"(D/γ)² with {figures}: {allowed}."
