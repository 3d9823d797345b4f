"""Passive-aggressive learning as it runs: its proof at every update, in Fractions beside it."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import InequalityError, ParameterError
from novikoff.theory.trace.theorems.inequalities import PASSIVE_AGGRESSIVE_STATEMENTS, Checks
from novikoff.theory.trace.theorems.passive_aggressive import (
    PassiveAggressiveChecker,
    PassiveAggressiveConstants,
)
from novikoff.theory.trace.weights import ReplayedWeights
from tests.helpers.examples import examples
from tests.helpers.rule_table import labelled_integers

PA = "passive-aggressive"
small = st.integers(-4, 4)
variants = st.sampled_from(["PA", "PA-I", "PA-II"])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def exactly(vector):
    return [Fraction(value) for value in vector]


class Theorem:
    """Of these rows and this start, with nothing of the package's."""

    def __init__(self, X, y, start, target, C, variant):
        self.Z = [[int(s) * Fraction(v) for v in x] for x, s in zip(X, y, strict=True)]
        target = exactly(target)
        a = min(dot(z, target) for z in self.Z)
        self.u = [each / a for each in target]
        largest = max(dot(z, z) for z in self.Z)
        slack = Fraction(0.5 / C) if variant == "PA-II" else 0  # as the rule has it
        self.cap, self.slack = C if variant == "PA-I" else math.inf, slack
        self.c = min(Fraction(C), 1 / largest) if variant == "PA-I" else 1 / (largest + slack)
        self.first = self.distance(exactly(start))

    def distance(self, w):
        away = [a - b for a, b in zip(w, self.u, strict=True)]
        return dot(away, away)

    def step(self, z, w):
        """The step of the paper, exactly, and the loss."""
        loss = max(Fraction(0), 1 - dot(z, w))
        return min(self.cap, loss / (dot(z, z) + self.slack)), loss


@examples(150)
@given(labelled_integers(), st.sampled_from([0.125, 1.0, 3.0]), variants, st.data())
def test_the_proof_at_every_update_for_every_variant_and_start(data, C, variant, draw):
    X, y, target = data
    start = np.array(draw.draw(st.lists(small, min_size=len(target), max_size=len(target)))) / 2
    run = nk.trace(
        X, y, PA, target=target, C=C, variant=variant, init=start, fit_intercept=False,
        weights=True, max_epochs=60,
    )  # fmt: skip
    theorem, table = Theorem(X, y, start, target, C, variant), run.table
    assert run.bound == math.floor(theorem.first / theorem.c)
    assert run.mistakes <= run.bound
    assert (run.exact, run.rounded, run.A, run.B, run.eta) == (False, 0, None, None, None)
    if not run.updates:
        return
    assert {check.name for check in run.checks} == {*PASSIVE_AGGRESSIVE_STATEMENTS}
    assert {check.steps for check in run.checks} == {run.updates}
    near = {"rel": 1e-9, "abs": 1e-9}
    w, drops, cap, m = exactly(start), Fraction(0), dot(exactly(start), exactly(start)), 0
    for k in range(run.updates):
        z = theorem.Z[table["row"][k]]
        tau, loss = map(Fraction, theorem.step(z, w))
        assert (table["loss"][k], table["step"][k]) == (
            pytest.approx(float(loss), **near),
            pytest.approx(float(tau), **near),
        )
        before = theorem.distance(w)
        w = exactly(run.table[f"weight_{j}"][k] for j in range(len(target)))  # the run's own
        drop = tau * (2 * loss - tau * dot(z, z))
        assert theorem.distance(w) <= before - drop + Fraction(1, 10**9)
        m += bool(table["mistake"][k])
        if table["mistake"][k]:
            assert drop >= theorem.c - Fraction(1, 10**9)
        drops, cap = drops + drop, cap + tau * (2 - loss)
        for name, value in {
            "squared_norm": dot(w, w),
            "norm_cap": cap,
            "to_target": theorem.distance(w),
            "to_target_cap": theorem.first - drops,
            "drop": drop,
            "drops": drops,
            "drops_floor": m * theorem.c,
            "mistakes": m,
        }.items():
            assert table[name][k] == pytest.approx(float(value), **near), name
    assert (table["cosine"] >= table["cosine_floor"] - 1e-9).all()
    size = math.sqrt(dot(theorem.u, theorem.u))
    expected = [
        np.dot(row, [float(each) for each in theorem.u]) / (np.linalg.norm(row) * size or 1.0)
        for row in np.array([table[f"weight_{j}"] for j in range(len(target))]).T
    ]
    assert table["cosine"] == pytest.approx(expected, **near)


