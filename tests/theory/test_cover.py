"""Cover's count, general position and the capacity curve."""

import decimal
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff import cover_count
from novikoff.errors import DataError, ParameterError
from novikoff.learning.rows import make_rows
from novikoff.theory.cover import capacity, dependence_search, general_position, quick_check
from novikoff.verdict.signed import Signed
from tests.helpers import exact_reference as exact
from tests.helpers.examples import examples
from tests.helpers.point_sets import AWKWARD, lifted, matrices

# Counting


def by_definition(P, N):
    return 2 * sum(math.comb(P - 1, k) for k in range(N))


@pytest.mark.parametrize("P", [1, 2, 3, 7, 64, 65, 200, 301])
def test_the_count_is_the_sum_of_binomials(P):
    for N in range(P + 3):
        assert nk.cover.count(P, N) == by_definition(P, N)
        assert nk.cover.count(P, N, threshold=True) == by_definition(P, N + 1)


@given(st.integers(2, 400), st.integers(1, 400))
def test_the_count_obeys_the_recursion_of_its_proof(P, N):
    """One more point splits those labellings that a hyperplane through it realises."""
    assert nk.cover.count(P, N) == nk.cover.count(P - 1, N) + nk.cover.count(P - 1, N - 1)


def test_a_count_of_any_size_is_exact():
    P, N = 100_000, 10_000
    total, term = 0, 1
    for k in range(N):
        total += term
        term = term * (P - 1 - k) // (k + 1)
    assert nk.cover.count(P, N) == 2 * total
    assert nk.cover.count(P, P - N) == 2**P - 2 * total


@given(st.integers(1, 2000), st.integers(0, 2100))
@example(2000, 1000)
@example(1050, 1)
@example(1075, 1)
@example(1076, 1)
@example(1100, 1)
@examples(30)
def test_the_fraction_is_the_nearest_double(P, N):
    share = Fraction(by_definition(P, N), 2**P)
    assert is_nearest(nk.cover.fraction(P, N), share)


@given(st.integers(1, 1000), st.integers(1, 1010))
def test_the_logarithm_is_that_of_the_fraction(P, N):
    found = nk.cover.log2_fraction(P, N)
    share = Fraction(by_definition(P, N), 2**P)
    if 2 * N >= P:  # log2(1 - r) = -(r + r^2 / 2 + ...) / ln 2
        rest = float(1 - share)
        assert found == pytest.approx(math.log1p(-rest) / math.log(2), rel=1e-12)
    else:
        assert found == pytest.approx(math.log2(share), rel=1e-12)


def test_far_below_all_doubles_the_logarithm_remains():
    assert nk.cover.fraction(100_000, 10_000) == 0.0
    bits = nk.cover.count(100_000, 10_000).bit_length() - 100_000
    assert bits - 1 <= nk.cover.log2_fraction(100_000, 10_000) <= bits
    assert nk.cover.log2_fraction(5, 0) == -math.inf
    assert nk.cover.log2_fraction(10**9, 2) == pytest.approx(math.log2(2 * 10**9) - 10**9)


def is_nearest(found, share):
    nearby = [Fraction(math.nextafter(found, side)) for side in (-1.0, 2.0)]
    return all(abs(found - share) <= abs(other - share) for other in nearby)


