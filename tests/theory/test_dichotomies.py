"""Every labelling that a hyperplane realises: enumerated, counted, and none missed."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.theory.cover import enumeration, sign_vectors
from tests.helpers import exact_reference as exact
from tests.helpers.examples import examples
from tests.helpers.point_sets import AWKWARD, lifted, matrices


def enumerated(X, affine=False):
    """The labellings, after a look at their form: each once, each followed by its opposite, and in
    lexicographic order.
    """
    found = list(nk.cover.dichotomies(X, affine))
    assert all(labels.dtype == np.int8 and labels.shape == (len(X),) for labels in found)
    listed = [tuple(labels.tolist()) for labels in found]
    assert all(set(labels) <= {-1, 1} for labels in listed)
    assert listed[1::2] == [tuple(-label for label in labels) for labels in listed[::2]]
    assert listed[::2] == sorted(set(listed[::2]))
    assert all(labels[0] == -1 for labels in listed[::2])
    return listed


def realised(X, affine):
    """The labellings that the reference's linear program realises, of all there are."""
    rows = lifted(X, affine)
    halves = [
        (-1, *signs)
        for signs in itertools.product([-1, 1], repeat=len(X) - 1)
        if all(exact.strict_sides(signed((-1, *signs), rows)))
    ]
    return {*halves, *(tuple(-sign for sign in signs) for signs in halves)}


def signed(signs, rows):
    return [[sign * v for v in row] for sign, row in zip(signs, rows, strict=True)]


# Against the theorem


@pytest.mark.parametrize("affine", [False, True], ids=["origin", "affine"])
@pytest.mark.parametrize("N", [1, 2, 3, 4, 5])
def test_in_general_position_there_are_as_many_as_cover_says(N, affine):
    X = np.random.default_rng([N, affine]).integers(-(10**6), 10**6, (10, N))
    for P in range(1, 11):
        assert nk.cover.in_general_position(X[:P], affine).holds
        expected = nk.cover.count(P, N, threshold=affine)
        assert len(enumerated(X[:P], affine)) == expected
        assert nk.cover.dichotomy_count(X[:P], affine) == expected


@given(matrices(st.integers(-2, 2), 7, 3), st.booleans())
@examples(60)
def test_in_any_other_position_there_are_fewer(X, affine):
    found = len(enumerated(X, affine))
    most = nk.cover.count(len(X), len(X[0]), threshold=affine)
    assert (found == most) == nk.cover.in_general_position(X, affine).holds
    assert found <= most
    assert nk.cover.dichotomy_count(X, affine) == found


def test_special_positions():
    on_a_line = [[k, 2 * k + 1] for k in range(6)]
    assert len(enumerated(on_a_line, affine=True)) == 2 * 6  # where along the line it changes
    assert nk.cover.count(6, 2, threshold=True) == 32
    twice = [[1, 0], [0, 1], [1, 0], [2, 0], [-1, 0]]
    assert len(enumerated(twice)) == 4
    assert all(a == c == d == -e for a, _, c, d, e in enumerated(twice))
    assert enumerated([[1, 2], [0, 0]]) == []
    assert nk.cover.dichotomy_count([[1, 2], [0, 0]]) == 0
    assert len(enumerated([[1, 2], [0, 0]], affine=True)) == 4
    assert enumerated([[3.5]]) == [(-1,), (1,)]
    assert enumerated([[0.0]], affine=True) == [(-1,), (1,)]


def cube(bits):
    return [[i >> j & 1 for j in range(bits)] for i in range(2**bits)]


@pytest.mark.parametrize(("bits", "number"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_threshold_functions_of_a_few_variables(bits, number):
    assert len(enumerated(cube(bits), affine=True)) == number
    assert number <= nk.cover.count(2**bits, bits, threshold=True)


def test_threshold_functions_of_five_variables():
    assert sum(1 for _ in nk.cover.dichotomies(cube(5), affine=True)) == 94_572


# Against all labellings, one by one


@given(matrices(st.integers(-3, 3), 6, 3), st.booleans())
@example([[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [1, 2]], True)
@example([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, -1]], False)  # three on the first hyperplane
@examples(60)
def test_none_is_missed_and_none_is_made_up(X, affine):
    assert set(enumerated(X, affine)) == realised(X, affine)


@given(matrices(st.sampled_from(AWKWARD), 5, 3), st.booleans())
@example([[1e300, 1.0], [1.0, 1e300], [1e300, 1e-300], [5e-324, 1e300]], False)
@example([[0.1, 0.2], [0.2, 0.5], [0.3, 0.8]], True)
@example([[Fraction(1, 10), Fraction(1, 5)], [0.2, 0.5], [Fraction(3, 10), Fraction(4, 5)]], True)
@examples(50)
def test_awkward_numbers(X, affine):
    assert set(enumerated(X, affine)) == realised(X, affine)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-15, 1e-12, 1e-8]))
