"""Splits by one linear program: the same verdicts as face by face, and proofs that both check."""

import numpy as np
import pytest
import scipy.sparse

import novikoff as nk
from novikoff import checker
from novikoff.verdict.program import program_split, row_generation
from novikoff.verdict.search.search import Search
from novikoff.verdict.signed import Signed
from tests.helpers.awkward_rows import KINDS, problem
from tests.helpers.examples import scaled
from tests.helpers.verdicts import agree, as_labels

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


@pytest.fixture(autouse=True)
def _program_first(monkeypatch):
    """Let the program have the first word, whatever the rows."""
    monkeypatch.setattr(program_split, "SMALL", 0)
    monkeypatch.setattr(program_split, "MOST_DENSE", 2.0)


@every_kind
@pytest.mark.parametrize("family", ["binary", "poisson"])
def test_awkward_rows(kind, family):
    for seed in range(5000, 5000 + scaled(16)):
        X, positive, bias = problem(kind, seed)
        y = as_labels(positive)
        if family == "poisson":
            y = positive * np.random.default_rng(seed).integers(1, 4, len(X))
        agree(X, y, bias=bias, family=family)


def dummies(codes, levels):
    """A column for each level."""
    return (codes[:, None] == np.arange(levels)).astype(float)


def design(seed):
    """One to three factors, crossed or nested, some levels pure, and perhaps a covariate."""
    rng = np.random.default_rng(seed)
    rows, parts, score = int(rng.integers(4, 13)), [], np.zeros(1)
    codes = np.zeros(rows, int)
    for _ in range(int(rng.integers(1, 4))):
        levels = int(rng.integers(2, 4))
        nested = rng.random() < 0.3
        codes = codes * 2 + rng.integers(0, 2, rows) if nested else rng.integers(0, levels, rows)
        levels = int(codes.max()) + 1
        score = score + rng.integers(-2, 3, levels)[codes]
        parts.append(dummies(codes, levels))
    if rng.random() < 0.5:
        covariate = rng.choice([rng.integers(-3, 4, rows).astype(float), rng.standard_normal(rows)])
        parts.append(covariate[:, None])
    positive = score + rng.choice([0.0, 1.0, 4.0]) * rng.standard_normal(rows) > 0
    positive[:2] = True, False
    X = np.hstack(parts)
    if rng.random() < 0.5:  # as statisticians code it: no column for the first level
        X = X[:, 1:]
    return X, positive, bool(rng.random() < 0.7)


@pytest.mark.parametrize("family", ["binary", "poisson"])
@pytest.mark.parametrize("batch", range(4))
def test_designs_of_factors(family, batch):
    for seed in range(batch * scaled(16), (batch + 1) * scaled(16)):
        X, positive, bias = design(seed)
        y = positive * 1
        rows = scipy.sparse.csr_array(X) if seed % 2 else X
        if family == "poisson":
            y = positive * np.random.default_rng(seed).integers(1, 4, len(X))
        agree(rows, y, bias=bias, family=family)


@pytest.mark.parametrize("family", ["binary", "poisson"])
def test_a_growing_set_of_rows_gives_the_same_verdicts(family, monkeypatch):
    """The program is asked about a few of the rows first."""
    monkeypatch.setattr(row_generation, "FIRST_ROWS", 1)
    for seed in range(20_000, 20_000 + scaled(16)):
        X, positive, bias = design(seed)
        X, positive = np.repeat(X, 3, axis=0), np.repeat(positive, 3)
        y = positive * 1
        if family == "poisson":
            y = positive * np.random.default_rng(seed).integers(1, 4, len(X))
        agree(scipy.sparse.csr_array(X), y, bias=bias, family=family)


def fixed_effects(rows, levels, family="binary", seed=0):
    """Two factors and a covariate, sparse, with some levels that have one label only."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, (2, rows))
    score = 1.5 * sum(rng.standard_normal(levels)[each] for each in codes)
    columns = [codes[0], codes[1] + levels, np.full(rows, 2 * levels)]
    values = np.column_stack([np.ones(rows), np.ones(rows), rng.standard_normal(rows)])
    X = scipy.sparse.csr_array(
        (values.ravel(), np.column_stack(columns).ravel(), 3 * np.arange(rows + 1)),
        (rows, 2 * levels + 1),
    )
    if family == "poisson":
        return X, rng.poisson(np.exp(score - 2))
    return X, (score + rng.logistic(size=rows) > 0).astype(int)


@pytest.mark.parametrize("family", ["binary", "poisson"])
def test_fixed_effects_need_no_face_by_face(family, monkeypatch):
    monkeypatch.undo()  # as it is for everybody
    X, y = fixed_effects(1500, 150, family)
    signed = Signed.of(X, y, family=family)
    split = Search(signed).split_by_program([])
    assert split is not None
    verdict = nk.check(X, y, family=family)
    assert verdict.outcome == "quasi-separable"
    assert (verdict.strict == ~split.on_boundary).all()
    assert verdict.certificate.fields["version"] == 2
    assert nk.verify(verdict.certificate, X, y).valid
    assert checker.check_arrays(verdict.certificate.text, X.toarray(), y.tolist()).valid
    covariate = verdict.contrast([0] * 300 + [1, 0])
    assert covariate.status == "finite"
    assert verdict.rank == 300
    assert 2 <= len(verdict.conflict) <= 20


def test_the_separator_is_exact_where_the_program_finds_strict_rows():
    """No column separates by itself, but a sum of two of them does."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X[:20, :2] = 0.0
    y = rng.integers(0, 2, 60)
    y[20:] = X[20:, 0] + X[20:, 1] > 0
    y[:20] = np.arange(20) % 2
    verdict = agree(X, y)
    assert verdict.outcome == "quasi-separable"
    assert verdict.certificate.fields["version"] == 2
    assert int(verdict.strict.sum()) == 40


def test_the_shown_conflict_lies_within_one_level():
    X = np.hstack([dummies(np.repeat(np.arange(30), 6), 30), np.zeros((180, 1))])
    rng = np.random.default_rng(0)
    X[:, 30] = rng.standard_normal(180)
    y = np.tile([0, 1, 0, 1, 1, 0], 30)
    verdict = nk.check(X, y)
    assert verdict.outcome == "inseparable"
    assert len({row // 6 for row, _ in verdict.conflict}) == 1
