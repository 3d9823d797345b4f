"""Random requests to a server of the lab, while somebody else loads its page, and is timed."""

import http.client
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import psutil

from benchmarks.attack.tally import CRASH, DIFFERENT, EQUAL, REFUSED, TRACEBACK, Outcome, Tally
from tests.helpers.lab_fuzz import fuzz
from tests.helpers.shell import running

CLIENTS = 3
PAUSE = 0.02  # seconds between two looks at the page
BUSY = "503"  # an answer too: try again in a moment


class Visitor:
    """Somebody who loads the page again and again: how long each took, and whether it was whole."""

    def __init__(self, address: str, process: int) -> None:
        self.host, self.process = urlsplit(address).netloc, psutil.Process(process)
        self.over, self.seconds, self.changed = threading.Event(), [], 0
        self.first = self.load()
        self.before = self.most = self.process.memory_info().rss

    def load(self) -> bytes:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            connection.request("GET", "/")
            return connection.getresponse().read()
        finally:
            connection.close()

    def run(self) -> None:
        while not self.over.wait(PAUSE):
            began = time.perf_counter()
            page = self.load()
            self.seconds.append(time.perf_counter() - began)
            self.changed += page != self.first
            self.most = max(self.most, self.process.memory_info().rss)


def attack_lab(requests: int, seed: int) -> Tally:
    """So many requests, from several clients at a time."""
    tally = Tally("lab")
    with running("-m", "novikoff", "lab", "--port", "0", "--no-browser") as server:
        address = server.stdout.readline().split()[-1]
        visitor = Visitor(address, server.pid)
        thread = threading.Thread(target=visitor.run)
        thread.start()
        try:
            with ThreadPoolExecutor(CLIENTS) as pool:
                shares = [len(range(k, requests, CLIENTS)) for k in range(CLIENTS)]
                seeds = [1000 * seed + k for k in range(CLIENTS)]
                answers = list(pool.map(fuzz, [address] * CLIENTS, seeds, shares))
        finally:
            visitor.over.set()
            thread.join()
        alive = server.poll() is None
        server.terminate()
        defects = server.stderr.read()
    for name, outcome in _outcomes(answers):
        tally.add(name, outcome)
    for _ in range(visitor.changed):
        tally.add(-1, Outcome(DIFFERENT, "the page that somebody else loaded meanwhile"))
    if not alive:
        tally.add(-1, Outcome(CRASH, f"the server died: {defects[-400:]}"))
    tally.peak = (visitor.most - visitor.before) / 2**20
    tally.longest_wait = max(visitor.seconds)
    tally.figures |= _times(visitor.seconds)
    return tally


def _outcomes(answers: list[dict[str, int]]) -> list[tuple[int, Outcome]]:
    """What came of each request, by the counts of answers."""
    found = []
    for client, counts in enumerate(answers):
        for status, count in counts.items():
            if status.isdigit() or status in ("closed", "unanswered"):
                found += [(client, Outcome(_kind(status), f"answered by {status}"))] * count
    return found


def _kind(status: str) -> str:
    if status == "unanswered":
        return CRASH
    if status[0] == "5" and status != BUSY:
        return TRACEBACK
    return EQUAL if status[0] in "23" else REFUSED


def _times(seconds: list[float]) -> dict[str, str]:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {
        "pages loaded meanwhile": f"{len(seconds):,}",
        "their median": f"{1000 * cuts[49]:.0f} ms",
        "their 99th percentile": f"{1000 * cuts[98]:.0f} ms",
        "the slowest of them": f"{1000 * max(seconds):.0f} ms",
    }
