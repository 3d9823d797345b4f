"""Every bound on one data set."""

from collections.abc import Sequence

import numpy.typing as npt

from novikoff import notebook
from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import ParameterError
from novikoff.theory.bounds.hypotheses import Bound
from novikoff.theory.bounds.increment import step_of
from novikoff.theory.bounds.nonseparable import require_passes
from novikoff.theory.bounds.problem import BoundProblem
from novikoff.theory.bounds.registry import BOUNDS
from novikoff.theory.bounds.user_input import ExactNumber, ExactVector, numbers, signed_rows
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import Stage, Watch
from novikoff.verdict.signed import Signed


class Bounds(list[Bound]):
    """Several theorems' bounds on one data set, in the order of the registry."""

    def _repr_html_(self) -> str:
        lines = [
            (each.name, "" if each.value is None else each.value, each.formula,
             each.learner if each.refused is None else f"not applicable: {each.refused}")
            for each in self
        ]  # fmt: skip
        columns = ["bound", "at most", "formula", "of"]
        return notebook.table_html("Mistakes at most, by each theorem", columns, lines)

    def plot(self, *, backend: str | None = None) -> object:
        """The bounds that hold, side by side; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)


def on(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    positive: Label | None = None,
    eta: ExactNumber = 1,
    start: ExactVector | None = None,
    passes: int = 1,
    relevant: Sequence[int | str] | None = None,
    only: Sequence[str] | None = None,
    precision: float | None = None,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> Bounds:
    """Every bound on one data set, each with its hypotheses checked on the rows; one that they do
    not allow has no value, and the reason why.

    X, y, fit_intercept, unit_length, positive: as for `nk.check`, whose verdict gives the margin,
        exactly where it is known. y may also be all 1.
    precision, time_limit, watch: of that verdict, as for `check`.
    eta, start: of the perceptron; a start other than zeros has a number for each feature, then the
        intercept.
    passes: over the rows, for the bounds on rows that are not separable.
    relevant: the variables whose OR the label is, for Winnow; sought if they are not named.
    only: the names of the bounds to look at; all of them if it is left out.

    >>> import novikoff as nk
    >>> found = nk.bounds.on([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> {each.name: each.value for each in found if each.refused is None}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'novikoff': 27, 'fixed-increment': 27, 'winnow': 14, 'balanced-winnow': 89,
     'freund-schapire': 4, 'hinge': 4}
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    problem = prepare(
        signed,
        eta=eta,
        start=start,
        passes=passes,
        relevant=relevant,
        precision=precision,
        time_limit=time_limit,
        watch=watch,
    )
    return evaluate(problem, only)


def prepare(
    signed: Signed,
    *,
    eta: ExactNumber = 1,
    start: ExactVector | None = None,
    passes: int = 1,
    relevant: Sequence[int | str] | None = None,
    precision: float | None = None,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> BoundProblem:
    """Judge the rows, and check the other parameters; no bound is evaluated yet."""
    step, times = step_of(eta), require_passes(passes)
    if time_limit is not None and not time_limit >= 0.0:
        raise ParameterError(f"time_limit must be a number not below 0, not {time_limit!r}")
    first = None if start is None else numbers("start", start)
    if first is not None and len(first.numerators) != signed.dim:
        raise ParameterError(
            f"start has {len(first.numerators)} numbers; {signed.dim} are needed: one for each"
            " feature, then the intercept if there is one"
        )
    if first is not None and not any(first.numerators):
        first = None
    verdict = Judge(signed, precision, time_limit, watch).run()
    return BoundProblem(signed, verdict, step, first, times, relevant, precision, time_limit, watch)


def evaluate(problem: BoundProblem, only: Sequence[str] | None = None) -> Bounds:
    """Evaluate the bounds of these names, in the order of the registry."""
    wanted = list(BOUNDS) if only is None else list(only)
    unknown = [name for name in wanted if name not in BOUNDS]
    if unknown:
        raise ParameterError(f"there is no bound {unknown[0]!r}; there are {', '.join(BOUNDS)}")
    found = Bounds()
    for name, bound in BOUNDS.items():
        if name in wanted:
            report_stage(problem, f"the bound {name}")
            found.append(bound(problem))
    return found


def report_stage(problem: BoundProblem, doing: str) -> None:
    """Tell whoever watches what is done next, and what is known."""
    if problem.watch is not None:
        known = problem.verdict
        margin = known.margin.lower, known.margin.upper
        problem.watch(Stage(doing, known.outcome, *margin, known.scans))
