"""The limit of a fit against the likelihood itself, written down by definition, and by hand."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from scipy.stats import binom, chi2, norm, poisson

import novikoff as nk
from novikoff.errors import DataError, ParameterError

sm = pytest.importorskip("statsmodels.api")

TABLES = 16  # of each family
FAR = 1e4  # on the way to the limit


def draw(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(9, 14))
    X = np.column_stack([rng.integers(-2, 3, rows) / 2, rng.random(rows) < 0.3])
    return rng, X.astype(float), rng.integers(1, 3, rows)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def binary(rng, X, w):
    y = rng.integers(0, 2, len(X)) | (X[:, 1] > 0)
    z = with_ones(X) * np.where(y, 1, -1)[:, None]
    return y, {"weights": w}, lambda b: -(w * np.logaddexp(0, -z @ b)).sum()


def binomial(rng, X, w):
    n = rng.integers(1, 4, len(X))
    y = np.where(X[:, 1] > 0, n, rng.binomial(n, 0.5))
    total = binom.logpmf(y, n, 0.5) + n * math.log(2)  # the coefficients alone

    def value(b):
        eta = with_ones(X) @ b
        terms = total - y * np.logaddexp(0, -eta) - (n - y) * np.logaddexp(0, eta)
        return (w * terms).sum()

    return y, {"trials": n, "weights": w}, value


def counts(rng, X, w):
    e = rng.integers(1, 5, len(X))
    y = np.where(X[:, 1] > 0, 0, rng.poisson(1.0, len(X)))
    x = with_ones(X)
    return (
        y,
        {"exposure": e, "weights": w},
        lambda b: (w * poisson.logpmf(y, e * np.exp(np.minimum(x @ b, 50)))).sum(),
    )


def multinomial(rng, X, w):
    y = np.where(X[:, 1] > 0, rng.integers(1, 3, len(X)), rng.integers(0, 3, len(X)))
    x, y = with_ones(X), np.unique(y, return_inverse=True)[1]

    def value(b):
        parts = np.split(b, y.max())
        eta = np.column_stack([np.zeros(len(X)), *(x @ part for part in parts)])
        return (w * (eta[np.arange(len(X)), y] - logsumexp(eta, axis=1))).sum()

    return y, {"weights": w}, value


def cumulative(rng, X, w, F=expit):
    y = np.append(np.where(X[2:, 1] > 0, 2, rng.integers(0, 3, len(X) - 2)), [0, 1])

    def value(b):
        cuts = np.array([-np.inf, *b[:2], np.inf])
        if b[1] <= b[0]:
            return -1e9 * (1 + b[0] - b[1])
        eta = X @ b[2:]
        low, high = cuts[y] - eta, cuts[y + 1] - eta
        chance = np.where(low > 0, F(-low) - F(-high), F(high) - F(low))
        return (w * np.log(np.maximum(chance, 1e-300))).sum()

    return y, {"weights": w}, value


def probit(rng, X, w):
    return cumulative(rng, X, w, norm.cdf)


def conditional(rng, X, w):
    strata, y = np.arange(len(X)) % 3, rng.integers(0, 2, len(X)) | (X[:, 1] > 0)

    def value(b):
        found, eta = 0.0, X @ b
        for s in range(3):
            rows = np.flatnonzero(strata == s)
            some = [eta[list(c)].sum() for c in combinations(rows, int(y[rows].sum()))]
            found += eta[rows] @ y[rows] - logsumexp(some)
        return found

    return y, {"strata": strata}, value


def cox(rng, X, w, entered=False):
    time, event = rng.integers(2, 7, len(X)), rng.integers(0, 2, len(X))
    time = np.where(X[:, 1] > 0, 1 + time // 4, time)
    entry = np.maximum(0, time - rng.integers(1, 4, len(X))) if entered else time * 0

    def value(b):
        eta = X @ b
        terms = [
            eta[i] - logsumexp(eta[(entry < time[i]) & (time[i] <= time)])
            for i in np.flatnonzero(event)
        ]
        return sum(terms)

    return event, {"time": time} | ({"entry": entry} if entered else {}), value


def cox_with_entry(rng, X, w):
    return cox(rng, X, w, True)


FAMILIES = {
    "binary": binary,
    "binomial": binomial,
    "poisson": counts,
    "multinomial": multinomial,
    "cumulative": cumulative,
    "cumulative probit": probit,
    "conditional": conditional,
    "cox": cox,
    "cox with entry": cox_with_entry,
}


def highest(value, start, along=None, at=0.0):
    """The highest value found numerically, with along . b = at if it is given."""
    free = np.eye(len(start))
    base = np.array(start)
    if along is not None:
        free = np.linalg.svd(along[None])[2][1:].T
        base = base + along * (at - along @ base) / (along @ along)
    best = -np.inf
    u = np.zeros(free.shape[1])
    for _ in range(3):
        found = minimize(lambda u: -value(base + free @ u), u, method="BFGS")
        best, u = max(best, -found.fun), found.x
    return best


def start_of(name):
    return [-0.5, 0.5, 0.0, 0.0] if name.startswith("cumulative") else None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the search in the test
@pytest.mark.parametrize("name", FAMILIES)
def test_the_limit_is_the_supremum(name):
    separated = 0
    for seed in range(TABLES):
        rng, X, w = draw(seed)
        y, roles, value = FAMILIES[name](rng, X, w)
        try:
            verdict = nk.check(X, y, family=name.split()[0], **roles)
        except DataError:
            continue
        fit = nk.limit_fit(verdict, link="probit" if "probit" in name else "logit")
        top = fit.loglikelihood
        assert value(fit.along(FAR)) == pytest.approx(top, abs=1e-6), seed
        start = start_of(name) or np.zeros(len(fit.along(0)))
        assert highest(value, start) == pytest.approx(top, abs=2e-3), seed
        if verdict.outcome == "inseparable":  # it converges, and that is its maximum
            assert fit.along(FAR).tolist() == fit.along(0).tolist()
            continue
        separated += 1
        steps = np.diff([*(value(fit.along(t)) for t in (2.0, 4.0, 8.0, 16.0)), top])
        assert (steps > -1e-9).all()
        assert steps[0] > 0
    assert separated > 1


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FAMILIES)
def test_an_interval_ends_where_the_likelihood_has_fallen_enough(name):
    looked = 0
    for seed in range(TABLES):
        rng, X, w = draw(seed)
        y, roles, value = FAMILIES[name](rng, X, w)
        try:
            verdict = nk.check(X, y, family=name.split()[0], **roles)
        except DataError:
            continue
        fit = nk.limit_fit(verdict, link="probit" if "probit" in name else "logit")
        j = len(fit.coefficients) - 1 - (name in ("binary", "binomial", "poisson", "multinomial"))
        each = fit.coefficients[j]
        if each.value is None or looked == 3:
            continue
        looked += 1
        found = fit.interval(each.name)
        assert found.lower < each.value or found.upper > each.value
        assert math.isinf(each.value) == (math.inf in (-found.lower, found.upper))
        along = np.eye(len(fit.coefficients))[j]
        start = start_of(name) or np.zeros(len(along))
        for end in found[:2]:
            if math.isfinite(end):
                reached = highest(value, start, along, end)
                fallen = 2 * (fit.loglikelihood - reached)
                assert fallen == pytest.approx(chi2.ppf(0.95, 1), abs=1e-2), (seed, end)
        test = fit.test(each.name)
        fallen = 2 * (fit.loglikelihood - highest(value, start, along, 0.0))
        assert test.statistic == pytest.approx(max(fallen, 0.0), abs=1e-2)
        assert (test.df, test.p_value) == (1, pytest.approx(chi2.sf(test.statistic, 1)))
    assert looked


def test_it_is_the_reduction_by_hand():
    rng = np.random.default_rng(1)
    x, g = rng.normal(size=80), (rng.random(80) < 0.3).astype(float)
    y = ((x + rng.normal(size=80) > 1) | (g > 0)).astype(int)
    verdict = nk.check(np.column_stack([x, g]), y)
    fit, rest = nk.limit_fit(verdict), g == 0
    by_hand = sm.Logit(y[rest], sm.add_constant(x[rest])).fit(disp=0)
    slope, dose, intercept = fit.coefficients
    assert verdict.strict.tolist() == (~rest).tolist()
    assert fit.rows == int(rest.sum())
    assert fit.loglikelihood == pytest.approx(by_hand.llf)
    assert [intercept.value, slope.value] == pytest.approx(by_hand.params, rel=1e-6)
    assert [intercept.standard_error, slope.standard_error] == pytest.approx(by_hand.bse, rel=1e-5)
    assert (dose.value, dose.standard_error) == (math.inf, None)
    null = sm.Logit(y, sm.add_constant(x)).fit(disp=0)  # without the column that separates
    assert fit.test("column 1").statistic == pytest.approx(2 * (by_hand.llf - null.llf))
    assert fit.test() == fit.test("column 0", "column 1")
    doubled = fit.contrast({"column 0": 2})
    assert doubled[2:] == pytest.approx((2 * slope.value, 2 * slope.standard_error))


def test_a_finite_fit_is_that_of_statsmodels():
    data = sm.datasets.anes96.load_pandas()
    X, y = data.exog[["logpopul", "educ", "age"]], data.endog.astype(int)
    verdict = nk.check(X, y, family="multinomial")
    theirs = sm.MNLogit(y, X.assign(one=1.0)).fit(disp=0)
    fit = nk.limit_fit(verdict)
    ours = [[e.value, e.standard_error] for e in fit.coefficients]
    theirs = np.stack([theirs.params.to_numpy().T.ravel(), theirs.bse.to_numpy().T.ravel()])
    np.testing.assert_allclose(np.array(ours).T, theirs, rtol=1e-4)


def test_columns_that_depend_on_each_other_have_the_coefficients_of_a_basis():
    x = np.array([0.0, 1, 2, 3, 4, 5])
    y = [0, 1, 0, 1, 0, 1]
    fit = nk.limit_fit(nk.check(np.column_stack([x, 2 * x]), y))
    alone = nk.limit_fit(nk.check(x[:, None], y))
    assert [e.status for e in fit.coefficients] == ["finite", "aliased", "finite"]
    assert fit.coefficients[0][2:] == pytest.approx(alone.coefficients[0][2:])
    with pytest.raises(ParameterError, match="column 1 is aliased"):
        fit.test("column 1")


def test_what_has_no_limit_fit_is_refused_with_the_reason():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    for verdict, words in (
        (nk.check(X, y, family="log-binomial"), "where a risk reaches 1"),
        (nk.cone(X), "has no likelihood"),
        (nk.check(X, y, unit_length=True), "of the length that they have"),
    ):
        with pytest.raises(ParameterError, match=words):
            nk.limit_fit(verdict)
    with pytest.raises(ParameterError, match="knows logit, probit, cloglog"):
        nk.limit_fit(nk.check(X, y), link="cauchit")
    with pytest.raises(ParameterError, match="ties='exact'"):
        nk.limit_fit(nk.check(X, y), ties="exact")
    weighted = nk.check(X, event=y, family="cox", time=[1, 2, 3], weights=[1, 2, 1])
    with pytest.raises(ParameterError, match="weights of 0 and 1 only"):
        nk.limit_fit(weighted)
    ordered = nk.limit_fit(nk.check([*X, [3.0]], [0, 1, 0, 2], family="cumulative"))
    with pytest.raises(ParameterError, match="is a threshold"):
        ordered.interval("0|1")
    with pytest.raises(ParameterError, match="level must be between 0 and 1"):
        ordered.interval("column 0", level=95)


@pytest.mark.parametrize("name", FAMILIES)
def test_neither_unit_nor_origin_of_a_column_matters(name):
    """Heights of 170 and years of 2000 are what columns look like."""
    link, looked = "probit" if "probit" in name else "logit", 0
    for seed in range(TABLES // 3):
        rng, X, w = draw(seed)
        y, roles, _ = FAMILIES[name](rng, X, w)
        far = X * [1024.0, 1.0] + [2.0**20, 0.0]
        try:
            verdicts = [nk.check(each, y, family=name.split()[0], **roles) for each in (X, far)]
        except DataError:
            continue
        near, same = (nk.limit_fit(each, link=link) for each in verdicts)
        assert same.loglikelihood == pytest.approx(near.loglikelihood, abs=1e-6)
        j = next(j for j, each in enumerate(near.coefficients) if each.name.endswith("column 0"))
        a, b = near.coefficients[j], same.coefficients[j]
        assert a.status == b.status
        if a.status == "finite":
            assert (b.value * 1024, b.standard_error * 1024) == pytest.approx(a[2:], rel=1e-4)
        if a.status in ("finite", "diverges"):
            ends = near.interval(a.name)[:2], [1024 * end for end in same.interval(a.name)[:2]]
            assert ends[1] == pytest.approx(ends[0], rel=1e-4, abs=1e-6), seed
            looked += 1
    assert looked


def test_a_person_is_tall_and_was_born_in_a_year():
    rng = np.random.default_rng(3)
    tall, year = rng.normal(170, 9, 120), rng.integers(1920, 2000, 120)
    dose = rng.random(120) < 0.3
    died = (rng.random(120) < 1 / (1 + np.exp((year - 1960) / 15))) | dose
    verdict = nk.check(np.column_stack([tall, year, dose, dose * tall]), died)
    fit, rest = nk.limit_fit(verdict), ~dose
    theirs = sm.Logit(died[rest], sm.add_constant(np.column_stack([tall, year])[rest])).fit(disp=0)
    ours = [*fit.coefficients[-1][2:], *(x for each in fit.coefficients[:2] for x in each[2:])]
    both = np.column_stack([theirs.params, theirs.bse])
    np.testing.assert_allclose(np.array(ours).reshape(3, 2), both, rtol=1e-4)
    for each in fit.coefficients:
        assert fit.interval(each.name).lower < fit.interval(each.name).upper
