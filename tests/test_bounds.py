"""The bounds: against the theorems written out in Fractions, and against real and exact runs."""

import itertools
import math
import subprocess
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import awkward
import exact_reference as exact
import novikoff as nk
from novikoff import bounds
from novikoff.bounds import comparing, runs, soft, survey
from novikoff.bounds.labelled import signed_rows
from novikoff.epochs import learn
from novikoff.errors import HypothesisError, ParameterError
from novikoff.learn import Learner
from novikoff.rows import make_rows
from novikoff.rules import Perceptron, Winnow
from support import separable

ORTHONORMAL = [1, 2, 3, 7, 8, 64]
SOFT = {"freund-schapire": bounds.freund_schapire, "hinge": bounds.hinge}
soft_bounds = pytest.mark.parametrize("name", SOFT)
#: Five mistakes of a row of length 2, each at a right angle to the weights, though two of the rows
#: are opposite; then rows that are right. The hinge bound is met with equality at v = w / 8.
TIGHT = [[0, -2, 0, 0], [2, 0, 0, 0], [-1, -1, -1, -1], [-1, -1, 1, 1], [-2, 0, 0, 0]]
AFTERWARDS = [[0, -2, 0, 0]] * 6


def in_fractions(rows):
    return [[Fraction(value) for value in row] for row in rows]


def exact_run(z, passes=1, *, eta=1, start=None, until_done=False):
    """A perceptron in rational arithmetic: the weights before each update, and after the last."""
    w = [Fraction(0)] * len(z[0]) if start is None else list(start)
    trail = [w]
    for _ in range(passes):
        before = len(trail)
        for row in z:
            if exact.dot(row, w) <= 0:
                w = [a + eta * b for a, b in zip(w, row, strict=True)]
                trail.append(w)
        if until_done and len(trail) == before:
            return trail
    assert not until_done, "it did not converge"
    return trail


def square(vector):
    return exact.dot(vector, vector)


# --- formulas -------------------------------------------------------------------------------------


@given(st.fractions(0, 1, max_denominator=99), st.fractions(1, 50, max_denominator=99))
@settings(max_examples=40)
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


# --- the fixed increment --------------------------------------------------------------------------


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
    M = max(square(row) for row in z)
    mu = 2 * min(exact.dot(row, start) for row in z)
    return (eta * a) ** 2 / square(target), eta * (eta * M - mu)


@given(increments())
@settings(max_examples=60)
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
        moved = square([one - other for one, other in zip(w, start, strict=True)])
        assert A * k**2 <= moved <= B * k


@given(increments(), st.booleans())
@settings(max_examples=50)
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
@settings(max_examples=60)
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
    assert A * n**2 == square(trail[-1]) == B * n


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


# --- disjunctions ---------------------------------------------------------------------------------


def is_or(X, positive, chosen):
    return (X[:, chosen].any(axis=1) == positive).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 12), st.booleans())
@settings(max_examples=70)
def test_a_disjunction_is_found_exactly_if_there_is_one(seed, features, rows, by_rule):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features))
    positive = rng.random(rows) < 0.5
    if by_rule:
        positive = X[:, rng.random(features) < 0.5].any(axis=1)
    y = np.where(positive, 1, -1)
    consistent = [
        chosen
        for size in range(1, features + 1)
        for chosen in itertools.combinations(range(features), size)
        if is_or(X, positive, list(chosen))
    ]
    try:
        found = bounds.disjunction(X, y)
    except HypothesisError:
        assert not consistent or not positive.any()
        return
    chosen = found.relevant
    assert tuple(chosen) in consistent
    assert not any(is_or(X, positive, [j for j in chosen if j != one]) for one in chosen)
    assert found == bounds.disjunction(scipy.sparse.csr_array(X.astype(float)), y)
    assert bounds.disjunction(X, y, relevant=chosen) == found


def test_a_disjunction_has_the_names_of_its_columns_and_of_its_lines(tmp_path):
    path = tmp_path / "bits.csv"
    path.write_text("a,b,c,label\n0,1,0,yes\n1,0,0,yes\n0,0,1,no\n")
    found = bounds.disjunction(nk.open(path))
    assert (found.relevant, found.names, found.features) == ([0, 1], ["a", "b"], 3)
    assert bounds.disjunction(nk.open(path), relevant=["b", "a"]) == found
    assert bounds.winnow_on(nk.open(path)).value == math.floor(bounds.winnow(2, 3))
    with pytest.raises(HypothesisError, match="line 3 is positive"):
        bounds.disjunction(nk.open(path), relevant=["b"])
    path.write_text("a,b,label\n0,1,yes\n1,0.5,no\n")
    with pytest.raises(HypothesisError, match=r"line 3 has 0\.5 in b"):
        bounds.winnow_on(nk.open(path))


def test_a_fraction_that_only_rounds_to_a_bit_is_none():
    nearly = Fraction(1) + Fraction(1, 10**30)
    with pytest.raises(HypothesisError, match="row 0 has not quite 1 in column 0"):
        bounds.disjunction([[nearly, 0], [0, 1]], [1, 0])


def test_greedy_disjunctions_stay_small():
    rng = np.random.default_rng(3)
    X = rng.random((400, 60)) < 0.2
    positive = X[:, [5, 17, 42]].any(axis=1)
    assert bounds.disjunction(X.astype(float), positive).relevant == [5, 17, 42]


