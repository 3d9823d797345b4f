"""The checker on proofs about random rows."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from novikoff import checker
from novikoff.checker import check_arrays
from tests.helpers.certificate_cases import perceptron, stays_valid
from tests.helpers.certificate_reference import dot, make, number_text, rank

entries = st.integers(-3, 3) | st.sampled_from([0.5, -0.1, 1e-3, 3e5, 2.0**-60])
matrices = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(entries.map(float), min_size=width, max_size=width), min_size=2, max_size=7
    )
)


@given(matrices, st.data())
def test_runs_and_margins_of_any_rows(X, data):
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X)))
    start = data.draw(st.lists(entries, min_size=len(X[0]) + 1, max_size=len(X[0]) + 1))
    eta, tie = (
        data.draw(st.sampled_from([1, 0.1, Fraction(2, 3)])),
        data.draw(st.sampled_from(checker.TIE)),
    )
    witness = perceptron(X, y, start, eta, tie, data.draw(st.sets(st.integers(0, 20))))
    run = make("training run", X, y, **witness)
    assert check_arrays(run.certificate, X, y).valid
    if run.certificate["figures"]["separates"]:
        weights = run.certificate["figures"]["weights"]
        unit = data.draw(st.booleans())
        some = sorted(data.draw(st.sets(st.integers(0, len(X) - 1), min_size=1)))
        support = [{"row": i, "multiplier": data.draw(st.sampled_from(["1", "2/3"]))} for i in some]
        margin = make("separable", X, y, unit=unit, weights=weights, support=support)
        assert check_arrays(margin.certificate, X, y).valid


@given(matrices, st.data())
def test_conflicts_of_any_rows(X, data):
    """Some rows, and the one that balances them; a column may be a copy, so that ranks are low."""
    X = [[*row, *row[: data.draw(st.integers(0, 1))]] for row in X] if len(X) % 2 else X
    multipliers = [Fraction(data.draw(st.integers(1, 9)), 7) for _ in X]
    last = [-dot(multipliers, column) for column in map(list, zip(*as_fractions(X), strict=True))]
    X, dim = [*as_fractions(X), last], len(last)
    conflict = [
        {"row": i, "multiplier": number_text(each)} for i, each in enumerate([*multipliers, 1])
    ]
    y = [1] * len(X)
    labels = {"kind": "number", "negative": None, "positive": "1"}
    options = {"bias": False, "rational": True, "labels": labels}
    if len(X) <= dim + 2:
        case = make(
            "inseparable", X, y, conflict=conflict, spanning=None, complement=None, **options
        )
        assert check_arrays(case.certificate, X, y).valid
        wrong = case.certificate["figures"]["rank"] + data.draw(st.sampled_from([-1, 1]))
        assert not stays_valid(case, ("figures", "rank"), wrong)


def as_fractions(X):
    width = min(map(len, X))
    return [[Fraction(x) for x in row[:width]] for row in X]


@given(st.lists(st.lists(st.integers(-4, 4), min_size=4, max_size=4), max_size=7), st.data())
def test_ranks(vectors, data):
    factors = [data.draw(st.sampled_from([1, -7, 2**80, checker.PRIME])) for _ in vectors]
    known = rank(vectors)
    rows = [dict(enumerate(row)) for row in vectors]
    assert [checker._rank(rows, most) for most in range(9)] == [min(known, k) for k in range(9)]
    assert checker._rank(rows, 9, checker.PRIME) == known
    rows = [{j: f * x for j, x in row.items()} for f, row in zip(factors, rows, strict=True)]
    assert checker._rank(rows, 9) == known
    assert checker._rank(rows, 9, checker.PRIME) <= known
