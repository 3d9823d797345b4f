"""Runs of `fit` inside this process, in each of the ways in which rows can be kept."""

import numpy as np

import novikoff as nk
from novikoff.checkpoints import Keeper
from novikoff.cli.keeping import Tools, recipe
from novikoff.cli.plans import Plan
from novikoff.cli.progress import Progress, Task
from novikoff.cli.streaming import run_stream
from novikoff.cli.training import run
from novikoff.sources.inputs import identity_of

BITS = {"winnow", "balanced-winnow"}


def plan_for(rule, epochs=3, order="given", seed=0, **more):
    plan = Plan.of(rule, {}, [], more.pop("init", "zeros"), None, False, seed)
    return plan._replace(max_epochs=epochs, order=order, quiet=True, **more)


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


class Stopping(Progress):
    """Breaks off after so many blocks of rows."""

    def __init__(self, after):
        super().__init__(Task(), quiet=True)
        self.left = after

    def watch(self, *_, **__):
        self.left -= 1
        if self.left < 0:
            raise StopError


def fitted(plan, source, saved, *, streamed=False, checkpoint=None, stop=None):
    """The bytes of the model that a run saves; None if it was broken off before."""
    with Progress(Task(), quiet=True) if stop is None else Stopping(stop) as progress:
        keeper = None
        if checkpoint is not None:
            keeper = Keeper(checkpoint, recipe(plan), every=0.0, resume=True)
            keeper.begin(identity_of(source))
        tools = Tools(progress, keeper)
        try:
            learned = (
                run_stream(plan, source, tools, None) if streamed else run(plan, source, tools)
            )
        except StopError:
            return None
    learned.save(saved)
    return saved.read_bytes()


def every_way(plan, path, folder, **options):
    """The model's bytes, learned from rows in memory, in a cache, and from text as it comes."""
    found = {
        "memory": fitted(plan, nk.open(path, cache=False, **options), folder / "m"),
        "written cache": fitted(plan, nk.open(path, cache=folder / "c", **options), folder / "m"),
        "read cache": fitted(plan, nk.open(path, cache=folder / "c", **options), folder / "m"),
    }
    if plan.order == "given":
        source = nk.open(path, **options)
        found["stream"] = fitted(plan, source, folder / "m", streamed=True)
    return found
