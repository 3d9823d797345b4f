"""The service over HTTP: a real server on loopback, asked sense and nonsense."""

import http.client
import json
import random
import signal
import socket
import subprocess

import pytest

from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve.replay import replay
from novikoff.serve.web.routes import WATCHERS
from tests.helpers.service import JSON, LINES, command, served
from tests.helpers.waits import wait_until

TOKENS = "predict-predict-01 predict\nlearn-learn-learn-1\nmanage-manage-manage manage\n"


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    (folder / "tokens").write_text(TOKENS)
    with served(folder / "journal", "--rule", "perceptron", "--durability", "normal") as found:
        yield found


def bearer(token):
    return JSON | {"Authorization": f"Bearer {token}"}


def test_learning_over_http_has_the_bytes_of_learn_one(tmp_path):
    rng, folder = random.Random(1), tmp_path / "journal"
    words = "--rule", "perceptron", "--durability", "normal"
    with served(folder, *words) as web:
        for step in range(40):
            x = {f"f{j}": rng.gauss(0.0, 1.0) for j in rng.sample(range(9), 3)}
            y = 1 if sum(x.values()) > 0.0 else -1
            if step % 2:
                status, answer = web.post("/predict", {"features": x})
                assert (status, answer["label"] in (-1, 1)) == (200, True)
                reveal = {"id": answer["id"], "label": y}
                assert web.post("/reveal", reveal)[0] == 200
                assert web.post("/reveal", reveal)[1]["repeated"]
            else:
                assert web.post("/learn", {"features": x, "label": y})[0] == 200
        rows = [{"features": x, "label": y}, {"features": [1.0], "label": 1}, "x"]
        body = "\n".join(map(json.dumps, rows))
        status, _, found = web.ask("POST", "/learn", body, LINES)
        lines = [json.loads(line) for line in found.splitlines()]
        assert (status, lines[0]["seen"]) == (200, 41)
        assert "the model knows its features by name" in lines[1]["problem"]
        assert (lines[2]["line"], lines[2]["status"]) == (3, 422)
        state = json.loads(web.get("/state")[1])
        assert (state["seen"], state["pending"]) == (41, 0)
        content = web.get("/model")[1]
        web.process.send_signal(signal.SIGTERM)
        assert web.process.wait(60) == 0
    assert content == to_bytes(replay(folder).estimator)
    with served(folder) as web:  # from the snapshot of the end
        assert web.get("/model")[1] == content


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("{", 400, "not JSON in UTF-8"),
        ("[" * 5000, 400, "nested too deeply"),
        ('{"features": [NaN], "label": 1}', 400, "NaN is not a number"),
        ('{"features": [1e999], "label": 1}', 422, "a number is needed"),
        ('{"features": [%s], "label": 1}' % ("9" * 10**6), 400, "400 digits"),
        ('{"features": [%s], "label": 1}' % ("9" * 10**5), 400, "400 digits"),
        ('{"features": [1], "features": [2]}', 400, "a key twice"),
        ('{"features": [1], "label": 1, "id": "\\ud800"}', 400, "not JSON in UTF-8"),
        ('{"features": [1], "label": 1, "wait": 1}', 422, "expected only features"),
        ('{"features": [1], "label": 7}', 422, "none of the classes [-1, 1]"),
        ('{"features": [1]}', 422, "'label' is missing"),
        ('{"features": "x", "label": 1}', 422, "expected an object of numbers"),
        ('{"features": [1], "label": 1, "weight": -1}', 422, "a number above 0"),
        ("x" * (2**20 + 1), 413, "more than 1,048,576 bytes"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_words(web, body, status, words):
    found, _, answer = web.ask("POST", "/learn", body)
    assert (found, json.loads(answer)["status"]) == (status, status)
    assert words in json.loads(answer)["problem"]
    assert web.get("/readyz")[0] == 200


def test_other_hosts_pages_types_and_routes_are_refused(web):
    row = json.dumps({"features": [1.0]})
    for headers, status in (
        (JSON | {"Host": "example.org"}, 403),
        (JSON | {"Origin": "http://example.org"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ):
        assert web.ask("POST", "/predict", row, headers)[0] == status
    assert web.ask("POST", "/models/other/predict", row)[0] == 404
    assert web.get("/nothing")[0] == 404
    assert web.get("/predict")[0] == 405
    assert web.post("/models", {"name": "b"})[0] == 403
    with socket.create_connection(("127.0.0.1", web.port), timeout=60) as link:
        head = "POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
        link.sendall((head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").encode())
        assert b" 400 " in link.recv(4096)


def test_what_is_seen(web):
    assert web.get("/healthz") == (200, b'{"status":"ok"}')
    text = web.get("/metrics")[1].decode()
    assert 'novikoff_labels_total{model="default"}' in text
    described = json.loads(web.get("/openapi.json")[1])
    assert set(described["paths"]["/models/{name}/learn"]) == {"post"}
    assert b"/reveal" in web.get("/docs")[1]
    assert set(described["paths"]["/models"]["post"]["responses"]) == {"201", "default"}
    for page in (b"style.css", b"chart.js", b"live.js"):
        assert b"page/" + page in web.get("/")[1]
        assert web.get(f"/page/{page.decode()}")[0] == 200
    for path in ("/", "/docs"):
        headers = web.ask("GET", path)[1]
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert web.get("/page/../live.html")[0] == web.get("/page/live.css")[0] == 404
    assert web.get("/state?margin=0")[0] == 422


def test_events_come_until_the_client_leaves_and_watchers_are_limited(web):
    def watch():
        link = socket.create_connection(("127.0.0.1", web.port), timeout=60)
        link.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return link, link.makefile("rb")

    watching = [watch() for _ in range(WATCHERS)]
    for _, lines in watching:
        event = next(line for line in lines if line.startswith(b"data: "))
        assert json.loads(event[6:]).keys() >= {"majority_mistakes", "series", "latency", "last"}
    assert web.get("/events")[0] == 503
    for link, lines in watching:
        lines.close()
        link.close()
    wait_until(lambda: not refused_to_watch(web), "the end of other streams")


def refused_to_watch(web):
    """Whether an event stream is refused, since others look."""
    link = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    link.request("GET", "/events")
    status = link.getresponse().status
    link.close()
    return status == 503


def test_a_disk_without_room_turns_learning_off_for_as_long_as_it_lasts(tmp_path):
    """No file may grow beyond a page, which SQLite takes as it takes a full disk."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("files of a running process can be limited on Linux only")
    row = {"features": {f"f{k}": 1.0 for k in range(999)}, "label": 1}
    words = "--rule", "perceptron", "--durability", "normal"
    with served(tmp_path / "journal", *words) as web:
        assert web.post("/learn", row | {"id": "first"})[0] == 200
        before = web.get("/model")[1]
        _, hard = resource.prlimit(web.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(web.process.pid, resource.RLIMIT_FSIZE, (4096, hard))
        status, answer = web.post("/learn", row | {"id": "second"})
        assert (status, "nothing was learned" in answer["problem"]) == (503, True)
        status, answer = web.post("/predict", {"features": row["features"]})
        assert (status, answer["id"], answer["label"]) == (200, None, 1)
        assert (web.get("/healthz")[0], web.get("/readyz")[0]) == (200, 503)
        assert web.get("/model")[1] == before
        resource.prlimit(web.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        answer = web.post("/learn", row | {"id": "second"})[1]
        assert (answer["seen"], answer["repeated"]) == (2, False)
        assert web.post("/learn", row | {"id": "first"})[1]["repeated"]
        assert web.get("/readyz")[0] == 200
        after = web.get("/model")[1]
    assert after == to_bytes(replay(tmp_path / "journal").estimator)


def test_every_line_of_the_log_is_its_own_whatever_is_asked(tmp_path):
    words = "--rule", "perceptron", "--durability", "normal", "--log-requests"
    forged = "/x%0d%0a%7B%22event%22:%22start%22%7D%22,%1b[31m"
    with served(tmp_path / "journal", *words) as web:
        assert web.get(forged, {"X-Forwarded-For": "10.1.2.3"})[0] == 404
        web.process.send_signal(signal.SIGTERM)
        lines = [json.loads(line) for line in web.process.communicate()[1].splitlines()]
    assert [line["event"] for line in lines] == ["start", "request", "stop"]
    assert (lines[1]["status"], lines[1]["client"]) == (404, "127.0.0.1")
    assert lines[1]["path"].startswith("/x\r\n{")


def test_tokens_and_two_models(tmp_path):
    (tmp_path / "tokens").write_text(TOKENS)
    words = "--rule", "perceptron", "--token-file", str(tmp_path / "tokens")
    with served(tmp_path / "journal", *words) as web:
        row = {"features": {"a": 1.0}, "label": "spam"}
        assert web.post("/learn", row)[0] == 401
        assert web.post("/learn", row, bearer("wrong-wrong-wrong-1"))[0] == 401
        assert web.post("/learn", row, bearer("predict-predict-01"))[0] == 403
        wanted = {"name": "mail", "rule": "averaged", "classes": ["ham", "spam"]}
        assert web.post("/models", wanted, bearer("learn-learn-learn-1"))[0] == 403
        manager = bearer("manage-manage-manage")
        assert web.post("/models", wanted, manager)[0] == 201
        assert web.post("/models", wanted, manager)[0] == 409
        assert web.post("/models/mail/learn", row, manager)[1]["seen"] == 1
        assert web.post("/models/mail/snapshot", {}, manager)[0] == 200
        assert web.post("/models/mail/compact", {}, manager)[0] == 200
        assert json.loads(web.get("/state", manager)[1])["seen"] == 0
        assert web.get("/healthz")[0] == 200


def test_the_command_says_what_it_cannot_do(tmp_path):
    for words, expected in (
        (["--host", "0.0.0.0", "--rule", "perceptron"], "so a --token-file is needed"),
        ([], "a new journal needs --model FILE or --rule NAME"),
        (["--rule", "perceptron", "--classes", "x"], "expected JSON such as"),
    ):
        done = subprocess.run(
            command(tmp_path / "j", *words), capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert expected in done.stderr
