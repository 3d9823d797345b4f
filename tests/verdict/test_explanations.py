"""What separates rows, against the verdict about those columns alone."""

import numpy as np
import pytest

import novikoff as nk

WORDS = {"binary": "are 1", "poisson": "are 0", "binomial": "have"}


def draw(family, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, size, 9) for size in (2, 3, 2, 3)]).astype(float)
    y = rng.integers(0, 2, 9) if family != "poisson" else rng.poisson(0.7, 9)
    y = rng.integers(0, 3, 9) if family in ("multinomial", "cumulative") else y
    y[:2] = (0, 1)
    roles = {"trials": np.full(9, 1)} if family == "binomial" else {}
    if family == "cox":
        roles = {"time": rng.integers(1, 9, 9)}
    return X, y, roles


def separated(X, y, family, roles):
    """The separated rows; none where nothing is left to decide."""
    found = nk.check(X, y, family=family, **roles)
    return set(np.flatnonzero(found.strict).tolist())


@pytest.mark.parametrize(
    "family", ["binary", "poisson", "binomial", "multinomial", "cumulative", "cox"]
)
def test_columns_separate_what_they_separate_by_themselves(family):
    explained = 0
    for seed in range(25):
        X, y, roles = draw(family, seed)
        verdict = nk.check(X, y, family=family, **roles)
        if verdict.outcome == "inseparable":
            assert verdict.explanations == []
            continue
        strict = set(np.flatnonzero(verdict.strict).tolist())
        for each in verdict.explanations:
            places = [int(name.removeprefix("column ")) for name in each.columns]
            assert set(each.rows) == separated(X[:, places], y, family, roles) <= strict
            assert each.text.startswith(each.columns[0])
            explained += 1
        alone = [separated(X[:, [j]], y, family, roles) for j in range(4)]
        named = {row for each in verdict.explanations for row in each.rows}
        assert set.union(*alone) <= named
    assert explained > 3


def test_the_words_say_which_values_have_which_outcome():
    dose = np.array([0, 0, 0, 1, 1, 1, 1.0])
    weight = np.array([1, 5, 3, 2, 4, 1, 5.0])
    names = lambda table: np.array([["alive", "dead"][k] for k in table])  # noqa: E731
    table = np.column_stack([dose, np.maximum(weight * dose, 1)])
    verdict = nk.check(table, names([0, 1, 0, 1, 1, 1, 1]))
    assert [each.text for each in verdict.explanations] == ["column 0 = 1: 4 of 4 are dead"]
    found = nk.check(weight[:, None], names([0, 1, 1, 0, 1, 0, 1]))
    [only] = found.explanations
    assert only.text == (
        "column 0 alone separates: above 2.5 all 4 are dead, below 2.5 all 3 are alive"
    )
    [quasi] = nk.check([[1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1]).explanations
    assert quasi.text == (
        "column 0 alone separates, but for 2 rows where it is 2: above 2 all 1 are 1, below 2"
        " all 1 are 0"
    )
    [counts] = nk.check([[0], [0], [1], [1]], [1, 2, 0, 0], family="poisson").explanations
    assert counts.text == "column 0 = 1: 2 of 2 are 0"


def test_a_pair_separates_where_no_column_does():
    [pair] = nk.check([[1, 0], [0, 1], [3, 2], [2, 3]], [1, 0, 1, 0]).explanations
    assert pair.columns == ("column 0", "column 1")
    assert pair.text == "column 0 and column 1 separate 4 rows"
