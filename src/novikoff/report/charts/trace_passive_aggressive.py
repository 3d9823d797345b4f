"""Figures of passive-aggressive learning: the distance to u, and how mistakes use it up.

u = w*/a has z . u >= 1 for every row, and an update lowers |w - u|^2 by at least
d = tau (2 l - tau |z|^2): see `theory.trace.theorems.passive_aggressive`.
"""

from novikoff.report.charts.epochs import bound_text
from novikoff.report.charts.trace import UpdateCurves
from novikoff.report.model import Figure, ReferenceLine, number
from novikoff.theory.trace import Trace


def distance_figure(trace: Trace) -> Figure:
    """|w_k - u|^2 under its cap, |w_0 - u|^2 less the sum of all d."""
    curves = UpdateCurves(trace)
    run, cap = ("to_target", "this run, ‖wₖ − u‖²"), ("to_target_cap", "at most ‖w₀ − u‖² − Σd")
    return curves.figure(
        "Every update brings the weights nearer",
        "squared distance from u",
        [
            ReferenceLine(0.0, "0: no square is below", "ink", "dotted"),
            *curves.run_under_cap(run, cap, "loss", "step"),
        ],
        "u is the separator at the length that gives every row its margin of 1. An update with loss"
        " ℓ and step τ takes at least d = τ(2ℓ − τ‖z‖²) off the squared distance: more where the"
        " row lies beyond that margin of u.",
        f"The squared distance of the weights from u over {trace.updates:,} updates,"
        f" {number(float(trace.table['to_target'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )


def spending_figure(trace: Trace) -> Figure:
    """m c <= sum of d <= |w_0 - u|^2, which bounds the mistakes m."""
    curves, drops = UpdateCurves(trace), float(trace.table["drops"][-1])
    whole = drops + float(trace.table["to_target_cap"][-1])
    return curves.figure(
        "Why mistakes must end: there is only so much distance",
        "squared distance gone, at the least",
        [
            ReferenceLine(whole, f"all there is, ‖w₀ − u‖²: {number(whole)}", "red", "dashed"),
            *curves.run_line("drops", "this run, Σd", "drops_floor", "mistakes"),
            *curves.line("drops_floor", "at least m·c after m mistakes", "green", "dotted"),
        ],
        "A mistake costs the distance c or more, and no more can go than there was at the start:"
        f" that is enough for {bound_text(trace.bound or 0)} mistakes. This run made"
        f" {trace.mistakes:,}.",
        f"The sum of all d, {number(drops)} at the end, between m c and the distance at the start.",
        log_x=trace.updates > 1000,
    )


def length_figure(trace: Trace) -> Figure:
    """|w_k|^2 under its cap, the inequality that needs no separator."""
    curves = UpdateCurves(trace)
    run, cap = ("squared_norm", "this run, ‖wₖ‖²"), ("norm_cap", "at most ‖w₀‖² + Στ(2 − ℓ)")
    return curves.figure(
        "How long the weights get",
        "squared length of the weights",
        curves.run_under_cap(run, cap, "loss", "step"),
        "A step τ at a loss ℓ adds at most τ(2 − ℓ): losses above 2 make the weights shorter."
        " There is no separator to come nearer to, and no theorem that ends this run.",
        f"The squared length of the weights over {trace.updates:,} updates,"
        f" {number(float(trace.table['squared_norm'][-1]))} at the end, under its cap.",
        log_x=trace.updates > 1000,
    )
