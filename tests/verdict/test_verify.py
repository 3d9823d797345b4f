"""The fast checker: right certificates pass, and whatever makes one wrong is seen.

It must always agree with the checker in the standard library.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from flint import fmpz_mat
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff import checker
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.certificate import Certificate, digest, make
from novikoff.verdict.certificate.build import certify_run, certify_separator
from novikoff.verdict.certificate.verify import verify
from novikoff.verdict.exact import dot_products
from novikoff.verdict.exact import margins as figures
from novikoff.verdict.exact import rank as ranks
from novikoff.verdict.scan import Scan
from novikoff.verdict.signed import Signed, dot
from tests.helpers import certificates
from tests.helpers.certificates import CASES, leaves, value_at, variants
from tests.helpers.examples import examples

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def is_valid(certificate, X, y):
    """Whether it is valid, after both checkers said the same."""
    fast = verify(certificate, X, y)
    text = certificate.text if isinstance(certificate, Certificate) else certificate
    slow = checker.check_arrays(text, dense(X), y)
    assert fast.valid == slow.valid, (fast, slow)
    return fast.valid


# Right certificates


@each_case
def test_a_right_certificate_is_valid(case, tmp_path):
    assert is_valid(case.certificate, case.X, case.y)
    path = tmp_path / "certificate.json"
    case.certificate.write(path)
    claim = f"proven: {case.certificate.claim}, {case.certificate.fields['rows']} rows"
    for form in (path, str(path), case.certificate.text, case.certificate.fields):
        assert verify(form, case.X, case.y) == (True, claim)


@each_case
def test_rows_may_come_in_any_layout(case):
    if np.asarray(dense(case.X)).dtype == object:  # a sparse matrix has no room for rationals
        assert verify(case.certificate, np.asfortranarray(case.X), np.asarray(case.y)).valid
        return
    X = dense(case.X)
    labels = np.asarray(case.y)
    for rows in (scipy.sparse.csr_array(X), scipy.sparse.csc_array(X), np.asfortranarray(X)):
        assert verify(case.certificate, rows, labels).valid
    frame = pd.DataFrame(X)
    assert verify(case.certificate, frame, pd.Series(labels)).valid
    assert verify(case.certificate, X.tolist(), labels.tolist()).valid
    assert verify(case.certificate, X, labels[:, None]).valid
    assert verify(case.certificate, X, labels.astype(object)).valid


def test_rows_may_come_from_a_source(tmp_path):
    case = CASES["separable"]
    path = tmp_path / "rows.csv"
    rows = zip(case.X.tolist(), case.y.tolist(), strict=True)
    path.write_text("".join(f"{a!r},{b!r},{label}\n" for (a, b), label in rows))
    assert verify(case.certificate, nk.open(path)).valid
    with pytest.raises(ParameterError, match="brings its own labels"):
        verify(case.certificate, nk.open(path), case.y)


def test_doubles_and_rationals_that_are_the_same_numbers():
    case = CASES["separable"]
    exact = np.array([[Fraction(each) for each in row] for row in case.X], object)
    assert verify(case.certificate, exact, case.y).valid
    decimals = np.array([[Decimal(each) for each in row] for row in case.X], object)
    assert verify(case.certificate, decimals, case.y).valid
    signed = Signed.of(exact, case.y)
    rational = certify_separator(signed, [1, Fraction(2, 3), 0], [(0, 1), (3, 1)])
    assert rational.fields["numbers"] == "rational"
    assert is_valid(rational, exact, case.y)
    assert verify(rational, case.X, case.y).valid
    assert verify(rational, scipy.sparse.csr_array(case.X), case.y).valid
    exact[0, 0] += Fraction(1, 3)
    assert "not binary64" in verify(case.certificate, exact, case.y).reason
    assert "digest" in verify(rational, exact, case.y).reason


def test_labels_may_be_of_any_type_that_has_them():
    case = CASES["separable"]
    for kind in (bool, np.int8, np.uint64, np.float32, np.float64, np.longdouble, object):
        assert verify(case.certificate, case.X, case.y.astype(kind)).valid
    fractions = np.array([Fraction(int(label)) for label in case.y], object)
    assert verify(case.certificate, case.X, fractions).valid
    assert verify(case.certificate, case.X, [Decimal(int(label)) for label in case.y]).valid
    case = CASES["separable, text"]
    assert verify(case.certificate, case.X, pd.Series(case.y, dtype="category")).valid
    assert verify(case.certificate, case.X, np.array(case.y, np.dtypes.StringDType())).valid


# Wrong ones: every leaf

#: Places where another value may be just as true, by claim: there is more than one witness.
OVERLAP = {
    ("labels", "negative"),  # null: every label but the positive one
    ("witness", "complement"),  # where the rank is full, none or null
    ("witness", "complement", 0),  # any multiple
    ("witness", "spanning"),  # where the conflict spans
    ("witness", "conflict"),  # with counts, none where pinned rows span
}
HARMLESS = {
    "separable": {("labels", "negative")},
    "inseparable": OVERLAP,
    "quasi-separable": OVERLAP | {("witness", "weights", 0), ("witness", "weights", 1)},
    # another order may be a run as well, and without a score of 0 no tie matters
    "training run": {("labels", "negative"), ("witness", "updates"), ("witness", "tie")},
}


@each_case
def test_every_change_with_the_old_seal_is_seen(case):
    for path in leaves(case.certificate.fields):
        for other in variants(value_at(case.certificate.fields, path)):
            changed = certificates.changed(case.certificate.fields, path, other)
            if isinstance(changed, dict):
                assert not is_valid(changed, case.X, case.y), (path, other)


@each_case
def test_every_change_under_a_new_seal_is_seen(case):
    """Unless what the certificate then says is just as true; both checkers agree in any case."""
    rejected = 0
    for path in leaves(case.certificate.fields):
        for other in variants(value_at(case.certificate.fields, path)):
            changed = certificates.changed(case.certificate.fields, path, other)
            if path in ((), ("seal",)) or not isinstance(changed, dict):
                continue
            valid = is_valid(certificates.seal(changed), case.X, case.y)
            assert not valid or path in HARMLESS[case.certificate.claim], (path, other)
            rejected += not valid
    assert rejected > 100


@each_case
def test_changed_rows_and_labels_are_seen(case):
    X, y = np.array(dense(case.X)), np.array(case.y)
    for i, j in np.ndindex(X.shape):
        other = X.copy()
        other[i, j] += type(other[i, j])(1)
        assert not is_valid(case.certificate, other, y)
    for i in range(len(y)):
        other = y.copy()
        other[i] = next(label for label in y if label != y[i])
        if case.certificate.fields["family"] == "poisson" and (other[i] > 0) == (y[i] > 0):
            continue
        if set(other) >= set(y) or case.certificate.fields["labels"] is None:
            assert not is_valid(case.certificate, X, other)
    assert not is_valid(case.certificate, X[:-1], y[:-1])
    assert not is_valid(case.certificate, X[::-1], y[::-1])
    assert not is_valid(case.certificate, np.vstack([X, X[:1]]), np.append(y, y[:1]))
    assert not is_valid(case.certificate, np.hstack([X, X[:, :1]]), y)


def about_other_rows(case, X):
    """The certificate with the digest of other rows."""
    fields = case.certificate.fields
    lift = {"fit_intercept": fields["lift"]["bias"], "unit_length": fields["lift"]["unit_length"]}
    return certificates.seal(fields | {"digest": digest(Signed.of(X, case.y, **lift))})


@pytest.mark.parametrize("name", ["separable", "separable without bias", "separable, unit length"])
def test_no_proof_rests_on_the_digest(name):
    """Rows that somebody found to have the same digest are looked at all the same."""
    case = CASES[name]
    for i in range(len(case.y)):
        X = case.X.copy()
        X[i] *= -1
        assert not is_valid(about_other_rows(case, X), X, case.y)


# Reasons


@pytest.mark.parametrize(
    ("name", "path", "value", "reason"),
    [
        ("separable", "witness.weights", ["0", "0", "0"], "weights: some row is not strictly"),
        ("separable", "witness.support", [], "support: it has no rows"),
        ("separable", "witness.support.0.multiplier", "0", "support: a multiplier is not positive"),
        ("separable", "figures.margin_squared.upper", "9", "margin_squared: this is not what"),
        ("separable", "figures.radius_squared", "1", "radius_squared: this is not what follows"),
        ("separable", "figures.mistake_bound", "1", "mistake_bound: this is not what follows"),
        ("separable", "rows", 6, "rows: it is about 6, these are 5"),
        ("inseparable", "features", 3, "features: it is about 3, these rows have 2"),
        ("separable", "labels.positive", "7", "labels: row 0 has '1', which is not one that"),
        ("separable", "numbers", "rational", "digest: these are not the rows and labels"),
        ("separable", "family", "poisson", 'the claim "separable" is not for counts'),
        ("inseparable", "witness.conflict.0.multiplier", "2", "conflict: its sum is not zero"),
        ("inseparable", "witness.conflict.0.multiplier", "0", "conflict: a multiplier is 0"),
        ("inseparable", "figures.rank", 4, "rank: the rows in spanning have another"),
        ("inseparable, all listed", "figures.rank", 2, "rank: the rows in spanning have another"),
        ("inseparable, flat", "figures.rank", 2, "rank: the rows in spanning have another"),
        ("inseparable, flat", "witness.complement", None, "complement: null, though some row"),
        ("inseparable, flat", "witness.complement", [], "complement: it should have 1 vectors"),
        ("inseparable, flat", "witness.complement", [["0", "0"]], "complement: its vectors do not"),
        ("quasi-separable", "witness.weights", ["1", "1"], "weights: row 0 is on the wrong side"),
        ("quasi-separable", "witness.weights", ["0", "0"], "weights: no row is strictly"),
        ("quasi-separable", "figures.strict", 3, "strict: there are 2 such rows"),
        ("quasi-separable", "witness.complement", [["1", "1"]], "complement: row 1 is not orth"),
        ("counts, quasi-separable", "witness.weights", ["0", "-1"], "weights: row 1 is on the"),
        ("training run", "lift.unit_length", True, "rows of unit length are not rational"),
        ("training run", "witness.eta", "0", "eta: it is not positive"),
        ("training run", "witness.rounded", [0], "rounded: these are not the updates"),
        ("training run", "figures.weights.0", "7", "weights: the updates lead elsewhere"),
        ("training run", "figures.mistakes", 3, "mistakes: this is not the number of updates"),
        ("training run", "figures.separates", False, "separates: it is the other way round"),
        ("training run", "figures.mistake_bound", "27", "mistake_bound: the theorem gives another"),
    ],
)
def test_reasons_name_what_is_wrong(name, path, value, reason):
    case = CASES[name]
    place = [int(key) if key.isdigit() else key for key in path.split(".")]
    changed = certificates.seal(certificates.changed(case.certificate.fields, place, value))
    found = verify(changed, case.X, case.y)
    assert not found.valid
    assert found.reason.startswith(reason)
    assert not is_valid(changed, case.X, case.y)


def test_a_certificate_of_another_lift_is_seen():
    X, y = CASES["separable"].X, CASES["separable"].y
    made = {}
    for bias in (True, False):
        for unit in (True, False):
            signed = Signed.of(X, y, fit_intercept=bias, unit_length=unit)
            made[bias, unit] = certify_separator(signed, [0.75, 0.5, 0.0][: signed.dim], [(0, 1)])
    for lift, certificate in made.items():
        assert is_valid(certificate, X, y)
        for other in made:
            if other != lift:
                fields = certificate.fields | {
                    "lift": {"bias": other[0], "unit_length": other[1]},
                    "digest": made[other].fields["digest"],
                }
                assert not is_valid(certificates.seal(fields), X, y)


@each_case
def test_a_truncated_certificate_is_seen(case):
    text = case.certificate.text
    for length in range(0, len(text) - 2, 17):
        assert not verify("{" + text[1:length], case.X, case.y).valid


def test_a_missing_or_odd_certificate_is_not_valid(tmp_path):
    case = CASES["separable"]
    for odd in (tmp_path / "none.json", None, 7, "", "{}", {}, tmp_path):
        assert not verify(odd, case.X, case.y).valid


def test_data_that_cannot_be_used_are_an_error():
    case = CASES["separable"]
    with_nan = case.X.copy()
    with_nan[2, 1] = np.nan
    with pytest.raises(DataError, match="NaN in row 2, column 1"):
        verify(case.certificate, with_nan, case.y)
    with pytest.raises(DataError, match="5 row"):
        verify(case.certificate, case.X, case.y[:3])
    with pytest.raises(DataError, match="dimension"):
        verify(case.certificate, case.X[0], case.y)
    with pytest.raises(DataError, match="no labels"):
        verify(case.certificate, case.X)
    with pytest.raises(DataError, match="nan as the label"):
        verify(case.certificate, case.X, [1, 1, 0, 0, math.nan])
    with pytest.raises(DataError, match="2 dimensions"):
        verify(case.certificate, case.X, np.ones((5, 2)))
    counts = CASES["counts, inseparable"]
    with pytest.raises(DataError, match="inf as the label of row 1"):
        verify(counts.certificate, counts.X, [0, math.inf, 0, 0])


def test_labels_that_are_no_counts_are_seen():
    counts = CASES["counts, inseparable"]
    for labels in ([-1, 3, 0, 0], ["0", "3", "0", "0"], ["a", "b", "a", "a"], [0, 0, 0, 0]):
        assert not is_valid(counts.certificate, counts.X, np.array(labels))
    assert is_valid(counts.certificate, counts.X, np.array([0, 0.5, 0, 0]))


# Close calls


WEIGHTS = [1.0, -1.0, 0.5, 1.0]


def nearly_on_the_hyperplane(offset):
    """Rows of which row 77 has the score `offset` units in the last place of 0.3."""
    X = np.random.default_rng(3).standard_normal((500, 4))
    X[:, 3] = 3 + np.abs(X[:, :3]).sum(axis=1)
    X[77] = [0.3, 0.3 - offset * np.spacing(0.3), 0.2, -0.1]
    y = np.arange(500) % 2
    X[y == 0] *= -1
    return X, y


@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
def test_a_row_on_the_hyperplane_but_for_one_bit(offset, layout):
    """No filter can tell such a score from zero; a certificate stands or falls with it."""
    X, y = nearly_on_the_hyperplane(offset)
    signed = Signed.of(layout(X), y, fit_intercept=False)
    found = certify_separator(signed, WEIGHTS, [(77, 1)])
    if offset > 0:
        lower, _ = found.figures["margin_squared"]
        assert lower == (offset * Fraction(np.spacing(0.3))) ** 2 / Fraction(13, 4)
        assert is_valid(found, X, y)
    else:
        assert found is None
        witness = {"weights": WEIGHTS, "support": [(77, 1)]}
        figures = {"margin_squared": (0, 2), "radius_squared": 3, "mistake_bound": 3}
        assert not is_valid(make(signed, "separable", witness, figures), X, y)


@pytest.mark.parametrize("unit_length", [False, True])
def test_the_lowest_of_rows_that_differ_by_one_bit(unit_length):
    """Hundreds of rows within the filter's error: the exact minimum is found all the same."""
    rng = np.random.default_rng(5)
    X = np.tile([0.7, 0.1, -0.2], (400, 1))
    steps = rng.integers(-3, 4, X.shape)
    X = X + steps * np.spacing(X)
    y = np.arange(400) % 2
    X[y == 0] *= -1
    signed = Signed.of(X, y, fit_intercept=False, unit_length=unit_length)
    weights = [Fraction(1, 3), Fraction(-2, 7), Fraction(1, 9)]
    found = certify_separator(signed, weights, [(0, 1)])
    assert is_valid(found, X, y)
    exact = [[abs(Fraction(value)) for value in row] for row in X]
    signs = [1, 1, -1]
    scores = [sum(s * w * v for s, w, v in zip(signs, weights, row, strict=True)) for row in exact]
    squares = [sum(v * v for v in row) for row in exact]
    lowest = min(s * s / (q if unit_length else 1) for s, q in zip(scores, squares, strict=True))
    assert found.figures["margin_squared"][0] == lowest / sum(w * w for w in weights)
    if not unit_length:
        assert found.figures["radius_squared"] == max(squares)


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
def test_many_rows_on_the_hyperplane_exactly_or_nearly(layout):
    rng = np.random.default_rng(11)
    X = rng.integers(-8, 9, (3000, 5)) / 8.0
    X[:, 4] = X[:, 0] + 2 * X[:, 1] - X[:, 2] / 2  # every row is orthogonal to this
    normal = [Fraction(2), Fraction(4), Fraction(-1), Fraction(0), Fraction(-2)]
    y = rng.integers(0, 2, 3000)
    signed = Signed.of(layout(X), y, fit_intercept=False)
    assert not figures.score_signs(signed, [2, 4, -1, 0, -2]).any()
    X[1234, 4] = np.nextafter(X[1234, 4], np.inf)
    signed = Signed.of(layout(X), y, fit_intercept=False)
    signs = figures.score_signs(signed, [int(each) for each in normal])
    assert np.flatnonzero(signs).tolist() == [1234]
    assert signs[1234] == -signed.signs[1234]


