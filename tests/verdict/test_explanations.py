"""What separates rows, against the verdict about those columns alone."""

import numpy as np
import pytest

import novikoff as nk

pd = pytest.importorskip("pandas")
pytest.importorskip("formulaic")

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


def dosed(**columns):
    doses = ["high"] * 3 + ["low", "mid"] * 4
    return pd.DataFrame({"dose": doses, "age": [5, 6, 4, 4, 5, 6, 7, 5, 4, 8, 6], **columns})


@pytest.mark.parametrize(
    ("formula", "options", "text"),
    [
        ("y ~ dose + age", {}, "dose=high: 3 of 3 are 1"),
        ("y ~ C(dose, contr.treatment('mid')) + age", {}, "dose=high: 3 of 3 are 1"),
        ("y ~ C(dose) * half", {}, "dose=high: 3 of 3 are 1"),
        ("y ~ 0 + dose + age", {}, "dose=high: 3 of 3 are 1"),
        ("y ~ sex + age", {}, "sex=m: 3 of 3 are 1"),
        ("y ~ C(sex, contr.treatment('m')) + age", {}, "sex=m: 3 of 3 are 1"),
        ("z ~ dose + age", {"family": "poisson"}, "dose=high: 3 of 3 are 0"),
        ("y ~ dose", {"family": "binomial"}, "dose=high: 3 of 3 have successes only"),
        ("k ~ dose", {"family": "multinomial"}, "dose=high: none of 3 is c"),
        ("k ~ dose", {"family": "multinomial", "weights": "w"}, "dose=high: 2 of 2 are a"),
        ("g ~ dose + age", {"family": "cumulative"}, "dose=high: 3 of 3 are 0"),
        ("z ~ dose", {"family": "cox", "time": "age"}, "dose=high: none of 3 has an event"),
    ],
)
def test_a_level_is_named_even_if_it_is_the_reference(formula, options, text):
    rest = [0, 1, 1, 0, 0, 1, 1, 0]
    table = dosed(
        y=[1, 1, 1, *rest],
        z=[0, 0, 0, *rest],
        g=[0, 0, 0, 2, 1, 1, 0, 0, 1, 1, 0],
        k=list("abaacbbccac"),
        w=[1, 0, *[1] * 9],
        half=[0, 1, 0, *[0] * 4, *[1] * 4],
        sex=["m"] * 3 + ["f"] * 8,
    )
    verdict = nk.check(formula, data=table, **options)
    assert verdict.outcome == "quasi-separable"
    found = {each.text: each for each in verdict.explanations}
    assert text in found
    names = {each.name.split(": ")[-1] for each in verdict.coefficients}
    assert all({*each.columns} <= names for each in found.values())
    separated = {row for each in found.values() for row in each.rows}
    assert separated == {*np.flatnonzero(verdict.strict).tolist()}
