"""The page of `trace`."""

from novikoff import report
from novikoff.cli.shared.report_options import question, sizes
from novikoff.cli.shared.text import Fact
from novikoff.cli.trace.text import ending, target
from novikoff.data import Source
from novikoff.theory.trace import Trace


def trace_page(found: Trace, source: Source, account: str) -> report.Page:
    """Make the page of `trace`; account: its text."""
    lift = "yes" if found.bias else "no"
    facts = [("rule", found.rule), ("intercept", lift), *_steps(found)]
    about = question(source.name, [*sizes(found.rows, found.features), *facts])
    against = target(found).removeprefix("target: ")
    figures = [("held against", against), ("it ended because", found.because)]
    answer = report.ReportAnswer(f"{found.rule}: {ending(found)}.", figures, account)
    return report.trace_page(found, about, answer)


def _steps(found: Trace) -> list[Fact]:
    facts = [] if found.eta is None else [("step", f"{found.eta:g}")]
    if found.unit_length:
        facts.append(("scaled", "rows to length 1"))
    return facts