# Exact products of many rows


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(40, 60)), draw(st.integers(1, 9))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    kind = draw(st.sampled_from(["plain", "whole", "scaled", "wild", "sparse", "narrow"]))
    if kind == "whole":
        X = rng.integers(-3, 4, X.shape).astype(float)
    if kind == "scaled":
        X *= 10.0 ** rng.integers(-150, 150, columns)
    if kind == "wild":
        X *= 10.0 ** rng.integers(-300, 150, X.shape)
    if kind == "sparse":
        X[rng.random(X.shape) < 0.8] = 0.0
    if kind == "narrow":
        X = X.astype(np.float32)
    longest = draw(st.sampled_from([3, 60, 2000]))
    numbers = st.lists(st.integers(-(2**longest), 2**longest), min_size=10, max_size=10)
    vectors = draw(st.lists(numbers, min_size=1, max_size=3))
    return X, rng.integers(0, 2, rows), vectors


@given(tables(), st.booleans(), st.sampled_from([np.asarray, scipy.sparse.csr_array]))
def test_products_are_exact(table, bias, layout):
    X, y, vectors = table
    y[:2] = 0, 1
    signed = Signed.of(layout(X), y, fit_intercept=bias)
    vectors = [vector[: signed.dim] for vector in vectors]
    rows = [signed.row(i) for i in range(signed.count)]
    expected = [[Fraction(dot(row, v), row.denominator) for v in vectors] for row in rows]
    everything = np.arange(signed.count)
    found = dot_products.signs(signed, everything, vectors)
    assert found.tolist() == [[(s > 0) - (s < 0) for s in scores] for scores in expected]
    first = [scores[0] for scores in expected]
    assert dot_products.smallest(signed, everything, vectors[0]) == min(first)
    assert figures.lowest_score(signed, vectors[0]) == min(first)
    assert figures.score_signs(signed, vectors[0]).tolist() == found[:, 0].tolist()
    squares = [Fraction(sum(v * v for v in row.values), row.denominator**2) for row in rows]
    assert dot_products.largest_square(signed, everything) == max(squares)
    assert figures.radius_squared(signed) == max(squares)
    signed.scan = Scan(signed.rows, signed.signs, survey=False)  # as `verify` has it
    assert figures.lowest_score(signed, vectors[0]) == min(first)
    assert figures.radius_squared(signed) == max(squares)


