"""The proof as it runs: every inequality at every update, against a reference of the tests' own."""

import csv
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError, InequalityError, ParameterError
from novikoff.theory.trace import dispatch
from novikoff.theory.trace.theorems import theorems
from novikoff.theory.trace.theorems.constants import TheoremConstants
from novikoff.theory.trace.theorems.inequalities import PERCEPTRON_STATEMENTS, Checks
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.verdict.signed import Signed
from tests.helpers.examples import examples
from tests.helpers.rule_table import labelled_integers

ROOMY = {"target_slack", "norm_slack", "lower_slack", "upper_slack"}
etas = st.sampled_from([0.125, 0.3, 1.0, 7.0])


def reference(X, y, eta, start, updates, target):
    """The proof's quantities after each update, with Fractions and nothing of the package's."""
    eta, w0 = Fraction(eta), [Fraction(value) for value in start]
    w, lines = list(w0), []
    for i in updates:
        z = [Fraction(int(y[i])) * Fraction(value) for value in X[i]]
        score = sum(a * b for a, b in zip(z, w, strict=True))
        w = [a + eta * b for a, b in zip(w, z, strict=True)]
        away = [a - b for a, b in zip(w, w0, strict=True)]
        lines.append(
            {
                "score": score,
                "squared_norm": sum(a * a for a in w),
                "squared_distance": sum(a * a for a in away),
                "target_product": sum(a * Fraction(b) for a, b in zip(w, target, strict=True)),
            }
        )
    return lines


def theorem(X, y, eta, start, target):
    """a, D^2, m, A and B of the notes, with Fractions."""
    eta = Fraction(eta)
    Z = [[Fraction(int(s)) * Fraction(v) for v in row] for row, s in zip(X, y, strict=True)]

    def lowest(vector):
        return min(sum(a * Fraction(b) for a, b in zip(z, vector, strict=True)) for z in Z)

    a, M, m = lowest(target), max(sum(v * v for v in z) for z in Z), lowest(start)
    A = (eta * a) ** 2 / sum(Fraction(t) ** 2 for t in target)
    return a, M, m, A, eta * (eta * M - 2 * m)


@examples(120)
@given(labelled_integers(), etas, st.data())
def test_every_inequality_at_every_update_for_every_start_and_step(data, eta, draw):
    X, y, u = data
    dim = X.shape[1]
    start = draw.draw(st.lists(st.integers(-9, 9), min_size=dim, max_size=dim))
    target = draw.draw(st.sampled_from([None, u.tolist()]))
    init = np.array(start) / 4
    run = nk.trace(X, y, eta=eta, init=init, fit_intercept=False, target=target)
    assert run.exact
    assert run.converged
    table = run.table
    found = run.target.tolist()
    a, M, _, A, B = theorem(X, y, eta, init.tolist(), [Fraction(t) for t in found])
    if target is not None:
        assert (pytest.approx(float(A)), pytest.approx(float(max(B, 0)))) == (run.A, run.B)
        assert run.bound == math.floor(max(B, 0) / A)
    if not run.updates:
        return
    lines = reference(X, y, eta, init.tolist(), table["row"], found)
    first = sum(Fraction(s) * Fraction(t) for s, t in zip(init.tolist(), found, strict=True))
    for k, line in enumerate(lines, 1):
        for name, value in line.items():
            assert table[name][k - 1] == pytest.approx(float(value), rel=1e-12, abs=1e-12)
        if run.rounded:  # a mistake for rounding alone: the theorem does not cover it
            continue
        assert line["score"] <= 0
        near = Fraction(1, 10**12) if target is None else 0  # the target is given rounded
        assert line["target_product"] >= first + k * Fraction(eta) * a - near
        square = sum(Fraction(s) ** 2 for s in init.tolist())
        assert line["squared_norm"] <= square + k * Fraction(eta) ** 2 * M
        assert A * k * k - near <= line["squared_distance"] <= B * k
    assert run.updates <= run.bound
    assert all(min(table[name]) >= 0 for name in ROOMY)
    assert (table["cosine"] >= table["cosine_floor"] - 1e-12).all()


