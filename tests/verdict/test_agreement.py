"""Verdicts on thousands of small, awkward data sets, against the exact reference."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.verdict.search import search
from tests.helpers import exact_reference as exact
from tests.helpers.awkward_rows import KINDS, corners, gaps, overlapping, problem, touching
from tests.helpers.examples import examples, scaled
from tests.helpers.verdicts import (
    agree,
    as_labels,
    check_certificate,
    check_unit_length,
    entries,
    fates,
)

BATCHES = range(4)
BATCH = scaled(16)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def description(kind, seed, X, y, bias):
    return f"{kind.__name__} {seed}: X = {entries(X)}, y = {y.tolist()}, bias = {bias}"


@every_kind
@pytest.mark.parametrize("batch", BATCHES)
def test_everything_a_verdict_says(kind, batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        X, positive, bias = problem(kind, seed)
        y = as_labels(positive)
        try:
            agree(X, y, bias=bias)
        except Exception as error:
            raise AssertionError(description(kind, seed, X, y, bias)) from error


@every_kind
def test_steps_in_some_hundred_bits_change_nothing(kind, monkeypatch):
    monkeypatch.setattr(search, "FEW_STEPS", 0)
    for seed in range(4000, 4000 + scaled(4)):
        X, positive, bias = problem(kind, seed)
        try:
            agree(X, as_labels(positive), bias=bias)
        except Exception as error:
            raise AssertionError(description(kind, seed, X, as_labels(positive), bias)) from error


def test_magnitudes_beyond_doubles_are_first_searched_in_some_hundred_bits(monkeypatch):
    """Where floating point sees nothing, most steps are not exact ones."""
    bits = []
    affine_minimum = search.Search._affine_minimum

    def noted(self, fixed, moving, some):
        bits.append(some)
        return affine_minimum(self, fixed, moving, some)

    monkeypatch.setattr(search.Search, "_affine_minimum", noted)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.choice([-1, 1], (16, 6)) * 10.0 ** rng.uniform(-60, 60, (16, 6))
        agree(X, np.sign(X[:, 0]))
    assert len([each for each in bits if each]) > len([each for each in bits if each is None])


@every_kind
def test_everything_a_verdict_says_of_counts(kind):
    for seed in range(2000, 2000 + BATCH):
        X, positive, bias = problem(kind, seed)
        y = positive * np.random.default_rng(seed).integers(1, 4, len(X))
        try:
            agree(X, y, bias=bias, family="poisson")
        except Exception as error:
            raise AssertionError(description(kind, seed, X, y, bias)) from error


@every_kind
def test_everything_a_verdict_says_of_rows_of_unit_length(kind):
    for seed in range(3000, 3000 + scaled(8)):
        X, positive, bias = problem(kind, seed)
        y = as_labels(positive)
        try:
            check_unit_length(X, y, bias=bias)
        except Exception as error:
            raise AssertionError(description(kind, seed, X, y, bias)) from error


@pytest.mark.parametrize("seed", range(12))
def test_more_rows_than_a_screen_shows(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (60, 5)).astype(float)
    score = X @ rng.integers(-3, 4, 5)
    X = X[score != 0] if seed % 3 else X
    score = score[score != 0] if seed % 3 else score
    y = as_labels(score > 0)
    if seed % 3 == 2:
        y[:3] *= -1
    agree(X, y, bias=bool(seed % 2))


numbers = st.one_of(
    st.integers(-2, 2).map(float),
    st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, 1e-12, 1e12, 1 + 2**-52]),
    st.floats(-1e6, 1e6),
)


@st.composite
def labelled_rows(draw, max_rows=8, max_features=4):
    rows, features = draw(st.integers(2, max_rows)), draw(st.integers(1, max_features))
    row = st.lists(numbers, min_size=features, max_size=features)
    X = draw(st.lists(row, min_size=rows, max_size=rows))
    y = draw(st.lists(st.sampled_from([0, 1]), min_size=rows, max_size=rows))
    return np.array(X), np.array(y)


def is_long_enough(X):
    """No row's squared length is lost to underflow."""
    return not ((X != 0) & (abs(X) < 1e-100)).any()