@given(st.data())
def test_ranks_are_exact(data):
    rows, columns = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    entry = st.integers(-3, 3) | st.just(ranks.PRIME) | st.integers(-(2**80), 2**80)
    inner = data.draw(st.integers(1, 9))
    left = [[data.draw(st.integers(-2, 2)) for _ in range(inner)] for _ in range(rows)]
    right = [[data.draw(entry) for _ in range(columns)] for _ in range(inner)]
    product = fmpz_mat(left) * fmpz_mat(right)
    lines = [[int(product[i, j]) for j in range(columns)] for i in range(rows)]
    rank = product.rank()
    assert ranks.rank_of(lines) == rank
    assert [ranks.has_rank(lines, k) for k in range(11)] == [k <= rank for k in range(11)]


# Agreement on made-up certificates


@examples(40)
@given(st.data())
def test_both_checkers_agree_on_random_separators(data):
    rows, columns = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 4))
    entry = st.integers(-4, 4) | st.floats(-2, 2, width=16) | st.just(0)
    X = np.array([[float(data.draw(entry)) for _ in range(columns)] for _ in range(rows)])
    weights = [data.draw(st.fractions(-3, 3, max_denominator=7)) for _ in range(columns + 1)]
    scores = [sum(map(lambda a, b: a * Fraction(b), weights, [*row, 1.0])) for row in X]
    y = np.array([int(score > 0) for score in scores])
    if len(set(y)) < 2:
        return
    unit_length = data.draw(st.booleans())
    signed = Signed.of(X, y, unit_length=unit_length)
    support = [(i, data.draw(st.integers(1, 5))) for i in range(rows) if data.draw(st.booleans())]
    found = certify_separator(signed, weights, support or [(0, 1)])
    assert (found is not None) == all(scores)
    if found is not None:
        lower, upper = found.figures["margin_squared"]
        assert 0 < lower <= upper
        assert is_valid(found, X, y)


