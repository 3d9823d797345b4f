"""The formulas: exact on fractions, refused outside their hypotheses."""

import math
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.errors import ParameterError
from novikoff.theory import bounds
from tests.helpers.examples import examples


@given(st.fractions(0, 1, max_denominator=99), st.fractions(1, 50, max_denominator=99))
@examples(40)
def test_formulas_of_fractions_are_exact(share, radius):
    assume(share > 0)
    margin = share * radius
    assert bounds.novikoff(radius, margin) == 1 / share**2
    assert bounds.unit_length(share) == bounds.one_sided(share) == 1 / share**2
    assert bounds.after_length(radius, margin, Fraction(2)) == 1 / (2 * share)
    assert bounds.margin_ceiling(radius, 3, Fraction(1, 2)) == radius * Fraction(2, 3)
    assert type(bounds.novikoff(radius, margin)) is Fraction
    assert bounds.novikoff(float(radius), float(margin)) == pytest.approx(1 / float(share) ** 2)
    assert bounds.after_rows([float(radius**2)] * 4, float(margin)) == pytest.approx(
        2 / float(share)
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.unit_length(0.0), "margin above 0"),
        (lambda: bounds.unit_length(1.5), "no row is longer than 1"),
        (lambda: bounds.one_sided(math.nan), "margin above 0"),
        (lambda: bounds.novikoff(Fraction(1), Fraction(10**400)), "beyond 1e308"),
        (lambda: bounds.after_length(1.0, 0.0), "margin above 0"),
        (lambda: bounds.after_length(-1.0, 0.5), "is a length"),
        (lambda: bounds.after_length(1.0, 0.5, 0.0), "eta must be"),
        (lambda: bounds.after_rows([1.0], math.inf), "margin above 0"),
        (lambda: bounds.after_rows([1.0, -1.0], 0.5), "squared lengths"),
        (lambda: bounds.margin_ceiling(1.0, 0), "without an update"),
        (lambda: bounds.margin_ceiling(math.inf, 1), "is a length"),
        (lambda: bounds.fixed_increment(1, [0], [0], [[1]], [1]), "on the hyperplane itself"),
        (lambda: bounds.fixed_increment(1, [0], [1], [[1], [2]], [1, 0]), "row 1 is on the wrong"),
        (lambda: bounds.fixed_increment(1, ["1"], [1], [[1]], [1]), "finite numbers"),
        (lambda: bounds.fixed_increment("x", [0], [1], [[1]], [1]), "eta must be"),
        (lambda: bounds.fixed_increment(1, [0], [1], [[1], [2], [3]], [1, 2, 3]), "positive"),
        (lambda: bounds.winnow_on([[0, 2], [1, 0]], [0, 1]), "2 in column 1"),
        (lambda: bounds.winnow_on([[0, 1], [1, 1]], [1, 0]), "each variable that is 1"),
        (lambda: bounds.winnow_on([[0, 0], [1, 1]], [1, 0]), "every variable is 0 in it"),
        (lambda: bounds.winnow_on([[0, 1], [1, 1]], [-1, -1]), "no row is positive"),
        (lambda: bounds.disjunction([[0, 1], [1, 0]], [1, 0], relevant=[5]), "no column 5"),
        (lambda: bounds.disjunction([[0, 1], [1, 0]], [1, 0], relevant=["a"]), "no column 'a'"),
        (lambda: bounds.disjunction([[0, 1], [1, 0]], [1, 0], relevant=[]), "at least one"),
        (lambda: bounds.disjunction([[0, 1], [1, 0]], [1, 0], relevant=[0]), "row 0 is positive"),
        (lambda: bounds.disjunction([[0, 1], [1, 0]], [1, 0], relevant=[0, 1]), "row 1 is neg"),
        (lambda: bounds.freund_schapire([[1.0]], [1], passes=0), "passes"),
        (lambda: bounds.hinge([[1.0], [2.0]], [5, 5]), "-1 and 1"),
        (lambda: bounds.hinge([[math.nan], [2.0]], [0, 1]), "NaN in row 0"),
        (lambda: bounds.on([[1.0], [2.0]], [0, 1], start=[1.0]), "2 are needed"),
        (lambda: bounds.on([[1.0], [2.0]], [0, 1], eta=-1), "eta must be"),
        (lambda: bounds.on([[1.0], [2.0]], [0, 1], only=["nov"]), "no bound 'nov'"),
        (lambda: bounds.on([[1.0], [2.0]], [0, 1], time_limit=-1), "time_limit"),
    ],
)
def test_what_is_outside_the_hypotheses_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_formulas_need_no_numba():
    script = "import sys; from novikoff import bounds; print(bounds.novikoff(1, 0.5), 'numba' in "
    script += "sys.modules, 'on' in dir(bounds))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["4.0", "False", "True"]
    with pytest.raises(AttributeError, match="nonsense"):
        bounds.nonsense  # noqa: B018


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds.balanced_winnow(3, 1e200, 1.0, 1.0),
        lambda: bounds.balanced_winnow(3, 1.0, 0.5, 1e308),
        lambda: bounds.balanced_winnow(math.nan, 1.0, 0.5, 0.1),
        lambda: bounds.margin_ceiling(3.0, math.nan),
        lambda: bounds.winnow(1, 10**400),
    ],
    ids=["largest", "eta", "features", "updates", "variables"],
)
def test_numbers_beyond_reason_are_refused(call):
    with pytest.raises(ParameterError):
        call()
