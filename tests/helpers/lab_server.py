"""A server of the lab, in a thread of the tests' own process, and a client."""

import http.client
import json
import queue
import socket
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

    started = queue.Queue()

    def run():
        try:
            serve(host, 0, lambda *found: started.put(found))
        except BaseException as error:
            started.put(error)
            raise

    thread = threading.Thread(target=run, name="served")
    thread.start()
    found = started.get()
    if isinstance(found, BaseException):
        raise found
    url, stop = found
    try:
        yield Served(url.rstrip("/"), int(url.rstrip("/").rpartition(":")[2]))
    finally:
        stop()
        thread.join()


JSON = {"Content-Type": "application/json"}


class Web:
    """A client with a connection for each request."""

    def __init__(self, server):
        self.port = server.port

    def ask(self, method, path, body=None, headers=()):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers))
            found = connection.getresponse()
            return found.status, found.headers, found.read()
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, None, headers)

    def post(self, path, value):
        """Status and answer of a question."""
        status, headers, body = self.ask("POST", path, json.dumps(value), JSON)
        assert headers["Content-Type"] == "application/json"
        assert headers["Cache-Control"] == "no-store"
        return status, json.loads(body)

    def raw(self, data, ends=True):
        """All that comes back for some bytes; where they end, nothing may come any more."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as link:
            link.sendall(data)
            if ends:
                link.shutdown(socket.SHUT_WR)
            found = b""
            while part := link.recv(65536):
                found += part
            return found

    def goes_on(self):
        status, answer = self.post("/capacity", {"N": 2, "P": 4, "trials": 1, "seed": 0})
        return status == 200 and answer["trials"] == 1
