"""Figures of passive-aggressive learning: the distance to u, and how mistakes use it up.

u = w*/a has z . u >= 1 for every row, and an update lowers |w - u|^2 by at least
d = tau (2 l - tau |z|^2): see `theory.trace.theorems.passive_aggressive`.
"""

from novikoff.report.charts.epochs import bound_text, curve_marks
from novikoff.report.charts.trace import curve_under_cap, drawn_updates, hover_notes, thinning_note
from novikoff.report.model import Figure, Line, Mark, ReferenceLine, array, number
from novikoff.theory.trace import Trace


def distance_figure(trace: Trace) -> Figure:
    """|w_k - u|^2 under its cap, |w_0 - u|^2 less the sum of all d."""
    run = "to_target", "this run, ‖w_k − u‖²"
    cap = "to_target_cap", "at most ‖w_0 − u‖² − Σd"
    curves = curve_under_cap(trace, run, cap, "loss", "step")
    return Figure(
        "Every update brings the weights nearer",
        "updates, k",
        "squared distance from u",
        [ReferenceLine(0.0, "0: no square is below", "ink", "dotted"), *curves],
        "u is the separator at the length that gives every row its margin of 1. An update with loss"
        " ℓ and step τ takes at least d = τ(2ℓ − τ‖z‖²) off the squared distance: more where the"
        " row lies beyond that margin of u." + thinning_note(trace, drawn_updates(trace)),
        f"The squared distance of the weights from u over {trace.updates:,} updates,"
        f" {number(float(trace.table['to_target'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )


def spending_figure(trace: Trace) -> Figure:
    """m c <= sum of d <= |w_0 - u|^2, which bounds the mistakes m."""
    table, kept = trace.table, drawn_updates(trace)
    k = array(table["update"][kept])
    drops = array(table["drops"][kept])
    whole = float(table["drops"][-1] + table["to_target_cap"][-1])
    notes = hover_notes(trace, kept, "drops", "drops_floor", "mistakes")
    marks: list[Mark] = [
        ReferenceLine(whole, f"all there is, ‖w_0 − u‖²: {number(whole)}", "red", "dashed")
    ]
    marks += curve_marks(Line(k, drops, "this run, Σd", "blue", "solid", 3.0, notes))
    floor = array(table["drops_floor"][kept])
    marks += curve_marks(Line(k, floor, "at least m·c after m mistakes", "green", "dotted"))
    return Figure(
        "Why mistakes must end: there is only so much distance",
        "updates, k",
        "squared distance gone, at the least",
        marks,
        "A mistake costs the distance c or more, and no more can go than there was at the start:"
        f" that is enough for {bound_text(trace.bound or 0)} mistakes. This run made"
        f" {trace.mistakes:,}." + thinning_note(trace, kept),
        f"The sum of all d, {number(float(drops[-1]))} at the end, between m c and the distance at"
        " the start.",
        log_x=trace.updates > 1000,
    )


def length_figure(trace: Trace) -> Figure:
    """|w_k|^2 under its cap, the inequality that needs no separator."""
    run, cap = ("squared_norm", "this run, ‖w_k‖²"), ("norm_cap", "at most ‖w_0‖² + Στ(2 − ℓ)")
    return Figure(
        "How long the weights get",
        "updates, k",
        "squared length of the weights",
        curve_under_cap(trace, run, cap, "loss", "step"),
        "A step τ at a loss ℓ adds τ(2 − ℓ) at the most: losses above 2 make the weights shorter."
        " There is no separator to come nearer to, and no theorem that ends this run."
        + thinning_note(trace, drawn_updates(trace)),
        f"The squared length of the weights over {trace.updates:,} updates,"
        f" {number(float(trace.table['squared_norm'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )
