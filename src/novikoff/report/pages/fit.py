"""The page of `novikoff fit`: mistakes against their bound, the margins, and the plane."""

from typing import NamedTuple

import numpy as np

from novikoff.data.chunk import LabelArray
from novikoff.data.matrices import Classes, Codes
from novikoff.data.sparse import Matrix
from novikoff.learning.epochs import Outcome
from novikoff.learning.learner import Learner, norm
from novikoff.learning.rows import Rows
from novikoff.learning.rules import Voted
from novikoff.report.charts import epochs as epoch_charts
from novikoff.report.charts.margins import closest_marked, margin_sections
from novikoff.report.charts.plane import Separator, separator_figure
from novikoff.report.model import Indices, Page, PageQuestion, ReportAnswer, Section
from novikoff.report.pages.fit_bound import features_as_seen, run_bound
from novikoff.report.row_info import RowInfo, side_names


class FitRun(NamedTuple):
    """A run of `fit` and its data. `rows` are the learner's view of `matrix`."""

    rule: str
    learner: Learner
    outcome: Outcome
    classes: Classes
    codes: Codes
    rows: Rows
    matrix: Matrix
    labels: LabelArray | None
    lines: Indices | None
    names: list[str] | None
    bound: float | None  # on mistakes, from the margin found
    margin: float | None  # found
    ceilings: list[float]  # after each epoch; empty where none is known


def fit_page(run: FitRun, asked: PageQuestion, answer: ReportAnswer) -> Page:
    """The page of a run of `fit`."""
    known = run_bound(run)
    counts = run.outcome.mistakes_per_epoch
    epochs = epoch_charts.Epochs(counts, known.bound, run.ceilings, run.margin)
    sections = [
        Section("Mistakes", _why_no_plane(run), epoch_charts.mistakes_so_far(epochs, known.about)),
        Section("Epoch by epoch", picture=epoch_charts.mistakes_by_epoch(epochs)),
    ]
    ceiling = epoch_charts.ceiling_by_epoch(epochs, several=len(run.learner.states) > 1)
    if ceiling is not None:
        sections.append(Section("The ceiling on the margin", picture=ceiling))
    with np.errstate(all="ignore"):  # what no double holds is not drawn
        sections += _hyperplane(run)
    return Page(f"Learning {asked.data} with the rule {run.rule}", asked, answer, sections)


def _hyperplane(run: FitRun) -> list[Section]:
    """The sections about the separator, where there is one."""
    if _why_no_plane(run):
        return []
    examples, separator = row_info_of(run), separator_of(run)
    picture = separator_figure(examples, separator, closest_marked(separator.margins))
    rule = None if separator.gamma is None else "the margin of the separator found"
    margins = margin_sections(examples, separator, rule)
    return [Section("The data in the plane", picture=picture), *margins]


def _why_no_plane(run: FitRun) -> str:
    """The reason why no separator is drawn, where none is."""
    if len(run.learner.states) > 1:
        return (
            f"There are {len(run.classes):,} classes, each with a hyperplane of its own that tells"
            " it from the rest. The mistakes are those of all of them."
        )
    if run.learner.joint:
        return (
            f"Each of the {len(run.classes):,} classes has a score of its own, and the highest"
            " wins: no single line or margin stands for all of them."
        )
    if isinstance(run.learner.rule, Voted):
        return (
            "This rule predicts by the votes of many hyperplanes: no single line or margin stands"
            " for all of them."
        )
    if not run.learner.linear()[0].any():
        return "All weights are 0: there is no hyperplane to draw."
    return ""


def row_info_of(run: FitRun) -> RowInfo:
    """The rows, with class 1 as the positive side."""
    signs = np.where(run.codes == 1, 1, -1).astype(np.int8)
    sides = ("no row", "positive") if run.labels is None else side_names(*run.classes.tolist())
    matrix = features_as_seen(run.matrix, run.learner.rule)
    return RowInfo(matrix, signs, run.labels, sides, run.lines, run.names)


def separator_of(run: FitRun) -> Separator:
    """The learned hyperplane, and the margin of each row: label * answer / |w|."""
    weights, intercepts = run.learner.linear()
    plain, intercept = weights[0], float(intercepts[0])
    vector = np.append(plain, intercept) if run.learner.bias else plain
    size = norm(vector)
    answers = run.learner.answers(run.rows)[:, 0] / size
    margins = np.where(run.codes == 1, answers, -answers)
    lowest = float(margins.min())
    gamma = lowest if lowest > 0.0 else None
    unit = plain / size, intercept / size
    return Separator(*unit, margins, gamma, run.learner.bias, run.learner.unit_length)
