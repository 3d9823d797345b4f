"""Splits by one linear program: the same verdicts as face by face, and proofs that both check."""

import numpy as np
import pytest

from novikoff.verdict.search import program_split
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
