"""Aliased columns and reference levels."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import ParameterError
from novikoff.verdict.aliases import Aliases
from novikoff.verdict.signed import IntegerRow
from tests.helpers import exact_reference as exact
from tests.helpers.shell import novikoff

CSV = """id,dose,age,note,died
1,low,30,NA,no
2,high,40,,yes
3,high,50,,yes
4,low,60,x,no
5,low,35,,yes
6,mid,33,,no
7,mid,44,,yes
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    return str(path)


def statuses(verdict):
    return {each.name: (each.status, each.sign) for each in verdict.coefficients}


@given(st.lists(st.lists(st.integers(-2, 2), min_size=5, max_size=5), min_size=1, max_size=4))
def test_every_aliased_column_is_the_combination_that_is_named(rows):
    """The vectors orthogonal to the rows, in any basis, give the columns that R would alias."""
    matrix = np.array(rows, object)
    reduced, pivots = exact.eliminate(rows)
    vectors = []
    for free in sorted({*range(5)} - {*pivots}):
        vector = {free: Fraction(1)}
        for row, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -Fraction(row[free], row[pivot])
        vectors.append(vector)
    mixed = [
        {j: vectors[k].get(j, 0) + 2 * vectors[k - 1].get(j, 0) for j in range(5)}
        for k in range(1, len(vectors))
    ] + vectors[:1]
    found = Aliases(mixed).columns
    assert sorted(found) == sorted({*range(5)} - {*pivots})
    for column, combination in found.items():
        total = sum((factor * matrix[:, j] for j, factor in combination.items()), 0 * matrix[:, 0])
        assert total.tolist() == matrix[:, column].tolist()
        assert all(j < column for j in combination)


def test_the_contrast_of_a_basis_column_vanishes_on_every_vector():
    vectors = [{0: 1, 1: 2, 3: -1}, {1: 3, 2: 1}]
    contrast = Aliases(vectors).contrast(IntegerRow([0], [1], 1))
    weights = dict(zip(contrast.columns, contrast.values, strict=True))
    assert all(sum(weights.get(j, 0) * v for j, v in each.items()) == 0 for each in vectors)


def test_a_constant_beside_the_intercept_is_recognised():
    X = np.column_stack([np.full(6, 3.0), [1, 2, 3, 1, 2, 3]])
    verdict = nk.check(X, [0, 1, 0, 1, 0, 1])
    assert statuses(verdict)["column 0"] == ("aliased", None)
    assert verdict.aliased == {"column 0": {"intercept": 3}}
    assert "aliased" not in str(nk.check(X[:, 1:], [0, 1, 0, 1, 0, 1]))
    assert "column 0 = 3 intercept" in str(verdict)


def test_factors_are_compared_with_a_reference_level(table):
    source = nk.open(table, drop=["id", "note"])
    first = nk.check(source)
    assert statuses(first) == {
        "age": ("finite", None),
        "dose=low": ("diverges", "-"),
        "dose=high": ("reference", None),
        "dose=mid": ("diverges", "-"),
        "intercept": ("diverges", "+"),
    }
    low = nk.check(source, reference={"dose": "low"})
    assert statuses(low)["dose=high"] == ("diverges", "+")
    assert statuses(low)["dose=mid"] == statuses(low)["intercept"] == ("finite", None)
    assert low.certificate.text == first.certificate.text


def test_contrasts_take_names(table):
    verdict = nk.check(nk.open(table, drop=["id", "note"]))
    assert verdict.contrast({"dose=low": 1, "dose=mid": -1}).status == "finite"
    assert verdict.contrast({"dose=high": 1, "dose=mid": -1})[1:] == ("diverges", "+")
    with pytest.raises(ParameterError, match="there is no column 'dose', only age, dose=low"):
        verdict.contrast({"dose": 1})
    with pytest.raises(ParameterError, match="no weight is other than 0"):
        verdict.contrast({"age": 0})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"dse": "low"}, "reference dse=low: there is no such factor, only dose"),
        ({"dose": "lw"}, "reference dose=lw: dose has no such level; high, low, mid"),
    ],
)
def test_bad_references(table, asked, words):
    with pytest.raises(ParameterError, match=words):
        nk.check(nk.open(table, drop=["id", "note"]), reference=asked)
    with pytest.raises(ParameterError, match="reference levels are for sources"):
        nk.check([[1.0], [2.0]], [0, 1], reference=asked)


def test_a_verdict_prints_what_the_command_prints(table):
    _, printed, _ = novikoff("check", table, "--drop", "id,note", "--reference", "dose=low")
    verdict = nk.check(nk.open(table, drop=["id", "note"]), reference={"dose": "low"})
    assert printed.rstrip() == str(verdict)
    assert "reference    dose=low" in printed
    code, _, error = novikoff("check", table, "--reference", "dose")
    assert code == 2
    assert "--reference dose: expected COLUMN=LEVEL, such as dose=low" in error


def test_rows_of_arrays_are_called_by_their_numbers():
    text = str(nk.check([[0.0], [0.0]], [0, 3], family="poisson"))
    assert text.startswith("2 rows, 1 feature, counts")
    rest = str(nk.check([[0.0], [0.0], [1.0]], ["a", "b", "c"], positive="a"))
    assert "row 0 (label a) and row 1 (label not a)" in " ".join(rest.split())


def test_every_family_has_its_own_words():
    classes = nk.check([[0, 3], [1, 3], [2, 3], [3, 3]], [0, 1, 2, 2], family="multinomial")
    assert str(classes).startswith("4 rows, 2 features, multinomial\nSEPARABLE: some linear scores")
    assert "Multinomial regression: the likelihood has no maximum" in str(classes)
    assert classes.aliased == {f"{k}: column 1": {f"{k}: intercept": 3} for k in (1, 2)}
    ordered = nk.check([[0, 0], [1, 1], [2, 2], [1, 1]], [0, 1, 2, 0], family="cumulative")
    assert ordered.aliased == {"column 1": {"column 0": 1}}
    assert "row 1 (1) above the threshold 0|1 times 1/2" in str(ordered)
    times = nk.check([[0], [1], [2], [3]], [0, 1, 1, 0], family="cox", time=[1, 2, 3, 4])
    assert str(times).startswith("4 rows, 1 feature, cox\n")
    assert "Cox regression" in str(times)
    assert "margin" not in str(times)
