"""The lab's server over HTTP: what it answers, whom it refuses, and that it goes on after all."""

import gzip
import html
import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import novikoff as nk
from novikoff.errors import NovikoffError
from novikoff.lab import assets, capacity_tab, limits, page_data
from novikoff.lab.capacity_tab import TrialCache
from novikoff.lab.state import csv_points
from novikoff.lab.state.page_state import RANGES
from novikoff.network.addresses import hosts, is_loopback, url
from tests.helpers.lab_server import JSON, Web, served


@pytest.fixture
def web(lab_server):
    return Web(lab_server)


# what is answered


def test_the_page_is_whole_and_loads_nothing_from_elsewhere(web):
    status, headers, body = web.get("/")
    text = body.decode()
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert not re.findall(r"<!-- \w+ -->", text)
    assert 'id="capacity-N"' in text
    chosen = re.search(r'<script type="application/json" id="choices">(.*?)</script>', text)[1]
    assert json.loads(chosen) == page_data.choices()
    loaded = re.findall(r'<(?:script|link)[^>]*\b(?:src|href)="([^"]+)"', text)
    files = [path for path in loaded if not path.startswith("data:")]
    assert "static/js/bokeh.min.js" in files
    assert "page/capacity.js" in files
    for path in files:
        status, headers, body = web.get(f"/{path}")
        kind = "text/css" if path.endswith(".css") else "text/javascript"
        assert (status, headers["Content-Type"]) == (200, f"{kind}; charset=utf-8"), path
        assert len(body) > 100
    assert not re.findall(r"<script(?![^>]*(?:src=|type=\"application/json\"))", text)
    assert not re.findall(r"\son\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))


def test_the_page_has_content_before_its_scripts_run(web):
    page = web.get("/?preset=xor&step=3")[2].decode()
    scene = page_data.page_data("preset=xor", charts=False)
    for text in (scene["title"], scene["about"], scene["verdict"]["sentence"]):
        assert html.escape(text) in page
    picture = re.search(r'id="plane".*?</svg>', page, re.DOTALL)[0]
    assert (picture.count("<circle"), picture.count("<path")) == (2, 2)
    empty = web.get("/?preset=xor&nonsense")[2]
    assert empty == web.get("/?tab=winnow&n=9&rows=0")[2] == web.get("/?points=%ff<b>")[2]
    assert b'<h2 id="title"></h2>' in empty


def test_winnow_has_content_before_its_scripts_run(web):
    page = web.get("/?tab=winnow&n=5&relevant=2&challenge=0-0")[2].decode()
    scene = page_data.page_data("tab=winnow&n=5&relevant=2", charts=False)
    for text in (scene["title"], scene["about"], scene["film"]["countdown"]["why"]):
        assert f">{html.escape(text)}</" in page
    picture = re.search(r'id="bars".*?</svg>', page, re.DOTALL)[0]
    assert [picture.count(f"var(--{colour})") for colour in ("green", "grey")] == [2, 3]
    assert '<input id="winnow-n" value="5" ' in page
    assert re.search(r'id="tab-winnow"[^>]*aria-selected="true"', page)
    hidden = set(re.findall(r'<[^<>]*\bid="([^"]*)"[^<>]* hidden>', page))
    assert not hidden & {"player", "panel", "bars", "bars-key", "winnow-controls"}
    assert hidden >= {"plane", "plane-key", "plane-controls", "verdict", "capacity"}
    one_class = web.get("/?tab=winnow&n=5&relevant=5&rows=1")[2].decode()
    assert ">Winnow: the OR of 5 of 5 variables</h2>" in one_class
    assert '<p class="why soft"></p>' in one_class


@pytest.mark.parametrize(("trials", "told"), [(0, True), (7, True), (1000, False)])
def test_the_capacity_tab_has_content_before_its_scripts_run(web, trials, told):
    page = web.get(f"/?tab=capacity&N=3&P=6&trials={trials}")[2].decode()
    now = capacity_tab.run_trials(3, 6, trials if told else 0, 0)
    for text in (now["count"], now["meaning"]):
        assert f">{html.escape(text)}</p>" in page
    sentence = html.escape(now["sentence"]) if told else ""  # many labellings take their time
    assert f'<p id="capacity-words">{sentence}</p>' in page
    assert "<polyline" in re.search(r'id="capacity-plot".*?</svg>', page, re.DOTALL)[0]
    assert '<input id="capacity-P" value="6" ' in page
    hidden = set(re.findall(r'<[^<>]*\bid="([^"]*)"[^<>]* hidden>', page))
    assert "capacity" not in hidden
    assert hidden >= {"player", "panel", "fold"}


def test_the_first_paint_of_a_challenge_keeps_the_verdict_to_itself(web):
    page = web.get("/?preset=xor&challenge=0-0")[2].decode()
    assert "<circle" in re.search(r'id="plane".*?</svg>', page, re.DOTALL)[0]
    for empty in ('<p id="about" class="soft"></p>', '<p class="sentence"></p>'):
        assert empty in page
    assert '<section id="verdict" class="card" aria-label="Verdict" hidden>' in page
    assert "data-outcome" not in page
    told = web.get("/?preset=xor")[2].decode()
    assert '<section id="verdict" data-outcome="inseparable" class="card"' in told


@pytest.mark.parametrize("path", ["/", "/page/lab.js", "/static/js/bokeh.min.js"])
def test_what_a_browser_has_is_not_sent_again(web, path):
    _, headers, body = web.get(path)
    assert headers["Cache-Control"] == "no-cache"
    status, again, nothing = web.get(path, **{"If-None-Match": headers["ETag"]})
    assert (status, nothing, again["ETag"]) == (304, b"", headers["ETag"])
    status, packed, short = web.get(path, **{"Accept-Encoding": "gzip"})
    assert (status, packed["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(short) == body
    status, only, nothing = web.ask("HEAD", path)
    assert (status, nothing, only["Content-Length"]) == (200, b"", str(len(body)))


@pytest.mark.parametrize("path", ["/", "/page/lab.js", "/nothing", "/run.csv?nonsense"])
def test_headers_keep_strangers_out(web, path):
    headers = web.get(path)[1]
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "address", ["", "preset=xor", "points=n0,0p1,1&eta=0.5&step=3", "tab=capacity&N=3&P=6&trials=4"]
)
def test_a_state_is_told_as_the_library_tells_it(web, address):
    status, answer = web.post("/scene", {"address": address})
    assert status == 200
    assert settled(answer) == settled(json.loads(json.dumps(page_data.page_data(address))))


def settled(answer):
    """Without what differs from one figure to the next: the names Bokeh gives its parts."""
    return json.loads(re.sub(r'"p\d+"|"[0-9a-f-]{36}"', '""', json.dumps(answer)))


def test_charts_may_be_left_out(web):
    status, answer = web.post("/scene", {"address": "preset=xor", "charts": False})
    assert status == 200
    assert answer["film"]["charts"] == []
    assert web.post("/scene", {"address": "preset=xor"})[1]["film"]["charts"] != []


def test_points_are_read_from_a_csv(web):
    text = "a,b,c,y\n1,2,3,u\n4,5,6,v\n"
    status, answer = web.post("/points", {"text": text, "x": "a", "y": "c", "target": "y"})
    assert (status, answer["points"]) == (200, "n1,3p4,6")
    status, answer = web.post("/points", {"text": "a,b\n1,oops\n"})
    assert status == 200
    assert answer["problem"]
    status, answer = web.post("/points", {"text": "\0"})
    assert status == 400
    assert answer["problem"]


FILES = {
    "/run.csv?preset=xor": ("text/csv; charset=utf-8", b"update,"),
    "/run.html?preset=xor": ("text/html; charset=utf-8", b"<!doctype html>"),
    "/plane.svg?preset=xor&step=2": ("image/svg+xml", b"<?xml"),
    "/plane.png?preset=xor&step=2": ("image/png", b"\x89PNG"),
}


@pytest.mark.parametrize("path", FILES)
def test_files_to_keep(web, path):
    kind, start = FILES[path]
    status, headers, body = web.get(path)
    assert (status, headers["Content-Type"]) == (200, kind)
    name = path[1:].partition("?")[0]
    assert headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert body.startswith(start)
    status, headers, body = web.get(path.replace("xor", "nonsense"))
    assert (status, headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert b"preset: found 'nonsense'" in body
    assert "Content-Disposition" not in headers
    status, _, body = web.get(f"/{name}?tab=capacity")
    assert status == 400
    assert b"tab: found 'capacity', expected plane" in body


def test_the_longest_address_can_be_asked_with(web):
    points = "".join(f"{'np'[k % 2]}{k % 2 + k / 7e5!r},{k / 3e4!r}" for k in range(500))
    address = f"points={points.replace(',', '%2C')}&eta=0.25"
    assert len(address) > 18_000
    assert web.get(f"/?{address}")[0] == 200
    status, answer = web.post("/scene", {"address": address, "charts": False})
    assert (status, len(answer["points"])) == (200, 500)
    assert web.get(f"/run.csv?{address}")[0] == 200
    status, _, body = web.get(f"/run.csv?points={'n1,1' * 16_000}")
    assert status == 400
    assert b"the address has 64,007 characters" in body


# the capacity tab


def test_draws_are_those_of_the_curve(web):
    (expected,) = nk.cover.capacity_curve(6, [2.0], trials=60, seed=3)
    status, answer = web.post("/capacity", {"N": 6, "P": 12, "trials": 60, "seed": 3})
    assert status == 200
    same = ("N", "P", "ratio", "trials", "separable", "fraction", "lower", "upper", "cover")
    assert {name: answer[name] for name in same} == {name: getattr(expected, name) for name in same}
    assert answer["results"].count("1") == expected.separable
    assert len(answer["results"]) == 60
    fewer = web.post("/capacity", {"N": 6, "P": 12, "trials": 25, "seed": 3})[1]
    assert fewer["results"] == answer["results"][:25]
    assert f"{expected.separable} of 60 random labellings" in answer["sentence"]
    assert answer["address"] == "tab=capacity&N=6&P=12&trials=60&seed=3"


@pytest.mark.parametrize("name", RANGES["capacity"])
def test_draws_have_limits(web, name):
    fine = {"N": 2, "P": 4, "trials": 2, "seed": 0}
    least, most = RANGES["capacity"][name]
    for value in (least - 1, most + 1, 10**30):
        status, answer = web.post("/capacity", fine | {name: value})
        assert (status, answer["problem"].partition(":")[0]) == (400, name)
    for value in (1.0, "1", None, True, [1]):
        status, answer = web.post("/capacity", fine | {name: value})
        assert status == 400
        assert answer["problem"].startswith(f"{name}: expected a whole number, found ")


def test_the_curve_is_covers_and_its_chart_has_places_for_draws():
    found = page_data.page_data("tab=capacity&N=5&P=12&trials=10")
    assert found["curve"]["P"] == list(range(1, 21))
    assert found["curve"]["share"] == [nk.cover.fraction(P, 5) for P in range(1, 21)]
    assert found["half"] == 10
    sources = re.findall(r'"name": "(now|visited)"', json.dumps(found["chart"]["figure"]))
    assert sorted(sources) == ["now", "visited"]
    far = page_data.page_data("tab=capacity&N=5&P=60&trials=1")["chart"]
    assert far["id"] != found["chart"]["id"]  # one that reaches as far


def test_draws_are_kept_within_bounds(monkeypatch):
    made = []

    def trial(N, P, seed, number):
        made.append((N, P, seed, number))
        return number % 2 == 0

    monkeypatch.setattr(capacity_tab, "trial", trial)
    kept = TrialCache(most=2)
    assert kept.results(3, 6, 0, 4) == kept.results(3, 6, 0, 4) == bytes([1, 0, 1, 0])
    assert made == [(3, 6, 0, k) for k in range(4)]
    assert kept.results(3, 6, 0, 6) == bytes([1, 0, 1, 0, 1, 0])
    assert made[4:] == [(3, 6, 0, 4), (3, 6, 0, 5)]
    assert kept.results(3, 6, 0, 2) == bytes([1, 0])
    kept.results(3, 7, 0, 1)
    kept.results(3, 6, 0, 1)
    kept.results(3, 8, 0, 1)  # now (3, 7) is the one that was asked for longest ago
    assert list(kept.found) == [(3, 6, 0), (3, 8, 0)]
    assert kept.results(3, 9, 0, 0) == b""
    assert list(kept.found) == [(3, 6, 0), (3, 8, 0)]


# who is refused

BAD = {
    "no JSON": ("{", 400, "not JSON"),
    "nothing": ("", 400, "not JSON"),
    "a list": ("[1]", 400, "expected a JSON object"),
    "no address": ("{}", 400, "found the keys 'none', expected address, charts"),
    "another key": ('{"address": "", "x": 1}', 400, "found the keys"),
    "a number": ('{"address": 7}', 400, "address: expected text, found '7'"),
    "charts maybe": ('{"address": "", "charts": "no"}', 400, "charts: expected true or false"),
    "not a number": ('{"address": NaN}', 400, "address: expected text"),
    "deep": ("[" * 100_000, 400, "nested too deeply"),
    "deep object": ('{"address":' * 50_000, 400, "nested too deeply"),
    "not UTF-8": (b'{"address": "\xff"}', 400, "not JSON in UTF-8"),
    "a surrogate": ('{"address": "preset=\\ud800"}', 400, "preset: found"),
    "a huge integer": ('{"address": %s}' % ("9" * 5000), 400, ""),
    "a bad address": ('{"address": "preset=nowhere"}', 400, "preset: found 'nowhere'"),
    "a null": ('{"address": "a\\u0000=1"}', 400, "key"),
    "not finite": ('{"address": "points=n1e999,0"}', 400, "points"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_questions_get_a_sentence(web, case):
    body, expected, sentence = BAD[case]
    status, headers, found = web.ask("POST", "/scene", body, JSON)
    assert (status, headers["Content-Type"]) == (expected, "application/json")
    problem = json.loads(found)["problem"]
    assert sentence in problem
    assert 0 < len(problem) < 400
    assert web.goes_on()


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"]
)
def test_only_json_is_taken_for_a_question(web, kind):
    headers = {} if kind is None else {"Content-Type": kind}
    for path in ("/scene", "/points", "/capacity"):
        status, _, body = web.ask("POST", path, '{"address": ""}', headers)
        assert (status, json.loads(body)) == (415, {"problem": "expected application/json"})


def test_json_may_say_its_letters(web):
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert web.ask("POST", "/scene", '{"address": "preset=xor"}', kind)[0] == 200


def test_long_questions_are_refused(web):
    for size, expected in ((limits.BODY - 100, 400), (limits.BODY + 1, 413), (3_000_000, 413)):
        status, answer = web.post("/points", {"text": "x" * size})
        assert status == expected
    assert answer == {"problem": "a question may have 1,000,000 bytes at most"}
    parts = (b"x" * 100_000 for _ in range(20))  # without a length beforehand
    status, _, body = web.ask("POST", "/points", parts, JSON)
    assert (status, json.loads(body)) == (413, answer)
    assert web.ask("GET", "/", b"x" * 2_000_000)[0] == 200  # a body that nobody asked for
    too_many = f"POST /points HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**12}\r\n\r\n"
    assert web.raw(too_many.encode(), ends=False).startswith(b"HTTP/1.1 400 ")
    assert web.goes_on()


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/scene/",
        "/scene",
        "/page/",
        "/page/lab.html",
        "/page/player.html",
        "/page/../server.py",
        "/page/..%2fserver.py",
        "/page/%2e%2e/server.py",
        "/page//etc/passwd",
        "/page/lab.js%00.css",
        "/page/__init__.py",
        "/static/js/bokeh.js",
        "/static/../../server.py",
        "/static/extensions/x",
        "/ws",
        "/metadata",
        "/autoload.js",
        "//",
        "/%ff",
    ],
)
def test_what_is_not_there(web, path):
    status, headers, body = web.get(path)
    assert status == (405 if path == "/scene" else 404)
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
    assert b"novikoff" not in body
    assert len(body) < 100
    if path != "/scene":
        status, answer = web.post(path, {})
        assert status in (404, 405)
        assert len(answer["problem"]) < 100


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_other_methods(web, method):
    for path in ("/scene", "/run.csv", "/nothing"):
        status, headers, _ = web.ask(method, path)
        assert status == (404 if path == "/nothing" else 405)
        assert "Access-Control-Allow-Origin" not in headers
    assert web.ask("BREW", "/")[0] == 405


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org", "", "[::2]", "x:80"])
def test_a_server_for_this_machine_answers_to_its_own_names_only(web, host):
    for method, path in (("GET", "/"), ("GET", "/run.csv?preset=xor"), ("POST", "/scene")):
        status, _, body = web.ask(method, path, "{}", JSON | {"Host": host})
        assert status == 403
        assert b"ask for 127.0.0.1 or [::1] or localhost" in body


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]", "[::1]:99"])
def test_names_of_this_machine(web, host):
    assert web.get("/", Host=host)[0] == 200


def test_who_may_call_a_server_what():
    assert hosts("127.0.0.1") == {"127.0.0.1", "localhost", "[::1]"}
    assert hosts("127.0.0.2") == {"127.0.0.1", "localhost", "[::1]", "127.0.0.2"}
    assert hosts("0.0.0.0") is None  # others reach it, by names it cannot know
    assert (is_loopback("localhost"), is_loopback("0.0.0.0")) == (True, False)
    with pytest.raises(NovikoffError, match="no such name"):
        is_loopback("no.such.name.invalid")
    assert (url("0.0.0.0", 7), url("::1", 7)) == ("http://127.0.0.1:7/", "http://[::1]:7/")


def test_a_server_for_others_answers_to_any_name():
    with served("0.0.0.0") as server:
        assert Web(server).get("/page/lab.js", Host="lecture.example.org")[0] == 200


GARBAGE = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "half a body": b"POST /scene HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
    "a bad length": b"POST /scene HTTP/1.1\r\nHost: localhost\r\nContent-Length: -7\r\n\r\n",
    "two lengths": b"POST /scene HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a long head": b"GET / HTTP/1.1\r\nX: " + b"x" * 2 * limits.HEADERS + b"\r\n\r\n",
    "bad chunks": b"POST /scene HTTP/1.1\r\nHost: localhost\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nzz",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a socket": b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ?\r\n\r\n",
}  # fmt: skip


