"""A server of the lab, in a thread of the tests' own process."""

import queue
import threading
from contextlib import contextmanager
from typing import NamedTuple


class Served(NamedTuple):
    """url: without a slash at its end."""

    url: str
    port: int


@contextmanager
def served(host="127.0.0.1"):
    """A server at any free port, ready, for as long as it is needed."""
    from novikoff.lab.server.serve import serve

    told = queue.Queue()

    def run():
        try:
            serve(host, 0, lambda *found: told.put(found))
        except BaseException as error:
            told.put(error)
            raise

    thread = threading.Thread(target=run, name="served")
    thread.start()
    found = told.get()
    if isinstance(found, BaseException):
        raise found
    url, stop = found
    try:
        yield Served(url.rstrip("/"), int(url.rstrip("/").rpartition(":")[2]))
    finally:
        stop()
        thread.join()
