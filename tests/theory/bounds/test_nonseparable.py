"""The bounds for rows that do not separate: in Fractions, against runs and brute force."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.learning.epochs import learn
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Perceptron
from novikoff.theory import bounds
from novikoff.theory.bounds import comparison_vectors, nonseparable
from novikoff.theory.bounds.user_input import signed_rows
from tests.helpers import awkward_rows as awkward
from tests.helpers import exact_reference as exact
from tests.helpers.exact_runs import ORTHONORMAL, exact_run, in_fractions, squared_norm
from tests.helpers.examples import examples
from tests.helpers.rule_table import separable

SOFT = {"freund-schapire": bounds.freund_schapire, "hinge": bounds.hinge}
soft_bounds = pytest.mark.parametrize("name", SOFT)
#: Five mistakes of a row of length 2, each at a right angle to the weights, though two of the rows
#: are opposite; then rows that are right. The hinge bound is met with equality at v = w / 8.
TIGHT = [[0, -2, 0, 0], [2, 0, 0, 0], [-1, -1, -1, -1], [-1, -1, 1, 1], [-2, 0, 0, 0]]
AFTERWARDS = [[0, -2, 0, 0]] * 6


def value_allows(name, real, z, v, passes):
    """Whether `real` is not below the bound of the vector v: in Fractions, without a root."""
    losses = [max(Fraction(0), 1 - exact.dot(row, v)) for row in z]
    length = max(squared_norm(row) for row in z) * squared_norm(v)  # (D |v|)^2
    if name == "freund-schapire":  # real >= (D |v| + |l|)^2
        loss = passes * sum(each**2 for each in losses)
        left = Fraction(real) - length - loss
        return left >= 0 and left**2 >= 4 * length * loss
    left = Fraction(real) - passes * sum(losses)  # m^2 - m D |v| - L >= 0 with m^2 = real
    return left >= 0 and left**2 >= length * Fraction(real)


@pytest.mark.parametrize("kind", awkward.KINDS, ids=lambda kind: kind.__name__)
@soft_bounds
def test_soft_bounds_hold_for_exact_runs_and_for_the_vector_that_they_name(kind, name):
    for seed, passes in ((0, 1), (1, 3)):
        X, positive, bias = awkward.problem(kind, seed)
        z = exact.signed_rows(X.tolist(), positive.tolist(), bias)
        options = {"fit_intercept": bias, "passes": passes}
        found = SOFT[name](X, positive, **options)
        assert value_allows(name, found.real, z, in_fractions([found.vector])[0], passes)
        assert found.value in (math.floor(found.real), found.trivial)
        assert found.value <= found.trivial == len(z) * passes
        assert found.vacuous == (found.value == found.trivial)
        assert len(exact_run(z, passes)) - 1 <= found.value
        sparse = SOFT[name](scipy.sparse.csr_array(X), positive, **options)
        assert sparse.real == pytest.approx(found.real, rel=1e-4)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from(sorted(SOFT)))
@examples(25)
def test_soft_bounds_hold_in_any_order(seed, rows, name):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rows, 2)).astype(float)
    y = np.where(np.arange(rows) % 2, 1, -1)
    found = SOFT[name](X, y)
    z = exact.signed_rows(X.tolist(), (y > 0).tolist(), True)
    most = max(len(exact_run(order)) - 1 for order in itertools.permutations(z))
    assert most <= found.value


@pytest.mark.parametrize("seed", range(4))
@soft_bounds
def test_soft_bounds_are_near_the_best_that_brute_force_finds(name, seed):
    rng = np.random.default_rng([seed, 7])
    X = rng.standard_normal((30, 2)) * [1.0, 3.0]
    y = np.where(X @ [1.0, 0.4] + 0.4 * rng.standard_normal(30) > 0, 1, -1)
    z = X * y[:, None]
    D = np.linalg.norm(z, axis=1).max()

    def value(v):
        losses, size = np.maximum(0.0, 1.0 - z @ v), D * np.linalg.norm(v)
        if name == "freund-schapire":
            return (size + np.linalg.norm(losses)) ** 2
        return ((size + math.sqrt(size**2 + 4.0 * losses.sum())) / 2.0) ** 2

    options = {"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000}
    brute = min(
        scipy.optimize.minimize(value, start, method="Nelder-Mead", options=options).fun
        for start in ([0.0, 0.0], [1.0, 0.0], [0.3, 0.3])
    )
    found = SOFT[name](X, y, fit_intercept=False)
    assert brute * (1 - 1e-9) <= found.real <= brute * 1.001
    assert found.real < 30
    assert value(found.vector) <= found.real


@given(separable(max_rows=25, max_features=4), st.integers(1, 3))
@examples(20)
def test_on_separable_rows_soft_bounds_are_at_most_novikoffs(data, passes):
    X, y, _ = data
    assume(len(set(y.tolist())) == 2)
    verdict = nk.check(X, y, fit_intercept=False)
    model = nk.Perceptron(fit_intercept=False, max_epochs=20_000).fit(X, y)
    for bound in SOFT.values():
        found = bound(X, y, fit_intercept=False, passes=passes)
        # the separator is rounded to doubles, and the figure up
        assert found.real <= float(verdict.radius_squared / verdict.margin.lower_squared) + 1e-6
        assert sum(model.mistakes_per_epoch_[:passes]) <= found.value
        assert found.value <= len(X) * passes


@pytest.mark.parametrize("n", ORTHONORMAL)
@soft_bounds
def test_orthonormal_rows_meet_the_soft_bounds_with_equality(name, n):
    X, y = np.eye(n), np.where(np.arange(n) % 2, 1, -1)
    found = SOFT[name](X, y, fit_intercept=False, passes=5)
    assert found.value == n
    assert not found.vacuous
    assert found.loss == pytest.approx(0.0, abs=1e-6)
    model = nk.Perceptron(fit_intercept=False).fit(X, y) if n > 1 else None
    assert model is None or model.mistakes_ == n


def test_the_hinge_bound_is_met_with_equality_by_rows_that_do_not_separate():
    rows = TIGHT + AFTERWARDS
    y = [1] * len(rows)
    assert len(exact_run(in_fractions(rows))) - 1 == 5
    found = bounds.hinge(rows, y, fit_intercept=False)
    assert (found.value, found.trivial) == (5, 11)
    verdict = nonseparable.Judge(signed_rows(rows, y, fit_intercept=False)).run()
    assert verdict.outcome != "separable"
    v = [Fraction(-1, 4), Fraction(-1, 2), Fraction(0), Fraction(0)]
    assert value_allows("hinge", 5.0, in_fractions(rows), v, 1)
    assert not value_allows("hinge", 4.999, in_fractions(rows), v, 1)


@soft_bounds
def test_a_row_and_its_opposite_are_two_mistakes_a_pass_and_no_bound_says_less(name):
    found = SOFT[name]([[1.0], [-1.0]], [1, 1], fit_intercept=False, passes=4)
    assert len(exact_run(in_fractions([[1], [-1]]), 4)) - 1 == 8 == found.value
    assert found.vacuous
    assert not found.vector.any()
    assert found.gamma == math.inf


@soft_bounds
def test_rows_of_unit_length(name):
    """Against decimals of sixty digits; rows of zeros stay as they are."""
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1e-200, 0.0], [1e200, 1e200], [5.0, -12.0], [-1.0, 1.0]])
    y = np.array([1, 1, 1, 1, -1, -1])
    found = SOFT[name](X, y, fit_intercept=False, unit_length=True, passes=2)
    with localcontext() as context:
        context.prec = 60
        v = [Decimal(float(each)) for each in found.vector]
        losses = []
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            row = [Decimal(each) for each in row]
            size = sum(each * each for each in row).sqrt() or Decimal(1)
            losses.append(
                max(0, 1 - label * sum(a * b for a, b in zip(row, v, strict=True)) / size)
            )
        length = sum(each * each for each in v).sqrt()
        m = length + (2 * sum(each**2 for each in losses)).sqrt()
        if name == "hinge":
            m = (length + (length**2 + 8 * sum(losses)).sqrt()) / 2
        assert m**2 <= Decimal(found.real) * (1 + Decimal("1e-50"))
        assert m**2 >= Decimal(found.real) * (1 - Decimal("1e-9"))
    assert found.radius == 1.0
    assert found.real < found.trivial


@pytest.mark.parametrize("kind", awkward.KINDS, ids=lambda kind: kind.__name__)
def test_no_loss_is_rounded_down(kind):
    """Also where scores cancel: the vectors are the larger, the shorter the rows."""
    for seed in range(4):
        X, positive, bias = awkward.problem(kind, seed)
        z = exact.signed_rows(X.tolist(), positive.tolist(), bias)
        rng = np.random.default_rng(seed)
        for v in rng.standard_normal((3, len(z[0]))) * [[1.0], [1e6], [1e12]]:
            v = v / np.abs(X).max(initial=1.0)
            scores = [exact.dot(row, in_fractions([v.tolist()])[0]) for row in z]
            signed = signed_rows(X, positive, fit_intercept=bias)
            for loss, score in zip(
                nonseparable.losses_above(signed, v).tolist(), scores, strict=True
            ):
                assert Fraction(loss) >= 1 - score
            signed = signed_rows(X, positive, fit_intercept=bias, unit_length=True)
            losses = nonseparable.losses_above(signed, v).tolist()
            for loss, score, row in zip(losses, scores, z, strict=True):
                left = Fraction(loss) - 1  # must not be below -score / |row|
                size = squared_norm(row) or 1
                assert left >= 0 or score > 0
                if left * score < 0:
                    assert (left**2 * size <= score**2) == (score > 0)
                assert score >= 0 or left**2 * size >= score**2


@soft_bounds
def test_the_figure_holds_whatever_the_search_did(name, monkeypatch):
    """Nonsense as a suggestion gives a poor figure, or none, never a wrong one."""
    X, positive, bias = awkward.problem(awkward.overlapping, 5)
    z = exact.signed_rows(X.tolist(), positive.tolist(), bias)
    good = SOFT[name](X, positive, fit_intercept=bias)
    rng = np.random.default_rng(0)
    for scale in (1e-300, 1e-3, 1.0, 1e300, math.nan, math.inf):
        vector = scale * rng.standard_normal(len(z[0]))
        monkeypatch.setattr(
            comparison_vectors, "candidate_vectors", lambda *_, vector=vector: [vector]
        )
        found = SOFT[name](X, positive, fit_intercept=bias)
        assert value_allows(name, found.real, z, in_fractions([found.vector])[0], 1)
        assert good.value <= found.value <= len(z)


@soft_bounds
def test_more_passes_allow_more_mistakes_and_the_loss_counts_each(name):
    X, y = nk.open("example:iris-versicolor").read()[:2]
    found = [SOFT[name](X, y, passes=passes) for passes in (1, 2, 10)]
    model = nk.Perceptron(max_epochs=10)
    with pytest.warns(Warning, match="not converged"):
        model.fit(X, y)
    for passes, each in zip((1, 2, 10), found, strict=True):
        assert sum(model.mistakes_per_epoch_[:passes]) <= each.value < 150 * passes
    assert found[0].value < found[1].value < found[2].value


@soft_bounds
def test_decimals_are_bounded_as_what_they_are(name):
    X = [[Decimal("0.1"), Decimal("0.2")], [Decimal("0.2"), Decimal("0.5")]]
    X += [[Decimal("0.3"), Decimal("0.8")]] * 5
    y = [0, 1, 0, 0, 0, 0, 0]
    found = SOFT[name](X, y, passes=40)
    z = exact.signed_rows(X, [label == 1 for label in y], True)
    z = in_fractions(z)
    assert value_allows(name, found.real, z, in_fractions([found.vector])[0], 40)
    assert not found.vacuous


def test_columns_in_other_units_are_no_trouble_for_the_search(monkeypatch):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((200, 6))
    y = np.where(X @ rng.standard_normal(6) + 0.3 * rng.standard_normal(200) > 0, 1, -1)
    units = 2.0 ** np.arange(-18, 18, 6)
    for scaled in (X * units, X * units[::-1], X * 2.0**900, X * 2.0**-900):
        signed = signed_rows(scaled, y)
        verdict = nonseparable.Judge(signed).run()
        first = nonseparable.freund_schapire_bound(signed, verdict, 1).real
        with monkeypatch.context() as patch:
            patch.setattr(comparison_vectors, "EVALUATIONS", 5000)
            patch.setattr(comparison_vectors, "ENOUGH", 1e-12)
            best = nonseparable.freund_schapire_bound(signed, verdict, 1).real
        assert first <= best * 1.001


def test_the_perceptron_of_an_array_keeps_the_soft_bounds_it_reports():
    """One real data set in full: all passes of one run against the bounds for as many passes."""
    X, y = nk.open("example:digits-8").read()[:2]
    learner = Learner(Perceptron(), X.shape[1])
    codes = (y == max(y.tolist())).astype(np.uint16)
    outcome = learn(learner, make_rows(X, True, False), codes, max_epochs=4)
    for name in SOFT:
        for passes in (1, 4):
            found = SOFT[name](X, y, passes=passes)
            assert sum(outcome.mistakes_per_epoch[:passes]) <= found.value < len(X)
