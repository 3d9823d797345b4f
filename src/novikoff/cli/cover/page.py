"""The page of `cover`."""

from novikoff import report
from novikoff.cli.cover.result import CoverResult
from novikoff.cli.shared.report_options import question
from novikoff.cover_count import readable_count
from novikoff.report.charts.capacity import trials_text


def cover_page(found: CoverResult, account: str) -> report.Page:
    """Make the page of `cover`; account: its text."""
    place, names = found.place, []
    sentence = trials_text(found.capacity) if found.capacity else ""
    facts, figures = [], []
    P = N = None
    if place is not None:
        P, N = place.P, place.dimensions
        lift = ", including the threshold" if place.threshold else ""
        names.append(f"P = {P:,}, N = {N:,}" if found.data is None else found.data.name)
        facts = [("points", f"P = {P:,}"), ("dimensions", f"N = {N:,}{lift}")]
        most = ""
        if found.data is not None:
            general = None if found.position is None else found.position.holds
            most = {True: "exactly ", False: "fewer than ", None: "at most "}[general]
        count = place.magnitude.text
        figures = [("realised", f"{most}C(P, N) = {count} of 2^{P:,} labellings")]
        sentence = place.regime.sentence
    if found.capacity:
        names.append("random labellings")
    if found.dichotomies is not None:
        count = readable_count(found.dichotomies)
        figures.append(("of these rows", f"{count} labellings are realised"))
    about = question(" and ".join(names), facts)
    answer = report.ReportAnswer(sentence, figures, account)
    return report.cover_page(about, answer, P=P, N=N, capacities=found.capacity)
