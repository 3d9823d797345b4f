"""The figures of a trace, by its rule: those of a report, of which the lab shows some."""

from collections.abc import Callable
from typing import NamedTuple

from novikoff.report.charts import trace as charts
from novikoff.report.charts import trace_passive_aggressive as passive_aggressive
from novikoff.report.charts.proof_plane import proof_figure
from novikoff.report.model import Figure
from novikoff.theory.trace import Trace


class TraceFigure(NamedTuple):
    """A figure of a trace: its name, the heading above it, and how it is drawn."""

    name: str
    heading: str
    draw: Callable[[Trace], Figure | None]  # None: there is nothing to draw


PROOF = TraceFigure("proof", "The proof", proof_figure)
ENVELOPES = TraceFigure("envelopes", "The envelopes", charts.envelopes)
LENGTH = TraceFigure("length", "The length", passive_aggressive.length_figure)
DISTANCE = TraceFigure("distance", "The distance", passive_aggressive.distance_figure)
SPENT = TraceFigure("spent", "What there is to spend", passive_aggressive.spending_figure)
COSINE = TraceFigure("cosine", "The angle", charts.cosine)
CEILING = TraceFigure("ceiling", "The ceiling on the margin", charts.ceiling)
SLACK = TraceFigure("slack", "The inequalities", charts.slack)
TOTAL = TraceFigure("total", "The weights", charts.total_weight)
MOVES = TraceFigure("moves", "The moves", charts.promotions)


def figures_of(trace: Trace) -> list[TraceFigure]:
    """The figures of a trace that has updates, in order."""
    angle = [COSINE] if "cosine" in trace.table else []
    if trace.rule == "winnow":
        return [TOTAL, MOVES]
    if trace.rule != "passive-aggressive":
        return [PROOF, ENVELOPES, *angle, CEILING, SLACK]
    if "to_target" not in trace.table:
        return [LENGTH, CEILING]
    return [DISTANCE, SPENT, *angle, CEILING, SLACK]
