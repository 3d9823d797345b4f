"""Runs of `novikoff fit` that are killed (SIGKILL) at a point and resumed, over and over.

In the end the model must have the bytes of a run that nobody touched. A run kills itself, at the
n-th time that it comes to a point, so that every kill can be repeated.
"""

import contextlib
import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.attack.children import PATIENCE, rng_for
from benchmarks.attack.kill_point import KillPoint
from benchmarks.attack.tally import CRASH, DIFFERENT, EQUAL, TRACEBACK, Outcome, Tally
from novikoff import files
from novikoff.cli import main
from novikoff.cluster.training import trainer
from novikoff.data import loader
from novikoff.data.files import blocks
from novikoff.data.text.source import TextSource
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.learner import Learner
from novikoff.learning.rows import length
from tests.helpers.fit_modes import write_rows

ROWS, CHAIN = 400, 5
WAYS: dict[str, list[Any]] = {
    "streamed": ["--max-epochs", 3, "--no-cache"],
    "cached": ["--max-epochs", 4],
    "shuffled": ["--max-epochs", 4, "--order", "shuffle"],
    "cluster": ["--max-epochs", 4, "--shards", 3],
}


def kill_at_startup(point: KillPoint) -> None:
    CheckpointManager.__init__ = point.after(CheckpointManager.__init__)  # type: ignore[method-assign]


def kill_while_parsing(point: KillPoint) -> None:
    TextSource._parse_or_error = point.before(TextSource._parse_or_error)  # type: ignore[method-assign]


def kill_in_epoch(point: KillPoint) -> None:
    Learner.read = point.after(Learner.read)  # type: ignore[method-assign]


def kill_while_shards_are_read(point: KillPoint) -> None:
    trainer._Trainer._read = point.after(trainer._Trainer._read)  # type: ignore[method-assign]


def kill_while_shards_learn(point: KillPoint) -> None:
    """When one of them has answered."""
    progress = point.before(trainer._Trainer._call_progress)
    trainer._Trainer._call_progress = progress  # type: ignore[method-assign]


def kill_before_moving(point: KillPoint) -> None:
    """When a file is whole, beside where it shall be."""
    files.move_into_place = point.before(files.move_into_place)


def kill_after_moving(point: KillPoint) -> None:
    files.move_into_place = point.after(files.move_into_place)


