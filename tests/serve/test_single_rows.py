"""Requests for one row are answered in the same words with Starlette and without it."""

import json
import re
import socket

import pytest

from novikoff.serve.web.connection import PATIENCE_SECONDS
from tests.helpers.service import served
from tests.helpers.waits import LONG

#: A header with which a request is not in the usual form, though it means the same.
LONG_WAY = b"Connection: keep-alive\r\n"
BODIES = {
    "/predict": [
        b'{"features": {"a": 1.0}, "id": "one"}',
        b'{"features": {"a": 1.0, "new": -2}, "keep": false}',
        b'{"features": {"a:b": 1.5}, "id": "a:b"}',
        b'{"features": [1.0]}',
    ],
    "/reveal": [b'{"id": "one", "label": 1}', b'{"id": "none", "label": 1}', b'{"id": "one"}'],
    "/learn": [
        b'{"features": {"a": 1.0, "b": -1.0}, "label": 1, "id": "two"}',
        b'{"features": {"a": 1.0}, "label": 1, "id": "two"}',
        b'{"features": {"a": 1.0}, "label": 3}',
        b'{"features": {"a": 1.0}, "label": 1, "weight": 0}',
        b'{"features": {"a": 1, "a": 2}, "label": 1}',
        b'{"features": {"a": NaN}, "label": 1}',
        b'{"features": {"a": 1}, "label": true}',
        b'{"features": {"a": 1}, "label": 1, "odd": 1}',
        b"[1]",
        b"{",
        b"",
    ],
    "/models/none/predict": [b'{"features": {"a": 1.0}}'],
    "/models/default/predict": [b'{"features": {"a": 1.0}, "keep": false}'],
}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    words = "--rule", "perceptron", "--durability", "normal"
    with served(folder / "journal", *words) as found:
        yield found


def post(path, body, more=b""):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
    return head + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


class Link:
    """A connection whose answers are read one by one."""

    def __init__(self, web):
        self.socket = socket.create_connection(("127.0.0.1", web.port), timeout=LONG)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()
        self.socket.close()

    def answer(self):
        """The status, the headers in no order, and the body."""
        status, size = self.file.readline(), 0
        headers = set()
        while (line := self.file.readline().strip().lower()) != b"":
            headers.add(line)
            size = int(line[15:]) if line.startswith(b"content-length:") else size
        dates = {line for line in headers if line.startswith(b"date: ")}
        assert len(dates) == 1
        return status, headers - dates, self.file.read(size)

    def ask(self, *parts):
        for part in parts:
            self.socket.sendall(part)
        return self.answer()


def count(web, path):
    found = re.search(
        rf'requests_total{{route="{path}",status="200"}} (\d+)', web.get("/metrics")[1].decode()
    )
    return int(found[1]) if found else 0


def test_both_ways_have_the_same_words(web):
    """All of it is asked three times: what was done by the first is repeated by the others."""
    asked = [(path, body) for path, bodies in BODIES.items() for body in bodies]
    before = count(web, "/predict")
    with Link(web) as link:
        for path, body in asked:
            link.ask(post(path, body))
        for path, body in asked:
            if b'"features": [' not in body:  # kept with an id of its own each time
                assert link.ask(post(path, body)) == link.ask(post(path, body, LONG_WAY)), body
    assert count(web, "/predict") == before + 3 * 3 + 1
    assert count(web, "/models/{name}/predict") == 3


def test_requests_in_pieces_and_several_at_once(web):
    row = post("/predict", b'{"features": {"a": 1.0}, "keep": false}')
    other = post("/predict", b'{"features": {"a": 1.0}, "keep": false}', LONG_WAY)
    with Link(web) as link:
        wanted = link.ask(row)
        assert wanted[0] == b"HTTP/1.1 200 OK\r\n"
        cut = row.index(b"\r\n\r\n") + 4
        assert link.ask(row[:cut], row[cut:]) == wanted
        assert link.ask(*(row[k : k + 1] for k in range(len(row)))) == wanted
        for requests in (row + row, row + other, other + row, row + row[:cut]):
            assert link.ask(requests) == wanted
            rest = row[cut:] if requests.endswith(b"\r\n\r\n") else b""
            assert link.ask(rest) == wanted
        found = link.ask(b"".join([row] * 50))
        assert [found, *(link.answer() for _ in range(49))] == [wanted] * 50


def test_a_body_that_takes_its_time_is_waited_for(web):
    body = json.dumps({"features": {"a": 1.0}, "keep": False}).encode()
    row = post("/predict", body)
    with Link(web) as link:
        wanted = link.ask(row)
        link.socket.sendall(row[:-5])
        link.socket.settimeout(2.0 * PATIENCE_SECONDS)
        with pytest.raises(TimeoutError):
            link.socket.recv(1)
        link.socket.settimeout(LONG)
        assert link.ask(row[-5:]) == wanted
        assert link.ask(row) == wanted


def test_a_connection_without_requests_is_closed(web):
    with Link(web) as link:
        link.ask(post("/predict", b'{"features": {"a": 1.0}, "keep": false}'))
        assert link.file.read() == b""  # not before Uvicorn's own time for it
