"""The likelihood in the limit: what is left of it along a direction that separates.

Along b + t d, with d strict wherever a direction of the cone can be, each term of the
log-likelihood tends to one that has the comparisons on the boundary only:

    binary, binomial, poisson   the rows on the boundary; the others are fitted perfectly and add 0
    multinomial                 a row chooses among the classes it is not strictly apart from
    cumulative                  a threshold that a row is strictly apart from is at infinity
    conditional                 the rows of a stratum with the score x . d of its last case
    cox                         at an event are those at risk with the event's score x . d, for no
                                one at risk has a higher one: each score is a stratum of its own

What statsmodels has a model for is its likelihood, with its derivatives; the choice among some
classes and the censored thresholds it has not are here.
"""

from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.verdict.cones.cox import scores
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import Signed

Matrix = npt.NDArray[np.float64]
LINKS = ("logit", "probit", "cloglog")
TIES = ("breslow", "efron")
MOST_ENTRIES = 100_000_000  # of a design, which statsmodels takes dense
LARGEST_STRATUM = 400  # with several cases: statsmodels recurses over its rows
WITH_LINK = {"binary": LINKS, "binomial": LINKS, "cumulative": LINKS[:2]}
#: Families without a reduced model, and why.
REFUSED = {
    "log-binomial": "its maximum may lie where a risk reaches 1, and standard errors and likelihood"
    " ratios mean nothing there",
    "cone": "a cone has no likelihood",
}


class Likelihood(Protocol):
    """A log-likelihood with its derivatives, as models of statsmodels have them."""

    def loglike(self, b: Vector, /) -> float: ...

    def score(self, b: Vector, /) -> Vector: ...

    def hessian(self, b: Vector, /) -> Matrix: ...


class Choice(NamedTuple):
    """What the verdict leaves open. link: of two labels, shares and thresholds. ties: in Cox."""

    link: str
    ties: str


class Boundary(NamedTuple):
    """The part of a model on the boundary.

    on: for each row of the cone. direction: strict on all the others, as integers; None if there
    are none. columns: of the reduced design; scales: what each of them is divided by.
    """

    signed: Signed
    on: Mask
    direction: list[int] | None
    columns: Indices
    scales: Vector

    @property
    def cone_rows(self) -> Indices:
        return np.flatnonzero(self.on)

    @property
    def owners(self) -> Indices:
        """The table's rows that those on the boundary are about."""
        cone = self.signed.cone
        return self.cone_rows if cone is None else cone.owners[self.on]

    def signed_rows(self) -> Matrix:
        """The rows z on the boundary."""
        return self._design(self.signed.sparse(self.cone_rows))

    def table_rows(self, rows: Indices) -> Matrix:
        """Rows of the table, which has no intercept."""
        assert self.signed.cone is not None
        return self._design(self.signed.cone.table.given.matrix[rows])

    def _design(self, matrix: Any) -> Matrix:
        if matrix.shape[0] * max(1, len(self.columns)) > MOST_ENTRIES:
            raise ParameterError(
                f"the reduced model has {matrix.shape[0]:,} rows of {len(self.columns):,} columns,"
                f" more than {MOST_ENTRIES:,} numbers: fit it with software for sparse designs"
            )
        chosen = matrix[:, self.columns]
        dense = chosen.toarray() if hasattr(chosen, "toarray") else chosen
        scaled: Matrix = dense.astype(np.float64) / self.scales
        return scaled if scaled.shape[1] else np.zeros((len(scaled), 1))

    def role(self, name: str) -> Vector | None:
        """A role's values in the table; None where it is not given."""
        return None if self.signed.cone is None else self.signed.cone.table.roles.get(name)

    def weights(self, rows: Indices) -> Vector:
        """The weights of rows of the table."""
        given = self.role("weights")
        return np.ones(len(rows)) if given is None else given[rows]


def refuse(family: str, choice: Choice) -> None:
    """Refuse a family without a reduced model, and a link or ties that it does not have."""
    if family in REFUSED:
        raise ParameterError(f"family={family!r} has no limit fit: {REFUSED[family]}")
    links = WITH_LINK.get(family, LINKS[:1])
    if choice.link not in links:
        raise ParameterError(
            f"link={choice.link!r}: the limit fit of {family} knows {', '.join(links)}"
        )
    if choice.ties not in TIES:
        raise ParameterError(f"ties={choice.ties!r}: expected one of {', '.join(TIES)}")