def test_a_variable_that_the_others_make_needless_is_dropped():
    """The fullest column is taken first; the two others cover all of its rows as well."""
    columns = [{1, 2, 3, 4}, {0, 1, 2}, {3, 4, 5}]
    X = np.array([[float(i in column) for column in columns] for i in range(7)])
    assert bounds.disjunction(X, X.any(axis=1)).relevant == [1, 2]


@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.sampled_from([None, 1.5, 3.0]))
@settings(max_examples=40)
def test_winnow_makes_no_more_mistakes_than_its_bound_on_data(seed, features, alpha):
    rng = np.random.default_rng(seed)
    X = (rng.random((150, features)) < rng.uniform(0.05, 0.6)).astype(float)
    y = np.where(X[:, rng.permutation(features)[:3]].any(axis=1), 1, -1)
    assume(len(set(y.tolist())) == 2)
    options = {} if alpha is None else {"alpha": alpha, "theta": 4.0}
    rule = Winnow(*options.values())
    learner = Learner(rule, features, bias=False)
    learn(learner, make_rows(X, False, False), (y > 0).astype(np.uint16), max_epochs=1000)
    found = bounds.winnow_on(X, y, **options)
    assert learner.total("mistakes") <= found.value <= found.real
    assert len(found.relevant) <= 3 * (1 + math.log(150))


# --- rows that do not separate --------------------------------------------------------------------


def value_allows(name, real, z, v, passes):
    """Whether `real` is not below the bound of the vector v: in Fractions, without a root."""
    losses = [max(Fraction(0), 1 - exact.dot(row, v)) for row in z]
    length = max(square(row) for row in z) * square(v)  # (D |v|)^2
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
@settings(max_examples=25)
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
@settings(max_examples=20)
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
    verdict = soft.Judge(signed_rows(rows, y, fit_intercept=False)).verdict()
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
            for loss, score in zip(soft.losses_above(signed, v).tolist(), scores, strict=True):
                assert Fraction(loss) >= 1 - score
            signed = signed_rows(X, positive, fit_intercept=bias, unit_length=True)
            losses = soft.losses_above(signed, v).tolist()
            for loss, score, row in zip(losses, scores, z, strict=True):
                left = Fraction(loss) - 1  # must not be below -score / |row|
                size = square(row) or 1
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
        monkeypatch.setattr(comparing, "suggestions", lambda *_, vector=vector: [vector])
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
        verdict = soft.Judge(signed).verdict()
        first = soft.squared(signed, verdict, 1).real
        with monkeypatch.context() as patch:
            patch.setattr(comparing, "EVALUATIONS", 5000)
            patch.setattr(comparing, "ENOUGH", 1e-12)
            best = soft.squared(signed, verdict, 1).real
        assert first <= best * 1.001


# --- all of them on one data set ------------------------------------------------------------------


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
    case = survey.posed(signed, passes=2)
    found = survey.answered(case)
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


@pytest.mark.parametrize("example", ["or", "disjunction", "iris-setosa", "xor", "iris-versicolor"])
@pytest.mark.parametrize("unit_length", [False, True], ids=["as-is", "unit"])
def test_real_runs_keep_every_bound(example, unit_length):
    signed = signed_rows(nk.open(f"example:{example}"), unit_length=unit_length)
    case = survey.posed(signed, passes=3, eta=Fraction(1, 2))
    ran = runs.perceptron_run(case)
    given = [each for each in survey.answered(case) if each.refused is None]
    made = {each.name: runs.made(case, each, ran) for each in given}
    assert made
    for each in given:
        assert 0 < made[each.name] <= each.value
    assert ("novikoff" in made) == ran.converged
    assert ran.after_length is None or ran.mistakes <= ran.after_length
    assert (
        ran.after_rows is None or ran.mistakes <= ran.after_rows <= by_name(given)["novikoff"].value
    )
    assert (ran.after_rows is None) == (not ran.converged)


@given(separable(max_rows=15, max_features=3), st.integers(0, 99), st.booleans())
@settings(max_examples=40)
def test_what_a_run_proves_afterwards(data, seed, from_zero):
    """Against the same run in Fractions: no figure is rounded to the wrong side."""
    X, y, _ = data
    assume(len(set(y.tolist())) == 2)
    X = np.round(X * 16) / 16
    start = None if from_zero else np.random.default_rng(seed).integers(-3, 4, X.shape[1])
    case = survey.posed(signed_rows(X, y, fit_intercept=False), start=start)
    assume(case.verdict.outcome == "separable")
    ran = runs.perceptron_run(case, 50_000)
    z = exact.signed_rows(X.tolist(), (y > 0).tolist(), False)
    first = None if start is None else [Fraction(int(each)) for each in start]
    trail = exact_run(z, 50_000, start=first, until_done=True)
    k = len(trail) - 1
    assert (ran.mistakes, ran.converged) == (k, True)
    moved = square([a - b for a, b in zip(trail[-1], trail[0], strict=True)])
    assert Fraction(ran.length) ** 2 >= moved
    if not k:
        assert ran.ceiling is None
        return
    assert Fraction(ran.ceiling) ** 2 * k**2 >= moved
    assert Fraction(ran.ceiling) ** 2 >= case.verdict.margin.lower_squared
    assert ran.length == pytest.approx(math.sqrt(moved), rel=1e-6, abs=1e-9)
    assert k <= ran.after_length
    assert (ran.after_rows is None) == (not from_zero) or not any(start)
    if ran.after_rows is not None:
        assert k <= ran.after_length <= ran.after_rows <= case.verdict.mistake_bound


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
    assert refused.startswith("not separable: row 0, row 1 and row 2 cancel")


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
