"""The fixed increment: against the note in Fractions, at every update."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

from novikoff.theory import bounds
from tests.helpers import exact_reference as exact
from tests.helpers.exact_runs import ORTHONORMAL, exact_run, in_fractions, squared_norm
from tests.helpers.examples import examples


@st.composite
def increments(draw):
    """Integer rows that a rational target separates, a start and a step."""
    features = draw(st.integers(1, 3))
    target = draw(st.lists(st.integers(-3, 3), min_size=features, max_size=features))
    assume(any(target))
    row = st.lists(st.integers(-4, 4), min_size=features, max_size=features)
    rows = draw(st.lists(row, min_size=1, max_size=7))
    rows = [each for each in rows if exact.dot(each, target)]
    assume(rows)
    y = [1 if exact.dot(each, target) > 0 else -1 for each in rows]
    number = st.fractions(-3, 3, max_denominator=9)
    start = draw(st.lists(number, min_size=features, max_size=features))
    eta = draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5, 2)]))
    return rows, y, [Fraction(each, 7) for each in target], start, eta


def note_003(z, eta, start, target):
    """A and B as the note has them."""
    a = min(exact.dot(row, target) for row in z)
    M = max(squared_norm(row) for row in z)
    mu = 2 * min(exact.dot(row, start) for row in z)
    return (eta * a) ** 2 / squared_norm(target), eta * (eta * M - mu)


@given(increments())
@examples(60)
def test_the_fixed_increment_is_exactly_the_notes_and_holds_at_every_update(problem):
    rows, y, target, start, eta = problem
    z = [[Fraction(label * value) for value in row] for row, label in zip(rows, y, strict=True)]
    A, B = note_003(z, eta, start, target)
    found = bounds.fixed_increment(eta, start, target, rows, y)
    assert found.exact == (max(B / A, Fraction(0)), A, B)
    assert found.updates == math.floor(found.exact.k_max)
    assert found.k_max >= found.exact.k_max
    assert found.A <= A
    assert found.B >= B
    assert found.k_max == pytest.approx(float(found.exact.k_max))
    trail = exact_run(z, 10_000, eta=eta, start=start, until_done=True)
    assert len(trail) - 1 <= found.updates
    for k, w in enumerate(trail):
        moved = squared_norm([one - other for one, other in zip(w, start, strict=True)])
        assert A * k**2 <= moved <= B * k


@given(increments(), st.booleans())
@examples(50)
def test_the_fixed_increment_takes_any_labels_any_layout_and_lifts(problem, lifted):
    rows, y, target, start, eta = problem
    assume(len(set(y)) == 2)
    if lifted:
        start, target = [*start, Fraction(1, 2)], [*target, Fraction(0)]
    known = bounds.fixed_increment(eta, start, target, rows, y)
    words = ["yes" if label > 0 else "no" for label in y]
    sparse = scipy.sparse.csr_array(np.array(rows, float))
    assert bounds.fixed_increment(eta, start, target, sparse, words) == known
    assert bounds.fixed_increment(eta, start, target, in_fractions(rows), y) == known
    if lifted:
        z = [[*row, 1] for row in rows]
        z = [[label * value for value in row] for row, label in zip(z, y, strict=True)]
        assert known.exact[1:] == note_003(z, eta, start, target)


@given(increments())
@examples(60)
def test_the_fixed_increment_at_unit_length(problem):
    rows, y, target, start, eta = problem
    found = bounds.fixed_increment(eta, start, target, rows, y, unit_length=True)
    with localcontext() as context:
        context.prec = 60
        z = []
        for row, label in zip(rows, y, strict=True):
            size = Decimal(sum(value * value for value in row)).sqrt()
            z.append([label * value / size for value in map(Decimal, row)])
        step, first, goal = (
            [Decimal(v.numerator) / v.denominator for v in vector]
            for vector in ([eta], start, target)
        )
        A, B = note_003(z, step[0], first, goal)
        assert Decimal(found.A) <= A * (1 + Decimal("1e-50"))
        assert Decimal(found.B) >= B * (1 - Decimal("1e-50"))
        assert found.updates >= int(B / A * (1 - Decimal("1e-50")))
        assert pytest.approx(float(A)) == found.A
        assert pytest.approx(float(B), rel=1e-9, abs=1e-12) == found.B
    assert (found.exact is None) == any(start)


@pytest.mark.parametrize("n", ORTHONORMAL)
def test_orthonormal_rows_meet_the_fixed_increment_with_equality(n):
    found = bounds.fixed_increment(0.25, np.zeros(n), np.ones(n), np.eye(n), np.ones(n))
    assert found.updates == found.k_max == n
    trail = exact_run(in_fractions(np.eye(n).tolist()), 2, eta=Fraction(1, 4), until_done=True)
    assert len(trail) - 1 == n
    A, B = found.exact.A, found.exact.B
    assert A * n**2 == squared_norm(trail[-1]) == B * n


def test_no_sparse_matrix_is_made_dense(monkeypatch):
    def refuse(*_):
        raise AssertionError("made dense")

    n = 3000
    X = scipy.sparse.eye_array(n, format="csr")
    y = np.where(np.arange(n) % 2, 1, -1)
    monkeypatch.setattr(type(X), "toarray", refuse)
    monkeypatch.setattr(type(X), "todense", refuse)
    found = bounds.fixed_increment(1, np.zeros(n), y.astype(float), X, y)
    assert found.updates == n
    assert bounds.winnow_on(X, np.arange(n) < 9).relevant == list(range(9))
    assert bounds.freund_schapire(X, y, fit_intercept=False).value == n
    assert bounds.hinge(X, y, fit_intercept=False).value == n
