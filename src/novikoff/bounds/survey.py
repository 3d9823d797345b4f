"""Every bound on one data set."""

from collections.abc import Sequence
from typing import Any

from novikoff.bounds.case import Case
from novikoff.bounds.hypotheses import Bound
from novikoff.bounds.increment import step_of
from novikoff.bounds.labelled import numbers, signed_rows
from novikoff.bounds.listed import BOUNDS
from novikoff.bounds.soft import passes_of
from novikoff.errors import ParameterError
from novikoff.signed import Signed
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import Stage, Watch


def on(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    positive: Any = None,
    eta: Any = 1,
    start: Any = None,
    passes: int = 1,
    relevant: Sequence[int | str] | None = None,
    only: Sequence[str] | None = None,
    precision: float | None = None,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> list[Bound]:
    """Every bound on one data set, each with its hypotheses checked on the rows; one that they do
    not allow has no value, and the reason why.

    X, y, fit_intercept, unit_length, positive: as for `nk.check`, whose verdict gives the margin,
        exactly where it is known; precision, time_limit and watch are for it. y may also be all 1.
    eta, start: of the perceptron; a start other than zeros has a number for each feature, then the
        intercept.
    passes: over the rows, for the bounds on rows that are not separable.
    relevant: the variables whose OR the label is, for Winnow; sought if they are not named.
    only: the names of the bounds to look at; all of them if it is left out.

    >>> found = on([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> {each.name: each.value for each in found if each.refused is None}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'novikoff': 27, 'fixed-increment': 27, 'winnow': 14, 'balanced-winnow': 89,
     'freund-schapire': 4, 'hinge': 4}
    """
    signed = signed_rows(
        X, y, fit_intercept=fit_intercept, unit_length=unit_length, positive=positive
    )
    case = posed(
        signed,
        eta=eta,
        start=start,
        passes=passes,
        relevant=relevant,
        precision=precision,
        time_limit=time_limit,
        watch=watch,
    )
    return answered(case, only)


def posed(
    signed: Signed,
    *,
    eta: Any = 1,
    start: Any = None,
    passes: int = 1,
    relevant: Sequence[int | str] | None = None,
    precision: float | None = None,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> Case:
    """Rows with their verdict, before any bound is looked at."""
    step, times = step_of(eta), passes_of(passes)
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
    verdict = Judge(signed, precision, time_limit, watch).verdict()
    return Case(signed, verdict, step, first, times, relevant, precision, time_limit, watch)


def answered(case: Case, only: Sequence[str] | None = None) -> list[Bound]:
    """The bounds of these names, in the order of the list."""
    wanted = list(BOUNDS) if only is None else list(only)
    unknown = [name for name in wanted if name not in BOUNDS]
    if unknown:
        raise ParameterError(f"there is no bound {unknown[0]!r}; there are {', '.join(BOUNDS)}")
    found = []
    for name, look in BOUNDS.items():
        if name in wanted:
            _tell(case, name)
            found.append(look(case))
    return found


def _tell(case: Case, name: str) -> None:
    if case.watch is not None:
        known = case.verdict
        margin = known.margin.lower, known.margin.upper
        case.watch(Stage(f"the bound {name}", known.outcome, *margin, known.scans))