@given(labelled_integers(), etas)
def test_the_trace_is_the_estimators_run(data, eta):
    X, y, _ = data
    model = nk.Perceptron(eta=eta, order="shuffle", random_state=3).fit(X, y)
    run = nk.trace(X, y, nk.Perceptron(eta=eta, order="shuffle", random_state=3))
    assert run.mistakes_per_epoch == model.mistakes_per_epoch_
    assert (run.updates, run.converged) == (model.updates_, model.converged_)
    assert run.ceiling <= model.margin_ceiling_ * (1 + 1e-9)  # which looks once an epoch
    epochs = np.bincount(run.table["epoch"], minlength=run.epochs + 1)[1:]
    assert epochs.tolist() == run.mistakes_per_epoch


@pytest.mark.parametrize("n", [1, 2, 5, 16])
@pytest.mark.parametrize("exact", [True, False])
def test_orthonormal_rows_meet_every_inequality_with_equality(n, exact):
    y = np.where(np.arange(n) % 2, -1, 1)
    run = nk.trace(np.diag(y.astype(float)), np.ones(n), "one-sided", exact=None)
    assert (run.updates, run.bound) == (n, n)
    X = np.vstack([np.eye(n), -np.eye(n)])
    run = nk.trace(X, np.repeat([1, -1], n), fit_intercept=False, exact=exact)
    assert (run.updates, run.bound) == (n, n)
    assert run.exact is exact
    tightest = {check.name: check.tightest for check in run.checks}
    if exact:
        assert tightest == dict.fromkeys(PERCEPTRON_STATEMENTS, 0.0)
    assert all(abs(slack) < 1e-12 for slack in tightest.values())
    assert run.table["cosine"][-1] == pytest.approx(1.0)
    assert run.table["cosine"] == pytest.approx(run.table["cosine_floor"])


def test_equality_from_a_start_of_its_own():
    """Two opposite unit rows, w_0 straight against them: each update removes exactly eta."""
    run = nk.trace([[1.0], [-1.0]], [1, -1], init=[-3.0], eta=0.5, fit_intercept=False)
    # A = 1/4, B = (1/2)(1/2 + 6) = 13/4, k_max = 13; w passes 0 after 7 updates
    assert (run.A, run.B, run.bound, run.updates) == (0.25, 3.25, 13, 7)
    assert {c.name: c.tightest for c in run.checks}["lower"] == 0.0
    assert {c.name: c.tightest for c in run.checks}["target"] == 0.0


def sizes(run):
    return {name: column for name, column in run.table.items() if column.dtype.kind == "f"}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("options", [{}, {"init": "random", "random_state": 1, "eta": 0.1}])
@pytest.mark.parametrize("rule", ["perceptron", "averaged", "voted", "margin"])
def test_floating_point_follows_the_rationals(rule, options, sparse):
    X, y, _ = nk.open("example:iris-setosa").read()
    X = scipy.sparse.csr_array(X) if sparse else X
    exactly = nk.trace(X, y, rule, exact=True, **options)
    rounded = nk.trace(X, y, rule, exact=False, **options)
    assert (exactly.exact, rounded.exact) == (True, False)
    assert [*exactly.table] == [*rounded.table]
    for name, column in sizes(exactly).items():
        assert rounded.table[name] == pytest.approx(column, rel=1e-9, abs=1e-9), name
    for one, other in zip(exactly.checks, rounded.checks, strict=True):
        assert (one.name, one.steps) == (other.name, other.steps)
        assert one.tightest == pytest.approx(other.tightest, rel=1e-9, abs=1e-9)


def test_unit_length_and_long_runs_are_followed_in_floating_point():
    X, y, _ = nk.open("example:iris-setosa").read()
    run = nk.trace(X, y, unit_length=True)
    assert not run.exact
    assert run.radius == 1.0
    assert run.converged
    assert run.updates <= run.bound == math.floor(1 / run.margin**2)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((500, 20)), rng.integers(0, 2, 500)
    run = nk.trace(X, y, max_epochs=500, keep=50)
    assert not run.exact
    assert (run.target, run.bound, run.A) == (None, None, None)
    assert run.thinned
    assert len(run.table["update"]) <= 50
    assert run.table["update"][-1] == run.updates
    assert {check.steps for check in run.checks} == {run.updates}
    assert {check.name for check in run.checks} == {"norm", "upper"}


