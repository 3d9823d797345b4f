"""Whoever sends the lab's server nonsense gets a sentence, and nobody else notices."""

import http.client
import json
import os
import sys
import threading

import pytest

from novikoff.cli.lab import lab
from novikoff.cli.shared.text import json_text
from novikoff.lab import limits
from novikoff.lab.server import routes, serve
from tests.helpers.lab_fuzz import fuzz
from tests.helpers.lab_server import JSON, Web

CAPACITY = '{"N": %s, "P": 4, "trials": 1, "seed": 0}'


@pytest.fixture
def web(lab_server):
    return Web(lab_server)


# numbers


@pytest.mark.parametrize("text", ["9" * 900_000, "-" + "9" * 900_000, "0." + "9" * 900_000])
def test_a_long_number_is_refused_before_it_is_converted(web, text):
    sys.set_int_max_str_digits(0)  # whoever starts the server may have allowed them
    status, _, body = web.ask("POST", "/capacity", CAPACITY % text, JSON)
    expected = f"found a number of {len(text):,} characters, expected at most 100"
    assert (status, json.loads(body)) == (400, {"problem": expected})
    assert web.goes_on()


@pytest.mark.parametrize("text", ["1e999", "-1e999", "NaN", "Infinity", "1.5", "1E3"])
def test_a_number_that_is_not_whole_is_refused(web, text):
    status, _, body = web.ask("POST", "/capacity", CAPACITY % text, JSON)
    assert status == 400
    assert json.loads(body)["problem"].startswith("N: expected a whole number, found ")


@pytest.mark.parametrize("depth", [10, 300, 600, 800, 900, 950, 1000, 5000])
@pytest.mark.parametrize("brackets", ["[]", ('{"a":', "}")])
def test_nested_values_are_refused_at_any_depth(web, depth, brackets):
    first, last = brackets
    for value in (first * depth + "1" + last * depth, first * depth):
        status, _, body = web.ask("POST", "/capacity", CAPACITY % value, JSON)
        assert status == 400
        assert len(json.loads(body)["problem"]) < 400


def test_a_long_question_is_parsed_in_a_thread(web, monkeypatch):
    threads = []

    def parse(handler):
        threads.append(threading.current_thread().name)
        return original(handler)

    original = routes.QueryHandler._parse
    monkeypatch.setattr(routes.QueryHandler, "_parse", parse)
    for size in (10, limits.SHORT_BODY):
        status, answer = web.post("/points", {"text": "x" * size})
        assert (status, bool(answer["problem"])) == (400, True) or status == 200
    loop, other = threads
    assert (loop, other[:7]) == ("served", "asyncio")


def test_the_command_reads_no_longer_numbers_than_python_does_by_itself(monkeypatch):
    allowed = []
    monkeypatch.setattr(serve, "serve", lambda *_: allowed.append(sys.get_int_max_str_digits()))
    monkeypatch.setattr(os, "_exit", lambda code: None)
    assert len(json_text(10**5000)) == 5001  # numbers of our own may be longer
    lab("", 0, "127.0.0.1", browser=False)
    assert allowed == [sys.int_info.default_max_str_digits]


# connections


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nothing", None, 404),
        ("POST", "/nothing", "{}", 404),
        ("HEAD", "/nothing", None, 404),
        ("PUT", "/scene", "{}", 405),
        ("GET", "/run.csv?nonsense", None, 400),
        ("POST", "/scene", "{", 400),
        ("POST", "/scene", '{"address": "nonsense"}', 400),
        ("POST", "/points", "x" * (limits.BODY + 1), 413),
        ("GET", "/run.csv?preset=xor", None, 200),
    ],
)
def test_a_connection_goes_on_after_any_answer(web, method, path, body, status):
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    connection.connect()
    link = connection.sock
    try:
        for _ in range(5):
            connection.request(method, path, body, JSON if body else {})
            found = connection.getresponse()
            found.read()
            assert found.status == status
            connection.request("GET", "/page/lab.js")
            assert connection.getresponse().read()
            assert connection.sock is link  # and not a new one
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("method", "host", "status"), [("BREW", "localhost", 405), ("GET", "example.org", 403)]
)
def test_a_connection_that_ends_says_so(web, method, host, status):
    found, headers, _ = web.ask(method, "/", headers={"Host": host})
    assert (found, headers["Connection"]) == (status, "close")


# all of it, at random


def test_random_requests_harm_nobody(lab_server, web, capfd):
    counts = fuzz(lab_server.url, seed=20, requests=300)
    assert {status for status in counts if status.startswith("5")} == set()
    assert counts.get("unanswered", 0) == counts.get("pages failed", 0) == 0
    assert counts["200"] > 20
    assert counts["400"] > 20
    assert counts["pages"] > 1
    assert capfd.readouterr() == ("", "")
    assert web.goes_on()