@examples(40)
@given(st.data())
def test_both_checkers_agree_on_random_runs(data):
    rows = data.draw(st.integers(2, 8))
    entry = st.integers(-4, 4) | st.floats(-2, 2, width=16)
    X = np.array([[float(data.draw(entry)) for _ in range(2)] for _ in range(rows)])
    y = np.array([0, 1] + [data.draw(st.integers(0, 1)) for _ in range(rows - 2)])
    signed = Signed.of(X, y)
    numbers = st.fractions(-3, 3, max_denominator=5)
    start = [data.draw(numbers) for _ in range(3)]
    eta = data.draw(st.fractions(Fraction(1, 9), 3, max_denominator=9))
    tie = data.draw(st.sampled_from(["mistake", "positive", "negative", "keep"]))
    updates = data.draw(st.lists(st.integers(0, rows - 1), max_size=12))
    found = certify_run(signed, start, eta, tie, updates)
    assert is_valid(found, X, y)
    if found.figures["mistake_bound"] is not None:
        assert len(updates) <= found.figures["mistake_bound"]


def test_a_run_to_the_end_keeps_to_its_bound():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = (X @ [1, -2, 0.5] > 0.1).astype(int)
    signed = Signed.of(X, y)
    updates = certificates.learned(signed, [0, 0, 0, 0], 1, "mistake")
    found = certify_run(signed, [0.0] * 4, 1.0, "mistake", updates)
    assert found.figures["separates"]
    assert 0 < len(updates) <= found.figures["mistake_bound"]
    assert is_valid(found, X, y)
    assert not found.witness["rounded"]


