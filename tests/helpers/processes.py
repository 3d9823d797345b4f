"""A cluster of real processes on this machine, to be killed, stopped and started one by one."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed import Client

from tests.helpers.environment import with_tests
from tests.helpers.waits import LONG, wait_until


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _start(module, *words):
    env = with_tests()  # workers import test modules
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *map(str, words)],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Machines:
    """A scheduler and its workers."""

    def __init__(self):
        self.address = f"tcp://127.0.0.1:{_free_port()}"
        self.folder = tempfile.mkdtemp(prefix="novikoff-machines-")
        self.workers = []
        self.clients = contextlib.ExitStack()
        self.start_scheduler()

    def start_scheduler(self):
        host, port = self.address.removeprefix("tcp://").split(":")
        self.scheduler = _start(
            "dask_scheduler", "--host", host, "--port", port, "--no-dashboard", "--no-jupyter"
        )

    def client(self):
        """A client, which goes when the test's machines do."""
        return self.clients.enter_context(Client(self.address, set_as_default=False, timeout=LONG))

    def add(self, client, count=1, nanny=False, memory="0"):
        """So many workers more, there and known; their addresses."""
        before = workers_of(client)
        self.start_workers(count, nanny, memory)

        def there():
            new = workers_of(client) - before
            return sorted(new) if len(new) == count else None

        return wait_until(there, "the start of workers")

    def start_workers(self, count, nanny=False, memory="0"):
        """Start so many workers, and do not wait for them."""
        kind = "--nanny" if nanny else "--no-nanny"
        words = self.address, kind, "--nthreads", 1, "--memory-limit", memory, "--no-dashboard"
        words = *words, "--local-directory", self.folder
        self.workers += [_start("dask_worker", *words) for _ in range(count)]

    def end(self, process):
        """Kill one of the processes, and see that it has ended."""
        process.kill()
        process.wait(LONG)

    def end_others(self, client):
        """End all workers but the first."""
        for process in self.workers[1:]:
            self.end(process)
        del self.workers[1:]
        wait_until(lambda: len(workers_of(client)) == 1, "the end of workers")

    def close(self):
        self.clients.close()
        for process in [*self.workers, self.scheduler]:
            self.end(process)
        shutil.rmtree(self.folder, ignore_errors=True)  # a worker may be on its way out still


def workers_of(client):
    """The addresses of all workers; `scheduler_info` may lose them to an answer of another kind."""
    return set(client.sync(client.scheduler.identity, n_workers=-1)["workers"])


def pid_of(client, worker):
    """The process of a worker, by its address."""
    return client.run(os.getpid, workers=[worker])[worker]


# What workers are asked in tests: they import this module.


def who(shard):
    """The process that answers."""
    return os.getpid()


def wait_for_word(shard, folder, number):
    """Say who has this part, and answer when a file says so."""
    begun = Path(folder) / f"begun-{number}"
    begun.write_text(str(os.getpid()))
    begun.rename(Path(folder) / f"part-{number}")  # which is there with all that it says
    wait_until(lambda: (Path(folder) / "go").exists(), "the word to go on")
    return number


def hog(shard):
    """Take more and more memory."""
    taken = []
    while len(taken) < 64:  # a gigabyte
        taken.append(b"x" * 2**24)
        time.sleep(0.02)
    return len(taken)
