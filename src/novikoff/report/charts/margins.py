"""The margins of rows: a histogram, and a table of the closest rows."""

import math

import numpy as np

from novikoff.number_text import count
from novikoff.report.charts.plane import MarkedRows, Separator
from novikoff.report.model import (
    Bars,
    Figure,
    Indices,
    Mark,
    Numbers,
    ReferenceLine,
    ReportTable,
    Section,
    array,
    number,
    round_step,
)
from novikoff.report.row_info import RowInfo

BINS = 40  # at the most
LISTED = 10
RINGED = 5  # rows marked in the plane
TINY = 1e-300


def histogram(separator: Separator, rule: str | None) -> Figure:
    """The histogram of all margins; no bar mixes rows of the right and of the wrong side.

    rule: the name of a line at the margin gamma; without a name, none is drawn.
    """
    margins = separator.margins
    edges = bin_edges(float(margins.min()), float(margins.max()))
    counts = bin_counts(margins, edges)
    wrong = edges[1:] <= 0.0
    marks: list[Mark] = []
    for chosen, name, colour in (
        (~wrong, "on the right side", "blue"),
        (wrong, "on the wrong side", "red"),
    ):
        here = np.flatnonzero(chosen & (counts > 0))
        if len(here):
            notes = [
                f"{count(counts[k], 'row')} from {number(edges[k])} to {number(edges[k + 1])}"
                for k in here
            ]
            sides = edges[here], edges[here + 1], array(counts[here])
            marks.append(Bars(*sides, name, colour, colour == "red", notes))
    if rule is not None and separator.gamma is not None:
        marks.append(ReferenceLine(separator.gamma, rule, "ink", "dashed", upright=True))
    marks.append(ReferenceLine(0.0, "the hyperplane", "ink", "solid", upright=True))
    return Figure(
        "How far the rows are from the hyperplane",
        f"margin, ±{separator.formula}, positive on the right side",
        "rows",
        marks,
        _caption(margins, float(edges[1] - edges[0])),
        f"Histogram of the margins of {len(margins):,} rows, from {number(margins.min())} to"
        f" {number(margins.max())}.",
        whole_y=True,
    )


def _caption(margins: Numbers, width: float) -> str:
    on, wrong = int((margins == 0.0).sum()), int((margins < 0.0).sum())
    words = [f"Every row is in one bar; a bar is {number(width)} wide."]
    if wrong:
        words.append(f"{_rows(wrong)} on the wrong side (hatched).")
    if on:
        words.append(f"{_rows(on)} exactly on the hyperplane, and in the first bar from 0 on.")
    return " ".join(words)


def _rows(count: int) -> str:
    return "1 row is" if count == 1 else f"{count:,} rows are"


def bin_edges(low: float, high: float) -> Numbers:
    """Edges of bars of one round width, 0 among them: a bar is [edge, next edge)."""
    low, high = min(low, 0.0), max(high, 0.0)
    if not high > low:
        return array([0.0, 1.0])
    rough = (high - low) / BINS
    if rough < TINY:
        return array(sorted({low, 0.0, high, math.nextafter(high, math.inf)}))
    width = round_step(rough)
    first, last = math.floor(low / width), math.floor(high / width) + 1
    first = min(first, -1) if low < 0.0 else first  # where the quotient is too small for a double
    return array([k * width for k in range(first, last + 1)])


def bin_counts(margins: Numbers, edges: Numbers) -> Indices:
    """The number of margins in each bar; they add up to all of them."""
    places = np.searchsorted(edges, margins, side="right") - 1
    return np.bincount(places.clip(0, len(edges) - 2), minlength=len(edges) - 1)


def closest_rows(margins: Numbers, many: int) -> Indices:
    """The rows with the smallest margins, in ascending order."""
    many = min(many, len(margins))
    found = np.argpartition(margins, many - 1)[:many]
    return found[np.lexsort((found, margins[found]))]


def closest_marked(margins: Numbers) -> MarkedRows:
    """The first rows of `closest_table`, to be marked in the plane."""
    rows = closest_rows(margins, RINGED)
    wrong = "with the smallest margins" if margins[rows[0]] < 0.0 else "nearest to the hyperplane"
    return MarkedRows(rows, f"the {len(rows)} rows {wrong}")


def margin_sections(
    examples: RowInfo, separator: Separator, rule: str | None, text: str = ""
) -> list[Section]:
    """The sections of a page about all margins, and about the smallest ones. rule, text: of the
    histogram.
    """
    margins = separator.margins
    wrong = margins.min() < 0.0
    title = "The rows farthest on the wrong side" if wrong else "The closest rows"
    return [
        Section("Margins", text, picture=histogram(separator, rule)),
        Section(title, table=closest_table(examples, margins)),
    ]


def closest_table(examples: RowInfo, margins: Numbers, listed: int = LISTED) -> ReportTable:
    """A table of the rows with the smallest margins, in ascending order."""
    rows = closest_rows(margins, listed)
    lines = [examples.cells(int(i), number(float(margins[i]))) for i in rows]
    caption = f"The {len(rows)} rows with the smallest margins, of {len(margins):,}."
    return ReportTable(examples.column_names("margin"), lines, caption)