@given(st.integers(cover_count.SMALL + 1, 40_000), st.data())
@examples(25)
def test_an_enclosed_fraction_is_the_nearest_double_and_its_logarithm_right(P, data):
    """Against exact integers: in the middle, in the tails, and at the ends."""
    spread = 40 * math.isqrt(P)
    middle = st.integers(P // 2 - spread, P // 2 + spread)
    N = data.draw(middle | st.integers(1, P - 1) | st.sampled_from([1, 2, P - 2, P - 1]))
    N = min(max(N, 1), P - 1)
    realised = nk.cover.count(P, N)
    assert is_nearest(nk.cover.fraction(P, N), Fraction(realised, 2**P))
    found = nk.cover.log2_fraction(P, N)
    if 2 * N < P:
        with decimal.localcontext(prec=60):
            expected = (Decimal(realised) / Decimal(2**P)).ln() / Decimal(2).ln()
        assert abs(Decimal(found) - expected) <= 4 * Decimal(math.ulp(found))
    size = cover_count.magnitude(P, N)
    text = cover_count.decimal_digits(realised)
    assert size == (cover_count.readable_count(realised), len(text))


@pytest.mark.parametrize("P", [10**7, 10**9 + 1, 10**12, 10**15])
def test_fractions_of_any_size(P):
    """Two halves make a whole; the share falls with P as its proof's recursion says; at one
    standard deviation it is that of the normal distribution, within Berry and Esseen's bound.
    """
    half = P // 2
    for N in (half - 3 * math.isqrt(P), half - math.isqrt(P) // 2, half - 1, half + 7):
        share, rest = nk.cover.fraction(P, N), nk.cover.fraction(P, P - N)
        assert share + rest == pytest.approx(1.0, abs=1e-15)
        before = nk.cover.fraction(P - 1, N) + nk.cover.fraction(P - 1, N - 1)
        assert share == pytest.approx(before / 2, rel=1e-15)
        normal = scipy.stats.norm.cdf((2 * N - P) / math.sqrt(P - 1))
        assert share == pytest.approx(normal, abs=1 / math.sqrt(P))
    if P % 2 == 0:
        assert nk.cover.fraction(P, half) == 0.5
    assert (nk.cover.fraction(P, 10**6), nk.cover.fraction(P, P - 10**6)) == (0.0, 1.0)
    assert nk.cover.fraction(P, 1) == 0.0
    assert nk.cover.log2_fraction(P, 1) == 1 - P
    assert nk.cover.fraction(P, P) == nk.cover.fraction(P, P + 1) == 1.0


def test_counts_are_summed_where_no_enclosure_decides(monkeypatch):
    sizes = [(9001, 4400), (9001, 4600), (10_000, 5), (10_000, 10_002)]
    functions = nk.cover.fraction, nk.cover.log2_fraction, cover_count.magnitude
    expected = [function(*size) for function in functions for size in sizes]
    monkeypatch.setattr(cover_count, "PRECISIONS", ())
    found = [function(*size) for function in functions for size in sizes]
    texts = [each for each in found if isinstance(each, tuple)]
    assert texts == expected[-len(texts) :]
    assert found[: -len(texts)] == pytest.approx(expected[: -len(texts)], rel=1e-15)


def test_a_mantissa_that_rounds_up_has_one_digit_still():
    power = next(p for p in range(8001, 10**6) if p * math.log10(2) % 1 > 0.99998)
    size = cover_count.magnitude(power, power)
    text = cover_count.decimal_digits(2**power)
    assert text.startswith("9999")
    assert size == (f"1.000e+{len(text)}", len(text))


def test_sizes_beyond_computation_are_refused():
    P = 10**30
    for function in (nk.cover.fraction, nk.cover.log2_fraction, cover_count.magnitude):
        with pytest.raises(ParameterError, match="is too large: shares of labellings"):
            function(P, P // 3)
    with pytest.raises(ParameterError, match="too many to compute them all"):
        nk.cover.count(10**12, 10**11)
    assert nk.cover.fraction(P, P // 2) == 0.5
    assert nk.cover.count(P, 2) == 2 * P
    assert (nk.cover.fraction(P, 2), nk.cover.fraction(P, P - 2)) == (0.0, 1.0)


@given(st.integers(1, 200), st.integers(1, 100))
def test_regimes(P, N):
    found, share = nk.cover.regime(P, N), Fraction(by_definition(P, N), 2**P)
    expected = {
        "every labelling": share == 1,
        "above one half": Fraction(1, 2) < share < 1,
        "the capacity": share == Fraction(1, 2),
        "below one half": share < Fraction(1, 2) and P < 20 * N,
        "polynomial": share < Fraction(1, 2) and P >= 20 * N,
    }
    assert [name for name, holds in expected.items() if holds] == [found.name]
    assert found.sentence.endswith(".")
    assert nk.cover.regime(P, N - 1, threshold=True) == found


def test_far_above_the_capacity_the_count_is_a_polynomial():
    """C(P, N) over 2 P^(N - 1) / (N - 1)! tends to 1."""
    for N in (2, 3, 5, 8):
        ratios = [
            Fraction(nk.cover.count(P, N) * math.factorial(N - 1), 2 * P ** (N - 1))
            for P in (10**3, 10**5, 10**7)
        ]
        off = [abs(ratio - 1) for ratio in ratios]
        assert off == sorted(off, reverse=True)
        assert off[-1] < Fraction(1, 10**4)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ((0, 3), "P must be a whole number of 1 or more, not 0"),
        ((3, -1), "N must be a whole number of 0 or more, not -1"),
        ((2.5, 1), r"P must be a whole number, not 2\.5"),
        ((3, True), "N must be a whole number of 0 or more, not True"),
        (("3", 1), "P must be a whole number, not '3'"),
    ],
    ids=str,
)
def test_counts_of_what_is_no_count_are_refused(words, match):
    for function in (nk.cover.count, nk.cover.fraction, nk.cover.log2_fraction, nk.cover.regime):
        with pytest.raises(ParameterError, match=match):
            function(*words)


def test_numpy_integers_are_integers():
    assert nk.cover.count(np.int64(100), np.uint8(50)) == 2**99


@given(st.integers(0, 10**60))
def test_counts_are_shown_and_written(number):
    assert cover_count.decimal_digits(number) == str(number)
    text = cover_count.readable_count(number)
    if "e" in text:
        assert float(text) == pytest.approx(number, rel=6e-4)
    else:
        assert int(text.replace(",", "")) == number


# General position


def dependent_by_definition(rows, dim):
    """Whether some subset of at most `dim` rows has a rank below its size."""
    return any(
        exact.rank(subset) < size
        for size in range(1, min(dim, len(rows)) + 1)
        for subset in itertools.combinations(rows, size)
    )


def agrees(X, affine):
    """The position, after it was compared with all minors."""
    rows = lifted(X, affine)
    found = nk.cover.in_general_position(X, affine, limit=None)
    assert found.holds is not dependent_by_definition(rows, len(rows[0]))
    subset = [rows[i] for i in found.dependent]
    if found.holds:
        assert subset == []
        assert found.examined == found.subsets == math.comb(len(X), min(len(X), len(rows[0])))
    else:
        assert found.dependent == sorted(set(found.dependent))
        assert len(subset) <= len(rows[0])
        assert exact.rank(subset) == len(subset) - 1
        for k in range(len(subset)):
            others = subset[:k] + subset[k + 1 :]
            assert not others or exact.rank(others) == len(others)
    return found


@given(matrices(st.integers(-4, 4), 7, 4), st.booleans())
@example([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 2, 3], [1, 1, 0]], False)
def test_general_position_against_all_minors(X, affine):
    agrees(X, affine)


@given(matrices(st.integers(-1000, 1000), 7, 4), st.booleans())
def test_general_position_of_larger_numbers(X, affine):
    agrees(X, affine)


@given(matrices(st.sampled_from(AWKWARD), 6, 3), st.booleans())
@examples(50)
def test_general_position_of_awkward_numbers(X, affine):
    agrees(X, affine)


@given(matrices(st.integers(-4, 4), 7, 5), st.booleans())
@example([[0, 0], [0, 3], [1, 0], [0, 1]], True)  # no slope modulo 3, and yet that of another row
@examples(100)
def test_a_prime_that_divides_minors_costs_time_only(X, affine):
    primes = itertools.cycle([3, 5, 7, 11, 13, 17, 19, 23])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependence_search, "random_prime", lambda bits: next(primes))
        agrees(X, affine)


