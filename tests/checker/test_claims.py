"""The checker: true certificates are valid, and their words mean what docs/certificate.md says."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from novikoff.checker import UnreadableError, check, check_arrays
from tests.helpers.certificate_cases import CASES, RUN, every_case, stays_valid
from tests.helpers.certificate_reference import (
    NUMBER_LABELS,
    dot,
    make,
    sealed,
    signed,
    terms,
    value,
)


@every_case
def test_a_true_certificate_is_valid_however_it_is_given(name):
    certificate, X, y = CASES[name]
    for given_as in (certificate, json.dumps(certificate), json.dumps(certificate).encode()):
        assert check_arrays(given_as, X, y) == (True, check_arrays(certificate, X, y).reason)
    rows = [
        (label, {j: x for j, x in enumerate(row) if x}) for label, row in zip(y, X, strict=True)
    ]
    assert check(certificate, iter(rows)).valid
    shuffled = dict(reversed(certificate.items()))
    assert check_arrays(json.dumps(shuffled, indent=3, ensure_ascii=False), X, y).valid


@pytest.mark.parametrize(
    "form", ["1/2", "0x1/0x2", "2/0x4", "0x1.0p-1", "0x1.0000000000000p-1", "0x0.8p+0", "500/1000"]
)
def test_a_number_has_many_forms(form):
    assert stays_valid(CASES["exact margin"], ("figures", "margin_squared", "lower"), form)
    assert stays_valid(CASES["exact margin"], ("witness", "weights", 0), form)
    assert not stays_valid(CASES["exact margin"], ("witness", "weights", 1), form)
    assert stays_valid(CASES["exact margin"], ("witness", "weights", 1), "-0")
    assert stays_valid(CASES["exact margin"], ("witness", "weights", 1), "-0x0.0p+0")


@pytest.mark.parametrize(
    ("tie", "rounded"), [("mistake", []), ("positive", [0]), ("negative", [1])]
)
def test_a_tie_says_where_a_score_of_0_is_a_mistake(tie, rounded):
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, 0]
    run = {"start": ["0", "0"], "eta": "1", "tie": tie, "updates": [0, 1], "rounded": rounded}
    case = make("training run", X, y, bias=False, **run)
    assert check_arrays(case.certificate, X, y).valid
    for other in ([], [0], [1], [0, 1], [1, 0], [0, 0], [2]):
        assert stays_valid(case, ("witness", "rounded"), other) == (other == rounded)
    assert not stays_valid(case, ("witness", "rounded"), [bool(each) for each in rounded] or [True])
    assert not stays_valid(case, ("witness", "tie"), "keep")
    assert (case.certificate["figures"]["mistake_bound"] is None) == bool(rounded)


def test_a_run_from_zero_has_novikoffs_bound():
    figures = CASES["run"].certificate["figures"]
    z, w = signed(CASES["run"].certificate, RUN, [0, 1, 1, 0]), list(map(value, figures["weights"]))
    bound = max(dot(row, row) for row in z) * dot(w, w) / min(dot(row, w) for row in z) ** 2
    assert value(figures["mistake_bound"]) == math.floor(bound)
    elsewhere = CASES["run from elsewhere"].certificate
    assert value(elsewhere["figures"]["mistake_bound"]) >= elsewhere["figures"]["mistakes"]


def test_a_bound_is_a_number_of_any_length():
    assert CASES["exact margin"].certificate["figures"]["mistake_bound"] == "22"
    for form in ("22", "0x16", "44/2", "0x1.6p+4"):
        assert stays_valid(CASES["exact margin"], ("figures", "mistake_bound"), form)
    for form in (22, "21", "23", "45/2", "-22", None):
        assert not stays_valid(CASES["exact margin"], ("figures", "mistake_bound"), form)
    X, labels = [[Fraction(1)], [Fraction(1, 10**3000)]], {**NUMBER_LABELS, "negative": None}
    options = {"bias": False, "rational": True, "labels": labels}
    long = make("separable", X, [1, 1], weights=["1"], support=terms(_1="1"), **options)
    assert value(long.certificate["figures"]["mistake_bound"]) == 10**6000
    assert check_arrays(*long).valid
    run = {"start": ["0"], "eta": "1", "tie": "mistake", "updates": [1], "rounded": []}
    long = make("training run", X, [1, 1], **options, **run)
    assert value(long.certificate["figures"]["mistake_bound"]) == 10**6000
    assert check_arrays(*long).valid
    assert not stays_valid(long, ("figures", "mistake_bound"), hex(10**6000 + 1))
    assert not stays_valid(long, ("figures", "mistake_bound"), hex(10**6000 - 1))
    for form in ("-1", "1/2", "-0"):
        assert not stays_valid(CASES["run"], ("figures", "mistake_bound"), form)


def test_columns_may_be_numbers_of_numpy():
    certificate, X, y = CASES["quasi"]
    rows = [
        (label, dict(zip(np.arange(2), row, strict=True))) for label, row in zip(y, X, strict=True)
    ]
    assert check(certificate, rows).valid


def test_a_conflict_of_too_many_rows_is_none():
    X = [[float(i)] for i in (0, 1, 2, 3)]
    conflict = terms(_0="1", _1="3", _2="3", _3="1")
    case = make("inseparable", X, [0, 1, 0, 1], conflict=conflict, spanning=None, complement=None)
    assert "too many" in check_arrays(case.certificate, X, case.y).reason
    few = [terms(_0="1", _1="2", _2="1"), conflict]
    assert stays_valid(
        case, ("witness",), {"conflict": few[0], "spanning": few[1], "complement": None}
    )


def test_counts_pin_rows():
    case = CASES["poisson quasi"]
    assert not stays_valid(case, ("witness", "spanning", 0, "multiplier"), "1")
    # The empty conflict proves nothing about rows that nobody pinned.
    unpinned = make(
        "quasi-separable",
        [[0.0], [0.0], [1.0]],
        [0, 5, 0],
        labels=None,
        weights=["-1", "0"],
        conflict=terms(_0="1", _1="1"),
        spanning=None,
        complement=None,
    )
    assert check_arrays(unpinned.certificate, unpinned.X, unpinned.y).valid
    witness = unpinned.certificate["witness"]
    listed = {**witness, "conflict": [], "spanning": witness["conflict"]}
    assert not stays_valid(unpinned, ("witness",), listed)
    for bad in (-1, "1", Decimal(-1)):
        assert not check_arrays(unpinned.certificate, unpinned.X, [0, bad, 0]).valid
    assert check_arrays(unpinned.certificate, unpinned.X, [0, 0.5, Fraction(0)]).valid


def test_labels_are_compared_by_their_kind():
    certificate, X, _ = CASES["exact margin"]
    assert check_arrays(certificate, X, [0.0, True, Fraction(1)]).valid
    assert check_arrays(certificate, np.array(X), np.array([False, True, True])).valid
    for other in (["0", "1", "1"], [0, 1, 2], [0, 1, "1"]):
        assert not check_arrays(certificate, X, other).valid
    others = sealed({**certificate, "labels": {**NUMBER_LABELS, "negative": None}})
    assert check_arrays(others, X, [-7, 1, 1]).valid
    same = sealed({**certificate, "labels": {**NUMBER_LABELS, "negative": "2/2"}})
    assert not check_arrays(same, X, [0, 1, 1]).valid
    one = make("separable", [[1.0]], [1], weights=["1", "0"], support=terms(_0="1"))
    for negative in ("1", "2/2", "0x1.0p+0"):
        assert not stays_valid(one, ("labels", "negative"), negative)
    for bad in (math.nan, math.inf, None, [], Decimal("NaN"), Decimal("sNaN")):
        with pytest.raises(UnreadableError, match="row 1"):
            check_arrays(certificate, X, [0, bad, 1])


def test_entries_are_taken_exactly():
    certificate, X, y = CASES["exact margin"]
    kinds = [int, float, Fraction, Decimal, np.float32, np.int64, np.float16]
    for kind in kinds:
        assert check_arrays(certificate, [[kind(x) for x in row] for row in X], y).valid
    assert check_arrays(certificate, np.array(X), np.array(y)).valid
    zeros = [[-0.0 if x == 0 else x for x in row] for row in X]
    assert check_arrays(certificate, zeros, y).valid
    for bad in (2**53 + 1, Fraction(1, 3), Decimal("0.1"), 10**400, 2**1024 - 1):
        assert "binary64" in check_arrays(certificate, [[bad, 0], *X[1:]], y).reason
    for bad in (math.nan, -math.inf, "0", None, b"", Decimal("1e999999999"), 1j):
        with pytest.raises(UnreadableError, match="row 0"):
            check_arrays(certificate, [[bad, 0], *X[1:]], y)
    certificate, X, y = CASES["rational"]
    with pytest.raises(UnreadableError, match="row 0"):
        check_arrays(certificate, [[Decimal("-1e-999999999"), 0], *X[1:]], y)
    long = [[Fraction(7, 10**5000), Fraction(10**4999)], *X[1:]]
    assert "digest" in check_arrays(certificate, long, y).reason
