"""Training on a cluster: two workers against one, one against no cluster, and what mixing costs.

A "machine" is one core here: every worker is a process with one thread that may run on one core
only, and so is the run without a cluster. Scheduler and client are not pinned; while workers learn
they do next to nothing. The file is svmlight text of a million features, large enough for an epoch
of at least twenty seconds on one worker, read from the system's cache of files and learned from as
it is read.

A cost model is fitted in the same run: epochs on rows that stay with two workers, for several
numbers of shards, features and rows,

    seconds = start + task * shards + byte * (bytes up + workers * bytes down)
            + entry * (non-zeros on the fullest worker)

with coefficients that are not negative; docs/scale.md has what it predicts. What mixing costs is
measured by itself: epochs on as many rows as there are shards, each with every one of the million
features, which change every weight.
"""

import argparse
import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from harness import RESULTS, Line, faster, report, take_turns

FEATURES, EACH, SHARDS = 1_000_000, 60, 8
BYTES, REPEATS, LEAST = 9_000_000_000, 3, 20.0
ENTRIES = 6e9  # non-zeros in 100 GB of such text, for which the model is asked
PLAIN = """
import sys, time, warnings
import novikoff as nk
warnings.simplefilter("ignore")
nk.Perceptron(max_epochs=1, fit_intercept=False).fit(nk.open("example:xor"))  # compiles
print("ready", flush=True)
for path in sys.stdin:
    nk.Perceptron(max_epochs=1, fit_intercept=False).fit(nk.open(path.strip()))
    print("done", flush=True)
"""
warnings.simplefilter("ignore", ConvergenceWarning)


def lines_of(rows: int, features: int, rng: np.random.Generator) -> bytes:
    """Random svmlight rows, labelled by random weights: text of a fixed width, made by NumPy."""
    each = features // EACH
    columns = rng.integers(0, each, (rows, EACH)) + np.arange(EACH) * each
    values = rng.integers(0, 10**6, (rows, EACH))
    target = np.random.default_rng(0).standard_normal(features)
    positive = ((values - 5 * 10**5) * target[columns]).sum(axis=1) > 0.0
    line = np.frombuffer(b"+1" + EACH * b" 0000000:0.000000" + b"\n", np.uint8)
    text = np.tile(line, (rows, 1))
    text[~positive, 0] = ord("-")
    pairs = text[:, 2:-1].reshape(rows, EACH, -1)
    for numbers, first, digits in ((columns + 1, 1, 7), (values, 11, 6)):
        for k in range(digits):
            pairs[:, :, first + k] += (numbers // 10 ** (digits - 1 - k) % 10).astype(np.uint8)
    return text.tobytes()


def write(path: Path, size: int) -> None:
    """No row comes twice: what was learned of the first would spare mistakes on the second."""
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(lines_of(100_000, FEATURES, rng))


def pinned(core: int | None, *words: str, **options: Any) -> "subprocess.Popen[str]":
    """A Python process that may run on one core only."""

    def pin() -> None:
        if core is not None:
            os.sched_setaffinity(0, {core})

    return subprocess.Popen([sys.executable, *words], text=True, preexec_fn=pin, **options)


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Client]:
    """A scheduler, and so many workers of one thread, each on a core of its own."""
    known = folder / f"scheduler-{workers}.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"
    worker = "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard"
    cores = sorted(os.sched_getaffinity(0))
    processes = [
        pinned(None, *scheduler, "--no-dashboard", "--scheduler-file", str(known), **quiet)
    ]
    for k in range(workers):
        place = "--scheduler-file", str(known), "--local-directory", str(folder / f"w{workers}-{k}")
        processes.append(pinned(cores[k], *worker, *place, **quiet))
    try:
        while not known.exists():
            time.sleep(0.1)
        with Client(scheduler_file=str(known)) as client:
            client.wait_for_workers(workers, timeout=60)
            yield client
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


def one_pass(client: Client, path: Path):
    def call():
        model = nk.Perceptron(max_epochs=1, fit_intercept=False)
        nk.cluster.fit(nk.open(path), client, model, shards=SHARDS)

    return call