@given(labelled_rows(), st.booleans(), st.sampled_from(["binary", "poisson"]))
@examples(300)
def test_whatever_the_rows(data, bias, family):
    X, y = data
    assume(y.any() and is_long_enough(X) and (family == "poisson" or not y.all()))
    agree(X, y, bias=bias, family=family)


# The theorem


@pytest.mark.parametrize("unit_length", [False, True])
@pytest.mark.parametrize("batch", range(4))
def test_no_order_of_the_rows_costs_more_mistakes_than_the_bound(batch, unit_length):
    met = 0
    for seed in range(batch * 30, (batch + 1) * 30):
        for kind in (corners, touching, gaps, overlapping):
            X, positive, bias = problem(kind, seed)
            y = as_labels(positive)
            lift = {"fit_intercept": bias, "unit_length": unit_length}
            verdict = nk.check(X, y, **lift)
            if verdict.mistake_bound is None or verdict.mistake_bound > 1000:
                continue
            met += 1
            runs = [(slice(None), "given"), (slice(None, None, -1), "given")]
            for order, how in [*runs, (slice(None), "shuffle")]:
                model = nk.Perceptron(order=how, random_state=seed, max_epochs=2000, **lift)
                model.fit(X[order], y[order])
                assert model.converged_
                assert model.mistakes_ <= verdict.mistake_bound
                assert verdict.margin.lower <= model.margin_ceiling_ * (1 + 1e-12)
    assert met > 20


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_orthonormal_rows_meet_the_bound(n):
    """gamma = 1 / sqrt(n) and D = 1, and the perceptron makes exactly n mistakes."""
    y = np.array([1, -1] * n)[:n] if n > 1 else np.array([1])
    X = np.eye(n)
    if n == 1:
        X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    verdict = agree(X, y, bias=False)
    assert verdict.margin.squared == Fraction(1, n)
    assert verdict.mistake_bound == n
    assert nk.Perceptron(fit_intercept=False).fit(X, y).mistakes_ == n


# Gaps and overlaps down to one unit in the last place


GAPS = [2.0**-52, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e3]


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("scale", [1e-12, 1.0, 3e7])
def test_a_gap_an_overlap_and_a_touch_are_told_apart(gap, scale):
    a, b = scale, scale * (1 + gap)
    assert a < b
    X = np.array([[a - scale], [a], [b], [b + scale]])
    assert agree(X, [0, 0, 1, 1]).outcome == "separable"
    assert agree(X, [0, 1, 0, 1]).outcome == "inseparable"
    X[2] = a
    assert agree(X, [0, 0, 1, 1]).outcome == "quasi-separable"


@pytest.mark.parametrize("features", [2, 3, 4])
@pytest.mark.parametrize("seed", range(8))
def test_one_row_moved_by_one_ulp_decides(features, seed):
    """A cross of rows on a plane, and a row of the other class just over it, on it, beyond it."""
    rng = np.random.default_rng(seed)
    base = np.vstack([np.eye(features), -np.eye(features)])[:, : features - 1]
    base = np.hstack([base, np.full((len(base), 1), 0.3)])
    row = np.append(rng.uniform(-0.1, 0.1, features - 1), 0.3)
    units = 2.0 ** rng.integers(-30, 31, features)
    expected = {-np.inf: "separable", 0.3: "quasi-separable", np.inf: "inseparable"}
    for towards, outcome in expected.items():
        row[-1] = np.nextafter(0.3, towards)
        below = row - np.eye(features)[-1]
        X = np.vstack([base, below, row]) * units
        y = np.array([1] * len(base) + [-1, -1])
        above = np.append(np.zeros(features - 1), 2.0) * units
        found = agree(np.vstack([X, above]), np.append(y, 1)).outcome
        assert found == outcome


# The ends of the range of doubles


LARGE, SMALL = 1e308, 5e-324


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    "X",
    [
        [[0, 1e150], [1e150, 0], [1e150, 1e150], [0, 0]],
        [[0, 1e-160], [1e-160, 0], [1e-160, 1e-160], [0, 0]],
        [[LARGE, 1], [-LARGE, 2], [5, LARGE], [LARGE, LARGE]],
        [[LARGE, 0], [1.7 * LARGE, 0], [1.7 * LARGE, 1], [0, 1]],
        [[SMALL, 1], [2 * SMALL, 1], [4 * SMALL, 1], [0, 1]],
        [[SMALL, LARGE], [2 * SMALL, LARGE], [4 * SMALL, -LARGE], [0, 0]],
    ],
)
def test_numbers_near_the_ends_of_doubles(X, bias):
    """Squares that overflow or vanish change nothing."""
    for code in range(1, 15):
        agree(np.array(X, float), [code >> k & 1 for k in range(4)], bias=bias)


