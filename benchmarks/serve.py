"""The service against river behind Starlette without a journal, and beside Vowpal Wabbit's daemon.

    python benchmarks/serve.py [--turns 7] [--rows 1000]

All on loopback: one process serves, and this one asks over several connections, each of which sends
its next request once the last is answered. Requests are made before the clock starts. A ratio is a
speed over a speed, and for the 99th percentile and the processor a time over a time, so that above
1 novikoff is better. The daemon takes one connection at a time, learns from each line at once, and
keeps nothing.
"""

import argparse
import asyncio
import contextlib
import importlib.util
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness import Line, faster, report

HERE = Path(__file__).parent
CONNECTIONS, NAMES, FEATURES, PATIENCE = 8, 1000, 20, 60.0
BATCH = 500  # rows of a request

rng = random.Random(0)
numbers = iter(range(10**9))


class Caller(asyncio.Protocol):
    """A connection: what it asks, and the seconds that each answer took."""

    def __init__(self, requests: list[bytes], ends: Callable[[bytes], bool]) -> None:
        self.requests, self.ends, self.seconds = iter(requests), ends, list[float]()
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._next()

    def _next(self) -> None:
        self.answer, self.began = b"", time.perf_counter()
        request = next(self.requests, None)
        if request is None:
            self.transport.close()
            self.done.set_result(None)
        else:
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.answer += data
        if self.ends(self.answer):
            self.seconds.append(time.perf_counter() - self.began)
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or EOFError("the server closed the connection"))


def whole_answer(answer: bytes) -> bool:
    """Whether an answer by HTTP is complete; it must be a good one."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(answer.decode())
    if b"chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    size = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    return len(body) >= int(size.partition(b":")[2])


def ask(
    port: int, requests: list[list[bytes]], ends: Callable[[bytes], bool] = whole_answer
) -> tuple[float, list[float]]:
    """The seconds that all requests took, and each: a list of them for every connection."""

    async def run() -> tuple[float, list[float]]:
        loop, began = asyncio.get_running_loop(), time.perf_counter()
        callers = []
        for some in requests:
            _, caller = await loop.create_connection(
                lambda some=some: Caller(some, ends),  # type: ignore[misc]
                "127.0.0.1",
                port,
            )
            callers.append(caller)
        await asyncio.gather(*(caller.done for caller in callers))
        return time.perf_counter() - began, [each for one in callers for each in one.seconds]

    return asyncio.run(run())


def post(path: str, body: str, kind: str = "json") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/{kind}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def features() -> dict[str, float]:
    return {f"f{j}": round(rng.gauss(0.0, 1.0), 6) for j in rng.sample(range(NAMES), FEATURES)}


def label(row: dict[str, float]) -> int:
    return 1 if sum(value * (-1) ** int(name[1:]) for name, value in row.items()) > 0.0 else -1


def singles(number: int) -> list[list[bytes]]:
    """Predictions whose labels may come, one a request."""
    rows = ({"features": features(), "id": f"s{next(numbers)}"} for _ in range(number))
    return spread([[post("/predict", json.dumps(row))] for row in rows])


def pairs(number: int) -> list[list[bytes]]:
    """A prediction, and its label right after it."""
    found = []
    for _ in range(number):
        row, name = features(), f"p{next(numbers)}"
        predict = post("/predict", json.dumps({"features": row, "id": name}))
        found.append([predict, post("/reveal", json.dumps({"id": name, "label": label(row)}))])
    return spread(found)


def batches(number: int) -> list[list[bytes]]:
    """As many predictions as of singles, many a request, on one connection."""
    rows = [json.dumps({"features": features(), "id": f"b{next(numbers)}"}) for _ in range(number)]
    parts = [rows[k : k + BATCH] for k in range(0, number, BATCH)]
    return [[post("/predict", "\n".join(part), "x-ndjson") for part in parts]]


def lines(number: int) -> list[list[bytes]]:
    """The rows of pairs as the daemon takes them."""
    rows = [features() for _ in range(number)]
    texts = (" ".join(f"{name}:{value}" for name, value in row.items()) for row in rows)
    both = zip(rows, texts, strict=True)
    return [[f"{label(row)} | {text}\n".encode() for row, text in both]]


def spread(items: list[list[bytes]]) -> list[list[bytes]]:
    return [[each for item in items[k::CONNECTIONS] for each in item] for k in range(CONNECTIONS)]


@contextlib.contextmanager
def started(*words: str | int) -> Iterator[int]:
    """A server's process, once something listens at its port, which is the last of the words."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        end = time.monotonic() + PATIENCE
        while "--daemon" not in words and not listens(int(words[-1])):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{words[0]} does not listen")
            time.sleep(0.05)
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the daemon has a child that would stay
        process.wait()