def kill_in_half_a_file(point: KillPoint) -> None:
    """When the first half of a file has been written."""
    opened = files._opened

    def half(handle: int, text: bool) -> Any:
        file = opened(handle, text)
        write = file.write

        def write_half(content: Any) -> int:
            write(content[: len(content) // 2])
            file.flush()
            point.reach()
            return write(content[len(content) // 2 :])

        return _Writer(file, write_half)

    files._opened = half


class _Writer:
    """A file with another `write`."""

    def __init__(self, file: Any, write: Callable[[Any], int]) -> None:
        self.file, self.write = file, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


#: Each with the most times that it may be passed before the kill.
POINTS: dict[str, tuple[Callable[[KillPoint], None], int]] = {
    "start-up": (kill_at_startup, 1),
    "parsing": (kill_while_parsing, 12),
    "epoch": (kill_in_epoch, 12),
    "writing, half": (kill_in_half_a_file, 6),
    "writing, before the move": (kill_before_moving, 6),
    "writing, after the move": (kill_after_moving, 6),
}
CLUSTER_POINTS = POINTS | {
    "parsing": (kill_while_shards_are_read, 1),
    "epoch": (kill_while_shards_learn, 15),
}


def run_command(words: list[Any], folder: Path, point: Callable[[], None] | None = None) -> int:
    """The exit code of a command in a forked process; point: where it kills itself."""
    child = os.fork()
    if not child:
        code = 70
        try:
            _become_command(words, folder)
            if point is not None:
                point()
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        finally:
            os._exit(code)
    return _wait(child)


def _become_command(words: list[Any], folder: Path) -> None:
    """Small blocks, so that there are many places; and what is said goes to a file."""
    loader.FEW, blocks.BLOCK_BYTES = 0, 2**10
    Learner.blocks = _few_rows  # type: ignore[method-assign]
    said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    sys.argv = ["novikoff", "fit", *map(str, words)]


def _few_rows(self: Learner, rows: Any, start: int = 0, end: int | None = None) -> Iterator[Any]:
    stop = length(rows) if end is None else end
    return ((k, min(k + 50, stop)) for k in range(start, stop, 50))


def _wait(child: int) -> int:
    end = time.monotonic() + PATIENCE
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError(f"no end after {PATIENCE:.0f} s")
        time.sleep(0.002)


class Victim:
    """A run in one of the ways, and the model that it ends with when nobody touches it."""

    def __init__(self, way: str, rng: random.Random, more: list[Any]) -> None:
        self.rng, self.counts = rng, Counter()
        self.points = CLUSTER_POINTS if way == "cluster" else POINTS
        self.home = Path(tempfile.mkdtemp(prefix="novikoff-attack-"))
        write_rows(self.home / "a.svm", "perceptron", rows=ROWS)
        self.words = ["--rule", "averaged", *WAYS[way], *more]
        self.expected = self._finish(self.fresh(), [])

    def fresh(self) -> Path:
        """A folder with nothing but the rows."""
        folder = Path(tempfile.mkdtemp(dir=self.home))
        shutil.copy2(self.home / "a.svm", folder)
        return folder

    def _finish(self, folder: Path, more: list[Any]) -> bytes:
        """The model of a run to the end."""
        words = [folder / "a.svm", "--save", folder / "m", *self.words, *more]
        code = run_command(words, folder)
        if code:
            raise RuntimeError(f"exit code {code}: {(folder / 'said').read_text()[-300:]}")
        return (folder / "m").read_bytes()

    def run_chain(self, most: int) -> tuple[list[str], Outcome]:
        """Kill a run a few times, resume it each time, and see how it ends."""
        folder, kills = self.fresh(), []
        kept = ["--checkpoint", folder / "kept", "--checkpoint-every", 0, "--resume"]
        words = [folder / "a.svm", "--save", folder / "m", *self.words, *kept]
        try:
            while len(kills) < most:
                kind = self.rng.choice(sorted({_kind(name) for name in self.points}))
                name = self.rng.choice([each for each in self.points if _kind(each) == kind])
                install, last = self.points[name]
                count = self.rng.randint(1, last)
                point = functools.partial(install, KillPoint(count))
                if run_command(words, folder, point) != -signal.SIGKILL:
                    break  # it was over before it came to the point, or failed: see below
                kills.append(f"{name} {count}")
                self.counts[kind] += 1
            same = self._finish(folder, kept) == self.expected
        except TimeoutError as error:
            return kills, Outcome(CRASH, f"{kills}: {error}")
        except RuntimeError as error:
            return kills, Outcome(TRACEBACK, f"{kills}: {error}")
        left = [each.name for each in folder.iterdir() if each.name.startswith((".kept", ".a.svm"))]
        if left:
            return kills, Outcome(DIFFERENT, f"{kills}: it left {left}")
        shutil.rmtree(folder)
        return kills, Outcome(EQUAL if same else DIFFERENT, f"{kills}: another model")


def _kind(point: str) -> str:
    return point.partition(",")[0]


def attack_runs(way: str, kills: int, seed: int) -> Tally:
    """So many kills of runs in one way."""
    tally = Tally(way)
    with _cluster() if way == "cluster" else contextlib.nullcontext([]) as more:
        victim = Victim(way, rng_for(way, seed, 0), more)
        while tally.attempts < kills:
            killed, outcome = victim.run_chain(min(CHAIN, kills - tally.attempts))
            for _ in killed or ([0] if outcome.kind != EQUAL else []):
                tally.add(tally.attempts, outcome)
        shutil.rmtree(victim.home)
    tally.figures["kills"] = ", ".join(f"{n} {point}" for point, n in victim.counts.items())
    return tally


@contextlib.contextmanager
def _cluster() -> Iterator[list[Any]]:
    """The options for a cluster of two processes; no client is in this one, for it forks."""
    from tests.helpers.processes import Machines

    machines = Machines()
    try:
        script = """if 1:
            import sys
            from distributed import Client
            with Client(sys.argv[1], timeout=60) as client:
                client.wait_for_workers(2, timeout=60)
        """
        machines.start_workers(2)
        subprocess.run([sys.executable, "-c", script, machines.address], check=True)
        yield ["--cluster", machines.address]
    finally:
        machines.close()