def test_rows_that_do_not_separate_leave_half_of_the_theorem():
    run = nk.trace([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], max_epochs=4)
    assert (run.target, run.target_from, run.bound, run.converged) == (None, "none", None, False)
    assert "target_product" not in run.table
    assert run.ceiling == 0.0  # four updates of XOR cancel out
    assert {check.name for check in run.checks} == {"norm", "upper"}


def test_an_update_for_rounding_alone_is_told_apart():
    c = 0.1 + 0.2  # above the exact sum of these two doubles
    Z = np.array([[0.1, 0, 1], [0.2, 0, -1], [0, 1, 0], [-1, c, 0]])
    y = np.array([1, 1, 1, -1])
    run = nk.trace(Z * y[:, None], y, fit_intercept=False, max_epochs=1)
    assert run.rounded == 1
    assert run.table["row"].tolist() == [0, 1, 2, 3]
    assert run.table["score"][3] > 0
    assert "bound" in {check.name for check in run.checks}  # for the updates before it


@pytest.mark.parametrize(
    ("name", "exact"),
    [(name, exact) for name in ("B", "step", "A") for exact in (True, False)] + [("bound", True)],
)
def test_a_broken_inequality_is_an_error_that_names_the_update(name, exact, monkeypatch):
    true = getattr(TheoremConstants, name).fget
    wrong = {"B": 0.1, "step": 0.1, "A": 1000, "bound": 0}[name]
    value = property(lambda self: true(self) * (wrong if name == "bound" else Fraction(wrong)))
    monkeypatch.setattr(TheoremConstants, name, value)
    X, y, _ = nk.open("example:iris-setosa").read()
    with pytest.raises(InequalityError, match=r"update \d+: .* does not hold"):
        nk.trace(X, y, exact=exact)


def test_a_target_that_gains_less_than_it_should_is_found():
    checks = Checks(PERCEPTRON_STATEMENTS, 5)
    with pytest.raises(InequalityError, match="update 3: w_k·w"):
        checks.check("target", 3, Fraction(-1, 10**30))
    with pytest.raises(InequalityError, match="update 7: k ≤ B / A"):
        checks.check_bound(7)
    k, slack = np.array([4, 5, 6]), np.array([0.0, -1e-9, math.nan])
    with pytest.raises(InequalityError, match="update 5"):
        checks.check_all("norm", k, slack, np.full(3, 1e-12))
    with pytest.raises(InequalityError, match="update 6"):
        checks.check_all("norm", k, slack, np.full(3, 1e-8))


def test_exact_entries_are_followed_exactly():
    X = [[Fraction(1, 3), Fraction(1, 7)], [Fraction(-1, 3), Fraction(2, 7)]]
    run = nk.trace(X, [1, -1], fit_intercept=False)
    assert run.exact
    assert run.table["squared_norm"][0] == float(Fraction(1, 9) + Fraction(1, 49))


def test_extreme_numbers():
    for scale in (1e-140, 1e140):
        X = np.array([[3.0, 1.0], [1.0, -2.0], [-2.0, 1.0]]) * scale
        run = nk.trace(X, [1, 1, -1], fit_intercept=False)
        assert run.converged
        assert run.updates <= run.bound


def test_a_bound_passed_for_rounding_alone_is_no_violation():
    far = {"init": [1.0, 1e17, -1e17], "fit_intercept": False, "max_epochs": 3}
    X, y = [[1.0, 1, 1], [-1, -1, -1]], [1, 0]
    exactly, rounded = (nk.trace(X, y, exact=exact, **far) for exact in (True, False))
    assert exactly.rounded == exactly.updates == rounded.updates == 6 > rounded.bound
    # one unit in the last place above the margin, which no double tells
    run = nk.trace(
        [[1.0, 1], [-1, -1]], [1, 0], "margin", margin=1.0, fit_intercept=False,
        init=[1, 2.0**-60], max_epochs=1,
    )  # fmt: skip
    assert run.rounded >= 1


