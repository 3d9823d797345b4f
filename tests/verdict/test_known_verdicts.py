"""Verdicts that are known beforehand: textbook cases, counting results, well-known data sets."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn import datasets

import novikoff as nk
from tests.helpers import exact_reference as exact
from tests.helpers.verdicts import agree, check_certificate, entries, fates

FINITE, UNKNOWN = ("finite", None), ("unidentified", None)
ALIASED = ("aliased", None)
UP, DOWN, EITHER = (("diverges", sign) for sign in ("+", "-", "either"))


# Corners of a cube


@pytest.mark.parametrize(("n", "separable"), [(1, 4), (2, 14), (3, 104)])
def test_how_many_labellings_of_a_cube_are_separable(n, separable):
    corners = np.array(list(product([0.0, 1.0], repeat=n)))
    found = 2  # those with one label, which need no verdict
    for labels in product([0, 1], repeat=2**n):
        if 0 < sum(labels) < 2**n:
            found += nk.check(corners, labels).outcome == "separable"
    assert found == separable


@pytest.mark.parametrize("n", [2, 3])
def test_labellings_of_a_cube_in_every_detail(n):
    corners = np.array(list(product([0.0, 1.0], repeat=n)))
    for code in range(1, 2**2**n - 1, 1 if n == 2 else 7):
        agree(corners, [code >> k & 1 for k in range(2**n)])


def test_the_exclusive_or_is_a_conflict_of_four_rows():
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    verdict = agree(corners, [0, 1, 1, 0])
    assert verdict.outcome == "inseparable"
    assert [row for row, _ in verdict.conflict] == [0, 1, 2, 3]
    assert len({multiplier for _, multiplier in verdict.conflict}) == 1
    assert fates(verdict) == [FINITE] * 3


def test_and_and_or_have_the_margins_of_geometry():
    """The plane halves the way between (1, 1) and the other corners; the lift makes it nearer."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    both = agree(corners, [0, 0, 0, 1])
    either = agree(corners, [0, 1, 1, 1])
    # w = (2, 2, -3) has 1 on three rows, w = (2, 2, -1) too
    assert both.margin.squared == Fraction(1, 17)
    assert either.margin.squared == Fraction(1, 9)
    assert both.mistake_bound == 3 * 17
    assert fates(both) == [UP, UP, DOWN]
    assert fates(either) == [UP, UP, DOWN]


# Counting


def powers(points, degree):
    """Rows (t, t^2, ...): on them a plane changes sides at most `degree` times."""
    return np.array([[float(t**k) for k in range(1, degree + 1)] for t in points])


def changes(labels):
    return sum(a != b for a, b in pairwise(labels))


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 6])
def test_which_labellings_of_a_curve_are_separable_and_how_many(degree):
    """Cover: of P rows in general position in N dimensions, 2 sum_(k < N) binomial(P - 1, k)."""
    X = powers(range(-3, 4), degree)
    found = 2
    for labels in product([0, 1], repeat=7):
        if 0 < sum(labels) < 7:
            is_separable = nk.check(X, labels).outcome == "separable"
            assert is_separable == (changes(labels) <= degree)
            found += is_separable
    assert found == 2 * sum(math.comb(6, k) for k in range(degree + 1))


@pytest.mark.parametrize(("features", "bias"), [(2, True), (3, False), (3, True), (4, False)])
def test_random_rows_have_as_many_separable_labellings_as_cover_counted(features, bias):
    X = np.random.default_rng(features).standard_normal((7, features))
    labellings = [labels for labels in product([0, 1], repeat=7) if 0 < sum(labels) < 7]
    outcomes = [nk.check(X, labels, fit_intercept=bias).outcome for labels in labellings]
    one_label = [exact.facts(X.tolist(), [p] * 7, bias=bias).outcome for p in (True, False)]
    total = [*outcomes, *one_label].count("separable")
    assert total == 2 * sum(math.comb(6, k) for k in range(features + bias))


@pytest.mark.parametrize("degree", [4, 8, 12])
def test_high_powers_are_told_apart_to_the_last_change_of_sides(degree):
    """Rows whose entries run from 1 to 14^12, and the nearest call there is."""
    X = powers(range(1, degree + 3), degree)
    y = np.arange(degree + 2) % 2
    verdict = agree(X, y)
    assert verdict.outcome == "inseparable"
    assert len(verdict.conflict) == degree + 2
    y[-1] = y[-2]
    assert agree(X, y).outcome == "separable"