@pytest.mark.parametrize(("rows", "dim"), [(15, 12), (13, 11), (14, 13)])
def test_more_dimensions_than_are_kept_at_hand(rows, dim):
    """Of many chosen rows, the vectors orthogonal to the first are worked out together."""
    assert dim > dependence_search.LAST + 2
    X = np.random.default_rng(rows).integers(-9, 10, (rows, dim))
    assert nk.cover.in_general_position(X, limit=None).holds
    X[-1] = X[2 : dim - 1].sum(axis=0)
    found = nk.cover.in_general_position(X, limit=None)
    assert found.dependent == [*range(2, dim - 1), rows - 1]


def test_a_planted_dependence_is_found_among_many_subsets():
    X = np.random.default_rng(0).integers(-1000, 1000, (60, 6))
    assert nk.cover.in_general_position(X)
    X[41] = 2 * X[3] - X[17] + X[20] + 5 * X[33]
    found = nk.cover.in_general_position(X)
    assert (found.holds, found.dependent) == (False, [3, 17, 20, 33, 41])
    assert not found
    assert found.reason == "the rows 3, 17, 20, 33, 41 are linearly dependent"


def test_what_is_not_known_is_neither_true_nor_false():
    X = np.random.default_rng(0).standard_normal((200, 10))
    found = nk.cover.in_general_position(X, limit=100_000)
    assert (found.holds, found.dependent) == (None, [])
    assert 0 < found.examined < found.subsets == math.comb(200, 10)
    assert found.reason == f"not refuted after {found.examined:,} of 2.245e+16 subsets"
    with pytest.raises(ParameterError, match=r"not refuted after .* ask for \.holds"):
        bool(found)
    more = nk.cover.in_general_position(X, limit=1_000_000)
    assert more.examined > found.examined
    assert "holds=None" in repr(more)


