"""The likelihood in the limit: what is left of it along a direction that separates.

Along b + t d, with d strict wherever a direction of the cone can be, each term of the
log-likelihood tends to one that has the comparisons on the boundary only:

    binary, binomial, poisson   the rows on the boundary; the others are fitted perfectly and add 0
    multinomial                 a row chooses among the classes it is not strictly apart from
    cumulative                  a threshold that a row is strictly apart from is at infinity
    conditional                 the rows of a stratum with the score x . d of its last case
    cox                         at an event are those at risk with the event's score x . d, for no
                                one at risk has a higher one: each score is a stratum of its own

All but Cox's, which is that of statsmodels, are here, by logarithms of chances that are not rounded
to 0 on the way to the maximum, however far from it a search begins.
"""

from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from novikoff.errors import ParameterError
from novikoff.verdict.cones.cox import scores
from novikoff.verdict.limit_fit import links
from novikoff.verdict.limit_fit.links import IntervalSlopes, Slopes
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import Signed

Matrix = npt.NDArray[np.float64]
BY_NAME = {"logit": links.logit, "probit": links.probit, "cloglog": links.cloglog}
LINKS = (*BY_NAME,)
TIES = ("breslow", "efron")
LARGEST = 700.0  # what exp can be taken of
INFINITE = 1e9  # a threshold at infinity
MOST_ENTRIES = 100_000_000  # of a design, which statsmodels takes dense
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
    are none. columns: of the reduced design; basis: the combinations of them that it really has.
    """

    signed: Signed
    on: Mask
    direction: list[int] | None
    columns: Indices
    basis: Matrix

    @property
    def cone_rows(self) -> Indices:
        return np.flatnonzero(self.on)

    @property
    def owners(self) -> Indices:
        """The table's rows that those on the boundary are about."""
        cone = self.signed.cone
        return self.cone_rows if cone is None else cone.owners[self.on]

    def signed_rows(self) -> Matrix:
        """The rows z on the boundary, in the basis."""
        return self.entries() @ self.basis

    def entries(self) -> Matrix:
        """The rows z on the boundary, as they are."""
        return self._dense(self.signed.sparse(self.cone_rows))

    def table_rows(self, rows: Indices) -> Matrix:
        """Rows of the table, which has no intercept, in the basis."""
        assert self.signed.cone is not None
        return self._dense(self.signed.cone.table.given.matrix[rows]) @ self.basis

    def _dense(self, matrix: Any) -> Matrix:
        if matrix.shape[0] * max(1, len(self.columns)) > MOST_ENTRIES:
            raise ParameterError(
                f"the reduced model has {matrix.shape[0]:,} rows of {len(self.columns):,} columns,"
                f" more than {MOST_ENTRIES:,} numbers: fit it with software for sparse designs"
            )
        chosen = matrix[:, self.columns]
        dense = chosen.toarray() if hasattr(chosen, "toarray") else chosen
        found: Matrix = dense.astype(np.float64)
        return found if found.shape[1] else np.zeros((len(found), 1))

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
    known = WITH_LINK.get(family, LINKS[:1])
    if choice.link not in known:
        raise ParameterError(
            f"link={choice.link!r}: the limit fit of {family} knows {', '.join(known)}"
        )
    if choice.ties not in TIES:
        raise ParameterError(f"ties={choice.ties!r}: expected one of {', '.join(TIES)}")


