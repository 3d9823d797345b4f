"""A service that kills itself (SIGKILL) under load, over and over, at points that it comes to.

    python -m benchmarks.serve_kills [--kills 200] [--seed 0]

Three clients predict, reveal and learn meanwhile, and note what was acknowledged. After each kill
the journal must hold all of that, once; what is restored from snapshot and journal must have the
bytes of a replay of the journal alone; and the next start goes on from there. Prints a table,
writes it to `results/serve_kills.json`, and exits with 1 if anything was lost or different.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.attack.kill_point import KillPoint
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve import snapshots
from novikoff.serve.journal import Journal, operations
from novikoff.serve.recipes import make_recipe
from novikoff.serve.replay import replay
from novikoff.serve.served_model import ServedModel
from novikoff.serve.service import Service
from novikoff.serve.settings import ServiceSettings
from novikoff.serve.web.server import serve

CLIENTS, CHAIN, PATIENCE = 3, 20, 60.0
RESULTS = Path(__file__).parent / "results" / "serve_kills.json"
RECIPE = make_recipe("averaged", {}, [-1, 1])
JSON = {"Content-Type": "application/json"}


def patch(where: Any, name: str, kind: str) -> Callable[[KillPoint], None]:
    """Have a function come to the point before or after it does its work."""

    def apply(point: KillPoint) -> None:
        setattr(where, name, getattr(point, kind)(getattr(where, name)))

    return apply


#: Each with the most times that it may be passed before the kill.
POINTS: dict[str, tuple[Callable[[KillPoint], None], int]] = {
    "start-up, a label replayed": (patch(ServedModel, "apply", "after"), 5),
    "before a commit": (patch(Journal, "commit", "before"), 60),
    "within a commit, a prediction written": (
        patch(operations.KeepPrediction, "write", "after"),
        30,
    ),
    "within a commit, a label written": (patch(operations.Reveal, "write", "after"), 30),
    "committed, not acted upon": (patch(Journal, "commit", "after"), 60),
    "committed, some of it acted upon": (patch(Service, "_act", "after"), 80),
    "a snapshot to be written": (patch(snapshots, "atomic_write", "before"), 3),
    "a snapshot written, not named": (patch(snapshots, "atomic_write", "after"), 3),
    "within the commit of its name": (patch(operations.KeepSnapshot, "write", "after"), 3),
    "before the log is moved to the file": (patch(Journal, "checkpoint", "before"), 8),
    "after it was": (patch(Journal, "checkpoint", "after"), 8),
}


class Load(threading.Thread):
    """A client that predicts, reveals and learns until nobody answers."""

    def __init__(self, port: int, seed: int, name: str) -> None:
        super().__init__()
        self.port, self.rng, self.prefix = port, random.Random(seed), name
        self.acknowledged: list[tuple[str, int]] = []

    def run(self) -> None:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.suppress(OSError, http.client.HTTPException):
            for step in range(100_000):
                self._step(link, f"{self.prefix}-{step}")
        link.close()

    def _step(self, link: http.client.HTTPConnection, name: str) -> None:
        x = {f"f{j}": self.rng.gauss(0.0, 1.0) for j in self.rng.sample(range(30), 4)}
        y = 1 if sum(x.values()) > 0.0 else -1
        if self.rng.random() < 0.5:
            asked = [("/learn", {"features": x, "label": y, "id": name})]
        else:
            asked = [("/predict", {"features": x, "id": name})]
            asked += [("/reveal", {"id": name, "label": y})]
        for path, body in asked:
            link.request("POST", path, json.dumps(body), JSON)
            answer = link.getresponse()
            if answer.status != 200:
                raise RuntimeError(answer.read().decode())
            answer.read()
        self.acknowledged.append((name, y))


def start(folder: Path, point: Callable[[], None]) -> tuple[int, int | None]:
    """A forked service: its process, and its port (None if it was killed before it had one)."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.close(reading)
            snapshots.TICK_SECONDS = 0.03
            point()
            settings = ServiceSettings(journal=folder, port=0, snapshot_every=15)

            def ready(url: str, _: str | None, stop: Callable[[], object]) -> None:
                os.write(writing, url.rstrip("/").rpartition(":")[2].encode())
                os.close(writing)

            serve(settings, RECIPE, None, ready)
        finally:
            os._exit(70)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        port = pipe.read()
    return process, int(port) if port else None