def test_of_very_many_rows_some_are_looked_at(monkeypatch):
    monkeypatch.setattr(general_position, "ENTRIES", 40)
    X = np.random.default_rng(0).integers(-1000, 1000, (30, 4))
    found = nk.cover.in_general_position(X)
    assert (found.holds, found.examined) == (None, math.comb(10, 4))
    assert nk.cover.in_general_position(X[:, :2]).examined == math.comb(20, 2)
    assert nk.cover.in_general_position(X, limit=None).holds
    X[::2], X[1::2] = X[0], X[1]
    first, second = nk.cover.in_general_position(X).dependent
    assert (first - second) % 2 == 0


def test_it_is_told_how_far_it_is(monkeypatch):
    monkeypatch.setattr(general_position, "AT_ONCE", 1000)
    told = []
    X = np.random.default_rng(0).standard_normal((30, 4))
    nk.cover.in_general_position(X, watch=told.append)
    assert told == sorted(told)
    assert len(told) > 5
    assert told[-1] <= math.comb(30, 4)


def test_units_and_layouts_do_not_matter():
    X = np.random.default_rng(3).integers(-9, 10, (12, 3)).astype(float)
    X[7] = X[2] + X[5]
    forms = [
        X * [2.0**-900, 1.0, 2.0**900],
        (X.T * 2.0 ** np.arange(-600, 600, 100)).T,
        scipy.sparse.csr_array(X),
        X.astype(int).tolist(),
        [[Fraction(int(v), 7) for v in row] for row in X],
        np.hstack([X, np.zeros((12, 0))]),
    ]
    assert {tuple(nk.cover.in_general_position(form).dependent) for form in forms} == {(2, 5, 7)}


def test_a_source_is_read_for_its_rows():
    assert nk.cover.in_general_position(nk.open("example:xor"), affine=True).holds
    assert nk.cover.in_general_position(nk.open("example:iris-setosa")).dependent == [101, 142]


def test_few_rows_in_many_dimensions():
    X = np.random.default_rng(0).integers(-3, 4, (20, 400))
    assert nk.cover.in_general_position(X).holds
    X[19] = X[0] - X[4]
    assert nk.cover.in_general_position(X).dependent == [0, 4, 19]