@pytest.mark.parametrize("case", GARBAGE)
def test_garbage_is_survived(web, case):
    try:
        found = web.raw(GARBAGE[case])
    except OSError:  # the server has hung up on the rest
        found = b""
    assert not found or re.match(rb"HTTP/1\.1 4\d\d ", found)
    assert web.goes_on()


# our own faults


def test_a_defect_is_not_told_to_strangers(web, monkeypatch, capfd):
    def broken(*words, **named):
        raise RuntimeError("a secret of this machine")

    monkeypatch.setattr(page_data, "page_data", broken)
    status, answer = web.post("/scene", {"address": "preset=xor&eta=0.125"})
    assert status == 500
    assert answer["problem"].startswith("this is a defect of novikoff")
    assert "secret" not in answer["problem"]
    assert "RuntimeError: a secret of this machine" in capfd.readouterr().err
    assert web.goes_on()


def test_a_number_that_json_has_no_word_for_is_a_defect(web, monkeypatch, capfd):
    monkeypatch.setattr(page_data, "page_data", lambda address, charts: {"x": float("nan")})
    assert web.post("/scene", {"address": "preset=xor&eta=0.25"})[0] == 500
    assert "ValueError" in capfd.readouterr().err


def test_what_others_do_wrong_is_not_logged(web, capfd):
    web.post("/scene", {"address": "nonsense"})
    web.get("/nothing")
    web.get("/", Host="example.org")
    web.ask("POST", "/scene", "{", JSON)
    web.raw(GARBAGE["no HTTP"])
    assert web.goes_on()
    assert capfd.readouterr() == ("", "")


