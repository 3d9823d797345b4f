"""The page of `novikoff trace`: the proof as it ran."""

from typing import Any

from novikoff.report import aggression, learning, proof
from novikoff.report.picture import Answer, Asked, Page, Picture, Section

STILL = "There was no update: the start made no mistake, and nothing moved."


def trace_page(trace: Any, asked: Asked, answer: Answer) -> Page:
    """A trace (`nk.trace`) for people who would rather look."""
    title = f"The proof as it ran: {trace.rule} on {asked.data}"
    if not trace.updates:
        return Page(title, asked, answer, [Section("The run", STILL, _epochs(trace))])
    pictures = STORIES.get(trace.rule, _of_perceptron)(trace)
    sections = [Section(heading, "", picture) for heading, picture in pictures if picture]
    circle = f"T{str(trace.cycle)[1:]}." if trace.cycle is not None else ""
    sections.append(Section("Epoch by epoch", circle, _epochs(trace)))
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


def _of_aggression(trace: Any) -> list[tuple[str, Picture | None]]:
    ceiling = "The ceiling on the margin", proof.ceiling(trace)
    if "to_target" not in trace.table:
        return [("The length", aggression.lengths(trace)), ceiling]
    return [
        ("The distance", aggression.closing_in(trace)),
        ("What there is to spend", aggression.spending(trace)),
        ("The angle", proof.cosine(trace)),
        ceiling,
        ("The inequalities", proof.slack(trace)),
    ]


def _of_winnow(trace: Any) -> list[tuple[str, Picture | None]]:
    return [
        ("The weights", proof.total_weight(trace)),
        ("The moves", proof.promotions(trace)),
    ]


STORIES = {"passive-aggressive": _of_aggression, "winnow": _of_winnow}


def _epochs(trace: Any) -> Picture:
    return learning.each_epoch(learning.Epochs(trace.mistakes_per_epoch))
