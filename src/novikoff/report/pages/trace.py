"""The page of `novikoff trace`: the inequalities of the proof at each update."""

from novikoff.report.charts import epochs
from novikoff.report.charts.trace import checks_table
from novikoff.report.charts.trace_list import figures_of
from novikoff.report.model import Figure, Page, PageQuestion, ReportAnswer, Section
from novikoff.theory.trace import Trace

STILL = "There was no update: the start made no mistake, and nothing moved."


def trace_page(trace: Trace, asked: PageQuestion, answer: ReportAnswer) -> Page:
    """The page of a trace (`nk.trace`)."""
    title = f"The proof as it ran: {trace.rule} on {asked.data}"
    if not trace.updates:
        return Page(title, asked, answer, [Section("The run", STILL, _epochs(trace))])
    pictures = [(each.heading, each.draw(trace)) for each in figures_of(trace)]
    sections = [Section(heading, "", picture) for heading, picture in pictures if picture]
    circle = f"T{str(trace.cycle)[1:]}." if trace.cycle is not None else ""
    sections.append(Section("Epoch by epoch", circle, _epochs(trace)))
    if trace.checks:
        sections.append(Section("What was checked", table=checks_table(trace)))
    return Page(title, asked, answer, sections)


def _epochs(trace: Trace) -> Figure:
    return epochs.mistakes_by_epoch(epochs.Epochs(trace.mistakes_per_epoch))
