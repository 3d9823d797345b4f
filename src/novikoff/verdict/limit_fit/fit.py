"""`nk.limit_fit`: what can be estimated where the likelihood has no maximum.

Along a direction d that separates, the likelihood of b + t d rises to that of a reduced model,
which has the rows on the boundary only. So the supremum of the likelihood is the reduced model's
maximum, the coefficients that are finite are its own, and so are their standard errors (Geyer 2009
calls it the limiting conditional model). Of the others, the profile likelihood

    profile(v) = sup of the log-likelihood over all b with c . b = v

tells what the data rule out: {v : 2 (supremum - profile(v)) <= the quantile of chi-square with 1
degree of freedom}. It is concave in v, and ends at infinity where c . b diverges.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from novikoff.data.user_types import Label
from novikoff.errors import ParameterError
from novikoff.verdict.coefficients import Coefficient
from novikoff.verdict.contrasts import ContrastColumns
from novikoff.verdict.limit_fit.likelihoods import Choice, Matrix, refuse
from novikoff.verdict.limit_fit.reduced_model import Contrast, ReducedModel
from novikoff.verdict.result import UNDECIDED, Verdict
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import INTERCEPT, IntegerRow, Signed

#: A coefficient by its name, weights by names, or a weight for each coefficient.
Weights: TypeAlias = str | Mapping[str, Label] | Sequence[Fraction]
MOST_DOUBLINGS = 60


class Estimate(NamedTuple):
    """A coefficient, or a contrast of some, in the limit.

    value: infinite where it diverges to one side, None where to either or where there is none.
    standard_error: None unless it is finite.
    """

    name: str
    status: str
    value: float | None
    standard_error: float | None


class Interval(NamedTuple):
    """What the profile likelihood does not rule out, at this level; an end may be infinite."""

    lower: float
    upper: float
    level: float


class LikelihoodRatio(NamedTuple):
    """A likelihood-ratio test: twice the difference of two suprema, and its chance."""

    statistic: float
    df: int
    p_value: float


class LimitFit:
    """The limit of a fit whose likelihood may have no maximum.

    loglikelihood: its supremum. rows: how many are left in the reduced model.
    """

    def __init__(self, verdict: Verdict, choice: Choice) -> None:
        if verdict.outcome == UNDECIDED or verdict.analysis is None:
            raise ParameterError("the verdict is undecided: there is no limit fit of it")
        if not isinstance(verdict.signed, Signed) or verdict.signed.unit_length:
            raise ParameterError("a limit fit is for rows in memory, of the length that they have")
        refuse(verdict.family, choice)
        self.verdict, self._analysis, self._choice = verdict, verdict.analysis, choice
        self._model = ReducedModel(verdict.analysis, choice)
        self._maximum = self._model.maximum()
        self.loglikelihood = self._maximum.value

    @property
    def rows(self) -> int:
        boundary, cone = self._model.boundary, self._model.boundary.signed.cone
        others = boundary.owners if cone is None else cone.others[boundary.on]
        rows = np.append(boundary.owners, others)
        return len(np.unique(rows[rows >= 0]))

    def __repr__(self) -> str:
        return f"<LimitFit: log-likelihood {self.loglikelihood:.6g}, {self.rows} rows>"

    def __str__(self) -> str:
        from novikoff.verdict.limit_fit.text import limit_fit_text

        return limit_fit_text(self)

    @cached_property
    def coefficients(self) -> list[Estimate]:
        """Every coefficient, the intercept last."""
        known = self.verdict.coefficients
        return [self._estimate(each, IntegerRow([j], [1], 1)) for j, each in enumerate(known)]

    def contrast(self, weights: Weights, name: str = "contrast") -> Estimate:
        """A combination of coefficients, with weights by their names."""
        row = self._weights(weights)
        return self._estimate(self._analysis.classify(row, name), row)

    def along(self, t: float) -> Vector:
        """Coefficients, the intercept last, at a distance t on the way to the limit: there the
        likelihood rises to the supremum as t grows.
        """
        columns, split = self._model.columns, self._analysis.split
        found = np.zeros(self._analysis.signed.dim)
        found[columns] = (self._model.basis @ self._maximum.b)[: len(columns)]
        if split.separator is not None:
            whole = split.separator.numerators
            top = max(map(abs, whole))
            found += t * np.array([each / top for each in whole])
        return found

    def interval(self, weights: Weights, level: float = 0.95) -> Interval:
        """The profile-likelihood interval of a coefficient, or of a combination of some.

        Where it diverges one end is infinite. The other is that of the usual two-sided interval:
        what it excludes, a likelihood-ratio test at 1 - level rejects.
        """
        if not 0.0 < level < 1.0:
            raise ParameterError(f"level must be between 0 and 1, not {level!r}")
        fate, contrast = self._identified(weights)
        if self.verdict.family == "cumulative" and min(contrast.row.columns) < self._thresholds:
            raise ParameterError(f"{contrast.name} is a threshold, which has no profile interval")
        if fate.status == "diverges" and fate.sign == "either":
            return Interval(-math.inf, math.inf, level)
        allowed = float(chi2.ppf(level, 1)) / 2.0
        profile = _Profile(ReducedModel(self._analysis, self._choice, [contrast]), contrast)
        start, step = 0.0, profile.unit
        if fate.status == "finite":
            start, step = self._finite(contrast)

        def excess(v: float) -> float:
            return self.loglikelihood - profile(v) - allowed

        ends = [
            -math.inf if fate.sign == "-" else _root(excess, start, -step),
            math.inf if fate.sign == "+" else _root(excess, start, step),
        ]
        return Interval(ends[0], ends[1], level)

    def test(self, *terms: Weights) -> LikelihoodRatio:
        """The likelihood-ratio test that these coefficients are 0, by default all but intercepts.

        Both likelihoods are suprema, which are finite whether or not an estimate is.
        """
        chosen = [self._identified(each)[1] for each in terms] if terms else self._terms()
        model = ReducedModel(self._analysis, self._choice, chosen)
        lower = model.maximum([0.0] * len(chosen)).value
        statistic = max(0.0, 2.0 * (self.loglikelihood - lower))
        df = int(np.linalg.matrix_rank(model.rows(chosen)))
        return LikelihoodRatio(statistic, df, float(chi2.sf(statistic, df)))

    @property
    def _thresholds(self) -> int:
        return self._analysis.signed.dim - self.verdict.features

    def _terms(self) -> list[Contrast]:
        """All coefficients that the rows determine, but for intercepts and thresholds."""
        skipped = self._thresholds if self.verdict.family == "cumulative" else 0
        names = {
            each.name
            for each in self.verdict.coefficients[skipped:]
            if each.status in ("finite", "diverges")
            and each.name != INTERCEPT
            and not each.name.endswith(f": {INTERCEPT}")
        }
        places = [j for j, name in enumerate(self._analysis.names) if name in names]
        return [self._as_contrast(IntegerRow([j], [1], 1), str(j)) for j in places]

    def _weights(self, weights: Weights) -> IntegerRow:
        by_name = {weights: 1} if isinstance(weights, str) else weights
        if not isinstance(by_name, Mapping):
            return self._analysis.integer_weights(by_name, "contrast")
        columns = ContrastColumns(self._analysis.names)
        exact = columns.weights(by_name, f"the contrast {dict(by_name)}")
        return self._analysis.integer_weights(exact, "contrast")

    def _identified(self, weights: Weights) -> tuple[Coefficient, Contrast]:
        """What becomes of a contrast, and it; refused where the rows say nothing of it."""
        row = self._weights(weights)
        name = weights if isinstance(weights, str) else "the contrast"
        fate = self._analysis.classify(row, name)
        place = row.columns[0] if len(row.columns) == 1 else -1
        if place in self._analysis.aliases.columns:
            fate = self.verdict.coefficients[place]
        if fate.status not in ("finite", "diverges"):
            raise ParameterError(f"{name} is {fate.status}: the model has no coefficient of it")
        return fate, self._as_contrast(row, name)

    def _as_contrast(self, weights: IntegerRow, name: str) -> Contrast:
        row = self._analysis.identified(weights)
        assert row is not None
        j, value = weights.columns[0], weights.values[0] / weights.denominator
        return Contrast(name, row, dict(zip(row.columns, row.values, strict=True))[j] / value)

    def _estimate(self, fate: Coefficient, row: IntegerRow) -> Estimate:
        if fate.status == "diverges" and fate.sign in ("+", "-"):
            return Estimate(fate.name, fate.status, float(f"{fate.sign}inf"), None)
        if fate.status != "finite":
            return Estimate(fate.name, fate.status, None, None)
        return Estimate(fate.name, fate.status, *self._finite(self._as_contrast(row, fate.name)))

    def _finite(self, contrast: Contrast) -> tuple[float, float]:
        """The value of a contrast that is finite, and its standard error."""
        [c] = self._model.rows([contrast])
        return float(c @ self._maximum.b), math.sqrt(max(0.0, float(c @ self._covariance @ c)))

    @cached_property
    def _covariance(self) -> Matrix:
        return self._maximum.covariance(self._model.likelihood)


class _Profile:
    """The profile likelihood of one contrast; each maximum starts from the last."""

    def __init__(self, model: ReducedModel, contrast: Contrast) -> None:
        self._model = model
        self._last: Vector | None = None
        #: A change of the contrast that is large for the rows.
        self.unit = float(np.abs(model.rows([contrast])).max())

    def __call__(self, v: float) -> float:
        found = self._model.maximum([v], self._last)
        self._last = found.b
        return found.value


def _root(excess: Callable[[float], float], start: float, step: float) -> float:
    """Where a convex function is 0, seen from `start` in the direction of `step`."""
    inside, outside = start, start
    if excess(start) > 0.0:  # a coefficient that diverges the other way
        step = -step
        while excess(inside) > 0.0:
            inside, outside, step = inside + step, inside, 2.0 * step
    else:
        for _ in range(MOST_DOUBLINGS):
            outside, step = outside + step, 2.0 * step
            if excess(outside) > 0.0:
                break
            inside = outside
        else:
            return math.copysign(math.inf, step)
    return float(brentq(excess, inside, outside, xtol=1e-10, rtol=1e-10))


def limit_fit(verdict: Verdict, *, link: str = "logit", ties: str = "breslow") -> LimitFit:
    """Fit what can be estimated of a model whose likelihood may have no maximum.

    verdict: of `nk.check`, for any family but "log-binomial".
    link: "logit", "probit" or "cloglog" (binary, binomial); "logit" or "probit" (cumulative).
    ties: "breslow" or "efron" (cox).

    >>> import novikoff as nk
    >>> dose, died = [[0], [0], [1], [1], [1]], [0, 0, 0, 1, 1]
    >>> fit = nk.limit_fit(nk.check(dose, died))
    >>> fit.coefficients[0].value, round(fit.loglikelihood, 3)
    (inf, -1.91)
    >>> round(fit.interval("0").lower, 2)
    -0.53
    """
    return LimitFit(verdict, Choice(link, ties))
