"""Whoever sends the service nonsense, slowly or much at once, is refused; nobody else notices."""

import contextlib
import http.client
import json
import random
import socket
import threading
from pathlib import Path

import pytest

import novikoff as nk
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve.recipes import make_recipe, new_estimator
from novikoff.serve.settings import Limits, ServiceSettings
from novikoff.serve.web.server import serve
from tests.helpers.waits import LONG, wait_until

MOST = 80  # connections
LIMITS = Limits(body=20_000, seconds=1.0, connections=MOST, features=50, pending=500)
TOKENS = "learn-learn-learn-1\nmanage-manage-manage manage\n"
HEAD = b"Host: localhost\r\nAuthorization: Bearer learn-learn-learn-1\r\n"
KIND = b"Content-Type: application/json\r\n"
ROW = b'{"features": [1.0, 2.0], "label": 1}'
RECIPE = make_recipe("perceptron", {}, [-1, 1])


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """A service with narrow limits, in a thread of this process."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "tokens").write_text(TOKENS)
    settings = ServiceSettings(
        journal=folder / "journal",
        port=0,
        durability="normal",
        token_file=folder / "tokens",
        limits=LIMITS,
    )
    started, found = threading.Event(), []

    def ready(url, _, stop):
        found.extend([int(url.rstrip("/").split(":")[-1]), stop])
        started.set()

    thread = threading.Thread(target=serve, args=(settings, RECIPE, None, ready))
    thread.start()
    assert started.wait(LONG)
    with nk.Client(f"http://127.0.0.1:{found[0]}", token="manage-manage-manage") as client:
        client._ask("POST", "/models", b'{"name": "mine"}', "application/json")
    yield found[0]
    found[1]()
    thread.join(LONG)
    assert not thread.is_alive()


LEARNED = []  # by all bystanders, one after another


class Bystander(threading.Thread):
    """Somebody who learns and predicts meanwhile, whose every answer is right."""

    def __init__(self, port):
        super().__init__()
        self.client = nk.Client(
            f"http://127.0.0.1:{port}", token="learn-learn-learn-1", model="mine", retries=0
        )
        self.over, self.error, self.rows = threading.Event(), None, 0

    def run(self):
        try:
            before = self.client.state()["seen"]
            rng = random.Random(before)
            assert before == len(LEARNED)
            while self.rows < 3 or not self.over.wait(0.01):
                x = [rng.gauss(0.0, 1.0), rng.gauss(0.0, 1.0)]
                assert self.client.predict_one(x, keep=False).label in (-1, 1)
                self.rows += 1
                LEARNED.append((x, 1 if sum(x) > 0.0 else -1))
                assert self.client.learn_one(*LEARNED[-1]).seen == before + self.rows
        except Exception as error:  # the test says it
            self.error = error
        finally:
            self.client.close()


@pytest.fixture(autouse=True)
def bystander(port):
    found = Bystander(port)
    found.start()
    yield found
    found.over.set()
    found.join(LONG)
    assert found.error is None


def sent(port, *parts, whole=True):
    """All that is answered to these bytes; whole: and to their end."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as link:
        answer = b""
        with contextlib.suppress(OSError):  # it may have been closed before all was sent
            for part in parts:
                link.sendall(part)
            if whole:
                link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            while part := link.recv(65536):
                answer += part
        return answer


def post(*more, path=b"/learn", body=ROW):
    return b"POST " + path + b" HTTP/1.1\r\n" + HEAD + KIND + b"".join(more) + b"\r\n" + body


SMUGGLED = b"GET /model HTTP/1.1\r\nHost: localhost\r\n\r\n"
SIZE = b"Content-Length: %d\r\n" % len(ROW)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNK = b"%x\r\n%s\r\n0\r\n\r\n" % (len(ROW), ROW)


@pytest.mark.parametrize(
    "request_bytes",
    [
        post(SIZE, CHUNKED, body=CHUNK),
        post(CHUNKED, SIZE, body=b"0\r\n\r\n" + SMUGGLED),
        post(SIZE, b"Content-Length: 0\r\n"),
        post(SIZE, SIZE),
        post(b"Content-Length: +36\r\n"),
        post(b"Content-Length: -1\r\n"),
        post(b"Content-Length: 36, 3\r\n"),
        post(b"Content-Length: " + b"9" * 5000 + b"\r\n"),
        post(b"Content-Length : 36\r\n"),
        post(SIZE, b"X: a\r\n b: c\r\n\tContent-Length: 5\r\n", b"\0: x\r\n"),
        post(b"Transfer-Encoding: chunked, identity\r\n", body=CHUNK),
        post(b"Transfer-Encoding: xchunked\r\n", body=CHUNK),
        post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n", body=CHUNK),
        post(CHUNKED, body=b"F" * 40 + b"\r\n" + ROW),
        post(CHUNKED, body=b"-1\r\n" + ROW),
        post(SIZE, b"Host: example.org\r\n"),
        post(SIZE, b"Authorization: Bearer manage-manage-manage\r\n"),
        post(SIZE, b"X: " + b"a" * 70_000 + b"\r\n"),
        post(SIZE, *(b"X%d: a\r\n" % k for k in range(9000))),
        post(SIZE).replace(b"HTTP/1.1", b"HTTP/9.9"),
        post(SIZE).replace(b"Host: localhost\r\n", b""),
        post(SIZE).replace(b"localhost", b"localhost@example.org"),
        post(SIZE).replace(b"localhost", b"localhost.example.org"),
        post(SIZE).replace(b"localhost", b"[::1"),
        post(SIZE, b"Origin: null\r\n"),
        post(SIZE, b"Origin: http://localhost.example.org\r\n"),
        post(SIZE).replace(b"Bearer learn", b"Basic learn"),
        post(SIZE).replace(b"learn-1\r\n", b"learn-2\r\n"),
        post(SIZE).replace(b"learn-1\r\n", b"learn-1\xff\r\n"),
        post(SIZE).replace(b"/learn", b"/learn" + b"/.." * 5000),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
        b"GET\r\n\r\n",
        b"\r\n" * 100_000,
        b"\0" * 100_000,
    ],
    ids=range(34),
)
def test_a_request_of_two_meanings_is_refused_and_nothing_is_hidden_in_it(port, request_bytes):
    answer = sent(port, request_bytes)
    assert answer == b"" or answer[:10] == b"HTTP/1.1 4", answer[:200]
    assert answer.count(b"HTTP/1.1 ") <= 1
    assert b" 200 " not in answer