# Complete and quasi-complete separation, with what becomes of each coefficient


@pytest.mark.parametrize(
    ("X", "y", "outcome", "strict", "expected"),
    [
        # one regressor, apart: the slope grows, the threshold between 3 and 5 is above 0
        ([[1], [2], [3], [5], [6]], [0, 0, 0, 1, 1], "separable", [1] * 5, [UP, DOWN]),
        # a threshold between -1 and 1: the intercept may go either way, or nowhere
        ([[-2], [-1], [1], [2]], [0, 0, 1, 1], "separable", [1] * 4, [UP, EITHER]),
        # the sides touch at 3, and both the slope and the intercept follow 3 slope = -intercept
        ([[1], [2], [3], [3], [4]], [0, 0, 0, 1, 1], "quasi-separable", "11001", [UP, DOWN]),
        # they touch at 0: the intercept stays
        ([[-1], [0], [0], [1]], [0, 0, 1, 1], "quasi-separable", "1001", [UP, FINITE]),
        # they overlap
        ([[1], [2], [3], [4]], [0, 1, 0, 1], "inseparable", [0] * 4, [FINITE, FINITE]),
        # a rare event: whenever the indicator is 1 the outcome is 1
        (
            [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3]],
            [0, 1, 0, 1, 1, 1],
            "quasi-separable",
            "000011",
            [UP, FINITE, FINITE],
        ),
        # an empty cell in a two by two table: no case among the unexposed
        (
            [[0], [0], [1], [1], [1]],
            [0, 0, 0, 1, 1],
            "quasi-separable",
            "11000",
            [UP, DOWN],
        ),
        # two empty cells across from each other
        ([[0], [0], [1], [1]], [0, 0, 1, 1], "separable", [1] * 4, [UP, DOWN]),
        # an indicator that is only ever seen with outcome 0, beside an overlapping regressor
        (
            [[1, 0], [2, 0], [3, 0], [4, 0], [9, 1]],
            [0, 1, 0, 1, 0],
            "quasi-separable",
            "00001",
            [FINITE, DOWN, FINITE],
        ),
        # two indicators that add up to 1: the second is aliased
        (
            [[1, 0], [1, 0], [0, 1], [0, 1]],
            [0, 1, 0, 1],
            "inseparable",
            [0] * 4,
            [FINITE, ALIASED, FINITE],
        ),
        # a column of zeros says nothing, a regressor beside it separates
        ([[1, 0], [2, 0]], [0, 1], "separable", [1, 1], [UP, UNKNOWN, DOWN]),
        # only the sum of two columns is observed, and it separates
        ([[1, 1], [-1, -1]], [1, 0], "separable", [1, 1], [UP, ALIASED, EITHER]),
        # the second regressor separates by so much that the first may go either way
        (
            [[0, 1], [0, -1], [1, 5], [-1, -5]],
            [1, 0, 1, 0],
            "separable",
            [1] * 4,
            [EITHER, UP, EITHER],
        ),
        # the sum of both separates, and neither does without the other
        (
            [[1, 0], [0, 1], [-1, 0], [0, -1], [2, -1], [-2, 1], [-1, 2], [1, -2]],
            [1, 1, 0, 0, 1, 0, 1, 0],
            "separable",
            [1] * 8,
            [UP, UP, EITHER],
        ),
        # four rows of a square, left against right, touching along the whole diagonal
        (
            [[0, 0], [1, 1], [0, 0], [1, 1], [1, 0], [0, 1]],
            [0, 0, 1, 1, 1, 0],
            "quasi-separable",
            "000011",
            [UP, DOWN, FINITE],
        ),
    ],
)
def test_what_becomes_of_each_coefficient(X, y, outcome, strict, expected):
    verdict = agree(np.array(X, float), y)
    assert verdict.outcome == outcome
    assert verdict.strict.tolist() == [bool(int(s)) for s in strict]
    assert fates(verdict) == expected


def test_without_an_intercept_a_touch_at_the_origin_is_no_touch():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), [1, 1, 0]
    verdict = agree(X, y, bias=False)
    assert verdict.outcome == "separable"
    assert verdict.margin.squared == Fraction(1, 2)
    assert fates(verdict) == [UP, UP]
    with_origin = agree(np.vstack([X, [0.0, 0.0]]), [*y, 0], bias=False)
    assert with_origin.outcome == "quasi-separable"
    assert with_origin.conflict == [(3, with_origin.conflict[0][1])]