@pytest.mark.parametrize(
    ("X", "options"),
    [
        ([[1e-160], [3e-160]], {}),
        ([[1e-150, 1e150], [2e-150, 1e150]], {"fit_intercept": False}),
        ([[1.0, 2], [-1, 3]], {"eta": 1e300}),
        ([[1.0, 2], [-1, 3]], {"eta": 1e-170, "max_epochs": 50}),
        ([[1e-100, 2e-100], [-1e-100, 3e-100]], {"target": [1e-100, 0], "fit_intercept": False}),
    ],
    ids=["tiny", "units", "large step", "small step", "small target"],
)
def test_numbers_at_the_ends_of_the_doubles(X, options):
    run = nk.trace(X, [1, 0], **{"max_epochs": 50} | options)
    assert run.exact
    assert run.updates
    assert (np.abs(run.table["cosine"]) <= 1.0).all()


def test_the_cosine_does_not_depend_on_the_unit_of_the_step():
    X, y = [[1.0, 2], [-1, 3]], [1, 0]
    one, tiny = (nk.trace(X, y, eta=eta, max_epochs=50) for eta in (1.0, 2.0**-560))
    assert tiny.table["cosine"] == pytest.approx(one.table["cosine"])


def test_digits_weigh_in_what_is_little_work():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 20)) * 10.0 ** rng.integers(-150, 150, (60, 20))
    moves = UpdateBatch(np.array([0]), np.zeros(1), np.ones(1, bool), np.ones(1, int), np.ones(1))
    weights = []
    for matrix in (np.sign(X), X):
        signed = Signed.of(matrix, np.arange(60) % 2)
        made = dispatch.UpdateDispatcher.__new__(dispatch.UpdateDispatcher)
        made._signed, made._theorem = signed, theorems.PerceptronTheorem
        weights.append(made._relative_cost(moves))
    assert weights[0] == 1 < weights[1]


# Winnow


@pytest.mark.parametrize("alpha", [1.5, 1e8, 1e20])
def test_a_total_that_is_tiny_beside_its_terms(alpha):
    for seed in range(40):
        X, y = disjunctive(12, 5, [0, 2], seed)
        if 0 < y.sum() < len(y):
            nk.trace(X, y, "winnow", alpha=alpha, theta=2.5, exact=False, max_epochs=20)


def test_a_factor_close_to_one_is_no_wait():
    X, y = disjunctive(30, 5, [0], 1)
    run = nk.trace(X, y, "winnow", alpha=1.0000001, theta=1e12, max_epochs=1)
    assert run.table["promotion_cap"][0] > 2e8


def disjunctive(rows, features, relevant, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, features)) < 0.2).astype(float)
    return X, X[:, relevant].any(axis=1).astype(int)


@examples(60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.sampled_from([(2.0, None), (1.5, 3.0), (3.0, 8.0)]),
    st.booleans(),
)
def test_winnow_keeps_within_its_budget(seed, features, form, sparse):
    alpha, theta = form
    relevant = sorted({0, features // 2})
    X, y = disjunctive(60, features, relevant, seed)
    assume(0 < y.sum() < len(y))
    data = scipy.sparse.csr_array(X) if sparse else X
    run = nk.trace(data, y, "winnow", target=relevant, alpha=alpha, theta=theta)
    weights, threshold = [Fraction(1)] * features, Fraction(theta or features)
    up = down = 0
    assert run.converged
    assert run.exact
    for k in range(run.updates):
        row = X[run.table["row"][k]]
        before = sum(w for w, x in zip(weights, row, strict=True) if x)
        promoted = run.table["label"][k] > 0
        assert (before < threshold) == promoted or run.rounded
        factor = Fraction(alpha) if promoted else 1 / Fraction(alpha)
        weights = [w * factor if x else w for w, x in zip(weights, row, strict=True)]
        up, down = up + promoted, down + (not promoted)
        cap = features + up * (Fraction(alpha) - 1) * threshold
        cap -= down * (1 - 1 / Fraction(alpha)) * threshold
        assert sum(weights) > 0
        if run.rounded:  # 1 / alpha is no double: a promotion may have come at the threshold
            assert alpha != 2.0
            return
        assert sum(weights) <= cap
        assert run.table["total_weight"][k] == pytest.approx(float(sum(weights)))
        assert run.table["total_cap"][k] == pytest.approx(float(cap))
        assert run.table["promotions"][k] == up <= run.table["promotion_cap"][k]
    expected = nk.bounds.winnow(len(relevant), features, alpha=alpha, theta=theta)
    assert run.bound == math.floor(expected)
    assert run.updates <= run.bound
    rounded = nk.trace(data, y, "winnow", target=relevant, alpha=alpha, theta=theta, exact=False)
    assert not rounded.exact
    for name, column in sizes(run).items():
        assert rounded.table[name] == pytest.approx(column), name


def test_winnow_finds_its_own_disjunction_and_does_without():
    X, y = disjunctive(400, 30, [3, 17])
    run = nk.trace(X, y, "winnow")
    assert run.target_from == "disjunction"
    assert np.flatnonzero(run.target).tolist() == [3, 17]
    y[int(y.argmax())] = 0  # no OR any more
    run = nk.trace(X, y, "winnow", max_epochs=3)
    assert (run.target, run.target_from, run.bound) == (None, "none", None)
    assert {check.name for check in run.checks} == {"total", "positive"}
    assert np.isnan(run.table["promotion_cap"]).all()


def test_winnow_with_names():
    pandas = pytest.importorskip("pandas")
    X, y = disjunctive(60, 4, [2])
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    assert np.flatnonzero(nk.trace(frame, y, "winnow", ["c"]).target).tolist() == [2]


# what is kept and written


def test_a_table_is_thinned_and_all_of_it_written(tmp_path):
    X, y, _ = nk.open("example:wdbc").read()
    paths = tmp_path / "all.csv", tmp_path / "all.parquet"
    for path in paths:
        run = nk.trace(X, y, max_epochs=30, keep=100, write=path)
    whole = nk.trace(X, y, max_epochs=30)
    assert run.thinned
    assert not whole.thinned
    kept = run.table["update"]
    assert len(kept) <= 100
    for name, column in run.table.items():
        assert (column == whole.table[name][kept - 1]).all()
    with paths[0].open() as file:
        lines = list(csv.DictReader(file))
    from pyarrow import parquet

    table = parquet.read_table(paths[1])
    assert table.num_rows == len(lines) == whole.updates
    assert [*lines[0]] == table.column_names == [*whole.table]
    for name, column in whole.table.items():
        assert table[name].to_numpy().tolist() == column.tolist()
        assert [float(line[name]) for line in lines] == column.astype(float).tolist()
    whole.write(tmp_path / "again.parquet")
    assert parquet.read_table(tmp_path / "again.parquet").equals(table)


def test_a_failure_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "run.csv"
    path.write_text("precious")
    monkeypatch.setattr(dispatch.UpdateDispatcher, "finish", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nk.trace([[1.0], [-1.0]], [1, 0], write=path)
    assert path.read_text() == "precious"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_disk_that_is_full_leaves_nothing(name, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("novikoff.files.os.fsync", full)
    with pytest.raises(ParameterError, match=f"{name}: cannot be written: No space left"):
        nk.trace([[1.0], [-1.0]], [1, 0], write=tmp_path / name)
    assert not [*tmp_path.iterdir()]


def test_no_update_at_all(tmp_path):
    run = nk.trace(
        [[1.0], [-1.0]], [1, -1], init=[5.0], fit_intercept=False, write=tmp_path / "a.csv"
    )
    assert (run.updates, run.checks, run.ceiling) == (0, [], None)
    assert run.bound == 0
    run.write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_text().startswith("update,epoch,row,")
    assert (tmp_path / "b.csv").read_text() == (tmp_path / "a.csv").read_text()
    from pyarrow import parquet

    there = {"init": [5.0], "fit_intercept": False, "write": tmp_path / "a.parquet"}
    nk.trace([[1.0], [-1.0]], [1, -1], **there)
    assert parquet.read_table(tmp_path / "a.parquet").num_rows == 0
    run.write(tmp_path / "b.parquet")
    assert parquet.read_table(tmp_path / "b.parquet").num_rows == 0
    assert parquet.read_table(tmp_path / "b.parquet").column_names == [*run.table]


@pytest.mark.parametrize("exact", [None, False])
@pytest.mark.parametrize("rule", ["perceptron", "margin", "passive-aggressive", "winnow"])
@pytest.mark.parametrize("weights", [False, True])
def test_a_table_without_updates_has_the_columns_of_one_with_updates(rule, exact, weights):
    X, y = [[1.0, 1.0], [0.0, 0.0]], [1, 0]
    moving, still = {"theta": 3.0}, {"theta": 2.0}
    if rule != "winnow":
        X, y = [[1.0, 1.0], [-1.0, 0.0]], [1, -1]
        moving, still = {"fit_intercept": False}, {"fit_intercept": False, "init": [5.0, 5.0]}
    some = nk.trace(X, y, rule, exact=exact, weights=weights, **moving).table
    none = nk.trace(X, y, rule, exact=exact, weights=weights, **still).table
    assert len(some["update"]) > 0
    assert [*none] == [*some]
    assert all(len(column) == 0 for column in none.values())
    assert [column.dtype for column in none.values()] == [c.dtype for c in some.values()]


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({"rule": "second-order"}, ParameterError, "follows the proofs of"),
        ({"rule": nk.rules.SecondOrder()}, ParameterError, "follows the proofs of"),
        ({"rule": "nonsense"}, ParameterError, "nonsense: the trace follows the proofs of"),
        ({"nonsense": 1}, ParameterError, "no parameter 'nonsense'"),
        ({"rule": nk.Perceptron(), "eta": 1.0}, ParameterError, "set it on the estimator"),
        ({"target": [1.0]}, ParameterError, "has 1 numbers; 3 are needed"),
        ({"target": [-1.0, 0.0, 0.0]}, ParameterError, "does not separate the rows: row 0"),
        ({"target": [0, 0, 0]}, ParameterError, "the target is zero"),
        ({"target": [math.nan, 0, 0]}, ParameterError, "not a finite number"),
        ({"target": ["a", 0, 0]}, ParameterError, "not a finite number"),
        ({"exact": True, "unit_length": True}, ParameterError, "not rational"),
        ({"keep": 1}, ParameterError, "keep must be"),
        ({"max_updates": 0}, ParameterError, "max_updates must be a whole number above 0"),
        ({"max_updates": 2.5}, ParameterError, "max_updates must be a whole number above 0"),
        ({"rule": "passive-aggressive", "exact": True}, ParameterError, "rounded quotients"),
        ({"write": "a.txt"}, ParameterError, "as .csv or .parquet"),
        ({"write": "no/such/folder/a.csv"}, ParameterError, "there is no folder"),
        ({"max_epochs": 0}, ParameterError, "max_epochs"),
        ({"rule": "winnow", "complement": True}, ParameterError, "complements as columns"),
        ({"rule": "winnow", "target": [0.5]}, ParameterError, "there is no column 0.5"),
        ({"rule": "winnow", "target": 7}, ParameterError, "there is no column 7"),
        ({"target": [1e200, 0, 0]}, ParameterError, "a number far from 1"),
        ({"rule": "winnow", "target": [7]}, ParameterError, "there is no column 7"),
        ({"rule": "winnow", "target": []}, ParameterError, "at least one relevant variable"),
        ({"rule": "winnow", "target": [1]}, ParameterError, "row 0 is positive, but none"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_refused(options, kind, reason):
    X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], [1, 1, 0]
    with pytest.raises(kind, match=reason):
        nk.trace(X, y, **options)


def test_three_classes_and_no_labels_are_refused():
    with pytest.raises(DataError, match="3 labels"):
        nk.trace([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(DataError, match="no labels"):
        nk.trace([[1.0], [2.0]])
