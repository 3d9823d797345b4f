"""The fewest rows to remove: against all subsets, in rational arithmetic, and by both checkers."""

import copy
import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.checker import check_arrays
from novikoff.errors import DataError, ParameterError
from tests.helpers.certificate_reference import sealed
from tests.helpers.exact_reference import signed_rows, strict_sides


def fewest(X, y, bias, costs=None, trusted=()):
    """The least cost of rows without which the others are separable, by trying all subsets."""
    z = signed_rows(X, [label == 1 for label in y], bias)
    costs = [1] * len(z) if costs is None else costs
    free = [i for i in range(len(z)) if i not in trusted]
    best = None
    for size in range(len(free) + 1):
        for subset in itertools.combinations(free, size):
            cost = sum((Fraction(costs[i]) for i in subset), Fraction(0))
            if best is not None and cost >= best:
                continue
            rest = [row for i, row in enumerate(z) if i not in subset]
            if not rest or all(strict_sides(rest)):
                best = cost
    return best


def assert_proven(found, X, y):
    assert nk.verify(found.certificate, X, y) == (True, f"proven: repair, {len(y)} rows")
    assert check_arrays(found.certificate.text, X, y).valid


@st.composite
def few_rows(draw, most=7):
    """Rows of small integers: ties, duplicates and rows on a line are the rule."""
    columns = draw(st.integers(1, 2))
    row = st.lists(st.integers(-2, 2), min_size=columns, max_size=columns)
    X = draw(st.lists(row, min_size=2, max_size=most))
    y = draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X)))
    y[0], y[-1] = 0, 1
    return X, y


@given(few_rows(), st.booleans())
def test_the_bracket_closes_at_what_all_subsets_give(rows, bias):
    X, y = rows
    found = nk.repair(X, y, fit_intercept=bias)
    assert found.lower == found.upper == len(found.rows) == fewest(X, y, bias)
    assert_proven(found, X, y)


@given(few_rows(6), st.data())
def test_weights_and_trusted_rows(rows, data):
    X, y = rows
    weights = [0, 0.1, Fraction(1, 3), 1, 2.5]
    costs = data.draw(st.lists(st.sampled_from(weights), min_size=len(y), max_size=len(y)))
    trusted = data.draw(st.sets(st.integers(0, len(y) - 1), max_size=2))
    best = fewest(X, y, True, costs, trusted)
    if best is None:
        with pytest.raises(DataError, match="the trusted rows contradict each other"):
            nk.repair(X, y, sample_weight=costs, trusted=sorted(trusted))
        return
    found = nk.repair(X, y, sample_weight=costs, trusted=sorted(trusted))
    assert found.lower == found.upper == best
    assert not set(found.rows) & trusted
    assert_proven(found, X, y)


@given(few_rows(), st.sampled_from([0.0, 1e-9]))
def test_a_bracket_that_is_cut_short_still_holds(rows, seconds):
    X, y = rows
    found = nk.repair(X, y, time_limit=seconds)
    assert found.lower <= fewest(X, y, True) <= found.upper
    assert_proven(found, X, y)


@given(few_rows())
def test_relabelling_does_what_removing_does(rows):
    X, y = rows
    found = nk.repair(X, y)
    relabelled = list(y)
    for i, label in zip(found.rows, found.labels, strict=True):
        assert label == 1 - y[i]
        relabelled[i] = label
    if len(set(relabelled)) == 2:
        assert nk.check(X, relabelled).outcome == "separable"


@pytest.mark.parametrize("seed", range(3))
def test_flipped_labels_are_found(seed):
    rng = np.random.default_rng(seed)
    X, direction = rng.standard_normal((300, 4)), rng.standard_normal(4)
    y = np.where(X @ direction > 0, 1, 0)
    X += 0.3 * np.outer(2 * y - 1, direction / np.linalg.norm(direction))
    deep = np.argsort(-np.abs(X @ direction))[:100]
    flipped = sorted(rng.choice(deep, 4, replace=False).tolist())
    y[flipped] = 1 - y[flipped]
    found = nk.repair(X, y)
    assert (found.lower, found.upper, found.rows) == (4, 4, flipped)
    assert_proven(found, X.tolist(), y.tolist())
    same = nk.repair(scipy.sparse.csr_array(X), y)
    assert (same.rows, same.lower) == (flipped, 4)