def likelihood(boundary: Boundary, choice: Choice) -> Likelihood:
    """The likelihood in the limit, of the coefficients of the reduced design times its scales."""
    family, weights = boundary.signed.family, boundary.role("weights")
    if family in ("conditional", "cox") and weights is not None and set(weights) - {0.0, 1.0}:
        raise ParameterError(
            f"the limit fit of {family} knows weights of 0 and 1 only, as statsmodels does"
        )
    if not boundary.on.any():  # all are fitted perfectly
        return Choices(boundary.signed_rows(), boundary.owners, np.empty(0))
    if family == "multinomial":
        owners = boundary.owners
        return Choices(boundary.signed_rows(), owners, boundary.weights(owners))
    if family == "cumulative":
        return Intervals(boundary, choice.link)
    if family == "conditional":
        return _conditional(boundary)
    return _cox(boundary, choice.ties) if family == "cox" else Linear(boundary, choice.link)


class Linear:
    """Two labels, successes or counts: a generalised linear model of statsmodels."""

    def __init__(self, boundary: Boundary, link: str) -> None:
        import statsmodels.api as sm

        signed, owners = boundary.signed, boundary.owners
        signs = signed.signs[boundary.on].astype(np.float64)
        outcome = (signs > 0).astype(np.float64)
        if signed.family != "binary":
            values = signed.counts if signed.cone is None else signed.cone.table.outcome
            assert values is not None
            outcome = values[owners]
        links = {
            "logit": sm.families.links.Logit,
            "probit": sm.families.links.Probit,
            "cloglog": sm.families.links.CLogLog,
        }
        more: dict[str, Any] = {"freq_weights": boundary.weights(owners)}
        if signed.family == "poisson":
            family, exposure = sm.families.Poisson(), boundary.role("exposure")
            more |= {} if exposure is None else {"exposure": exposure[owners]}
        else:
            family, trials = sm.families.Binomial(link=links[link]()), boundary.role("trials")
            if trials is not None:
                outcome = np.column_stack([outcome, trials[owners] - outcome])
        rows = boundary.signed_rows() * signs[:, None]
        self._model = sm.GLM(outcome, rows, family=family, **more)

    def loglike(self, b: Vector) -> float:
        with np.errstate(all="ignore"):  # a step too long is shortened
            return float(self._model.loglike(b, scale=1.0))

    def score(self, b: Vector) -> Vector:
        return np.asarray(self._model.score(b, scale=1.0))

    def hessian(self, b: Vector) -> Matrix:
        return np.asarray(self._model.hessian(b, scale=1.0, observed=True))


class Choices:
    """Choices among alternatives: the sum over owners of -log(1 + sum over their z of exp(-z . b)).

    owners: of each row z, those of one owner side by side. weights: of the owners, for each row.
    """

    def __init__(self, Z: Matrix, owners: Indices, weights: Vector) -> None:
        self._rows = Z
        self._starts = np.flatnonzero(np.append(True, np.diff(owners) != 0)[: len(owners)])
        self._group = np.repeat(
            np.arange(len(self._starts)), np.diff(np.append(self._starts, len(owners)))
        )
        self._weights = weights

    def _log_sums(self, b: Vector) -> Vector:
        found: Vector = np.logaddexp(0.0, np.logaddexp.reduceat(-self._rows @ b, self._starts))
        return found

    def loglike(self, b: Vector) -> float:
        if not len(self._rows):
            return 0.0
        return -float(self._weights[self._starts] @ self._log_sums(b))

    def _chances(self, b: Vector) -> Vector:
        """How likely each alternative is that was not chosen."""
        found: Vector = np.exp(-self._rows @ b - self._log_sums(b)[self._group])
        return found

    def score(self, b: Vector) -> Vector:
        return (self._weights * self._chances(b)) @ self._rows

    def hessian(self, b: Vector) -> Matrix:
        shares = self._chances(b)[:, None] * self._rows
        means = np.add.reduceat(shares, self._starts)
        heavy = self._weights[:, None]
        found: Matrix = (heavy[self._starts] * means).T @ means - (heavy * self._rows).T @ shares
        return found