def listens(port: int) -> bool:
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


def processor_seconds(process: int) -> float:
    """What all threads of a process have used so far; 0 where the system does not say."""
    threads = Path("/proc").glob(f"{process}/task/*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


Times = dict[str, list[float]]


def measure(
    ports: dict[str, int], processes: dict[str, int], turns: int, rows: int
) -> tuple[Times, Times, Times]:
    """For each contender and kind of request: seconds of each turn, the 99th percentiles, and the
    seconds of the server's processor.
    """
    seconds, slowest, used = Times(), Times(), Times()
    for turn in range(turns + 1):  # the first warms up
        for what, make in (("singles", singles), ("pairs", pairs), ("batches", batches)):
            for name in ("plain", "normal", "full"):
                if what == "batches" and name == "plain":
                    continue
                asked = make(rows)
                before = processor_seconds(processes[name])
                took, each = ask(ports[name], asked)
                after = processor_seconds(processes[name])
                if turn:
                    seconds.setdefault(f"{what} {name}", []).append(took)
                    last = statistics.quantiles(each, n=100)[-1] if len(each) > 1 else took
                    slowest.setdefault(f"{what} {name}", []).append(last)
                    used.setdefault(f"{what} {name}", []).append(after - before)
    return seconds, slowest, used


def measure_daemon(turns: int, rows: int) -> list[float]:
    """Seconds of each turn; a daemon of its own for each, since it serves one connection."""
    found = []
    for _ in range(turns):
        port = free_port()
        with started(str(HERE / "vw_daemon.py"), "--daemon", port):
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    found.append(ask(port, lines(rows), lambda answer: answer.endswith(b"\n"))[0])
                    break
                except ConnectionRefusedError:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.05)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args()
    ports = {name: free_port() for name in ("plain", "normal", "full")}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        plain = stack.enter_context(started(str(HERE / "plain_app.py"), ports["plain"]))
        processes = {"plain": plain}
        for name in ("normal", "full"):
            words = ["-m", "novikoff", "serve", "--rule", "perceptron", "--durability", name]
            words += ["--journal", f"{folder}/{name}", "--port"]
            processes[name] = stack.enter_context(started(*words, ports[name]))
        seconds, slowest, used = measure(ports, processes, options.turns, options.rows)
    daemon = importlib.util.find_spec("vowpalwabbit") is not None
    if daemon:
        seconds["daemon"] = measure_daemon(options.turns, options.rows)
    else:
        print("vowpalwabbit is not installed: its daemon is left out")
    found = []
    for name, wanted in (("normal", 1.0), ("full", 0.5)):
        for what in ("singles", "pairs"):
            one, other = f"{what} {name}", f"{what} plain"
            found.append(Line(f"{what}, {name}", "plain", wanted, faster(seconds, one, other)))
            found.append(Line(f"p99 of {what}, {name}", "plain", None, faster(slowest, one, other)))
            if all(used[one]):
                ratios = faster(used, one, other)
                found.append(Line(f"processor for {what}, {name}", "plain", None, ratios))
        one, other = f"batches {name}", f"singles {name}"
        ratios = faster(seconds, one, other)
        found.append(Line(f"batches, {name}", f"singles, {name}", 10.0, ratios))
        if all(used[one]):
            ratios = faster(used, one, other)
            found.append(Line(f"processor for batches, {name}", f"singles, {name}", None, ratios))
        if daemon:
            ratios = faster(seconds, f"pairs {name}", "daemon")
            found.append(Line(f"pairs, {name}", "lines to vw --daemon", None, ratios))
    report("serve", found)


if __name__ == "__main__":
    main()
