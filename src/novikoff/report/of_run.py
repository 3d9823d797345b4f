"""The page of `novikoff fit`: mistakes against their bound, the margins, and the plane."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.epochs import Outcome
from novikoff.learn import Learner, norm
from novikoff.report import learning
from novikoff.report.examples import Examples, two_sides
from novikoff.report.margins import closest, histogram, least, title_of_closest
from novikoff.report.picture import Answer, Asked, Page, Section
from novikoff.report.planes import Separator, separated
from novikoff.report.theorems import allowed, as_seen
from novikoff.rules import Voted


class Run(NamedTuple):
    """What `fit` did, and on what. `rows` are the learner's own, `matrix` the data behind them."""

    rule: str
    learner: Learner
    outcome: Outcome
    classes: Any
    codes: Any
    rows: Any
    matrix: Any
    labels: Any
    lines: Any
    names: list[str] | None
    bound: float | None  # on mistakes, from the margin found
    margin: float | None  # found
    ceilings: list[float]  # after each epoch; empty where none is known


def fit_page(run: Run, asked: Asked, answer: Answer) -> Page:
    """A run for people who would rather look."""
    known = allowed(run)
    counts = run.outcome.mistakes_per_epoch
    epochs = learning.Epochs(counts, known.bound, run.ceilings, run.margin)
    sections = [
        Section("Mistakes", _no_plane(run), learning.so_far(epochs, known.about)),
        Section("Epoch by epoch", picture=learning.each_epoch(epochs)),
    ]
    ceiling = learning.ceiling(epochs, several=len(run.learner.states) > 1)
    if ceiling is not None:
        sections.append(Section("The ceiling on the margin", picture=ceiling))
    with np.errstate(all="ignore"):  # what no double holds is not drawn
        sections += _hyperplane(run)
    return Page(f"Learning {asked.data} with the rule {run.rule}", asked, answer, sections)


def _hyperplane(run: Run) -> list[Section]:
    """The separator in pictures, where there is one."""
    if _no_plane(run):
        return []
    examples, separator = examples_of(run), separator_of(run)
    margins = separator.margins
    rule = None if separator.gamma is None else "the margin of the separator found"
    return [
        Section("The data in the plane", picture=separated(examples, separator, least(margins))),
        Section("Margins", picture=histogram(separator, rule)),
        Section(title_of_closest(margins), table=closest(examples, margins)),
    ]


def _no_plane(run: Run) -> str:
    """Why there is no picture of a separator, where there is none."""
    if len(run.learner.states) > 1:
        return (
            f"There are {len(run.classes):,} classes, each with a hyperplane of its own that tells"
            " it from the rest. The mistakes are those of all of them."
        )
    if isinstance(run.learner.rule, Voted):
        return (
            "This rule predicts by the votes of many hyperplanes: no single line or margin stands"
            " for all of them."
        )
    if not run.learner.linear()[0].any():
        return "All weights are 0: there is no hyperplane to draw."
    return ""


def examples_of(run: Run) -> Examples:
    """The rows, with class 1 as the positive side."""
    signs = np.where(run.codes == 1, 1, -1).astype(np.int8)
    sides = ("no row", "positive") if run.labels is None else two_sides(*run.classes.tolist())
    matrix = as_seen(run.matrix, run.learner.rule)
    return Examples(matrix, signs, run.labels, sides, run.lines, run.names)


def separator_of(run: Run) -> Separator:
    """What was learned, and the margin of each row: label * answer / |w|."""
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