def test_runs_that_cannot_be_replayed_are_refused():
    X, y = CASES["separable"].X, CASES["separable"].y
    with pytest.raises(ParameterError, match="unit length cannot be replayed"):
        certify_run(Signed.of(X, y, unit_length=True), [0, 0, 0], 1, "mistake", [0])
    signed = Signed.of(X, y)
    for eta, tie in ((0, "mistake"), (-1, "mistake"), (1, "never")):
        with pytest.raises(ParameterError, match="no run has"):
            certify_run(signed, [0, 0, 0], eta, tie, [0])
    with pytest.raises(ParameterError, match="at least one row"):
        certify_separator(signed, [1, 1, 1], [])


def test_long_multipliers_are_summed_exactly():
    """As an exact solve gives them: 40,000 bits and more."""
    X = np.random.default_rng(2).standard_normal((60, 30))
    X = np.vstack([X, X])
    y = np.repeat([0, 1], 60)
    multipliers = [2**40_000 + i for i in range(60)] * 2
    spanning = [(i, Fraction(each, 3)) for i, each in enumerate(multipliers)]
    witness = {"conflict": [(0, 1), (60, 1)], "spanning": spanning, "complement": None}
    signed = Signed.of(X, y)
    assert is_valid(make(signed, "inseparable", witness, {"rank": 31}), X, y)
    spanning[7] = 7, Fraction(multipliers[7] + 1, 3)
    assert not is_valid(make(signed, "inseparable", witness, {"rank": 31}), X, y)


def test_rows_dependent_modulo_the_prime_only():
    """Then their rank is found exactly."""
    X = np.array([[2.0**31, 1.0], [1.0, 2.0**30]] * 2)  # with the determinant 2^61 - 1
    y = np.array([0, 0, 1, 1])
    conflict = [(0, 1), (2, 1)]
    spanning = [(i, 1) for i in range(4)]
    signed = Signed.of(X, y, fit_intercept=False)
    witness = {"conflict": conflict, "spanning": spanning, "complement": None}
    assert is_valid(make(signed, "inseparable", witness, {"rank": 2}), X, y)