@examples(10)
def test_rows_that_differ_in_their_last_bits(seed, size):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.standard_normal((3, 3)), 2, axis=0)
    X *= 1.0 + size * rng.standard_normal(X.shape)
    assert set(enumerated(X.tolist(), False)) == realised(X.tolist(), False)


@given(matrices(st.integers(-3, 3), 6, 3), st.booleans())
@examples(25)
def test_the_rationals_alone_find_the_same(X, affine):
    """What is done where floating point is of no help is right by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_vectors.SignVectorOracle, "_exact_witness", lambda *words: None)
        patch.setattr(sign_vectors.SignVectorOracle, "_exact_conflict", lambda *words: None)
        slowly = enumerated(X, affine)
    assert slowly == enumerated(X, affine)


@given(matrices(st.integers(-3, 3), 6, 3), st.booleans())
@examples(25)
def test_wrong_suggestions_are_found_out(X, affine):
    """Whatever floating point suggests, integers decide."""
    rng = np.random.default_rng(0)

    def nearest(points):
        places = rng.permutation(len(points))[: rng.integers(1, len(points) + 1)]
        ended = int(rng.integers(0, 3))
        point = rng.integers(-2, 3, points.shape[1]).astype(float)
        return sign_vectors.ActiveSet(places, np.ones(len(places)), point, ended, 1)

    expected = enumerated(X, affine)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_vectors, "nearest_point", nearest)
        assert enumerated(X, affine) == expected


def test_rows_too_close_for_doubles_are_decided_in_integers():
    large = 3 * 2**59
    for more, labels in ((1, 0b11), (0, 0b11), (-1, 0b10)):
        rows = sign_vectors.SignVectorOracle([[large + more, -large], [1, 1]])
        assert (rows.doubles[0] @ [1.0, 1.0]) == 0.0
        found = rows._exact_witness(np.array([1.0, 1.0]), 2, labels)
        assert found == (sign_vectors.Witness(labels, 0) if more else None)


def test_rows_made_to_fit_a_prime():
    assert len(enumerated([[1, 1], [1, 2**61]])) == 4  # the same modulo 2^61 - 1


@pytest.mark.parametrize("kept", [0, 1, 1000])
def test_remembered_conflicts_change_nothing(kept, monkeypatch):
    X = np.random.default_rng(0).integers(-2, 3, (12, 3)).tolist()
    expected = enumerated(X, affine=True)
    monkeypatch.setattr(enumeration, "MOST_CONFLICTS", kept)
    assert enumerated(X, affine=True) == expected


def test_units_and_more_columns_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (9, 3)).astype(float)
    expected = enumerated(X)
    assert enumerated(X * [2.0**-900, 1.0, 2.0**900]) == expected
    assert enumerated((X.T * 2.0 ** rng.integers(-900, 900, 9)).T) == expected
    assert enumerated(X @ rng.integers(-3, 4, (3, 40))) == expected


# As an iterator


def test_labellings_come_one_by_one():
    X = np.random.default_rng(0).standard_normal((80, 15))
    first = list(itertools.islice(nk.cover.dichotomies(X), 6))
    assert nk.cover.count(80, 15) > 10**15
    for labels in first:
        assert nk.check(X, labels, fit_intercept=False, precision=1).outcome == "separable"


def test_labellings_are_the_callers_own():
    found = nk.cover.dichotomies([[1, 0], [0, 1]])
    next(found)[:] = 7
    assert [labels.tolist() for labels in found] == [[1, 1], [-1, 1], [1, -1]]


def test_a_count_by_enumeration_is_told_as_it_goes():
    X, told = cube(2), []
    points = enumeration.points_of(X)
    position = nk.cover.in_general_position(X)
    assert enumeration.number_of(points, position, told.append) == 0  # a corner is the origin
    points = enumeration.points_of([*X[1:], [2, 0]])
    unknown = position._replace(holds=None)
    assert enumeration.number_of(points, unknown, told.append) == 6
    assert told == [2, 4, 6]