@contextlib.contextmanager
def plain(path: Path):
    """The same pass without a cluster, on one core."""
    core = min(os.sched_getaffinity(0))
    process = pinned(core, "-c", PLAIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()

    def call():
        process.stdin.write(f"{path}\n")
        process.stdin.flush()
        assert process.stdout.readline() == "done\n"

    yield call
    process.stdin.close()
    process.wait()


def epochs_of(client: Client, path: Path, shards: int, model: Any = None) -> dict[str, Any]:
    """Seconds of an epoch on rows that stay with the workers, and what it moved."""
    ends: list[float] = []
    traffic: list[Any] = []

    def watch(moment: Any) -> None:
        if moment.end:
            ends.append(time.perf_counter())
            traffic[:] = moment.traffic

    model = model or nk.Perceptron(max_epochs=6, fit_intercept=False)
    nk.cluster.fit(nk.open(path, cache=None), client, model, shards=shards, watch=watch)
    seconds = [b - a for a, b in itertools.pairwise(ends)]
    later = traffic[1:]
    return {
        "seconds": seconds,
        "up": statistics.median(each.up for each in later),
        "down": statistics.median(each.down for each in later),
    }


def modelled(client: Client, folder: Path) -> dict[str, Any]:
    """Fit the cost model, and say how well it fits."""
    runs = []
    for features, rows in itertools.product((10_000, 100_000, 1_000_000), (50_000, 200_000)):
        path = folder / "small.svm"
        path.write_bytes(lines_of(rows, features, np.random.default_rng(1)))
        for shards in (2, 4, 8, 16):
            found = epochs_of(client, path, shards)
            entries = rows * EACH / 2
            runs.append(found | {"shards": shards, "features": features, "entries": entries})
    table = np.array(
        [[1.0, run["shards"], run["up"] + 2 * run["down"], run["entries"]] for run in runs]
    )
    seconds = np.array([statistics.median(run["seconds"]) for run in runs])
    # relative errors count: the short epochs are the ones that overhead rules
    found, _ = nnls(table / seconds[:, None], np.ones(len(seconds)))
    off = table @ found / seconds
    names = "start", "task", "byte", "entry"
    return {
        "coefficients": dict(zip(names, found.tolist(), strict=True)),
        "predicted_over_measured": [float(off.min()), float(np.median(off)), float(off.max())],
        "runs": runs,
    }


def predicted(coefficients: dict[str, float], entries: float, features: int, workers: int) -> float:
    """Seconds of an epoch with a shard on each worker and every weight changed."""
    moved = 2 * workers * 8 * features  # up from every shard, down to every worker
    return (
        coefficients["start"]
        + coefficients["task"] * workers
        + coefficients["byte"] * moved
        + coefficients["entry"] * entries / workers
    )


def table(coefficients: dict[str, float]) -> list[str]:
    """What the model predicts, as lines of docs/scale.md."""
    lines = []
    for workers in (1, 10, 100, 1_000):
        seconds = [
            predicted(coefficients, ENTRIES, features, workers) for features in (10_000, 1_000_000)
        ]
        cells = [f"{each:.1f} s" if each < 10 else f"{each:.0f} s" for each in seconds]
        lines.append(f"| {workers:,} | {' | '.join(cells)} |")
    return lines


def mixing(client: Client, folder: Path) -> list[float]:
    """Seconds of epochs that do nothing but mix a million weights, all of them changed."""
    path, rng = folder / "wide.svm", np.random.default_rng(2)
    with path.open("w") as file:
        for k in range(SHARDS):
            values = rng.integers(1, 10, FEATURES).tolist()
            pairs = " ".join(f"{j:07d}:{value}" for j, value in enumerate(values, 1))
            file.write(f"{'+-'[k % 2]}1 {pairs}\n")
    never = nk.MarginPerceptron(margin=1e300, max_epochs=12, fit_intercept=False)  # it moves always
    found = epochs_of(client, path, SHARDS, never)
    assert found["up"] == SHARDS * 8 * FEATURES, "not every shard changed every weight"
    return found["seconds"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=BYTES, help="of the large file")
    parser.add_argument("--model-only", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with cluster(folder, 2) as two:
            model = modelled(two, folder)
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / "cluster-model.json").write_text(json.dumps(model, indent=1) + "\n")
            print({name: f"{value:.3g}" for name, value in model["coefficients"].items()})
            print(
                "predicted over measured:", [f"{x:.2f}" for x in model["predicted_over_measured"]]
            )
            print("\n".join(table(model["coefficients"])))
            if asked.model_only:
                return
            mixed = mixing(two, folder)
            path = folder / "large.svm"
            write(path, asked.bytes)
            with cluster(folder, 1) as one, plain(path) as single:
                contenders = {
                    "two": one_pass(two, path),
                    "one": one_pass(one, path),
                    "plain": single,
                }
                seconds = take_turns(contenders, REPEATS)
    least = min(seconds["one"])
    print(f"an epoch of one worker took {least:.0f} s or more; {LEAST:.0f} s are wanted")
    share = [0.1 * statistics.median(seconds["two"]) / each for each in mixed]
    lines = [
        Line("two workers", "one worker", 1.6, faster(seconds, "two", "one")),
        Line("one worker", "no cluster", 0.8, faster(seconds, "one", "plain")),
        Line("a tenth of the epoch", "mixing a million weights", 1.0, share),
        Line("an epoch of one worker", "twenty seconds", 1.0, [s / LEAST for s in seconds["one"]]),
    ]
    report("cluster", lines)


if __name__ == "__main__":
    main()