def likelihood(boundary: Boundary, choice: Choice) -> Likelihood:
    """The likelihood in the limit, of the coefficients in the basis."""
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
    """Two labels, successes or counts: a generalised linear model.

    Its terms are those of log F and log(1 - F), or of counts, so that no chance is rounded to 0.
    """

    def __init__(self, boundary: Boundary, link: str) -> None:
        signed, owners = boundary.signed, boundary.owners
        signs = signed.signs[boundary.on].astype(np.float64)
        y = (signs > 0).astype(np.float64)
        if signed.family != "binary":
            values = signed.counts if signed.cone is None else signed.cone.table.outcome
            assert values is not None
            y = values[owners]
        self._rows, weights = boundary.signed_rows() * signs[:, None], boundary.weights(owners)
        self._offset = np.zeros(len(y))
        if signed.family == "poisson":
            exposure = boundary.role("exposure")
            if exposure is not None:
                self._offset = np.log(exposure[owners])
            self._terms, rest = links.counts, np.ones(len(y))
            constant = -gammaln(y + 1.0)
        else:
            trials = boundary.role("trials")
            rest = (1.0 if trials is None else trials[owners]) - y
            self._terms = BY_NAME[link]
            constant = gammaln(y + rest + 1.0) - gammaln(y + 1.0) - gammaln(rest + 1.0)
        self._y, self._rest, self._constant = weights * y, weights * rest, float(weights @ constant)

    def _slopes(self, b: Vector) -> Slopes:
        """Those of the log-likelihood, in each row's score."""
        with np.errstate(over="ignore", under="ignore"):  # a step too long is shortened
            one, other = self._terms(np.clip(self._rows @ b + self._offset, -LARGEST, LARGEST))
            return Slopes(*(self._y * p + self._rest * q for p, q in zip(one, other, strict=True)))

    def loglike(self, b: Vector) -> float:
        return float(self._slopes(b).value.sum()) + self._constant

    def score(self, b: Vector) -> Vector:
        return np.asarray(self._slopes(b).first @ self._rows)

    def hessian(self, b: Vector) -> Matrix:
        found: Matrix = (self._rows * self._slopes(b).second[:, None]).T @ self._rows
        return found


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

    gaps: combinations of coefficients that are above 0 where the thresholds are in order.
    """

    def __init__(self, boundary: Boundary, link: str) -> None:
        self._chances = links.logit_intervals if link == "logit" else links.probit_intervals
        owners, rows = boundary.owners, boundary.signed_rows()
        first = np.append(True, np.diff(owners) != 0)
        group = np.cumsum(first) - 1
        self._s, self._t = rows[first], np.zeros_like(rows[first])
        self._t[group[~first]] = rows[~first]
        self._open = np.ones(len(self._s), np.bool_)
        self._open[group[~first]] = False
        self._weights = boundary.weights(owners[first])
        self.gaps: Matrix = np.unique((self._s + self._t)[~self._open], axis=0)

    def _slopes(self, b: Vector) -> IntervalSlopes:
        s, t = self._s @ b, np.where(self._open, INFINITE, self._t @ b)
        with np.errstate(all="ignore"):  # thresholds out of order have no chance
            return self._chances(s, t)

    def loglike(self, b: Vector) -> float:
        found = self._slopes(b)
        ordered = bool(np.isfinite(found.value).all())
        return float(self._weights @ found.value) if ordered else -np.inf

    def score(self, b: Vector) -> Vector:
        found = self._slopes(b)
        upper, lower = self._weights * found.in_s, self._weights * found.in_t
        return np.asarray(upper @ self._s + lower @ self._t)

    def hessian(self, b: Vector) -> Matrix:
        found = self._slopes(b)
        ss, tt, st = (self._weights[:, None] * each[:, None] for each in found[3:])
        mixed = (st * self._s).T @ self._t
        curved: Matrix = (ss * self._s).T @ self._s + (tt * self._t).T @ self._t + mixed + mixed.T
        return curved


class Strata:
    """Several cases in a stratum: the sum of their scores less the logarithm of that sum's
    exponential over all choices of as many rows, row by row as Howard (1972) has it.
    """

    def __init__(self, outcome: Vector, rows: Matrix, groups: Indices) -> None:
        self._cases = outcome @ rows
        sizes, cases = np.bincount(groups), np.bincount(groups, outcome).astype(np.int64)
        order = np.argsort(groups, kind="stable")
        starts = np.cumsum(sizes) - sizes
        self._alike: list[tuple[int, npt.NDArray[np.float64]]] = []
        for size, chosen in sorted(set(zip(sizes.tolist(), cases.tolist(), strict=True))):
            first = starts[(sizes == size) & (cases == chosen)]
            self._alike.append((chosen, rows[order[first[:, None] + np.arange(size)]]))

    def loglike(self, b: Vector) -> float:
        return float(self._cases @ b) - sum(
            float(self._moments(chosen, rows, b, 0)[0].sum()) for chosen, rows in self._alike
        )

    def score(self, b: Vector) -> Vector:
        means = [self._moments(chosen, rows, b, 1)[1] for chosen, rows in self._alike]
        return np.asarray(self._cases - sum(each.sum(axis=0) for each in means))

    def hessian(self, b: Vector) -> Matrix:
        found = np.zeros((len(b), len(b)))
        for chosen, rows in self._alike:
            found -= self._moments(chosen, rows, b, 2)[2].sum(axis=0)
        return found

    def _moments(self, chosen: int, rows: Any, b: Vector, order: int) -> tuple[Any, Any, Any]:
        """Of the strata with as many rows and cases: the logarithm of the sum over choices, and
        the mean and the covariance of the sum of their rows; up to this order.
        """
        strata, size, width = rows.shape
        total = np.full((strata, chosen + 1), -np.inf)
        total[:, 0] = 0.0
        mean = np.zeros((strata, chosen + 1, width if order else 0))
        spread = np.zeros((strata, chosen + 1, *([width] * 2 if order == 2 else [0, 0])))
        scores = rows @ b
        for k in range(size):
            taken = total[:, :-1] + scores[:, k, None]
            whole = np.logaddexp(total[:, 1:], taken)
            with np.errstate(invalid="ignore"):
                share = np.nan_to_num(np.exp(taken - whole))[..., None]
            if order:
                gap = mean[:, :-1] + rows[:, k, None] - mean[:, 1:]
                if order == 2:
                    part, outer = share[..., None], gap[..., None] * gap[..., None, :]
                    spread[:, 1:] += part * (spread[:, :-1] - spread[:, 1:] + (1.0 - part) * outer)
                mean[:, 1:] += share * gap
            total[:, 1:] = whole
        return total[:, -1], mean[:, -1], spread[:, -1]


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
    try:
        from statsmodels.duration.hazard_regression import PHReg
    except ImportError:
        raise ParameterError(
            'the limit fit of cox needs more: pip install "novikoff[stats]"'
        ) from None
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
