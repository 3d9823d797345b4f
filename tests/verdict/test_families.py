"""Each family against its cone written down by definition and judged by an exact oracle."""

from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from tests.helpers.exact_reference import coefficients, strict_sides

TABLES = 60  # of each family
WITH_INTERCEPT = ("binomial", "log-binomial", "poisson", "multinomial")


def judged(sides, held, intercepts):
    """Outcome and coefficients of the cone, from its definition."""
    strict = strict_sides(sides, held)
    on_all = [*held, *(z for z, above in zip(sides, strict, strict=True) if not above)]
    all_strict = all(strict) and not held
    outcome = "separable" if all_strict else "quasi-separable" if any(strict) else "inseparable"
    return outcome, coefficients(sides, held, on_all, intercepts)


def draw(seed):
    rng = np.random.default_rng(seed)
    rows, features = int(rng.integers(5, 9)), int(rng.integers(1, 3))
    X = rng.integers(-2, 3, (rows, features)) / rng.choice([1, 1, 10])
    weights = np.where(rng.random(rows) < 0.15, 0, rng.integers(1, 4, rows))
    return rng, X, weights


def lifted(X):
    return [[*row, 1] for row in X.tolist()]


def minus(a, b=None):
    b = [0] * len(a) if b is None else b
    return [Fraction(x) - Fraction(y) for x, y in zip(a, b, strict=True)]


def signed(x, minuses, plus=()):
    """-x for the first rows, x for the others."""
    return [[-v for v in x[i]] for i in minuses] + [x[i] for i in plus]


def binomial(rng, X, kept):
    trials = rng.integers(1, 4, len(X))
    y = rng.binomial(trials, rng.choice([0.1, 0.5, 0.9]))
    x = lifted(X)
    low, high = ([i for i in kept if y[i] == v[i]] for v in (0 * y, trials))
    held = [x[i] for i in kept if 0 < y[i] < trials[i]]
    return y, {"trials": trials}, signed(x, low, high), held


def log_binomial(rng, X, kept):
    y, x = rng.integers(0, 2, len(X)), lifted(X)
    return y, {}, signed(x, [i for i in kept if not y[i]]), [x[i] for i in kept if y[i]]


def poisson(rng, X, kept):
    y, x = rng.poisson(0.7, len(X)), lifted(X)
    exposure = {"exposure": rng.integers(1, 5, len(X))}
    return y, exposure, signed(x, [i for i in kept if not y[i]]), [x[i] for i in kept if y[i]]


def multinomial(rng, X, kept):
    y, x = rng.integers(0, 3, len(X)), lifted(X)
    names, width = sorted({int(y[i]) for i in kept}), X.shape[1] + 1
    sides = []
    for i in kept:
        k = names.index(y[i])
        for j in range(len(names)):
            if j != k:
                z = [0] * (width * len(names))
                z[k * width : (k + 1) * width] = x[i]
                z[j * width : (j + 1) * width] = [-v for v in x[i]]
                sides.append(z[width:])
    return y, {}, sides, []


def cumulative(rng, X, kept):
    y = rng.integers(0, 3, len(X))
    names, sides = sorted({int(y[i]) for i in kept}), []
    for i in kept:
        k, x = names.index(y[i]), X[i].tolist()
        unit = [[int(j == t) for j in range(len(names) - 1)] for t in range(len(names) - 1)]
        if k < len(names) - 1:
            sides.append([*unit[k], *(-v for v in x)])
        if k > 0:
            sides.append([*(-v for v in unit[k - 1]), *x])
    return y, {}, sides, []


def conditional(rng, X, kept):
    strata, y = rng.integers(0, 2, len(X)), rng.integers(0, 2, len(X))
    pairs = [
        minus(X[i], X[j]) for i in kept for j in kept if strata[i] == strata[j] and y[i] > y[j]
    ]
    return y, {"strata": strata}, pairs, []


def cox(rng, X, kept, truncated=False):
    time, event = rng.integers(1, 6, len(X)), rng.integers(0, 2, len(X))
    entry = np.maximum(0, time - rng.integers(1, 4, len(X)))
    strata = rng.integers(0, 2, len(X))
    roles, start = {"time": time, "strata": strata}, entry if truncated else 0 * time - 1
    if truncated:
        roles["entry"] = entry
    sides, held = [], []
    for i in kept:
        for j in kept:
            if i != j and event[i] and strata[i] == strata[j] and start[j] < time[i] <= time[j]:
                tied = event[j] and time[i] == time[j]
                (held if tied else sides).append(minus(X[i], X[j]))
    return event, roles, sides, held


def cox_with_entry(rng, X, kept):
    return cox(rng, X, kept, truncated=True)


FAMILIES = {
    "binomial": binomial,
    "log-binomial": log_binomial,
    "poisson": poisson,
    "multinomial": multinomial,
    "cumulative": cumulative,
    "conditional": conditional,
    "cox": cox,
    "cox with entry": cox_with_entry,
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_its_cone(name):
    decided = 0
    for seed in range(TABLES):
        rng, X, weights = draw(seed)
        kept = np.flatnonzero(weights).tolist()
        if not kept:
            continue
        y, roles, sides, held = FAMILIES[name](rng, X, kept)
        try:
            found = nk.check(X, y, family=name.split()[0], weights=weights, **roles)
        except DataError:
            continue
        decided += 1
        width = X.shape[1] + 1 if name in WITH_INTERCEPT else len([*sides, *held][0]) + 1
        intercepts = range(width - 1, len([*sides, *held][0]), width)
        outcome, each = judged(sides, held, intercepts)
        assert (found.outcome, [tuple(c[1:]) for c in found.coefficients]) == (outcome, each), seed
        assert nk.verify(found.certificate, X, y, weights=weights, **roles).valid
        other = np.where(weights > 0, weights + 1, 0)
        assert not nk.verify(found.certificate, X, y, weights=other, **roles).valid
    assert decided > TABLES / 4


def test_what_is_no_cone_is_refused_with_the_reason():
    for family, reason in {
        "zero-inflated": "mixture",
        "mixed": "integrated",
        "gamma": "both",
    }.items():
        with pytest.raises(ParameterError, match=reason):
            nk.check([[0.0], [1.0]], [0, 1], family=family)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"family": "cox", "time": [1, 2], "event": [0, 2]}, "event has 2 in row 1"),
        ({"family": "cox", "time": [1, -2], "event": [0, 1]}, "time has -2 in row 1"),
        ({"family": "cox", "time": [1, 2], "event": [0, 0]}, "no row has an event"),
        ({"family": "binomial", "y": [1, 3], "trials": [1, 2]}, "3 successes in 2 trials"),
        ({"family": "conditional", "y": [0, 1], "strata": [0, 1]}, "has no case"),
        ({"family": "poisson", "y": [0, 1], "exposure": [1, 0]}, "with an exposure of 0"),
        ({"y": [0, 1], "weights": [1, -1]}, "weights has -1 in row 1"),
        ({"y": [0, 1], "weights": [1]}, "one value for each of the 2 rows"),
    ],
)
def test_bad_roles_are_refused(options, words):
    with pytest.raises(DataError, match=words):
        nk.check([[0.0], [1.0]], options.pop("y", None), **options)
