"""The page of `novikoff check`: the data in the plane, the margins, and Cover's curve."""

from collections.abc import Sequence

import numpy as np

from novikoff.data.chunk import LabelArray
from novikoff.learning.learner import norm
from novikoff.number_text import count
from novikoff.report.charts import capacity
from novikoff.report.charts.conflict import conflict_figure, multiplier_text
from novikoff.report.charts.margins import closest_marked, margin_sections
from novikoff.report.charts.plane import MarkedRows, Separator, scatter_figure, separator_figure
from novikoff.report.model import Page, PageQuestion, ReportAnswer, ReportTable, Section
from novikoff.report.row_info import RowInfo
from novikoff.verdict.account.text import advice, methods_sentence
from novikoff.verdict.coefficients import Coefficient
from novikoff.verdict.result import INSEPARABLE, QUASI, SEPARABLE, UNDECIDED, Verdict
from novikoff.verdict.suspects import Suspect

LISTED, MOST_SUSPECTS = 20, 200  # rows of a conflict, and suspects
FEW = 8  # separated rows that are named
INFINITE = {"+": "to +∞", "-": "to -∞", "either": "to ±∞"}


def check_page(
    verdict: Verdict,
    asked: PageQuestion,
    answer: ReportAnswer,
    *,
    labels: LabelArray | None = None,
    rank: int | None = None,
    coefficients: list[Coefficient] | None = None,
    suspects: Sequence[Suspect] = (),
    model: bool = False,
) -> Page:
    """The page of a verdict.

    labels: the label of each row, as the data have it. rank: of the rows with their intercept,
    where it is known. coefficients: of an unpenalised fit, where they were asked for. suspects:
    rows whose labels may be wrong, likewise. model: whether the question is about the fit of a
    model, so that coefficients come before geometry.
    """
    examples = RowInfo.of(verdict.signed, labels)
    with np.errstate(all="ignore"):  # what no double holds is not drawn
        sections = _sections(verdict, examples)
        if suspects:
            sections.append(_suspects(suspects, examples))
    about_fit = _fit_sections(verdict, coefficients) if coefficients else []
    sections = about_fit + sections if model else sections + about_fit
    if verdict.signed.family == "binary":
        sections.append(_cover(verdict, rank))
    return Page(f"Is {asked.data} separable?", asked, answer, sections)


def _sections(verdict: Verdict, examples: RowInfo) -> list[Section]:
    sections = [_plane(verdict, examples)]
    if verdict.weights is not None:
        sections += _margins(verdict, examples, separator_of(verdict))
    if verdict.conflict:
        sections.append(Section("The conflict", table=_conflict(verdict, examples)))
    return sections


def _suspects(suspects: Sequence[Suspect], examples: RowInfo) -> Section:
    """The rows whose labels the others contradict most, for whoever knows the labels."""
    rows = MarkedRows(np.array([each.row for each in suspects], np.int64), "suspects")
    lines = [
        [*examples.cells(each.row, str(each.suggestion)), each.reason]
        for each in suspects[:MOST_SUSPECTS]
    ]
    caption = "The worst first. A ranking proves nothing: look before you change a label."
    if len(suspects) > len(lines):
        caption += f" {len(suspects) - len(lines):,} more are in --json."
    table = ReportTable([*examples.column_names("suggested label"), "reason"], lines, caption)
    return Section("Suspects", picture=scatter_figure(examples, rows, ""), table=table)


def _fit_sections(verdict: Verdict, coefficients: list[Coefficient]) -> list[Section]:
    """The coefficients, the rows that are separated, and what to write of them."""
    kind = "Poisson" if verdict.signed.family == "poisson" else "logistic"
    text = f"What becomes of each coefficient of a {kind} regression without a penalty."
    sections = [Section("Coefficients", text, table=_coefficients_table(coefficients))]
    if verdict.outcome in (SEPARABLE, QUASI):
        sections.append(_separated(verdict))
    if verdict.outcome != UNDECIDED:
        sections.append(Section("For the methods section", methods_sentence(verdict)))
    return sections


def _separated(verdict: Verdict) -> Section:
    """What separates rows, and what to do about it."""
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    text = f"{count(strict, 'row')} of {verdict.rows:,}. {advice(verdict)}"
    found = verdict.explanations[:LISTED]
    if not found:
        return Section("Separated rows", text)
    lines = [[each.text, f"{len(each.rows):,}", _rows_text(each.rows)] for each in found]
    caption = "Single columns and levels that separate by themselves, then pairs."
    return Section(
        "Separated rows", text, table=ReportTable(["", "how many", "rows"], lines, caption)
    )


def _rows_text(rows: tuple[int, ...]) -> str:
    """The first few of some rows."""
    more = f", and {len(rows) - FEW:,} more" if len(rows) > FEW else ""
    return ", ".join(str(row) for row in rows[:FEW]) + more