VALUES = (
    b"null", b"true", b"-0", b"1e309", b"-1e400", b"NaN", b"Infinity", b"9" * 399, b"9" * 10_000,
    b"0." + b"9" * 399, b'""', b'"' + b"a" * 300 + b'"', b'"\\ud800"', b'"\xff"', b"[]", b"{}",
    b"[[1]]", b'{"a": 1, "a": 2}', b'{"a": "1"}', b'{"": 1}', b"[" * 300 + b"]" * 300, b"[" * 9000,
    b'{"a":' * 3000, b"[" + b"1," * 60 + b"1]", b"1 2", b"//", b"\xef\xbb\xbf1", b"1" + b"\0" * 9,
)  # fmt: skip
FRAMES = (
    b'{"features": %s, "label": 1}',
    b'{"features": [%s], "label": 1}',
    b'{"features": {"a": %s}, "label": 1}',
    b'{"features": [1, 2], "label": %s}',
    b'{"features": [1, 2], "label": 1, "weight": %s}',
    b'{"features": [1, 2], "label": 1, "id": %s}',
    b'{"id": %s, "label": 1}',
    b"%s",
)


def test_every_body_is_answered_or_refused_one_by_one_and_in_batches(port):
    """No status of 500 and no answer that is not JSON, whatever stands where."""
    bodies = [frame % value for frame in FRAMES for value in VALUES]
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    headers = {"Authorization": "Bearer learn-learn-learn-1"}
    rng = random.Random(3)
    for path in ("/predict", "/reveal", "/learn"):
        for body in rng.sample(bodies, 60):
            link.request("POST", path, body, headers | {"Content-Type": "application/json"})
            found = link.getresponse()
            content = json.loads(found.read())
            assert found.status in (200, 400, 404, 409, 413, 422), (body[:99], content)
            assert found.status == 200 or len(content["problem"]) < 400
        few = [each for each in bodies if b"\n" not in each]
        batch = b"\n".join(few)
        link.request("POST", path, batch, headers | {"Content-Type": "application/x-ndjson"})
        lines = link.getresponse().read().splitlines()
        assert len(lines) == len(few)
        statuses = {json.loads(line).get("status", 200) for line in lines}
        assert statuses <= {200, 400, 404, 409, 413, 422}
    link.close()


def test_huge_bodies_end_at_the_limit(port):
    head = post(CHUNKED, body=b"")
    chunk = b"%x\r\n%s\r\n" % (5000, b" " * 5000)
    assert sent(port, head, *[chunk] * 200, whole=False).startswith(b"HTTP/1.1 413 ")
    line = head.replace(b"application/json", b"application/x-ndjson")
    assert b'"status":413' in sent(port, line, *[chunk] * 200, whole=False)  # a line without an end
    long = post(b"Content-Length: 99999999999\r\n", body=b" " * 30_000)
    assert sent(port, long, whole=False).startswith(b"HTTP/1.1 413 ")
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    headers = {"Authorization": "Bearer learn-learn-learn-1", "Content-Type": "application/json"}
    link.request("POST", "/learn", b" " * 5_000_000, headers)
    assert link.getresponse().status == 413  # though it had more to say
    link.close()


HANDLES = Path("/proc/self/fd")


def handles():
    return len([*HANDLES.iterdir()])


@pytest.mark.skipif(not HANDLES.is_dir(), reason="counts open files in /proc")
def test_slow_and_many_connections_are_ended_and_leave_nothing_open(port, bystander):
    wait_until(lambda: bystander.rows >= 3, "the bystander's first rows")
    before = handles()
    half = post(SIZE)[:-5], post(CHUNKED, body=b'5\r\n{"a')
    starts = (b"", b"POST /le", *half, b"GET / HTTP/1.1\r\nX:")
    links = []
    for k in range(2 * MOST):
        link = socket.create_connection(("127.0.0.1", port), timeout=LONG)
        link.sendall(starts[k % len(starts)])
        links.append(link)
    answers = []
    for link in links:
        answer = b""
        with contextlib.suppress(OSError):
            while part := link.recv(4096):
                answer += part
        answers.append(answer[9:12])
        link.close()
    assert {*answers} == {b"", b"408", b"503"}
    assert answers.count(b"503") >= MOST - 1
    assert b"408" in answers
    wait_until(lambda: handles() <= before, "the end of all connections")


def test_what_the_others_learned_is_what_they_sent(port, bystander):
    """After all of it: the bytes of a plain run over the bystanders' rows alone."""
    bystander.over.set()
    bystander.join(LONG)
    url = f"http://127.0.0.1:{port}"
    with nk.Client(url, token="learn-learn-learn-1", model="mine") as client:
        seen, content = client.state()["seen"], client.model_file()
    plain = new_estimator(RECIPE, [-1, 1])
    for x, y in LEARNED:
        plain.learn_one(x, y)
    assert (seen, content) == (len(LEARNED), to_bytes(plain))
