"""All bounds on one data set: kept by their learners, or refused with the reason."""

from fractions import Fraction

import numpy as np
import pytest

import novikoff as nk
from novikoff.theory import bounds
from novikoff.theory.bounds import evaluate
from novikoff.theory.bounds.user_input import signed_rows
from tests.helpers import awkward_rows as awkward
from tests.helpers import exact_reference as exact
from tests.helpers.exact_runs import exact_run

NAMES = [
    "novikoff", "unit-length", "fixed-increment", "one-sided", "winnow", "balanced-winnow",
    "freund-schapire", "hinge",
]  # fmt: skip


def by_name(found):
    return {each.name: each for each in found}


@pytest.mark.parametrize("kind", awkward.KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("unit_length", [False, True], ids=["as-is", "unit"])
def test_every_bound_on_awkward_rows_is_kept_by_its_learner_or_refused(kind, unit_length):
    X, positive, bias = awkward.problem(kind, 11)
    signed = signed_rows(X, positive, fit_intercept=bias, unit_length=unit_length)
    case = evaluate.prepare(signed, passes=2)
    found = evaluate.evaluate(case)
    verdict = nk.check(X, positive, fit_intercept=bias, unit_length=unit_length)
    assert [each.name for each in found] == NAMES
    for each in found:
        holding = [hypothesis.holds for hypothesis in each.hypotheses]
        assert (each.value is None) == (each.refused is not None) == (not all(holding))
        assert each.refused in (None, *(hypothesis.why for hypothesis in each.hypotheses))
        assert (each.real is None) == (each.value is None)
        assert each.value is None or each.value <= each.real
    named = by_name(found)
    assert named["novikoff"].value == named["fixed-increment"].value == verdict.mistake_bound
    assert (named["unit-length"].value == verdict.mistake_bound) or not unit_length
    assert named["freund-schapire"].value is not None
    z = exact.signed_rows(X.tolist(), positive.tolist(), bias)
    if not unit_length and verdict.mistake_bound is not None and verdict.mistake_bound < 3000:
        assert len(exact_run(z, 5000, until_done=True)) - 1 <= verdict.mistake_bound


def test_a_start_other_than_zeros_leaves_only_what_holds_from_anywhere():
    X, y = nk.open("example:iris-setosa").read()[:2]
    start = np.array([1.0, -2.0, 0.5, 3.0, 1.0])
    found = by_name(bounds.on(X, y, start=start, eta=0.5))
    assert {name for name, each in found.items() if each.refused is None} == {
        "fixed-increment",
        "balanced-winnow",
    }
    assert "fixed-increment is for any start" in found["novikoff"].refused
    weights = nk.check(X, y).certificate.witness["weights"]
    known = bounds.fixed_increment(0.5, start, weights, X, y)
    assert found["fixed-increment"].value == known.updates
    assert by_name(bounds.on(X, y, start=np.zeros(5)))["novikoff"].value == 221


def test_one_label_alone_is_what_the_one_sided_perceptron_learns_from():
    X = [[3.0, 4.0], [4.0, 3.0], [1.0, 0.0]]
    found = by_name(bounds.on(X, [1, 1, 1], fit_intercept=False))
    gap = nk.check([*X, *(-np.array(X))], [1] * 3 + [0] * 3, fit_intercept=False, unit_length=True)
    assert found["one-sided"].value == gap.mistake_bound
    assert nk.OneSidedPerceptron().fit(X).mistakes_ <= found["one-sided"].value
    assert "row 0 is negative" in by_name(bounds.on(X, [-1, -1, -1]))["one-sided"].refused
    around = [[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]
    refused = by_name(bounds.on(around, [1, 1, 1]))["one-sided"].refused
    assert refused.startswith("not separable: row 0, row 1 and row 2 sum to zero")


def test_rows_of_length_one_are_known_by_exact_arithmetic():
    X = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]])
    y = [1, 0, 0]
    refused = by_name(bounds.on(X, y, fit_intercept=False))["unit-length"].refused
    assert "the length of row 0 is not quite 1" in refused
    tenths = [[Fraction(3, 5), Fraction(4, 5)], [1, 0], [0, -1]]
    found = by_name(bounds.on(tenths, y, fit_intercept=False))
    assert found["unit-length"].value == found["novikoff"].value is not None


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [1.0], [2.0]], [0, 1, 1], "row 0 and row 1 are the same but for the label"),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "only quasi-separable: row 1 and row 2"),
        ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], "not separable: "),
    ],
)
def test_why_there_is_no_margin(X, y, words):
    found = by_name(bounds.on(X, y))
    for name in ("novikoff", "fixed-increment", "balanced-winnow"):
        assert words in found[name].refused
        assert not found[name].undecided


def test_a_row_of_zeros_is_named():
    found = by_name(bounds.on([[0.0], [1.0]], [0, 1], fit_intercept=False))
    assert "row 0 has nothing but zeros" in found["novikoff"].refused


def test_without_the_time_to_decide_nothing_is_claimed():
    found = by_name(bounds.on(nk.open("example:wdbc"), time_limit=0.0, passes=50))
    assert found["novikoff"].refused == "not decided in the time given"
    assert found["novikoff"].undecided
    assert not found["winnow"].undecided
    assert found["hinge"].value < 569 * 50


def test_a_margin_too_thin_for_balanced_winnow_is_refused():
    X = [[1e-170, 1e150], [-1e-170, 1e150]]
    found = by_name(bounds.on(X, [1, 0], fit_intercept=False))
    assert "too thin" in found["balanced-winnow"].refused
    assert found["balanced-winnow"].value is None
    assert found["novikoff"].value is not None


def test_balanced_winnows_is_its_formula_at_its_best_step():
    """Iris: the separator's margin by the sum of |weights|, and the largest entry."""
    X, y = nk.open("example:iris-setosa").read()[:2]
    found = by_name(bounds.on(X, y))["balanced-winnow"]
    verdict = nk.check(X, y)
    weights = np.append(verdict.weights, verdict.intercept)
    z = np.hstack([X, np.ones((150, 1))]) * np.where(y == "setosa", 1.0, -1.0)[:, None]
    margin = (z @ weights).min() / np.abs(weights).sum()
    eta = margin / X.max() ** 2
    assert found.figures["eta"] == pytest.approx(eta)
    assert found.real == pytest.approx(bounds.balanced_winnow(5, X.max(), margin, eta))
    for other in (0.9, 1.1):
        assert found.real < bounds.balanced_winnow(5, X.max(), margin, other * eta)


def test_only_some_of_them_and_who_watches():
    stages = []
    found = bounds.on(
        nk.open("example:or"), only=["hinge", "winnow"], relevant=["a", "b"], watch=stages.append
    )
    assert [each.name for each in found] == ["winnow", "hinge"]
    assert found[0].figures == {"r": 2, "n": 2, "relevant": [0, 1]}
    assert stages[-1].doing == "the bound hinge"
    refused = bounds.on(nk.open("example:or"), only=["winnow"], relevant=[0])[0].refused
    assert refused == "row 1 is positive, but none of the variables named is 1 in it"
