"""Passive-aggressive learning in pictures: how it closes in on u, and what that leaves to spend.

u = w*/a has z . u >= 1 for every row, and d = tau (2 l - tau |z|^2) is by how much an update brings
|w - u|^2 down at the least (see `tracing.aggressive`).
"""

from typing import Any

from novikoff.report.learning import curve, most
from novikoff.report.picture import Line, Mark, Picture, Rule, array, number
from novikoff.report.proof import kept_of, notes_on, thinning, under_cap


def closing_in(trace: Any) -> Picture:
    """|w_k - u|^2 under its cap, |w_0 - u|^2 less all that is certain to have gone."""
    run = "to_target", "this run, ‖w_k − u‖²"
    cap = "to_target_cap", "at most ‖w_0 − u‖² − Σd"
    curves = under_cap(trace, run, cap, "loss", "step")
    return Picture(
        "Every update brings the weights nearer",
        "updates, k",
        "squared distance from u",
        [Rule(0.0, "0: no square is below", "ink", "dotted"), *curves],
        "u is the separator at the length that gives every row its margin of 1. An update with loss"
        " ℓ and step τ takes at least d = τ(2ℓ − τ‖z‖²) off the squared distance: more where the"
        " row lies beyond that margin of u." + thinning(trace, kept_of(trace)),
        f"The squared distance of the weights from u over {trace.updates:,} updates,"
        f" {number(float(trace.table['to_target'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )


def spending(trace: Any) -> Picture:
    """m c <= sum of d <= |w_0 - u|^2: why there can be no more than so many mistakes."""
    table, kept = trace.table, kept_of(trace)
    k = array(table["update"][kept])
    drops = array(table["drops"][kept])
    whole = float(table["drops"][-1] + table["to_target_cap"][-1])
    notes = notes_on(trace, kept, "drops", "drops_floor", "mistakes")
    marks: list[Mark] = [Rule(whole, f"all there is, ‖w_0 − u‖²: {number(whole)}", "red", "dashed")]
    marks += curve(Line(k, drops, "this run, Σd", "blue", "solid", 3.0, notes))
    floor = array(table["drops_floor"][kept])
    marks += curve(Line(k, floor, "at least m·c after m mistakes", "green", "dotted"))
    return Picture(
        "Why mistakes must end: there is only so much distance",
        "updates, k",
        "squared distance gone, at the least",
        marks,
        "A mistake costs the distance c or more, and no more can go than there was at the start:"
        f" that is enough for {most(trace.bound)} mistakes. This run made {trace.mistakes:,}."
        + thinning(trace, kept),
        f"The sum of all d, {number(float(drops[-1]))} at the end, between m c and the distance at"
        " the start.",
        log_x=trace.updates > 1000,
    )


def lengths(trace: Any) -> Picture:
    """|w_k|^2 under its cap: what is left where no separator is known."""
    run, cap = ("squared_norm", "this run, ‖w_k‖²"), ("norm_cap", "at most ‖w_0‖² + Στ(2 − ℓ)")
    return Picture(
        "How long the weights get",
        "updates, k",
        "squared length of the weights",
        under_cap(trace, run, cap, "loss", "step"),
        "A step τ at a loss ℓ adds τ(2 − ℓ) at the most: losses above 2 make the weights shorter."
        " There is no separator to come nearer to, and no theorem that ends this run."
        + thinning(trace, kept_of(trace)),
        f"The squared length of the weights over {trace.updates:,} updates,"
        f" {number(float(trace.table['squared_norm'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )
