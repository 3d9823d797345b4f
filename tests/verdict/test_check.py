"""What `nk.check` does besides being right: precision, time, watching, wide rows, bad input."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.exact.rank import PRIME
from novikoff.verdict.search.min_norm_point import OPTIMAL, ZERO, nearest_point
from tests.helpers.exact_reference import nearest_square
from tests.helpers.verdicts import check_certificate

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


def separable(rows=400, features=10, gap=0.05, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(features)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((3 * rows, features))
    X = X[np.abs(X @ u) > gap][:rows]
    return X, (X @ u > 0).astype(int)


def text_like(rows=600, features=4000, each=30, seed=0):
    rng = np.random.default_rng(seed)
    columns = (features * rng.random((rows, each)) ** 3).astype(np.int32).ravel()
    values = np.abs(rng.standard_normal(rows * each))
    X = scipy.sparse.csr_matrix((values, columns, np.arange(0, rows * each + 1, each)))
    X.resize(rows, features)
    X.sum_duplicates()
    return X, np.where(X @ rng.standard_normal(features) > 0, 1, -1)


def assert_proven(verdict, X, y):
    found = nk.verify(verdict.certificate, X, y)
    assert found.valid, found.reason


# The margin and its precision.


@pytest.mark.parametrize("unit_length", [False, True])
def test_a_finer_precision_gives_a_narrower_bracket_around_the_same_margin(unit_length):
    X, y = separable()
    best = nk.check(X, y, unit_length=unit_length).margin
    for precision in (1.0, 0.3, 1e-2, 1e-6):
        verdict = nk.check(X, y, unit_length=unit_length, precision=precision)
        margin = verdict.margin
        assert 1.0 - margin.lower / margin.upper <= precision
        assert margin.lower_squared <= best.upper_squared
        assert best.lower_squared <= margin.upper_squared
        assert_proven(verdict, X, y)


def test_without_a_precision_or_with_0_the_margin_is_exact():
    X, y = separable()
    for precision in (None, 0, 0.0):
        margin = nk.check(X, y, precision=precision).margin
        assert margin.squared is not None
        assert margin.lower**2 == pytest.approx(float(margin.squared))


def test_with_a_large_support_the_bracket_is_as_narrow_as_promised():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 700))
    y = X @ rng.standard_normal(700) > 0
    margin = nk.check(X, y).margin
    assert margin.squared is None
    assert 0.0 < margin.upper - margin.lower <= 1e-3 * margin.upper


@given(st.integers(0, 10**6))
def test_no_order_of_the_rows_costs_the_perceptron_more_than_the_bound(seed):
    X, y = separable(rows=30, features=3, gap=0.1, seed=seed % 50)
    order = np.random.default_rng(seed).permutation(len(X))
    model = nk.Perceptron(max_epochs=10**5).fit(X[order], y[order])
    assert model.converged_
    assert model.mistakes_ <= nk.check(X, y).mistake_bound


def test_the_bound_is_met_exactly_by_the_tight_example():
    X, y = nk.open("example:tight?features=6").read()[:2]
    verdict = nk.check(X, y, fit_intercept=False)
    model = nk.Perceptron(fit_intercept=False, max_epochs=1000).fit(X, y)
    assert verdict.margin.squared == Fraction(1, 6)
    assert model.mistakes_ == verdict.mistake_bound == 6


@given(st.integers(1, 6), st.integers(1, 3), st.data())
def test_the_search_in_floating_point_finds_the_nearest_point(count, dim, data):
    whole = st.lists(st.integers(-3, 3), min_size=dim, max_size=dim)
    points = data.draw(st.lists(whole, min_size=count, max_size=count))
    expected = float(nearest_square(points))
    found = nearest_point(np.array(points, np.float64))
    assert found.status == (ZERO if expected == 0.0 else OPTIMAL)
    assert found.point @ found.point == pytest.approx(expected, rel=1e-9, abs=1e-20)
    assert found.multipliers @ np.array(points)[found.indices] == pytest.approx(found.point)


# Time, and watching.


def test_when_the_time_runs_out_it_is_undecided_and_says_what_is_known():
    X, y = separable()
    verdict = nk.check(X, y, time_limit=0.0)
    assert verdict.outcome == "undecided"
    assert verdict.certificate is None
    assert verdict.margin.lower == 0.0
    assert verdict.margin.upper_squared >= nk.check(X, y).margin.squared
    assert verdict.coefficients == []
    with pytest.raises(ParameterError, match="undecided"):
        verdict.contrast(np.ones(11))


def test_a_time_limit_never_takes_a_proven_verdict_back():
    X, y = separable(rows=3000, features=30, gap=1e-3)
    for limit in (0.0, 1e-3, 1e-2, 1e-1, 10.0):
        verdict = nk.check(X, y, time_limit=limit)
        assert verdict.outcome in ("separable", "undecided")
        if verdict.outcome == "separable":
            assert_proven(verdict, X, y)


def test_an_exact_solve_that_cannot_end_in_time_is_not_begun():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((700, 300)), rng.integers(0, 2, 700)
    assert nk.check(X, y, time_limit=1e-3 + 0.5).outcome in ("undecided", "inseparable")


def test_whoever_watches_hears_the_verdict_before_the_margin():
    X, y = separable(rows=3000, features=30, gap=1e-3)
    stages = []
    nk.check(X, y, watch=stages.append)
    assert stages[0].outcome is None
    known = [stage for stage in stages if stage.outcome == "separable"]
    assert known
    assert known[0].doing == "the margin"


def test_ctrl_c_gets_through():
    def interrupt(stage):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nk.check(XOR, [0, 1, 1, 0], watch=interrupt)


# Very wide rows.


def test_wide_rows_are_separated_with_a_bracket():
    X, y = text_like()
    verdict = nk.check(X, y)
    assert verdict.outcome == "separable"
    assert verdict.margin.lower > 0.0
    assert verdict.margin.upper - verdict.margin.lower <= 1e-3 * verdict.margin.upper
    assert_proven(verdict, X, y)
    assert verdict.rank is None
    with pytest.raises(ParameterError, match="not judged beyond"):
        _ = verdict.coefficients


def test_wide_rows_with_a_small_support_have_an_exact_margin():
    X = scipy.sparse.eye_array(40, 5000, format="csr")
    y = np.arange(40) % 2
    verdict = nk.check(X, y, fit_intercept=False)
    assert verdict.margin.squared == Fraction(1, 40)
    assert_proven(verdict, X, y)


def test_twins_among_wide_rows_leave_the_others_strict():
    X, y = text_like()
    X, y = scipy.sparse.vstack([X, X[:2]]).tocsr(), np.append(y, -y[:2])
    verdict = nk.check(X, y)
    assert verdict.outcome == "quasi-separable"
    assert np.flatnonzero(~verdict.strict).tolist() == [0, 1, 600, 601]
    assert verdict.identical.rows == 4
    assert_proven(verdict, X, y)


def test_a_conflict_hidden_among_wide_rows_is_found():
    X, y = text_like()
    hidden = np.zeros((4, 4000))
    hidden[1, 5] = hidden[2, 6] = hidden[3, 5] = hidden[3, 6] = 1.0
    X = scipy.sparse.vstack([X, scipy.sparse.csr_matrix(hidden)]).tocsr()
    verdict = nk.check(X, np.append(y, [-1, 1, 1, -1]))
    assert verdict.outcome == "quasi-separable"
    assert [row for row, _ in verdict.conflict] == [600, 601, 602, 603]
    assert_proven(verdict, X, np.append(y, [-1, 1, 1, -1]))


# Many rows.


def test_many_rows_need_few_scans():
    X, y = separable(rows=100_000, features=10, gap=0.01)
    verdict = nk.check(X, y)
    assert verdict.margin.squared is not None
    assert verdict.scans < 50
    y[:3] ^= 1
    verdict = nk.check(X, y)
    assert verdict.outcome == "inseparable"
    assert len(verdict.conflict) <= 12
    assert_proven(verdict, X, y)


MEMORY = """
import numpy as np, novikoff as nk

def peak_while(work):
    def read(name):
        lines = open("/proc/self/status").read().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
    before = read("VmRSS")
    work()
    return read("VmHWM") - before

rng = np.random.default_rng(0)
def data(rows):
    X = rng.standard_normal((rows, 20))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.01, -0.01)
    return X, y
nk.check(*data(1000))
X, y = data(1_000_000)
print(peak_while(lambda: nk.check(X, y)) / X.nbytes)
print(peak_while(lambda: nk.verify(nk.check(X, y).certificate, X, y)) / X.nbytes)
print(peak_while(lambda: X.copy()) / X.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for its memory")
def test_checking_and_verifying_take_less_memory_than_the_data():
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    check, verify, copy = map(float, run.stdout.split())
    assert 0.9 < copy < 1.2  # the measure itself
    assert max(check, verify) < 1.0


# Contrasts, labels, names.


def test_the_difference_of_two_diverging_coefficients_can_be_finite():
    X = [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1], [1, 1], [1, 1], [0, 1]]
    y = [0, 1, 0, 1, 1, 1, 1, 1]
    verdict = nk.check(X, y)
    assert verdict.outcome == "quasi-separable"
    assert verdict.contrast([0, 0, 1]).status == "finite"
    assert verdict.contrast([1, 1, 0], "both") == ("both", "diverges", "+")
    assert verdict.contrast([Fraction(1, 3), 0, 0]).sign == verdict.contrast([1, 0, 0]).sign
    with pytest.raises(ParameterError, match="3 weights"):
        verdict.contrast([1, 2])
    with pytest.raises(ParameterError, match="no weight other than 0"):
        verdict.contrast([0, 0, 0])


def test_one_label_against_all_others():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "c"]
    joint = nk.check(X, y)
    assert (joint.family, joint.outcome) == ("multinomial", "separable")
    each = {label: verdict.outcome for label, verdict in joint.one_against_rest.items()}
    assert each == {"a": "separable", "b": "inseparable", "c": "separable"}
    assert nk.check(X, y, positive="a").outcome == "separable"
    assert nk.check(X, y, positive="b").outcome == "inseparable"
    verdict = nk.check(X, y, positive="c")
    assert_proven(verdict, X, y)
    with pytest.raises(DataError, match="no row has the label 'd'"):
        nk.check(X, y, positive="d")


def test_all_identical_rows_with_opposite_labels_are_counted():
    X = [[1.0], [1.0], [1.0], [2.0], [2.0], [3.0], [3.0], [0.0], [-0.0]]
    verdict = nk.check(X, [0, 1, 0, 1, 0, 1, 1, 0, 1])
    assert verdict.identical == (7, 3, (0, 1))
    assert verdict.conflict == [(0, 1), (1, 1)]


@pytest.mark.parametrize("kind", ["dense", "csr", "float32", "frame", "source"])
def test_every_kind_of_rows_gives_the_same_certificate(kind, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = np.array(XOR, np.float64), [0, 1, 1, 1]
    expected = nk.check(X, y).certificate.fields
    if kind == "source":
        path = tmp_path / "rows.csv"
        path.write_text("".join(f"{a},{b},{label}\n" for (a, b), label in zip(X, y, strict=True)))
        found = nk.check(nk.open(path))
    else:
        make = {
            "dense": np.asfortranarray,
            "csr": scipy.sparse.csr_matrix,
            "float32": np.float32,
            "frame": pandas.DataFrame,
        }[kind]
        found = nk.check(make(X), y)
    assert found.certificate.fields == expected


B = 2**53


@pytest.mark.parametrize(
    "X",
    [
        [[B, 0.5], [B + 1, 0.5]],
        [[2**63, -1], [2**63 + 1, -1]],
        scipy.sparse.csr_array(np.array([[B, 1], [B + 1, 1]])),
        scipy.sparse.csc_array(np.array([[B, 1], [B + 1, 1]])),
        "frame",
    ],
)
def test_integers_beyond_the_doubles_are_taken_as_they_are(X):
    if isinstance(X, str):
        X = pytest.importorskip("pandas").DataFrame({"a": [B, B + 1], "b": [0.5, 0.5]})
    verdict = nk.check(X, [0, 1])
    assert verdict.outcome == "separable"
    assert_proven(verdict, X, [0, 1])


def test_a_certificate_is_not_of_rows_that_round_to_the_same():
    certificate = nk.check([[B, 0.5], [B + 2, 0.5]], [0, 1]).certificate
    assert not nk.verify(certificate, [[B + 1, 0.5], [B + 2, 0.5]], [0, 1]).valid


@pytest.mark.parametrize(
    ("X", "y", "options", "outcome"),
    [
        ([[1, 1], [2, 1], [3, 1], [4, 1]], [0, 1, 0, 1], {}, "inseparable"),
        ([[1, 1], [2, 3], [0, 1]], [0, 1, 1], {"fit_intercept": False}, "separable"),
        ([[1, 0], [0, 1], [1, 1]], [0, 1, 1], {}, "separable"),
        ([[1, 0], [0, 1], [1, 1]], [1, 0, 2], {"family": "poisson"}, "quasi-separable"),
    ],
)
def test_multiples_of_the_prime_that_ranks_are_shown_with(X, y, options, outcome):
    X = [[a * PRIME, b] for a, b in X]
    verdict = nk.check(X, y, **options)
    assert verdict.outcome == outcome
    assert len(verdict.coefficients) == 2 + options.get("fit_intercept", True)
    assert_proven(verdict, X, y)


def test_subnormal_rows_of_unit_length():
    X, y = [[1e-310], [-1e-310], [0.0]], [0, 1, 1]
    verdict = nk.check(X, y, unit_length=True)
    assert verdict.outcome == "separable"
    assert_proven(verdict, X, y)


def test_a_verdict_with_long_numbers_can_be_shown():
    verdict = nk.check([[1e300, 1], [-1e300, 1], [1e-300, 0]], [0, 1, 1], unit_length=True)
    assert "3 rows" in repr(verdict)
    assert "lower=" in repr(verdict.margin)


# Bad input.


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[1.0], [2.0]], [1, 1], {}, "all 2 rows have the label 1"),
        ([[1.0], [np.nan]], [0, 1], {}, "NaN in row 1, column 0"),
        ([[1.0], [np.inf]], [0, 1], {}, "infinity in row 1, column 0"),
        ([[1.0], ["one"]], [0, 1], {}, "not a number|finite number"),
        ([1.0, 2.0], [0, 1], {}, "2 are needed"),
        ([[1.0], [2.0]], [0, 1, 0], {}, "3 label"),
        (np.zeros((0, 2)), [], {}, "no rows|empty"),
        (np.zeros((2, 0)), [0, 1], {}, "at least 1"),
        ([[1.0], [2.0]], None, {}, "no labels"),
        ([[1.0], [2.0]], [0, np.nan], {}, "label of row 1"),
        ([[1.0], [2.0]], [0, 1], {"precision": 2}, "precision"),
        ([[1.0], [2.0]], [0, 1], {"precision": "fine"}, "precision"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": -1}, "time_limit"),
        ([[1.0], [2.0]], [0, 1], {"family": "gamma"}, "family"),
        ([[1.0], [2.0]], [0, -1], {"family": "poisson"}, "not negative"),
        ([[1.0], [2.0]], [0, 0], {"family": "poisson"}, "every count is 0: no fit has a finite"),
        (
            [[1.0], [2.0]],
            [0, 0],
            {"family": "poisson", "fit_intercept": False},
            "every count is 0, and some hyperplane",
        ),
        ([[1.0], [2.0]], ["a", "b"], {"family": "poisson"}, "counts"),
        ([[1.0], [2.0]], ["0", "1"], {"family": "poisson"}, "counts"),
        ([[1.0], [2.0]], [[0, 1], [0, 1]], {"family": "poisson"}, "2 dimensions"),
        ([[1.0], [2.0]], [0, np.nan], {"family": "poisson"}, "label of row 1"),
        (np.array([["1/2"], [2.0]], object), [0, 1], {}, "the text '1/2' in row 0"),
        (np.array([["2020-01-01"], ["2021-01-01"]], "M8[D]"), [0, 1], {}, "datetime64"),
        ([[1.0], [2.0, 3.0]], [0, 1], {}, "not a matrix"),
        ([[1.0j], [2.0]], [0, 1], {}, "complex"),
        ([[1.0], [2.0]], [0, 1], {"family": "poisson", "unit_length": True}, "unit length"),
    ],
)
def test_bad_input_is_refused_with_the_reason(X, y, options, message):
    with pytest.raises((DataError, ParameterError), match=message):
        nk.check(X, y, **options)


def test_counts_that_are_all_zero_can_have_a_finite_maximum_without_an_intercept():
    X, y = [[1.0], [-1.0]], [0, 0]
    verdict = nk.check(X, y, family="poisson", fit_intercept=False)
    assert verdict.outcome == "inseparable"
    assert [each.status for each in verdict.coefficients] == ["finite"]
    check_certificate(verdict.certificate, np.array(X), y)


@pytest.mark.parametrize("scales", [(1e300, 1e76), (1e-300, 1e300), (1e-76, 1.0), (1e150, 1e300)])
@pytest.mark.parametrize("bias", [True, False])
def test_the_precision_holds_at_unit_length_whatever_the_units(scales, bias):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 3))
    y = X @ [1, 2, 3] + 0.5 > 0
    X = X * [*scales, 1.0] * np.where(rng.random((25, 1)) < 0.5, 1e4, 1.0)
    margin = nk.check(X, y, fit_intercept=bias, unit_length=True, precision=1e-6).margin
    if margin.upper_squared:
        assert 1 - margin.lower_squared / margin.upper_squared <= 2e-6
