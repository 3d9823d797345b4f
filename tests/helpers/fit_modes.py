"""Runs of `fit` inside this process, in each of the ways in which rows can be kept."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli.shared.spec_options import spec_from_options
from novikoff.learning import training
from novikoff.learning.files import model_file
from novikoff.learning.files.checkpoint_file import CheckpointManager

BITS = {"winnow", "balanced-winnow"}


def spec_for(rule, epochs=3, order="given", seed=0, init="zeros"):
    return spec_from_options(rule, {}, [], init, None, False, seed, max_epochs=epochs, order=order)


def write_rows(path, rule, rows=300, classes=(-1, 1), seed=0):
    """Sparse rows as text, with columns that first come late, and no separator."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(rows):
        width = 5 + i // 10  # the file grows wider as it goes on
        columns = np.sort(rng.choice(width, min(width, 5), replace=False)) + 1
        values = np.ones(5) if rule in BITS else rng.standard_normal(5).round(3)
        pairs = " ".join(f"{c}:{v:g}" for c, v in zip(columns, values, strict=False))
        lines.append(f"{classes[int(rng.integers(len(classes)))]} {pairs}\n")
    path.write_text("".join(lines))
    return path


class StopError(Exception):
    """Where a run is broken off, as if the process were killed."""


class Stopping(training.NoObserver):
    """Breaks off after so many blocks of rows."""

    def __init__(self, after):
        self.left = after

    def watch(self, *_, **__):
        self.left -= 1
        if self.left < 0:
            raise StopError


def fitted(spec, source, saved, *, streamed=False, checkpoint=None, stop=None):
    """The bytes of the model that a run saves; None if it was broken off before."""
    manager = None
    if checkpoint is not None:
        manager = CheckpointManager(checkpoint, spec, every=0.0, resume=True)
    observer = training.NoObserver() if stop is None else Stopping(stop)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "should_stream", lambda *_: streamed)
        try:
            found = training.fit(spec, source, training.Hooks(observer, manager), reread=True)
        except StopError:
            return None
    outcome = found.outcome
    known = outcome.mistakes_per_epoch, outcome.ceilings
    model = model_file.Model.of(
        spec, found.learner, found.classes, found.source, *known, converged=outcome.converged
    )
    model_file.write(model, saved)
    return saved.read_bytes()


def every_way(spec, path, folder, **options):
    """The model's bytes, learned from rows in memory, in a cache, and from text as it comes."""
    found = {
        "memory": fitted(spec, nk.open(path, cache=False, **options), folder / "m"),
        "written cache": fitted(spec, nk.open(path, cache=folder / "c", **options), folder / "m"),
        "read cache": fitted(spec, nk.open(path, cache=folder / "c", **options), folder / "m"),
    }
    if spec.order == "given":
        source = nk.open(path, **options)
        found["stream"] = fitted(spec, source, folder / "m", streamed=True)
    return found
