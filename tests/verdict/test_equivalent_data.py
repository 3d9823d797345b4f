"""The same data in other forms have the same verdict, and exact numbers their exact one."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

import novikoff as nk
from tests.helpers.awkward_rows import KINDS, problem
from tests.helpers.verdicts import agree, as_labels, check_certificate, fates

FEW = [(kind, seed) for kind in KINDS for seed in range(1000, 1006)]

few = pytest.mark.parametrize(
    ("kind", "seed"), FEW, ids=[f"{kind.__name__}-{seed}" for kind, seed in FEW]
)


def check_same(verdict, other, *, but=()):
    """Two verdicts that say the same, also in their certificates."""
    parts = {
        "outcome": lambda v: v.outcome,
        "margin": lambda v: v.margin.squared,
        "strict": lambda v: v.strict.tolist(),
        "coefficients": fates,
        "conflict": lambda v: v.conflict,
        "bound": lambda v: v.mistake_bound,
        "certificate": lambda v: v.certificate.text,
    }
    for name, part in parts.items():
        if name not in but:
            assert part(verdict) == part(other), name


@few
def test_a_column_may_be_in_any_unit(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    units = 2.0 ** np.random.default_rng(seed).integers(-40, 41, X.shape[1])
    verdict, other = (nk.check(x, y, fit_intercept=bias) for x in (X, X * units))
    check_same(verdict, other, but={"margin", "conflict", "bound", "certificate"})
    check_certificate(other.certificate, X * units, y)


@few
def test_rows_and_columns_may_come_in_any_order(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    verdict = nk.check(X, y, fit_intercept=bias)
    other = nk.check(X[rows][:, columns], y[rows], fit_intercept=bias)
    assert other.outcome == verdict.outcome
    assert other.margin.squared == verdict.margin.squared
    assert other.mistake_bound == verdict.mistake_bound
    assert other.strict.tolist() == verdict.strict[rows].tolist()
    assert other.rank == verdict.rank
    assert len(other.aliased) == len(verdict.aliased)  # others, if the order is another
    if verdict.aliased:
        columns = np.arange(X.shape[1])
        other = nk.check(X[rows], y[rows], fit_intercept=bias)
        assert other.aliased == verdict.aliased
    features = [fates(verdict)[j] for j in columns]
    assert fates(other) == features + fates(verdict)[len(columns) :]


@few
def test_the_layout_makes_no_difference(kind, seed, monkeypatch):
    monkeypatch.setattr(
        "novikoff.learning.rows.FEW", 0
    )  # else so few of them are made the same first
    X, positive, bias = problem(kind, seed)
    in_range = (abs(X) < 1e30) & (abs(X) > 1e-30)
    X = np.where(in_range, X, np.sign(X)).astype(np.float32).astype(float)
    y = as_labels(positive)
    verdict = nk.check(X, y, fit_intercept=bias)
    sparse = scipy.sparse.csr_array(X)
    stored = scipy.sparse.csr_array(np.ones_like(X))  # zeros that are stored
    stored.data[:] = X.ravel()
    forms = [np.asfortranarray(X), X.astype(np.float32), sparse, sparse.astype(np.float32)]
    forms += [stored, sparse.tocsc(), X.tolist(), X.astype(">f8"), np.repeat(X, 2, axis=1)[:, ::2]]
    for form in forms:
        other = nk.check(form, y, fit_intercept=bias)
        check_same(verdict, other)
        check_certificate(verdict.certificate, form, y)


@few
def test_labels_may_be_called_anything_and_swapped(kind, seed):
    X, positive, bias = problem(kind, seed)
    verdict = nk.check(X, as_labels(positive), fit_intercept=bias)
    for no, yes in [(0, 1), (False, True), ("no", "yes"), (2.5, 7.0)]:
        other = nk.check(X, np.where(positive, yes, no), fit_intercept=bias)
        check_same(verdict, other, but={"certificate"})
    swapped = nk.check(X, as_labels(~positive), fit_intercept=bias)
    assert swapped.outcome == verdict.outcome
    assert swapped.margin.squared == verdict.margin.squared
    assert swapped.strict.tolist() == verdict.strict.tolist()
    turned = {"+": "-", "-": "+", "either": "either", None: None}
    assert fates(swapped) == [(status, turned[sign]) for status, sign in fates(verdict)]


@few
def test_rows_given_twice_change_nothing_but_where_they_are(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    verdict = nk.check(X, y, fit_intercept=bias)
    other = nk.check(np.vstack([X, X]), np.concatenate([y, y]), fit_intercept=bias)
    assert other.outcome == verdict.outcome
    assert other.margin.squared == verdict.margin.squared
    assert other.strict.tolist() == verdict.strict.tolist() * 2
    assert fates(other) == fates(verdict)


@few
def test_a_certificate_is_of_its_own_rows_alone(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    verdict = nk.check(X, y, fit_intercept=bias)
    moved = X.copy()
    moved[-1, -1] = np.nextafter(moved[-1, -1], np.inf) if moved[-1, -1] else 1.0
    assert not nk.verify(verdict.certificate, moved, y).valid
    turned = y.copy()
    turned[0] *= -1
    assert not nk.verify(verdict.certificate, X, turned).valid
    assert not nk.verify(verdict.certificate, X[:-1], y[:-1]).valid


@few
def test_less_time_may_leave_it_undecided_but_never_wrong(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    verdict = nk.check(X, y, fit_intercept=bias)
    hurried = nk.check(X, y, fit_intercept=bias, time_limit=1e-6)
    assert hurried.outcome in (verdict.outcome, "undecided")
    if hurried.outcome == "undecided":
        assert hurried.certificate is None
        assert hurried.mistake_bound is None
    if verdict.outcome == "separable":
        assert hurried.margin.lower <= verdict.margin.upper
        assert hurried.margin.upper >= verdict.margin.lower


@few
def test_less_precision_is_still_a_bracket_of_the_margin(kind, seed):
    X, positive, bias = problem(kind, seed)
    y = as_labels(positive)
    verdict = nk.check(X, y, fit_intercept=bias)
    rough = nk.check(X, y, fit_intercept=bias, precision=0.5)
    assert rough.outcome == verdict.outcome
    assert rough.strict.tolist() == verdict.strict.tolist()
    check_certificate(rough.certificate, X, y)
    if verdict.outcome == "separable":
        assert Fraction(rough.margin.lower) ** 2 <= verdict.margin.squared
        assert Fraction(rough.margin.upper) ** 2 >= verdict.margin.squared
        assert rough.margin.lower >= 0.49 * rough.margin.upper
        assert rough.mistake_bound >= verdict.mistake_bound


# Numbers that are not doubles


def fractions_of(X, kind=Fraction):
    out = np.empty((len(X), len(X[0])), object)
    out[:] = [[kind(text) for text in row] for row in X]
    return out


ON_A_LINE = [["0.1", "0.3"], ["0.2", "0.6"], ["0.3", "0.9"], ["0.4", "1.2"]]
SUM_ONE = [["0.1", "0.9"], ["0.2", "0.8"], ["0.3", "0.7"], ["0.6", "0.4"]]
CLOSE = [["1"], ["1.00000000000000000001"]]


@pytest.mark.parametrize("kind", [Fraction, Decimal])
@pytest.mark.parametrize(
    ("texts", "y", "exactly", "rounded"),
    [
        (ON_A_LINE[:3], [0, 1, 0], "inseparable", "separable"),
        (ON_A_LINE, [0, 1, 0, 1], "inseparable", "separable"),
        (ON_A_LINE, [0, 1, 1, 0], "inseparable", "quasi-separable"),
        (SUM_ONE, [1, 0, 1, 0], "inseparable", "separable"),
        (CLOSE, [0, 1], "separable", "inseparable"),
    ],
)
def test_decimals_are_taken_at_their_word(kind, texts, y, exactly, rounded):
    assert agree(fractions_of(texts, kind), y).outcome == exactly
    assert agree(np.array(texts, float), y).outcome == rounded


def test_a_sum_of_decimals_flips_where_doubles_round():
    """0.1 + 0.2 is 0.3, or a little more."""
    tenth, fifth, three = (Decimal(text) for text in ("0.1", "0.2", "0.3"))
    X = fractions_of([[tenth + fifth], [three]], Fraction)
    verdict = agree(X, [1, 0])
    assert verdict.outcome == "inseparable"
    assert verdict.conflict == [(0, verdict.conflict[0][1]), (1, verdict.conflict[0][1])]
    assert agree(np.array([[0.1 + 0.2], [0.3]]), [1, 0]).outcome == "separable"


@pytest.mark.parametrize("seed", range(40))
def test_fractions_and_decimals_as_rows(seed):
    rng = np.random.default_rng(seed)
    rows, features = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    tops = rng.integers(-9, 10, (rows, features))
    bottoms = rng.choice([1, 2, 5, 10, 1000], (rows, features))
    X = np.empty((rows, features), object)
    for place, top in np.ndenumerate(tops):
        kind = [Fraction, lambda a, b: Decimal(a) / Decimal(b)][int(rng.integers(2))]
        X[place] = kind(int(top), int(bottoms[place]))
        if seed % 2:
            X[place] = Fraction(int(top), int(bottoms[place]) * 3)
    y = rng.integers(0, 2, rows)
    y[:2] = 0, 1
    agree(X, y, bias=bool(seed % 3))


def test_fractions_that_are_doubles_get_the_same_verdict_as_doubles():
    for kind in KINDS:
        X, positive, bias = problem(kind, 77)
        y = as_labels(positive)
        exactly = np.empty(X.shape, object)
        exactly[:] = [[Fraction(v) for v in row] for row in X.tolist()]
        verdict, other = (nk.check(x, y, fit_intercept=bias) for x in (X, exactly))
        check_same(verdict, other, but={"certificate", "conflict"})


def test_integers_beyond_doubles_are_exact():
    big = 2**53
    X = np.array([[big], [big + 1]])
    assert float(big) == float(big + 1)
    assert agree(X, [0, 1]).outcome == "separable"
    assert agree(X.astype(float), [0, 1]).outcome == "inseparable"
