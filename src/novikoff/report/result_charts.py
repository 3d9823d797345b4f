"""The chart of a result, for `.plot()`: drawn by Bokeh in a notebook, by Matplotlib elsewhere."""

import sys
from functools import singledispatch
from typing import cast

import numpy as np
import numpy.typing as npt

from novikoff.data.user_types import RowsLike
from novikoff.errors import ParameterError
from novikoff.learning.estimators.base import BaseLearner, Classifier
from novikoff.learning.learner import norm
from novikoff.report.charts import epochs
from novikoff.report.charts.bounds import bounds_figure, increment_figure
from novikoff.report.charts.capacity import trials_figure
from novikoff.report.charts.margins import closest_marked
from novikoff.report.charts.plane import Separator, separator_figure
from novikoff.report.charts.trace_list import figures_of
from novikoff.report.model import Figure, Page, PageQuestion, ReportAnswer, array
from novikoff.report.pages.check import check_page
from novikoff.report.pages.repair import repair_page
from novikoff.report.render.chart import Chart
from novikoff.report.row_info import RowInfo
from novikoff.theory.bounds.evaluate import Bounds
from novikoff.theory.bounds.hypotheses import Bound
from novikoff.theory.bounds.increment import FixedIncrement
from novikoff.theory.bounds.user_input import signed_rows
from novikoff.theory.cover.capacity import Capacity, CapacityCurve
from novikoff.theory.trace import Trace
from novikoff.verdict.repair import Repair
from novikoff.verdict.result import Verdict

BACKENDS = ("bokeh", "matplotlib")


def plot(result: object, backend: str | None, **options: object) -> object:
    """The chart of a result: a `Chart` that a notebook shows, or a Matplotlib figure.

    backend: "bokeh" or "matplotlib"; without it, Bokeh in a notebook and Matplotlib elsewhere.
    """
    if backend not in (None, *BACKENDS):
        raise ParameterError(f"backend must be 'bokeh' or 'matplotlib', not {backend!r}")
    with np.errstate(all="ignore"):  # what no double holds is not drawn
        picture = figure_of(result, **options)
    chosen = backend or ("bokeh" if in_notebook() else "matplotlib")
    chart = Chart(picture)
    return chart if chosen == "bokeh" else chart.canvas()


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


@singledispatch
def figure_of(result: object) -> Figure:
    """The figure of a result, by its type."""
    raise ParameterError(f"there is no chart of a {type(result).__name__}")


@figure_of.register
def _(result: Verdict) -> Figure:
    if result.signed.cone is not None:
        raise ParameterError(
            f"the family {result.family!r} compares rows with each other or with thresholds: its"
            " verdict has no picture in the plane; str(verdict) tells it"
        )
    return _first(check_page(result, _question(), ReportAnswer("", [])))


@figure_of.register
def _(result: Repair) -> Figure:
    return _first(repair_page(result, _question(), ReportAnswer("", [])))


@figure_of.register
def _(result: Trace, *, chart: str | None = None) -> Figure:
    if not result.updates:
        return epochs.mistakes_by_epoch(epochs.Epochs(result.mistakes_per_epoch))
    known = figures_of(result)
    names = [each.name for each in known]
    if chart is not None and chart not in names:
        raise ParameterError(f"there is no chart {chart!r} here; there are {', '.join(names)}")
    wanted = [each for each in known if chart in (None, each.name)]
    found = next((drawn for each in wanted if (drawn := each.draw(result)) is not None), None)
    if found is None:
        raise ParameterError(f"this run has nothing to draw in the chart {chart!r}")
    return found


figure_of.register(Bounds, bounds_figure)
figure_of.register(FixedIncrement, increment_figure)
figure_of.register(CapacityCurve, trials_figure)


@figure_of.register
def _(result: Bound) -> Figure:
    return bounds_figure([result])


@figure_of.register
def _(result: Capacity) -> Figure:
    return trials_figure([result])


@figure_of.register
def _(result: BaseLearner, *, X: object = None, y: object = None) -> Figure:
    if X is not None and isinstance(result, Classifier):
        return _plane_of(result, X, y)
    if X is not None:
        raise ParameterError(f"{type(result).__name__} has one class: plot() draws its mistakes")
    if not hasattr(result, "mistakes_per_epoch_"):
        raise ParameterError(
            f"{type(result).__name__} has no epochs to draw before fit; plot(X, y) draws rows"
        )
    return epochs.mistakes_so_far(epochs.Epochs(result.mistakes_per_epoch_))


def _question() -> PageQuestion:
    return PageQuestion("", "these rows", [])


def _first(page: Page) -> Figure:
    return page.pictures[0]


def _plane_of(model: Classifier, X: object, y: object) -> Figure:
    """The rows, and the hyperplane of a model of two classes."""
    if len(model.coef_) > 1:
        raise ParameterError(
            f"the model tells {len(model.classes_)} classes apart, each by a hyperplane of its own;"
            " plot() without rows draws the mistakes of all of them"
        )
    signed = signed_rows(
        cast(RowsLike, X),
        cast(npt.ArrayLike, y),
        fit_intercept=model.fit_intercept,
        unit_length=model.unit_length,
        positive=model.classes_[1].item(),
    )
    weights, intercept = array(model.coef_[0]), float(model.intercept_[0])
    size = norm(np.append(weights, intercept) if signed.bias else weights)
    if not size:
        raise ParameterError("all weights are 0: there is no hyperplane to draw")
    margins = array(model.decision_function(cast(RowsLike, X))) * signed.signs / size
    lowest = float(margins.min())
    unit = weights / size, intercept / size
    gamma = lowest if lowest > 0.0 else None
    found = Separator(*unit, margins, gamma, signed.bias, signed.unit_length)
    return separator_figure(RowInfo.of(signed), found, closest_marked(margins))