def test_rows_of_zeros_alone_are_inseparable_without_an_intercept():
    verdict = agree(np.zeros((3, 2)), [0, 1, 0], bias=False)
    assert verdict.outcome == "inseparable"
    assert len(verdict.conflict) == 1
    assert fates(verdict) == [UNKNOWN, UNKNOWN]


# Counts


@pytest.mark.parametrize(
    ("X", "y", "outcome", "strict", "expected"),
    [
        # the indicator is 1 only where the count is 0: its coefficient falls for ever
        ([[0], [0], [1]], [2, 1, 0], "quasi-separable", "001", [DOWN, FINITE]),
        # counts above 0 at both values pin the line
        ([[0], [1], [1]], [2, 1, 0], "inseparable", "000", [FINITE, FINITE]),
        # all counts above 0 are at one value, the zeros on both sides of it
        ([[1], [2], [3]], [0, 5, 0], "inseparable", "000", [FINITE, FINITE]),
        # the zeros on one side: the slope falls and the intercept makes up for it
        ([[2], [3], [4]], [5, 0, 0], "quasi-separable", "011", [DOWN, UP]),
        # a second regressor that the counts above 0 never leave
        (
            [[1, 0], [2, 0], [3, 1], [4, 2]],
            [1, 3, 0, 0],
            "quasi-separable",
            "0011",
            [FINITE, DOWN, FINITE],
        ),
        # no zeros at all
        ([[1], [2], [3]], [1, 1, 2], "inseparable", "000", [FINITE, FINITE]),
        ([[1], [1]], [1, 2], "inseparable", "00", [ALIASED, FINITE]),
    ],
)
def test_counts(X, y, outcome, strict, expected):
    verdict = agree(np.array(X, float), y, family="poisson")
    assert verdict.outcome == outcome
    assert verdict.strict.tolist() == [s == "1" for s in strict]
    assert fates(verdict) == expected


def test_counts_above_zero_at_rows_of_zeros_pin_nothing():
    zeros = agree(np.zeros((2, 1)), [1, 1], bias=False, family="poisson")
    assert (zeros.outcome, fates(zeros)) == ("inseparable", [UNKNOWN])
    verdict = agree(np.array([[2.0, -2.0], [0.0, 0.0]]), [0, 3], bias=False, family="poisson")
    assert (verdict.outcome, fates(verdict)) == ("quasi-separable", [DOWN, ALIASED])


# Categories


@pytest.mark.parametrize("family", ["binary", "poisson"])
@pytest.mark.parametrize("seed", range(4))
def test_a_category_without_cases_is_the_one_that_diverges(seed, family):
    """Indicators of the categories but the first, and a covariate that overlaps in all others."""
    rng = np.random.default_rng(seed)
    category = np.repeat(np.arange(5), 8)
    empty = 1 + seed
    X = np.hstack([np.eye(5)[category][:, 1:], np.tile(np.arange(4.0), 10)[:, None]])
    y = np.tile([0, 1, 1, 0], 10) * (category != empty)
    order = rng.permutation(len(X))
    verdict = agree(X[order], y[order], family=family)
    assert verdict.outcome == "quasi-separable"
    assert verdict.strict.tolist() == (category == empty)[order].tolist()
    assert fates(verdict) == [DOWN if j == empty - 1 else FINITE for j in range(6)]


def test_with_an_indicator_for_every_category_the_last_is_aliased():
    category = np.repeat(np.arange(3), 4)
    X = np.hstack([np.eye(3)[category], np.tile(np.arange(4.0), 3)[:, None]])
    verdict = agree(X, np.tile([0, 1, 0, 1], 3))
    assert verdict.outcome == "inseparable"
    assert fates(verdict) == [FINITE, FINITE, ALIASED, FINITE, FINITE]
    third = {"intercept": 1, "column 0": -1, "column 1": -1}
    assert verdict.aliased == {"column 2": third}


# Identical rows


def test_identical_rows_with_opposite_labels_are_the_conflict():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 4))
    y = (X[:, 0] > 0).astype(int)
    X[7, 0] = 0.0  # on the plane between the classes
    X[33] = X[7]
    y[33] = 1 - y[7]
    verdict = agree(X, y)
    assert verdict.outcome == "quasi-separable"
    assert verdict.strict.sum() == 48
    assert [row for row, _ in verdict.conflict] == [7, 33]
    first, second = (multiplier for _, multiplier in verdict.conflict)
    assert first == second > 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_row_with_both_labels(fit_intercept):
    X = np.repeat(np.arange(1.0, 9.0).reshape(4, 2), 2, axis=0)
    verdict = agree(X, [0, 1] * 4, bias=fit_intercept)
    assert verdict.outcome == "inseparable"
    assert len(verdict.conflict) == 2