@pytest.mark.parametrize(
    ("X", "match"),
    [
        ([[1.0, math.nan]], "NaN"),
        ([[1.0, math.inf]], "infinity"),
        ([], "dimension"),
        (np.empty((0, 3)), "no rows"),
        (np.empty((3, 0)), r"0 feature"),
        ([1.0, 2.0], "dimension"),
        (3.0, "not a matrix"),
        ([["a", "b"]], "not a number|text"),
    ],
    ids=["nan", "infinity", "empty", "no rows", "no columns", "one row", "number", "text"],
)
@pytest.mark.parametrize("function", ["in_general_position", "dichotomies", "dichotomy_count"])
def test_what_are_no_points_is_refused(function, X, match):
    with pytest.raises(DataError, match=match):
        getattr(nk.cover, function)(X)


@pytest.mark.parametrize("limit", [-1, 1.5, "many", True])
def test_limits_are_whole_numbers(limit):
    with pytest.raises(ParameterError, match="limit must be a whole number"):
        nk.cover.in_general_position([[1, 2], [3, 4]], limit=limit)


# Capacity


def test_the_capacity_curve_is_covers():
    """One half at P = 2 N whatever N, and a fall around it that is the sharper the larger N is."""
    ratios, shares = [1.0, 1.5, 2.0, 2.5, 3.0], {}
    for N in (4, 16, 48):
        curve = nk.cover.capacity_curve(N, ratios, trials=150, seed=1)
        assert [(at.N, at.P, at.ratio) for at in curve] == [(N, r * N, r) for r in ratios]
        assert curve[2].lower <= 0.5 <= curve[2].upper
        for at in curve:  # so many intervals must be wider for all of them to hold
            low, high = capacity.interval(at.separable, at.trials, 0.9999)
            assert low <= at.cover <= high
        assert all(at.fraction == at.separable / at.trials for at in curve)
        assert all(at.cover == by_definition(at.P, N) / 2**at.P for at in curve)
        assert (curve[0].separable, curve[2].cover) == (150, 0.5)
        shares[N] = [at.fraction for at in curve]
    assert shares[4][1] < shares[16][1] < shares[48][1]
    assert shares[4][3] > shares[16][3] > shares[48][3]


def test_a_trial_does_not_depend_on_the_others():
    whole = nk.cover.capacity_curve(6, [1.5, 2.0, 3.0], trials=30, seed=5)
    assert whole[1:] == nk.cover.capacity_curve(6, [2.0, 3.0], trials=30, seed=5)
    fewer = nk.cover.capacity_curve(6, [2.0], trials=20, seed=5)[0]
    assert 0 <= whole[1].separable - fewer.separable <= 10
    some, more = (capacity._draw_labelling(6, P, 5, 0).rows.values for P in (12, 13))
    assert not np.isin(some, more).any()
    assert whole != nk.cover.capacity_curve(6, [1.5, 2.0, 3.0], trials=30, seed=6)


def test_trials_are_counted():
    told = []
    nk.cover.capacity_curve(3, [1, 2], trials=4, watch=lambda *words: told.append(words))
    assert told == [(k, 8) for k in range(1, 9)]


@pytest.mark.parametrize("trial", range(6))
def test_trials_are_decided_as_check_decides_them(trial):
    for N, P in ((1, 2), (3, 6), (10, 20), (30, 60)):
        signed = capacity._draw_labelling(N, P, 7, trial)
        if len(set(signed.signs.tolist())) == 2:
            verdict = nk.check(signed.rows.values, signed.signs, fit_intercept=False, precision=1)
            assert quick_check.separable(signed) == (verdict.outcome == "separable")


@given(
    matrices(st.one_of(st.integers(-3, 3), st.sampled_from([0.1, 0.3, 1e-17, 1e200])), 6, 3),
    st.data(),
)
@examples(60)
def test_separable_or_not_against_the_reference(X, data):
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X)))
    signed = Signed(make_rows(np.array(X, float), False, False), np.array(signs, np.int8), None)
    sides = exact.signed_rows(X, [sign > 0 for sign in signs], False)
    assert quick_check.separable(signed) == all(exact.strict_sides(sides))