@given(labelled_integers(), variants)
def test_from_zeros_the_bound_is_the_rules(data, variant):
    X, y, _ = data
    estimator = nk.PassiveAggressive(variant=variant, fit_intercept=False, max_epochs=30)
    run = nk.trace(X, y, estimator)
    bound = estimator._rule().mistake_bound(run.radius, run.margin)
    assert run.bound in (math.floor(bound), math.floor(bound - 1e-9))
    assert run.mistakes <= run.bound


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_orthonormal_rows_meet_the_proof_with_equality(n):
    X = np.vstack([np.eye(n), -np.eye(n)])
    run = nk.trace(X, np.repeat([1, -1], n), PA, variant="PA", fit_intercept=False)
    assert (run.mistakes, run.updates, run.bound) == (n, n, n)
    assert all(abs(check.tightest) < 1e-12 for check in run.checks)
    assert {check.name for check in run.checks} == {*PASSIVE_AGGRESSIVE_STATEMENTS}
    assert run.table["to_target"][-1] == pytest.approx(0.0, abs=1e-12)
    assert run.table["cosine"] == pytest.approx(run.table["cosine_floor"])
    assert run.ceiling == pytest.approx(n**-0.5)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_run_of_real_rows(sparse):
    X, y = nk.open("example:iris-setosa").read()[:2]
    plain = nk.trace(X, y, PA)
    run = nk.trace(scipy.sparse.csr_array(X) if sparse else X, y, nk.rules.PassiveAggressive(1.0))
    model = nk.PassiveAggressive().fit(X, y)
    assert (run.rule, run.mistakes, run.updates) == (PA, model.mistakes_, model.updates_)
    assert run.updates > run.mistakes
    assert run.converged
    assert run.margin <= run.ceiling <= model.margin_ceiling_ * (1 + 1e-9)
    for name, column in plain.table.items():
        assert run.table[name] == pytest.approx(column), name
    assert (np.diff(run.table["ceiling"]) <= 0).all()
    assert run.table["mistakes"].tolist() == np.cumsum(run.table["mistake"]).tolist()


def test_unit_length_and_exact_numbers():
    X, y = nk.open("example:iris-setosa").read()[:2]
    run = nk.trace(X, y, PA, variant="PA", unit_length=True)
    assert run.radius == 1.0
    assert run.mistakes <= run.bound == math.floor(1 / run.margin**2)
    thirds = [[Fraction(1, 3), Fraction(1, 7)], [Fraction(-1, 3), Fraction(2, 7)]]
    run = nk.trace(thirds, [1, -1], PA, variant="PA", fit_intercept=False, target=[3, 0])
    assert run.bound == math.floor(9 * (Fraction(1, 9) + Fraction(4, 49)))


def test_rows_that_do_not_separate_leave_the_length():
    run = nk.trace([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], PA, max_epochs=300)
    assert (run.target, run.target_from, run.bound, run.converged) == (None, "none", None, False)
    assert {check.name for check in run.checks} == {"norm"}
    assert "to_target" not in run.table
    assert "cosine" not in run.table
    assert run.ceiling < 0.01
    assert run.cycle is not None


def test_parts_of_a_run_are_followed_as_the_whole(monkeypatch):
    X, y = nk.open("example:iris-setosa").read()[:2]
    whole = nk.trace(X, y, PA)
    monkeypatch.setattr("novikoff.theory.trace.dispatch.PART", 30)
    parts = nk.trace(X, y, PA)
    assert [check[:3] for check in parts.checks] == [check[:3] for check in whole.checks]
    for name, column in whole.table.items():
        assert parts.table[name] == pytest.approx(column, rel=1e-12, abs=1e-12), name


