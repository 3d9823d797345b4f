"""Verdicts on thousands of small, awkward data sets, against the exact reference."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import exact_reference as exact
import novikoff as nk
from awkward import KINDS, corners, gaps, overlapping, problem, touching
from verdict_support import agree, check_certificate, check_unit_length, entries, fates

BATCHES = range(4)
BATCH = 40
FEW = [(kind, seed) for kind in KINDS for seed in range(1000, 1006)]

few = pytest.mark.parametrize(
    ("kind", "seed"), FEW, ids=[f"{kind.__name__}-{seed}" for kind, seed in FEW]
)
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def as_labels(positive):
    return np.where(positive, 1, -1)


def told(kind, seed, X, y, bias):
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
            raise AssertionError(told(kind, seed, X, y, bias)) from error


@every_kind
def test_everything_a_verdict_says_of_counts(kind):
    for seed in range(2000, 2000 + BATCH):
        X, positive, bias = problem(kind, seed)
        y = positive * np.random.default_rng(seed).integers(1, 4, len(X))
        try:
            agree(X, y, bias=bias, family="poisson")
        except Exception as error:
            raise AssertionError(told(kind, seed, X, y, bias)) from error


@every_kind
def test_everything_a_verdict_says_of_rows_of_unit_length(kind):
    for seed in range(3000, 3000 + BATCH // 2):
        X, positive, bias = problem(kind, seed)
        y = as_labels(positive)
        try:
            check_unit_length(X, y, bias=bias)
        except Exception as error:
            raise AssertionError(told(kind, seed, X, y, bias)) from error


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
@settings(max_examples=300)
def test_whatever_the_rows(data, bias, family):
    X, y = data
    assume(y.any() and is_long_enough(X) and (family == "poisson" or not y.all()))
    agree(X, y, bias=bias, family=family)


# The same data in another form


def same(verdict, other, *, but=()):
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
    same(verdict, other, but={"margin", "conflict", "bound", "certificate"})
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
    features = [fates(verdict)[j] for j in columns]
    assert fates(other) == features + fates(verdict)[len(columns) :]


@few
def test_the_layout_makes_no_difference(kind, seed):
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
        same(verdict, other)
        check_certificate(verdict.certificate, form, y)


@few
def test_labels_may_be_called_anything_and_swapped(kind, seed):
    X, positive, bias = problem(kind, seed)
    verdict = nk.check(X, as_labels(positive), fit_intercept=bias)
    for no, yes in [(0, 1), (False, True), ("no", "yes"), (2.5, 7.0)]:
        other = nk.check(X, np.where(positive, yes, no), fit_intercept=bias)
        same(verdict, other, but={"certificate"})
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
        same(verdict, other, but={"certificate", "conflict"})


def test_integers_beyond_doubles_are_exact():
    big = 2**53
    X = np.array([[big], [big + 1]])
    assert float(big) == float(big + 1)
    assert agree(X, [0, 1]).outcome == "separable"
    assert agree(X.astype(float), [0, 1]).outcome == "inseparable"


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
    z = exact.signed_rows(entries(X), [True] * len(X), bias)
    basis = [exact.eliminate([exact.whole(row) for row in rows]) for rows in split(z, strict)]
    found = []
    for j in range(len(z[0])):
        on_all, all_rows = (is_determined(j, *each) for each in basis)
        found.append("finite" if on_all else "diverges" if all_rows else "unidentified")
    return found


def split(z, strict):
    return [row for row, is_strict in zip(z, strict, strict=True) if not is_strict], z


def is_determined(j, reduced, pivots):
    """Whether e_j is in the span: then the pivot row of column j is e_j itself."""
    return j in pivots and sum(v != 0 for v in reduced[pivots.index(j)]) == 1