# Data that are too large for the reference, where the certificate is the proof


def large_problems(seed):
    """Rows of kinds that a search in floating point finds hard, with their names."""
    rng = np.random.default_rng(seed)
    ternary = rng.integers(-1, 2, (300, 12)).astype(float)
    yield "ternary", ternary, on_sides(rng, ternary)
    flat = (rng.integers(-2, 3, (200, 5)) @ rng.integers(-2, 3, (5, 20))).astype(float)
    yield "flat", flat, on_sides(rng, flat)
    levels = [3, 5, 8, 20]
    codes = [rng.integers(0, k, 400) for k in levels]
    indicators = np.hstack([np.eye(k)[code] for k, code in zip(levels, codes, strict=True)])
    yield "indicators", indicators, (codes[0] == 1) | (rng.random(400) < 0.5)
    tenths = np.round(rng.uniform(0, 10, (400, 6)), 1)
    yield "tenths", tenths, on_sides(rng, tenths)
    steps = np.tril(rng.integers(-2, 3, (36, 12)))
    steps = np.vstack([steps[:12] + np.eye(12, dtype=int) * 5, np.tril(steps[12:24])])
    yield "steps", steps.astype(float), rng.random(len(steps)) < 0.5
    chance = rng.integers(0, 3, (800, 15)) * 10.0 ** rng.integers(-12, 13, 15)
    yield "chance", chance, rng.random(800) < 0.5
    cloud = rng.standard_normal((1000, 10))
    yield "cloud", cloud, on_sides(rng, cloud)


def on_sides(rng, X):
    """The sides of a plane, and chance on it."""
    score = X @ rng.integers(-3, 4, X.shape[1])
    return np.where(abs(score) < 1e-9, rng.random(len(X)) < 0.5, score > 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bias", [True, False])
def test_larger_data_have_a_verdict_with_a_valid_certificate(seed, bias):
    for name, X, positive in large_problems(seed):
        y = as_labels(positive)
        verdict = nk.check(X, y, fit_intercept=bias)
        assert verdict.outcome != "undecided", name
        check_certificate(verdict.certificate, X, y)
        scaled = nk.check(X * 2.0 ** np.arange(-6, X.shape[1] - 6), y, fit_intercept=bias)
        assert scaled.outcome == verdict.outcome, name
        assert scaled.strict.tolist() == verdict.strict.tolist(), name
        assert [status for status, _ in fates(scaled)] == statuses(X, verdict.strict, bias), name
        counts = nk.check(X, positive * 2, fit_intercept=bias, family="poisson")
        check_certificate(counts.certificate, X, positive * 2)


def statuses(X, strict, bias):
    """What becomes of each coefficient, from the rows that lie on every plane."""
    z = [exact.whole(row) for row in exact.signed_rows(entries(X), [True] * len(X), bias)]
    width = len(z[0])
    order = [width - 1, *range(width - 1)] if bias else list(range(width))
    kept = [order[k] for k in exact.eliminate([[row[j] for j in order] for row in z])[1]]
    on_all = exact.eliminate([[row[j] for j in kept] for row in split(z, strict)[0]])
    found = {j: "finite" if is_determined(k, *on_all) else "diverges" for k, j in enumerate(kept)}
    zero = [j for j in range(width) if not any(row[j] for row in z)]
    found |= dict.fromkeys(zero, "unidentified")
    return [found.get(j, "aliased") for j in range(width)]


def split(z, strict):
    return [row for row, is_strict in zip(z, strict, strict=True) if not is_strict], z


def is_determined(j, reduced, pivots):
    """Whether e_j is in the span: then the pivot row of column j is e_j itself."""
    return j in pivots and sum(v != 0 for v in reduced[pivots.index(j)]) == 1
