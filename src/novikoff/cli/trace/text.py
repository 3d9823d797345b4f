"""A trace in words and as JSON: the run, its first and last updates, and what was checked."""

from pathlib import Path
from typing import Any

from novikoff.cli.shared.text import UNLABELLED, finite, large_count, wrap
from novikoff.data import Source
from novikoff.learning.epochs import StopReason
from novikoff.number_text import count, rounded_down, rounded_up
from novikoff.theory.trace import Trace

FIRST, LAST = 8, 4  # updates that the table shows

#: Columns of the table, what they are called, and how wide they are.
PERCEPTRON = {
    "update": ("k", 6),
    "place": ("row", 7),
    "score": ("score", 11),
    "target_product": ("w·w*", 11),
    "target_floor": ("≥", 11),
    "squared_norm": ("|w|²", 11),
    "norm_cap": ("≤", 11),
    "cosine": ("cosine", 11),
}
AGGRESSIVE = {
    "update": ("k", 6),
    "place": ("row", 7),
    "loss": ("loss ℓ", 11),
    "step": ("step τ", 11),
    "squared_norm": ("|w|²", 11),
    "to_target": ("|w − u|²", 11),
    "to_target_cap": ("≤", 11),
    "cosine": ("cosine", 11),
}
WINNOW = {
    "update": ("k", 6),
    "place": ("row", 7),
    "label": ("label", 7),
    "score": ("score", 11),
    "total_weight": ("total", 12),
    "total_cap": ("≤", 12),
    "promotions": ("up", 7),
    "demotions": ("down", 7),
}
SHOWN = {"passive-aggressive": AGGRESSIVE, "winnow": WINNOW}
LEGEND = "u = w*/a; ℓ the loss, τ the step, d = τ(2ℓ − τ|z|²); m mistakes, each d ≥ c"


def format_trace(trace: Trace, source: Source, output: Path | None) -> str:
    """Write the account."""
    labels = UNLABELLED if trace.rule == "one-sided" else ""
    lines = [
        f"{source.name}: {count(trace.rows, 'row')}, {count(trace.features, 'feature')}{labels}",
        *wrap(f"{trace.rule}: {ending(trace)}"),
        target(trace),
        *_table(trace),
        *_check_lines(trace),
    ]
    if trace.cycle is not None:
        lines += wrap(str(trace.cycle))
    if output is not None:
        lines.append(f"{count(trace.updates, 'update')} written to {output}")
    return "\n".join(lines)


def ending(trace: Trace) -> str:
    """How the run ended, and what the theorem allows, in a sentence."""
    word = "converged" if trace.converged else "stopped"
    text = f"{word} after {count(trace.epochs, 'epoch')} and {count(trace.updates, 'update')}"
    mistakes = trace.rule == "passive-aggressive"  # what its theorem counts
    if mistakes:
        text += f", {trace.mistakes:,} of them mistakes"
    if trace.bound is None:
        return text
    most = large_count(trace.bound)
    return f"{text}; the theorem allows {most}{' mistakes' if mistakes else ''}"


def target(trace: Trace) -> str:
    """The target that the run is checked against, in words."""
    radius = rounded_up(trace.radius, 6)
    if trace.rule == "winnow":
        if trace.target is None:
            return "target: none; the label is not an OR of variables"
        return f"target: the OR of {count(int(trace.target.sum()), 'variable')}"
    if trace.target is None or trace.margin is None:
        return f"target: none; no hyperplane separates the rows. D = {radius}"
    kind = {
        "max-margin": "the separator of largest margin",
        "separator": "a separator, nearly the best",
        "given": "w* as given",
    }[trace.target_from]
    return f"target: {kind}, γ = {rounded_down(trace.margin, 6)}, D = {radius}"


def _table(trace: Trace) -> list[str]:
    shown = SHOWN.get(trace.rule, PERCEPTRON)
    table, total = dict(trace.table), len(trace.table.get("update", ()))
    if not total:
        return []
    lines = trace.signed.lines
    place = table["row"] if lines is None else lines[table["row"]]
    table["place"] = place
    names = [name for name in shown if name in table]
    title = dict(shown)
    if lines is not None:
        title["place"] = ("line", title["place"][1])
    out = ["".join(f"{title[name][0]:>{title[name][1]}}" for name in names)]
    for k in range(total):
        if FIRST <= k < total - LAST:
            if k == FIRST:
                out.append(f"{'...':>6}")
            continue
        out.append("".join(f"{_cell(table[name][k]):>{title[name][1]}}" for name in names))
    return out


def _cell(value: float) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"


def _check_lines(trace: Trace) -> list[str]:
    if not trace.checks:
        return ["there was no update to check"]
    how = "over the rationals" if trace.exact else "allowing for rounding"
    lines = [f"checked at each update, {how}; smallest slack of each:"]
    width = max(len(check.statement) for check in trace.checks)
    for check in trace.checks:
        equal = "with equality" if trace.exact else "to within rounding"
        at = equal if check.tightest <= 0.0 else f"{check.tightest:.3g}"
        lines.append(f"  {check.statement:<{width}}  {at}, at update {check.at:,}")
    if trace.rule == "passive-aggressive" and trace.target is not None:
        lines.append(f"  {LEGEND}")
    if trace.rounded:
        lines.append(
            f"{count(trace.rounded, 'update')} were mistakes for rounding alone; the sides above"
            " allow for them"
        )
    if trace.ceiling is not None:
        lines.append(f"no separator has a margin above {rounded_up(trace.ceiling)}")
    return lines


def as_json(trace: Trace, output: Path | None) -> dict[str, Any]:
    """The keys that scripts rely on."""
    return {
        "rule": trace.rule,
        "rows": trace.rows,
        "features": trace.features,
        "epochs": trace.epochs,
        "updates": trace.updates,
        "mistakes": trace.mistakes,
        "mistakes_per_epoch": trace.mistakes_per_epoch,
        "converged": trace.converged,
        "stopped_because": trace.because,
        "margin": trace.margin,
        "radius": trace.radius,
        "margin_ceiling": trace.ceiling,
        "mistake_bound": trace.bound,
        "cycle": None if trace.cycle is None else trace.cycle._asdict(),
        "A": finite(trace.A),
        "B": finite(trace.B),
        "start": trace.start.tolist(),
        "target": None if trace.target is None else trace.target.tolist(),
        "target_from": trace.target_from,
        "exact": trace.exact,
        "rounded": trace.rounded,
        "checks": [
            check._asdict() | {"tightest": finite(check.tightest)} for check in trace.checks
        ],
        "output": None if output is None else str(output),
    }


def interrupted(trace: Trace) -> bool:
    """Whether Ctrl-C ended the run."""
    return trace.because == StopReason.INTERRUPTED.value