def test_two_rows_that_are_the_same_but_for_the_label():
    verdict = agree(np.array([[3.0, 4.0], [3.0, 4.0]]), [0, 1])
    assert verdict.outcome == "inseparable"
    assert fates(verdict) == [ALIASED, ALIASED, FINITE]
    assert verdict.aliased == {"column 0": {"intercept": 3}, "column 1": {"intercept": 4}}


# Data sets


def one_against_the_rest(name, k, **options):
    data = getattr(datasets, f"load_{name}")()
    y = (data.target == k).astype(int)
    verdict = nk.check(data.data, y, **options)
    check_certificate(verdict.certificate, data.data, y)
    return data.data, y, verdict


@pytest.mark.parametrize(
    ("name", "k", "margin"),
    [
        ("iris", 0, 0.7491173320820278),
        ("wine", 0, 0.0830467427407952),
        ("wine", 1, 0.05592543549706359),
        ("wine", 2, 0.24319800733229094),
    ],
)
def test_iris_and_wine_are_separable_by_the_reference_s_margin(name, k, margin):
    X, y, verdict = one_against_the_rest(name, k)
    assert verdict.outcome == "separable"
    z = exact.signed_rows(entries(X), y.tolist(), True)
    square = exact.nearest_square(z)
    assert math.sqrt(square) == pytest.approx(margin, rel=1e-12)
    assert verdict.margin.squared in (None, square)
    assert Fraction(verdict.margin.lower) ** 2 <= square <= Fraction(verdict.margin.upper) ** 2
    assert verdict.margin.lower == pytest.approx(margin, rel=1e-6)
    assert verdict.margin.upper == pytest.approx(margin, rel=1e-6)


@pytest.mark.parametrize("k", [1, 2])
def test_versicolor_and_virginica_overlap_the_rest(k):
    _, _, verdict = one_against_the_rest("iris", k)
    assert verdict.outcome == "inseparable"
    assert len(verdict.conflict) <= 6
    assert fates(verdict) == [FINITE] * 5


def test_versicolor_and_virginica_overlap_each_other():
    data = datasets.load_iris()
    keep = data.target > 0
    assert nk.check(data.data[keep], data.target[keep]).outcome == "inseparable"


def test_breast_cancer_is_separable_by_very_little():
    """The margin is that of the exact reference, which takes a minute for it."""
    _, _, verdict = one_against_the_rest("breast_cancer", 1)
    assert verdict.outcome == "separable"
    margin = 4.13707301087158e-05
    assert verdict.margin.lower <= margin * (1 + 1e-14)
    assert verdict.margin.upper >= margin * (1 - 1e-14)
    assert verdict.margin.lower == pytest.approx(margin, rel=1e-3)
    assert verdict.mistake_bound >= (verdict.radius / margin) ** 2 * (1 - 1e-12)
    assert all(status == "diverges" for status, _ in fates(verdict))


@pytest.mark.parametrize("k", range(10))
def test_which_digits_are_separable_from_all_others(k):
    X, _, verdict = one_against_the_rest("digits", k)
    strict = {8: 108, 9: 24}  # of 1,797 rows
    assert verdict.outcome == ("quasi-separable" if k in strict else "separable")
    assert verdict.strict.sum() == strict.get(k, len(X))
    empty = [j for j in range(64) if not X[:, j].any()]
    assert empty == [0, 32, 39]


@pytest.mark.parametrize("k", [8, 9])
def test_pixels_that_are_always_dark_are_not_identified(k):
    X, _, verdict = one_against_the_rest("digits", k)
    found = fates(verdict)
    assert len(found) == 65
    assert all((found[j] == UNKNOWN) == (not X[:, j].any()) for j in range(64))


def test_the_unit_of_a_column_and_the_length_of_rows_change_no_outcome():
    X, y, verdict = one_against_the_rest("breast_cancer", 1)
    scaled = nk.check(X * 2.0 ** np.arange(-15, 15), y)
    assert scaled.outcome == verdict.outcome
    assert fates(scaled) == fates(verdict)
    assert nk.check(X, y, unit_length=True).outcome == "separable"