def test_identical_rows_of_opposite_labels_cost_one_each():
    X, y = [[1.0], [1.0], [1.0], [2.0], [2.0], [5.0]], [0, 1, 1, 0, 1, 1]
    found = nk.repair(X, y)
    assert found.lower == found.upper == 2
    assert_proven(found, X, y)


def test_separable_rows_need_no_repair():
    found = nk.repair([[0.0], [1.0]], [0, 1])
    assert (found.lower, found.upper, found.rows, found.exact) == (0, 0, [], True)
    assert found.margin.squared == Fraction(1, 4) / (1 + Fraction(1, 4)) or found.margin.lower > 0
    assert repr(found) == "<Repair: 0 of 2 rows>"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sample_weight": [1.0]}, "sample_weight must be 2 numbers, one for each row"),
        ({"sample_weight": [1.0, -1.0]}, "sample_weight has -1.0 for row 1; weights are finite"),
        ({"trusted": [2]}, "trusted has row 2; rows are numbered from 0 to 1"),
        ({"trusted": [0.5]}, "trusted must be row numbers, or a mask of 2 booleans"),
        ({"time_limit": -1}, "time_limit must be a number not below 0"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        nk.repair([[0.0], [1.0]], [0, 1], **options)


# Forged certificates

X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [1.5], [2.5]]
Y = [0, 0, 1, 0, 1, 1, 1, 0]


def refused(change):
    """Both checkers refuse the certificate after a change, though its seal fits."""
    fields = copy.deepcopy(nk.repair(X, Y).certificate.fields)
    change(fields)
    forged = sealed(fields)
    return not nk.verify(forged, X, Y).valid and not check_arrays(forged, X, Y).valid


FORGERIES = {
    "a conflict that is none": lambda f: f["witness"]["conflicts"][0][0].update(multiplier="7/5"),
    "a multiplier below 0": lambda f: [
        term.update(multiplier="-" + term["multiplier"]) for term in f["witness"]["conflicts"][0]
    ],
    "an empty conflict": lambda f: f["witness"]["conflicts"].__setitem__(0, []),
    "a packing over 1": lambda f: f["witness"]["proof"][-1]["packing"][0].update(share="9"),
    "a share below 0": lambda f: f["witness"]["proof"][-1]["packing"][0].update(share="-1"),
    "a conflict that is not there": lambda f: f["witness"]["proof"][-1]["packing"][-1].update(
        conflict=99
    ),
    "a smaller claim": lambda f: f["figures"].update(upper="1"),
    "a larger claim": lambda f: f["figures"].update(lower="7"),
    "a missing leaf": lambda f: f["witness"]["proof"].insert(0, {"branch": 0}),
    "no proof": lambda f: f["witness"].update(proof=[]),
    "a leaf too many": lambda f: f["witness"]["proof"].append({"packing": []}),
    "a row left out": lambda f: f["witness"]["removed"].pop(),
    "a row that is not there": lambda f: f["witness"]["removed"].append(8),
    "a trusted row that is removed": lambda f: f["witness"].update(
        trusted=f["witness"]["removed"][:1]
    ),
    "other costs": lambda f: f["witness"].update(costs=["1/2"] * 8),
    "negative costs": lambda f: f["witness"].update(costs=["-1"] * 8),
    "too few costs": lambda f: f["witness"].update(costs=["1"]),
    "weights that do not separate": lambda f: f["witness"].update(weights=["-1", "3"]),
    "a support that is removed": lambda f: f["witness"]["support"].__setitem__(
        0, {"row": f["witness"]["removed"][0], "multiplier": "1"}
    ),
    "no support": lambda f: f["witness"].update(support=[]),
    "a wider margin": lambda f: f["figures"]["margin_squared"].update(upper="0"),
    "no margin": lambda f: f["figures"].update(margin_squared=None),
    "unit length": lambda f: f["lift"].update(unit_length=True),
    "version 1": lambda f: f.update(version=1),
    "counts": lambda f: f.update(family="poisson", labels=None),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_certificates_are_refused_by_both_checkers(name):
    assert refused(FORGERIES[name])


def test_the_certificate_is_accepted_as_it_is():
    assert not refused(lambda fields: None)