def separator_of(verdict: Verdict) -> Separator:
    """The verdict's hyperplane, and the margin of each row as the learner sees it."""
    signed = verdict.signed
    weights = np.asarray(verdict.weights, np.float64)
    intercept = float(verdict.intercept or 0.0)
    lifted = np.append(weights, intercept) if signed.bias else weights
    size = norm(lifted)
    margins = signed.scan.scores(lifted / size)
    if signed.unit_length:
        lengths = np.sqrt(signed.scan.squares)
        margins = np.divide(margins, lengths, out=np.zeros_like(margins), where=lengths > 0.0)
    if verdict.strict is not None:
        margins[~verdict.strict] = 0.0  # proven; what rounding says of them is nothing
    gamma = verdict.margin.lower if verdict.outcome == SEPARABLE else None
    unit = weights / size, intercept / size
    return Separator(*unit, margins, gamma or None, signed.bias, signed.unit_length)


def _plane(verdict: Verdict, examples: RowInfo) -> Section:
    heading = "The data in the plane"
    if verdict.outcome == INSEPARABLE and verdict.conflict:
        picture = conflict_figure(examples, verdict.conflict, verdict.signed.bias)
        return Section(heading, picture=picture)
    if verdict.weights is None:
        return Section(heading, picture=scatter_figure(examples))
    separator = separator_of(verdict)
    if verdict.outcome == QUASI:
        rows = np.array([row for row, _ in verdict.conflict], np.int64)
        marked = MarkedRows(rows, "in the conflict")
        text = (
            "Hollow marks are rows that every such hyperplane contains: they cannot be strictly on"
            " their correct side, whichever you choose. Filled marks are strictly on theirs."
        )
        picture = separator_figure(examples, separator, marked, verdict.strict)
        return Section(heading, text, picture)
    return Section(
        heading, picture=separator_figure(examples, separator, _support(verdict, separator))
    )


def _support(verdict: Verdict, separator: Separator) -> MarkedRows:
    """The rows that determine the margin: those of the proof, if that is exact."""
    if verdict.margin.squared is not None and verdict.certificate is not None:
        rows = [row for row, _ in verdict.certificate.support]
        return MarkedRows(np.array(rows, np.int64), "support: these rows decide the margin")
    return closest_marked(separator.margins)


def _margins(verdict: Verdict, examples: RowInfo, separator: Separator) -> list[Section]:
    rule = None if separator.gamma is None else "the margin γ, the largest there is"
    if verdict.margin.squared is None and rule is not None:
        rule = "the margin γ is here, or just above"
    text = ""
    if verdict.outcome == QUASI:
        text = "Rows with a margin of 0 are on the hyperplane, whichever one you choose."
    return margin_sections(examples, separator, rule, text)


def _conflict(verdict: Verdict, examples: RowInfo) -> ReportTable:
    shown = verdict.conflict[:LISTED]
    more = len(verdict.conflict) - len(shown)
    caption = (
        "With these multipliers, and with the sign of its label each, these rows sum to exactly 0,"
        " the intercept's coordinate included: no hyperplane has them all on their correct sides."
        if verdict.signed.bias
        else "With these multipliers, and with the sign of its label each, these rows sum to"
        " exactly 0."
    )
    if more:
        caption += f" {more:,} more are in --json."
    lines = [
        [str(k + 1), *examples.cells(row, multiplier_text(share))]
        for k, (row, share) in enumerate(shown)
    ]
    return ReportTable(["", *examples.column_names("multiplier")], lines, caption)


def _coefficients_table(coefficients: list[Coefficient]) -> ReportTable:
    groups: dict[str, list[str]] = {}
    for each in coefficients:
        fate = INFINITE[each.sign] if each.sign is not None else each.status
        groups.setdefault(fate, []).append(each.name)
    lines = [[fate, f"{len(names):,}", ", ".join(names)] for fate, names in groups.items()]
    caption = (
        "A coefficient that goes to infinity has no estimate: it grows for as long as a fit runs."
        if len(groups) > 1 or "finite" not in groups
        else "Every coefficient has an estimate."
    )
    return ReportTable(["estimate", "how many", "coefficients"], lines, caption)


def _cover(verdict: Verdict, rank: int | None) -> Section:
    """The data set's place on Cover's curve; what depends on others is no dimension of its own."""
    N = verdict.signed.dim if rank is None else rank
    if verdict.rows <= N and verdict.every_labelling is False:
        N = verdict.rows - 1
    heading = "Would any labelling have separated?"
    separable = None if verdict.outcome == UNDECIDED else verdict.outcome == SEPARABLE
    picture = capacity.data_on_curve(verdict.rows, N, separable)
    if picture is None:
        return Section(heading, capacity.capacity_text(verdict.rows, N, separable))
    picture = picture._replace(title="Where these data are on Cover's curve")
    return Section(heading, _dimensions_text(verdict, N), picture)


def _dimensions_text(verdict: Verdict, N: int) -> str:
    lift = " and the intercept" if verdict.signed.bias else ""
    if verdict.signed.dim == N:
        return f"N = {N:,} counts the features{lift}; P = {verdict.rows:,} the rows."
    return (
        f"N = {N:,} is the most dimensions that the rows span, for columns or rows depend on each"
        f" other; P = {verdict.rows:,} counts the rows."
    )
