"""The page of `novikoff trace`: the inequalities of the proof at each update."""

from novikoff.report.charts import epochs, trace_passive_aggressive
from novikoff.report.charts import trace as trace_charts
from novikoff.report.model import Answer, Figure, Page, PageQuestion, Section
from novikoff.theory.trace import Trace

STILL = "There was no update: the start made no mistake, and nothing moved."


def trace_page(trace: Trace, asked: PageQuestion, answer: Answer) -> Page:
    """The page of a trace (`nk.trace`)."""
    title = f"The proof as it ran: {trace.rule} on {asked.data}"
    if not trace.updates:
        return Page(title, asked, answer, [Section("The run", STILL, _epochs(trace))])
    pictures = FIGURES.get(trace.rule, _perceptron_figures)(trace)
    sections = [Section(heading, "", picture) for heading, picture in pictures if picture]
    circle = f"T{str(trace.cycle)[1:]}." if trace.cycle is not None else ""
    sections.append(Section("Epoch by epoch", circle, _epochs(trace)))
    if trace.checks:
        sections.append(Section("What was checked", table=trace_charts.checks_table(trace)))
    return Page(title, asked, answer, sections)


def _perceptron_figures(trace: Trace) -> list[tuple[str, Figure | None]]:
    found: list[tuple[str, Figure | None]] = [("The envelopes", trace_charts.envelopes(trace))]
    if "cosine" in trace.table:
        found.append(("The angle", trace_charts.cosine(trace)))
    found.append(("The ceiling on the margin", trace_charts.ceiling(trace)))
    found.append(("The inequalities", trace_charts.slack(trace)))
    return found


def _passive_aggressive_figures(trace: Trace) -> list[tuple[str, Figure | None]]:
    ceiling = "The ceiling on the margin", trace_charts.ceiling(trace)
    if "to_target" not in trace.table:
        return [("The length", trace_passive_aggressive.length_figure(trace)), ceiling]
    return [
        ("The distance", trace_passive_aggressive.distance_figure(trace)),
        ("What there is to spend", trace_passive_aggressive.spending_figure(trace)),
        ("The angle", trace_charts.cosine(trace)),
        ceiling,
        ("The inequalities", trace_charts.slack(trace)),
    ]


def _winnow_figures(trace: Trace) -> list[tuple[str, Figure | None]]:
    return [
        ("The weights", trace_charts.total_weight(trace)),
        ("The moves", trace_charts.promotions(trace)),
    ]


FIGURES = {"passive-aggressive": _passive_aggressive_figures, "winnow": _winnow_figures}


def _epochs(trace: Trace) -> Figure:
    return epochs.mistakes_by_epoch(epochs.Epochs(trace.mistakes_per_epoch))
