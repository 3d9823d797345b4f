"""What every verdict must be, by the exact reference, and every certificate by both checkers."""

import math
from fractions import Fraction

import numpy as np
import scipy.sparse

import novikoff as nk
from novikoff import checker
from tests.helpers import exact_reference as exact


def entries(X):
    """The rows as lists of Python numbers."""
    if scipy.sparse.issparse(X):
        X = X.toarray()
    return np.asarray(X).tolist()


def as_labels(positive):
    return np.where(positive, 1, -1)


def is_positive(y, family="binary"):
    """Whether each label is the larger of two, or each count above 0."""
    y = list(y)
    return [label > 0 if family == "poisson" else label == max(y) for label in y]


def agree(X, y, *, bias=True, family="binary"):
    """The verdict, after it was compared with the reference in everything it says."""
    positive = is_positive(y, family)
    expected = exact.facts(entries(X), positive, bias=bias, family=family)
    verdict = nk.check(X, y, fit_intercept=bias, family=family)
    assert verdict.outcome == expected.outcome
    assert verdict.strict.tolist() == expected.strict
    assert fates(verdict) == expected.coefficients
    check_margin(verdict, expected)
    z = exact.signed_rows(entries(X), positive, bias, family)
    check_conflict(verdict, z, positive, family)
    check_weights(verdict, z, expected)
    check_certificate(verdict.certificate, X, y)
    return verdict


def fates(verdict):
    return [(each.status, each.sign) for each in verdict.coefficients]


def check_margin(verdict, expected):
    assert_root(verdict.radius, expected.radius_squared)
    assert square(verdict.radius) >= expected.radius_squared
    margin = verdict.margin
    if expected.outcome != "separable":
        assert margin.lower == 0.0
        assert margin.squared in (None, 0)
        assert verdict.mistake_bound is None
        return
    assert margin.squared == expected.margin_squared
    assert square(margin.lower) <= expected.margin_squared <= square(margin.upper)
    assert_root(margin.lower, expected.margin_squared)
    assert_root(margin.upper, expected.margin_squared)
    assert type(verdict.mistake_bound) is int
    assert verdict.mistake_bound == expected.radius_squared // expected.margin_squared


def assert_root(value, exact_square):
    """The value is the square root to the last digits of a double."""
    slack = Fraction(math.ulp(value)) * 4
    low, high = max(Fraction(0), Fraction(value) - slack), Fraction(value) + slack
    assert low**2 <= exact_square <= high**2


def square(value):
    return Fraction(value) ** 2


def check_conflict(verdict, z, positive, family):
    """The multipliers are positive (but for pinned rows) and the combination is exactly zero."""
    conflict = verdict.conflict
    if verdict.outcome == "separable":
        assert conflict == []
        return
    rows = [row for row, _ in conflict]
    assert len(set(rows)) == len(rows) <= verdict.features + 2
    assert all(type(row) is int and type(m) is Fraction for row, m in conflict)
    assert not verdict.strict[rows].any()
    for j in range(len(z[0])):
        assert sum(m * z[row][j] for row, m in conflict) == 0
    pinned = positive if family == "poisson" else [False] * len(z)
    assert all(m != 0 if pinned[row] else m > 0 for row, m in conflict)
    if not conflict:
        fixed = [row for row, pin in zip(z, pinned, strict=True) if pin]
        assert fixed
        left = [r for r, s in zip(z, verdict.strict, strict=True) if not s]
        assert exact.rank(left) == exact.rank(fixed)


def check_weights(verdict, z, expected):
    """The weights, rounded to doubles as they are, have the rows on their sides."""
    if verdict.outcome == "inseparable":
        return
    intercept = [verdict.intercept] if len(z[0]) > verdict.features else []
    w = np.array([*verdict.weights, *intercept])
    assert len(w) == len(z[0])
    assert np.isfinite(w).all()
    narrow = expected.margin_squared < expected.radius_squared / 10**16
    if verdict.outcome == "separable" and not narrow:
        exactly = [Fraction(v) for v in w.tolist()]
        assert min(exact.dot(row, exactly) for row in z) > 0


def check_certificate(certificate, X, y):
    """Valid for the package's checker and for the one of the standard library."""
    found = nk.verify(certificate, X, y)
    assert found.valid, found.reason
    found = checker.check_arrays(certificate.text, entries(X), np.asarray(y).tolist())
    assert found.valid, found.reason


def check_unit_length(X, y, *, bias):
    """The same outcome as without unit length, and the margin of the scaled rows."""
    positive = is_positive(y)
    z = exact.signed_rows(entries(X), positive, bias)
    expected = exact.facts(entries(X), positive, bias=bias)
    verdict = nk.check(X, y, fit_intercept=bias, unit_length=True)
    assert verdict.outcome == expected.outcome
    assert verdict.strict.tolist() == expected.strict
    assert fates(verdict) == expected.coefficients
    check_conflict(verdict, z, positive, "binary")
    check_certificate(verdict.certificate, X, y)
    if expected.outcome == "separable":
        low, high = exact.unit_margin_squared(z)
        margin = verdict.margin
        assert square(margin.lower) <= high
        assert square(margin.upper) >= low
        assert margin.lower >= 0.999 * margin.upper - 1e-322
        assert verdict.radius == 1.0
        assert math.floor(1 / high) <= verdict.mistake_bound <= Fraction(101, 100) / low