# several people at once


def test_everybody_gets_their_own_answer(web):
    states = [f"preset=xor&eta={k / 8!r}&start={k},1,{-k}" for k in range(1, 9)]
    states += [f"points=n0,0p{k},1p{k},2" for k in range(1, 9)]
    states += [f"tab=capacity&N={k}&P={3 * k}&trials=20" for k in range(1, 9)]

    def ask(address):
        return web.post("/scene", {"address": address, "charts": False})

    with ThreadPoolExecutor(12) as people:
        found = list(people.map(ask, states))
    for address, (status, answer) in zip(states, found, strict=True):
        assert status == 200
        expected = json.loads(json.dumps(page_data.page_data(address, charts=False)))
        assert settled(answer) == settled(expected), address


def test_a_slow_answer_keeps_nobody_else_waiting(web, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(text, *columns):
        begun.set()
        assert go_on.wait(60)
        return {"text": text}

    monkeypatch.setattr(csv_points, "pasted", slow)
    with ThreadPoolExecutor(1) as person:
        waiting = person.submit(web.post, "/points", {"text": "slow"})
        assert begun.wait(60)
        assert web.goes_on()
        assert web.get("/")[0] == 200
        assert not waiting.done()
        go_on.set()
        assert waiting.result() == (200, {"text": "slow"})


def test_whoever_leaves_is_not_waited_for(web, monkeypatch):
    begun, go_on, made = threading.Semaphore(0), threading.Event(), []

    def slow(text, *columns):
        made.append(text)
        begun.release()
        assert go_on.wait(60)
        return {}

    monkeypatch.setattr(csv_points, "pasted", slow)
    links = []
    for k in range(12):
        body = json.dumps({"text": f"{k}"}).encode()
        head = f"POST /points HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        link = socket.create_connection(("127.0.0.1", web.port), timeout=60)
        link.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        links.append(link)
    for _ in range(4):  # as many as work at a time
        assert begun.acquire(timeout=60)
    for link in links:
        link.close()
    assert web.get("/page/lab.js")[0] == 200
    go_on.set()
    assert web.goes_on()
    assert len(made) < 12  # what was not begun by then never was


def test_data_cannot_end_their_element():
    assert "</script><" not in assets.json_element("x", "</script><b>")[10:-10]


def test_a_connection_goes_on_after_a_refusal_or_says_that_it_does_not(web):
    with socket.create_connection(("127.0.0.1", web.port), timeout=60) as link:
        for path, host, status in (
            ("/nothing", "localhost", b"404"),
            ("/run.csv?nonsense", "localhost", b"400"),
            ("/", "example.org", b"403"),
        ):
            link.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            head = b""
            while b"\r\n\r\n" not in head:
                head += link.recv(1)
            assert head.split()[1] == status
            length = int(re.search(rb"Content-Length: (\d+)", head)[1])
            assert len(link.recv(length, socket.MSG_WAITALL)) == length
        assert b"Connection: close" in head