@examples(100)
@given(st.integers(0, 10**6), variants, st.sampled_from([1e-9, 1e-3, 1.0, 1e6]), st.booleans())
def test_rounding_is_allowed_for(seed, variant, scale, unit_length):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 3)) * scale
    w = rng.standard_normal(3)
    X += np.outer(np.sign(X @ w) * 10.0 ** -rng.integers(1, 5), w) * scale / (w @ w)
    y = np.sign(X @ w)
    assume(len(set(y)) == 2)
    start = rng.standard_normal(3) * 10.0 ** rng.integers(-3, 4)
    options = {"variant": variant, "C": 10.0 ** float(rng.integers(-3, 4)), "init": start}
    run = nk.trace(
        X, y, PA, fit_intercept=False, unit_length=unit_length, max_epochs=100, **options
    )
    assert run.mistakes <= run.bound
    assert "bound" in {check.name for check in run.checks} or not run.updates


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_extreme_numbers(scale):
    X = np.array([[3.0, 1.0], [1.0, -2.0], [-2.0, 1.0]]) * scale
    run = nk.trace(X, [1, 1, -1], PA, variant="PA", fit_intercept=False)
    assert run.mistakes <= run.bound


def test_squares_beyond_the_doubles_are_refused():
    with pytest.raises(ParameterError, match="beyond the range of doubles; scale the rows"):
        nk.trace([[1e-130, 1e-160], [1e-130, -1e-160]], [1, 0], PA, fit_intercept=False)


def test_a_start_at_u_itself_but_for_rounding():
    X, y = nk.open("example:iris-setosa").read()[:2]
    found = nk.check(X, y)
    signed = np.where(y == np.unique(y)[1], 1.0, -1.0)
    start = np.append(found.weights, found.intercept)
    start /= (signed * (X @ start[:-1] + start[-1])).min() * (1 + 1e-15)
    run = nk.trace(X, y, PA, init=start)
    assert run.updates > 0
    assert (run.mistakes, run.bound, run.converged) == (0, 0, True)


# a proof that fails is found


@pytest.mark.parametrize(
    ("field", "factor", "statement"),
    [
        ("first", Fraction(1, 2), "w_k − u"),
        ("least", 10**4, "Σd ≥ m·c"),
    ],
)
def test_figures_that_are_wrong_break_an_inequality(field, factor, statement, monkeypatch):
    true = PassiveAggressiveConstants.of

    class Wrong(PassiveAggressiveConstants):
        @property
        def first(self):
            return super().first * (factor if field == "first" else 1)

    def made(rule, by):
        found = Wrong(*true(rule, by))
        return found._replace(least=found.least * factor) if field == "least" else found

    monkeypatch.setattr(PassiveAggressiveConstants, "of", made)
    X, y = nk.open("example:iris-setosa").read()[:2]
    with pytest.raises(InequalityError, match=rf"update \d+: .*{statement}.* does not hold"):
        nk.trace(X, y, PA, variant="PA")


@pytest.mark.parametrize(("factor", "statement"), [(1 + 1e-9, "w_0"), (-1.0, "w_k − u")])
def test_weights_that_are_wrong_break_an_inequality(factor, statement, monkeypatch):
    after = ReplayedWeights.after
    monkeypatch.setattr(ReplayedWeights, "after", lambda self, moves: after(self, moves) * factor)
    X, y = nk.open("example:iris-setosa").read()[:2]
    with pytest.raises(InequalityError, match=rf"update \d+: .*{statement}.* does not hold"):
        nk.trace(X, y, PA, variant="PA")


def test_more_mistakes_than_the_bound_are_found_unless_rounding_can_have_made_them():
    follower = PassiveAggressiveChecker.__new__(PassiveAggressiveChecker)
    follower._bound, follower._checks = 2, Checks(PASSIVE_AGGRESSIVE_STATEMENTS, 2)
    k, mistakes = np.array([4, 5, 6]), np.array([2.0, 2.0, 3.0])
    follower._within(k, mistakes, np.array([False, False, False]))
    (check,) = follower._checks.results()
    assert (check.name, check.steps, check.tightest) == ("bound", 3, 0.0)
    with pytest.raises(InequalityError, match=r"update 6: m ≤ .* does not hold, by 1"):
        follower._within(k, mistakes, np.array([False, False, True]))
