"""The page of `novikoff cover`: how many labellings are separable, counted and tried."""

from collections.abc import Sequence

from novikoff.report.charts import capacity
from novikoff.report.model import Page, PageQuestion, ReportAnswer, ReportTable, Section
from novikoff.theory.cover.capacity import Capacity

BESIDE = (5, 20, 100)  # dimensions that are drawn for comparison


def cover_page(
    asked: PageQuestion,
    answer: ReportAnswer,
    *,
    P: int | None = None,
    N: int | None = None,
    capacities: Sequence[Capacity] = (),
) -> Page:
    """The page of Cover's count.

    P, N: points and dimensions asked about (a threshold counts as one of these). capacities: from
    `nk.cover.capacity_curve`, for one N or several.
    """
    sections = []
    if P is not None and N is not None:
        sections.append(_place(P, N))
    if capacities:
        sections.append(Section("Tried out", picture=capacity.trials_figure(capacities)))
        sections.append(Section("The figures", table=_figures(capacities)))
    return Page("How many labellings can a hyperplane realise?", asked, answer, sections)


def _place(P: int, N: int) -> Section:
    heading = "Cover's curve"
    if N == 0:
        return Section(heading, "With no dimension every score is 0, and no labelling is realised.")
    text = capacity.capacity_text(P, N)
    if capacity.WIDEST < N:
        return Section(heading, text)
    beside = [each for each in BESIDE if each != N]
    here = capacity.CapacityPoint(P, N, "asked about")
    return Section(heading, text, capacity.cover_curves([N, *beside], here))


def _figures(capacities: Sequence[Capacity]) -> ReportTable:
    lines = [
        [
            f"{each.N:,}",
            f"{each.P:,}",
            f"{each.ratio:.3g}",
            f"{each.separable:,} of {each.trials:,}",
            f"{each.lower:.3f} to {each.upper:.3f}",
            f"{each.cover:.4g}",
        ]
        for each in capacities
    ]
    columns = ["N", "P", "P / N", "separable", "95 % confidence", "Cover's share"]
    return ReportTable(columns, lines, "Every labelling was decided exactly.")