class Intervals:
    """Classes in an order: the chance of an interval is F(s) + F(t) - 1, with s = z . b for the one
    row z of the cone and t for the other, and F = 1 for a threshold at infinity.
    """

    def __init__(self, boundary: Boundary, link: str) -> None:
        from scipy.special import expit, ndtr

        self._cdf = expit if link == "logit" else ndtr
        owners, rows = boundary.owners, boundary.signed_rows()
        first = np.append(True, np.diff(owners) != 0)
        group = np.cumsum(first) - 1
        self._s, self._t = rows[first], np.zeros_like(rows[first])
        self._t[group[~first]] = rows[~first]
        self._open = np.ones(len(self._s), np.bool_)
        self._open[group[~first]] = False
        self._weights = boundary.weights(owners[first])
        self._logit = link == "logit"

    def _arguments(self, b: Vector) -> tuple[Vector, Vector]:
        return self._s @ b, np.where(self._open, np.inf, self._t @ b)

    def _chances(self, s: Vector, t: Vector) -> Vector:
        """F(s) - F(-t) = F(t) - F(-s), by the one of them that cancels less."""
        low, high = self._cdf(s) - self._cdf(-t), self._cdf(t) - self._cdf(-s)
        return np.asarray(np.where(t > s, low, high))

    def loglike(self, b: Vector) -> float:
        chances = self._chances(*self._arguments(b))
        if (chances <= 0.0).any():  # thresholds out of order
            return -np.inf
        return float(self._weights @ np.log(chances))

    def _slopes(self, x: Vector) -> tuple[Vector, Vector]:
        """F' and F''."""
        x = np.minimum(x, 1e3)  # where both are 0
        if self._logit:
            F = self._cdf(x)
            slope = F * self._cdf(-x)
            return slope, slope * (1.0 - 2.0 * F)
        slope = np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi)
        return slope, -x * slope

    def score(self, b: Vector) -> Vector:
        s, t = self._arguments(b)
        heavy = self._weights / self._chances(s, t)
        upper, lower = heavy * self._slopes(s)[0], heavy * self._slopes(t)[0]
        return np.asarray(upper @ self._s + lower @ self._t)

    def hessian(self, b: Vector) -> Matrix:
        s, t = self._arguments(b)
        chances = self._chances(s, t)
        (f, df), (g, dg) = self._slopes(s), self._slopes(t)
        inner = (f[:, None] * self._s + g[:, None] * self._t) / chances[:, None]
        heavy = (self._weights / chances)[:, None]
        curved = (heavy * df[:, None] * self._s).T @ self._s
        curved += (heavy * dg[:, None] * self._t).T @ self._t
        found: Matrix = curved - (self._weights[:, None] * inner).T @ inner
        return found


class Strata:
    """Several cases in a stratum: the conditional logit of statsmodels, which has no hessian."""

    def __init__(self, outcome: Vector, rows: Matrix, groups: Indices) -> None:
        from statsmodels.discrete.conditional_models import ConditionalLogit

        if np.bincount(groups).max() > LARGEST_STRATUM:
            raise ParameterError(
                f"a stratum has more than {LARGEST_STRATUM} rows, and several cases: the limit fit"
                " of conditional is for smaller ones"
            )
        self._model = ConditionalLogit(outcome, rows, groups=groups)

    def loglike(self, b: Vector) -> float:
        return float(self._model.loglike(b))

    def score(self, b: Vector) -> Vector:
        return np.asarray(self._model.score(b))

    def hessian(self, b: Vector) -> Matrix:
        from statsmodels.tools.numdiff import approx_fprime

        found = np.atleast_2d(approx_fprime(b, self._model.score, centered=True))
        return np.asarray(found + found.T) / 2.0


def _conditional(boundary: Boundary) -> Likelihood:
    cone = boundary.signed.cone
    assert cone is not None
    on = boundary.on
    rows = np.unique(np.concatenate([cone.owners[on], cone.others[on]]))
    groups = np.unique(cone.table.roles["strata"][rows], return_inverse=True)[1]
    cases = cone.table.outcome[rows]
    if np.bincount(groups, cases).max() == 1:
        return Choices(boundary.signed_rows(), cone.owners[on], np.ones(int(on.sum())))
    return Strata(cases, boundary.table_rows(rows), groups)


def _cox(boundary: Boundary, ties: str) -> Likelihood:
    from statsmodels.duration.hazard_regression import PHReg

    cone = boundary.signed.cone
    assert cone is not None
    table = cone.table
    rows, strata = table.kept, table.roles.get("strata", np.zeros(table.size))
    if boundary.direction is not None:
        known: dict[tuple[float, Fraction], int] = {}
        pairs = zip(strata[rows].tolist(), scores(table, rows, boundary.direction), strict=True)
        codes = np.array([known.setdefault(pair, len(known)) for pair in pairs])
    else:
        codes = strata[rows]
    entry = table.roles.get("entry")
    model: Likelihood = PHReg(
        table.roles["time"][rows],
        boundary.table_rows(rows),
        status=table.outcome[rows],
        strata=codes,
        # statsmodels has a row at risk at its entry already
        entry=None if entry is None else np.nextafter(entry[rows], np.inf),
        ties=ties,
    )
    return model
