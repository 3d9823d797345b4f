"""A service that is killed under load: what it acknowledged is there, once, in the same bytes."""

import http.client
import json
import os
import random
import threading
from contextlib import suppress

from benchmarks import serve_kills
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve.journal import Journal
from novikoff.serve.replay import replay
from tests.helpers.service import JSON, served

CLIENTS = 3
KILLS = 12 if "CI" in os.environ else 3


class Load(threading.Thread):
    """A client that predicts, reveals, learns, and notes what was acknowledged."""

    def __init__(self, web, seed, acknowledged, enough):
        super().__init__()
        self.web, self.rng, self.name = web, random.Random(seed), f"c{seed}"
        self.acknowledged, self.enough = acknowledged, enough

    def run(self):
        link = http.client.HTTPConnection("127.0.0.1", self.web.port, timeout=60)
        with suppress(OSError, http.client.HTTPException):  # the service has been killed
            for step in range(100_000):
                self.step(link, f"{self.name}-{step}")
                self.enough.release()
        link.close()

    def step(self, link, name):
        x = [self.rng.gauss(0.0, 1.0), self.rng.gauss(0.0, 1.0)]
        y = 1 if x[0] + x[1] > 0.0 else -1
        if self.rng.random() < 0.5:
            self.ask(link, "/learn", {"features": x, "label": y, "id": name})
        else:
            self.ask(link, "/predict", {"features": x, "id": name})
            self.ask(link, "/reveal", {"id": name, "label": y})
        self.acknowledged.append((name, y))

    def ask(self, link, path, value):
        link.request("POST", path, json.dumps(value), JSON)
        found = link.getresponse()
        body = found.read()
        assert found.status == 200, body


def test_nothing_acknowledged_is_lost_when_the_service_is_killed_under_load(tmp_path):
    folder, acknowledged, rng = tmp_path / "journal", [], random.Random(2)
    for turn in range(KILLS):
        words = () if turn else ("--rule", "perceptron")
        with served(folder, *words) as web:
            enough = threading.Semaphore(0)
            seeds = range(CLIENTS * turn, CLIENTS * (turn + 1))
            clients = [Load(web, seed, acknowledged, enough) for seed in seeds]
            for client in clients:
                client.start()
            for _ in range(rng.randrange(5, 80)):
                assert enough.acquire(timeout=60)
            web.process.kill()
            for client in clients:
                client.join(60)
        check(folder, acknowledged, CLIENTS * (turn + 1))
    with served(folder) as web:
        assert web.get("/model")[1] == to_bytes(replay(folder).estimator)
        for name, y in acknowledged[-CLIENTS:]:
            status, answer = web.post("/reveal", {"id": name, "label": y})
            assert (status, answer["repeated"]) == (200, True)


def test_nothing_is_lost_at_any_point_at_which_a_service_kills_itself():
    for name, row in serve_kills.run(11 if "CI" in os.environ else 4, seed=1).items():
        bad = {column: row[column] for column in serve_kills.COLUMNS[2:]}
        assert not any(bad.values()), f"{name}: {bad}"


def check(folder, acknowledged, most_unanswered):
    """Each acknowledged label is in the journal once, and at most one of each client besides."""
    journal = Journal(folder, write=False)
    found = [(entry.id, int(entry.label)) for entry in journal.entries()]
    journal.close()
    assert len(set(found)) == len(found)
    assert set(acknowledged) <= set(found)
    assert len(found) <= len(acknowledged) + most_unanswered
