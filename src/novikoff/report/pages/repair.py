"""The page of `novikoff repair`: the data before and after, and the rows to relabel as a table."""

import numpy as np

from novikoff.data.chunk import LabelArray
from novikoff.learning.learner import norm
from novikoff.report.charts.plane import NOTHING_MARKED, MarkedRows, Separator, separator_figure
from novikoff.report.model import Page, PageQuestion, ReportAnswer, ReportTable, Section
from novikoff.report.row_info import RowInfo
from novikoff.verdict.repair import Repair

LISTED = 200  # rows of the table


def repair_page(
    found: Repair, asked: PageQuestion, answer: ReportAnswer, *, labels: LabelArray | None = None
) -> Page:
    """The page of a repair; labels: of each row, as the data have it."""
    with np.errstate(all="ignore"):  # what no double holds is not drawn
        sections = _sections(found, labels)
    return Page(f"Which labels of {asked.data} are wrong?", asked, answer, sections)


def _sections(found: Repair, labels: LabelArray | None) -> list[Section]:
    examples = RowInfo.of(found.signed, labels)
    marked = MarkedRows(np.array(found.rows, np.int64), "to relabel")
    text = "The hyperplane has the marked rows on its wrong side, and all others on their own."
    sections = [
        Section("Before", text, separator_figure(examples, _separator(found), marked)),
    ]
    kept = np.ones(found.signed.count, np.bool_)
    kept[found.rows] = False
    if found.rows and kept.any():
        rest = found.signed.subset(np.flatnonzero(kept))
        after = RowInfo.of(rest, None if labels is None else labels[kept])
        picture = separator_figure(after, _separator(found, np.flatnonzero(kept)), NOTHING_MARKED)
        sections.append(Section("After, without them", picture=picture))
        sections.append(Section("Rows to look at", table=_table(found, examples)))
    return sections


def _separator(found: Repair, rows: np.ndarray | None = None) -> Separator:
    signed = found.signed if rows is None else found.signed.subset(rows)
    lifted = np.append(found.weights, found.intercept) if signed.bias else found.weights
    size = norm(lifted) or 1.0
    margins = signed.scan.scores(lifted / size)
    gamma = None if rows is None or found.margin is None else found.margin.lower
    unit = found.weights / size, found.intercept / size
    return Separator(*unit, margins, gamma, signed.bias, False)


def _table(found: Repair, examples: RowInfo) -> ReportTable:
    pairs = list(zip(found.rows, found.labels, strict=True))
    lines = [
        examples.cells(row, "another" if label is None else str(label))
        for row, label in pairs[:LISTED]
    ]
    caption = "The fewest rows need not be the wrong ones: look before you change a label."
    if len(pairs) > LISTED:
        caption += f" {len(pairs) - LISTED:,} more are in --json and --output."
    return ReportTable(examples.column_names("suggested label"), lines, caption)