def test_separable_by_a_hair():
    for turn, expected in ((1.0, True), (-1.0, False)):
        X = np.array([[1.0, 2.0**-60], [-1.0, turn * 2.0**-60], [0.0, turn]])
        signed = Signed(make_rows(X, False, False), np.ones(3, np.int8), None)
        assert quick_check.separable(signed) == expected


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([2, 9, 10**6]))
def test_what_cancels_for_certain_does(dim, seed, largest):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-largest, largest + 1, (dim + 1, dim))
    guess = rng.random(dim + 1)
    if quick_check.cancels(rows.astype(float), guess):
        assert exact.rank(rows.tolist()) == dim
        assert not any(exact.strict_sides(rows.tolist()))


def test_what_cancels_is_mostly_seen_to():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((21, 20))
    guess = rng.random(21) + 0.1
    rows[-1] = -(guess[:-1] @ rows[:-1]) / guess[-1]
    assert quick_check.cancels(rows, guess)
    assert not quick_check.cancels(-rows[:-1], guess[:-1])
    rows[-1] *= -1.0
    assert not quick_check.cancels(rows, guess)
    assert not quick_check.cancels(np.zeros((3, 2)), np.ones(3))
    assert not quick_check.cancels(np.array([[1e-200, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.ones(3))


@given(st.integers(0, 40), st.integers(1, 40))
def test_the_interval_is_that_of_clopper_and_pearson(good, trials):
    good = min(good, trials)
    lower, upper = capacity.interval(good, trials)
    assert 0.0 <= lower <= good / trials <= upper <= 1.0
    if good:
        assert scipy.stats.binom.sf(good - 1, trials, lower) == pytest.approx(0.025)
    if good < trials:
        assert scipy.stats.binom.cdf(good, trials, upper) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ((0, [2]), "N must be"),
        ((5, [2], 0), "trials must be"),
        ((5, [2], 10, -1), "seed must be"),
        ((5, [0.01]), "leaves no points"),
        ((5, [math.nan]), "leaves no points"),
        ((5, [-1]), "leaves no points"),
        ((5, ["x"]), "must be a number, not 'x'"),
    ],
    ids=str,
)
def test_curves_that_cannot_be_had_are_refused(words, match):
    with pytest.raises(ParameterError, match=match):
        nk.cover.capacity_curve(*words)


# What it means to be separable


@given(matrices(st.integers(-2, 2), 4, 4), st.booleans())
@examples(60)
def test_every_labelling_and_the_chance_of_a_verdict(X, bias):
    """Every labelling separates iff the rows are independent; C(P, N) bounds how many do."""
    rows = lifted(X, bias)
    good = [
        signs
        for signs in itertools.product([-1, 1], repeat=len(X))
        if all(exact.strict_sides([[s * v for v in r] for s, r in zip(signs, rows, strict=True)]))
    ]
    for signs in good:
        if len(set(signs)) == 2:
            verdict = nk.check(X, signs, fit_intercept=bias, precision=1)
            assert verdict.every_labelling == (exact.rank(rows) == len(X))
            assert verdict.every_labelling == (len(good) == 2 ** len(X))
            assert len(good) / 2 ** len(X) <= verdict.chance
            break


def test_every_labelling_where_it_takes_more_than_a_look():
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (40, 60))
    y = np.where(X[:, 0] > 0, 1, -1)
    assert nk.check(X, y, precision=1).every_labelling is True
    X[7] = X[8]
    assert nk.check(X, y, precision=1).every_labelling is False
    X[7] = X[3] + X[5] - X[8]
    y = np.where(X[:, 0] > 0, 1, -1)
    verdict = nk.check(X, y, fit_intercept=False, precision=1)
    assert verdict.outcome == "separable"
    assert verdict.every_labelling is False
    assert verdict.chance == 1.0 - 2.0**-39


def test_counts_have_no_labellings():
    verdict = nk.check([[1.0], [2.0], [3.0]], [0, 1, 2], family="poisson")
    assert (verdict.every_labelling, verdict.chance) == (None, None)
