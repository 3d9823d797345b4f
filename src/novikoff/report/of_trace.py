"""The page of `novikoff trace`: the proof as it ran."""

from typing import Any

from novikoff.report import learning, proof
from novikoff.report.picture import Answer, Asked, Page, Picture, Section

STILL = "There was no update: the start made no mistake, and nothing moved."


def trace_page(trace: Any, asked: Asked, answer: Answer) -> Page:
    """A trace (`nk.trace`) for people who would rather look."""
    title = f"The proof as it ran: {trace.rule} on {asked.data}"
    if not trace.updates:
        return Page(title, asked, answer, [Section("The run", STILL, _epochs(trace))])
    pictures = _of_winnow(trace) if "total_weight" in trace.table else _of_perceptron(trace)
    sections = [Section(heading, "", picture) for heading, picture in pictures if picture]
    sections.append(Section("Epoch by epoch", "", _epochs(trace)))
    if trace.checks:
        sections.append(Section("What was checked", table=proof.checked(trace)))
    return Page(title, asked, answer, sections)


def _of_perceptron(trace: Any) -> list[tuple[str, Picture | None]]:
    found: list[tuple[str, Picture | None]] = [("The envelopes", proof.envelopes(trace))]
    if "cosine" in trace.table:
        found.append(("The angle", proof.cosine(trace)))
    found.append(("The ceiling on the margin", proof.ceiling(trace)))
    found.append(("The inequalities", proof.slack(trace)))
    return found


def _of_winnow(trace: Any) -> list[tuple[str, Picture | None]]:
    return [
        ("The weights", proof.total_weight(trace)),
        ("The moves", proof.promotions(trace)),
    ]


def _epochs(trace: Any) -> Picture:
    return learning.each_epoch(learning.Epochs(trace.mistakes_per_epoch))
