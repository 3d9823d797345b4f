"""A rule that moves without a mistake ends the same way however its rows are read."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.learning import training
from novikoff.learning.files.checkpoint_file import CheckpointManager
from tests.helpers.fit_modes import spec_for

SEEDS = (8, 243)


def save_rows(path, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (12, 4)), rng.integers(0, 2, 12)
    lines = (f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row)) for row, label in
             zip(X, y, strict=True))  # fmt: skip
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rule", ["passive-aggressive", "margin"])
def test_read_anew_or_resumed_it_is_the_same_run(seed, rule, tmp_path, monkeypatch):
    path = tmp_path / "rows.svm"
    save_rows(path, seed)
    for budget in range(1, 25):
        spec = spec_for(rule, epochs=budget)
        whole = training.fit(spec, nk.open(path))
        stepwise = None
        for epochs in range(1, budget + 1):
            each = spec._replace(max_epochs=epochs)
            manager = CheckpointManager(tmp_path / f"kept{budget}", each, resume=epochs > 1)
            stepwise = training.fit(each, nk.open(path), training.Hooks(checkpoint=manager))
        with monkeypatch.context() as patch:
            patch.setattr(training, "should_stream", lambda *_: True)
            streamed = training.fit(spec, nk.open(path, cache="never"), reread=True)
        for other in (stepwise, streamed):
            assert other.outcome._replace(ceilings=None) == whole.outcome._replace(ceilings=None)
            assert np.array_equal(other.learner.linear()[0], whole.learner.linear()[0])
        assert not whole.outcome.converged or whole.learner.wrong_rows(*whole.data[2::2]) == 0