def kill_once(folder: Path, name: str, count: int, seed: int) -> list[tuple[str, int]]:
    """What was acknowledged until the service had come to the point so many times."""
    process, port = start(folder, lambda: POINTS[name][0](KillPoint(count)))
    clients = [Load(port, seed + k, f"{seed}-{k}") for k in range(CLIENTS) if port is not None]
    for client in clients:
        client.start()
    status = _wait(process)
    for client in clients:
        client.join(PATIENCE)
    if status != -signal.SIGKILL:
        raise RuntimeError(f"{name}: the service ended with {status}, not by the kill")
    return [each for client in clients for each in client.acknowledged]


def _wait(process: int) -> int:
    """How a process ended; one that does not come to its point is killed, which counts as well."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -signal.SIGKILL


def check(folder: Path, acknowledged: list[tuple[str, int]], unanswered: int) -> Counter[str]:
    """What the journal has of what was acknowledged, and whether bytes agree."""
    journal = Journal(folder, write=False)
    found = [(entry.id, int(entry.label)) for entry in journal.entries()]
    journal.close()
    service = Service(ServiceSettings(journal=folder))
    service.restore()
    model = service.models["default"]
    restored = to_bytes(model.estimator) if model.is_fitted else b""
    service.commits.thread.shutdown()
    for each in (service.view, service.journal):
        each.close()
    assert service.lock is not None
    os.close(service.lock)
    replayed = to_bytes(replay(folder).estimator) if model.is_fitted else b""
    return Counter(
        lost=len(set(acknowledged) - set(found)),
        doubled=len(found) - len({name for name, _ in found}),
        invented=max(0, len(found) - len(acknowledged) - unanswered),
        different=int(restored != replayed),
    )


def run(kills: int, seed: int) -> dict[str, Counter[str]]:
    """A row of the table for each point."""
    rng, table = random.Random(seed), {name: Counter[str]() for name in POINTS}
    names = rng.sample([*POINTS], len(POINTS))
    folder, acknowledged = Path(tempfile.mkdtemp(prefix="novikoff-kills-")), list[tuple[str, int]]()
    for number in range(kills):
        if number % CHAIN == 0:
            shutil.rmtree(folder)
            acknowledged.clear()
        name = names[number % len(names)]
        before = number % CHAIN  # a journal that is empty has nothing to replay
        if before == 0 and name.startswith("start-up"):
            name = "before a commit"
        count = rng.randint(1, POINTS[name][1])
        found = kill_once(folder, name, count + (before == 0), 1000 * seed + 10 * number)
        acknowledged += found
        bad = check(folder, acknowledged, CLIENTS * (before + 1))
        table[name] += Counter(kills=1, acknowledged=len(found)) + bad
    shutil.rmtree(folder)
    return table


COLUMNS = ("kills", "acknowledged", "lost", "doubled", "invented", "different")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = run(options.kills, options.seed)
    rows = {name: {column: row[column] for column in COLUMNS} for name, row in table.items()}
    print(f"{'point':<40}" + "".join(f"{column:>14}" for column in COLUMNS))
    for name, row in rows.items():
        print(f"{name:<40}" + "".join(f"{row[column]:>14}" for column in COLUMNS))
    RESULTS.write_text(json.dumps({"seed": options.seed, "points": rows}, indent=1) + "\n")
    sys.exit(any(row[column] for row in rows.values() for column in COLUMNS[2:]))


if __name__ == "__main__":
    main()
